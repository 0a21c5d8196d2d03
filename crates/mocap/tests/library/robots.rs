//! Motions of robots keep the roles that the model states for its joints.

use mocap::Role;
use mocap::model::{JointTracks, Track};

const ROLES: [Role; 5] =
    [Role::Hips, Role::LeftUpperLeg, Role::RightLowerLeg, Role::LeftUpperArm, Role::RightLowerArm];

#[test]
fn a_motion_put_on_a_robot_has_the_roles_of_its_model() -> Result<(), Box<dyn std::error::Error>> {
    let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
    for model in ["pip.xml", "pip.urdf"] {
        let path = format!("../../fixtures/robots/{model}");
        let robot = mocap::read_skeleton(&path)?.value;
        let target = mocap::read_target(&path, &Default::default())?.value;
        let (motion, _) = mocap::put_on_target(
            &walk,
            &Default::default(),
            &target,
            None,
            &Default::default(),
            &mut Vec::new(),
        )?;
        for role in ROLES {
            let name = |skeleton: &mocap::Skeleton| {
                skeleton.with_role(role).map(|id| skeleton.joint(id).name.clone())
            };
            assert!(name(&robot).is_some(), "{model}: {role}");
            assert_eq!(name(motion.skeleton()), name(&robot), "{model}: {role}");
        }
    }
    Ok(())
}

/// A walk on the robot of the fixtures, and the robot as a target.
fn walk_on_robot() -> (mocap::Clip, mocap::Target) {
    let walk = mocap::read("../../fixtures/clips/alex_walk.bvh").unwrap().value;
    let robot = mocap::read_target("../../fixtures/robots/pip.xml", &Default::default()).unwrap().value;
    (on_robot(&walk, &robot).0, robot)
}

fn on_robot(clip: &mocap::Clip, robot: &mocap::Target) -> (mocap::Clip, mocap::TargetReport) {
    let (opening, options) = Default::default();
    mocap::put_on_target(clip, &opening, robot, None, &options, &mut Vec::new()).unwrap()
}

/// As read from a BVH file.
fn by_bvh(clip: &mocap::Clip) -> mocap::Clip {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("clip.bvh");
    mocap::write(&path, clip).unwrap();
    mocap::read(&path).unwrap().value
}

fn renamed(clip: &mocap::Clip, name: impl Fn(&str) -> String) -> mocap::Clip {
    let skeleton = clip.skeleton().with_joints(|joint| joint.name = name(&joint.name)).unwrap();
    clip.clone().with_skeleton(skeleton.into()).unwrap()
}

/// The same frame several times.
fn still(clip: &mocap::Clip, frame: usize, frames: usize) -> mocap::Clip {
    let tracks = clip.tracks().iter().map(|track| JointTracks {
        rotation: Track::Constant(track.rotation.at(frame)),
        translation: track.translation.as_ref().map(|track| Track::Constant(track.at(frame))),
        scale: None,
    });
    mocap::Clip::new(clip.skeleton().clone(), clip.rate(), frames, tracks.collect()).unwrap()
}

#[test]
fn still_poses_of_a_robot_in_a_bvh_stay_on_the_robot() {
    let (walk, robot) = walk_on_robot();
    for frames in [1, 10] {
        let clip = still(&walk, 12, frames);
        let (motion, report) = on_robot(&by_bvh(&clip), &robot);
        let mocap::TargetReport::Robot(report) = report else { panic!("it is a robot") };
        assert!((report.leg_ratio - 1.0).abs() < 1e-9, "{}", report.leg_ratio);
        for (id, joint) in clip.skeleton().iter().skip(1) {
            let off = clip.local(id, 0).rotation.angle_to(&motion.local(id, 0).rotation);
            assert!(off < 1e-3, "{frames} frames: {} is {off} rad off", joint.name);
        }
    }
}

