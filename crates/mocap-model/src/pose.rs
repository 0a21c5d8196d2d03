//! One frame of a skeleton, in local or object space.

use crate::Skeleton;
use nalgebra::{Isometry3, Translation3};

/// One transform per joint: in the parent's frame (local space) or in the frame of the clip (object space).
///
/// A buffer to reuse from frame to frame: conversions do not allocate once it has the skeleton's
/// length.
///
/// ```
/// use mocap_model::{Joint, JointId, Pose, Skeleton, Space, Vector3, exp};
///
/// let joints = vec![
///     Joint::new("shoulder", None, Vector3::zeros()),
///     Joint::new("elbow", Some(JointId(0)), Vector3::new(0.3, 0.0, 0.0)),
/// ];
/// let skeleton = Skeleton::new("arm", Space::default(), joints)?;
/// let mut local = Pose::rest(&skeleton);
/// local.joints[0].rotation = exp(&Vector3::new(0.0, 0.0, 1.5));
/// let mut object = Pose::default();
/// local.to_object(&skeleton, &mut object);
/// assert!((object.joints[1].translation.vector.y - 0.3 * 1.5f64.sin()).abs() < 1e-12);
/// # Ok::<(), mocap_model::ModelError>(())
/// ```
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
    /// If the pose and `skeleton` differ in length.
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
    /// If the pose and `skeleton` differ in length.
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
