//! Aims: a direction of an effector points at a target point, and joints share the rotation towards it.

use crate::{Constraint, IkError, Quat, Vec3};
use mocap_model::{JointId, Pose, Skeleton, exp, log, rotation_between};

/// What an effector points at. [`crate::Objective`] and [`crate::Xpbd`] aim; the other solvers refuse such goals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// The direction that points, in the frame of the effector; any length above 0.
    pub direction: Vec3,
    /// The place at which it points [units of the skeleton].
    pub at: Vec3,
    /// Its weight, from 0. At equal weights a radian counts as much as the length of the chain.
    pub weight: f64,
}

impl Aim {
    pub(crate) fn is_finite(&self) -> bool {
        let sum = self.direction.sum() + self.at.sum() + self.weight;
        sum.is_finite() && self.weight >= 0.0 && self.direction.norm() > 0.0
    }

    /// The direction of an effector with this position and orientation, the direction that it should have, and
    /// the distance to the target; `None` if the effector is at the target.
    pub(crate) fn directions(&self, tip: &Vec3, orientation: &Quat) -> Option<(Vec3, Vec3, f64)> {
        let to = self.at - tip;
        let distance = to.norm();
        let own = orientation * self.direction.normalize();
        (distance > 0.0).then(|| (own, to / distance, distance))
    }

    /// The angle between the direction of an effector with this position and orientation and the direction that
    /// it should have \[rad\].
    pub fn angle(&self, tip: &Vec3, orientation: &Quat) -> f64 {
        self.directions(tip, orientation)
            .map_or(0.0, |(own, wanted, _)| own.cross(&wanted).norm().atan2(own.dot(&wanted)))
    }
}

/// A joint that takes part in a look-at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookJoint {
    /// The joint.
    pub joint: JointId,
    /// Its share of the rotation, above 0, relative to the shares of the other joints.
    pub share: f64,
    /// Greatest rotation from the given pose \[rad\].
    pub limit: f64,
}

/// The result of a look-at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The remaining angle between the direction and the target \[rad\], which limits prevent from closing.
    pub left: f64,
}

/// A remaining angle below this counts as none \[rad\].
const MET: f64 = 1e-10;
/// Greatest number of rounds. Each leaves a share of the angle: the distance between eyes and joints over the
/// distance to the target.
const ROUNDS: usize = 200;

/// Turns joints of a local pose so that `direction`, in the frame of the joint `eye`, points at
/// `at` in object space. Each joint turns by its share of one rotation; where it reaches its limit,
/// or that of the skeleton, the others take over. The rotations change continuously with `at`.
///
/// # Errors
/// If a joint is not above `eye` or `eye` itself, a share or limit is not above 0, or a number is not finite.
///
/// ```
/// use mocap_ik::{LookJoint, look_at};
/// use mocap_model::{Joint, JointId, Pose, Skeleton, Space, Vector3};
///
/// let joint = |name: &str, parent: Option<u32>, y: f64| {
///     Joint::new(name, parent.map(JointId), Vector3::new(0.0, y, 0.0))
/// };
/// let skeleton = Skeleton::new("", Space::default(), vec![joint("neck", None, 1.4), joint("head", Some(0), 0.1)])?;
/// let mut pose = Pose::rest(&skeleton);
/// let shares = [(0, 1.0), (1, 2.0)].map(|(id, share)| LookJoint { joint: JointId(id), share, limit: 1.0 });
/// let look = look_at(&skeleton, &mut pose, &shares, (JointId(1), Vector3::z()), &Vector3::new(2.0, 1.5, 2.0))?;
/// assert!(look.left < 1e-9);
/// // 45° to the left, of which the head takes two thirds.
/// assert!((pose.joints[1].rotation.angle() - 30f64.to_radians()).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn look_at(
    skeleton: &Skeleton,
    pose: &mut Pose,
    joints: &[LookJoint],
    (eye, direction): (JointId, Vec3),
    at: &Vec3,
) -> Result<Look, IkError> {
    if pose.joints.len() != skeleton.len() {
        return Err(IkError::OtherSkeleton { found: pose.joints.len(), expected: skeleton.len() });
    }
    let aim = Aim { direction, at: *at, weight: 1.0 };
    if !aim.is_finite() {
        return Err(IkError::GoalNotFinite { effector: 0 });
    }
    for own in joints {
        let name = || skeleton.joint(own.joint).name.clone();
        if !skeleton.is_in_subtree(eye, own.joint) {
            return Err(IkError::NotAbove { joint: name(), below: skeleton.joint(eye).name.clone() });
        }
        if !(own.share > 0.0 && own.share.is_finite() && own.limit > 0.0) {
            return Err(IkError::Share { joint: name() });
        }
    }
    let sum: f64 = joints.iter().map(|own| own.share).sum();
    let mut own: Vec<LookJoint> = joints.to_vec();
    own.sort_by_key(|own| own.joint);
    let before: Vec<Quat> = own.iter().map(|own| pose.joints[own.joint.index()].rotation).collect();
    let constraints: Vec<Constraint> =
        own.iter().map(|own| Constraint::of(skeleton.joint(own.joint))).collect();
    let mut whole = Vec3::zeros();
    let mut best = (f64::INFINITY, before.clone());
    let mut idle = 0;
    for _ in 0..ROUNDS {
        let placed = object_place(skeleton, pose, eye);
        let Some((now, wanted, _)) = aim.directions(&placed.translation.vector, &placed.rotation) else {
            break;
        };
        let left = aim.angle(&placed.translation.vector, &placed.rotation);
        idle = if left < best.0 - MET { 0 } else { idle + 1 };
        if left < best.0 {
            best = (left, own.iter().map(|own| pose.joints[own.joint.index()].rotation).collect());
        }
        if left <= MET || idle > 8 {
            break;
        }
        whole += log(&rotation_between(&now, &wanted));
        for ((own, rotation), constraint) in own.iter().zip(&before).zip(&constraints) {
            pose.joints[own.joint.index()].rotation = *rotation;
            let parent = skeleton.joint(own.joint).parent;
            let parent = parent.map_or_else(Quat::identity, |id| object_place(skeleton, pose, id).rotation);
            let turn = whole * (own.share / sum);
            let turn = if turn.norm() > own.limit { turn * (own.limit / turn.norm()) } else { turn };
            let turned = exp(&(parent.inverse() * turn)) * rotation;
            pose.joints[own.joint.index()].rotation = constraint.project(&turned).0;
        }
    }
    for (own, rotation) in own.iter().zip(&best.1) {
        pose.joints[own.joint.index()].rotation = *rotation;
    }
    Ok(Look { left: if best.0.is_finite() { best.0 } else { 0.0 } })
}

