//! Roles by the naming schemes of rigs: hierarchies as those rigs have them, without their numbers.

use mocap_model::*;
use mocap_retarget::{RoleReason, map_roles};

/// A tree from lines indented by one blank a level.
fn tree(text: &str) -> Skeleton {
    let mut stack: Vec<u32> = Vec::new();
    let joints = text.lines().filter(|line| !line.trim().is_empty()).enumerate().map(|(i, line)| {
        let depth = line.len() - line.trim_start().len();
        stack.truncate(depth);
        let parent = stack.last().copied();
        stack.push(i as u32);
        Joint {
            name: line.trim().into(),
            parent: parent.map(JointId),
            offset: Vector3::y(),
            rest_rotation: UnitQuaternion::identity(),
            dofs: Dofs::ball(EulerOrder::ZXY),
            role: None,
            end_site: false,
        }
    });
    Skeleton::new("tree", Space::default(), joints.collect()).unwrap()
}

/// Both sides of a limb: `@` is replaced by the word of each side.
fn both(lines: &str, left: &str, right: &str) -> String {
    format!("{}{}", lines.replace('@', left), lines.replace('@', right))
}

#[track_caller]
fn assert_roles(skeleton: &Skeleton, scheme: &str, expected: &[(Role, &str)]) {
    let map = map_roles(skeleton);
    assert_eq!(map.scheme, Some(scheme));
    for (role, name) in expected {
        let found = map.joint(*role).map(|id| skeleton.joint(id).name.as_str());
        assert_eq!(found, Some(*name), "{role}");
    }
    for role in [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot, Role::LeftUpperArm, Role::LeftHand] {
        for role in [role, role.mirrored()] {
            assert!(map.joint(role).is_some(), "{role}");
        }
    }
    let mut joints: Vec<_> = map.rows.iter().map(|row| row.joint).collect();
    joints.sort();
    joints.dedup();
    assert_eq!(joints.len(), map.rows.len(), "one role a joint");
}

#[test]
fn cmu_in_both_forms() {
    let legs = both(" @HipJoint\n  $UpLeg\n   $Leg\n    $Foot\n     $ToeBase\n", "L", "R");
    let legs = legs.replacen('$', "Left", 4).replace('$', "Right");
    let arms = both("    @Shoulder\n     @Arm\n      @ForeArm\n       @Hand\n", "Left", "Right");
    let skeleton = tree(&format!(
        "Hips\n{legs} LowerBack\n  Spine\n   Spine1\n    Neck\n     Neck1\n      Head\n{arms}"
    ));
    assert_roles(
        &skeleton,
        "Mixamo / MotionBuilder",
        &[
            (Role::Hips, "Hips"),
            (Role::Spine, "LowerBack"),
            (Role::Chest, "Spine"),
            (Role::UpperChest, "Spine1"),
            (Role::Neck, "Neck"),
            (Role::LeftUpperLeg, "LeftUpLeg"),
            (Role::RightLowerLeg, "RightLeg"),
            (Role::RightToes, "RightToeBase"),
            (Role::LeftLowerArm, "LeftForeArm"),
        ],
    );
    let legs = both(" @hipjoint\n  @femur\n   @tibia\n    @foot\n     @toes\n", "l", "r");
    let arms = both("    @clavicle\n     @humerus\n      @radius\n       @wrist\n        @hand\n", "l", "r");
    let skeleton = tree(&format!(
        "root\n{legs} lowerback\n  upperback\n   thorax\n    lowerneck\n     upperneck\n      head\n{arms}"
    ));
    assert_roles(
        &skeleton,
        "CMU ASF",
        &[
            (Role::Hips, "root"),
            (Role::Spine, "lowerback"),
            (Role::UpperChest, "thorax"),
            (Role::Neck, "lowerneck"),
            (Role::RightUpperArm, "rhumerus"),
            (Role::LeftHand, "lwrist"),
        ],
    );
    // A skeleton that an animator made may hang the hand on the forearm.
    let arms = both("    @clavicle\n     @humerus\n      @radius\n       @hand\n", "l", "r");
    let skeleton =
        tree(&format!("root\n{legs} lowerback\n  upperback\n   thorax\n    lowerneck\n     head\n{arms}"));
    assert_roles(&skeleton, "CMU ASF", &[(Role::LeftHand, "lhand"), (Role::RightHand, "rhand")]);
}

