//! Roles of robots and of rigs with unknown names: words, the rest pose, hinges at one place.

use mocap_model::*;
use mocap_retarget::{RoleMap, map_roles};

use crate::maps::{cut, nameless};

/// A robot whose root is the chest: its arms hang on it, its legs on a waist below. Along Y up, or turned to Z up.
fn chest_first(space: Space) -> Skeleton {
    let turn = |at: [f64; 3]| match space.up == Space::default().up {
        true => Vector3::from(at),
        // Forward Z becomes X, left X becomes Y.
        false => Vector3::new(at[2], at[0], at[1]),
    };
    let mut joints = vec![Joint::new("Trunk", None, Vector3::zeros())];
    let mut add = |name: &str, parent: usize, at: [f64; 3]| {
        joints.push(Joint::new(name, Some(JointId::from(parent)), turn(at)));
        joints.len() - 1
    };
    let waist = add("Waist", 0, [0.0, -0.12, 0.0]);
    let arm = [
        ("Shoulder_Pitch", 0.11),
        ("Shoulder_Roll", 0.05),
        ("Elbow_Pitch", 0.06),
        ("Elbow_Yaw", 0.15),
        ("hand_link", 0.14),
    ];
    let leg = [
        ("Hip_Pitch", 0.0),
        ("Hip_Roll", 0.02),
        ("Hip_Yaw", 0.08),
        ("Knee_Pitch", 0.13),
        ("Ankle_Pitch", 0.28),
    ];
    for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
        let mut parent = 0;
        for (at, (name, out)) in arm.into_iter().enumerate() {
            parent =
                add(&format!("{side}_{name}"), parent, [sign * out, if at == 0 { 0.22 } else { 0.0 }, 0.0]);
        }
        parent = waist;
        for (at, (name, down)) in leg.into_iter().enumerate() {
            let aside = if at == 0 { 0.1 } else { 0.0 };
            parent = add(&format!("{side}_{name}"), parent, [sign * aside, -down, 0.0]);
        }
        add(&format!("{side}_foot_link"), parent, [0.0, -0.02, 0.06]);
    }
    Skeleton::new("chest first", space, joints).unwrap()
}

#[test]
fn legs_of_a_robot_whose_root_is_its_chest_are_legs() {
    for space in [Space::default(), Space::metres_z_up()] {
        let robot = chest_first(space);
        let place = |map: &RoleMap, role: Role| map.joint(role).map(|id| robot.joint(id).name.as_str());
        // By the words in their names; without names, since they alone point down at rest.
        for map in [map_roles(&robot), map_roles(&nameless(&robot))].map(|map| map.certain()) {
            assert_eq!(place(&map, Role::Hips), Some("Trunk"));
            assert_eq!(place(&map, Role::LeftLowerLeg), Some("Left_Knee_Pitch"));
            assert_eq!(place(&map, Role::RightFoot), Some("Right_Ankle_Pitch"));
            assert_eq!(place(&map, Role::LeftLowerArm), Some("Left_Elbow_Yaw"));
        }
        // Arms that hang at rest as well: only names show which are the legs.
        let hanging = robot.with_joints(|joint| {
            if joint.name.contains("Elbow") || joint.name.contains("hand") {
                joint.offset = -joint.offset.norm() * space.up.vector();
            }
        });
        let hanging = hanging.unwrap();
        let map = map_roles(&hanging).certain();
        assert_eq!(place(&map, Role::RightLowerLeg), Some("Right_Knee_Pitch"));
        assert_eq!(place(&map, Role::LeftLowerArm), Some("Left_Elbow_Yaw"));
    }
}

/// A robot with three hinges at each hip and shoulder, a second hinge at the place of the knee, and
/// feet and hands of two hinges; it faces backwards, so that only names show its sides.
fn hinges_at_one_place() -> Skeleton {
    let mut joints = vec![Joint::new("base", None, Vector3::zeros())];
    let mut add = |name: String, parent: usize, at: [f64; 3]| {
        joints.push(Joint::new(name, Some(JointId::from(parent)), Vector3::from(at)));
        joints.len() - 1
    };
    let torso = add("torso".into(), 0, [0.0, 0.3, 0.0]);
    let none = [0.0; 3];
    for (side, sign) in [("l", -1.0), ("r", 1.0)] {
        let leg = [
            ("hip_pitch", [sign * 0.1, -0.1, 0.0]),
            ("hip_roll", none),
            ("hip_yaw", none),
            ("shank_yaw", [0.0, -0.4, 0.0]),
            ("knee", none),
            ("ankle_pitch", [0.0, -0.38, 0.0]),
            ("ankle_roll", none),
        ];
        let arm = [
            ("shoulder_pitch", [sign * 0.18, 0.2, 0.0]),
            ("shoulder_roll", none),
            ("shoulder_yaw", none),
            ("elbow", [sign * 0.28, 0.0, 0.0]),
            ("wrist_pitch", [sign * 0.24, 0.0, 0.0]),
            ("wrist_yaw", none),
        ];
        for (top, limb) in [(0, &leg[..]), (torso, &arm[..])] {
            limb.iter().fold(top, |parent, (name, at)| add(format!("{side}_{name}"), parent, *at));
        }
    }
    Skeleton::new("hinges", Space::default(), joints).unwrap()
}

