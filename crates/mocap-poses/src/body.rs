//! A skeleton as a trunk and four limbs.

use crate::{Placed, PosesError, Quat};
use mocap_model::{JointId, Role, Skeleton, Vector3};
use mocap_retarget::{RoleMap, map_roles};
use std::sync::Arc;

/// A skeleton with its trunk and limbs.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub(crate) skeleton: Arc<Skeleton>,
    pub(crate) hips: JointId,
    /// Joints from below the hips to the head, in order.
    pub(crate) trunk: Vec<JointId>,
    /// Joints below the hips that belong to no chain, such as a jaw.
    pub(crate) others: Vec<JointId>,
    /// Arms, then legs; left before right.
    pub(crate) limbs: Vec<Limb>,
    /// The hips and all joints above, parents first: the joints of a pose.
    pub(crate) joints: Vec<JointId>,
    /// The length of a leg, hip joint to ankle [units of the skeleton].
    pub(crate) leg: f64,
}

/// An arm or a leg.
#[derive(Clone, Debug, PartialEq)]
pub struct Limb {
    /// The joint of the trunk that carries it.
    pub(crate) base: JointId,
    /// Joints from below the base to the hand or foot, in order.
    pub(crate) chain: Vec<JointId>,
    /// Indices in the chain of the shoulder or hip joint, and of the elbow or knee.
    pub(crate) upper: usize,
    pub(crate) middle: usize,
    /// Joints below the chain that do not belong to it, such as fingers and toes.
    pub(crate) followers: Vec<JointId>,
    pub(crate) is_arm: bool,
    /// From the upper joint to the end [units of the skeleton].
    pub(crate) length: f64,
}

impl Limb {
    /// The hand or foot.
    pub(crate) fn end(&self) -> JointId {
        self.chain[self.chain.len() - 1]
    }

    pub(crate) fn upper(&self) -> JointId {
        self.chain[self.upper]
    }

    pub(crate) fn middle(&self) -> JointId {
        self.chain[self.middle]
    }

    /// Whether the limb has exactly two bones from the upper joint to the end, as the closed-form IK needs it.
    pub(crate) fn is_two_bones(&self) -> bool {
        self.middle == self.upper + 1 && self.chain.len() == self.middle + 2
    }
}

const LIMBS: [(&str, bool, [Role; 3]); 4] = {
    use Role::*;
    [
        ("left arm", true, [LeftUpperArm, LeftLowerArm, LeftHand]),
        ("right arm", true, [RightUpperArm, RightLowerArm, RightHand]),
        ("left leg", false, [LeftUpperLeg, LeftLowerLeg, LeftFoot]),
        ("right leg", false, [RightUpperLeg, RightLowerLeg, RightFoot]),
    ]
};

impl Body {
    /// Finds trunk and limbs.
    ///
    /// # Errors
    /// Where the skeleton is not one of a human body.
    pub fn of(skeleton: &Arc<Skeleton>) -> Result<Body, PosesError> {
        Body::with_roles(skeleton, &map_roles(skeleton))
    }

