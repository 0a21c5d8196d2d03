//! Velocity limiter of a limb: its joints rotate only slightly faster per frame than the source's ever do.
//!
//! With joint limits or straight limbs, a goal may have several solutions. When the best one changes, the limb
//! would jump.

use crate::error::RetargetError;
use crate::limb_map::LimbMap;
use mocap_analysis::largest_step;
use mocap_ik::{Constraint, PosedChain, SolveOutcome, SolveStatus};
use mocap_model::{ClipFrames, JointId, UnitQuaternion, Vector3};
use std::f64::consts::PI;

/// A joint may rotate by this much more per frame than the source's joint does in any frame \[rad\].
pub(crate) const STEP_MARGIN: f64 = 0.08;

/// To avoid a jump, an effector may be further from its goal by this share of the limb's length.
const WORSE: f64 = 0.05;

/// Solutions whose distances from the goal differ by less than this share of the limb's length are equally good:
/// the first counts, so that rounding does not decide.
const TIE: f64 = 1e-12;

/// Cosines of half an angle that differ by less than this are equal up to rounding.
const ROUNDING: f64 = 1e-12;

/// The cosine of half the angle between two rotations.
#[inline]
pub(crate) fn half_cosine(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>) -> f64 {
    a.coords.dot(&b.coords).abs()
}

/// The least [`half_cosine`] within a step limit \[rad\].
fn step_cosine(step: f64) -> f64 {
    if step < PI { (step / 2.0).cos() } else { -1.0 }
}

/// The largest steps of the joints of the source's limb in some frames \[rad / frame\].
pub(crate) fn limb_steps(source: ClipFrames, limb: &LimbMap) -> [f64; 3] {
    let step = |joint: JointId| largest_step(source, [joint]).map_or(0.0, |step| step.angle);
    [limb.source.base, limb.source.middle, limb.source.tip].map(step)
}

/// Step limits of one limb, and its pose in the frame before.
pub(crate) struct VelocityLimiter {
    /// By joint of the chain: the step limit \[rad / frame\], and the cosine of its half.
    steps: Vec<f64>,
    cosines: Vec<f64>,
    /// Step limit of the tip \[rad / frame\].
    tip: f64,
    /// By joint of the chain, in the frame before.
    before: Vec<UnitQuaternion<f64>>,
    /// Whether there is a previous frame.
    begun: bool,
    keep_limits: bool,
}

impl VelocityLimiter {
    /// Step limits from the largest steps of the source's limb ([`limb_steps`]).
    pub(crate) fn new([base, middle, tip]: [f64; 3], limb: &LimbMap, keep_limits: bool) -> VelocityLimiter {
        let steps = limb.chain.joints().iter().map(|joint| match *joint {
            joint if joint == limb.target.base => base,
            joint if joint == limb.target.middle => middle,
            _ => base.max(middle),
        });
        let steps: Vec<f64> = steps.map(|step| step + STEP_MARGIN).collect();
        VelocityLimiter {
            cosines: steps.iter().copied().map(step_cosine).collect(),
            tip: tip + STEP_MARGIN,
            before: vec![UnitQuaternion::identity(); steps.len()],
            begun: false,
            keep_limits,
            steps,
        }
    }

    /// Step limit of the first joint \[rad / frame\].
    pub(crate) fn base_step(&self) -> f64 {
        self.steps[0]
    }

    /// Step limit of the tip \[rad / frame\].
    pub(crate) fn tip_step(&self) -> f64 {
        self.tip
    }

    /// By joint of a two-bone limb and its tip: rotations with a larger [`half_cosine`] are certainly within the
    /// step limit.
    pub(crate) fn safe_cosines(&self) -> [f64; 3] {
        let safe = |cosine: f64| cosine + ROUNDING;
        [safe(self.cosines[0]), safe(self.cosines[1]), safe(step_cosine(self.tip))]
    }

    /// Stores a pose as the previous frame's.
    pub(crate) fn accept(&mut self, solved: &[UnitQuaternion<f64>]) {
        self.before.iter_mut().zip(solved).for_each(|(before, solved)| *before = *solved);
        self.begun = true;
    }

    /// Whether a joint rotates by more than its step limit; false in the first frame.
    pub(crate) fn exceeded(&self, solved: &[UnitQuaternion<f64>]) -> bool {
        let pairs = solved.iter().zip(&self.before).zip(&self.cosines);
        self.begun && pairs.into_iter().any(|((now, before), least)| half_cosine(now, before) < *least)
    }

    /// Replaces a pose that exceeds the step limits: solves again from the pose of the previous frame, which
    /// finds that frame's solution. If that exceeds them too, each joint takes the largest allowed step towards
    /// the pose that brings the effector nearest: one of both solutions, or their start pose.
    pub(crate) fn limit(
        &self,
        chain: &mut PosedChain,
        first: SolveOutcome,
        start: &[UnitQuaternion<f64>],
        goal: &Vector3<f64>,
        solve_from: impl Fn(&mut PosedChain) -> Result<SolveOutcome, RetargetError>,
    ) -> Result<SolveOutcome, RetargetError> {
        let solved = chain.chain.rotations().to_vec();
        chain.chain.set_rotations(&self.before);
        let other = solve_from(chain)?;
        let near = first.position + WORSE * chain.chain.length(0);
        if other.position <= near && !self.exceeded(chain.chain.rotations()) {
            return Ok(other);
        }
        let resolved = chain.chain.rotations().to_vec();
        let tie = TIE * chain.chain.length(0);
        let mut best: Option<(f64, Vec<UnitQuaternion<f64>>)> = None;
        for towards in [&solved[..], &resolved, start] {
            for (joint, (before, wished)) in self.before.iter().zip(towards).enumerate() {
                let constraint =
                    if self.keep_limits { chain.chain.constraints()[joint] } else { Constraint::free() };
                let allowed = constraint.project(wished).0;
                let rotation = constraint.slerp_towards(before, &allowed, self.steps[joint]);
                chain.chain.set_rotation(joint, rotation);
            }
            let residual = (chain.chain.tip_position(0) - goal).norm();
            if best.as_ref().is_none_or(|(least, _)| residual < *least - tie) {
                best = Some((residual, chain.chain.rotations().to_vec()));
            }
        }
        let (position, rotations) = best.expect("three candidates");
        chain.chain.set_rotations(&rotations);
        Ok(SolveOutcome { position, status: SolveStatus::NotConverged, ..first })
    }
}
