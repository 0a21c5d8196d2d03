//! Links of any frames: what stands upright is the body.

use mocap_model::{Isometry3, Robot, RobotMotion, UnitQuaternion, Vector3};
use mocap_robot::{Humanoid, RobotOptions, RobotReport, retarget};

use crate::own_motion::pip;

/// The same robot, the frame of whose pelvis is turned in it.
fn with_base_turned(robot: &Robot, turn: &UnitQuaternion<f64>) -> Robot {
    let mut parts = robot.clone().into_parts();
    let back = Isometry3::from_parts(Vector3::zeros().into(), turn.inverse());
    parts.bodies[0].placement.rotation *= turn;
    for body in parts.bodies.iter_mut().filter(|body| body.parent == Some(0)) {
        body.placement = back * body.placement;
    }
    for shape in parts.shapes.iter_mut().filter(|shape| shape.body == 0) {
        shape.placement = back * shape.placement;
    }
    let base = &mut parts.bodies[0];
    base.centre_of_mass = back.rotation * base.centre_of_mass;
    let turned = back.rotation.to_rotation_matrix().into_inner();
    base.inertia = base.inertia.map(|inertia| turned * inertia * turned.transpose());
    Robot::new(parts).unwrap()
}

/// The same robot, turned as a whole about the vertical of its world.
fn standing_turned(robot: &Robot, angle: f64) -> Robot {
    let mut parts = robot.clone().into_parts();
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
    parts.bodies[0].placement.rotation = turn * parts.bodies[0].placement.rotation;
    Robot::new(parts).unwrap()
}

fn walk_on(robot: &Robot) -> (RobotMotion, RobotReport) {
    let walk = crate::clip::fixture("alex_walk.bvh");
    let skeleton = mocap_retarget::map_roles(walk.skeleton()).apply(walk.skeleton());
    let walk = walk.with_skeleton(skeleton.into()).unwrap().trimmed(0..40).unwrap();
    retarget(&walk, 0.01, robot, &RobotOptions::default()).unwrap()
}

/// Pitch and roll by some angles, and turns about anything.
fn turns() -> Vec<UnitQuaternion<f64>> {
    let degrees = |axis: Vector3<f64>, angle: f64| UnitQuaternion::new(axis * angle.to_radians());
    let mut turns: Vec<_> = [10.0, 30.0, 45.0, 60.0].map(|angle| degrees(Vector3::y(), angle)).to_vec();
    turns.push(degrees(Vector3::x(), 30.0));
    turns.push(UnitQuaternion::new(Vector3::new(0.7, -1.1, 0.4)));
    turns.push(UnitQuaternion::new(Vector3::new(-1.9, 0.3, 1.6)));
    turns
}

#[test]
fn a_leaning_frame_of_the_pelvis_changes_no_joint() {
    let robot = pip();
    let (expected, _) = walk_on(&robot);
    for turn in turns() {
        // Names and numbers, and a robot that faces elsewhere in its world.
        let turned = with_base_turned(&robot, &turn);
        for other in [turned.clone(), standing_turned(&turned, 0.4)] {
            let (found, report) = walk_on(&other);
            assert!(report.follow.trunk_max < 5.0, "{turn}: {report}");
            for (a, b) in expected.poses.iter().zip(&found.poses) {
                let values = a.values.iter().zip(&b.values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(values < 1e-6, "{turn}: {values} rad");
                let off = (a.base.rotation * turn).angle_to(&b.base.rotation);
                let moved = (a.base.translation.vector - b.base.translation.vector).norm();
                assert!(off < 1e-6 && moved < 1e-6, "{turn}: {off} rad, {moved} m");
            }
        }
    }
}

#[test]
fn limbs_without_names_are_found_in_any_frame_of_the_pelvis() {
    let mut parts = pip().into_parts();
    parts.joints.iter_mut().enumerate().for_each(|(at, joint)| joint.name = format!("joint{at:02}"));
    parts.bodies.iter_mut().enumerate().for_each(|(at, body)| body.name = format!("link{at:02}"));
    let robot = Robot::new(parts).unwrap();
    let expected = Humanoid::find(&robot).unwrap();
    for turn in turns() {
        let found = Humanoid::find(&with_base_turned(&robot, &turn)).unwrap();
        assert!((found.upright * turn.inverse()).angle_to(&expected.upright) < 1e-9, "{turn}");
        for (a, b) in expected.legs.iter().zip(&found.legs) {
            assert_eq!((&a.joints, a.middle.body), (&b.joints, b.middle.body), "{turn}");
        }
    }
}
