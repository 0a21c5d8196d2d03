//! Robots of every size: the same robot at another size moves as the robot itself does.

use mocap_formats::Limits;
use mocap_model::{Clip, FrameRate, Limit, Robot, RobotJoint, RobotJointKind, RobotMotion, Vector3};
use mocap_robot::{Bends, Humanoid, RobotMap, RobotOptions, RobotReport, retarget};

use crate::own_motion::pip;

/// Sizes over that of the robot itself.
const SIZES: [f64; 3] = [0.2, 1.7, 3.0];
/// Greatest difference of joint values \[rad\], and of ratios: rounding, which the fit enlarges.
const ROUNDING: f64 = 1e-6;

fn with_roles(clip: &Clip) -> (Clip, f64) {
    let skeleton = mocap_retarget::map_roles(clip.skeleton()).apply(clip.skeleton());
    let clip = clip.clone().with_skeleton(skeleton.into()).expect("the same joints");
    let metres = clip.skeleton().space().unit.map_or(0.01, |unit| unit.metres);
    (clip, metres)
}

/// The robot of the fixtures with a trunk that a motor lifts.
fn lifted() -> Robot {
    let mut parts = pip().into_parts();
    let torso = parts.bodies.iter().position(|body| body.name == "torso").expect("a torso");
    let first = parts.joints.iter().position(|joint| joint.body == torso).expect("a waist");
    parts.joints.insert(
        first,
        RobotJoint {
            name: "lift".into(),
            body: torso,
            kind: RobotJointKind::Slide,
            axis: Vector3::z(),
            anchor: Vector3::zeros(),
            reference: 0.01,
            limit: Some(Limit { min: -0.03, max: 0.05 }),
            velocity: Some(0.05),
            acceleration: Some(0.5),
            effort: None,
            mimic: None,
        },
    );
    parts.home = None;
    Robot::new(parts).expect("a robot")
}

fn put(clip: &(Clip, f64), robot: &Robot) -> (RobotMotion, RobotReport) {
    retarget(&clip.0, clip.1, robot, &RobotOptions::default()).expect("a humanoid")
}

/// The robot at all sizes moves as it does itself.
#[track_caller]
fn moves_alike(what: &str, clip: &(Clip, f64), robot: &Robot) {
    let (motion, report) = put(clip, robot);
    for factor in SIZES {
        let scaled = robot.scaled(factor).expect("a robot");
        let (other, other_report) = put(clip, &scaled);
        let mut worst = [0.0f64; 3];
        for (pose, other) in motion.poses.iter().zip(&other.poses) {
            let expected = pose.scaled(robot, factor);
            let values = expected.values.iter().zip(&other.values).zip(robot.joints());
            let off = values.map(|((a, b), joint)| (a - b).abs() / joint.unit(factor)).fold(0.0, f64::max);
            let moved = expected.base.translation.vector - other.base.translation.vector;
            let turned = expected.base.rotation.angle_to(&other.base.rotation);
            worst = [worst[0].max(off), worst[1].max(moved.norm() / factor), worst[2].max(turned)];
        }
        mocap_corpus::note!("{what} at {factor}: {worst:?}");
        assert!(worst.iter().all(|off| *off < ROUNDING), "{what} at {factor}: {worst:?}");
        reports_alike(&format!("{what} at {factor}"), factor, &report, &other_report);
    }
}

/// Angles and ratios are the same, speeds over the floor and heights go with size.
#[track_caller]
fn reports_alike(what: &str, factor: f64, own: &RobotReport, other: &RobotReport) {
    let figures = |report: &RobotReport, size: f64| {
        let (follow, skate) = (&report.follow, report.skate.expect("soles on the floor"));
        [
            report.leg_ratio / size,
            follow.trunk,
            follow.trunk_max,
            follow.thigh,
            follow.shank,
            follow.upper_arm.unwrap_or(0.0),
            follow.forearm.unwrap_or(0.0),
            report.path.unwrap_or(0.0),
            skate.mean / size,
            skate.p95 / size,
            report.float_p95.unwrap_or(0.0) / size,
            report.penetration.max / size,
        ]
    };
    let both = figures(own, 1.0).into_iter().zip(figures(other, factor));
    for (figure, (own, other)) in both.enumerate() {
        assert!((own - other).abs() < 1e3 * ROUNDING, "{what}: figure {figure} is {other}, not {own}");
    }
}

