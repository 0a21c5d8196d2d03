//! Roles of joints: the part of the body that each joint is.
//!
//! Roles that the skeleton states take precedence. Then the naming scheme that matches most joints gives limbs,
//! hips, neck and head; the spine lies between them, under any name. If no name is known, the limbs are found
//! from the hierarchy and the bone lengths. Each role has a reason and a score.

mod four_legs;
mod known;
mod mirror_image;
mod motion;
mod name;
mod schemes;
mod score;
mod shape;

use four_legs::Limbs;
use known::Found;
use mocap_model::{Clip, JointId, Role, Side, Skeleton};
use name::Name;
use schemes::{SCHEMES, Scheme};
use std::fmt;

/// The roles that a body needs.
pub const REQUIRED_ROLES: [Role; 7] = [
    Role::Hips,
    Role::LeftUpperLeg,
    Role::LeftLowerLeg,
    Role::LeftFoot,
    Role::RightUpperLeg,
    Role::RightLowerLeg,
    Role::RightFoot,
];

/// Why a joint has its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleReason {
    /// The user gave it.
    Given,
    /// The skeleton states it.
    Stated,
    /// Its name in the naming scheme of the rig.
    Name,
    /// Its position between joints with roles.
    Place,
    /// The shape of the tree and the lengths of its bones.
    Shape,
}

impl RoleReason {
    /// The reason in one word, as tables and JSON have it.
    pub const fn name(self) -> &'static str {
        match self {
            RoleReason::Given => "given",
            RoleReason::Stated => "stated",
            RoleReason::Name => "name",
            RoleReason::Place => "place",
            RoleReason::Shape => "shape",
        }
    }
}

impl fmt::Display for RoleReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RoleReason::Given => "given in a map",
            RoleReason::Stated => "stated in the skeleton",
            RoleReason::Name => "name",
            RoleReason::Place => "place in the tree",
            RoleReason::Shape => "shape of the tree",
        })
    }
}

/// One joint and its role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoleRow {
    /// The role.
    pub role: Role,
    /// The joint.
    pub joint: JointId,
    /// The reason.
    pub reason: RoleReason,
    /// Confidence, 0 to 1: 1 for stated roles, less for other reasons and for roles that the skeleton
    /// contradicts.
    pub score: f64,
}

impl RoleRow {
    /// Whether the confidence is high enough for a limb.
    pub fn is_certain(&self) -> bool {
        self.score >= score::CERTAIN
    }
}

/// The roles of a skeleton's joints, at most one joint per role, in the order of [`Role::ALL`].
///
/// ```
/// use mocap_retarget::{JointId, Role, RoleMap};
///
/// let map = RoleMap::given([(Role::Hips, JointId(0)), (Role::LeftUpperLeg, JointId(1))]);
/// assert_eq!(map.joint(Role::LeftUpperLeg), Some(JointId(1)));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoleMap {
    /// One row per role.
    pub rows: Vec<RoleRow>,
    /// The naming scheme, if recognised.
    pub scheme: Option<&'static str>,
    /// Whether the body stands on four legs, which makes its roles uncertain.
    pub on_four_legs: bool,
}

impl RoleMap {
    /// Roles given by the user. If a role or a joint occurs twice, the first counts.
    pub fn given(rows: impl IntoIterator<Item = (Role, JointId)>) -> RoleMap {
        let mut map = RoleMap::default();
        for (role, joint) in rows {
            map.add(role, joint, RoleReason::Given, 1.0);
        }
        map.rows.sort_by_key(|row| row.role);
        map
    }

    /// The map without uncertain roles.
    pub fn certain(&self) -> RoleMap {
        let rows = self.rows.iter().filter(|row| row.is_certain()).copied().collect();
        RoleMap { rows, ..*self }
    }

    /// The joint of a role.
    pub fn joint(&self, role: Role) -> Option<JointId> {
        self.rows.iter().find(|row| row.role == role).map(|row| row.joint)
    }

    /// Required roles that no joint has.
    pub fn missing(&self) -> Vec<Role> {
        REQUIRED_ROLES.into_iter().filter(|role| self.joint(*role).is_none()).collect()
    }