#[test]
fn rigs_of_iclone_and_unreal() {
    let legs = both(
        "  @_Thigh\n   @_Calf\n    @_Foot\n     @_ToeBaseShareBone\n     @_ToeBase\n   @_ThighTwist01\n",
        "L",
        "R",
    );
    let arms = both(
        "    @_Clavicle\n     @_Upperarm\n      @_Forearm\n       @_Hand\n        @_Mid1\n        @_Pinky3\n",
        "L",
        "R",
    );
    let iclone = format!(
        "Hip\n Pelvis\n{legs} Waist\n  Spine01\n   Spine02\n    NeckTwist01\n     NeckTwist02\n      Head\n{arms}"
    );
    let iclone = iclone.lines().map(|line| {
        let name = line.trim_start();
        format!("{}CC_Base_{name}\n", &line[..line.len() - name.len()])
    });
    assert_roles(
        &tree(&iclone.collect::<String>()),
        "iClone / Character Creator",
        &[
            (Role::Hips, "CC_Base_Hip"),
            (Role::Spine, "CC_Base_Waist"),
            (Role::UpperChest, "CC_Base_Spine02"),
            (Role::LeftToes, "CC_Base_L_ToeBase"),
            (Role::RightMiddle1, "CC_Base_R_Mid1"),
            (Role::LeftLittle3, "CC_Base_L_Pinky3"),
        ],
    );
    let legs = both("  thigh_@\n   calf_@\n    foot_@\n     ball_@\n", "l", "r");
    let arms = both(
        "     clavicle_@\n      upperarm_@\n       lowerarm_@\n        hand_@\n         index_02_@\n",
        "l",
        "r",
    );
    let unreal = format!(
        "root\n pelvis\n{legs}  spine_01\n   spine_02\n    spine_03\n{arms}     neck_01\n      head\n"
    );
    assert_roles(
        &tree(&unreal),
        "Unreal",
        &[
            (Role::Hips, "pelvis"),
            (Role::LeftToes, "ball_l"),
            (Role::UpperChest, "spine_03"),
            (Role::RightIndex2, "index_02_r"),
        ],
    );
}

#[test]
fn rigs_of_biped_and_vrm() {
    let legs = both("  Bip01 @ Thigh\n   Bip01 @ Calf\n    Bip01 @ Foot\n     Bip01 @ Toe0\n", "L", "R");
    let arms = both(
        "     Bip01 @ Clavicle\n      Bip01 @ UpperArm\n       Bip01 @ Forearm\n        Bip01 @ Hand\n         Bip01 @ Finger0\n          Bip01 @ Finger01\n",
        "L",
        "R",
    );
    let biped = format!(
        "Bip01\n Bip01 Pelvis\n{legs}  Bip01 Spine\n   Bip01 Spine1\n    Bip01 Neck\n{arms}     Bip01 Head\n"
    );
    assert_roles(
        &tree(&biped),
        "3ds Max Biped",
        &[
            (Role::Hips, "Bip01 Pelvis"),
            (Role::Spine, "Bip01 Spine"),
            (Role::Chest, "Bip01 Spine1"),
            (Role::Neck, "Bip01 Neck"),
            (Role::LeftThumb1, "Bip01 L Finger0"),
            (Role::RightThumb2, "Bip01 R Finger01"),
        ],
    );
    let legs =
        both(" J_Bip_@_UpperLeg\n  J_Bip_@_LowerLeg\n   J_Bip_@_Foot\n    J_Bip_@_ToeBase\n", "L", "R");
    let arms = both(
        "    J_Bip_@_Shoulder\n     J_Bip_@_UpperArm\n      J_Bip_@_LowerArm\n       J_Bip_@_Hand\n        J_Bip_@_Little1\n",
        "L",
        "R",
    );
    let vrm = format!(
        "J_Bip_C_Hips\n{legs} J_Bip_C_Spine\n  J_Bip_C_Chest\n   J_Bip_C_UpperChest\n    J_Bip_C_Neck\n     J_Bip_C_Head\n{arms}"
    );
    assert_roles(
        &tree(&vrm),
        "VRM",
        &[(Role::LeftToes, "J_Bip_L_ToeBase"), (Role::RightLittle1, "J_Bip_R_Little1")],
    );
}

