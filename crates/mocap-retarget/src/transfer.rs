//! Stage 1, transfer: each joint is rotated by its rule, the root is scaled, and the tips of limbs get their goals.
//!
//! Based on: C.-Y. Yang, T.-Y. Chang, M.-H. Chao, "Motion Retargeting with Geometry Scaling", 2002. It scales lengths
//! about the root joint; here they scale about the middle of the hip joints. The offset between the two has its own
//! length on the target, and scaling it puts goals out of reach.

use crate::body::LimbKind;
use crate::clip_context::ClipContext;
use crate::foot_goal::PlacedFoot;
use crate::limb_map::LimbMap;
use crate::options::{Hands, RetargetMethod, RetargetOptions};
use crate::pair::{Pair, mid_hip};
use crate::self_contact::PalmTracks;
use crate::source_clip::{Segment, SourceClip};
use crate::standing_heights::StandingHeights;
use crate::trajectories::{BodyTrajectories, JointTrajectories, LimbTargets};
use crate::transfer_rules::{JointPair, TransferRule, root_motion_joints};
use mocap_analysis::largest_step;
use mocap_ik::Constraint;
use mocap_model::{
    Clip, ForwardKinematics, Isometry3, JointId, Pose, Skeleton, Track, UnitQuaternion, Vector3, slerp,
};

/// A joint may rotate by this much more in one frame than the source's joint does in any frame \[rad\].
pub(crate) const STEP_MARGIN: f64 = 0.08;

/// Transfers all frames of a clip to a body.
pub(crate) fn transfer(
    pair: &Pair,
    options: &RetargetOptions,
    context: &ClipContext,
    source: &SourceClip,
) -> BodyTrajectories {
    let frames = source.frames();
    let root_motion = root_motion(pair, source.motion());
    let joints = JointTrajectories::with_capacity(
        pair.target.skeleton.len(),
        root_motion.iter().map(|pair| pair.target),
        frames,
    );
    let mut body = BodyTrajectories {
        joints,
        hips: Vec::with_capacity(frames),
        above_hips: Vec::with_capacity(frames),
        limbs: pair.limbs.iter().map(|_| LimbTargets::with_capacity(frames)).collect(),
        head: Vec::new(),
        palms: PalmTracks::new(pair, options, frames),
    };
    for segment in source.segments() {
        let joints = JointTransfer {
            target: &pair.target.skeleton,
            rules: &context.rules,
            limits: joint_limits(pair, options, context, segment),
            root_motion: &root_motion,
            scale: root_scale(pair, options),
            local: Pose::rest(&pair.target.skeleton),
            object: Pose::rest(&pair.target.skeleton),
        };
        BodyTransfer {
            pair,
            options,
            context,
            source: ForwardKinematics::of_joints(
                &segment.clip,
                &driving_joints(pair, context, &root_motion, body.palms.head(pair)),
            ),
            joints,
            moving: pair.target.skeleton.subtree(pair.target.body.hips),
        }
        .append(segment.clip.frames(), &mut body);
    }
    body
}

/// One frame of joints that rotate by rules.
pub(crate) struct JointTransfer<'a> {
    pub target: &'a Skeleton,
    /// By joint.
    pub rules: &'a [TransferRule],
    /// By joint; `None` for a joint without limits, or whose limits another stage keeps.
    pub limits: Vec<Option<JointLimit>>,
    /// Joints whose position follows the source's.
    pub root_motion: &'a [JointPair],
    /// Scale of these positions.
    pub scale: f64,
    /// The target in local space. Translations of other joints stay as they are.
    pub local: Pose,
    /// The target in object space.
    pub object: Pose,
}

/// The limits of a joint, and how far it may rotate from one frame to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointLimit {
    pub constraint: Constraint,
    /// \[rad\]
    pub step: f64,
    /// Rotation in the frame before.
    pub before: Option<UnitQuaternion<f64>>,
}

