//! Forward kinematics: where the joints of a clip are in object space.

use crate::stretch::stretch;
use crate::{Clip, JointId, Pose};
use nalgebra::{Isometry3, Matrix3, Matrix4, Vector3};

/// Forward kinematics of a clip, frame by frame: of all its joints, or only of those that a caller needs.
///
/// Scale tracks stretch the places of the joints below; rotations are those without scales.
/// Allocates once; [`ForwardKinematics::place`] does not allocate. For a pose that is not a frame
/// of a clip see [`Pose::to_object`].
///
/// ```
/// use mocap_model::*;
/// use std::sync::Arc;
///
/// let joints = vec![
///     Joint::new("hips", None, Vector3::new(0.0, 0.9, 0.0)),
///     Joint::new("head", Some(JointId(0)), Vector3::new(0.0, 0.7, 0.0)),
/// ];
/// let skeleton = Arc::new(Skeleton::new("stick", Space::default(), joints)?);
/// let tracks = skeleton.joints().iter().map(JointTracks::at_rest).collect();
/// let clip = Clip::new(skeleton, FrameRate::new(30.0).unwrap(), 10, tracks)?;
///
/// let mut kinematics = ForwardKinematics::new(&clip);
/// for frame in 0..clip.frames() {
///     kinematics.place(frame);
///     assert_eq!(kinematics.position(JointId(1)).y, 0.9 + 0.7);
/// }
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ForwardKinematics<'a> {
    clip: &'a Clip,
    /// The joints to place, parents first.
    joints: Vec<JointId>,
    object: Pose,
    /// By joint; empty of a clip without scale tracks.
    stretches: Vec<Matrix3<f64>>,
}

impl<'a> ForwardKinematics<'a> {
    /// Of all joints.
    pub fn new(clip: &'a Clip) -> ForwardKinematics<'a> {
        ForwardKinematics::select(clip, vec![true; clip.skeleton().len()])
    }

    /// Of these joints and of those above them. The others stay at the identity.
    ///
    /// # Panics
    /// If the joint does not exist.
    pub fn of_joints(clip: &'a Clip, joints: &[JointId]) -> ForwardKinematics<'a> {
        let mut needed = vec![false; clip.skeleton().len()];
        joints.iter().for_each(|joint| needed[joint.index()] = true);
        for (id, joint) in clip.skeleton().iter().rev() {
            if let (true, Some(parent)) = (needed[id.index()], joint.parent) {
                needed[parent.index()] = true;
            }
        }
        ForwardKinematics::select(clip, needed)
    }

    fn select(clip: &'a Clip, needed: Vec<bool>) -> ForwardKinematics<'a> {
        ForwardKinematics {
            clip,
            joints: clip.skeleton().iter().map(|(id, _)| id).filter(|id| needed[id.index()]).collect(),
            object: Pose { joints: vec![Isometry3::identity(); needed.len()] },
            stretches: vec![Matrix3::identity(); if clip.has_scale() { needed.len() } else { 0 }],
        }
    }

    /// Places the joints as they are in a frame.
    ///
    /// # Panics
    /// If the frame does not exist.
    pub fn place(&mut self, frame: usize) {
        assert!(frame < self.clip.frames(), "frame {frame} of {}", self.clip.frames());
        let object = &mut self.object.joints;
        for id in &self.joints {
            let mut local = self.clip.local(*id, frame);
            if !self.stretches.is_empty() {
                let above = match self.clip.skeleton().joint(*id).parent {
                    Some(parent) => self.stretches[parent.index()],
                    None => Matrix3::identity(),
                };
                local.translation.vector = above * local.translation.vector;
                let scale = Some(self.clip.scale(*id, frame));
                self.stretches[id.index()] = stretch(&above, &local.rotation, scale);
            }
            object[id.index()] = match self.clip.skeleton().joint(*id).parent {
                Some(parent) => object[parent.index()] * local,
                None => local,
            };
        }
    }

    /// The transform of a joint in object space, in the frame last placed.
    ///
    /// # Panics
    /// If the joint does not exist.
    pub fn at(&self, joint: JointId) -> &Isometry3<f64> {
        &self.object.joints[joint.index()]
    }

    /// The position of a joint in object space [units of the clip], in the frame last placed.
    ///
    /// # Panics
    /// If the joint does not exist.
    pub fn position(&self, joint: JointId) -> Vector3<f64> {
        self.at(joint).translation.vector
    }

    /// The matrix of a joint in object space, in the frame last placed: with what scale tracks do to it, unlike
    /// [`ForwardKinematics::at`].
    ///
    /// # Panics
    /// If the joint does not exist.
    pub fn matrix(&self, joint: JointId) -> Matrix4<f64> {
        let placed = self.at(joint).to_homogeneous();
        match self.stretches.get(joint.index()) {
            Some(stretch) => placed * stretch.to_homogeneous(),
            None => placed,
        }
    }

    /// The pose in object space, in the frame last placed.
    pub fn pose(&self) -> &Pose {
        &self.object
    }
}