    /// The role of a joint.
    pub fn role(&self, joint: JointId) -> Option<Role> {
        self.rows.iter().find(|row| row.joint == joint).map(|row| row.role)
    }

    /// The skeleton with exactly these roles.
    pub fn apply(&self, skeleton: &Skeleton) -> Skeleton {
        skeleton.with_roles(|joint| self.role(joint))
    }

    fn add(&mut self, role: Role, joint: JointId, reason: RoleReason, score: f64) {
        if self.joint(role).is_none() && self.role(joint).is_none() {
            self.rows.push(RoleRow { role, joint, reason, score });
        }
    }
}

/// Finds the roles of a skeleton's joints: stated roles, then by name, then by the shape of the tree for limbs without
/// known names, then by position.
///
/// It never fails: a skeleton that is not a body gets few roles or none.
///
/// ```
/// # let walk = include_bytes!("../../../../fixtures/clips/alex_walk.bvh");
/// # let document = mocap_formats::bvh::parse(walk, &Default::default())?.value;
/// # let clip = mocap_formats::bvh::to_clip(&document, &Default::default())?.value;
/// use mocap_retarget::{Role, map_roles};
///
/// let roles = map_roles(clip.skeleton());
/// let knee = roles.joint(Role::LeftLowerLeg).unwrap();
/// assert_eq!(clip.skeleton().joint(knee).name, "LeftLeg");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn map_roles(skeleton: &Skeleton) -> RoleMap {
    let Found { mut map, rests_on_four, .. } = known::of_skeleton(skeleton);
    if rests_on_four {
        score::doubt_four_legs(&mut map);
    }
    map
}

/// Like [`map_roles`], for a skeleton with a motion: if neither names nor the rest pose show which side is left,
/// the motion does.
pub fn map_roles_in(clip: &Clip) -> RoleMap {
    let Found { mut map, asks_motion, mut rests_on_four } = known::of_skeleton(clip.skeleton());
    if asks_motion {
        map = map_with(clip.skeleton(), &|pair, legs| motion::left_first(clip, pair, legs));
        rests_on_four = Limbs::of(&map).is_some_and(|limbs| limbs.rest_on_four(clip.skeleton()));
    }
    if rests_on_four && Limbs::of(&map).is_some_and(|limbs| limbs.moves_on_four(clip)) {
        score::doubt_four_legs(&mut map);
    }
    map
}

fn map_with(skeleton: &Skeleton, sides: shape::Sides) -> RoleMap {
    let mut map = RoleMap::default();
    for (id, joint) in skeleton.iter() {
        if let Some(role) = joint.role {
            map.add(role, id, RoleReason::Stated, 1.0);
        }
    }
    by_name(skeleton, &mut map);
    let without = |left: Role| map.joint(left).is_none() && map.joint(left.mirrored()).is_none();
    if without(Role::LeftUpperLeg) || without(Role::LeftUpperArm) {
        shape::by_shape(skeleton, sides, &mut map);
    }
    by_place(skeleton, &mut map);
    mirror_image::by_mirror_image(skeleton, &mut map);
    score::check(skeleton, &mut map);
    map.rows.sort_by_key(|row| row.role);
    map
}

/// Fewer matching names may be chance.
const FEWEST: usize = 4;

fn by_name(skeleton: &Skeleton, map: &mut RoleMap) {
    let joints = skeleton.iter().filter(|(_, joint)| !joint.end_site);
    let names: Vec<(JointId, Name)> = joints.map(|(id, joint)| (id, name::split(&joint.name))).collect();
    let matches = SCHEMES.iter().map(|scheme| (scheme, matches(&names, scheme)));
    // The first scheme of equally good ones; `max_by_key` would return the last.
    let best = matches.reduce(|best, next| if next.1.len() > best.1.len() { next } else { best });
    if let Some((scheme, found)) = best
        && found.len() >= FEWEST
    {
        map.scheme = Some(scheme.name);
        let score = score::of_names(&found);
        for (role, joint) in found {
            map.add(role, joint, RoleReason::Name, score);
        }
    }
}

