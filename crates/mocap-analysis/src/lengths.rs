//! The unit of a motion's figures: metres if its unit is known, else leg lengths.

use crate::{guess_unit, tree_diameter};
use mocap_model::{JointId, Role, Skeleton};

/// The leg length for which thresholds in metres hold \[m\]: of an adult, from hip joint to ankle.
pub(crate) const LEG: f64 = 0.85;
/// The length of the legs over the longest path through a body. Based on: R. Drillis, R. Contini, "Body Segment
/// Parameters", 1966.
const LEG_OVER_DIAMETER: f64 = 0.39;

/// The unit of the lengths of a measured motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthUnit {
    /// Metres: the skeleton states its unit, or its size suggests one.
    Metres,
    /// Leg lengths, from hip joint to ankle: the unit is unknown.
    Legs,
    /// Units of the clip: its unit is unknown, and it has no legs.
    Units,
}

impl LengthUnit {
    /// The name in reports: `m`, `legs` or `units`.
    pub const fn name(self) -> &'static str {
        match self {
            LengthUnit::Metres => "m",
            LengthUnit::Legs => "legs",
            LengthUnit::Units => "units",
        }
    }
}

/// How lengths of a clip are converted and judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lengths {
    /// The unit of the figures.
    pub unit: LengthUnit,
    /// Figures per unit of the clip: the factor from clip units.
    pub factor: f64,
    /// Leg length [units of the clip]; without roles, that of a body as large as the skeleton.
    pub leg: f64,
}

impl Lengths {
    /// The lengths of a skeleton.
    pub fn of(skeleton: &Skeleton) -> Lengths {
        let legs = leg_length(skeleton);
        let leg = legs.unwrap_or_else(|| LEG_OVER_DIAMETER * tree_diameter(skeleton));
        let (unit, factor) = match (skeleton.space().unit.or_else(|| guess_unit(skeleton)), legs) {
            (Some(unit), _) => (LengthUnit::Metres, unit.metres),
            (None, Some(leg)) => (LengthUnit::Legs, 1.0 / leg),
            (None, None) => (LengthUnit::Units, 1.0),
        };
        Lengths { unit, factor, leg: if leg > 0.0 { leg } else { 1.0 } }
    }

    /// Metres per unit of the clip for thresholds in metres; if the unit is unknown, the legs are taken as
    /// those of an adult.
    pub fn nominal_metres(&self) -> f64 {
        if self.unit == LengthUnit::Metres { self.factor } else { LEG / self.leg }
    }
}

/// The mean length of the legs from hip joint to ankle [units of the skeleton]; `None` without the roles of both.
fn leg_length(skeleton: &Skeleton) -> Option<f64> {
    let length = |top: Role, bottom: Role| {
        let path = skeleton.path(skeleton.with_role(top)?, skeleton.with_role(bottom)?)?;
        Some(path[1..].iter().map(|joint: &JointId| skeleton.joint(*joint).offset.norm()).sum::<f64>())
    };
    let left = length(Role::LeftUpperLeg, Role::LeftFoot)?;
    let right = length(Role::RightUpperLeg, Role::RightFoot)?;
    Some((left + right) / 2.0).filter(|leg| *leg > 0.0)
}
