//! Maps that are wrong, unclear or given: guessed roles are an error, joints left out are reported,
//! and a body that is not a biped moves by joint pairs.

use cpu_time::ThreadTime;
use mocap_formats::{Limits, bvh, skel};
use mocap_model::*;
use mocap_retarget::{
    RetargetError, RetargetMetric, RetargetOptions, RetargetWarning, Retargeter, RoleMap, RoleReason,
    SourceOrTarget, explain_roles, map_roles, retarget_joint_pairs,
};
use std::path::Path;

fn walk() -> Clip {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/clips/alex_walk.bvh");
    let document = bvh::parse(&std::fs::read(path).unwrap(), &Limits::default()).unwrap().value;
    bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value
}

fn rig(name: &str) -> Skeleton {
    skel::preset(name).unwrap().skeleton().with_joints(|joint| joint.role = None).unwrap()
}

fn error(target: &Skeleton) -> RetargetError {
    Retargeter::new(walk().skeleton(), target, &RetargetOptions::default()).unwrap_err()
}

pub(crate) fn nameless(skeleton: &Skeleton) -> Skeleton {
    let mut count = 0;
    let erased = skeleton.with_joints(|joint| {
        count += 1;
        (joint.name, joint.role) = (format!("j{count}"), None);
    });
    erased.unwrap()
}

/// Without the joints for which `cut` holds, and all below them.
pub(crate) fn cut(skeleton: &Skeleton, cut: impl Fn(&Joint) -> bool) -> Skeleton {
    let mut kept: Vec<Option<u32>> = Vec::new();
    let mut joints: Vec<Joint> = Vec::new();
    for joint in skeleton.joints() {
        let parent = joint.parent.map(|parent| kept[parent.index()]);
        if parent == Some(None) || cut(joint) {
            kept.push(None);
            continue;
        }
        kept.push(Some(joints.len() as u32));
        joints.push(Joint { parent: parent.flatten().map(JointId), ..joint.clone() });
    }
    Skeleton::new(skeleton.name(), *skeleton.space(), joints).unwrap()
}

#[test]
fn names_of_other_writers_are_known() {
    for (rename, rig_name, scheme) in [
        ("mixamorig7:", "mixamo", "Mixamo / MotionBuilder"),
        ("Character1_", "mixamo", "Mixamo / MotionBuilder"),
        ("hero|", "mixamo", "Mixamo / MotionBuilder"),
        ("", "mixamo", "Mixamo / MotionBuilder"),
        ("m_avg_", "smpl", "SMPL"),
    ] {
        let renamed = rig(rig_name).with_joints(|joint| {
            joint.name = format!("{rename}{}", joint.name.trim_start_matches("mixamorig:"));
        });
        let map = map_roles(&renamed.unwrap());
        assert_eq!(map.scheme, Some(scheme), "{rename}");
        assert!(
            map.rows.len() >= 22 && map.rows.iter().all(|row| row.score >= 0.9),
            "{rename}: {:?}",
            map.rows
        );
    }
    // SMPL-X writes the sides out.
    let smplx = rig("smpl").with_joints(|joint| {
        joint.name = joint.name.replace("L_", "left_").replace("R_", "right_").to_lowercase();
    });
    assert_eq!(map_roles(&smplx.unwrap()).scheme, Some("SMPL"));
    // The bones of a VRM 1.0 humanoid: of the thumb the joint in the palm is the first.
    let vrm = rig("unity").with_joints(|joint| {
        let thumb = joint.name.replace("ThumbProximal", "ThumbMetacarpal");
        let name = thumb.replace("ThumbIntermediate", "ThumbProximal");
        joint.name = name[..1].to_lowercase() + &name[1..];
    });
    let vrm = vrm.unwrap();
    let map = map_roles(&vrm);
    assert_eq!(map.scheme, Some("VRM 1.0"));
    let name = |role| vrm.joint(map.joint(role).unwrap()).name.as_str();
    assert_eq!(name(Role::LeftThumb1), "leftThumbMetacarpal");
    assert_eq!(name(Role::LeftThumb2), "leftThumbProximal");
    assert_eq!(name(Role::RightIndex2), "rightIndexIntermediate");
}

