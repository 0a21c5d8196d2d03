//! Stage 4, limbs: solves each limb for its target positions, frame by frame.

use crate::body::LimbKind;
use crate::error::RetargetError;
use crate::free_limb::{FreeLimb, FreeTask};
use crate::limb_map::LimbMap;
use crate::options::LimbSolver;
use crate::pair::{Pair, TargetLimits};
use crate::source_clip::{Segment, SourceClip};
use crate::swivel_plan::{Residuals, plan_swivel};
use crate::trajectories::{BodyTrajectories, JointTrajectories, LimbTargets};
use crate::velocity_limiter::VelocityLimiter;
use mocap_ik::{Constraint, PosedChain, SolveOptions, SolveOutcome, SolveStatus};
use mocap_model::{JointId, Pose, UnitQuaternion, angle_between, renormalised};

/// A goal is reached within this share of the limb's length.
const REACHED: f64 = 1e-6;
/// A limb with a planned swivel does not rotate further from the plan than this \[rad\].
const OFF_PLAN: f64 = 0.13;
/// A knee or elbow is flipped if it bends the wrong way by more than this, and the source's does not (sine).
const FLIPPED: f64 = 0.1;

/// The result of one limb in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SolvedFrame {
    /// Distance of the effector from its goal [units of the target].
    pub error: f64,
    pub status: SolveStatus,
    pub iterations: u32,
    /// Whether a joint of the limb is at a limit.
    pub at_limit: bool,
    /// Whether knee or elbow bends the wrong way.
    pub flipped: bool,
}

/// How limbs are solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimbSolving {
    pub solver: LimbSolver,
    /// Whether goals that would fold a limb flat are softened.
    pub unfolds: bool,
    /// Whether the result of each frame is kept.
    pub measured: bool,
}

/// Solves all limbs and writes their rotations. Returns results by limb of the pair, then by frame; no frames for a limb
/// without targets, and none unless they are measured.
pub(crate) fn solve_limbs(
    pair: &Pair,
    how: LimbSolving,
    source: &SourceClip,
    body: &mut BodyTrajectories,
) -> Result<Vec<Vec<SolvedFrame>>, RetargetError> {
    let mut solved = vec![Vec::new(); pair.limbs.len()];
    for ((limb, targets), solved) in pair.limbs.iter().zip(&body.limbs).zip(&mut solved) {
        if targets.goal.is_empty() {
            continue;
        }
        for segment in source.segments() {
            let mut run = LimbRun::new(pair, limb, how, segment);
            if how.measured {
                solved.reserve(segment.clip.frames());
            }
            run.plan(pair, &body.joints, targets, segment)?;
            for frame in segment.start..segment.start + segment.clip.frames() {
                let (result, lower) = run.solve(&mut body.joints, targets, frame)?;
                if how.measured {
                    solved.push(result);
                }
                run.keep_tip(&mut body.joints, targets, frame, lower);
            }
        }
    }
    Ok(solved)
}

/// One limb over the frames of a segment.
struct LimbRun<'a> {
    limb: &'a LimbMap,
    chain: PosedChain,
    /// The limb without a chain, if its bones turn freely.
    free: Option<FreeLimb>,
    solver: LimbSolver,
    unfolds: bool,
    options: SolveOptions,
    /// The first frame.
    first: usize,
    limiter: VelocityLimiter,
    /// Planned swivels by frame of the segment \[rad\]; empty without a plan.
    swivels: Vec<f64>,
    /// What holds the tip, if it is the joint right below the chain.
    tip: Option<Constraint>,
    /// The pose that the chain is read from.
    local: Pose,
    /// Rotations of the chain before it is solved.
    start: Vec<UnitQuaternion<f64>>,
}