#[test]
fn robots_of_the_fixtures_move_alike_at_every_size() {
    for clip in ["alex_walk.bvh", "alex_jump.bvh", "alex_turn.bvh"] {
        let clip = with_roles(&crate::clip::fixture(clip));
        moves_alike("pip", &clip, &pip());
        moves_alike("pip with a lift", &clip, &lifted());
    }
}

#[test]
fn real_robots_move_alike_at_every_size() {
    let walk = with_roles(&crate::clip::real("cmu/12_01_walk.bvh", 1));
    for name in ["g1.xml", "t1.xml", "toddlerbot.xml"] {
        let model = std::fs::read(mocap_corpus::folder().join("robots").join(name)).expect("a model");
        let no_includes = |_: &str| Err("the model is one file".to_owned());
        let read = mocap_formats::robot::parse(&model, &no_includes, &Limits::default());
        moves_alike(name, &walk, &read.expect("a model").value.1);
    }
}

#[test]
fn a_motion_of_a_small_robot_stays() {
    let small = pip().scaled(0.2).expect("a robot");
    let clip = with_roles(&crate::clip::fixture("alex_walk.bvh"));
    let (motion, _) = put(&clip, &small);
    let own = motion.to_clip(&std::sync::Arc::new(small.clone())).expect("a clip");
    let roles = Humanoid::find(&small).expect("a humanoid").roles(&small);
    let of = |id| roles.iter().find(|(joint, _)| *joint == id).map(|(_, role)| *role);
    let skeleton = own.skeleton().with_roles(of);
    let own = own.with_skeleton(skeleton.into()).expect("the same joints");
    let (again, _) = put(&(own, 1.0), &small);
    for (a, b) in motion.poses.iter().zip(&again.poses) {
        let off = a.values.iter().zip(&b.values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let moved = (a.base.translation.vector - b.base.translation.vector).norm();
        assert!(off < 1e-9 && moved < 1e-9, "{off} rad, {moved} m");
    }
}

#[test]
fn soles_and_drives_are_found_alike_at_every_size() {
    let (robot, clip) = (lifted(), with_roles(&crate::clip::fixture("alex_walk.bvh")));
    let own = Humanoid::find(&robot).expect("a humanoid");
    let map = |robot: &Robot| {
        let fps = FrameRate::new(30.0).expect("a rate");
        RobotMap::of(&clip.0, clip.1, robot, &Bends::default(), fps).expect("a humanoid")
    };
    for factor in SIZES {
        let scaled = robot.scaled(factor).expect("a robot");
        let other = Humanoid::find(&scaled).expect("a humanoid");
        assert_eq!(own.roles(&robot), other.roles(&scaled));
        for (own, other) in own.soles.iter().zip(&other.soles) {
            assert!((own.ankle_height * factor - other.ankle_height).abs() < 1e-12);
            assert!(own.level.angle_to(&other.level) < 1e-9);
            for corner in 0..4 {
                let off = own.corners[corner].coords * factor - other.corners[corner].coords;
                assert!(off.norm() < 1e-12, "corner {corner} at {factor}: {off}");
                assert!((own.radii[corner] * factor - other.radii[corner]).abs() < 1e-12);
            }
        }
        let (expected, found) = (map(&robot), map(&scaled));
        assert!((expected.leg_ratio * factor - found.leg_ratio).abs() < 1e-9);
        assert_eq!((expected.parts, expected.others), (found.parts, found.others));
    }
}
