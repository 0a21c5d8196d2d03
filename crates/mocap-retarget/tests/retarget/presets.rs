//! The presets, with all joints of their rigs (several spine and neck joints, clavicles, twist
//! bones, fingers, toes, IK controls): roles as stated, by names, and by shape.

use mocap_formats::{Limits, bvh, skel};
use mocap_model::{Clip, Pose, Role, Skeleton, Vector3};
use mocap_retarget::{
    ExplainedTransfer, JointKind, RetargetOptions, Retargeter, RoleMap, RoleReason, map_roles,
};
use std::path::Path;

/// The scheme that the names of a preset are recognised as.
const SCHEMES: [(&str, &str); 15] = [
    ("unreal", "Unreal"),
    ("unreal5", "Unreal"),
    ("unity", "Unity Humanoid"),
    ("vrm", "VRM"),
    ("mixamo", "Mixamo / MotionBuilder"),
    ("smpl", "SMPL"),
    ("cmu", "Mixamo / MotionBuilder"),
    ("cmu-asf", "CMU ASF"),
    ("lafan", "Mixamo / MotionBuilder"),
    ("xsens", "Biovision"),
    ("xsens-mvn", "Xsens MVN"),
    ("bandai", "Unity Humanoid"),
    ("iclone", "iClone / Character Creator"),
    ("rokoko", "Rokoko"),
    ("biped", "3ds Max Biped"),
];

fn walk() -> Clip {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/clips/alex_walk.bvh");
    let document = bvh::parse(&std::fs::read(path).unwrap(), &Limits::default()).unwrap().value;
    bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value
}

fn without_roles(skeleton: &Skeleton) -> Skeleton {
    skeleton.with_joints(|joint| joint.role = None).unwrap()
}

fn without_names(skeleton: &Skeleton) -> Skeleton {
    let mut count = 0;
    let erased = without_roles(skeleton).with_joints(|joint| {
        count += 1;
        joint.name = format!("j{count}");
    });
    erased.unwrap()
}

fn stated(skeleton: &Skeleton) -> RoleMap {
    let map = map_roles(skeleton);
    let found: Vec<_> =
        map.rows.iter().filter(|row| (row.reason, row.score) != (RoleReason::Stated, 1.0)).collect();
    assert!(found.is_empty(), "{found:?}");
    map
}

#[test]
fn every_preset_is_listed_with_its_scheme() {
    let listed: Vec<&str> = skel::presets().iter().map(|preset| preset.name).collect();
    assert_eq!(listed, SCHEMES.map(|(name, _)| name));
    assert!(skel::preset("list").is_none());
}

#[test]
fn names_give_the_roles_that_presets_state() {
    for (name, scheme) in SCHEMES {
        let skeleton = skel::preset(name).unwrap().skeleton();
        let (stated, named) = (stated(&skeleton), map_roles(&without_roles(&skeleton)));
        assert_eq!(named.scheme, Some(scheme), "{name}");
        for row in &stated.rows {
            assert_eq!(named.joint(row.role), Some(row.joint), "{name}: {}", row.role);
        }
        for row in &named.rows {
            let joint = &skeleton.joint(row.joint).name;
            assert_eq!(stated.joint(row.role), Some(row.joint), "{name}: {} is {joint}", row.role);
            assert!(row.score >= 0.9, "{name}: {row:?}");
        }
        // Twist bones and IK controls have no role.
        for (id, joint) in skeleton.iter() {
            let lower = joint.name.to_lowercase();
            let helper = ["limbtwist", "_twist", "sharebone", "ik_", "metacarpal_", "nub"];
            assert!(!helper.iter().any(|word| lower.contains(word)) || named.role(id).is_none(), "{lower}");
        }
    }
}

#[test]
fn shape_gives_the_bodies_of_presets() {
    for (name, _) in SCHEMES {
        let skeleton = skel::preset(name).unwrap().skeleton();
        let (stated, shaped) = (stated(&skeleton), map_roles(&without_names(&skeleton)));
        for row in stated.rows.iter().filter(|row| !row.role.name().ends_with(['1', '2', '3'])) {
            // Biped attaches the arms to the neck: only its name shows that this is not a chest.
            if name == "biped" && matches!(row.role, Role::UpperChest | Role::Neck) {
                continue;
            }
            let found = shaped.joint(row.role).map(|id| &skeleton.joint(id).name);
            assert_eq!(found, Some(&skeleton.joint(row.joint).name), "{name}: {}", row.role);
        }
        assert!(shaped.rows.iter().all(|row| row.is_certain()), "{name}: {:?}", shaped.rows);
    }
}

