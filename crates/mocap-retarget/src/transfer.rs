//! Stage 2, transfer: each joint rotates by its rule, the root is scaled, and the tips of limbs get
//! their goals.
//!
//! Based on: C.-Y. Yang, T.-Y. Chang, M.-H. Chao, "Motion Retargeting with Geometry Scaling", 2002. The paper
//! scales lengths about the root joint; here they scale about the middle of the hip joints. The offset between
//! the two has its own length on the target, and scaling it as well would put goals out of reach.

use crate::body::{Limb, LimbKind};
use crate::clip_context::ClipContext;
use crate::foot_goal::{FootGoal, PlacedFoot};
use crate::free_limb::FreeLimb;
use crate::in_place::InPlace;
use crate::joint_transfer::{JointLimit, JointRules, JointTransfer};
use crate::limb_map::LimbMap;
use crate::options::{Hands, RetargetMethod, RetargetOptions};
use crate::pair::{Character, Pair, mid_hip};
use crate::self_contact::SelfContacts;
use crate::source_clip::{SegmentFrames, SourceClip};
use crate::standing_heights::StandingHeights;
use crate::trajectories::{BodyTargets, BodyTrajectories, LimbTargets};
use crate::transfer_rules::{JointPair, root_motion_joints};
use crate::velocity_limiter::{STEP_MARGIN, limb_steps};
use mocap_analysis::largest_step;
use mocap_model::{
    ClipFrames, JointId, LANES, PlacedJoints, PlacedLanes, Pose, RotationLanes, Track, UnitQuaternion,
    Vector3, VectorLanes,
};

/// Data shared by all frames of a clip.
pub(crate) struct Transfer<'a> {
    pair: &'a Pair,
    options: &'a RetargetOptions,
    context: &'a ClipContext,
    root_motion: Vec<JointPair>,
    /// The local pose of the target whose translations are kept.
    base: Pose,
    /// Joints that a later stage rotates.
    turned_later: Vec<JointId>,
}