impl LimbRun<'_> {
    fn new<'a>(pair: &Pair, limb: &'a LimbMap, how: LimbSolving, segment: &Segment) -> LimbRun<'a> {
        let TargetLimits { constraints, kept } = &pair.limits;
        let skeleton = &pair.target.skeleton;
        let tip = limb.target.tip;
        let last = limb.chain.joints().last().copied();
        let follows = last == Some(skeleton.joint(tip).parent.unwrap_or(tip));
        let held = if *kept { constraints[tip.index()] } else { Constraint::free() };
        LimbRun {
            limb,
            chain: limb.chain.clone(),
            free: FreeLimb::of(skeleton, &pair.limits, limb, how.solver, REACHED),
            solver: how.solver,
            unfolds: how.unfolds,
            options: SolveOptions {
                position_tolerance: REACHED,
                limits: *kept,
                restart: false,
                ..SolveOptions::default()
            },
            first: segment.start,
            limiter: VelocityLimiter::new(&segment.clip, limb, *kept),
            swivels: Vec::new(),
            tip: follows.then_some(held),
            local: Pose::rest(skeleton),
            start: Vec::new(),
        }
    }

    /// Plans the swivel of an arm with limits. (A leg that swivels would turn its foot: it meets its goal first.)
    fn plan(
        &mut self,
        pair: &Pair,
        joints: &JointTrajectories,
        targets: &LimbTargets,
        segment: &Segment,
    ) -> Result<(), RetargetError> {
        let is_free = |joint: &JointId| pair.limits.constraints[joint.index()].is_free();
        let limited = pair.limits.kept && !self.chain.joints().iter().all(is_free);
        if self.limb.target.kind != LimbKind::Arm || !limited {
            return Ok(());
        }
        let mut residuals: Vec<Residuals> = Vec::with_capacity(segment.clip.frames());
        for frame in self.first..self.first + segment.clip.frames() {
            self.read(joints, targets, frame)?;
            let (goal, bend) = (targets.goal[frame], targets.bend[frame]);
            residuals.push(self.limb.swivels(&mut self.chain, goal, bend, &self.options)?);
        }
        self.swivels = plan_swivel(&residuals, segment.clip.rate().fps(), self.limiter.base_step());
        Ok(())
    }

    /// Poses the chain as transferred.
    fn read(
        &mut self,
        joints: &JointTrajectories,
        targets: &LimbTargets,
        frame: usize,
    ) -> Result<(), RetargetError> {
        for joint in self.chain.joints() {
            self.local.joints[joint.index()].rotation = joints.rotations[joint.index()][frame];
        }
        self.chain.read_at(targets.base[frame], &self.local)?;
        Ok(())
    }

    /// Solves one frame and writes the rotations of the limb. Returns the orientation of the last bone as well, unless the
    /// tip stays as transferred.
    #[inline]
    fn solve(
        &mut self,
        joints: &mut JointTrajectories,
        targets: &LimbTargets,
        frame: usize,
    ) -> Result<(SolvedFrame, Option<UnitQuaternion<f64>>), RetargetError> {
        match self.solve_free(joints, targets, frame) {
            Some(solved) => Ok(solved),
            None => self.solve_chain(joints, targets, frame),
        }
    }

    /// Solves one frame in closed form; `None` if the limb is not free, cannot reach its goal, or would jump.
    #[inline]
    fn solve_free(
        &mut self,
        joints: &mut JointTrajectories,
        targets: &LimbTargets,
        frame: usize,
    ) -> Option<(SolvedFrame, Option<UnitQuaternion<f64>>)> {
        let free = self.free.as_ref()?;
        let task = FreeTask {
            frames: targets.frames[frame],
            goal: targets.goal[frame] - targets.from[frame],
            bend: targets.bend[frame],
            unfolds: self.unfolds,
        };
        let pose = free.solve(&task, FLIPPED)?;
        let [upper, lower] = pose.frames;
        let ids = [self.limb.target.base, self.limb.target.middle].map(JointId::index);
        let local = match pose.moved {
            true => [targets.base[frame].rotation.inverse() * upper, upper.inverse() * lower],
            false => ids.map(|id| joints.rotations[id][frame]),
        };
        if self.limiter.exceeded(&local) {
            return None;
        }
        self.limiter.accept(&local);
        for (id, local) in ids.into_iter().zip(local) {
            joints.rotations[id][frame] = local;
        }
        let solved = SolvedFrame {
            error: pose.left.sqrt(),
            status: if pose.softened { SolveStatus::Unreachable } else { SolveStatus::Reached },
            iterations: u32::from(pose.moved),
            at_limit: false,
            flipped: pose.flipped,
        };
        // Only feet are turned after the transfer.
        let stays = !pose.moved && self.limb.target.kind == LimbKind::Arm;
        Some((solved, (!stays).then_some(lower)))
    }

    /// Solves one frame with the chain of the limb.
    fn solve_chain(
        &mut self,
        joints: &mut JointTrajectories,
        targets: &LimbTargets,
        frame: usize,
    ) -> Result<(SolvedFrame, Option<UnitQuaternion<f64>>), RetargetError> {
        self.read(joints, targets, frame)?;
        let LimbRun { limb, chain, solver, options, limiter, start, .. } = self;
        let (asked, bend) = (targets.goal[frame], targets.bend[frame]);
        let goal = if self.unfolds { limb.unfolded_goal(chain, asked) } else { asked };
        let bend = match self.swivels.get(frame - self.first) {
            Some(swivel) => limb.pose_swivelled(chain, goal, bend, options, *swivel)?,
            None => bend,
        };
        let solve_from = |chain: &mut PosedChain| limb.solve(chain, goal, bend, *solver, options);
        let usual = !limb.bends_back(chain, &bend, FLIPPED / 2.0);
        let seen = limb.upper_frame(chain).inverse() * bend;
        start.clear();
        start.extend_from_slice(chain.chain.rotations());
        let mut outcome = solve_from(chain)?;
        if !self.swivels.is_empty() && largest_angle(chain.chain.rotations(), start) > OFF_PLAN {
            // The goal is only within reach where the plan could not go in time.
            chain.chain.set_rotations(start);
            let position = (chain.chain.tip_position(0) - goal).norm();
            outcome =
                SolveOutcome { status: SolveStatus::NotConverged, position, limit_contacts: 1, ..outcome };
        }
        if limiter.exceeded(chain.chain.rotations()) {
            outcome = limiter.limit(chain, outcome, start, &goal, solve_from)?;
        }
        limiter.accept(chain.chain.rotations());
        for (joint, rotation) in chain.joints().iter().zip(chain.chain.rotations()) {
            joints.rotations[joint.index()][frame] = *rotation;
        }
        let (error, status) = match goal == asked {
            true => (outcome.position, outcome.status),
            false => ((chain.chain.tip_position(0) - asked).norm(), SolveStatus::Unreachable),
        };
        let solved = SolvedFrame {
            error,
            status,
            iterations: outcome.iterations,
            at_limit: outcome.limit_contacts > 0,
            flipped: usual && limb.bends_back(chain, &(limb.upper_frame(chain) * seen), FLIPPED),
        };
        Ok((solved, chain.chain.frames().last().copied()))
    }

    /// Gives the tip the source's orientation under the solved limb, whose last bone has the orientation `above`; without
    /// one it has it.
    #[inline]
    fn keep_tip(
        &self,
        joints: &mut JointTrajectories,
        targets: &LimbTargets,
        frame: usize,
        above: Option<UnitQuaternion<f64>>,
    ) {
        let Some(constraint) = &self.tip else { return };
        let samples = &mut joints.rotations[self.limb.target.tip.index()];
        let turned = above.map_or(samples[frame], |above| renormalised(above.inverse() * targets.tip[frame]));
        let allowed = constraint.project(&turned).0;
        samples[frame] = if frame > self.first {
            constraint.slerp_towards(&samples[frame - 1], &allowed, self.limiter.tip_step())
        } else {
            allowed
        };
    }
}

