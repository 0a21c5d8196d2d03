//! Motions of which only the skeleton is known: which are those of a robot, and how that is at rest.

use std::sync::{Arc, LazyLock};

use mocap_model::{
    Clip, FrameRate, Joint, JointId, JointTracks, RobotMotion, Role, Skeleton, Space, Track, UnitQuaternion,
    Vector3,
};
use mocap_retarget::map_roles;
use mocap_robot::{RobotOptions, may_be_robot, retarget, unknown_robot};

use crate::own_motion::pip;

/// A walk of a person with a twist joint between hip and knee.
fn twisted() -> Clip {
    let walk = crate::clip::fixture("alex_walk.bvh");
    let skeleton = walk.skeleton();
    let mut joints: Vec<Joint> = Vec::new();
    let mut tracks: Vec<JointTracks> = Vec::new();
    let mut now: Vec<JointId> = Vec::new();
    for (id, joint) in skeleton.iter() {
        let parent = joint.parent.map(|parent| now[parent.index()]);
        let thigh = joint.parent.map(|parent| skeleton.joint(parent).name.as_str());
        let mut joint = Joint { parent, ..joint.clone() };
        if let Some(thigh @ ("LeftUpLeg" | "RightUpLeg")) = thigh {
            let half = joint.offset * 0.5;
            let twist = Joint::new(format!("{thigh}Twist"), parent, half);
            let frames = 0..walk.frames();
            let turn =
                |frame: usize| UnitQuaternion::new(half.normalize() * 0.2 * (frame as f64 * 0.2).sin());
            let rotation = Track::from_samples(frames.map(turn).collect()).unwrap();
            tracks.push(JointTracks { rotation, translation: None, scale: None });
            joint.parent = Some(JointId::from(joints.len()));
            joint.offset = half;
            joints.push(twist);
        }
        now.push(JointId::from(joints.len()));
        joints.push(joint);
        tracks.push(walk.track(id).clone());
    }
    let skeleton = Skeleton::new("twisted", *skeleton.space(), joints).unwrap();
    Clip::new(Arc::new(skeleton), walk.rate(), walk.frames(), tracks).unwrap()
}

/// The same with other names.
fn renamed(clip: &Clip, name: impl Fn(usize, &str) -> String) -> Clip {
    let mut at = 0;
    let skeleton = clip.skeleton().with_joints(|joint| {
        joint.name = name(at, &joint.name);
        joint.role = None;
        at += 1;
    });
    clip.clone().with_skeleton(Arc::new(skeleton.unwrap())).unwrap()
}

fn nameless(clip: &Clip) -> Clip {
    renamed(clip, |at, _| format!("n{at}"))
}

/// Some frames of a clip.
fn frames(clip: &Clip, frames: &[usize]) -> Clip {
    let of = |id: JointId| {
        let track = clip.track(id);
        let rotation = Track::from_samples(frames.iter().map(|at| track.rotation.at(*at)).collect()).unwrap();
        let moved = |track: &Track<Vector3<f64>>| {
            Track::from_samples(frames.iter().map(|at| track.at(*at)).collect()).unwrap()
        };
        JointTracks { rotation, translation: track.translation.as_ref().map(moved), scale: None }
    };
    let tracks = clip.skeleton().iter().map(|(id, _)| of(id)).collect();
    Clip::new(clip.skeleton().clone(), clip.rate(), frames.len(), tracks).unwrap()
}

/// A motion between two frames, with an ease.
fn between(clip: &Clip, [from, to]: [usize; 2]) -> Clip {
    let two = frames(clip, &[from, to]);
    let of = |id: JointId| {
        let [a, b] = [0, 1].map(|at| two.track(id).rotation.at(at));
        let turn = |at: usize| a.slerp(&b, (at as f64 / 39.0).powi(2));
        let rotation = Track::from_samples((0..40).map(turn).collect()).unwrap();
        JointTracks { rotation, translation: None, scale: None }
    };
    let tracks = clip.skeleton().iter().map(|(id, _)| of(id)).collect();
    Clip::new(clip.skeleton().clone(), clip.rate(), 40, tracks).unwrap()
}

#[test]
fn short_and_keyed_motions_of_people_are_no_robots() {
    let person = nameless(&twisted());
    let fast = person.resampled(FrameRate::new(120.0).unwrap()).unwrap();
    for clip in [
        frames(&person, &[0]),
        frames(&person, &[0, 30]),
        frames(&fast, &[20, 21]),
        frames(&fast, &[20, 21, 22]),
        frames(&person, &[0, 15, 30]),
        between(&person, [0, 30]),
        person.clone(),
    ] {
        assert_eq!(unknown_robot(&clip), None, "{} frames", clip.frames());
    }
    // With two keys every joint turns about one axis, so that test cannot tell them apart.
    assert!(may_be_robot(&between(&person, [0, 30])) && !may_be_robot(&person));
}

#[test]
fn a_word_in_which_an_axis_occurs_makes_no_robot() {
    let person = twisted();
    for clip in [&person, &frames(&person, &[0, 30]), &between(&person, [0, 30])] {
        assert_eq!(unknown_robot(&renamed(clip, |_, name| format!("Troll_{name}"))), None);
    }
}

/// A walk on the robot of the fixtures, in a file that does not say what its joints are.
static WALK: LazyLock<Clip> = LazyLock::new(|| {
    let walk = crate::clip::fixture("alex_walk.bvh");
    let walk = walk.clone().with_skeleton(map_roles(walk.skeleton()).apply(walk.skeleton()).into()).unwrap();
    let robot = pip();
    let motion: RobotMotion = retarget(&walk, 0.01, &robot, &RobotOptions::default()).unwrap().0;
    let clip = motion.to_clip(&Arc::new(robot)).unwrap();
    let joints = clip.skeleton().joints().to_vec();
    let skeleton = Skeleton::new("walk", Space::metres_z_up(), joints).unwrap();
    clip.with_skeleton(Arc::new(skeleton)).unwrap()
});