    pub(crate) fn with_roles(skeleton: &Arc<Skeleton>, map: &RoleMap) -> Result<Body, PosesError> {
        if skeleton.robot().is_some() {
            return Err(PosesError::Robot);
        }
        if map.on_four_legs {
            return Err(PosesError::FourLegs);
        }
        let map = map.certain();
        // The neck replaces a missing head.
        let joint = |role| map.joint(role).or_else(|| map.joint(Role::Neck).filter(|_| role == Role::Head));
        let needed = [Role::Hips, Role::Head].into_iter().chain(LIMBS.iter().flat_map(|(.., roles)| *roles));
        let missing: Vec<Role> = needed.filter(|role| joint(*role).is_none()).collect();
        if !missing.is_empty() {
            return Err(PosesError::Unmapped { missing });
        }
        let found = |role| joint(role).expect("none is missing");
        let hips = found(Role::Hips);
        let trunk = path(skeleton, hips, found(Role::Head)).ok_or(PosesError::Limb { limb: "head" })?;
        let mut limbs = Vec::new();
        for (name, is_arm, roles) in LIMBS {
            limbs.push(
                limb(skeleton, (hips, &trunk), roles.map(found), is_arm)
                    .ok_or(PosesError::Limb { limb: name })?,
            );
        }
        let mut taken = vec![false; skeleton.len()];
        taken[hips.index()] = true;
        for id in trunk.iter().chain(limbs.iter().flat_map(|limb| limb.chain.iter().chain(&limb.followers))) {
            taken[id.index()] = true;
        }
        let others: Vec<JointId> =
            below(skeleton, hips).into_iter().filter(|id| !taken[id.index()]).collect();
        let leg = (limbs[2].length + limbs[3].length) / 2.0;
        // From here on, the roles are stored in the skeleton.
        let skeleton = Arc::new(map.apply(skeleton));
        let mut body = Body { skeleton, hips, trunk, others, limbs, joints: Vec::new(), leg };
        body.joints = body.all_joints();
        Ok(body)
    }

    /// The skeleton, with the roles that were found.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// The rotation of a joint relative to its parent, that of the hips in object space. `at` is a pose in object
    /// space.
    pub(crate) fn local(&self, at: &[Placed], joint: JointId) -> Quat {
        let own = at[joint.index()].rotation;
        let parent = self.skeleton.joint(joint).parent.filter(|_| joint != self.hips);
        parent.map_or(own, |parent| at[parent.index()].rotation.inverse() * own)
    }

    fn all_joints(&self) -> Vec<JointId> {
        let limbs = self.limbs.iter().flat_map(|limb| limb.chain.iter().chain(&limb.followers));
        let mut all: Vec<JointId> =
            [self.hips].iter().chain(&self.trunk).chain(limbs).chain(&self.others).copied().collect();
        all.sort();
        all
    }

    /// The axis of the skeleton that points up.
    pub(crate) fn up(&self) -> Vector3<f64> {
        self.skeleton.space().up.vector()
    }
}

fn limb(
    skeleton: &Skeleton,
    (hips, trunk): (JointId, &[JointId]),
    [upper, middle, end]: [JointId; 3],
    is_arm: bool,
) -> Option<Limb> {
    let from_hips = path(skeleton, hips, end)?;
    let shared = from_hips.iter().take_while(|id| trunk.contains(id)).count();
    let base = if shared == 0 { hips } else { from_hips[shared - 1] };
    let chain = from_hips[shared..].to_vec();
    let [upper, middle] = [upper, middle].map(|joint| chain.iter().position(|id| *id == joint));
    let (upper, middle) = (upper?, middle?);
    let length: f64 = chain[upper + 1..].iter().map(|id| skeleton.joint(*id).offset.norm()).sum();
    if upper >= middle || middle + 1 >= chain.len() || !(length > 0.0 && length.is_finite()) {
        return None;
    }
    let followers = below(skeleton, chain[0]).into_iter().filter(|id| !chain.contains(id)).collect();
    Some(Limb { base, chain, upper, middle, followers, is_arm, length })
}

/// The joints below one down to another, without the first.
fn path(skeleton: &Skeleton, from: JointId, to: JointId) -> Option<Vec<JointId>> {
    let mut path = Vec::new();
    let mut at = to;
    while at != from {
        path.push(at);
        at = skeleton.joint(at).parent?;
    }
    path.reverse();
    Some(path)
}

/// All joints below one that are not end sites, parents first.
fn below(skeleton: &Skeleton, top: JointId) -> Vec<JointId> {
    let mut inside = vec![false; skeleton.len()];
    inside[top.index()] = true;
    let mut found = Vec::new();
    for (id, joint) in skeleton.iter() {
        if joint.parent.is_some_and(|parent| inside[parent.index()]) {
            inside[id.index()] = true;
            if !joint.end_site {
                found.push(id);
            }
        }
    }
    found
}