#[test]
fn a_few_names_that_fit_count_less_than_a_body_of_them() {
    let all = map_roles(&rig("unity"));
    let armless = cut(&rig("unity"), |joint| joint.name.ends_with("Shoulder"));
    let few = map_roles(&armless);
    let score = |map: &RoleMap| map.rows.iter().find(|row| row.role == Role::LeftFoot).unwrap().score;
    assert_eq!(score(&all), 1.0);
    assert!(score(&few) < 0.9 && score(&few) > 0.7, "{}", score(&few));
    // Bones of other lengths left and right, and joints that hang elsewhere, speak against a name.
    let uneven = rig("unity").with_joints(|joint| {
        if joint.name == "LeftFoot" {
            joint.offset *= 0.5;
        }
    });
    assert!(score(&map_roles(&uneven.unwrap())) < 0.8);
}

#[test]
fn arms_that_no_name_tells_are_found_beside_legs_that_have_names() {
    let named = rig("unity");
    let mut count = 0;
    let strange = |joint: &mut Joint| {
        let arm = ["Arm", "Hand", "Shoulder"].iter().any(|part| joint.name.contains(part));
        if arm && !joint.end_site {
            count += 1;
            joint.name = format!("z{count}");
        }
    };
    let strange = named.with_joints(strange).unwrap();
    let (all, found) = (map_roles(&named), map_roles(&strange));
    assert_eq!(found.scheme, Some("Unity Humanoid"));
    for role in [Role::LeftShoulder, Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand, Role::RightHand]
    {
        assert_eq!(found.joint(role), all.joint(role), "{role}");
        let row = found.rows.iter().find(|row| row.role == role).unwrap();
        assert!(row.reason == RoleReason::Shape && row.is_certain(), "{row:?}");
    }
    // If the names of the legs contradict their sides, no roles are added to those found by name.
    let crossed = strange.with_joints(|joint| {
        let swapped = joint.name.replace("Left", "right").replace("Right", "left");
        joint.name = if joint.name.contains("Leg") || joint.name.contains("Foot") {
            swapped
        } else {
            joint.name.clone()
        };
    });
    assert_eq!(map_roles(&crossed.unwrap()).joint(Role::LeftHand), None);
}

#[test]
fn arms_are_found_with_a_long_thing_in_one_hand() {
    for name in ["mixamo", "unity"] {
        let bare = cut(&rig(name), |joint| {
            ["Thumb", "Index", "Middle", "Ring", "Little", "Pinky"]
                .iter()
                .any(|part| joint.name.contains(part))
        });
        let roles = map_roles(&bare);
        let (hand, forearm) =
            (roles.joint(Role::RightHand).unwrap(), roles.joint(Role::RightLowerArm).unwrap());
        let length = bare.joint(hand).offset.norm();
        assert_eq!(bare.joint(hand).parent, Some(forearm));
        for long in [0.3, 1.0, 2.0, 4.0] {
            let mut joints = bare.joints().to_vec();
            joints.push(Joint::new("thing", Some(hand), Vector3::new(0.0, 0.0, long * length)));
            let armed = nameless(&Skeleton::new("", *bare.space(), joints).unwrap());
            let (found, without) = (map_roles(&armed), map_roles(&nameless(&bare)));
            for role in [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand, Role::RightHand, Role::Head]
            {
                assert_eq!(found.joint(role), without.joint(role), "{name}, {long} forearms: {role}");
                assert!(found.joint(role).is_some(), "{name}: {role}");
            }
        }
    }
}

