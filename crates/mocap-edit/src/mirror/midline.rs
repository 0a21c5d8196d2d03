//! Joints on the middle line whose frames the neutral pose does not show.
//!
//! The correction of a joint with several bones follows from them. That of a joint with one bone or none, such as a head,
//! follows from the neutral pose, and is wrong where the frame of the joint is turned from it by 90° in every frame. There,
//! the motion shows which axis of the joint is lateral.

use mocap_model::{Clip, ForwardKinematics, JointId, UnitQuaternion, Vector3};
use nalgebra::Quaternion;

use super::Mirror;
use crate::body::Body;

/// Frames that are looked at, evenly spaced.
const FRAMES: usize = 256;
/// An axis of a joint is lateral if its mean component along the lateral direction of the body is at least this: a trunk
/// that is twisted by 60° is not built so.
const CLEAR: f64 = 0.9;

impl Mirror {
    /// Corrects the joints whose lateral axis in motion is another one than in the neutral pose.
    pub(super) fn follow_motion(&mut self, clip: &Clip, body: &Body) {
        let skeleton = &body.skeleton;
        let joints: Vec<JointId> = skeleton
            .iter()
            .map(|(id, _)| id)
            .filter(|id| self.partners[id.index()] == Some(*id) && self.bones(skeleton, *id).len() < 2)
            .collect();
        let Some(laterals) = laterals_in_motion(clip, body, &joints) else { return };
        let lateral = self.neutral.lateral;
        let axes = [lateral, body.up, lateral.cross(&body.up)];
        for (id, mean) in joints.into_iter().zip(laterals) {
            let to_joint = self.neutral.object.joints[id.index()].rotation.inverse();
            let own = axes.map(|axis| to_joint * axis);
            let along = own.map(|axis| mean.dot(&axis));
            let best = (0..3).max_by(|a, b| along[*a].abs().total_cmp(&along[*b].abs())).unwrap_or(0);
            if best == 0 || along[best].abs() < CLEAR {
                continue;
            }
            let bone = self.bones(skeleton, id).first().and_then(|(ours, _)| ours.try_normalize(0.0));
            let across = bone.map_or(own[best], |bone| own[best] - bone * bone.dot(&own[best]));
            if let Some(axis) = across.try_normalize(0.5) {
                // Two reflections, along the axis and then along the normal of the mirror, are this rotation.
                let both = Quaternion::from_parts(-self.lateral.dot(&axis), self.lateral.cross(&axis));
                self.corrections[id.index()] = UnitQuaternion::new_normalize(both);
            }
        }
    }
}

/// By joint, the mean over the motion of the lateral direction of the body, in the frame of the joint; `None` without
/// frames, or without both arms or both legs.
fn laterals_in_motion(clip: &Clip, body: &Body, joints: &[JointId]) -> Option<Vec<Vector3<f64>>> {
    let pairs = body.skeleton.lateral_pairs();
    let count = clip.frames().min(FRAMES);
    if pairs.is_empty() || count == 0 {
        return None;
    }
    let mut kinematics = ForwardKinematics::new(clip);
    let mut sums = vec![Vector3::zeros(); joints.len()];
    for i in 0..count {
        kinematics.place(i * clip.frames() / count);
        let across = pairs.iter().filter_map(|[left, right]| {
            (kinematics.position(*left) - kinematics.position(*right)).try_normalize(0.0)
        });
        let Some(lateral) = across.sum::<Vector3<f64>>().try_normalize(1e-9) else { continue };
        for (sum, joint) in sums.iter_mut().zip(joints) {
            *sum += kinematics.at(*joint).rotation.inverse() * lateral;
        }
    }
    Some(sums.into_iter().map(|sum| sum / count as f64).collect())
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;
    use std::sync::Arc;

    use mocap_model::Role;

    use super::*;
    use crate::fixtures::clip;
    use crate::mirror::mirror;

    /// The clip with the frame of its head turned about an axis: the same motion of everything else.
    fn with_turned_head(clip: &Clip, turn: &UnitQuaternion<f64>) -> Clip {
        let head = Body::of(clip).skeleton.with_role(Role::Head).unwrap();
        let mut joints = clip.skeleton().joints().to_vec();
        let mut tracks = clip.tracks().to_vec();
        let own = &mut tracks[head.index()].rotation;
        *own = own.map(|rotation| rotation * turn);
        for (id, joint) in clip.skeleton().iter().filter(|(_, joint)| joint.parent == Some(head)) {
            joints[id.index()].offset = turn.inverse() * joint.offset;
        }
        let skeleton = mocap_model::Skeleton::new("", *clip.skeleton().space(), joints).unwrap();
        Clip::new(Arc::new(skeleton), clip.rate(), clip.frames(), tracks).unwrap()
    }

    #[test]
    fn a_head_whose_frame_is_turned_from_its_rest_is_mirrored_alike() {
        let walk = clip("alex_walk.bvh");
        let head = Body::of(&walk).skeleton.with_role(Role::Head).unwrap();
        let place = |clip: &Clip, frame: usize| {
            let mut kinematics = ForwardKinematics::new(clip);
            kinematics.place(frame);
            kinematics.at(head).rotation
        };
        let wanted = mirror(&walk).unwrap().0;
        for axis in [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()] {
            let turn = UnitQuaternion::from_axis_angle(&axis, FRAC_PI_2);
            let mirrored = mirror(&with_turned_head(&walk, &turn)).unwrap().0;
            for frame in [0, 100, 300] {
                let off = (place(&mirrored, frame) * turn.inverse()).angle_to(&place(&wanted, frame));
                assert!(off < 1e-6, "{axis:?}: {off}");
            }
            let (again, _) = mirror(&mirrored).unwrap();
            let off = place(&again, 100).angle_to(&(place(&walk, 100) * turn));
            assert!(off < 1e-6, "{axis:?}: twice is {off} off");
        }
    }
}
