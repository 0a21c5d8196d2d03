//! A limb of the target, the limb of the source that drives it, and how it is solved.

use crate::body::Limb;
use crate::error::RetargetError;
use crate::folding::Folding;
use crate::limb_bend::{OVERSTRETCHED, bend_axes, bends_back};
use crate::options::LimbSolver;
use mocap_ik::{
    Ccd, Goal, IkChain, IkMethod, PosedChain, SolveOptions, SolveOutcome, SolveStatus, Solver, TwoBone,
};
use mocap_model::{Skeleton, Vector3};
use nalgebra::{Unit, UnitQuaternion};

/// A limb of both skeletons, and the IK chain of the target's in its rest pose.
#[derive(Clone, Debug)]
pub(crate) struct LimbMap {
    /// Index in [`crate::body::LIMBS`].
    pub slot: usize,
    pub source: Limb,
    pub target: Limb,
    /// Length of the target's limb over the length of the source's.
    pub ratio: f64,
    pub chain: PosedChain,
    /// Index of knee or elbow in the chain.
    middle: usize,
}

/// The bend of a straight limb before an iterative solver starts \[rad\].
const FLEXION: f64 = 0.03;

impl LimbMap {
    pub(crate) fn new(
        slot: usize,
        source: &Limb,
        skeleton: &Skeleton,
        target: &Limb,
        ratio: f64,
    ) -> Result<LimbMap, RetargetError> {
        let chain = PosedChain::limb(skeleton, target.base, target.tip)?;
        let middle = chain.place(target.middle).expect("the middle of a limb is on its path");
        Ok(LimbMap { slot, source: source.clone(), target: target.clone(), ratio, chain, middle })
    }

    /// Solves the chain from its current pose for a position of its tip. `bend` is the axis about which the limb
    /// flexes, in object space.
    pub(crate) fn solve(
        &self,
        chain: &mut PosedChain,
        goal: Vector3<f64>,
        bend: Vector3<f64>,
        solver: LimbSolver,
        options: &SolveOptions,
    ) -> Result<SolveOutcome, RetargetError> {
        let chain = &mut chain.chain;
        let posed = self.set_bend(chain, bend);
        let goals = [Goal::at(goal)];
        match solver {
            LimbSolver::Auto => {}
            LimbSolver::Named(IkMethod::TwoBone) => return Ok(TwoBone.solve(chain, &goals, options)?),
            LimbSolver::Named(method) => {
                self.flex(chain, &posed, &bend);
                return Ok(method.solve(chain, &goals, options)?);
            }
        }
        let start = chain.rotations().to_vec();
        let outcome = TwoBone.solve(chain, &goals, options)?;
        if outcome.status != SolveStatus::NotConverged {
            return Ok(outcome);
        }
        // Both solvers start from the source's pose: neither can undo the twist that the other adds.
        let kept = chain.rotations().to_vec();
        chain.set_rotations(&start);
        let other = Ccd.solve(chain, &goals, options)?;
        if other.position < outcome.position {
            return Ok(other);
        }
        chain.set_rotations(&kept);
        Ok(outcome)
    }

    /// The goal, moved away from the base of the limb if it is so near that knee or elbow would fold flat. A limb may
    /// fold as far as it does in its current pose.
    pub(crate) fn unfolded_goal(&self, chain: &PosedChain, goal: Vector3<f64>) -> Vector3<f64> {
        let (base, middle) = (chain.chain.positions()[0], chain.chain.positions()[self.middle]);
        let tip = chain.chain.tip_position(0);
        let folding = Folding::new(self.target.kind, (middle - base).norm(), (tip - middle).norm());
        folding.softened(&(goal - base), &(tip - base)).map_or(goal, |softened| base + softened)
    }

    /// Sets the bend axis of the chain to the source's. Returns the axis across the bend, with the sine of the
    /// bend as its length.
    fn set_bend(&self, chain: &mut IkChain, bend: Vector3<f64>) -> Vector3<f64> {
        let (base, middle) = (chain.positions()[0], chain.positions()[self.middle]);
        let tip = chain.tip_position(0);
        let before = chain.frames()[self.middle - 1];
        let (above, below) = (base - middle, tip - middle);
        let [posed, axis] = bend_axes(&above, &below, above.norm() * below.norm(), &bend);
        let axis = before.inverse() * axis;
        chain.set_bend(self.middle, Unit::try_new(axis, 0.0));
        posed
    }

    /// Poses the chain as the two-bone solution at a swivel angle \[rad\] from its current pose. Returns the resulting
    /// bend axis.
    pub(crate) fn pose_swivelled(
        &self,
        chain: &mut PosedChain,
        goal: Vector3<f64>,
        bend: Vector3<f64>,
        options: &SolveOptions,
        swivel: f64,
    ) -> Result<Vector3<f64>, RetargetError> {
        let chain = &mut chain.chain;
        self.set_bend(chain, bend);
        let before = chain.frames()[self.middle - 1];
        TwoBone.set_swivel(chain, &Goal::at(goal), options, swivel)?;
        Ok(chain.frames()[self.middle - 1] * (before.inverse() * bend))
    }

    /// By swivel angle: the distance from the goal that remains, as a share of the limb's length
    /// ([`TwoBone::swivel_distances`]).
    pub(crate) fn swivels(
        &self,
        chain: &mut PosedChain,
        goal: Vector3<f64>,
        bend: Vector3<f64>,
        options: &SolveOptions,
    ) -> Result<[f32; TwoBone::SWIVELS], RetargetError> {
        let chain = &mut chain.chain;
        self.set_bend(chain, bend);
        let length = chain.length(0).max(f64::MIN_POSITIVE);
        Ok(TwoBone
            .swivel_distances(chain, &Goal::at(goal), options)?
            .map(|distance| (distance / length) as f32))
    }

    /// The orientation of the bone above knee or elbow.
    pub(crate) fn upper_frame(&self, chain: &PosedChain) -> UnitQuaternion<f64> {
        chain.chain.frames()[self.middle - 1]
    }

    /// Whether the limb is flipped: bent against its bend axis by more than the given sine.
    pub(crate) fn bends_back(&self, chain: &PosedChain, bend: &Vector3<f64>, sine: f64) -> bool {
        let (positions, tip) = (chain.chain.positions(), chain.chain.tip_position(0));
        let (above, below) = (positions[0] - positions[self.middle], tip - positions[self.middle]);
        bends_back(&above, &below, above.norm_squared() * below.norm_squared(), bend, sine)
    }

    /// Flexes a nearly straight limb a little: from a straight limb, solvers without a bend axis may bend in any
    /// direction. `posed` is the axis across the bend, with the sine of the bend as its length.
    fn flex(&self, chain: &mut IkChain, posed: &Vector3<f64>, bend: &Vector3<f64>) {
        let sine = posed.dot(bend);
        if sine < -OVERSTRETCHED {
            return;
        }
        // A smooth maximum of the least flexion and the pose's own: no jump between them.
        let by = ((sine * sine + 4.0 * FLEXION * FLEXION).sqrt() - sine) / 2.0;
        let parent = chain.frames()[self.middle - 1];
        let axis = parent.inverse() * bend;
        let bent = UnitQuaternion::new(axis * by) * chain.rotations()[self.middle];
        chain.set_rotation(self.middle, bent);
    }
}