impl JointLimit {
    fn apply(&mut self, local: UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        // A rotation may have two nearest allowed ones, and the nearer of both may change from frame to frame.
        let allowed = self.constraint.project(&local).0;
        let limited = match self.before {
            Some(before) => self.constraint.slerp_towards(&before, &allowed, self.step),
            None => allowed,
        };
        self.before = Some(limited);
        limited
    }
}

impl JointTransfer<'_> {
    /// Poses all joints as the source is posed.
    pub(crate) fn pose(&mut self, source: &ForwardKinematics) {
        for (id, joint) in self.target.iter() {
            let at = id.index();
            let parent =
                joint.parent.map_or(Isometry3::identity(), |parent| self.object.joints[parent.index()]);
            let mut local = local_rotation(&self.rules[at], &parent.rotation, source);
            if let Some(limit) = &mut self.limits[at] {
                local = limit.apply(local);
            }
            self.local.joints[at].rotation = UnitQuaternion::new_normalize(local.into_inner());
            if let Some(pair) = self.root_motion.iter().find(|pair| pair.target == id) {
                let scaled = source.at(pair.source).translation.vector * self.scale;
                let place = parent.inverse_transform_point(&scaled.into());
                self.local.joints[at].translation = place.coords.into();
            }
            self.object.joints[at] = parent * self.local.joints[at];
        }
    }

    /// Appends the current pose.
    pub(crate) fn record(&self, trajectories: &mut JointTrajectories) {
        let tracks = trajectories.rotations.iter_mut().zip(&self.local.joints).zip(self.rules);
        for ((samples, local), rule) in tracks {
            if !matches!(rule, TransferRule::Unpaired(_)) {
                samples.push(local.rotation);
            }
        }
        for (joint, samples) in &mut trajectories.translations {
            samples.push(self.local.joints[joint.index()].translation.vector);
        }
    }
}

/// The local rotation that a rule gives under a parent's orientation.
fn local_rotation(
    rule: &TransferRule,
    parent: &UnitQuaternion<f64>,
    source: &ForwardKinematics,
) -> UnitQuaternion<f64> {
    let turned = |joint: &JointId, frame: &UnitQuaternion<f64>| source.at(*joint).rotation * frame;
    match rule {
        TransferRule::Hold(local) | TransferRule::Unpaired(local) => *local,
        TransferRule::Follow { source, frame } => parent.inverse() * turned(source, frame),
        TransferRule::Blend { sources: [a, b], frames: [in_a, in_b], share } => {
            parent.inverse() * slerp(&turned(a, in_a), &turned(b, in_b), *share)
        }
        TransferRule::FollowPair { source: joint, frame } => {
            parent.inverse() * source.at(*joint).rotation * frame
        }
    }
}

/// One frame of a body.
struct BodyTransfer<'a> {
    pair: &'a Pair,
    options: &'a RetargetOptions,
    context: &'a ClipContext,
    /// The source in object space.
    source: ForwardKinematics<'a>,
    joints: JointTransfer<'a>,
    /// The hips and all joints below them.
    moving: Vec<JointId>,
}