impl<'a> Transfer<'a> {
    pub(crate) fn new(
        pair: &'a Pair,
        options: &'a RetargetOptions,
        context: &'a ClipContext,
        source: &SourceClip,
    ) -> Transfer<'a> {
        let target = &pair.target;
        let mut base = Pose::rest(&target.skeleton);
        base.joints[target.body.hips.index()].translation = Vector3::zeros().into();
        let chains = pair.limbs.iter().flat_map(|limb| limb.chain.joints()).copied();
        let tips = pair.limbs.iter().map(|limb| limb.target.tip);
        let toes = context.feet.geometry.iter().flat_map(|foot| foot.toes.iter().map(|toe| toe.joint));
        let turned_later = chains.chain(tips).chain(toes).collect();
        let root_motion = root_motion(pair, source.motion());
        Transfer { pair, options, context, root_motion, base, turned_later }
    }

    fn rules(&self) -> JointRules<'_> {
        JointRules {
            target: &self.pair.target.skeleton,
            rules: &self.context.rules,
            root_motion: &self.root_motion,
            scale: root_scale(self.pair, self.options),
            turned_later: &self.turned_later,
        }
    }

    /// Trajectories without frames yet. Rotations are written over those of the source, a window of frames at a time,
    /// unless another clip shares them or `kept` says that they are read later.
    pub(crate) fn trajectories(
        &self,
        source: &mut SourceClip,
        window: usize,
        kept: bool,
    ) -> BodyTrajectories {
        let (rules, frames) = (self.rules(), source.frames());
        let sampled = rules.target.iter().map(|(joint, _)| rules.is_sampled(joint));
        let in_place = source.own().filter(|_| !kept).and_then(|clip| InPlace::new(clip, sampled));
        let in_window = |joint: JointId| in_place.as_ref().is_some_and(|in_place| in_place.holds(joint));
        let capacity = |joint: JointId| if in_window(joint) { window.min(frames) } else { frames };
        BodyTrajectories {
            joints: rules.trajectories(frames, capacity),
            hips: Vec::with_capacity(frames),
            window,
            in_place,
        }
    }

    /// Whether an arm needs no solver: the transfer brings its hand to its goal, and no joint can jump.
    fn rests(&self, i: usize, contacts: &SelfContacts) -> bool {
        let Transfer { pair, options, .. } = self;
        pair.limbs[i].target.kind == LimbKind::Arm
            && options.method.scales()
            && options.hand_goals() == Hands::Auto
            && options.limb_solver().is_closed_form()
            && pair.follows[i]
            && !contacts.concern(i)
    }

    /// Whether the local rotations of a limb are left to its solver. For legs that saves work: the solver changes
    /// them in nearly every frame.
    fn leaves(&self, i: usize, joints: &JointTransfer) -> bool {
        let Transfer { pair, options, .. } = self;
        let limb = &pair.limbs[i];
        limb.target.kind == LimbKind::Leg
            && options.method != RetargetMethod::Copy
            && FreeLimb::of(&pair.target.skeleton, &pair.limits, limb, options.limb_solver()).is_some()
            && limb.target.joints().into_iter().all(|joint| joints.follows(joint))
    }

    /// Appends the frames of a segment to the trajectories of a body. Returns the goals of its limbs, given the
    /// contacts of the source's hands.
    pub(crate) fn append(
        &self,
        mut segment: SegmentFrames,
        contacts: &SelfContacts,
        source: &mut SourceClip,
        body: &mut BodyTrajectories,
    ) -> BodyTargets {
        let Transfer { pair, options, context, base, .. } = self;
        let limits = joint_limits(pair, options, context, source.frames_of(&segment));
        let head = pair.target.body.head.filter(|_| contacts.any());
        let rests: Vec<bool> = (0..pair.limbs.len()).map(|i| self.rests(i, contacts)).collect();
        let (turned, placed) = read_joints(pair, options, &rests, head);
        let frames = segment.frames;
        let blocks = frames.div_ceil(LANES);
        let mut joints = JointTransfer::new(self.rules(), limits, base, &turned, &placed);
        let left: Vec<bool> = (0..pair.limbs.len()).map(|i| self.leaves(i, &joints)).collect();
        for (limb, _) in pair.limbs.iter().zip(&left).filter(|(_, left)| **left) {
            limb.target.joints().into_iter().for_each(|joint| joints.leave(joint));
        }
        let limbs = rests.iter().map(|rests| Vec::with_capacity(if *rests { 0 } else { blocks }));
        let mut targets = BodyTargets {
            start: segment.start,
            frames,
            above_hips: Vec::with_capacity(blocks),
            limbs: limbs.collect(),
            steps: self.steps(source.frames_of(&segment), &rests),
            rests,
            left,
            head: Vec::new(),
        };
        let bends: Vec<Vector3<f64>> = pair.limbs.iter().map(|limb| context.bend_axis(pair, limb)).collect();
        // Joints below the hips move with them.
        let Character { skeleton, body: target, .. } = &pair.target;
        let mut moving = skeleton.subtree(target.hips);
        moving.retain(|joint| placed.iter().any(|below| skeleton.is_in_subtree(*below, *joint)));
        for window in segment.windows(body.window) {
            segment.place(source, window.clone());
            let placed = &segment.placed;
            for block in placed.blocks() {
                let count = LANES.min(frames - block * LANES);
                let (joints, bends) = (&mut joints, &bends);
                let mut transfer =
                    BlockTransfer { pair, options, context, source: placed, joints, bends, block };
                transfer.append(&moving, head, count, body, &mut targets);
            }
            body.keep(window.len(), source);
        }
        targets
    }

    /// By limb of the pair: the largest steps of the source's limb, where it is solved.
    fn steps(&self, source: ClipFrames, rests: &[bool]) -> Vec<[f64; 3]> {
        let solved = |rests: bool| !rests && self.options.method != RetargetMethod::Copy;
        let limbs = self.pair.limbs.iter().zip(rests);
        limbs.map(|(limb, rests)| if solved(*rests) { limb_steps(source, limb) } else { [0.0; 3] }).collect()
    }
}

/// Joints of the target whose orientations are read in object space (hips and limbs), and those whose positions
/// are.
fn read_joints(
    pair: &Pair,
    options: &RetargetOptions,
    rests: &[bool],
    head: Option<JointId>,
) -> (Vec<JointId>, Vec<JointId>) {
    let hips = pair.target.body.hips;
    let limbs = || pair.limbs.iter().zip(rests).filter(|(_, rests)| !**rests).map(|(limb, _)| &limb.target);
    // A hand that follows its arm is already at its goal.
    let hands = limbs().filter(|limb| limb.kind == LimbKind::Arm && options.hand_goals() == Hands::Auto);
    let placed = limbs().map(|limb| limb.base).chain(hands.map(|limb| limb.tip)).chain([hips]).chain(head);
    let turned = limbs().flat_map(|limb| [limb.base, limb.middle, limb.tip]).chain([hips]);
    (turned.collect(), placed.collect())
}

