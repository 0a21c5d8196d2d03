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
    /// By joint: whether its position is read.
    placed: Vec<bool>,
    /// Local rotations by joint.
    local: Vec<RotationLanes>,
    /// Local translations of the joints of [`JointRules::root_motion`].
    translations: Vec<VectorLanes>,
    /// By joint, in object space; positions that are not read stay as they are.
    pub object: Vec<PlacedLanes>,
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
            placed: placed_joints(&joints, placed),
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
            let (above, below) = self.object.split_at_mut(at);
            let parent = joint.parent.map(|parent| &above[parent.index()]);
            let (object, local) = (&mut below[0], &mut self.local[at]);
            match (&self.joints.rules[at], parent, &mut self.limits[at]) {
                (TransferRule::Follow { source: joint, frame }, Some(parent), None) => {
                    object.rotation.set_product(&source.lanes(*joint, block).rotation, frame);
                    local.set_seen_from(&parent.rotation, &object.rotation);
                }
                (rule, parent, limit) => {
                    if let Some(mut turned) = local_rotation(rule, parent, source, block) {
                        if let Some(limit) = limit {
                            (0..LANES).for_each(|lane| turned.set(lane, &limit.apply(turned.at(lane))));
                        }
                        *local = turned.renormalised();
                    }
                    object.rotation = parent.map_or(*local, |parent| parent.rotation.product(local));
                }
            }
            let moved = self.joints.root_motion.iter().position(|pair| pair.target == id);
            match (parent, moved) {
                (_, Some(i)) => {
                    let place = source.lanes(self.joints.root_motion[i].source, block).position;
                    object.position = place.times(self.joints.scale);
                    self.translations[i] = parent.map_or(object.position, |parent| {
                        parent.rotation.turn_back(&object.position.minus(&parent.position))
                    });
                }
                (Some(parent), None) if self.placed[at] => {
                    object.set_position_below(parent, &self.offsets[at]);
                }
                (Some(_), None) => {}
                (None, None) => object.position = VectorLanes::same(&self.offsets[at]),
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

/// Whether positions are read, by joint: of `placed`, of the parents of joints that follow the source's position, and of
/// all above them.
fn placed_joints(joints: &JointRules, placed: &[JointId]) -> Vec<bool> {
    let mut read = vec![false; joints.target.len()];
    let above_moving = joints.root_motion.iter().filter_map(|pair| joints.target.joint(pair.target).parent);
    placed.iter().copied().chain(above_moving).for_each(|id| read[id.index()] = true);
    for (id, joint) in joints.target.iter().rev() {
        if let Some(parent) = joint.parent {
            read[parent.index()] |= read[id.index()];
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