fn names(clip: &Clip) -> Vec<(Role, String)> {
    let robot = unknown_robot(clip).expect("it is a robot");
    robot.roles.iter().map(|(id, role)| (*role, clip.skeleton().joint(*id).name.clone())).collect()
}

#[test]
fn a_robot_is_known_by_its_motion_and_by_its_names() {
    let named = names(&WALK);
    assert!(named.contains(&(Role::RightLowerLeg, "right_knee".into())), "{named:?}");
    let knee = |clip: &Clip| {
        let robot = unknown_robot(clip).expect("it is a robot");
        robot.roles.iter().find(|(_, role)| *role == Role::RightLowerLeg).map(|(id, _)| *id)
    };
    assert_eq!(knee(&nameless(&WALK)), knee(&WALK));
    // Names show it in one pose too.
    for at in [0, 12, 25] {
        assert_eq!(names(&frames(&WALK, &[at])), named, "frame {at}");
    }
    assert_eq!(unknown_robot(&nameless(&frames(&WALK, &[0, 12]))), None);
}

/// The same with a frame above each hip that is turned by a quarter, and joints below it that are turned back.
fn mounted(clip: &Clip) -> Clip {
    let skeleton = clip.skeleton();
    let quarter = UnitQuaternion::new(Vector3::x() * std::f64::consts::FRAC_PI_2);
    let (mut joints, mut tracks, mut now) = (Vec::<Joint>::new(), Vec::new(), Vec::<JointId>::new());
    for (id, joint) in skeleton.iter() {
        let mut joint = Joint { parent: joint.parent.map(|parent| now[parent.index()]), ..joint.clone() };
        let mut track = clip.track(id).clone();
        if joint.name.ends_with("hip_pitch") {
            let mount = Joint::new(joint.name.replace("hip_pitch", "bracket"), joint.parent, joint.offset);
            joint.parent = Some(JointId::from(joints.len()));
            joint.offset = Vector3::zeros();
            joints.push(mount);
            tracks.push(JointTracks { rotation: Track::Constant(quarter), translation: None, scale: None });
            track.rotation = track.rotation.map(|turn| quarter.inverse() * turn);
        }
        now.push(JointId::from(joints.len()));
        joints.push(joint);
        tracks.push(track);
    }
    let skeleton = Skeleton::new("mounted", *skeleton.space(), joints).unwrap();
    Clip::new(Arc::new(skeleton), clip.rate(), clip.frames(), tracks).unwrap()
}

#[test]
fn frames_that_are_mounted_otherwise_than_at_rest_are_so_at_rest() {
    let clip = mounted(&WALK);
    assert_eq!(names(&clip), names(&WALK));
    let robot = unknown_robot(&clip).unwrap();
    let mount = clip.skeleton().find("left_bracket").unwrap();
    assert!(robot.rest_rotations[mount.index()].angle_to(&clip.track(mount).rotation.at(0)) < 1e-9);
}

#[test]
fn halves_of_a_motion_have_one_rest_pose() {
    // One hinge is off its rest: no value of it is that of the file.
    let tilted = UnitQuaternion::new(Vector3::new(0.3, 0.0, 0.0));
    let joints = WALK.skeleton().joints().iter().cloned();
    let joints = joints.map(|joint| match joint.name == "left_knee" {
        true => Joint { rest_rotation: tilted, ..joint },
        false => joint,
    });
    let skeleton = Skeleton::new("tilted", Space::metres_z_up(), joints.collect()).unwrap();
    let clip = WALK.clone().with_skeleton(Arc::new(skeleton)).unwrap();
    let middle = clip.frames() / 2;
    let halves = [0..middle, middle..clip.frames(), 0..clip.frames()];
    let rests = halves.map(|half| unknown_robot(&clip.trimmed(half).unwrap()).unwrap().rest_rotations);
    for (id, joint) in clip.skeleton().iter() {
        for rest in &rests {
            let off = rest[id.index()].angle_to(&rests[0][id.index()]);
            assert!(off < 1e-3, "{}: {off} rad", joint.name);
            if joint.name != "left_knee" {
                assert_eq!(rest[id.index()], joint.rest_rotation, "{}", joint.name);
            }
        }
    }
}

#[test]
fn trees_with_many_ends_are_not_searched_for_limbs() {
    let limbs = |count: usize| {
        let mut joints = vec![Joint::new("base", None, Vector3::zeros())];
        for limb in 0..count {
            let way = UnitQuaternion::new(Vector3::z() * limb as f64) * Vector3::x();
            for at in 0..4 {
                let parent = JointId::from(if at == 0 { 0 } else { joints.len() - 1 });
                joints.push(Joint::new(format!("l{limb}_{at}"), Some(parent), way * 0.1));
            }
        }
        let turn = |joint: usize, frame: usize| {
            UnitQuaternion::new(Vector3::y() * (joint as f64 + frame as f64 * 0.1).sin())
        };
        let tracks = (0..joints.len()).map(|joint| JointTracks {
            rotation: Track::from_samples((0..30).map(|frame| turn(joint, frame)).collect()).unwrap(),
            translation: None,
            scale: None,
        });
        let tracks = tracks.collect();
        let skeleton = Skeleton::new("limbs", Space::metres_z_up(), joints).unwrap();
        Clip::new(Arc::new(skeleton), FrameRate::new(30.0).unwrap(), 30, tracks).unwrap()
    };
    assert!(may_be_robot(&limbs(24)) && !may_be_robot(&limbs(128)));
}