impl BodyTransfer<'_> {
    /// Appends all frames of the source.
    fn append(mut self, frames: usize, body: &mut BodyTrajectories) {
        let Pair { target, limbs, .. } = self.pair;
        let hips = target.body.hips.index();
        let head = target.body.head.filter(|_| !body.palms.pairs.is_empty());
        for frame in 0..frames {
            self.source.place(frame);
            // The position of the hips in the frame before must not leave a trace, not even by rounding.
            self.joints.local.joints[hips].translation = Vector3::zeros().into();
            self.joints.pose(&self.source);
            let above_hips = self.place_hips();
            self.joints.record(&mut body.joints);
            body.hips.push(self.joints.local.joints[hips].translation.vector);
            body.above_hips.push(above_hips);
            body.palms.record(self.pair, &self.source, self.context.heights.source_floor);
            if let Some(head) = head {
                body.head.push(self.target(head));
            }
            for (i, limb) in limbs.iter().enumerate() {
                if let Some(goal) = self.goal(i, limb) {
                    self.append_targets(limb, goal, &self.context.bend_axes[i], &mut body.limbs[i]);
                }
            }
        }
    }

    fn append_targets(
        &self,
        limb: &LimbMap,
        goal: Vector3<f64>,
        bend_axis: &Vector3<f64>,
        targets: &mut LimbTargets,
    ) {
        let object = |joint: JointId| &self.joints.object.joints[joint.index()];
        let above = self.joints.target.joint(limb.target.base).parent;
        targets.base.push(above.map_or(Isometry3::identity(), |parent| *object(parent)));
        targets.from.push(self.target(limb.target.base));
        targets.goal.push(goal);
        targets.bend.push(self.source.at(limb.source.base).rotation * bend_axis);
        targets.frames.push([limb.target.base, limb.target.middle].map(|joint| object(joint).rotation));
        targets.tip.push(object(limb.target.tip).rotation);
    }

    /// Position of a joint of the source.
    fn source(&self, joint: JointId) -> Vector3<f64> {
        self.source.at(joint).translation.vector
    }

    /// Position of a joint of the target.
    fn target(&self, joint: JointId) -> Vector3<f64> {
        self.joints.object.joints[joint.index()].translation.vector
    }

    /// Moves the hips, and all joints below them, to the scaled position of the source's. Returns the orientation of
    /// the joint above the hips.
    fn place_hips(&mut self) -> UnitQuaternion<f64> {
        let shift = self.hips_shift();
        for id in &self.moving {
            self.joints.object.joints[id.index()].translation.vector += shift;
        }
        let hips = self.pair.target.body.hips;
        let place = self.target(hips);
        let parent = self.joints.target.joint(hips).parent;
        let parent = parent.map_or(Isometry3::identity(), |parent| self.joints.object.joints[parent.index()]);
        self.joints.local.joints[hips.index()].translation =
            parent.inverse_transform_point(&place.into()).coords.into();
        parent.rotation
    }

    /// How far the hips have to move.
    fn hips_shift(&self) -> Vector3<f64> {
        let Pair { source, target, ratios, directions, .. } = self.pair;
        if !self.options.method.scales() {
            return self.source(source.body.hips) * ratios.unit - self.target(target.body.hips);
        }
        let middle = mid_hip(&source.body, |joint| self.source(joint));
        let scaled = scaled_root(&middle, &directions.up, ratios.leg, &self.context.heights);
        scaled - mid_hip(&target.body, |joint| self.target(joint))
    }

    /// Target position of a limb's tip; `None` if the limb is not solved.
    fn goal(&self, i: usize, limb: &LimbMap) -> Option<Vector3<f64>> {
        let Pair { source, target, ratios, .. } = self.pair;
        let tip = self.source(limb.source.tip);
        let reach = tip - self.source(limb.source.base);
        let base = self.target(limb.target.base);
        match (self.options.method, limb.target.kind, self.options.hand_goals()) {
            (RetargetMethod::Copy, ..) => None,
            (RetargetMethod::Effectors, ..) => Some(tip * ratios.unit),
            (RetargetMethod::Scale, LimbKind::Leg, _) => Some(self.foot_goal(i, limb)),
            (RetargetMethod::LimbRatio, LimbKind::Leg, _) => Some(base + reach * ratios.leg),
            (_, LimbKind::Arm, Hands::Auto) => Some(self.target(limb.target.tip)),
            (_, LimbKind::Arm, Hands::Scale) => Some(base + reach * limb.ratio),
            (_, LimbKind::Arm, Hands::Keep) => {
                let from_hips = tip - mid_hip(&source.body, |joint| self.source(joint));
                Some(mid_hip(&target.body, |joint| self.target(joint)) + from_hips * ratios.leg)
            }
            (_, LimbKind::Arm, Hands::Off) => None,
        }
    }

    /// Target position of the ankle of leg `i`.
    fn foot_goal(&self, i: usize, limb: &LimbMap) -> Vector3<f64> {
        let Pair { ratios, directions, .. } = self.pair;
        let [hip, ankle] = [limb.source.base, limb.source.tip].map(|joint| self.source(joint));
        let base = self.target(limb.target.base);
        let Some(goal) = self.context.feet.goals.iter().find(|goal| goal.limb == i) else {
            return base + (ankle - hip) * ratios.leg;
        };
        let placed = PlacedFoot { hip, ankle, ball: self.source(goal.ball) };
        let foot = self.joints.object.joints[limb.target.tip.index()].rotation;
        goal.ankle(&placed, &base, &foot, ratios.leg, &self.context.heights, &directions.up)
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

/// Limits of the joints that no solver poses, with the velocity limits of a segment.
fn joint_limits(
    pair: &Pair,
    options: &RetargetOptions,
    context: &ClipContext,
    segment: &Segment,
) -> Vec<Option<JointLimit>> {
    let solved = options.method != RetargetMethod::Copy;
    let in_chain = |id: JointId| solved && pair.limbs.iter().any(|limb| limb.chain.place(id).is_some());
    let step = |joint: &JointId| largest_step(&segment.clip, [*joint]).map_or(0.0, |step| step.angle);
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
fn root_motion(pair: &Pair, source: &Clip) -> Vec<JointPair> {
    let moves = |id: JointId| {
        let tracks = source.track(id);
        tracks.translation.is_some() || matches!(tracks.rotation, Track::Sampled(_))
    };
    let target = &pair.target;
    root_motion_joints((source.skeleton(), &pair.source.body), (&target.skeleton, &target.body), moves)
}

/// The joints of the source whose object-space transforms are read.
fn driving_joints(
    pair: &Pair,
    context: &ClipContext,
    root_motion: &[JointPair],
    head: Option<JointId>,
) -> Vec<JointId> {
    let mut joints = vec![pair.source.body.hips];
    joints.extend(head);
    joints.extend(root_motion.iter().map(|pair| pair.source));
    joints.extend(pair.source.body.limbs.iter().flatten().flat_map(|limb| [limb.base, limb.tip]));
    joints.extend(context.rules.iter().flat_map(TransferRule::sources));
    joints.extend(context.feet.goals.iter().map(|goal| goal.ball));
    joints
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{Dofs, EulerOrder, FrameRate, Joint, JointTracks, Limit, Space, exp};
    use std::sync::Arc;

    const ROOT: JointId = JointId(0);
    const TIP: JointId = JointId(1);

    /// A root and a joint 1 above it.
    fn skeleton() -> Skeleton {
        let joint = |name: &str, parent, offset| Joint {
            name: name.into(),
            parent,
            offset,
            rest_rotation: UnitQuaternion::identity(),
            dofs: Dofs::ball(EulerOrder::XYZ),
            role: None,
            end_site: false,
        };
        let joints = vec![joint("root", None, Vector3::zeros()), joint("tip", Some(ROOT), Vector3::y())];
        Skeleton::new("two", Space::default(), joints).unwrap()
    }

    /// The root moves along X and rotates about Z by 0.5 per frame.
    fn clip() -> Clip {
        let angles = [0.0, 0.5, 1.0];
        let root = JointTracks {
            rotation: Track::Sampled(angles.map(|angle| exp(&(Vector3::z() * angle))).to_vec()),
            translation: Some(Track::Sampled(angles.map(|at| Vector3::x() * at).to_vec())),
            scale: None,
        };
        let tip = JointTracks::new(Track::Constant(UnitQuaternion::identity()), None);
        Clip::new(Arc::new(skeleton()), FrameRate::new(30.0).unwrap(), 3, vec![root, tip]).unwrap()
    }

    fn transferred(rules: &[TransferRule], limits: Vec<Option<JointLimit>>) -> JointTrajectories {
        let (target, clip) = (skeleton(), clip());
        let root_motion = [JointPair { source: ROOT, target: ROOT }];
        let mut joints = JointTransfer {
            target: &target,
            rules,
            limits,
            root_motion: &root_motion,
            scale: 2.0,
            local: Pose::rest(&target),
            object: Pose::rest(&target),
        };
        let mut kinematics = ForwardKinematics::of_joints(&clip, &[ROOT, TIP]);
        let mut trajectories = JointTrajectories::with_capacity(2, std::iter::once(ROOT), 3);
        for frame in 0..3 {
            kinematics.place(frame);
            joints.pose(&kinematics);
            joints.record(&mut trajectories);
        }
        trajectories
    }

    #[test]
    fn joints_follow_in_object_space_and_the_root_is_scaled() {
        let frame = exp(&(Vector3::x() * 0.3));
        let follow = |source| TransferRule::Follow { source, frame };
        let moved = transferred(&[follow(ROOT), follow(TIP)], vec![None, None]);
        let expected = exp(&(Vector3::z() * 1.0)) * frame;
        assert!(moved.rotations[0][2].angle_to(&expected) < 1e-12);
        // The tip has the root's orientation in object space, so none below it.
        assert!(moved.rotations[1][2].angle() < 1e-12);
        assert!((moved.translations[0].1[2] - Vector3::x() * 2.0).norm() < 1e-12);
    }

    #[test]
    fn a_joint_that_blends_is_between_its_sources() {
        let identity = UnitQuaternion::identity();
        let rules = [
            TransferRule::Hold(identity),
            TransferRule::Blend {
                sources: [TIP, ROOT],
                frames: [exp(&(Vector3::z() * -1.0)), identity],
                share: 0.5,
            },
        ];
        let moved = transferred(&rules, vec![None, None]);
        // Halfway between 1 - 1 and 1.
        assert!((moved.rotations[1][2].angle() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn an_unpaired_joint_has_no_samples_and_keeps_its_rotation() {
        let kept = exp(&(Vector3::x() * 0.2));
        let identity = UnitQuaternion::identity();
        let pair = TransferRule::FollowPair { source: ROOT, frame: identity };
        let moved = transferred(&[pair, TransferRule::Unpaired(kept)], vec![None, None]);
        assert_eq!((moved.rotations[0].len(), moved.rotations[1].len()), (3, 0));
        let mut start = Pose::rest(&skeleton());
        start.joints[1].rotation = kept;
        let clip = moved.into_clip(Arc::new(skeleton()), &start, FrameRate::new(30.0).unwrap(), 3).unwrap();
        assert_eq!(clip.track(TIP).rotation, Track::Constant(kept));
    }

    #[test]
    fn limits_hold_and_steps_are_limited() {
        let mut dofs = Dofs::ball(EulerOrder::XYZ);
        dofs.limits = [None, None, Some(Limit { min: 0.0, max: 0.7 })];
        let joint = Joint { dofs, ..skeleton().joint(ROOT).clone() };
        let limit = |step| Some(JointLimit { constraint: Constraint::of(&joint), step, before: None });
        let rules = [
            TransferRule::Follow { source: ROOT, frame: UnitQuaternion::identity() },
            TransferRule::Hold(UnitQuaternion::identity()),
        ];
        let angles = |step| -> Vec<f64> {
            transferred(&rules, vec![limit(step), None]).rotations[0]
                .iter()
                .map(UnitQuaternion::angle)
                .collect()
        };
        let free = angles(f64::INFINITY);
        assert!((free[1] - 0.5).abs() < 1e-9 && (free[2] - 0.7).abs() < 1e-9, "{free:?}");
        let slow = angles(0.1);
        assert!((slow[1] - 0.1).abs() < 1e-6 && (slow[2] - 0.2).abs() < 1e-6, "{slow:?}");
    }

    #[test]
    fn only_the_height_above_the_ankle_scales() {
        let heights =
            StandingHeights { source_floor: 0.1, source_ankle: 0.1, target_floor: 0.2, target_ankle: 0.05 };
        let root = scaled_root(&Vector3::new(3.0, 1.0, -1.0), &Vector3::y(), 2.0, &heights);
        assert!((root - Vector3::new(6.0, 0.2 + 0.05 + 1.6, -2.0)).norm() < 1e-12, "{root}");
    }
}
