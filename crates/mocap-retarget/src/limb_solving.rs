//! Stage 5, limbs: solves each limb for its target positions, frame by frame.

use crate::body::LimbKind;
use crate::error::RetargetError;
use crate::free_limb::{FreeLimb, FreePoses, REACHED};
use crate::limb_map::LimbMap;
use crate::options::LimbSolver;
use crate::pair::{Pair, TargetLimits};
use crate::swivel_plan::{Residuals, plan_swivel};
use crate::trajectories::{BodyTargets, JointTrajectories, LimbTargets, place_of};
use crate::velocity_limiter::{VelocityLimiter, half_cosine};
use mocap_ik::{Constraint, PosedChain, SolveOptions, SolveOutcome, SolveStatus};
use mocap_model::{
    Isometry3, JointId, LANES, Pose, RotationLanes, UnitQuaternion, angle_between, renormalised,
};
use std::mem::take;

/// A limb with a planned swivel does not rotate further from the plan than this in one frame \[rad\].
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

impl SolvedFrame {
    /// The result of a limb that is not solved.
    const AT_GOAL: SolvedFrame = SolvedFrame {
        error: 0.0,
        status: SolveStatus::Reached,
        iterations: 0,
        at_limit: false,
        flipped: false,
    };
}

/// Options of the stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimbSolving {
    pub solver: LimbSolver,
    /// Whether goals that would fold a limb flat are softened.
    pub unfolds: bool,
    /// Whether the result of each frame is kept.
    pub measured: bool,
    /// Frames per second.
    pub fps: f64,
}

/// Solves all limbs in the frames of a segment and writes their rotations. Returns results by limb of the
/// pair, then by frame; no frames for a limb without targets, and none unless they are measured.
pub(crate) fn solve_limbs(
    pair: &Pair,
    how: LimbSolving,
    mut body: BodyTargets,
    joints: &mut JointTrajectories,
) -> Result<Vec<Vec<SolvedFrame>>, RetargetError> {
    let mut solved = vec![Vec::new(); pair.limbs.len()];
    for (i, (limb, solved)) in pair.limbs.iter().zip(&mut solved).enumerate() {
        // Freed once the limb is solved.
        let targets = &take(&mut body.limbs[i])[..];
        if body.rests[i] && how.measured {
            *solved = vec![SolvedFrame::AT_GOAL; body.frames];
        }
        if targets.is_empty() {
            continue;
        }
        if how.measured {
            solved.reserve(body.frames);
        }
        let mut run = LimbRun::new(pair, limb, how, (body.start, body.steps[i]), body.left[i]);
        let mut free = FreeBlock::new();
        run.plan(pair, joints, targets, body.frames)?;
        for (block, targets) in targets.iter().enumerate() {
            let is_free = run.solve_free(targets, &mut free);
            let count = LANES.min(body.frames - block * LANES);
            if is_free && run.take_block(&free, joints, block, count) {
                solved.extend((0..count).filter(|_| how.measured).map(|lane| free.result(lane)));
                continue;
            }
            for lane in 0..count {
                let frame = block * LANES + lane;
                let (result, tip) = match is_free && run.take(&free, joints, frame) {
                    true => (free.result(lane), run.free_tip(&free, lane)),
                    false => run.solve_chain(joints, targets, frame)?,
                };
                solved.extend(how.measured.then_some(result));
                run.keep_tip(joints, frame, tip);
            }
        }
    }
    Ok(solved)
}

/// Closed-form solution of a limb without limits in a block of frames.
struct FreeBlock {
    poses: FreePoses,
    /// Local rotations of first joint, knee or elbow, and tip; undefined for an arm that never moves.
    local: [RotationLanes; 3],
}

impl FreeBlock {
    /// An uninitialised block.
    fn new() -> FreeBlock {
        let local = [RotationLanes::same(&UnitQuaternion::identity()); 3];
        FreeBlock { poses: FreePoses::new(), local }
    }