#[test]
fn names_that_give_the_legs_count_more_than_hinges() {
    let (walk, _) = walk_on_robot();
    let hinges = by_bvh(&walk);
    assert!(hinges.skeleton().with_role(Role::LeftFoot).is_some());
    let parts = [("hip_yaw", "UpLeg"), ("knee", "Leg"), ("ankle_pitch", "Foot")];
    let named = by_bvh(&renamed(&walk, |name| {
        let part = parts.iter().find(|(part, _)| name.ends_with(part));
        let side = if name.starts_with("left") { "Left" } else { "Right" };
        part.map_or_else(|| name.to_owned(), |(_, part)| format!("{side}{part}"))
    }));
    assert_eq!(named.skeleton().with_role(Role::LeftFoot), None);
    let roles = mocap::retarget::map_roles(named.skeleton());
    let foot = roles.joint(Role::LeftFoot).unwrap();
    assert_eq!(named.skeleton().joint(foot).name, "LeftFoot");
}

#[test]
fn the_header_of_a_robot_that_stands_long_is_that_of_its_motion() {
    let (walk, _) = walk_on_robot();
    let first = walk.trimmed(0..1).unwrap();
    let lasting = |frame: usize| frame.saturating_sub(1100).min(walk.frames() - 1);
    let frames = 1100 + walk.frames();
    let tracks = walk.tracks().iter().map(|track| JointTracks {
        rotation: Track::from_samples((0..frames).map(|at| track.rotation.at(lasting(at))).collect())
            .unwrap(),
        translation: None,
        scale: None,
    });
    let clip = mocap::Clip::new(first.skeleton().clone(), walk.rate(), frames, tracks.collect()).unwrap();
    let clip = renamed(&clip, |name| {
        format!("n{}", name.bytes().fold(7_u32, |sum, b| sum * 31 % 99_991 + u32::from(b)))
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.bvh");
    mocap::write(&path, &clip).unwrap();
    let options = mocap::ReadOptions::default();
    let file = mocap::open(&path, &options).unwrap().value;
    let header = file.header(&options).unwrap().value;
    let whole = file.to_clip(&options).unwrap().value;
    assert!(header.skeleton.with_role(Role::LeftLowerLeg).is_some());
    assert_eq!(header.skeleton, **whole.skeleton());
}

#[test]
fn a_motion_without_a_forward_axis_faces_as_the_one_that_it_is_compared_with() {
    let (walk, _) = walk_on_robot();
    let turned = |forward: &str| {
        let space = mocap::Space { forward: forward.parse().unwrap(), ..*walk.skeleton().space() };
        walk.clone().with_skeleton(walk.skeleton().with_space(space).into()).unwrap()
    };
    let mut clips = [walk.clone(), turned("-Y")];
    assert_eq!(mocap::face_alike(&mut clips, [true, false]), Some((1, mocap::SignedAxis::X)));
    assert_eq!(clips[1].skeleton().space(), walk.skeleton().space());
    assert_eq!(mocap::face_alike(&mut [walk.clone(), turned("-Y")], [true; 2]), None);
}

#[test]
fn a_robot_that_shows_no_front_is_said_to() {
    let pip = mocap::read_skeleton("../../fixtures/robots/pip.xml").unwrap().value;
    let walk = mocap::read("../../fixtures/clips/alex_walk.bvh").unwrap().value.trimmed(0..3).unwrap();
    let codes = |knees: bool| {
        let mut parts = pip.robot().unwrap().as_ref().clone().into_parts();
        parts.shapes.clear();
        parts.pairs.clear();
        parts.bodies.iter_mut().for_each(|body| body.centre_of_mass.x = 0.0);
        for joint in parts.joints.iter_mut().filter(|joint| !knees && joint.name.ends_with("knee")) {
            joint.limit = None;
        }
        parts.joints.iter_mut().enumerate().for_each(|(at, joint)| joint.name = format!("joint{at:02}"));
        parts.bodies.iter_mut().enumerate().for_each(|(at, body)| body.name = format!("link{at:02}"));
        let robot = mocap::model::Robot::new(parts).unwrap().to_skeleton().unwrap();
        let (mut warnings, target) = (Vec::new(), mocap::Target::new(robot));
        let (opening, options) = Default::default();
        mocap::put_on_target(&walk, &opening, &target, None, &options, &mut warnings).unwrap();
        warnings.iter().map(|warning| warning.code().to_owned()).collect::<Vec<_>>()
    };
    let assumed = "robot::facing-assumed".to_owned();
    assert!(codes(false).contains(&assumed) && !codes(true).contains(&assumed));
}
