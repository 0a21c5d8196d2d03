//! The target of an effector.

use crate::{Aim, Quat, Vec3};

/// The target of one effector in object space. A part with weight 0 is ignored.
///
/// ```
/// use mocap_ik::Goal;
/// use mocap_model::{UnitQuaternion, Vector3};
///
/// let foot = Goal::at(Vector3::new(0.1, 0.08, 0.3)).with_orientation(UnitQuaternion::identity());
/// assert_eq!((foot.position_weight, foot.orientation_weight), (1.0, 1.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Target position [units of the skeleton].
    pub position: Vec3,
    /// Weight of the position, from 0; default 1.
    pub position_weight: f64,
    /// Target orientation.
    pub orientation: Quat,
    /// Weight of the orientation, from 0; default 0. At equal weights a radian counts as much as the length
    /// of the chain.
    pub orientation_weight: f64,
    /// Pole: the point towards which the chain bends, such as one in front of a knee or behind an elbow
    /// [units of the skeleton]. `None` (default) keeps the plane of the current pose.
    pub pole: Option<Vec3>,
    /// What the effector points at; default nothing.
    pub aim: Option<Aim>,
    /// Effectors with a lower number come first; default 0. Equal priorities share by weight.
    pub priority: u8,
}

impl Goal {
    /// A position goal.
    pub fn at(position: Vec3) -> Goal {
        Goal {
            position,
            position_weight: 1.0,
            orientation: Quat::identity(),
            orientation_weight: 0.0,
            pole: None,
            aim: None,
            priority: 0,
        }
    }

    /// A goal that only aims: `direction`, in the frame of the effector, points at a place.
    pub fn looking(direction: Vec3, at: Vec3) -> Goal {
        let aim = Some(Aim { direction, at, weight: 1.0 });
        Goal { aim, ..Goal::at(Vec3::zeros()).with_weights(0.0, 0.0) }
    }

    /// The same goal with an orientation of weight 1.
    pub fn with_orientation(self, orientation: Quat) -> Goal {
        Goal { orientation, orientation_weight: 1.0, ..self }
    }

    /// The same goal with a pole.
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
        self.aim.is_none_or(|aim| aim.is_finite())
            && sum.is_finite()
            && self.position_weight >= 0.0
            && self.orientation_weight >= 0.0
    }

    /// Weight by priority for solvers without strict priorities: 1/1000 per level.
    pub(crate) fn priority_weight(&self) -> f64 {
        1e-3f64.powi(i32::from(self.priority.min(20)))
    }

    pub(crate) fn wants_position(&self) -> bool {
        self.position_weight > 0.0
    }

    pub(crate) fn wants_orientation(&self) -> bool {
        self.orientation_weight > 0.0
    }

    /// The aim, if it has a weight.
    pub(crate) fn wanted_aim(&self) -> Option<&Aim> {
        self.aim.as_ref().filter(|aim| aim.weight > 0.0)
    }
}
