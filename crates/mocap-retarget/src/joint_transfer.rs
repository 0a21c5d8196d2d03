//! Joints that rotate by rules, eight frames at once.

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
}

/// The joints of a target in a block of frames.
pub(crate) struct JointTransfer<'a> {
    joints: JointRules<'a>,
    /// By joint; `None` for a joint without limits, or whose limits another stage keeps.
    limits: Vec<Option<JointLimit>>,
    /// By joint: the translation of a joint that does not move.
    offsets: Vec<Vector3<f64>>,
    /// By joint: which of its parts in object space are read.
    read: Vec<Read>,
    /// Local rotations by joint.
    local: Vec<RotationLanes>,
    /// Local translations of the joints of [`JointRules::root_motion`].
    translations: Vec<VectorLanes>,
    /// By joint, in object space; what is not read stays as it is.
    pub object: Vec<PlacedLanes>,
}

/// What is read of a joint in object space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Read {
    Nothing,
    Rotation,
    Position,
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

impl<'a> JointTransfer<'a> {
    /// `base` is the local pose whose translations are kept; `placed` are the joints whose positions are read.
    pub(crate) fn new(
        joints: JointRules<'a>,
        limits: Vec<Option<JointLimit>>,
        base: &Pose,
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
            read: reads(&joints, placed),
            joints,
            limits,
            offsets: base.joints.iter().map(|joint| joint.translation.vector).collect(),
            translations: vec![origin; joints.root_motion.len()],
            object: vec![PlacedLanes { rotation: identity, position: origin }; joints.target.len()],
        }
    }

    /// Poses all joints as the source is posed in a block of frames.
    pub(crate) fn pose(&mut self, source: &PlacedJoints, block: usize) {
        for (id, joint) in self.joints.target.iter() {
            let at = id.index();
            let parent = joint.parent.map(|parent| self.object[parent.index()]);
            if let Some(mut local) = local_rotation(&self.joints.rules[at], parent.as_ref(), source, block) {
                if let Some(limit) = &mut self.limits[at] {
                    (0..LANES).for_each(|lane| local.set(lane, &limit.apply(local.at(lane))));
                }
                self.local[at] = local.normalised();
            }
            let moved = self.joints.root_motion.iter().position(|pair| pair.target == id);
            if let Some(i) = moved {
                let place = source.lanes(self.joints.root_motion[i].source, block).position;
                let place = place.times(self.joints.scale);
                self.translations[i] = match &parent {
                    Some(parent) => parent.rotation.turn_back(&place.minus(&parent.position)),
                    None => place,
                };
            }
            if self.read[at] == Read::Nothing {
                continue;
            }
            self.object[at].rotation = match &parent {
                Some(parent) => parent.rotation.product(&self.local[at]),
                None => self.local[at],
            };
            if self.read[at] == Read::Position {
                self.object[at].position = match (&parent, moved) {
                    (Some(parent), Some(i)) => {
                        parent.position.plus(&parent.rotation.turn_each(&self.translations[i]))
                    }
                    (Some(parent), None) => parent.position.plus(&parent.rotation.turn(&self.offsets[at])),
                    (None, Some(i)) => self.translations[i],
                    (None, None) => VectorLanes::same(&self.offsets[at]),
                };
            }
        }
    }

    /// Appends the first `count` frames of the block.
    pub(crate) fn record(&self, trajectories: &mut JointTrajectories, count: usize) {
        let tracks = trajectories.rotations.iter_mut().zip(&self.local).zip(self.joints.rules);
        for ((samples, local), rule) in tracks {
            if !matches!(rule, TransferRule::Unpaired(_)) {
                samples.extend((0..count).map(|lane| local.at(lane)));
            }
        }
        for ((_, samples), places) in trajectories.translations.iter_mut().zip(&self.translations) {
            samples.extend((0..count).map(|lane| places.at(lane)));
        }
    }
}

/// What is read of each joint: positions of `placed`, rotations of the parents of joints that follow, and what these
/// need of the joints above them.
fn reads(joints: &JointRules, placed: &[JointId]) -> Vec<Read> {
    let mut read = vec![Read::Nothing; joints.target.len()];
    let mut raise = |id: JointId, to: Read| read[id.index()] = read[id.index()].max(to);
    placed.iter().for_each(|id| raise(*id, Read::Position));
    for ((_, joint), rule) in joints.target.iter().zip(joints.rules) {
        if let (Some(parent), false) = (joint.parent, rule.sources().is_empty()) {
            raise(parent, Read::Rotation);
        }
    }
    for pair in joints.root_motion {
        joints.target.joint(pair.target).parent.iter().for_each(|parent| raise(*parent, Read::Position));
    }
    for (id, joint) in joints.target.iter().rev() {
        if let Some(parent) = joint.parent {
            read[parent.index()] = read[parent.index()].max(read[id.index()]);
        }
    }
    read
}

/// The local rotations that a rule gives under a parent; `None` if they stay.
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
        let rules = JointRules { target: &target, rules, root_motion: &root_motion, scale: 2.0 };
        let mut joints = JointTransfer::new(rules, limits, &Pose::rest(&target), &[]);
        let placed = PlacedJoints::of(&clip, [ROOT, TIP]);
        let mut trajectories = JointTrajectories::with_capacity(2, std::iter::once(ROOT), 3);
        joints.pose(&placed, 0);
        joints.record(&mut trajectories, 3);
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
}
