//! The transform of the nodes above a joint.

use mocap_model::{UnitQuaternion, Vector3};

/// A transform of nodes above: a rotation, a uniform scale and a translation. A negative scale is a point reflection,
/// which commutes with rotations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) rotation: UnitQuaternion<f64>,
    pub(super) translation: Vector3<f64>,
    pub(super) scale: f64,
}

impl Frame {
    pub(super) const NONE: f64 = 1.0;

    pub(super) fn scaled(scale: f64) -> Frame {
        Frame { rotation: UnitQuaternion::identity(), translation: Vector3::zeros(), scale }
    }

    pub(super) fn place(&self, local: &Vector3<f64>) -> Vector3<f64> {
        self.translation + self.rotation * (local * self.scale)
    }

    /// The inverse of [`Frame::place`].
    pub(super) fn place_back(&self, place: &Vector3<f64>) -> Vector3<f64> {
        self.rotation.inverse() * (place - self.translation) / self.scale
    }
}