    /// The result of one frame.
    fn result(&self, lane: usize) -> SolvedFrame {
        let FreePoses { left, softened, moved, flipped, .. } = &self.poses;
        SolvedFrame {
            error: left[lane].sqrt(),
            status: if softened[lane] { SolveStatus::Unreachable } else { SolveStatus::Reached },
            iterations: u32::from(moved[lane]),
            at_limit: false,
            flipped: flipped[lane],
        }
    }
}

/// One limb over the frames of a segment.
struct LimbRun<'a> {
    limb: &'a LimbMap,
    chain: PosedChain,
    /// The closed-form solver, if the joints of the limb turn freely.
    free: Option<FreeLimb>,
    solver: LimbSolver,
    unfolds: bool,
    options: SolveOptions,
    measured: bool,
    /// The first frame of the segment, counted in the whole clip.
    start: usize,
    /// Whether the transfer has left the local rotations to this stage.
    left: bool,
    fps: f64,
    limiter: VelocityLimiter,
    /// Planned swivels by frame of the segment \[rad\]; empty without a plan.
    swivels: Vec<f64>,
    /// Limits of the tip, if it is the joint directly below the chain.
    tip: Option<Constraint>,
    /// The pose from which the chain is read.
    local: Pose,
    /// Rotations of the chain before it is solved.
    transferred: Vec<UnitQuaternion<f64>>,
}