/// A block of frames of a body.
struct BlockTransfer<'a, 'b> {
    pair: &'a Pair,
    options: &'a RetargetOptions,
    context: &'a ClipContext,
    /// The source in object space.
    source: &'a PlacedJoints,
    joints: &'a mut JointTransfer<'b>,
    /// By limb of the pair: the axis about which the source's bends, in the frame of its first joint.
    bends: &'a [Vector3<f64>],
    /// The block of the source that is transferred.
    block: usize,
}

impl BlockTransfer<'_, '_> {
    /// Appends the first `count` frames of the block. `moving` are the joints below the hips that are read, and
    /// the hips.
    fn append(
        &mut self,
        moving: &[JointId],
        head: Option<JointId>,
        count: usize,
        body: &mut BodyTrajectories,
        targets: &mut BodyTargets,
    ) {
        self.joints.append(self.source, self.block, count, &mut body.joints);
        let (local, above) = self.place_hips(moving);
        body.hips.extend((0..count).map(|lane| local.at(lane)));
        targets.above_hips.push(above);
        targets.head.extend(head.map(|head| self.object(head).position));
        for (i, limb) in self.pair.limbs.iter().enumerate().filter(|(i, _)| !targets.rests[*i]) {
            let Some(goal) = self.goals(i, limb) else { continue };
            let Limb { base, middle, tip, .. } = limb.target;
            let above = self.pair.target.skeleton.joint(base).parent;
            targets.limbs[i].push(LimbTargets {
                base: above.map_or(PlacedLanes::origin(), |above| *self.object(above)),
                from: self.object(base).position,
                goal,
                frames: [self.object(base).rotation, self.object(middle).rotation],
                tip: self.object(tip).rotation,
                bend: self.source.lanes(limb.source.base, self.block).rotation.turn(&self.bends[i]),
            });
        }
    }

    /// A joint of the target.
    fn object(&self, joint: JointId) -> &PlacedLanes {
        &self.joints.object[joint.index()]
    }

    /// Position of a joint of the source.
    #[inline]
    fn source(&self, joint: JointId, lane: usize) -> Vector3<f64> {
        self.source.lanes(joint, self.block).position.at(lane)
    }

    /// Position of a joint of the target.
    #[inline]
    fn target(&self, joint: JointId, lane: usize) -> Vector3<f64> {
        self.object(joint).position.at(lane)
    }

    /// Moves the hips, and all joints below them that are read, to the scaled position of the source's hips.
    /// Returns the local translations of the hips and the orientations of their parent.
    fn place_hips(&mut self, moving: &[JointId]) -> (VectorLanes, RotationLanes) {
        let shift = VectorLanes::each(|lane| self.hips_shift(lane));
        for id in moving {
            self.joints.object[id.index()].position.add(&shift);
        }
        let Character { skeleton, body: target, .. } = &self.pair.target;
        let place = &self.object(target.hips).position;
        match skeleton.joint(target.hips).parent.map(|above| self.object(above)) {
            Some(above) => (above.rotation.turn_back(&place.minus(&above.position)), above.rotation),
            None => (*place, RotationLanes::same(&UnitQuaternion::identity())),
        }
    }

    /// How far the hips have to move.
    fn hips_shift(&self, lane: usize) -> Vector3<f64> {
        let Pair { source, target, ratios, directions, .. } = self.pair;
        if !self.options.method.scales() {
            let [from, to] = [self.source(source.body.hips, lane), self.target(target.body.hips, lane)];
            return from * ratios.unit - to;
        }
        let middle = mid_hip(&source.body, |joint| self.source(joint, lane));
        let scaled = scaled_root(&middle, &directions.up, ratios.leg, &self.context.heights);
        scaled - mid_hip(&target.body, |joint| self.target(joint, lane))
    }