#[test]
fn without_legs_or_with_one_joint_the_error_lists_what_is_missing() {
    let legless = cut(&rig("unity"), |joint| joint.name.contains("UpperLeg"));
    let RetargetError::MissingRoles { which, missing, .. } = error(&legless) else {
        panic!("{}", error(&legless))
    };
    assert_eq!((which, missing.len(), missing[0]), (SourceOrTarget::Target, 6, Role::LeftUpperLeg));
    let one_leg = cut(&rig("unity"), |joint| joint.name == "RightUpperLeg");
    let RetargetError::MissingRoles { missing, .. } = error(&one_leg) else { panic!("{}", error(&one_leg)) };
    assert_eq!(missing, [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot]);
    let dot = cut(&rig("unity"), |joint| joint.parent.is_some());
    let RetargetError::MissingRoles { missing, .. } = error(&dot) else { panic!("{}", error(&dot)) };
    // One matching name may be chance: not even the hips are recognised.
    assert_eq!(missing.len(), 7);
}

#[test]
fn an_arm_without_its_twin_is_said_and_follows() {
    let lone = cut(&rig("unity"), |joint| joint.name == "RightShoulder");
    let retargeter = Retargeter::new(walk().skeleton(), &lone, &RetargetOptions::default()).unwrap();
    let one_arm = RetargetWarning::OneArm { which: SourceOrTarget::Target, side: Side::Left };
    assert!(retargeter.warnings().contains(&one_arm), "{:?}", retargeter.warnings());
    let (motion, report) = retargeter.retarget(walk()).unwrap();
    assert_eq!(report.effectors.len(), 2, "feet alone are solved");
    let elbow = motion.skeleton().with_role(Role::LeftLowerArm).unwrap();
    assert!(motion.tracks()[elbow.index()].rotation.at(10).angle() > 0.01);
}

#[test]
fn sides_are_never_swapped_in_silence() {
    let swap = |limb: &'static [&'static str]| {
        move |joint: &mut Joint| {
            let is = limb.iter().any(|part| joint.name.contains(part));
            if is && joint.name.starts_with("Left") {
                joint.name = joint.name.replacen("Left", "right", 1);
            } else if is && joint.name.starts_with("Right") {
                joint.name = joint.name.replacen("Right", "left", 1);
            }
        }
    };
    const LEGS: [&str; 4] = ["UpperLeg", "LowerLeg", "Foot", "Toes"];
    const ARMS: [&str; 4] = ["Shoulder", "UpperArm", "LowerArm", "Hand"];
    let unity = cut(&rig("unity"), |joint| joint.name.ends_with("Proximal"));
    let arms = unity.with_joints(swap(&ARMS)).unwrap();
    assert_eq!(error(&arms), RetargetError::SidesMixed { which: SourceOrTarget::Target });
    let both = arms.with_joints(swap(&LEGS)).unwrap();
    let swapped_sides = error(&both);
    assert!(
        matches!(&swapped_sides, RetargetError::SidesSwapped { which: SourceOrTarget::Target, joint } if !joint.is_empty()),
        "{swapped_sides}"
    );
    // A foot on the wrong leg.
    let feet = unity.with_joints(swap(&LEGS[2..])).unwrap();
    let crossed = error(&feet);
    assert!(matches!(crossed, RetargetError::Uncertain { .. } | RetargetError::NotBelow { .. }), "{crossed}");
}

#[test]
fn what_stands_on_four_legs_is_a_guess_and_no_biped() {
    // The same bones, with the trunk level and the arms down.
    let dog = nameless(
        &rig("unity")
            .with_joints(|joint| match joint.name.as_str() {
                "Spine" => {
                    joint.rest_rotation = UnitQuaternion::new(Vector3::x() * std::f64::consts::FRAC_PI_2)
                }
                "LeftUpperArm" | "RightUpperArm" => {
                    joint.offset.y = 0.0;
                    let side = if joint.name.starts_with("Left") { -1.0 } else { 1.0 };
                    let down = UnitQuaternion::new(Vector3::z() * side * std::f64::consts::FRAC_PI_2);
                    let trunk = UnitQuaternion::new(Vector3::x() * std::f64::consts::FRAC_PI_2);
                    joint.rest_rotation = trunk.inverse() * down;
                }
                "LeftLowerArm" | "LeftHand" | "RightLowerArm" | "RightHand" => joint.offset *= 1.5,
                _ => {}
            })
            .unwrap(),
    );
    let found = error(&dog);
    assert!(matches!(found, RetargetError::Uncertain { which: SourceOrTarget::Target, .. }), "{found}");
    assert!(found.to_string().contains("LeftUpperLeg 'j"), "{found}");
}

