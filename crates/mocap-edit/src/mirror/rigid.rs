//! Joints without a role that never move against their parent, such as those of a face that nobody animated: they stay as
//! they are in its frame, whatever the rest pose says.

use mocap_model::{Clip, JointId, UnitQuaternion};

use super::Mirror;
use crate::body::Body;

/// Smaller rotations are rounding \[rad\].
const ROUNDING: f64 = 1e-4;

impl Mirror {
    /// Gives rigid joints the corrections that leave their local rotations as they are.
    pub(super) fn keep_rigid(&mut self, clip: &Clip, body: &Body) {
        for (id, joint) in body.skeleton.iter().filter(|(_, joint)| joint.role.is_none()) {
            let (Some(parent), Some(other)) = (joint.parent, self.partners[id.index()]) else { continue };
            if let (Some(own), Some(theirs)) = (constant_rotation(clip, id), constant_rotation(clip, other)) {
                let correction =
                    self.reflect_rotation(&theirs).inverse() * self.corrections[parent.index()] * own;
                self.corrections[id.index()] = correction;
            }
        }
    }
}

/// The local rotation of a joint that has one in all frames.
fn constant_rotation(clip: &Clip, id: JointId) -> Option<UnitQuaternion<f64>> {
    let rotation = &clip.track(id).rotation;
    let first = (clip.frames() > 0).then(|| rotation.at(0))?;
    (1..clip.frames()).all(|frame| rotation.at(frame).angle_to(&first) < ROUNDING).then_some(first)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mocap_model::{Joint, JointTracks, Role, Skeleton, Track, Vector3, exp};

    use super::*;
    use crate::fixtures::clip;
    use crate::mirror::mirror;

    #[test]
    fn a_face_that_never_moves_stays_as_it_is() {
        let walk = clip("alex_walk.bvh");
        let head = Body::of(&walk).skeleton.with_role(Role::Head).unwrap();
        let mut joints = walk.skeleton().joints().to_vec();
        joints.push(Joint::new("Face", Some(head), Vector3::new(0.0, 0.05, 0.1)));
        joints.push(Joint::new("Jaw", Some(JointId::from(joints.len() - 1)), Vector3::new(0.0, -0.05, 0.05)));
        let mut tracks = walk.tracks().to_vec();
        let turns = [Vector3::new(1.8, 0.0, 0.1), Vector3::new(0.0, 0.3, 2.0)].map(|turn| exp(&turn));
        tracks.extend(turns.map(|turn| JointTracks::new(Track::Constant(turn), None)));
        let skeleton = Skeleton::new("", *walk.skeleton().space(), joints).unwrap();
        let with_face = Clip::new(Arc::new(skeleton), walk.rate(), walk.frames(), tracks).unwrap();
        let mirrored = mirror(&with_face).unwrap().0;
        let face = walk.skeleton().len();
        for (joint, turn) in [face, face + 1].into_iter().zip(turns) {
            let off = constant_rotation(&mirrored, JointId::from(joint)).unwrap().angle_to(&turn);
            assert!(off < 1e-9, "joint {joint}: {off}");
        }
    }
}
