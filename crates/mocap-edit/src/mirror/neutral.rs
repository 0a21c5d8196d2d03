//! The pose in which a body is its own mirror image: its rest pose, which may face another way than the space says.
//!
//! Some exporters write rest poses that no body can take, such as all bones along one axis. Then the motion shows a neutral
//! pose: a T-pose of joints with roles; others are as they are on average, at right angles to
//! their rest where that is near.

use mocap_model::{Clip, Pose, UnitQuaternion, Vector3, mean_rotation, nearest_quarter_turn};
use mocap_retarget::estimate_rest_pose_with_source;

use crate::body::Body;

/// Frames of which the mean is taken, evenly spaced.
const FRAMES: usize = 256;
/// Frames of an estimated pose that differ from right angles by less than this are built at right angles \[rad\].
const RIGHT_ANGLE: f64 = std::f64::consts::PI / 9.0;

/// A joint without a role that is on average this near to right angles to its rest is built so \[rad\].
const POSED: f64 = 35.0 * std::f64::consts::PI / 180.0;

pub(super) struct NeutralPose {
    pub(super) object: Pose,
    /// The normal of its middle plane.
    pub(super) lateral: Vector3<f64>,
    is_estimated: bool,
}

impl NeutralPose {
    pub(super) fn of(clip: &Clip, body: &Body) -> NeutralPose {
        let skeleton = &body.skeleton;
        let mut object = Pose::default();
        if let Ok((mut local, false)) = estimate_rest_pose_with_source(clip) {
            for (id, joint) in
                skeleton.iter().filter(|(_, joint)| joint.role.is_none() && joint.parent.is_some())
            {
                let count = clip.frames().min(FRAMES);
                let rotations = (0..count).map(|i| clip.local(id, i * clip.frames() / count).rotation);
                let mean = mean_rotation(rotations).unwrap_or(joint.rest_rotation);
                let quarter =
                    joint.rest_rotation * nearest_quarter_turn(&(joint.rest_rotation.inverse() * mean));
                // Smaller turns belong to the motion.
                local.joints[id.index()].rotation =
                    if mean.angle_to(&quarter) < POSED { quarter } else { mean };
            }
            local.to_object(skeleton, &mut object);
            return NeutralPose { object, lateral: body.lateral, is_estimated: true };
        }
        Pose::rest(skeleton).to_object(skeleton, &mut object);
        NeutralPose { object, lateral: body.up.cross(&skeleton.rest_facing()), is_estimated: false }
    }

    /// The rotation between the frames of two counterparts: rigs are built at right angles, which an estimated pose shows
    /// only roughly.
    pub(super) fn as_built(&self, rotation: UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        let quarter = nearest_quarter_turn(&rotation);
        if self.is_estimated && rotation.angle_to(&quarter) < RIGHT_ANGLE { quarter } else { rotation }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mocap_model::{ForwardKinematics, JointId, JointTracks, rotation_between};

    use super::*;
    use crate::fixtures::clip;
    use crate::mirror::mirror;

    /// The frame of a limb's joint whose bone lies along X, or against it on the right side, as some exporters write them.
    fn frame(clip: &Clip, id: JointId) -> UnitQuaternion<f64> {
        let name = &clip.skeleton().joint(id).name;
        let Some(next) = clip.skeleton().children(id).first() else { return UnitQuaternion::identity() };
        let along = if name.starts_with("Right") { -Vector3::x() } else { Vector3::x() };
        match name.starts_with("Right") || name.starts_with("Left") {
            true => rotation_between(&along, &clip.skeleton().joint(*next).offset),
            false => UnitQuaternion::identity(),
        }
    }

    /// The same motion with such frames.
    fn lying(clip: &Clip) -> Clip {
        let above = |id: Option<JointId>| id.map_or(UnitQuaternion::identity(), |id| frame(clip, id));
        let turned =
            clip.skeleton().with_joints(|joint| joint.offset = above(joint.parent).inverse() * joint.offset);
        let tracks = clip.skeleton().iter().zip(clip.tracks()).map(|((id, joint), tracks)| JointTracks {
            rotation: tracks.rotation.map(|turn| above(joint.parent).inverse() * turn * frame(clip, id)),
            ..tracks.clone()
        });
        let tracks = tracks.collect();
        Clip::new(Arc::new(turned.unwrap()), clip.rate(), clip.frames(), tracks).unwrap()
    }

    #[test]
    fn a_rest_pose_that_is_no_pose_is_mirrored_alike() {
        let walk = clip("alex_walk.bvh");
        let flat = lying(&walk);
        let (wanted, found) = (mirror(&walk).unwrap().0, mirror(&flat).unwrap().0);
        let (mut a, mut b) = (ForwardKinematics::new(&wanted), ForwardKinematics::new(&found));
        for at in [0, 100, 300] {
            a.place(at);
            b.place(at);
            for (id, joint) in walk.skeleton().iter().filter(|(_, joint)| !joint.end_site) {
                let off = (a.at(id).rotation * frame(&walk, id)).angle_to(&b.at(id).rotation);
                assert!(off < 1e-6, "{}: {off} in frame {at}", joint.name);
            }
        }
    }
}