#[test]
fn a_skeleton_that_lies_down_is_stood_up_and_said() {
    for (name, lying) in [("unity", rig("unity")), ("no names", nameless(&rig("unity")))] {
        let mut first = true;
        let lying = lying.with_joints(|joint| {
            if std::mem::take(&mut first) {
                joint.rest_rotation = UnitQuaternion::new(Vector3::x() * -std::f64::consts::FRAC_PI_2);
            }
        });
        let retargeter =
            Retargeter::new(walk().skeleton(), &lying.unwrap(), &RetargetOptions::default()).unwrap();
        let made = RetargetWarning::ReferencePoseEstimated { which: SourceOrTarget::Target };
        assert!(retargeter.warnings().contains(&made), "{name}: {:?}", retargeter.warnings());
        let (motion, report) = retargeter.retarget(walk()).unwrap();
        let (mut local, mut object) = (Pose::default(), Pose::default());
        motion.local_pose(motion.frames() / 2, &mut local);
        local.to_object(motion.skeleton(), &mut object);
        let at = |role| object.joints[motion.skeleton().with_role(role).unwrap().index()].translation.vector;
        let up = at(Role::Head) - at(Role::Hips);
        assert!(up.y > 0.9 * up.norm(), "{name}: {up}");
        assert!(at(Role::LeftFoot).y < at(Role::Hips).y - 0.5, "{name}");
        assert!((at(Role::LeftHand) - at(Role::RightHand)).x > 0.1, "{name}");
        assert!(
            report.feet.iter().all(|foot| foot.penetration_max.unwrap() < 1e-3),
            "{name}: {:?}",
            report.feet
        );
    }
}

#[test]
fn sides_that_nothing_shows_are_a_guess() {
    // Collapsed onto one local axis, hips and shoulders side by side along the up axis.
    let heap = nameless(&rig("unity")).with_joints(|joint| {
        let apart = Vector3::new(0.0, joint.offset.x.signum() * 0.09, 0.0);
        joint.offset = Vector3::new(joint.offset.norm(), 0.0, 0.0)
            + if joint.offset.x == 0.0 { Vector3::zeros() } else { apart };
    });
    let heap = heap.unwrap();
    let map = map_roles(&heap);
    assert!(map.joint(Role::LeftUpperLeg).is_some());
    assert!(map.certain().joint(Role::LeftUpperLeg).is_none(), "{:?}", map.rows);
    assert!(matches!(error(&heap), RetargetError::Uncertain { .. }), "{}", error(&heap));
    // Roles given by the user are certain.
    let given = RoleMap::given(map.rows.iter().map(|row| (row.role, row.joint)));
    assert!(given.rows.iter().all(|row| (row.reason, row.score) == (RoleReason::Given, 1.0)));
    let options = RetargetOptions { target_roles: Some(given), ..RetargetOptions::default() };
    assert!(Retargeter::new(walk().skeleton(), &heap, &options).is_ok());
}

