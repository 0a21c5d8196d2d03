//! Rigid bodies of the encoder: groups of joints that never move relative to each other, and the points on them
//! at which the error is measured.

use mocap_model::{UnitQuaternion, Vector3};

/// A rigid transform.
#[derive(Clone, Debug)]
pub(crate) struct Mount {
    pub(crate) rotation: UnitQuaternion<f64>,
    pub(crate) position: Vector3<f64>,
}

impl Mount {
    pub(crate) fn identity() -> Mount {
        Mount { rotation: UnitQuaternion::identity(), position: Vector3::zeros() }
    }

    pub(crate) fn then(&self, local: &Mount) -> Mount {
        Mount {
            rotation: self.rotation * local.rotation,
            position: self.position + self.rotation * local.position,
        }
    }
}

/// A transform in the original, and its decoded counterpart.
#[derive(Clone, Debug)]
pub(crate) struct Twin {
    pub(crate) original: Mount,
    pub(crate) decoded: Mount,
}

impl Twin {
    pub(crate) fn identity() -> Twin {
        Twin { original: Mount::identity(), decoded: Mount::identity() }
    }

    pub(crate) fn then(&self, local: &Twin) -> Twin {
        Twin { original: self.original.then(&local.original), decoded: self.decoded.then(&local.decoded) }
    }
}

/// A place on a body where the error is measured.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) original: Vector3<f64>,
    /// Its decoded counterpart: equal up to rounding.
    pub(crate) decoded: Vector3<f64>,
    /// Its greatest allowed error.
    pub(crate) tolerance: f64,
    /// Guide for the steps: the error of this point that the body's own rotation may cause.
    pub(crate) allowance: f64,
    /// Whether it moves with the origin of the body. Other points belong to child bodies that translate by
    /// themselves but are rotated by this one.
    pub(crate) follows: bool,
}

impl Point {
    /// The tolerance, less the rounding error of the body.
    pub(crate) fn room(&self) -> f64 {
        let rounding = (self.original - self.decoded).norm();
        (self.tolerance - rounding).max(0.5 * self.tolerance)
    }
}

/// Joints that never move against each other.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// The joint whose frame is the body's.
    pub(crate) joint: usize,
    /// The parent body.
    pub(crate) parent: Option<usize>,
    /// The place of the parent joint in that body.
    pub(crate) mount: Twin,
    /// The local transform, as far as it is constant.
    pub(crate) local: Twin,
    pub(crate) rotates: bool,
    pub(crate) translates: bool,
    /// The indices of this body's rotation track and translation track.
    ///
    /// A body without that track has the index of the next one.
    pub(crate) tracks: [usize; 2],
    /// The shell points of the joints of the body, and the origins of its child bodies.
    pub(crate) points: Vec<Point>,
    /// The largest error of the body's origin.
    pub(crate) origin_tolerance: f64,
}