impl<'a> LimbRun<'a> {
    fn new(
        pair: &Pair,
        limb: &'a LimbMap,
        how: LimbSolving,
        (start, steps): (usize, [f64; 3]),
        left: bool,
    ) -> LimbRun<'a> {
        let TargetLimits { constraints, kept } = &pair.limits;
        let skeleton = &pair.target.skeleton;
        let tip = limb.target.tip;
        let last = limb.chain.joints().last().copied();
        let follows = last == Some(skeleton.joint(tip).parent.unwrap_or(tip));
        let held = if *kept { constraints[tip.index()] } else { Constraint::free() };
        LimbRun {
            limb,
            chain: limb.chain.clone(),
            free: FreeLimb::of(skeleton, &pair.limits, limb, how.solver),
            solver: how.solver,
            unfolds: how.unfolds,
            options: SolveOptions {
                position_tolerance: REACHED,
                limits: *kept,
                restart: false,
                ..SolveOptions::default()
            },
            measured: how.measured,
            start,
            left,
            fps: how.fps,
            limiter: VelocityLimiter::new(steps, limb, *kept),
            swivels: Vec::new(),
            tip: follows.then_some(held),
            local: Pose::rest(skeleton),
            transferred: Vec::new(),
        }
    }

    /// Plans the swivel of an arm with limits. (Legs have no plan: a leg that swivels would turn its foot, and
    /// its goal has priority.)
    fn plan(
        &mut self,
        pair: &Pair,
        joints: &JointTrajectories,
        targets: &[LimbTargets],
        frames: usize,
    ) -> Result<(), RetargetError> {
        let is_free = |joint: &JointId| pair.limits.constraints[joint.index()].is_free();
        let limited = pair.limits.kept && !self.chain.joints().iter().all(is_free);
        if self.limb.target.kind != LimbKind::Arm || !limited {
            return Ok(());
        }
        let mut residuals: Vec<Residuals> = Vec::with_capacity(frames);
        for frame in 0..frames {
            let (block, lane) = place_of(frame);
            self.read(joints, &targets[block], frame)?;
            let (goal, bend) = (targets[block].goal.at(lane), targets[block].bend.at(lane));
            residuals.push(self.limb.swivels(&mut self.chain, goal, bend, &self.options)?);
        }
        self.swivels = plan_swivel(&residuals, self.fps, self.limiter.base_step());
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
            self.local.joints[joint.index()].rotation = joints.rotations[joint.index()][self.start + frame];
        }
        let (base, lane) = (&targets.base, frame % LANES);
        let base = Isometry3::from_parts(base.position.at(lane).into(), base.rotation.at(lane));
        self.chain.read_at(base, &self.local)?;
        Ok(())
    }

    /// Solves a block of frames in closed form, each independently; `false` if the limb has limits.
    fn solve_free(&self, targets: &LimbTargets, block: &mut FreeBlock) -> bool {
        let Some(free) = &self.free else { return false };
        let FreeBlock { poses, local } = block;
        let goal = targets.goal.minus(&targets.from);
        let flipped = self.measured.then_some(FLIPPED);
        free.solve(poses, &targets.frames, &goal, &targets.bend, self.unfolds, flipped);
        // Only feet are rotated after the transfer.
        if self.limb.target.kind == LimbKind::Arm && !poses.moved.contains(&true) {
            return true;
        }
        let [upper, lower] = &poses.frames;
        local[0] = targets.base.rotation.inverse_product(upper);
        local[1] = upper.inverse_product(lower);
        local[2].set_seen_from(lower, &targets.tip);
        if self.left && poses.moved.contains(&false) {
            for (local, transferred) in local.iter_mut().zip(targets.transferred()) {
                let unmoved = (0..LANES).filter(|lane| !poses.moved[*lane]);
                unmoved.for_each(|lane| local.set(lane, &transferred.at(lane)));
            }
        }
        true
    }

    /// Accepts and writes the solution of a block of frames, if the transfer left the limb to this stage, all
    /// goals are reached, and no joint is near its step limit. `false` if the frames have to be examined one by
    /// one.
    fn take_block(
        &mut self,
        FreeBlock { poses, local }: &FreeBlock,
        joints: &mut JointTrajectories,
        block: usize,
        count: usize,
    ) -> bool {
        let free_tip = self.tip.is_some_and(|tip| tip.is_free());
        if !self.left || !free_tip || poses.found.contains(&false) {
            return false;
        }
        let frames = block * LANES..block * LANES + count;
        let with_before = frames.start.saturating_sub(1)..frames.end;
        for ((joint, local), least) in
            self.limb.target.joints().iter().zip(local).zip(self.limiter.safe_cosines())
        {
            let samples = &mut joints.rotations[joint.index()][self.start..];
            local.copy_to(&mut samples[frames.clone()]);
            if samples[with_before.clone()].windows(2).any(|pair| half_cosine(&pair[0], &pair[1]) < least) {
                return false;
            }
        }
        let last = self.start + frames.end - 1;
        let [base, middle, _] = self.limb.target.joints().map(|joint| joints.rotations[joint.index()][last]);
        self.limiter.accept(&[base, middle]);
        true
    }

    /// Accepts and writes the solution of one frame. `false` if the limb cannot reach its goal or would jump.
    #[inline]
    fn take(
        &mut self,
        FreeBlock { poses, local: [base, middle, _] }: &FreeBlock,
        joints: &mut JointTrajectories,
        frame: usize,
    ) -> bool {
        let (at, lane) = (self.start + frame, frame % LANES);
        let ids = [self.limb.target.base, self.limb.target.middle].map(JointId::index);
        let written = self.left || poses.moved[lane];
        let turned = match written {
            true => [base.at(lane), middle.at(lane)],
            false => ids.map(|id| joints.rotations[id][at]),
        };
        if !poses.found[lane] || self.limiter.exceeded(&turned) {
            return false;
        }
        self.limiter.accept(&turned);
        if written {
            for (id, turned) in ids.into_iter().zip(turned) {
                joints.rotations[id][at] = turned;
            }
        }
        true
    }

    /// The rotation of the tip in an accepted frame; `None` if it keeps the transferred one.
    #[inline]
    fn free_tip(&self, block: &FreeBlock, lane: usize) -> Option<UnitQuaternion<f64>> {
        let stays = self.limb.target.kind == LimbKind::Arm && !block.poses.moved[lane];
        (!stays).then(|| block.local[2].at(lane))
    }

    /// Solves one frame with the IK chain of the limb. Returns the local rotation of the tip as well.
    fn solve_chain(
        &mut self,
        joints: &mut JointTrajectories,
        targets: &LimbTargets,
        frame: usize,
    ) -> Result<(SolvedFrame, Option<UnitQuaternion<f64>>), RetargetError> {
        if self.left {
            for (joint, transferred) in self.limb.target.joints().into_iter().zip(targets.transferred()) {
                joints.rotations[joint.index()][self.start + frame] = transferred.at(frame % LANES);
            }
        }
        self.read(joints, targets, frame)?;
        let LimbRun { limb, chain, solver, options, limiter, transferred, .. } = self;
        let (asked, bend) = (targets.goal.at(frame % LANES), targets.bend.at(frame % LANES));
        let goal = if self.unfolds { limb.unfolded_goal(chain, asked) } else { asked };
        let bend = match self.swivels.get(frame) {
            Some(swivel) => limb.pose_swivelled(chain, goal, bend, options, *swivel)?,
            None => bend,
        };
        let solve_from = |chain: &mut PosedChain| limb.solve(chain, goal, bend, *solver, options);
        let usual = !limb.bends_back(chain, &bend, FLIPPED / 2.0);
        let seen = limb.upper_frame(chain).inverse() * bend;
        transferred.clear();
        transferred.extend_from_slice(chain.chain.rotations());
        let mut outcome = solve_from(chain)?;
        if !self.swivels.is_empty() && largest_angle(chain.chain.rotations(), transferred) > OFF_PLAN {
            // The goal may be within reach only at a swivel that the plan could not reach in time: solve without
            // the plan.
            chain.chain.set_rotations(transferred);
            let position = (chain.chain.tip_position(0) - goal).norm();
            outcome =
                SolveOutcome { status: SolveStatus::NotConverged, position, limit_contacts: 1, ..outcome };
        }
        if limiter.exceeded(chain.chain.rotations()) {
            outcome = limiter.limit(chain, outcome, transferred, &goal, solve_from)?;
        }
        limiter.accept(chain.chain.rotations());
        for (joint, rotation) in chain.joints().iter().zip(chain.chain.rotations()) {
            joints.rotations[joint.index()][self.start + frame] = *rotation;
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
        let wished = targets.tip.at(frame % LANES);
        let tip = chain.chain.frames().last().map(|last| renormalised(last.inverse() * wished));
        Ok((solved, tip))
    }

    /// Rotates the tip under the solved limb so that it keeps the source's orientation; `None`: it has that
    /// orientation already.
    #[inline]
    fn keep_tip(&self, joints: &mut JointTrajectories, frame: usize, turned: Option<UnitQuaternion<f64>>) {
        let Some(constraint) = &self.tip else { return };
        let samples = &mut joints.rotations[self.limb.target.tip.index()][self.start..];
        let allowed = constraint.project(&turned.unwrap_or(samples[frame])).0;
        samples[frame] = match frame.checked_sub(1) {
            Some(before) => constraint.slerp_towards(&samples[before], &allowed, self.limiter.tip_step()),
            None => allowed,
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
    use crate::body::Limb;
    use crate::clip_context::analyse;
    use crate::fixtures::clip;
    use crate::options::{Hands, RetargetOptions};
    use crate::pair::Character;
    use crate::self_contact::SelfContacts;
    use crate::source_clip::SourceClip;
    use crate::trajectories::BodyTrajectories;
    use crate::transfer::Transfer;
    use mocap_model::{Clip, Vector3, VectorLanes};
    use std::borrow::Cow;

    const HOW: LimbSolving =
        LimbSolving { solver: LimbSolver::Auto, unfolds: true, measured: true, fps: 30.0 };

    /// A walk transferred to another body, before its limbs are solved; arms are solved even if they follow.
    struct Walk {
        pair: Pair,
        walk: Clip,
        body: BodyTrajectories,
        targets: BodyTargets,
    }

    impl Walk {
        fn transferred(options: &RetargetOptions) -> Walk {
            let (walk, other) = (clip("alex_walk.bvh").trimmed(0..40).unwrap(), clip("robin_walk.bvh"));
            let mut pair = Pair::new(walk.skeleton(), other.skeleton(), options).unwrap();
            pair.follows.fill(false);
            let mut source = SourceClip::new(Cow::Borrowed(&walk), &pair, options.lead_in).unwrap();
            let mut segment = source.segments(&pair, 2048).pop().unwrap();
            let context = analyse(&pair, options, &mut segment, None, |_| ()).unwrap();
            let transfer = Transfer::new(&pair, options, &context, &source);
            let segment = segment.release();
            let mut body = transfer.trajectories(&mut source, 2048, true);
            let targets = transfer.append(segment, &SelfContacts::default(), &mut source, &mut body);
            drop(transfer);
            drop(source);
            Walk { pair, walk, body, targets }
        }

        fn solve(&mut self) -> Vec<Vec<SolvedFrame>> {
            let Walk { pair, walk, body, targets } = self;
            let how = LimbSolving { fps: walk.rate().fps(), ..HOW };
            solve_limbs(pair, how, targets.clone(), &mut body.joints).unwrap()
        }

        fn clip(self) -> Clip {
            let Character { skeleton, body, .. } = &self.pair.target;
            self.body.into_clip(skeleton, body.hips, self.walk.rate()).unwrap()
        }
    }

    #[test]
    fn limbs_meet_goals_within_reach_and_say_which_are_not() {
        let mut walk = Walk::transferred(&RetargetOptions::default());
        let limbs: Vec<Limb> = walk.pair.limbs.iter().map(|limb| limb.target.clone()).collect();
        let length = walk.pair.target.reference.limb_length(&limbs[0]);
        // The left foot is to be twice as far down as its leg is long.
        for left in &mut walk.targets.limbs[0] {
            left.goal = VectorLanes::each(|lane| left.from.at(lane) - Vector3::y() * (2.0 * length));
        }
        let goals = walk.targets.limbs.clone();
        let solved = walk.solve();
        let clip = walk.clip();
        let count = |limb: usize, status| solved[limb].iter().filter(|frame| frame.status == status).count();
        assert_eq!(solved[0][0].status, SolveStatus::Unreachable);
        assert!(count(0, SolveStatus::Unreachable) > 30 && count(1, SolveStatus::Reached) > 30);
        assert!(solved[0].iter().all(|frame| frame.error > 0.9 * length));
        for (limb, (goals, solved)) in goals.iter().zip(&solved).enumerate() {
            assert_eq!(solved.len(), 40);
            let tips = mocap_analysis::trajectory(&clip, limbs[limb].tip);
            for (frame, (tip, solved)) in tips.iter().zip(solved).enumerate() {
                let (block, lane) = place_of(frame);
                let distance = (tip - goals[block].goal.at(lane)).norm();
                assert!((distance - solved.error).abs() < 1e-9 * length, "{limb} {frame}");
                assert!(!solved.flipped);
            }
        }
    }

    #[test]
    fn a_limb_without_targets_keeps_the_transferred_pose() {
        let options = RetargetOptions { hands: Hands::Off, ..RetargetOptions::default() };
        let mut walk = Walk::transferred(&options);
        let arm = walk.pair.limbs[2].target.clone();
        let before = walk.body.joints.rotations.clone();
        let solved = walk.solve();
        assert!(solved[2].is_empty() && solved[0].len() == 40);
        let same = |joint: JointId| before[joint.index()] == walk.body.joints.rotations[joint.index()];
        assert!(same(arm.base) && same(arm.middle) && !same(walk.pair.limbs[0].target.base));
    }

    #[test]
    fn hands_keep_their_orientation() {
        let mut walk = Walk::transferred(&RetargetOptions::default());
        walk.solve();
        let wished = walk.targets.limbs[2].clone();
        let hand = walk.pair.limbs[2].target.tip;
        let placed = mocap_analysis::placements(&walk.clip(), &[hand]);
        for (frame, is) in placed[0].iter().enumerate() {
            let (block, lane) = place_of(frame);
            assert!(is.rotation.angle_to(&wished[block].tip.at(lane)) < 1e-9);
        }
    }
}
