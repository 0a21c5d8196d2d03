//! Template skeleton for subjects without a given one: segments of an average adult, scaled and then
//! calibrated.
//!
//! Lengths follow R. Drillis, R. Contini, "Body Segment Parameters", 1966, for a stature of 1.75 m; hip joints
//! follow Harrington et al., "Prediction of the hip joint centre", 2007.

use mocap_model::{Joint, JointId, ModelError, Role, Skeleton, Space, Unit, UnitSource, Vector3};

/// One joint of the template: name, role, parent, offset of an adult \[m\], and how much of the offset is free.
struct Row(&'static str, Option<Role>, Option<&'static str>, [f64; 3], Freedom);

/// How far an offset may differ from that of the template.
#[derive(Clone, Copy, PartialEq)]
enum Freedom {
    /// It is scaled with the body.
    Fixed,
    /// Standard deviations [m].
    Free([f64; 3]),
}

use Freedom::{Fixed, Free};

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row("Hips", Some(Role::Hips), None, [0.0, 0.96, 0.0], Fixed),
    Row("Spine", Some(Role::Spine), Some("Hips"), [0.0, 0.09, -0.02], Fixed),
    Row("Chest", Some(Role::Chest), Some("Spine"), [0.0, 0.17, -0.01], Free([0.005, 0.03, 0.015])),
    Row("Neck", Some(Role::Neck), Some("Chest"), [0.0, 0.25, -0.01], Free([0.005, 0.03, 0.02])),
    Row("Head", Some(Role::Head), Some("Neck"), [0.0, 0.09, 0.015], Fixed),
    Row("HeadEnd", None, Some("Head"), [0.0, 0.19, 0.0], Fixed),
    Row("LeftShoulder", Some(Role::LeftShoulder), Some("Chest"), [0.03, 0.19, 0.0], Fixed),
    Row("LeftArm", Some(Role::LeftUpperArm), Some("LeftShoulder"), [0.145, 0.0, -0.015], Free([0.015, 0.02, 0.015])),
    Row("LeftForeArm", Some(Role::LeftLowerArm), Some("LeftArm"), [0.29, 0.0, 0.0], Free([0.03, 0.003, 0.003])),
    Row("LeftForeArmRoll", None, Some("LeftForeArm"), [0.13, 0.0, 0.0], Fixed),
    Row("LeftHand", Some(Role::LeftHand), Some("LeftForeArmRoll"), [0.125, 0.0, 0.0], Free([0.03, 0.003, 0.003])),
    Row("LeftHandEnd", None, Some("LeftHand"), [0.18, 0.0, 0.0], Fixed),
    Row("RightShoulder", Some(Role::RightShoulder), Some("Chest"), [-0.03, 0.19, 0.0], Fixed),
    Row("RightArm", Some(Role::RightUpperArm), Some("RightShoulder"), [-0.145, 0.0, -0.015], Free([0.015, 0.02, 0.015])),
    Row("RightForeArm", Some(Role::RightLowerArm), Some("RightArm"), [-0.29, 0.0, 0.0], Free([0.03, 0.003, 0.003])),
    Row("RightForeArmRoll", None, Some("RightForeArm"), [-0.13, 0.0, 0.0], Fixed),
    Row("RightHand", Some(Role::RightHand), Some("RightForeArmRoll"), [-0.125, 0.0, 0.0], Free([0.03, 0.003, 0.003])),
    Row("RightHandEnd", None, Some("RightHand"), [-0.18, 0.0, 0.0], Fixed),
    Row("LeftUpLeg", Some(Role::LeftUpperLeg), Some("Hips"), [0.087, -0.06, 0.0], Free([0.012, 0.001, 0.001])),
    Row("LeftLeg", Some(Role::LeftLowerLeg), Some("LeftUpLeg"), [0.0, -0.43, 0.0], Free([0.003, 0.03, 0.003])),
    Row("LeftFoot", Some(Role::LeftFoot), Some("LeftLeg"), [0.0, -0.42, 0.0], Free([0.003, 0.03, 0.003])),
    Row("LeftToeBase", Some(Role::LeftToes), Some("LeftFoot"), [0.0, -0.07, 0.13], Fixed),
    Row("LeftToeEnd", None, Some("LeftToeBase"), [0.0, 0.0, 0.07], Fixed),
    Row("RightUpLeg", Some(Role::RightUpperLeg), Some("Hips"), [-0.087, -0.06, 0.0], Free([0.012, 0.001, 0.001])),
    Row("RightLeg", Some(Role::RightLowerLeg), Some("RightUpLeg"), [0.0, -0.43, 0.0], Free([0.003, 0.03, 0.003])),
    Row("RightFoot", Some(Role::RightFoot), Some("RightLeg"), [0.0, -0.42, 0.0], Free([0.003, 0.03, 0.003])),
    Row("RightToeBase", Some(Role::RightToes), Some("RightFoot"), [0.0, -0.07, 0.13], Fixed),
    Row("RightToeEnd", None, Some("RightToeBase"), [0.0, 0.0, 0.07], Fixed),
];

/// The template in metres, with the joints whose roles are `wanted`.
///
/// # Errors
/// Where no joint is left: without the hips there is none.
pub(crate) fn skeleton(scale: f64, wanted: impl Fn(Role) -> bool) -> Result<Skeleton, ModelError> {
    let mut index: Vec<(&str, JointId)> = Vec::new();
    let mut joints = Vec::new();
    for Row(name, role, parent, offset, _) in ROWS {
        let above =
            parent.and_then(|parent| index.iter().find(|(other, _)| *other == parent)).map(|(_, id)| *id);
        if (parent.is_some() && above.is_none()) || role.is_some_and(|role| !wanted(role)) {
            continue;
        }
        index.push((name, JointId::from(joints.len())));
        let mut joint = Joint::new(*name, above, Vector3::from(*offset) * scale);
        if twists(name) {
            joint.dofs.rotation = [true, false, false];
        }
        // Clavicles roll with the arm: the marker on a shoulder cannot distinguish both.
        if name.ends_with("Shoulder") {
            joint.dofs.rotation = [false, true, true];
        }
        joints.push(Joint { role: *role, end_site: name.ends_with("End"), ..joint });
    }
    let unit = Some(Unit { metres: 1.0, source: UnitSource::File });
    Skeleton::new("subject", Space { unit, ..Space::default() }, joints)
}

/// Whether a joint twists the lower part of a forearm against the upper one.
pub(crate) fn twists(name: &str) -> bool {
    name.ends_with("Roll")
}

/// How far the offset of a joint may differ from the template [m]; `None` where it only scales.
pub(crate) fn freedom(name: &str) -> Option<Vector3<f64>> {
    let row = ROWS.iter().find(|row| row.0 == name)?;
    match row.4 {
        Fixed => None,
        Free(sigma) => Some(Vector3::from(sigma)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_body_has_its_joints_only() {
        let legs =
            skeleton(1.0, |role| !role.name().contains("Arm") && !role.name().contains("Hand")).unwrap();
        assert!(legs.with_role(Role::LeftFoot).is_some() && legs.with_role(Role::LeftUpperArm).is_none());
        assert!(legs.find("LeftHandEnd").is_none());
        let small = skeleton(0.5, |_| true).unwrap();
        assert_eq!(small.len(), ROWS.len());
        assert_eq!(small.joint(small.find("LeftLeg").unwrap()).offset.y, -0.215);
        assert_eq!(skeleton(1.0, |role| role != Role::Hips), Err(ModelError::NoJoints));
    }
}