    /// Target positions of a limb's tip; `None` if the limb is not solved.
    fn goals(&self, i: usize, limb: &LimbMap) -> Option<VectorLanes> {
        let Pair { source, target, ratios, .. } = self.pair;
        let Limb { base, tip, .. } = limb.source;
        let reached = |lane: usize, ratio: f64| {
            let reach = self.source(tip, lane) - self.source(base, lane);
            self.target(limb.target.base, lane) + reach * ratio
        };
        match (self.options.method, limb.target.kind, self.options.hand_goals()) {
            (RetargetMethod::Copy, ..) => None,
            (RetargetMethod::Effectors, ..) => {
                Some(self.source.lanes(tip, self.block).position.times(ratios.unit))
            }
            (RetargetMethod::Scale, LimbKind::Leg, _) => {
                match self.context.feet.goals.iter().find(|foot| foot.limb == i) {
                    Some(foot) => Some(self.foot_goals(limb, foot)),
                    None => Some(VectorLanes::each(|lane| reached(lane, ratios.leg))),
                }
            }
            (RetargetMethod::LimbRatio, LimbKind::Leg, _) => {
                Some(VectorLanes::each(|lane| reached(lane, ratios.leg)))
            }
            (_, LimbKind::Arm, Hands::Auto) => Some(self.object(limb.target.tip).position),
            (_, LimbKind::Arm, Hands::Scale) => Some(VectorLanes::each(|lane| reached(lane, limb.ratio))),
            (_, LimbKind::Arm, Hands::Keep) => Some(VectorLanes::each(|lane| {
                let middle = mid_hip(&source.body, |joint| self.source(joint, lane));
                let from_hips = self.source(tip, lane) - middle;
                mid_hip(&target.body, |joint| self.target(joint, lane)) + from_hips * ratios.leg
            })),
            (_, LimbKind::Arm, Hands::Off) => None,
        }
    }

    /// Target positions of the ankle of a leg.
    fn foot_goals(&self, limb: &LimbMap, foot: &FootGoal) -> VectorLanes {
        let Pair { ratios, directions, .. } = self.pair;
        let [hip, ankle, ball] = [limb.source.base, limb.source.tip, foot.ball]
            .map(|joint| &self.source.lanes(joint, self.block).position);
        let base = &self.object(limb.target.base).position;
        let orientation = &self.object(limb.target.tip).rotation;
        let placed = PlacedFoot { hip, ankle, ball };
        foot.ankles(&placed, base, orientation, ratios.leg, &self.context.heights, &directions.up)
    }
}

/// Position of the target's mid-hip. Only the height above the ankle scales with the leg; the foot has its own height
/// (equation 1 of the source).
fn scaled_root(
    mid_hip: &Vector3<f64>,
    up: &Vector3<f64>,
    leg_ratio: f64,
    heights: &StandingHeights,
) -> Vector3<f64> {
    let height = mid_hip.dot(up);
    let level = (mid_hip - up * height) * leg_ratio;
    let above_ankle = (height - heights.source_floor - heights.source_ankle) * leg_ratio;
    let height = heights.target_floor + heights.target_ankle + above_ankle;
    level + up * height
}

/// Scale of positions of root-motion joints.
fn root_scale(pair: &Pair, options: &RetargetOptions) -> f64 {
    if options.method.scales() { pair.ratios.leg } else { pair.ratios.unit }
}

/// Limits of the joints that are not solved, with the velocity limits of a segment.
fn joint_limits(
    pair: &Pair,
    options: &RetargetOptions,
    context: &ClipContext,
    source: ClipFrames,
) -> Vec<Option<JointLimit>> {
    let solved = options.method != RetargetMethod::Copy;
    let in_chain = |id: JointId| solved && pair.limbs.iter().any(|limb| limb.chain.place(id).is_some());
    let step = |joint: &JointId| largest_step(source, [*joint]).map_or(0.0, |step| step.angle);
    let limits = pair.target.skeleton.iter().zip(&pair.limits.constraints).zip(&context.rules);
    let limits = limits.map(|(((id, _), constraint), rule)| {
        let limited = pair.limits.kept && !constraint.is_free() && !in_chain(id);
        limited.then(|| JointLimit {
            constraint: *constraint,
            step: rule.sources().iter().map(step).fold(0.0, f64::max) + STEP_MARGIN,
            before: None,
        })
    });
    limits.collect()
}

/// Root-motion joints of the pair that the clip animates.
fn root_motion(pair: &Pair, source: ClipFrames) -> Vec<JointPair> {
    let moves = |id: JointId| {
        let tracks = source.whole().track(id);
        tracks.translation.is_some() || matches!(tracks.rotation, Track::Sampled(_))
    };
    let target = &pair.target;
    let [from, to] = [&pair.source, target].map(|character| (&*character.skeleton, &character.body));
    root_motion_joints(&pair.namesakes, from, to, moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_height_above_the_ankle_scales() {
        let heights =
            StandingHeights { source_floor: 0.1, source_ankle: 0.1, target_floor: 0.2, target_ankle: 0.05 };
        let root = scaled_root(&Vector3::new(3.0, 1.0, -1.0), &Vector3::y(), 2.0, &heights);
        assert!((root - Vector3::new(6.0, 0.2 + 0.05 + 1.6, -2.0)).norm() < 1e-12, "{root}");
    }
}
