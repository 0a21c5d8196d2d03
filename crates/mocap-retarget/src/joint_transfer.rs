//! Transfers joint rotations by rules, eight frames at once.

use crate::trajectories::JointTrajectories;
use crate::transfer_rules::{JointPair, TransferRule};
use mocap_ik::Constraint;
use mocap_model::{
    JointId, LANES, PlacedJoints, PlacedLanes, Pose, RotationLanes, Skeleton, UnitQuaternion, Vector3,
    VectorLanes, slerp,
};

/// The joints of a target, and how they rotate.
#[derive(Clone, Copy)]
pub(crate) struct JointRules<'a> {
    pub target: &'a Skeleton,
    /// By joint.
    pub rules: &'a [TransferRule],
    /// Joints whose position follows the source's.
    pub root_motion: &'a [JointPair],
    /// Scale of these positions.
    pub scale: f64,
    /// Joints that a later stage rotates. They get a rotation in every frame, even if the transfer keeps one
    /// here.
    pub turned_later: &'a [JointId],
}

/// The joints of a target in a block of frames.
pub(crate) struct JointTransfer<'a> {
    joints: JointRules<'a>,
    /// By joint; `None` for a joint without limits, or if another stage applies its limits.
    limits: Vec<Option<JointLimit>>,
    /// By joint.
    plans: Vec<JointPlan>,
    /// Local rotations by joint.
    local: Vec<RotationLanes>,
    /// Local translations of the joints of [`JointRules::root_motion`].
    translations: Vec<VectorLanes>,
    /// By joint, in object space. Transforms that no stage reads are not updated.
    pub object: Vec<PlacedLanes>,
}

/// What is computed for a joint in every block.
#[derive(Clone, Copy, Debug)]
struct JointPlan {
    parent: Option<usize>,
    /// The translation of a joint without root motion.
    offset: Vector3<f64>,
    /// Whether a later stage reads its orientation.
    turned: bool,
    /// Whether a later stage reads its position.
    placed: bool,
    /// Index in [`JointRules::root_motion`].
    moved: Option<usize>,
    samples: Samples,
}

/// Which local rotations of a joint are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Samples {
    None,
    One,
    Each,
    /// One per frame, which a later stage writes.
    Left,
}

impl JointRules<'_> {
    /// Whether a joint has one rotation per frame.
    pub(crate) fn is_sampled(&self, joint: JointId) -> bool {
        self.samples(joint) == Samples::Each
    }

    fn samples(&self, joint: JointId) -> Samples {
        match self.rules[joint.index()] {
            TransferRule::Unpaired(_) => Samples::None,
            TransferRule::Hold(_) if !self.turned_later.contains(&joint) => Samples::One,
            _ => Samples::Each,
        }
    }

    /// Trajectories without frames yet, and with memory for so many rotations of a joint.
    pub(crate) fn trajectories(
        &self,
        frames: usize,
        rotations: impl Fn(JointId) -> usize,
    ) -> JointTrajectories {
        // Whole blocks are appended.
        let capacity =
            |joint| if self.is_sampled(joint) { rotations(joint).next_multiple_of(LANES) } else { 0 };
        let rotations = self.target.iter().map(|(joint, _)| Vec::with_capacity(capacity(joint)));
        let moving = self.root_motion.iter().map(|pair| (pair.target, Vec::with_capacity(frames)));
        JointTrajectories { rotations: rotations.collect(), translations: moving.collect() }
    }
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
        // A rotation may have two nearest allowed rotations, and which is nearer may change from frame to frame.
        let allowed = self.constraint.project(&local).0;
        let limited = match self.before {
            Some(before) => self.constraint.slerp_towards(&before, &allowed, self.step),
            None => allowed,
        };
        self.before = Some(limited);
        limited
    }
}