#[test]
fn a_walk_on_a_preset_is_upright_with_feet_on_the_floor() {
    let source = walk();
    for (name, _) in SCHEMES {
        let skeleton = skel::preset(name).unwrap().skeleton();
        let retargeter = Retargeter::new(source.skeleton(), &skeleton, &RetargetOptions::default()).unwrap();
        let (motion, report) = retargeter.retarget(&source).unwrap();
        for foot in &report.feet {
            assert!(foot.slide.unwrap() < 1e-6 && foot.penetration_max.unwrap() < 1e-4, "{name}: {foot:?}");
            assert!(
                foot.float.unwrap() < 0.002 && foot.height_mean.unwrap().abs() < 0.001,
                "{name}: {foot:?}"
            );
        }
        assert_eq!(report.limits.violations, 0, "{name}");
        assert!(
            report.effectors.iter().all(|effector| effector.max < 1e-5),
            "{name}: {:?}",
            report.effectors
        );
        assert!(report.largest_step.excess <= 5.0, "{name}: {:?}", report.largest_step);
        assert!(report.angles.iter().all(|angle| angle.rms < 5.0), "{name}: {:?}", report.angles);
        let space = *skeleton.space();
        let (up, forward) = (space.up.vector(), space.forward.vector());
        let left = up.cross(&forward);
        let (mut local, mut object) = (Pose::default(), Pose::default());
        for frame in (0..motion.frames()).step_by(10) {
            motion.local_pose(frame, &mut local);
            local.to_object(motion.skeleton(), &mut object);
            let at = |role: Role| -> Vector3<f64> {
                object.joints[motion.skeleton().with_role(role).unwrap().index()].translation.vector
            };
            let metres = space.metres().unwrap();
            assert!((at(Role::Head) - at(Role::Hips)).dot(&up) * metres > 0.5, "{name}");
            // Alex walks straight ahead.
            for role in [Role::LeftUpperLeg, Role::LeftFoot, Role::LeftUpperArm, Role::LeftHand] {
                assert!((at(role) - at(role.mirrored())).dot(&left) > 0.0, "{name}: {role} in frame {frame}");
            }
            for role in [Role::LeftToes, Role::RightToes] {
                let foot = if role == Role::LeftToes { Role::LeftFoot } else { Role::RightFoot };
                let toes = (at(role) - at(foot)).normalize();
                assert!(toes.dot(&forward) > -0.2, "{name}: {role} in frame {frame}");
            }
        }
    }
}

#[test]
fn helpers_of_rigs_are_left_alone() {
    let source = walk();
    let skeleton = skel::preset("unreal5").unwrap().skeleton();
    let retargeter = Retargeter::new(source.skeleton(), &skeleton, &RetargetOptions::default()).unwrap();
    let explanation = retargeter.explain();
    let of = |name: &str| explanation.target_others.iter().find(|other| other.joint == name).unwrap();
    for name in ["ik_foot_l", "ik_hand_gun", "ik_hand_root"] {
        assert_eq!(
            (of(name).kind, &of(name).transfer),
            (JointKind::Handle, &Some(ExplainedTransfer::KeepsRestPose)),
            "{name}"
        );
    }
    for name in ["thigh_twist_01_l", "lowerarm_twist_02_r"] {
        assert_eq!(
            (of(name).kind, &of(name).transfer),
            (JointKind::Twist, &Some(ExplainedTransfer::KeepsRestPose)),
            "{name}"
        );
    }
    assert_eq!(of("index_metacarpal_l").kind, JointKind::Hand);
    assert_eq!(of("root").kind, JointKind::Root);
    // Of five spine joints three have roles; the source's turns are spread over all of them.
    assert!(matches!(of("spine_04").transfer, Some(ExplainedTransfer::Blends(_))), "{:?}", of("spine_04"));
    let (motion, _) = retargeter.retarget(&source).unwrap();
    let rest = motion.skeleton().find("ik_hand_l").unwrap();
    let tracks = &motion.tracks()[rest.index()];
    assert!((0..motion.frames()).all(|frame| tracks.rotation.at(frame).angle() < 1e-12));
    assert!(tracks.translation.is_none());
}