fn matches(names: &[(JointId, Name)], scheme: &Scheme) -> Vec<(Role, JointId)> {
    let mut found: Vec<(Role, usize, JointId)> = Vec::new();
    for (id, name) in names {
        let Some((role, at)) = role_of(scheme, name) else { continue };
        match found.iter_mut().find(|(other, ..)| *other == role) {
            Some(other) if at < other.1 => *other = (role, at, *id),
            Some(_) => {}
            None => found.push((role, at, *id)),
        }
    }
    found.into_iter().map(|(role, _, joint)| (role, joint)).collect()
}

fn role_of(scheme: &Scheme, name: &Name) -> Option<(Role, usize)> {
    scheme.role(name.side, &name.base).or_else(|| {
        // `lfemur`, `Lefthand`: the side is the start of the word.
        let starts = [("left", Side::Left), ("right", Side::Right), ("l", Side::Left), ("r", Side::Right)];
        let of_side = |(start, side)| scheme.role(Some(side), name.base.strip_prefix(start)?);
        if name.side.is_some() { None } else { starts.into_iter().find_map(of_side) }
    })
}

/// Whether a joint only holds another one, at the same place and with its name in its own, as `Spine1_grp` holds `Spine1`:
/// the role is that of the joint.
fn path_group(skeleton: &Skeleton, joint: JointId, top: JointId) -> bool {
    let [held] = skeleton.children(joint) else { return false };
    let (name, held) = (&skeleton.joint(joint).name, skeleton.joint(*held));
    joint != top && held.offset.norm() == 0.0 && name.len() > held.name.len() && name.starts_with(&held.name)
}

/// Score of a role by position in the hierarchy.
const PLACE: f64 = 0.9;

/// Roles by position: the spine between hips and shoulders, a neck below the head, toes after a foot.
fn by_place(skeleton: &Skeleton, map: &mut RoleMap) {
    let pair = |map: &RoleMap, left| Some((map.joint(left)?, map.joint(left.mirrored())?));
    if map.joint(Role::Hips).is_none()
        && let Some((left, right)) = pair(map, Role::LeftUpperLeg)
        && let Some(joint) = skeleton.common_ancestor(left, right)
    {
        map.add(Role::Hips, joint, RoleReason::Place, PLACE);
    }
    let top = [Role::LeftShoulder, Role::LeftUpperArm]
        .into_iter()
        .find_map(|role| pair(map, role))
        .and_then(|(left, right)| skeleton.common_ancestor(left, right))
        .or_else(|| skeleton.joint(map.joint(Role::Neck).or(map.joint(Role::Head))?).parent);
    if let (Some(hips), Some(mut top)) = (map.joint(Role::Hips), top) {
        // Shoulders of Biped are children of the neck.
        while map.role(top) == Some(Role::Neck)
            && let Some(parent) = skeleton.joint(top).parent
        {
            top = parent;
        }
        let mut path = skeleton.path(hips, top).unwrap_or_default();
        path.retain(|joint| !path_group(skeleton, *joint, top));
        let spine = path.get(1..).unwrap_or_default();
        for (i, role) in [Role::Spine, Role::Chest].into_iter().enumerate() {
            if let Some(joint) = spine.get(i) {
                map.add(role, *joint, RoleReason::Place, PLACE);
            }
        }
        if let [_, _, .., last] = spine {
            map.add(Role::UpperChest, *last, RoleReason::Place, PLACE);
        }
        if let Some(head) = map.joint(Role::Head)
            && let Some([_, neck, _, ..]) = skeleton.path(top, head).as_deref()
        {
            map.add(Role::Neck, *neck, RoleReason::Place, PLACE);
        }
    }
    for (foot, toes) in [(Role::LeftFoot, Role::LeftToes), (Role::RightFoot, Role::RightToes)] {
        if let Some(foot) = map.joint(foot) {
            let children = skeleton.children(foot).iter().filter(|child| !skeleton.joint(**child).end_site);
            let furthest = children.max_by(|a, b| {
                let reach = |id: &JointId| skeleton.joint(*id).offset.norm();
                reach(a).total_cmp(&reach(b))
            });
            if let Some(joint) = furthest {
                map.add(toes, *joint, RoleReason::Place, PLACE);
            }
        }
    }
}
