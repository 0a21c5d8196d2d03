//! Sets of known joints, and their regressions as stored with the examples.

use crate::goals::Goal;
use crate::regression::Weights;
use mocap_model::JointId;

/// A known joint: whether its position and orientation are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Known {
    pub(crate) joint: JointId,
    pub(crate) position: bool,
    pub(crate) orientation: bool,
}

impl Known {
    pub(crate) fn of(goal: &Goal) -> Known {
        Known {
            joint: goal.joint,
            position: goal.position.is_some(),
            orientation: goal.orientation.is_some(),
        }
    }
}

/// The regressions of a predictor, as they are stored with the examples.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fitted {
    pub(crate) known: Vec<Known>,
    /// The weights for the trunk, then for each limb and for its middle joint relative to its end; empty where there is
    /// no such stage.
    pub(crate) stages: Vec<Weights>,
}
