//! The bones of a skeleton as segments inside a mesh.

use mocap_model::{JointId, Pose, Skeleton, UnitQuaternion, Vector3};

use crate::Voxels;

/// A bone: the segment from a joint to a child, or to the end of its flesh. The surface around it follows the joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneSegment {
    /// The joint that turns it.
    pub joint: JointId,
    /// Where the joint is, in object space.
    pub from: Vector3<f64>,
    /// Where the next one is.
    pub to: Vector3<f64>,
    /// Whether the joint has no children.
    pub is_leaf: bool,
}

impl BoneSegment {
    /// The parameter of a place along the segment: 0 at its start, 1 at its end, not clamped.
    pub fn along(&self, place: &Vector3<f64>) -> f64 {
        let way = self.to - self.from;
        let square = way.norm_squared();
        if square > 0.0 { (place - self.from).dot(&way) / square } else { 0.0 }
    }

    /// The nearest place on the segment.
    pub fn nearest(&self, place: &Vector3<f64>) -> Vector3<f64> {
        self.from + (self.to - self.from) * self.along(place).clamp(0.0, 1.0)
    }

    /// How long it is.
    pub fn length(&self) -> f64 {
        (self.to - self.from).norm()
    }
}

/// Half angle of the cone about the direction of the bone above in which the flesh of a leaf joint is searched \[rad\].
const CONE: f64 = 0.9;
/// Number of directions around the axis, per ring.
const AROUND: usize = 8;
/// Number of rings of directions.
const RINGS: usize = 3;
/// Bones shorter than this share of the body's size get no segment.
const SHORTEST: f64 = 1e-4;
/// Joints that are closer together than this share of the body's size are in one place.
const SAME_PLACE: f64 = 1e-3;
/// A joint whose distance from a bone is less than this share of the bone's length is on it.
const ON_BONE: f64 = 0.05;

/// Where a place is along the line of a bone, as a share of the bone's length; `None` beside that line. Both are relative to
/// the joint at which the bone begins.
pub(crate) fn share_of_bone(place: &Vector3<f64>, bone: &Vector3<f64>) -> Option<f64> {
    let share = place.dot(bone) / bone.norm_squared();
    ((place - bone * share).norm() <= ON_BONE * bone.norm()).then_some(share)
}

/// The places of joints at rest, in object space.
pub fn rest_places(skeleton: &Skeleton) -> Vec<Vector3<f64>> {
    let mut object = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut object);
    object.joints.iter().map(|joint| joint.translation.vector).collect()
}

/// The segments of the joints for which `moves` is true. A joint without children and end sites has a segment to the
/// end of its flesh; one without a role on a bone of the joint above, such as a twist, has the part of that bone that
/// follows it. `size` is that of the body.
pub fn segments(
    skeleton: &Skeleton,
    places: &[Vector3<f64>],
    voxels: &Voxels,
    size: f64,
    moves: impl Fn(JointId) -> bool,
) -> Vec<BoneSegment> {
    let mut found = Vec::new();
    let reach = reach(skeleton, &moves);
    let twists = Twists::of(skeleton, places, &reach, &moves, size);
    for (id, joint) in skeleton.iter() {
        if joint.end_site || !moves(id) || twists.carries_nothing[id.index()] {
            continue;
        }
        let from = places[id.index()];
        if let Some(to) = twists.ends[id.index()] {
            found.push(BoneSegment { joint: id, from, to, is_leaf: false });
            continue;
        }
        let children: Vec<JointId> = skeleton
            .children(id)
            .iter()
            .copied()
            .filter(|child| reach[child.index()] && !twists.is_one(*child))
            .collect();
        let ends: Vec<JointId> =
            skeleton.children(id).iter().copied().filter(|child| skeleton.joint(*child).end_site).collect();
        let is_leaf = children.is_empty();
        let next = if is_leaf { ends } else { children };
        let tos: Vec<Vector3<f64>> = match next.is_empty() {
            false => {
                next.iter().map(|next| twists.begin[next.index()].unwrap_or(places[next.index()])).collect()
            }
            true => {
                let parent = joint.parent.map(|parent| from - places[parent.index()]);
                vec![from + flesh(&from, &parent.unwrap_or_else(Vector3::zeros), voxels, size)]
            }
        };
        for to in tos {
            if (to - from).norm() > SHORTEST * size || is_leaf {
                found.push(BoneSegment { joint: id, from, to, is_leaf });
            }
        }
    }
    found
}

/// By joint: whether it, or one below it, moves vertices.
fn reach(skeleton: &Skeleton, moves: &impl Fn(JointId) -> bool) -> Vec<bool> {
    let mut reach = vec![false; skeleton.len()];
    // Parents come before their children.
    for at in (0..skeleton.len()).rev().map(JointId::from) {
        let joint = skeleton.joint(at);
        reach[at.index()] |= moves(at) && !joint.end_site;
        if let Some(parent) = joint.parent.filter(|_| reach[at.index()]) {
            reach[parent.index()] = true;
        }
    }
    reach
}

/// Leaf joints without a role that are on a bone of the joint above: they share its flesh.
struct Twists {
    /// By twist: where its part of the bone ends.
    ends: Vec<Option<Vector3<f64>>>,
    /// By joint at the end of a bone with twists: where the first of them begins.
    begin: Vec<Option<Vector3<f64>>>,
    /// By joint: whether another joint at its place carries the flesh.
    carries_nothing: Vec<bool>,
}