#[test]
fn an_explanation_speaks_of_every_joint_once() {
    let (source, target) = (walk(), rig("iclone"));
    let retargeter = Retargeter::new(source.skeleton(), &target, &RetargetOptions::default()).unwrap();
    let explanation = retargeter.explain();
    let mut named: Vec<&str> = explanation.target_others.iter().map(|other| other.joint.as_str()).collect();
    named.extend(explanation.rows.iter().filter_map(|row| Some(row.target.as_ref()?.joint.as_str())));
    named.sort_unstable();
    let mut joints: Vec<&str> =
        target.joints().iter().filter(|joint| !joint.end_site).map(|joint| joint.name.as_str()).collect();
    joints.sort_unstable();
    assert_eq!(named, joints);
    let scores: Vec<f64> = explanation.rows.iter().filter_map(|row| row.score).collect();
    assert!(scores.len() >= 20 && scores.iter().all(|score| (0.5..=1.0).contains(score)), "{scores:?}");
    assert!(explanation.target_others.iter().all(|other| other.transfer.is_some()));
    // Without a retargeter only the roles are shown.
    let plain = explain_roles(source.skeleton(), &map_roles(source.skeleton()), &target, &map_roles(&target));
    assert_eq!(plain.rows, explanation.rows);
    assert!(plain.target_others.iter().all(|other| other.transfer.is_none()));
    // A thigh three times as long as the shank is unusual.
    let odd = target.with_joints(|joint| {
        if joint.name.ends_with("_Calf") {
            joint.offset *= 3.0;
        }
    });
    let odd = odd.unwrap();
    let odd = explain_roles(source.skeleton(), &map_roles(source.skeleton()), &odd, &map_roles(&odd));
    let knee = |rows: &[mocap_retarget::RolePair]| {
        rows.iter().find(|row| row.role == Role::LeftLowerLeg).unwrap().score.unwrap()
    };
    assert!(knee(&odd.rows) < knee(&plain.rows));
}

fn snake(joints: usize) -> Skeleton {
    let joints = (0..joints).map(|i| Joint {
        name: format!("s{i}"),
        parent: i.checked_sub(1).map(JointId::from),
        offset: if i == 0 { Vector3::zeros() } else { Vector3::new(0.0, 0.0, 20.0) },
        rest_rotation: UnitQuaternion::identity(),
        dofs: Dofs::ball(EulerOrder::ZXY),
        role: None,
        end_site: false,
    });
    let unit = Some(Unit { metres: 0.01, source: UnitSource::File });
    Skeleton::new("snake", Space { unit, ..Space::default() }, joints.collect()).unwrap()
}

#[test]
fn what_is_no_biped_moves_by_pairs() {
    let source = walk();
    let target = snake(5);
    let joint = |name: &str| source.skeleton().find(name).unwrap();
    let pairs = [("Hips", 0), ("Spine", 2), ("Neck", 4)].map(|(name, at)| (joint(name), JointId(at)));
    let (motion, report) =
        retarget_joint_pairs(&source, &target, &pairs, &RetargetOptions::default()).unwrap();
    assert_eq!((motion.frames(), motion.skeleton().len()), (source.frames(), 5));
    assert_eq!(report.warnings, [RetargetWarning::NoBody { pairs: 3 }]);
    let object = |clip: &Clip, frame: usize| {
        let (mut local, mut object) = (Pose::default(), Pose::default());
        clip.local_pose(frame, &mut local);
        local.to_object(clip.skeleton(), &mut object);
        object
    };
    for frame in [0, 77, 200] {
        let (was, is) = (object(&source, frame), object(&motion, frame));
        for (from, to) in pairs {
            // Both rest poses are unturned: joints of a pair are turned alike.
            let (a, b) = (was.joints[from.index()].rotation, is.joints[to.index()].rotation);
            assert!(angle_between(&a, &b) < 1e-9, "{frame}");
        }
        assert_eq!(motion.tracks()[1].rotation.at(frame), UnitQuaternion::identity());
    }
    // Figures of legs are `None` without legs; steps and limits are measured.
    let metric = |name: &str| RetargetMetric::named(name).unwrap().of(&report);
    for name in ["slide", "slide-ratio", "effector", "unreachable", "angle", "jerk", "float", "contacts-lost"]
    {
        assert_eq!(metric(name), None, "{name}");
    }
    assert!(metric("step").is_some_and(|step| step < 1.0), "{:?}", report.largest_step);
    assert!(
        report.largest_step.target > 0.1 && report.largest_step.source > 0.1,
        "{:?}",
        report.largest_step
    );
    assert_eq!(metric("violations"), Some(0.0));
    let free = RetargetOptions { limits: false, ..RetargetOptions::default() };
    let (_, unlimited) = retarget_joint_pairs(&source, &target, &pairs, &free).unwrap();
    assert_eq!(RetargetMetric::named("violations").unwrap().of(&unlimited), None);
    let roles = |pairs: &[(Role, JointId)]| Some(RoleMap::given(pairs.to_vec()));
    let named =
        RetargetOptions { target_roles: roles(&[(Role::Hips, JointId(0))]), ..RetargetOptions::default() };
    let (_, named) = retarget_joint_pairs(&source, &target, &pairs, &named).unwrap();
    assert_eq!(named.mapping.len(), 1);
    assert_eq!(named.mapping[0].source.as_deref(), Some("Hips"));
    // The path of the hips scales by the sizes of the paired joints.
    let moved = |clip: &Clip, id: JointId| {
        (object(clip, 200).joints[id.index()].translation.vector
            - object(clip, 0).joints[id.index()].translation.vector)
            .norm()
    };
    let ratio = moved(&motion, JointId(0)) / moved(&source, joint("Hips"));
    assert!((ratio / report.scale.leg - 1.0).abs() < 1e-9, "{ratio} is not {}", report.scale.leg);
    assert!(matches!(
        retarget_joint_pairs(&source, &target, &[], &RetargetOptions::default()),
        Err(RetargetError::Pairs)
    ));
    let twice = [pairs[0], (joint("Neck"), JointId(0))];
    assert!(matches!(
        retarget_joint_pairs(&source, &target, &twice, &RetargetOptions::default()),
        Err(RetargetError::Pairs)
    ));
}

