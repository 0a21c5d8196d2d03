//! A limb of the target and the limb of the source that leads it.

use crate::body::Limb;
use crate::error::RetargetError;
use crate::options::LimbSolver;
use mocap_ik::{
    Ccd, Goal, IkChain, IkMethod, PosedChain, SolveOptions, SolveOutcome, SolveStatus, Solver, TwoBone,
};
use mocap_model::{Skeleton, Vector3};
use nalgebra::{Unit, UnitQuaternion};

/// Both limbs and the chain that is solved, in the pose of the skeleton's rest.
#[derive(Clone, Debug)]
pub(crate) struct LimbMap {
    pub source: Limb,
    pub target: Limb,
    /// Length of the target's limb over that of the source's.
    pub ratio: f64,
    pub chain: PosedChain,
    /// Place in the chain of the knee or elbow.
    middle: usize,
}

/// How much the usual axis counts beside the axis of the pose, which vanishes with the sine of the bend: at
/// three degrees both count the same, and a straight limb has only the usual one.
const USUAL: f64 = 0.05;
/// A limb bent the wrong way by more than this (sine) is meant to be: its axis is left alone.
const OVERSTRETCHED: f64 = 0.25;
/// The bend \[rad\] that a straight limb is given before it is solved by iterations.
const FLEXION: f64 = 0.03;

impl LimbMap {
    pub(crate) fn new(
        source: &Limb,
        skeleton: &Skeleton,
        target: &Limb,
        ratio: f64,
    ) -> Result<LimbMap, RetargetError> {
        let chain = PosedChain::limb(skeleton, target.base, target.tip)?;
        let middle = chain.place(target.middle).expect("the middle of a limb is on its path");
        Ok(LimbMap { source: source.clone(), target: target.clone(), ratio, chain, middle })
    }

    /// Solves the chain, which holds the pose to start from, for a place of its tip. `bend` is the axis about
    /// which the limb bends the usual way, in object space.
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
        // Both start from the pose of the source: what one of them has twisted the other cannot undo.
        let kept = chain.rotations().to_vec();
        chain.set_rotations(&start);
        let other = Ccd.solve(chain, &goals, options)?;
        if other.position < outcome.position {
            return Ok(other);
        }
        chain.set_rotations(&kept);
        Ok(outcome)
    }

    /// Tells the chain about which axis the limb bends, as the source does; returns the sine of its bend about the
    /// axis across it.
    fn set_bend(&self, chain: &mut IkChain, bend: Vector3<f64>) -> Vector3<f64> {
        let (base, middle) = (chain.positions()[0], chain.positions()[self.middle]);
        let tip = chain.tip_position(0);
        let before = chain.frames()[self.middle - 1];
        let (above, below) = (base - middle, tip - middle);
        let lengths = above.norm() * below.norm();
        let posed = below.cross(&above) / lengths.max(f64::MIN_POSITIVE);
        // Across the limb: what lies along the axis of a bend does not stretch.
        let line = below - above;
        let bend = bend - line * (bend.dot(&line) / line.norm_squared().max(f64::MIN_POSITIVE));
        // A limb bent a little the wrong way (an overstretched knee) counts as straight.
        let wrong = posed.dot(&bend);
        let posed = if wrong < 0.0 && posed.norm() < OVERSTRETCHED { posed - bend * wrong } else { posed };
        let axis = before.inverse() * (posed + bend * USUAL);
        chain.set_bend(self.middle, Unit::try_new(axis, 0.0));
        posed
    }

    /// Poses the chain as the two-bone solution at a swivel \[rad\] from the pose it holds; returns the axis about
    /// which it bends then.
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

    /// What each swivel leaves of the way to the goal, as a share of the limb's length; as [`TwoBone::swivel_distances`].
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
        Ok(TwoBone.swivel_distances(chain, &Goal::at(goal), options)?.map(|miss| (miss / length) as f32))
    }

    /// The orientation of the bone above knee or elbow.
    pub(crate) fn upper_frame(&self, chain: &PosedChain) -> UnitQuaternion<f64> {
        chain.chain.frames()[self.middle - 1]
    }

    /// Whether the limb bends the wrong way about the axis about which it bends the usual way, by more than a sine.
    pub(crate) fn bends_back(&self, chain: &PosedChain, bend: &Vector3<f64>, sine: f64) -> bool {
        let (positions, tip) = (chain.chain.positions(), chain.chain.tip_position(0));
        let (above, below) = (positions[0] - positions[self.middle], tip - positions[self.middle]);
        let along = below.cross(&above).dot(bend);
        along < 0.0 && along * along > sine * sine * above.norm_squared() * below.norm_squared()
    }

    /// Bends a limb that is nearly straight a little, the usual way: from a straight one, solvers that know no
    /// bend axis leave in any direction. `posed` is the sine of the bend about its axis.
    fn flex(&self, chain: &mut IkChain, posed: &Vector3<f64>, bend: &Vector3<f64>) {
        let sine = posed.dot(bend);
        if sine < -OVERSTRETCHED {
            return;
        }
        // Never below the least flexion, and soon the pose's own: no step where the one takes over.
        let by = ((sine * sine + 4.0 * FLEXION * FLEXION).sqrt() - sine) / 2.0;
        let parent = chain.frames()[self.middle - 1];
        let axis = parent.inverse() * bend;
        let bent = UnitQuaternion::new(axis * by) * chain.rotations()[self.middle];
        chain.set_rotation(self.middle, bent);
    }
}