#[test]
fn rigs_of_research() {
    let legs = both(" m_avg_@_Hip\n  m_avg_@_Knee\n   m_avg_@_Ankle\n    m_avg_@_Foot\n", "L", "R");
    let arms = both(
        "    m_avg_@_Collar\n     m_avg_@_Shoulder\n      m_avg_@_Elbow\n       m_avg_@_Wrist\n        m_avg_@_Hand\n",
        "L",
        "R",
    );
    let smpl = format!(
        "m_avg_Pelvis\n{legs} m_avg_Spine1\n  m_avg_Spine2\n   m_avg_Spine3\n    m_avg_Neck\n     m_avg_Head\n{arms}"
    );
    assert_roles(
        &tree(&smpl),
        "SMPL",
        &[
            (Role::LeftToes, "m_avg_L_Foot"),
            (Role::LeftFoot, "m_avg_L_Ankle"),
            (Role::LeftShoulder, "m_avg_L_Collar"),
        ],
    );
    let legs = both(" @Hip\n  @Knee\n   @Ankle\n    @ToeJoint\n", "l", "r");
    let arms = both("   @Torso_Clavicle\n    @Shoulder\n     @Elbow\n      @Wrist\n", "l", "r");
    assert_roles(
        &tree(&format!("RootJoint\n{legs} pelvis_lowerback\n  lowerback_torso\n{arms}   torso_head\n")),
        "GAMES-105",
        &[(Role::Spine, "pelvis_lowerback"), (Role::Chest, "lowerback_torso"), (Role::Head, "torso_head")],
    );
    let legs = both("  UpperLeg_@\n   LowerLeg_@\n    Foot_@\n     Toes_@\n", "L", "R");
    let arms = both("    Shoulder_@\n     UpperArm_@\n      LowerArm_@\n       Hand_@\n", "L", "R");
    assert_roles(
        &tree(&format!("joint_Root\n Hips\n  Spine\n   Chest\n    Neck\n     Head\n{arms}{legs}")),
        "Unity Humanoid",
        &[(Role::Hips, "Hips"), (Role::Chest, "Chest"), (Role::LeftShoulder, "Shoulder_L")],
    );
    let legs = both(" @Hip\n  @Knee\n   @Ankle\n    @Toe\n", "Left", "Right");
    let arms = both("   @Collar\n    @Shoulder\n     @Elbow\n      @Wrist\n", "Left", "Right");
    assert_roles(
        &tree(&format!("Hips\n{legs} Chest\n  Chest2\n{arms}   Neck\n    Head\n")),
        "Biovision",
        &[(Role::LeftUpperArm, "LeftShoulder"), (Role::LeftToes, "LeftToe")],
    );
    let legs = both(" @Thigh\n  @Shin\n   @Foot\n    @Toe\n", "Left", "Right");
    let arms = both("  @Shoulder\n   @Arm\n    @ForeArm\n     @Hand\n", "Left", "Right");
    assert_roles(
        &tree(&format!("Hips\n{legs} Spine1\n{arms}  Neck\n   Head\n")),
        "Rokoko",
        &[(Role::LeftLowerLeg, "LeftShin"), (Role::Spine, "Spine1")],
    );
}

#[test]
fn stated_roles_win_and_bodies_without_names_have_none() {
    let nameless = tree("a\n b\n  c\n d\n");
    assert!(map_roles(&nameless).rows.is_empty());
    let stated = nameless
        .with_joints(|j| {
            if j.name == "c" {
                j.role = Some(Role::LeftFoot)
            }
        })
        .unwrap();
    let map = map_roles(&stated);
    assert_eq!(map.rows.len(), 1);
    assert_eq!((map.rows[0].role, map.rows[0].reason), (Role::LeftFoot, RoleReason::Stated));
    assert_eq!(map.apply(&nameless).with_role(Role::LeftFoot), Some(JointId(2)));
}

#[test]
fn sides_may_be_the_start_of_a_word() {
    let bytes =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/alex_walk.bvh")).unwrap();
    let document = mocap_formats::bvh::parse(&bytes, &Default::default()).unwrap().value;
    let clip = mocap_formats::bvh::to_clip(&document, &Default::default()).unwrap().value;
    let named = |joint: &mut Joint| match joint.name.as_str() {
        "LeftHand" => joint.name = "Lefthand".into(),
        "RightHand" => joint.name = "RIGHTHAND".into(),
        _ => {}
    };
    let skeleton = clip.skeleton().with_joints(named).unwrap();
    let roles = map_roles(&skeleton);
    for (role, name) in [(Role::LeftHand, "Lefthand"), (Role::RightHand, "RIGHTHAND")] {
        assert_eq!(roles.joint(role), skeleton.find(name), "{role}");
    }
}

#[test]
fn a_group_above_a_joint_of_the_spine_has_no_role() {
    let legs = both(" @UpLeg\n  @Leg\n   @Foot\n", "Left", "Right");
    let arms = both("     @Shoulder\n      @Arm\n       @ForeArm\n        @Hand\n", "Left", "Right");
    let text =
        format!("Hips\n{legs} Spine\n  Spine1_grp\n   Spine1\n    Spine2\n     Neck\n      Head\n{arms}");
    // The joint is where its group is.
    let at_group = |joint: &mut Joint| {
        if joint.name == "Spine1" {
            joint.offset = Vector3::zeros();
        }
    };
    let skeleton = tree(&text).with_joints(at_group).unwrap();
    let roles = map_roles(&skeleton);
    for (role, name) in [(Role::Spine, "Spine"), (Role::Chest, "Spine1"), (Role::UpperChest, "Spine2")] {
        assert_eq!(roles.joint(role), skeleton.find(name), "{role}");
    }
    // At another place than the joint below it, it has the role.
    assert_eq!(map_roles(&tree(&text)).joint(Role::Chest), tree(&text).find("Spine1_grp"));
}
