//! Where an effector is to be.

use crate::{Quat, Vec3};

/// Where one effector is to be, in object space. A part with the weight 0 is no goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The position wished for [units of the skeleton].
    pub position: Vec3,
    /// How much the position counts, from 0; default 1.
    pub position_weight: f64,
    /// The orientation wished for.
    pub orientation: Quat,
    /// How much the orientation counts beside the position, from 0; default 0. At equal weights a radian
    /// counts as much as the length of the chain.
    pub orientation_weight: f64,
    /// A point towards which the bend of the chain shows: in front of a knee, behind an elbow.
    /// `None`: the plane of the current pose is kept.
    pub pole: Option<Vec3>,
    /// Where effectors compete those of the lower number come first; default 0 for all, which shares by weight.
    pub priority: u8,
}

impl Goal {
    /// A goal for the position alone.
    pub fn at(position: Vec3) -> Goal {
        Goal {
            position,
            position_weight: 1.0,
            orientation: Quat::identity(),
            orientation_weight: 0.0,
            pole: None,
            priority: 0,
        }
    }

    /// The same goal with an orientation that counts as much as the position.
    pub fn with_orientation(self, orientation: Quat) -> Goal {
        Goal { orientation, orientation_weight: 1.0, ..self }
    }

    /// The same goal with a point that the chain bends towards.
    pub fn with_pole(self, pole: Vec3) -> Goal {
        Goal { pole: Some(pole), ..self }
    }

    /// The same goal with these weights of position and orientation.
    pub fn with_weights(self, position_weight: f64, orientation_weight: f64) -> Goal {
        Goal { position_weight, orientation_weight, ..self }
    }

    pub(crate) fn is_finite(&self) -> bool {
        let weights = self.position_weight + self.orientation_weight;
        let pole = self.pole.map_or(0.0, |pole| pole.sum());
        let sum = self.position.sum() + self.orientation.coords.sum() + weights + pole;
        sum.is_finite() && self.position_weight >= 0.0 && self.orientation_weight >= 0.0
    }

    /// Where priorities cannot be strict, one counts a thousandth of the one before it.
    pub(crate) fn share(&self) -> f64 {
        1e-3f64.powi(i32::from(self.priority.min(20)))
    }

    pub(crate) fn wants_position(&self) -> bool {
        self.position_weight > 0.0
    }

    pub(crate) fn wants_orientation(&self) -> bool {
        self.orientation_weight > 0.0
    }
}
