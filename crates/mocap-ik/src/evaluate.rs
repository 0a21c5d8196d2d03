//! Evaluates a chain against its goals; the start and the result of a solve.

use crate::chain::IkChain;
use crate::{Goal, IkError, SolveOptions, SolveOutcome, SolveStart, SolveStatus};
use mocap_model::angle_between;

/// The greatest errors over all effectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Residual {
    /// [units]
    pub(crate) position: f64,
    /// \[rad\]
    pub(crate) orientation: f64,
    /// Whether all are within the tolerances.
    pub(crate) reached: bool,
}

impl IkChain {
    /// Checks the input of a solve of a limb and poses the chain for the start.
    pub(crate) fn begin(&mut self, goals: &[Goal], options: &SolveOptions) -> Result<(), IkError> {
        let aims = goals.iter().any(|goal| goal.wanted_aim().is_some());
        if aims || self.travel > 0.0 || !self.couplings.is_empty() {
            return Err(IkError::NeedsBody);
        }
        self.begin_body(goals, options)
    }

    /// Checks the input of a solve of a whole body and poses the chain for the start.
    pub(crate) fn begin_body(&mut self, goals: &[Goal], options: &SolveOptions) -> Result<(), IkError> {
        if goals.len() != self.effectors.len() {
            return Err(IkError::GoalCount { found: goals.len(), expected: self.effectors.len() });
        }
        if let Some(effector) = goals.iter().position(|goal| !goal.is_finite()) {
            return Err(IkError::GoalNotFinite { effector });
        }
        if !self.finite {
            return Err(IkError::ChainNotFinite);
        }
        if options.start == SolveStart::Cold {
            self.local.copy_from_slice(&self.rest);
            self.pose_changed();
        }
        if options.limits && !self.allowed {
            for i in 0..self.len() {
                self.local[i] = self.constraint[i].project(&self.local[i]).0;
            }
            self.update();
        }
        self.allowed = options.limits;
        Ok(())
    }

    /// The errors of the effectors.
    pub(crate) fn residual(&self, goals: &[Goal], options: &SolveOptions) -> Residual {
        let (mut square, mut angle, mut reached) = (0.0f64, 0.0f64, true);
        for (e, goal) in goals.iter().enumerate() {
            if goal.wants_position() {
                let near = options.position_tolerance * self.length(e);
                let off = (goal.position - self.tips[e]).norm_squared();
                square = square.max(off);
                reached &= off <= near * near;
            }
            if let Some(aim) = goal.wanted_aim() {
                let (tip, orientation) = self.tip(e);
                let off = aim.angle(&tip, &orientation);
                angle = angle.max(off);
                reached &= off <= options.orientation_tolerance;
            }
            if goal.wants_orientation() {
                let off = angle_between(&self.tip(e).1, &goal.orientation);
                angle = angle.max(off);
                reached &= off <= options.orientation_tolerance;
            }
        }
        Residual { position: square.sqrt(), orientation: angle, reached }
    }

    /// Whether every effector is within the tolerances of its goal.
    pub(crate) fn reached(&self, goals: &[Goal], options: &SolveOptions) -> bool {
        self.residual(goals, options).reached
    }

    /// Whether the lengths of the bones put a goal out of reach.
    pub(crate) fn out_of_reach(&self, effector: usize, goal: &Goal, options: &SolveOptions) -> bool {
        if self.travel > 0.0 {
            return false;
        }
        let Some(first) = self.first_turning(effector) else { return true };
        let reach = self.reach(effector);
        let distance = (goal.position - self.position[first]).norm();
        let slack = options.position_tolerance * reach.max;
        goal.wants_position() && (distance > reach.max + slack || distance < reach.min - slack)
    }

    /// The result of a solve that ends with the present pose.
    pub(crate) fn outcome(&self, goals: &[Goal], options: &SolveOptions, iterations: u32) -> SolveOutcome {
        let Residual { position, orientation, reached } = self.residual(goals, options);
        let status = if reached {
            SolveStatus::Reached
        } else if goals.iter().enumerate().any(|(e, goal)| self.out_of_reach(e, goal, options)) {
            SolveStatus::Unreachable
        } else {
            SolveStatus::NotConverged
        };
        let contacts = match self.unconstrained {
            true => 0,
            false => (0..self.len()).filter(|&i| self.constraint[i].at_limit(&self.local[i])).count(),
        };
        SolveOutcome { status, iterations, position, orientation, limit_contacts: contacts as u32 }
    }
}
