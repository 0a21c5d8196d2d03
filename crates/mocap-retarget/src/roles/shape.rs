//! Roles by the shape of the rest pose, for skeletons whose names say nothing.
//!
//! The rest pose must be a stance: upright along the space's up axis, looking along its forward axis. Legs are the
//! pair of mirrored ends that is lowest, arms the pair of those above the hips that reaches furthest out, the head
//! is the highest end on the middle line. In every limb the two longest bones after one another are thigh and
//! shank, or upper and lower arm.

use super::{Reason, RoleMap, common_ancestor};
use mocap_model::{JointId, Pose, Role, Skeleton, Vector3};

/// Ends count as mirror images within this share of the body's height.
const MIRRORED: f64 = 0.05;
/// The end of a limb is at least this share of the height off the middle line, a head within it.
const OFF_MIDDLE: f64 = 0.02;
/// Legs reach down to this share of the height, arms end above the other.
const LOW: f64 = 0.15;
const ABOVE_KNEES: f64 = 0.3;

/// Each end is compared with each: what has more than this is no body.
const MOST_ENDS: usize = 500;

struct Body<'a> {
    skeleton: &'a Skeleton,
    /// Left, up and forward of the rest pose, from the lowest joint, in heights of the body.
    places: Vec<Vector3<f64>>,
}

/// Adds the roles that the shape shows; none where no pair of legs is found.
pub(super) fn by_shape(skeleton: &Skeleton, map: &mut RoleMap) {
    let Some(body) = Body::new(skeleton).filter(|body| body.ends().count() <= MOST_ENDS) else { return };
    let pairs = body.mirrored_ends();
    let mean = |pair: &(JointId, JointId), axis: usize| (body.at(pair.0)[axis] + body.at(pair.1)[axis]) / 2.0;
    let legs =
        pairs.iter().filter(|pair| mean(pair, 1) < LOW).min_by(|a, b| mean(a, 1).total_cmp(&mean(b, 1)));
    let Some(&(left, right)) = legs else { return };
    let Some(hips) = common_ancestor(skeleton, left, right) else { return };
    let [Some(left), Some(right)] = [left, right].map(|end| body.limb(hips, end)) else { return };
    map.add(Role::Hips, hips, Reason::Shape);
    let leg = [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot, Role::LeftToes];
    add_limb(map, leg, &left, &right);
    let out = |pair: &(JointId, JointId)| body.at(pair.0).x;
    let arms = pairs.iter().filter(|pair| mean(pair, 1) > ABOVE_KNEES && !body.is_below(left[0], pair.0));
    if let Some(&(left, right)) = arms.max_by(|a, b| out(a).total_cmp(&out(b)))
        && let Some(chest) = common_ancestor(skeleton, left, right)
        && let [Some(left), Some(right)] = [left, right].map(|end| body.limb(chest, end))
    {
        let arm = [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand];
        add_limb(map, arm, &left[..3.min(left.len())], &right[..3.min(right.len())]);
        let shoulder = |limb: &[JointId]| skeleton.joint(limb[0]).parent.filter(|parent| *parent != chest);
        if let (Some(l), Some(r)) = (shoulder(&left), shoulder(&right)) {
            map.add(Role::LeftShoulder, l, Reason::Shape);
            map.add(Role::RightShoulder, r, Reason::Shape);
        }
        let ends = body.ends().filter(|end| body.is_below(chest, *end) && body.at(*end).x.abs() < OFF_MIDDLE);
        let highest = ends.max_by(|a, b| body.at(*a).y.total_cmp(&body.at(*b).y));
        // The end of the head is its top: the head's joint is the last that turns.
        let head = highest.and_then(|end| match skeleton.joint(end).end_site {
            true => skeleton.joint(end).parent,
            false => Some(end),
        });
        if let Some(head) = head.filter(|head| *head != chest) {
            map.add(Role::Head, head, Reason::Shape);
        }
    }
}

fn add_limb<const N: usize>(map: &mut RoleMap, roles: [Role; N], left: &[JointId], right: &[JointId]) {
    for ((role, l), r) in roles.into_iter().zip(left).zip(right) {
        map.add(role, *l, Reason::Shape);
        map.add(role.mirrored(), *r, Reason::Shape);
    }
}

impl Body<'_> {
    fn new(skeleton: &Skeleton) -> Option<Body<'_>> {
        let mut object = Pose::default();
        Pose::rest(skeleton).to_object(skeleton, &mut object);
        let (up, forward) = (skeleton.space().up.vector(), skeleton.space().forward.vector());
        let left = up.cross(&forward);
        let seen = |v: Vector3<f64>| Vector3::new(v.dot(&left), v.dot(&up), v.dot(&forward));
        let mut places: Vec<Vector3<f64>> =
            object.joints.iter().map(|at| seen(at.translation.vector)).collect();
        // Roots often stand for the floor and not for a part of the body: measured is what turns.
        let body = places[usize::from(places.len() > 1)..].iter();
        let (low, high) = body.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p.y), h.max(p.y)));
        let height = high - low;
        if !(height.is_finite() && height > 0.0) {
            return None;
        }
        places.iter_mut().for_each(|place| *place = (*place - Vector3::new(0.0, low, 0.0)) / height);
        Some(Body { skeleton, places })
    }

    fn at(&self, id: JointId) -> Vector3<f64> {
        self.places[id.index()]
    }

    fn ends(&self) -> impl Iterator<Item = JointId> {
        self.skeleton.iter().map(|(id, _)| id).filter(|id| self.skeleton.children(*id).is_empty())
    }

    fn is_below(&self, top: JointId, id: JointId) -> bool {
        self.skeleton.path(top, id).is_some()
    }

    /// Ends off the middle line with an end at their mirror image: left, right.
    fn mirrored_ends(&self) -> Vec<(JointId, JointId)> {
        let mut pairs = Vec::new();
        for left in self.ends().filter(|end| self.at(*end).x > OFF_MIDDLE) {
            let image = self.at(left).component_mul(&Vector3::new(-1.0, 1.0, 1.0));
            let distance = |id: &JointId| (self.at(*id) - image).norm();
            let nearest = self.ends().min_by(|a, b| distance(a).total_cmp(&distance(b)));
            if let Some(right) = nearest.filter(|right| *right != left && distance(right) < MIRRORED) {
                pairs.push((left, right));
            }
        }
        pairs
    }

    /// The joints of a limb from hip or shoulder outwards: the two longest bones after one another, and the rest.
    fn limb(&self, top: JointId, end: JointId) -> Option<Vec<JointId>> {
        let path = self.skeleton.path(top, end)?;
        let bone = |i: usize| (self.at(path[i + 1]) - self.at(path[i])).norm();
        let both = |i: usize| bone(i) + bone(i + 1);
        // A collar bone starts on the middle line, where no limb does.
        let off_middle = |i: &usize| self.at(path[*i]).x.abs() > OFF_MIDDLE;
        let bases = (1..path.len().checked_sub(2)?).filter(off_middle);
        let base = bases.max_by(|a, b| both(*a).total_cmp(&both(*b)))?;
        let turns = |id: &JointId| !self.skeleton.joint(*id).end_site;
        let limb: Vec<JointId> = path[base..].iter().copied().filter(turns).collect();
        (limb.len() >= 3).then_some(limb)
    }
}