#[test]
fn pairs_beside_roles_move_what_has_none() {
    let source = walk();
    let mut joints = rig("unity").joints().to_vec();
    let hips = joints.iter().position(|joint| joint.name == "Hips").unwrap();
    joints.push(Joint {
        name: "tail".into(),
        parent: Some(JointId::from(hips)),
        offset: Vector3::new(0.0, 0.0, -0.2),
        ..joints[hips].clone()
    });
    let target = Skeleton::new("tailed", *rig("unity").space(), joints).unwrap();
    let tail = target.find("tail").unwrap();
    let head = source.skeleton().find("Head").unwrap();
    let still = |options: &RetargetOptions| {
        let retargeter = Retargeter::new(source.skeleton(), &target, options).unwrap();
        let (motion, _) = retargeter.retarget(&source).unwrap();
        let tail = &motion.tracks()[tail.index()].rotation;
        (0..motion.frames()).all(|frame| angle_between(&tail.at(frame), &tail.at(0)) < 1e-9)
    };
    assert!(still(&RetargetOptions::default()));
    assert!(!still(&RetargetOptions { joint_pairs: vec![(head, tail)], ..RetargetOptions::default() }));
}

#[test]
fn a_chain_of_thousands_of_joints_with_something_on_each_is_looked_through_once() {
    let joint = |parent: Option<usize>, offset: Vector3<f64>, i: usize| Joint {
        name: format!("j{i}"),
        parent: parent.map(JointId::from),
        offset,
        rest_rotation: UnitQuaternion::identity(),
        dofs: Dofs::ball(EulerOrder::ZXY),
        role: None,
        end_site: false,
    };
    let mut joints = vec![joint(None, Vector3::zeros(), 0)];
    let mut last = 0;
    for i in 0..100_000 {
        joints.push(joint(Some(last), Vector3::y(), 2 * i + 1));
        joints.push(joint(Some(last), Vector3::x(), 2 * i + 2));
        last = 2 * i + 1;
    }
    let skeleton = Skeleton::new("", Space::default(), joints).unwrap();
    let started = ThreadTime::now();
    assert!(map_roles(&skeleton).rows.is_empty());
    // Following the chain anew from each joint would take a minute of processor time.
    assert!(started.elapsed().as_secs() < 20);
}