/// The largest angle between the rotations of two poses of a chain \[rad\].
fn largest_angle(a: &[UnitQuaternion<f64>], b: &[UnitQuaternion<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| angle_between(a, b)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clip_context::analyse;
    use crate::fixtures::clip;
    use crate::options::{Hands, RetargetOptions};
    use crate::transfer::transfer;
    use mocap_model::{Clip, Vector3};

    const HOW: LimbSolving = LimbSolving { solver: LimbSolver::Auto, unfolds: true, measured: true };

    /// A walk transferred to another body, before its limbs are solved.
    fn transferred(options: &RetargetOptions) -> (Pair, SourceClip, BodyTrajectories) {
        let (walk, other) = (clip("alex_walk.bvh").trimmed(0..40).unwrap(), clip("robin_walk.bvh"));
        let pair = Pair::new(walk.skeleton(), other.skeleton(), options).unwrap();
        let source = SourceClip::new(&walk, &pair, options.lead_in).unwrap();
        let context = analyse(&pair, options, source.last(), None).unwrap();
        let body = transfer(&pair, options, &context, &source);
        (pair, source, body)
    }

    fn tips(pair: &Pair, clip: &Clip, limb: usize) -> Vec<Vector3<f64>> {
        mocap_analysis::trajectory(clip, pair.limbs[limb].target.tip)
    }

    #[test]
    fn limbs_meet_goals_within_reach_and_say_which_are_not() {
        let (pair, source, mut body) = transferred(&RetargetOptions::default());
        let length = pair.target.reference.limb_length(&pair.limbs[0].target);
        // The left foot is to be twice as far down as its leg is long.
        let left = &mut body.limbs[0];
        left.goal = left.from.iter().map(|hip| hip - Vector3::y() * (2.0 * length)).collect();
        let goals: Vec<_> = body.limbs.iter().map(|limb| limb.goal.clone()).collect();
        let solved = solve_limbs(&pair, HOW, &source, &mut body).unwrap();
        let clip = body.into_clip(&pair.target.skeleton, pair.target.body.hips, source.rate()).unwrap();
        let count = |limb: usize, status| solved[limb].iter().filter(|frame| frame.status == status).count();
        assert_eq!(solved[0][0].status, SolveStatus::Unreachable);
        assert!(count(0, SolveStatus::Unreachable) > 30 && count(1, SolveStatus::Reached) > 30);
        assert!(solved[0].iter().all(|frame| frame.error > 0.9 * length));
        for (limb, (goals, solved)) in goals.iter().zip(&solved).enumerate() {
            assert_eq!(solved.len(), 40);
            for (frame, (tip, goal)) in tips(&pair, &clip, limb).iter().zip(goals).enumerate() {
                assert!(((tip - goal).norm() - solved[frame].error).abs() < 1e-9 * length, "{limb} {frame}");
                assert!(!solved[frame].flipped);
            }
        }
    }

    #[test]
    fn a_limb_without_targets_keeps_the_transferred_pose() {
        let options = RetargetOptions { hands: Hands::Off, ..RetargetOptions::default() };
        let (pair, source, mut body) = transferred(&options);
        let arm = pair.limbs[2].target.clone();
        let before = body.joints.rotations.clone();
        let solved = solve_limbs(&pair, HOW, &source, &mut body).unwrap();
        assert!(solved[2].is_empty() && solved[0].len() == 40);
        let same = |joint: JointId| before[joint.index()] == body.joints.rotations[joint.index()];
        assert!(same(arm.base) && same(arm.middle) && !same(pair.limbs[0].target.base));
    }

    #[test]
    fn hands_keep_their_orientation() {
        let (pair, source, mut body) = transferred(&RetargetOptions::default());
        solve_limbs(&pair, HOW, &source, &mut body).unwrap();
        let wished = body.limbs[2].tip.clone();
        let hand = pair.limbs[2].target.tip;
        let clip = body.into_clip(&pair.target.skeleton, pair.target.body.hips, source.rate()).unwrap();
        let placed = mocap_analysis::placements(&clip, &[hand]);
        for (is, wished) in placed[0].iter().zip(&wished) {
            assert!(is.rotation.angle_to(wished) < 1e-9);
        }
    }
}
