//! One frame of a skeleton, in local or object space.

use crate::Skeleton;
use nalgebra::{Isometry3, Translation3};

/// One transform a joint: in the parent's frame (local) or in the frame of the clip (object space).
///
/// A buffer to be reused from frame to frame: no function here allocates once it has the skeleton's length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// By joint, in the order of the skeleton.
    pub joints: Vec<Isometry3<f64>>,
}

impl Pose {
    /// The rest pose of a skeleton, in local space.
    pub fn rest(skeleton: &Skeleton) -> Pose {
        let local = |joint: &crate::Joint| {
            Isometry3::from_parts(Translation3::from(joint.offset), joint.rest_rotation)
        };
        Pose { joints: skeleton.joints().iter().map(local).collect() }
    }

    /// Forward kinematics: from local space to object space.
    ///
    /// # Panics
    /// Where the pose is not one of `skeleton`: their lengths differ.
    pub fn to_object(&self, skeleton: &Skeleton, object: &mut Pose) {
        assert_eq!(self.joints.len(), skeleton.len(), "the pose is of another skeleton");
        object.joints.clear();
        for (joint, local) in skeleton.joints().iter().zip(&self.joints) {
            let placed = match joint.parent {
                Some(parent) => object.joints[parent.index()] * local,
                None => *local,
            };
            object.joints.push(placed);
        }
    }

    /// The inverse of [`Pose::to_object`]: from object space to local space.
    ///
    /// # Panics
    /// Where the pose is not one of `skeleton`: their lengths differ.
    pub fn to_local(&self, skeleton: &Skeleton, local: &mut Pose) {
        assert_eq!(self.joints.len(), skeleton.len(), "the pose is of another skeleton");
        local.joints.clear();
        for (joint, placed) in skeleton.joints().iter().zip(&self.joints) {
            local.joints.push(match joint.parent {
                Some(parent) => self.joints[parent.index()].inv_mul(placed),
                None => *placed,
            });
        }
    }
}