fn object_place(skeleton: &Skeleton, pose: &Pose, joint: JointId) -> mocap_model::Isometry3<f64> {
    let above = std::iter::successors(skeleton.joint(joint).parent, |id| skeleton.joint(*id).parent);
    above.fold(pose.joints[joint.index()], |placed, id| pose.joints[id.index()] * placed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{Joint, Space};
    use std::f64::consts::PI;

    fn body() -> Skeleton {
        let joint = |name: &str, parent: Option<u32>, y: f64| {
            Joint::new(name, parent.map(JointId), Vec3::new(0.0, y, 0.0))
        };
        let joints = vec![
            joint("spine", None, 1.1),
            joint("neck", Some(0), 0.4),
            joint("head", Some(1), 0.1),
            joint("hand", Some(0), 0.2),
        ];
        Skeleton::new("", Space::default(), joints).unwrap()
    }

    fn look(at: Vec3, limits: [f64; 3]) -> (Look, [f64; 3], Pose) {
        let skeleton = body();
        let mut pose = Pose::rest(&skeleton);
        let joints: Vec<LookJoint> = [0.2, 0.3, 0.5]
            .into_iter()
            .zip(limits)
            .enumerate()
            .map(|(id, (share, limit))| LookJoint { joint: JointId(id as u32), share, limit })
            .collect();
        let look = look_at(&skeleton, &mut pose, &joints, (JointId(2), Vec3::z()), &at).unwrap();
        let angles = [0, 1, 2].map(|id| pose.joints[id].rotation.angle());
        (look, angles, pose)
    }

    #[test]
    fn joints_take_their_shares_and_limits_pass_the_rest_on() {
        let (free, angles, _) = look(Vec3::new(3.0, 1.6, 3.0), [PI; 3]);
        assert!(free.left < 1e-9);
        assert!((angles[0] / angles[2] - 0.4).abs() < 1e-9 && (angles[1] / angles[2] - 0.6).abs() < 1e-9);
        let (held, angles, _) = look(Vec3::new(3.0, 1.6, 3.0), [PI, PI, 0.2]);
        assert!(held.left < 1e-9 && (angles[2] - 0.2).abs() < 1e-9, "{held:?} {angles:?}");
        assert!((angles[0] / angles[1] - 2.0 / 3.0).abs() < 1e-9, "the others keep their proportion");
        let (short, angles, _) = look(Vec3::new(0.0, 1.6, -3.0), [0.1; 3]);
        assert!((short.left - (PI - 0.3)).abs() < 0.02, "{short:?}");
        assert!(angles.iter().all(|angle| (angle - 0.1).abs() < 1e-9), "{angles:?}");
    }

    /// Looks along a path of the target without jumps.
    #[test]
    fn a_look_follows_its_place_without_jumps() {
        let mut before: Option<Pose> = None;
        for step in 0..200 {
            let angle = f64::from(step) / 200.0 * 2.0 - 1.0;
            let at = Vec3::new(2.0 * angle.sin(), 1.2 + 0.5 * angle, 2.0 * angle.cos());
            let (_, _, pose) = look(at, [0.1, 0.4, 0.5]);
            if let Some(before) = &before {
                let jump = (0..3).map(|id| before.joints[id].rotation.angle_to(&pose.joints[id].rotation));
                assert!(jump.fold(0.0, f64::max) < 0.02, "{step}");
            }
            before = Some(pose);
        }
    }

    #[test]
    fn what_cannot_look_is_refused() {
        let skeleton = body();
        let mut pose = Pose::rest(&skeleton);
        let mut refused = |joint: u32, share: f64, at: Vec3| {
            let joints = [LookJoint { joint: JointId(joint), share, limit: 1.0 }];
            look_at(&skeleton, &mut pose, &joints, (JointId(2), Vec3::z()), &at).unwrap_err()
        };
        assert!(matches!(refused(3, 1.0, Vec3::z()), IkError::NotAbove { .. }));
        assert!(matches!(refused(2, 0.0, Vec3::z()), IkError::Share { .. }));
        assert!(matches!(refused(2, 1.0, Vec3::repeat(f64::NAN)), IkError::GoalNotFinite { .. }));
    }
}
