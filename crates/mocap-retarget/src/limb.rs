//! A limb of the target and the limb of the source that leads it.

use crate::body::Limb;
use crate::error::RetargetError;
use crate::options::LimbSolver;
use crate::stance::{Directions, Stance};
use mocap_ik::{Ccd, Goal, Options, Outcome, PosedChain, Solver, Status, TwoBone};
use mocap_model::{Skeleton, Vector3};
use nalgebra::Unit;

/// Both limbs and the chain that is solved, in the pose of the skeleton's rest.
#[derive(Clone, Debug)]
pub(crate) struct LimbMap {
    pub source: Limb,
    pub target: Limb,
    pub chain: PosedChain,
    /// Place in the chain of the knee or elbow.
    middle: usize,
    /// The axis about which it bends the usual way, in the frame of the joint before it.
    hinge: Vector3<f64>,
}

/// How much the usual axis counts beside the axis of the pose, which vanishes with the sine of the bend: at
/// three degrees both count the same, and a straight limb has only the usual one.
const USUAL: f64 = 0.05;

impl LimbMap {
    pub(crate) fn new(
        source: &Limb,
        skeleton: &Skeleton,
        target: &Limb,
        stance: &Stance,
        directions: &Directions,
    ) -> Result<LimbMap, RetargetError> {
        let chain = PosedChain::limb(skeleton, target.base, target.tip)?;
        let middle = chain.place(target.middle).expect("the middle of a limb is on its path");
        let before = chain.joints()[middle - 1];
        let hinge = stance.rotation[before.index()].inverse() * directions.bend(target);
        Ok(LimbMap { source: source.clone(), target: target.clone(), chain, middle, hinge })
    }

    /// Solves the chain, which holds the pose to start from, for a place of its tip.
    pub(crate) fn solve(
        &self,
        chain: &mut PosedChain,
        goal: Vector3<f64>,
        solver: LimbSolver,
        options: &Options,
    ) -> Result<Outcome, RetargetError> {
        let chain = &mut chain.chain;
        let (base, middle) = (chain.positions()[0], chain.positions()[self.middle]);
        let (tip, _) = chain.tip(0);
        let before = chain.frames()[self.middle - 1];
        let (above, below) = (base - middle, tip - middle);
        let lengths = above.norm() * below.norm();
        let posed = before.inverse() * (below.cross(&above) / lengths.max(f64::MIN_POSITIVE));
        // A limb bent the wrong way (a knee a little overstretched) counts as straight.
        let along = self.hinge * posed.dot(&self.hinge);
        let posed = if posed.dot(&self.hinge) < 0.0 { posed - along } else { posed };
        chain.set_bend(self.middle, Unit::try_new(posed + self.hinge * USUAL, 0.0));
        let goals = [Goal::at(goal)];
        let [first, second]: [&dyn Solver; 2] = match solver {
            LimbSolver::TwoBone => return Ok(TwoBone.solve(chain, &goals, options)?),
            LimbSolver::Auto => [&TwoBone, &Ccd],
            LimbSolver::Ccd => [&Ccd, &TwoBone],
        };
        let outcome = first.solve(chain, &goals, options)?;
        if outcome.status != Status::Capped {
            return Ok(outcome);
        }
        let kept = chain.rotations().to_vec();
        let other = second.solve(chain, &goals, options)?;
        if other.position < outcome.position {
            return Ok(other);
        }
        chain.set_rotations(&kept);
        Ok(outcome)
    }
}