#[test]
fn several_hinges_at_one_place_are_one_joint_and_names_tell_the_sides() {
    let robot = hinges_at_one_place();
    let expected = [
        (Role::Hips, "base"),
        (Role::LeftUpperLeg, "l_hip_pitch"),
        (Role::LeftLowerLeg, "l_knee"),
        (Role::RightFoot, "r_ankle_pitch"),
        (Role::LeftUpperArm, "l_shoulder_pitch"),
        (Role::RightLowerArm, "r_elbow"),
        (Role::LeftHand, "l_wrist_pitch"),
    ];
    for (scale, up) in [(1.0, Space::default()), (100.0, Space::default()), (1.0, Space::metres_z_up())] {
        let scaled = robot.with_joints(|joint| joint.offset *= scale).unwrap().with_space(up);
        let map = map_roles(&scaled).certain();
        for (role, name) in expected {
            let found = map.joint(role).map(|id| scaled.joint(id).name.as_str());
            assert_eq!(found, Some(name), "{role} at {scale}");
        }
    }
    // Without words in the names, the same joints are found, except the knee: nothing shows which
    // of its two hinges it is.
    let map = map_roles(&nameless(&robot));
    let name = |role| map.joint(role).map(|id| robot.joint(id).name.as_str());
    assert_eq!(name(Role::Hips), Some("base"));
    assert!(matches!(name(Role::LeftLowerLeg), Some("r_shank_yaw")), "{:?}", name(Role::LeftLowerLeg));
}

/// The joints of a robot with other names where `hides` holds: the side, and a number.
fn with_hidden_words(robot: &Skeleton, hides: impl Fn(&str) -> bool) -> Skeleton {
    let mut count = 0;
    let hidden = robot.with_joints(|joint| {
        count += 1;
        if hides(&joint.name) {
            let side = joint.name.split('_').next().unwrap_or_default();
            joint.name = format!("{side}_m{count}");
        }
    });
    hidden.unwrap()
}

/// The robot with the chest as its root, whose arms hang as its legs do.
fn with_hanging_arms() -> Skeleton {
    let hanging = chest_first(Space::default()).with_joints(|joint| {
        if joint.name.contains("Elbow") || joint.name.contains("hand") {
            joint.offset = Vector3::new(0.0, -joint.offset.norm(), 0.0);
        }
    });
    hanging.unwrap()
}

#[test]
fn words_in_the_names_of_one_pair_of_limbs_are_enough() {
    let robot = with_hanging_arms();
    for words in [&["Shoulder", "Elbow", "hand"][..], &["Hip", "Knee", "Ankle", "foot"]] {
        let hidden = with_hidden_words(&robot, |name| words.iter().any(|word| name.contains(word)));
        let map = map_roles(&hidden);
        let name = |role| map.joint(role).map(|id| robot.joint(id).name.as_str());
        assert_eq!(name(Role::LeftLowerLeg), Some("Left_Knee_Pitch"), "without {words:?}");
    }
}

#[test]
fn words_that_are_part_of_a_namespace_say_nothing() {
    // The namespace "Army:" does not count as a word of an arm.
    let rig = nameless(&chest_first(Space::default()));
    let legs = cut(&rig, |joint| joint.parent == Some(JointId(0)) && joint.offset.y > 0.0);
    let named = legs.with_joints(|joint| joint.name = format!("Army:{}", joint.name)).unwrap();
    assert!(map_roles(&legs).joint(Role::LeftFoot).is_some());
    assert_eq!(map_roles(&named).joint(Role::LeftFoot), map_roles(&legs).joint(Role::LeftFoot));
}

#[test]
fn an_upper_body_has_no_legs() {
    let upper = cut(&with_hanging_arms(), |joint| joint.name == "Waist");
    let map = map_roles(&upper);
    assert_eq!(map.joint(Role::LeftFoot), None, "{map:?}");
    // Without words, what hangs may be legs.
    assert!(map_roles(&nameless(&upper)).joint(Role::LeftFoot).is_some());
}

#[test]
fn arms_without_words_are_on_the_side_of_the_legs() {
    // The body faces backwards, and only names of its legs have a side.
    let robot = hinges_at_one_place();
    let legs = ["hip", "shank", "knee", "ankle"];
    let mut count = 0;
    let told = robot.with_joints(|joint| {
        count += 1;
        if !legs.iter().any(|word| joint.name.contains(word)) {
            joint.name = format!("j{count}");
        }
    });
    let map = map_roles(&told.unwrap());
    let name = |role| map.joint(role).map(|id| robot.joint(id).name.as_str());
    assert_eq!(name(Role::LeftLowerLeg), Some("l_knee"));
    assert_eq!(name(Role::LeftLowerArm), Some("l_elbow"));
}

#[test]
fn a_hinge_called_elbow_beside_the_shoulder_does_not_cost_the_arm() {
    let robot = hinges_at_one_place();
    let named = robot.with_joints(|joint| {
        joint.name = joint.name.replace("elbow", "forearm").replace("shoulder_yaw", "elbow_a");
        if joint.name.ends_with("elbow_a") {
            joint.offset.x = if joint.name.starts_with('l') { -0.03 } else { 0.03 };
        }
    });
    let named = named.unwrap();
    let map = map_roles(&named).certain();
    let name = |role| map.joint(role).map(|id| named.joint(id).name.as_str());
    assert_eq!(name(Role::LeftLowerArm), Some("l_forearm"));
    assert_eq!(name(Role::LeftHand), Some("l_wrist_pitch"));
}
