//! Confidence in roles: the strength of their reason, reduced by what contradicts them in the skeleton.

use super::{RoleMap, RoleReason, RoleRow};
use mocap_model::{JointId, Role, Skeleton};

/// Least score of a role that counts as certain.
pub(super) const CERTAIN: f64 = 0.5;

/// Factor of the score if the joint is not below the joint of the role above.
const NOT_BELOW: f64 = 0.3;
/// Factor if its bone has another length than on the other side.
const UNLIKE_TWIN: f64 = 0.7;
/// Factor if its bone has no length.
const NO_LENGTH: f64 = 0.6;
/// Greatest relative difference between bones of both sides.
const ALIKE: f64 = 0.2;

/// Roles that every complete body has.
const CORE: [Role; 13] = [
    Role::Hips,
    Role::LeftUpperLeg,
    Role::LeftLowerLeg,
    Role::LeftFoot,
    Role::RightUpperLeg,
    Role::RightLowerLeg,
    Role::RightFoot,
    Role::LeftUpperArm,
    Role::LeftLowerArm,
    Role::LeftHand,
    Role::RightUpperArm,
    Role::RightLowerArm,
    Role::RightHand,
];

/// Score of names by the number of matching roles: a few matches may be chance.
pub(super) fn of_names(found: &[(Role, JointId)]) -> f64 {
    let explained = CORE.iter().filter(|role| found.iter().any(|(found, _)| found == *role)).count();
    0.6 + 0.4 * explained as f64 / CORE.len() as f64
}

/// Factor for a body that stands on four legs.
const FOUR_LEGS: f64 = 0.4;

/// Lowers the scores of a body on four legs, which may not be a person. Stated roles keep theirs.
pub(super) fn doubt_four_legs(map: &mut RoleMap) {
    for row in &mut map.rows {
        if !matches!(row.reason, RoleReason::Stated | RoleReason::Given) {
            row.score *= FOUR_LEGS;
        }
    }
    map.on_four_legs = true;
}

/// Lowers scores that hierarchy and lengths contradict. Stated roles keep theirs.
pub(super) fn check(skeleton: &Skeleton, map: &mut RoleMap) {
    let scores: Vec<f64> = map.rows.iter().map(|row| checked(skeleton, map, row)).collect();
    for (row, score) in map.rows.iter_mut().zip(scores) {
        row.score = score;
    }
}

fn checked(skeleton: &Skeleton, map: &RoleMap, row: &RoleRow) -> f64 {
    if matches!(row.reason, RoleReason::Stated | RoleReason::Given) {
        return row.score;
    }
    let mut score = row.score;
    let Some(above) = map.joint(above(row.role)).filter(|above| *above != row.joint) else { return score };
    if skeleton.path(above, row.joint).is_none() {
        return score * NOT_BELOW;
    }
    let far = |from: JointId, to: JointId| -> f64 {
        let path = skeleton.path(from, to).unwrap_or_default();
        path.iter().skip(1).map(|id| skeleton.joint(*id).offset.norm()).sum()
    };
    let length = far(above, row.joint);
    let in_limb = !matches!(self::above(row.role), Role::Hips) && row.role.side().is_some();
    if in_limb && length == 0.0 {
        score *= NO_LENGTH;
    }
    let twin = map.joint(row.role.mirrored()).zip(map.joint(self::above(row.role).mirrored()));
    if let Some((twin, above)) = twin.filter(|_| in_limb) {
        let other = far(above, twin);
        if (length - other).abs() > ALIKE * length.max(other) {
            score *= UNLIKE_TWIN;
        }
    }
    score
}

/// The role whose joint has to be above the joint of `role`.
fn above(role: Role) -> Role {
    match role {
        Role::LeftLowerLeg => Role::LeftUpperLeg,
        Role::LeftFoot => Role::LeftLowerLeg,
        Role::LeftToes => Role::LeftFoot,
        Role::LeftLowerArm => Role::LeftUpperArm,
        Role::LeftHand => Role::LeftLowerArm,
        Role::RightLowerLeg | Role::RightFoot | Role::RightToes | Role::RightLowerArm | Role::RightHand => {
            above(role.mirrored()).mirrored()
        }
        _ => match role.name() {
            name if name.starts_with("Left") && is_finger(name) => Role::LeftHand,
            name if name.starts_with("Right") && is_finger(name) => Role::RightHand,
            _ => Role::Hips,
        },
    }
}

fn is_finger(name: &str) -> bool {
    name.ends_with(['1', '2', '3'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limbs_hang_on_limbs_of_their_side() {
        assert_eq!(above(Role::RightToes), Role::RightFoot);
        assert_eq!(above(Role::RightLittle3), Role::RightHand);
        assert_eq!(above(Role::LeftUpperArm), Role::Hips);
        assert_eq!(above(Role::Head), Role::Hips);
    }

    #[test]
    fn all_core_roles_count_in_full() {
        let all: Vec<_> = CORE.iter().map(|role| (*role, JointId(0))).collect();
        assert_eq!(of_names(&all), 1.0);
        assert_eq!(of_names(&all[..0]), 0.6);
    }
}
