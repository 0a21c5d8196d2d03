//! A limb of a robot, and points on its bodies.

use mocap_model::Isometry3;
use nalgebra::Point3;

/// A point fixed to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPoint {
    /// The body, by index.
    pub body: usize,
    /// In the frame of the body \[m\].
    pub local: Point3<f64>,
}

impl BodyPoint {
    /// Where it is in the world.
    pub fn at(&self, placed: &[Isometry3<f64>]) -> Point3<f64> {
        placed[self.body] * self.local
    }
}

/// A leg or an arm: two segments between three points.
#[derive(Clone, Debug, PartialEq)]
pub struct Limb {
    /// Hip or shoulder.
    pub base: BodyPoint,
    /// Knee or elbow.
    pub middle: BodyPoint,
    /// Ankle or wrist.
    pub end: BodyPoint,
    /// Lengths of both segments \[m\].
    pub lengths: [f64; 2],
    /// Joints of this limb only, from its base to its end.
    pub joints: Vec<usize>,
    /// The last body of the limb: foot or hand.
    pub tip: usize,
}

impl Limb {
    /// Whether both segments are long enough to have a direction.
    pub(crate) fn has_segments(&self) -> bool {
        /// Least length of a segment, as a share of the limb.
        const LEAST: f64 = 0.05;
        let whole: f64 = self.lengths.iter().sum();
        whole > 1e-6 && self.lengths.iter().all(|length| *length > LEAST * whole)
    }
}

/// The joints that bend the limbs, by index, if the user states them. In pairs, the left comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bends {
    /// Knees.
    pub knees: Option<[usize; 2]>,
    /// Elbows.
    pub elbows: Option<[usize; 2]>,
}
