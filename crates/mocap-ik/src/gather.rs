//! Chains taken from the pose of a skeleton and put back into it.

use crate::{Chain, Constraint, Effector, IkError, Link, Quat, Vec3};
use mocap_model::{Isometry3, JointId, Pose, Skeleton};

/// A joint whose place or frame is a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tip {
    /// The joint.
    pub joint: JointId,
    /// Whether the joint itself turns: for goals of its orientation. If not, only those above it do.
    pub turns: bool,
}

/// A chain and the joints of a skeleton it stands for.
#[derive(Clone, Debug)]
pub struct PosedChain {
    /// The chain.
    pub chain: Chain,
    /// The joint of the skeleton, by joint of the chain.
    joints: Vec<JointId>,
    tips: Vec<Tip>,
    /// The skeleton's length.
    of: usize,
}

impl PosedChain {
    /// The joints from `base` down to the parent of `tip`; the effector is the place of `tip`. The constraints
    /// are those the skeleton states.
    ///
    /// # Errors
    /// Where `tip` is not below `base`.
    pub fn limb(skeleton: &Skeleton, base: JointId, tip: JointId) -> Result<PosedChain, IkError> {
        PosedChain::new(skeleton, base, &[Tip { joint: tip, turns: false }])
    }

    /// The joints from `base` down to all of `tips`.
    ///
    /// # Errors
    /// Where a tip is not below the base, or there is none.
    pub fn new(skeleton: &Skeleton, base: JointId, tips: &[Tip]) -> Result<PosedChain, IkError> {
        let mut used = vec![false; skeleton.len()];
        for tip in tips {
            let name = |id: JointId| skeleton.joint(id).name.clone();
            let path = skeleton
                .path(base, tip.joint)
                .ok_or_else(|| IkError::NotConnected { base: name(base), effector: name(tip.joint) })?;
            let turning = if tip.turns { &path[..] } else { &path[..path.len() - 1] };
            if turning.is_empty() {
                return Err(IkError::EffectorIsBase { effector: name(tip.joint) });
            }
            turning.iter().for_each(|joint| used[joint.index()] = true);
        }
        let joints: Vec<JointId> = skeleton.iter().map(|(id, _)| id).filter(|id| used[id.index()]).collect();
        let place = |id: JointId| joints.iter().position(|joint| *joint == id);
        let links = joints.iter().map(|&id| {
            let joint = skeleton.joint(id);
            Link { offset: joint.offset, rotation: joint.rest_rotation, constraint: Constraint::of(joint) }
        });
        let parents = joints.iter().map(|&id| skeleton.joint(id).parent.and_then(place));
        let effectors = tips.iter().map(|tip| {
            let joint = skeleton.joint(tip.joint);
            match place(tip.joint) {
                Some(joint) => Effector { joint, offset: Vec3::zeros(), rotation: Quat::identity() },
                None => Effector {
                    joint: joint.parent.and_then(place).expect("the parent of a tip is in the chain"),
                    offset: joint.offset,
                    rotation: joint.rest_rotation,
                },
            }
        });
        let chain =
            Chain::tree(Isometry3::identity(), links.collect(), parents.collect(), effectors.collect())?;
        let mut posed = PosedChain { chain, joints, tips: tips.to_vec(), of: skeleton.len() };
        posed.read(skeleton, &Pose::rest(skeleton))?;
        Ok(posed)
    }

    /// The joints of the skeleton, by joint of the chain.
    pub fn joints(&self) -> &[JointId] {
        &self.joints
    }

    /// The place in the chain of a joint of the skeleton.
    pub fn place(&self, joint: JointId) -> Option<usize> {
        self.joints.iter().position(|other| *other == joint)
    }

    /// Takes over a local pose: the base where the joints above it put it, and the rotations and offsets.
    ///
    /// # Errors
    /// Where the pose is of another skeleton.
    pub fn read(&mut self, skeleton: &Skeleton, local: &Pose) -> Result<(), IkError> {
        let mut base = Isometry3::identity();
        let mut above = skeleton.joint(self.joints[0]).parent;
        while let Some(joint) = above {
            let Some(transform) = local.joints.get(joint.index()) else { break };
            base = transform * base;
            above = skeleton.joint(joint).parent;
        }
        self.read_at(base, local)
    }

    /// Takes over a local pose where the object-space transform of the base's parent is known.
    ///
    /// # Errors
    /// Where the pose is of another skeleton.
    pub fn read_at(&mut self, base: Isometry3<f64>, local: &Pose) -> Result<(), IkError> {
        if local.joints.len() != self.of {
            return Err(IkError::OtherSkeleton { found: local.joints.len(), expected: self.of });
        }
        let chain = &mut self.chain;
        chain.base = base;
        for (i, joint) in self.joints.iter().enumerate() {
            let transform = &local.joints[joint.index()];
            chain.offset[i] = transform.translation.vector;
            chain.local[i] = transform.rotation;
        }
        for (effector, tip) in chain.effectors.iter_mut().zip(&self.tips) {
            if !tip.turns {
                let transform = &local.joints[tip.joint.index()];
                effector.offset = transform.translation.vector;
                effector.rotation = transform.rotation;
            }
        }
        chain.pose_changed();
        Ok(())
    }

    /// Puts the rotations of the chain into a local pose.
    ///
    /// # Errors
    /// Where the pose is of another skeleton.
    pub fn write(&self, local: &mut Pose) -> Result<(), IkError> {
        if local.joints.len() != self.of {
            return Err(IkError::OtherSkeleton { found: local.joints.len(), expected: self.of });
        }
        for (joint, rotation) in self.joints.iter().zip(self.chain.rotations()) {
            local.joints[joint.index()].rotation = *rotation;
        }
        Ok(())
    }
}