impl<'a> JointTransfer<'a> {
    /// `base` is the local pose whose translations are kept. `turned` and `placed` are the joints whose
    /// orientations and positions later stages read.
    pub(crate) fn new(
        joints: JointRules<'a>,
        limits: Vec<Option<JointLimit>>,
        base: &Pose,
        turned: &[JointId],
        placed: &[JointId],
    ) -> JointTransfer<'a> {
        let identity = RotationLanes::same(&UnitQuaternion::identity());
        let origin = VectorLanes::same(&Vector3::zeros());
        let local = joints.rules.iter().zip(&limits).map(|(rule, limit)| match rule {
            TransferRule::Hold(local) | TransferRule::Unpaired(local) => {
                let allowed = limit.map_or(*local, |limit| limit.constraint.project(local).0);
                RotationLanes::same(&UnitQuaternion::new_normalize(allowed.into_inner()))
            }
            _ => identity,
        });
        JointTransfer {
            local: local.collect(),
            plans: plans(&joints, base, turned, placed),
            limits,
            translations: vec![origin; joints.root_motion.len()],
            object: vec![PlacedLanes::origin(); joints.target.len()],
            joints,
        }
    }

    /// Whether a joint takes over the rotation of one source joint, and has a parent and no limits.
    pub(crate) fn follows(&self, joint: JointId) -> bool {
        matches!(self.joints.rules[joint.index()], TransferRule::Follow { .. })
            && self.plans[joint.index()].parent.is_some()
            && self.limits[joint.index()].is_none()
    }

    /// Leaves the local rotations of a joint for which [`Self::follows`] is true to a later stage.
    pub(crate) fn leave(&mut self, joint: JointId) {
        self.plans[joint.index()].samples = Samples::Left;
    }

    /// Poses all joints as the source is posed in a block of frames, and appends the first `count` of them.
    pub(crate) fn append(
        &mut self,
        source: &PlacedJoints,
        block: usize,
        count: usize,
        trajectories: &mut JointTrajectories,
    ) {
        for (at, (plan, rule)) in self.plans.iter().zip(self.joints.rules).enumerate() {
            let (above, below) = self.object.split_at_mut(at);
            let parent = plan.parent.map(|parent| &above[parent]);
            let (object, local) = (&mut below[0], &mut self.local[at]);
            let samples = &mut trajectories.rotations[at];
            match (rule, parent, &mut self.limits[at]) {
                (TransferRule::Follow { source: joint, frame }, Some(parent), None) => {
                    object.rotation.set_product(&source.lanes(*joint, block).rotation, frame);
                    match plan.samples {
                        Samples::Left => samples.resize(samples.len() + count, UnitQuaternion::identity()),
                        _ => object.rotation.append_seen_from(&parent.rotation, samples, count),
                    }
                }
                (rule, parent, limit) => {
                    if let Some(mut turned) = local_rotation(rule, parent, source, block) {
                        if let Some(limit) = limit {
                            (0..LANES).for_each(|lane| turned.set(lane, &limit.apply(turned.at(lane))));
                        }
                        turned.renormalise();
                        *local = turned;
                    }
                    if plan.turned {
                        object.rotation = parent.map_or(*local, |parent| parent.rotation.product(local));
                    }
                    match plan.samples {
                        Samples::Each => local.append_to(samples, count),
                        Samples::One if samples.is_empty() => samples.push(local.at(0)),
                        Samples::One | Samples::None | Samples::Left => {}
                    }
                }
            }
            match (parent, plan.moved) {
                (_, Some(i)) => {
                    let place = source.lanes(self.joints.root_motion[i].source, block).position;
                    object.position = place.times(self.joints.scale);
                    self.translations[i] = parent.map_or(object.position, |parent| {
                        parent.rotation.turn_back(&object.position.minus(&parent.position))
                    });
                }
                (Some(parent), None) if plan.placed => object.set_position_below(parent, &plan.offset),
                (Some(_), None) => {}
                (None, None) => object.position = VectorLanes::same(&plan.offset),
            }
        }
        for ((_, samples), places) in trajectories.translations.iter_mut().zip(&self.translations) {
            samples.extend((0..count).map(|lane| places.at(lane)));
        }
    }
}

