//! A skeleton seen as a body: hips, four limbs, spine and neck.

use crate::error::{RetargetError, SourceOrTarget};
use crate::roles::{REQUIRED_ROLES, RoleMap};
use mocap_model::{JointId, Role, Side, Skeleton};

/// An arm or a leg.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limb {
    pub kind: LimbKind,
    pub side: Side,
    /// Hip or shoulder joint.
    pub base: JointId,
    /// Knee or elbow.
    pub middle: JointId,
    /// Ankle or wrist.
    pub tip: JointId,
}

impl Limb {
    /// From the trunk outwards.
    pub(crate) fn joints(&self) -> [JointId; 3] {
        [self.base, self.middle, self.tip]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LimbKind {
    Leg,
    Arm,
}

impl LimbKind {
    /// The roles of the left side, from the trunk outwards.
    pub(crate) fn roles(self) -> [Role; 3] {
        match self {
            LimbKind::Leg => [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot],
            LimbKind::Arm => [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
        }
    }

    pub(crate) fn roles_of(self, side: Side) -> [Role; 3] {
        self.roles().map(|role| if side == Side::Left { role } else { role.mirrored() })
    }
}

/// Both sides of legs, then of arms.
pub(crate) const LIMBS: [(LimbKind, Side); 4] = [
    (LimbKind::Leg, Side::Left),
    (LimbKind::Leg, Side::Right),
    (LimbKind::Arm, Side::Left),
    (LimbKind::Arm, Side::Right),
];

/// The joints of a skeleton that make a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Body {
    pub roles: RoleMap,
    pub hips: JointId,
    /// In the order of [`LIMBS`]; legs always exist.
    pub limbs: [Option<Limb>; 4],
    /// The last common ancestor of both legs, mostly the hips. Joints from the hips to here are not the spine.
    pub pelvis: JointId,
    /// The joints after the pelvis, up to the parent of shoulders and neck.
    pub spine: Vec<JointId>,
    /// The joints after the spine, up to the parent of the head.
    pub neck: Vec<JointId>,
    pub head: Option<JointId>,
    /// The side of the only arm that was found. It is not solved, because there is nothing on the other side to
    /// compare it with.
    pub lone_arm: Option<Side>,
}

impl Body {
    pub(crate) fn new(
        skeleton: &Skeleton,
        roles: RoleMap,
        which: SourceOrTarget,
    ) -> Result<Body, RetargetError> {
        refuse_guesses(skeleton, &roles, which)?;
        let missing: Vec<Role> =
            REQUIRED_ROLES.into_iter().filter(|role| roles.joint(*role).is_none()).collect();
        let (Some(hips), true) = (roles.joint(Role::Hips), missing.is_empty()) else {
            let found = roles.rows.iter().map(|row| row.role).collect();
            return Err(RetargetError::MissingRoles { which, missing, found });
        };
        let mut limbs = [const { None }; 4];
        for (limb, (kind, side)) in limbs.iter_mut().zip(LIMBS) {
            *limb = find_limb(skeleton, &roles, hips, kind, side, which)?;
        }
        // A single arm is ignored: the other side has nothing to compare with.
        let lone_arm = match (&limbs[2], &limbs[3]) {
            (Some(_), None) => Some(Side::Left),
            (None, Some(_)) => Some(Side::Right),
            _ => None,
        };
        if lone_arm.is_some() {
            (limbs[2], limbs[3]) = (None, None);
        }
        let head = roles.joint(Role::Head);
        let top = top_of_spine(skeleton, &roles).filter(|top| skeleton.path(hips, *top).is_some());
        let path = |from: JointId, to: JointId| skeleton.path(from, to).unwrap_or_default();
        let mut spine = top.map_or(Vec::new(), |top| path(hips, top).split_off(1));
        let bases = limbs[..2].iter().flatten().map(|leg| leg.base).collect::<Vec<_>>();
        let carries_legs = |joint: &JointId| bases.iter().all(|base| skeleton.path(*joint, *base).is_some());
        let below = spine.iter().take_while(|joint| Some(**joint) != top && carries_legs(joint)).count();
        let pelvis = spine.drain(..below).next_back().unwrap_or(hips);
        let below_neck = top.unwrap_or(hips);
        let neck = head.map_or(Vec::new(), |head| {
            let path = path(below_neck, head);
            path.get(1..path.len().saturating_sub(1)).unwrap_or_default().to_vec()
        });
        Ok(Body { roles, hips, limbs, pelvis, spine, neck, head, lone_arm })
    }

    /// The parent of shoulders and neck.
    pub(crate) fn top(&self) -> JointId {
        self.spine.last().copied().unwrap_or(self.hips)
    }

    /// The legs, left and right.
    pub(crate) fn legs(&self) -> [&Limb; 2] {
        [0, 1].map(|i| self.limbs[i].as_ref().expect("checked in new"))
    }
}

/// Uncertain limbs are an error: a wrongly identified limb would still move, and look like a fault of the
/// motion.
fn refuse_guesses(skeleton: &Skeleton, roles: &RoleMap, which: SourceOrTarget) -> Result<(), RetargetError> {
    let in_limb = |role: Role| {
        role == Role::Hips || LIMBS.iter().any(|(kind, side)| kind.roles_of(*side).contains(&role))
    };
    let guesses = roles.rows.iter().filter(|row| in_limb(row.role) && !row.is_certain());
    let rows: Vec<_> = guesses.map(|row| (row.role, skeleton.joint(row.joint).name.clone())).collect();
    if rows.is_empty() { Ok(()) } else { Err(RetargetError::Uncertain { which, rows }) }
}

fn top_of_spine(skeleton: &Skeleton, roles: &RoleMap) -> Option<JointId> {
    let arms = [Role::LeftShoulder, Role::LeftUpperArm]
        .into_iter()
        .find_map(|role| skeleton.common_ancestor(roles.joint(role)?, roles.joint(role.mirrored())?));
    let mut top =
        arms.or_else(|| skeleton.joint(roles.joint(Role::Neck).or(roles.joint(Role::Head))?).parent)?;
    while roles.role(top) == Some(Role::Neck) {
        top = skeleton.joint(top).parent?;
    }
    Some(top)
}

fn find_limb(
    skeleton: &Skeleton,
    map: &RoleMap,
    hips: JointId,
    kind: LimbKind,
    side: Side,
    which: SourceOrTarget,
) -> Result<Option<Limb>, RetargetError> {
    let roles = kind.roles_of(side);
    let [Some(base), Some(middle), Some(tip)] = roles.map(|role| map.joint(role)) else {
        return Ok(None);
    };
    for ((upper, a), (lower, b)) in [
        ((Role::Hips, hips), (roles[0], base)),
        ((roles[0], base), (roles[1], middle)),
        ((roles[1], middle), (roles[2], tip)),
    ] {
        let name = |id: JointId| skeleton.joint(id).name.clone();
        if a == b || skeleton.path(a, b).is_none() {
            return Err(RetargetError::NotBelow {
                which,
                upper,
                upper_joint: name(a),
                lower,
                lower_joint: name(b),
            });
        }
    }
    Ok(Some(Limb { kind, side, base, middle, tip }))
}