impl Twists {
    fn of(
        skeleton: &Skeleton,
        places: &[Vector3<f64>],
        reach: &[bool],
        moves: &impl Fn(JointId) -> bool,
        size: f64,
    ) -> Twists {
        let none = vec![None; skeleton.len()];
        let mut made =
            Twists { ends: none.clone(), begin: none, carries_nothing: vec![false; skeleton.len()] };
        for (id, _) in skeleton.iter() {
            let children = || skeleton.children(id).iter().copied().filter(|child| reach[child.index()]);
            let is_helper = |child: &JointId| {
                let has_children = !skeleton.children(*child).is_empty();
                skeleton.joint(*child).role.is_none() && !has_children && moves(*child)
            };
            let bones: Vec<JointId> = children().filter(|child| !is_helper(child)).collect();
            let from = places[id.index()];
            // By bone: the twists on it, with their share of the way.
            let mut on: Vec<Vec<(f64, JointId)>> = vec![Vec::new(); bones.len()];
            for helper in children().filter(is_helper) {
                let off = places[helper.index()] - from;
                if off.norm() <= SAME_PLACE * size && moves(id) {
                    made.carries_nothing[helper.index()] = true;
                    continue;
                }
                let on_bone = bones.iter().enumerate().find_map(|(bone, end)| {
                    let share = share_of_bone(&off, &(places[end.index()] - from))?;
                    (share > 0.0 && share < 1.0 + ON_BONE).then_some((bone, share))
                });
                if let Some((bone, share)) = on_bone {
                    let to_end = (places[bones[bone].index()] - places[helper.index()]).norm();
                    let ends = share >= 1.0 || to_end <= SAME_PLACE * size;
                    made.carries_nothing[helper.index()] = ends;
                    if !ends {
                        on[bone].push((share, helper));
                    }
                }
            }
            for (twists, end) in on.iter_mut().zip(&bones).filter(|(twists, _)| !twists.is_empty()) {
                twists.sort_by(|a, b| a.0.total_cmp(&b.0));
                made.begin[end.index()] = Some(places[twists[0].1.index()]);
                let nexts = twists.iter().skip(1).map(|twist| twist.1).chain([*end]);
                for ((_, twist), next) in twists.iter().zip(nexts) {
                    let at = [*twist, next].map(|joint| places[joint.index()]);
                    made.carries_nothing[twist.index()] = (at[1] - at[0]).norm() <= SAME_PLACE * size;
                    made.ends[twist.index()] = Some(at[1]);
                }
            }
        }
        made
    }

    fn is_one(&self, joint: JointId) -> bool {
        self.carries_nothing[joint.index()] || self.ends[joint.index()].is_some()
    }
}

/// By joint: whether it is a part of a person. Joints beside the body, such as a root on the floor, targets of inverse
/// kinematics and props, have no role at them or above, and are not between joints with one. Of a skeleton without roles
/// all joints count.
pub fn parts_of_person(skeleton: &Skeleton) -> Vec<bool> {
    let roles = skeleton.joints().iter().filter(|joint| joint.role.is_some()).count();
    let mut below = vec![0; skeleton.len()];
    for at in (0..skeleton.len()).rev().map(JointId::from) {
        let joint = skeleton.joint(at);
        below[at.index()] += usize::from(joint.role.is_some());
        if let Some(parent) = joint.parent {
            below[parent.index()] += below[at.index()];
        }
    }
    // Where the trunk begins: the lowest joint with all roles at it or below.
    let first = (0..skeleton.len()).rev().find(|at| below[*at] == roles);
    let (mut carried, mut in_tree) = (vec![false; skeleton.len()], vec![false; skeleton.len()]);
    for (id, joint) in skeleton.iter() {
        let (at, parent) = (id.index(), joint.parent.map(JointId::index));
        carried[at] = joint.role.is_some() || parent.is_some_and(|parent| carried[parent]);
        in_tree[at] = Some(at) == first || parent.is_some_and(|parent| in_tree[parent]);
    }
    (0..skeleton.len()).map(|at| roles == 0 || carried[at] || (in_tree[at] && below[at] > 0)).collect()
}

/// The vector from a leaf joint to the end of its flesh: the mean of directions around that of the bone above, weighted
/// by how far each stays inside.
fn flesh(from: &Vector3<f64>, above: &Vector3<f64>, voxels: &Voxels, size: f64) -> Vector3<f64> {
    let Some(axis) = above.try_normalize(SHORTEST * size) else { return Vector3::zeros() };
    // Directions start at an axis of the voxels, so they rotate with the mesh.
    let other = voxels.axes.column(voxels.axes.tr_mul(&axis).iamin()).into_owned();
    let across = axis.cross(&other).normalize();
    let mut directions = vec![axis];
    for ring in 1..=RINGS {
        let tilt = CONE * ring as f64 / RINGS as f64;
        for step in 0..AROUND {
            let turn = std::f64::consts::TAU * step as f64 / AROUND as f64;
            let axis_of_tilt = UnitQuaternion::new(axis * turn) * across;
            directions.push(UnitQuaternion::new(axis_of_tilt * tilt) * axis);
        }
    }
    let (mut sum, mut total) = (Vector3::zeros(), 0.0);
    for direction in directions {
        let step = voxels.side * 0.5;
        let most = (0.3 * size / step) as usize;
        let run = (1..=most).take_while(|at| voxels.holds(&(from + direction * (step * *at as f64)))).count();
        let run = run as f64 * step;
        sum += direction * run.powi(4);
        total += run.powi(3);
    }
    if total > 0.0 { sum / total } else { above * 0.5 }
}