/// The plan of each joint. A joint is computed if a joint below it is read.
fn plans(joints: &JointRules, base: &Pose, turned: &[JointId], placed: &[JointId]) -> Vec<JointPlan> {
    let JointRules { target, rules, root_motion, .. } = *joints;
    let plan = |id: JointId| JointPlan {
        parent: target.joint(id).parent.map(JointId::index),
        offset: base.joints[id.index()].translation.vector,
        turned: turned.contains(&id),
        placed: placed.contains(&id),
        moved: root_motion.iter().position(|pair| pair.target == id),
        samples: joints.samples(id),
    };
    let mut plans: Vec<JointPlan> = target.iter().map(|(id, _)| plan(id)).collect();
    for at in (0..plans.len()).rev() {
        let JointPlan { parent, turned, placed, moved, .. } = plans[at];
        if let Some(parent) = parent {
            let follows = !rules[at].sources().is_empty();
            plans[parent].turned |= turned || follows || placed || moved.is_some();
            plans[parent].placed |= placed || moved.is_some();
        }
    }
    plans
}

/// The local rotations that a rule gives under a parent; `None` if the joint keeps its rotation.
fn local_rotation(
    rule: &TransferRule,
    parent: Option<&PlacedLanes>,
    source: &PlacedJoints,
    block: usize,
) -> Option<RotationLanes> {
    let rotation = |joint: JointId| &source.lanes(joint, block).rotation;
    let below = |turned: RotationLanes| match parent {
        Some(parent) => parent.rotation.inverse_product(&turned),
        None => turned,
    };
    match rule {
        TransferRule::Hold(_) | TransferRule::Unpaired(_) => None,
        TransferRule::Follow { source, frame } => Some(below(rotation(*source).product_with(frame))),
        TransferRule::Blend { sources: [a, b], frames: [in_a, in_b], share } => {
            let (a, b) = (rotation(*a).product_with(in_a), rotation(*b).product_with(in_b));
            Some(below(RotationLanes::each(|lane| slerp(&a.at(lane), &b.at(lane), *share))))
        }
        TransferRule::FollowPair { source, frame } => Some(below(*rotation(*source)).product_with(frame)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{
        Clip, Dofs, EulerOrder, FrameRate, Joint, JointTracks, Limit, Skeleton, Space, Track, exp,
    };
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
        let rules =
            JointRules { target: &target, rules, root_motion: &root_motion, scale: 2.0, turned_later: &[] };
        let mut joints = JointTransfer::new(rules, limits, &Pose::rest(&target), &[], &[]);
        let placed = PlacedJoints::of(&clip, [ROOT, TIP]);
        let mut trajectories = rules.trajectories(3, |_| 3);
        joints.append(&placed, 0, 3, &mut trajectories);
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
    fn a_joint_that_keeps_its_rotation_has_one_sample_unless_it_is_turned_later() {
        let (target, clip) = (skeleton(), clip());
        let hold = TransferRule::Hold(exp(&(Vector3::x() * 0.2)));
        let rules = [TransferRule::Follow { source: ROOT, frame: UnitQuaternion::identity() }, hold];
        let samples = |turned_later: &[JointId]| {
            let rules =
                JointRules { target: &target, rules: &rules, root_motion: &[], scale: 1.0, turned_later };
            let mut joints = JointTransfer::new(rules, vec![None, None], &Pose::rest(&target), &[], &[]);
            let mut trajectories = rules.trajectories(3, |_| 3);
            joints.append(&PlacedJoints::of(&clip, [ROOT]), 0, 3, &mut trajectories);
            trajectories.rotations.swap_remove(1)
        };
        assert_eq!((samples(&[]).len(), samples(&[TIP]).len()), (1, 3));
        assert_eq!(samples(&[])[0], samples(&[TIP])[2]);
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
}
