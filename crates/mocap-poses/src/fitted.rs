//! What is known of joints, and the regressions that are fitted for it, as they are stored with the examples.

use crate::goals::Goal;
use crate::regression::Weights;
use mocap_model::JointId;

/// What is known of a joint.
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
    /// Of the trunk, then of each limb and of its middle joint seen from its end; empty where there is none.
    pub(crate) stages: Vec<Weights>,
}
