//! Robots whose names do not tell left from right: knees and feet show which way they face.

use mocap_model::{Isometry3, Robot, RobotParts, UnitQuaternion, Vector3};
use mocap_robot::{Bends, Humanoid, RobotOptions, retarget};

use crate::own_motion::pip;

/// The robot of the fixtures with numbers for names, built to face another way in the axes of its base. Its left limbs
/// come first.
fn numbered(angle: f64, change: impl Fn(&mut RobotParts)) -> Robot {
    let mut parts = pip().into_parts();
    change(&mut parts);
    parts.joints.iter_mut().enumerate().for_each(|(at, joint)| joint.name = format!("joint{at:02}"));
    parts.bodies.iter_mut().enumerate().for_each(|(at, body)| body.name = format!("link{at:02}"));
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
    let turned = Isometry3::from_parts(Vector3::zeros().into(), turn);
    for body in parts.bodies.iter_mut().filter(|body| body.parent == Some(0)) {
        body.placement = turned * body.placement;
    }
    for shape in parts.shapes.iter_mut().filter(|shape| shape.body == 0) {
        shape.placement = turned * shape.placement;
    }
    parts.bodies[0].centre_of_mass = turn * parts.bodies[0].centre_of_mass;
    Robot::new(parts).unwrap()
}

fn quarters() -> impl Iterator<Item = f64> {
    (0..4).map(|quarter| f64::from(quarter) * std::f64::consts::FRAC_PI_2)
}

/// Whether the body is found to face the way it was built.
fn is_found(robot: &Robot, angle: f64) -> bool {
    let humanoid = Humanoid::find(robot).unwrap();
    assert!(!humanoid.facing_is_assumed, "{angle}");
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
    let left_first = humanoid.legs[0].joints[0] < humanoid.legs[1].joints[0];
    let arms = humanoid.arms.as_ref().expect("it has arms");
    left_first && arms[0].joints[0] < arms[1].joints[0] && (humanoid.upright * turn).angle() < 1e-9
}

/// Knees that turn both ways.
fn free_knees(parts: &mut RobotParts) {
    let knees = parts.joints.iter_mut().filter(|joint| joint.name.ends_with("knee"));
    knees.for_each(|knee| knee.limit = None);
}

/// Feet without shapes, whose mass is in front of the ankle.
fn no_soles(parts: &mut RobotParts) {
    let feet: Vec<usize> =
        (0..parts.bodies.len()).filter(|at| parts.bodies[*at].name.ends_with("foot")).collect();
    parts.shapes.retain(|shape| !feet.contains(&shape.body));
    parts.pairs.clear();
}

/// Feet without a front.
fn round_feet(parts: &mut RobotParts) {
    no_soles(parts);
    let feet = parts.bodies.iter_mut().filter(|body| body.name.ends_with("foot"));
    feet.for_each(|foot| foot.centre_of_mass.x = 0.0);
}

#[test]
fn knees_then_soles_then_feet_show_which_way_a_robot_faces() {
    for angle in quarters() {
        assert!(is_found(&numbered(angle, round_feet), angle), "knees, {angle}");
        assert!(is_found(&numbered(angle, free_knees), angle), "soles, {angle}");
        let feet = numbered(angle, |parts| {
            free_knees(parts);
            no_soles(parts);
        });
        assert!(is_found(&feet, angle), "feet, {angle}");
    }
}

#[test]
fn a_robot_that_shows_no_front_faces_x_of_its_base_and_says_so() {
    let bare = |parts: &mut RobotParts| {
        free_knees(parts);
        round_feet(parts);
    };
    let robot = numbered(0.0, bare);
    let humanoid = Humanoid::find(&robot).unwrap();
    assert!(humanoid.facing_is_assumed && humanoid.upright.angle() < 1e-9);
    // A map that states its knees says which is left, and so does one of its elbows.
    let back = numbered(std::f64::consts::PI, bare);
    let found = Humanoid::find(&back).unwrap();
    assert!(found.facing_is_assumed);
    let knee = |leg: &mocap_robot::Limb| back.joints().iter().position(|joint| joint.body == leg.middle.body);
    let [right, left] = found.legs.each_ref().map(|leg| knee(leg).expect("it has knees"));
    let stated = Bends { knees: Some([left, right]), ..Bends::default() };
    let turned = Humanoid::find_bending(&back, &stated).unwrap();
    assert!(!turned.facing_is_assumed && (turned.upright.angle() - std::f64::consts::PI).abs() < 1e-9);
    let [right, left] = found.arms.as_ref().expect("arms").each_ref().map(|arm| knee(arm).expect("elbows"));
    let stated = Bends { elbows: Some([left, right]), ..Bends::default() };
    assert_eq!(Humanoid::find_bending(&back, &stated).unwrap().upright, turned.upright);
}

#[test]
fn names_of_sides_count_more_than_knees() {
    // Knees as those of birds.
    let mut parts = pip().into_parts();
    for knee in parts.joints.iter_mut().filter(|joint| joint.name.ends_with("knee")) {
        let limit = knee.limit.expect("knees have limits");
        knee.limit = Some(mocap_model::Limit { min: -limit.max, max: -limit.min });
    }
    let humanoid = Humanoid::find(&Robot::new(parts).unwrap()).unwrap();
    assert!(!humanoid.facing_is_assumed && humanoid.upright.angle() < 1e-9);
}

#[test]
fn a_walk_goes_ahead_on_bent_knees_wherever_a_robot_faces() {
    let walk = crate::clip::fixture("alex_walk.bvh");
    let skeleton = mocap_retarget::map_roles(walk.skeleton()).apply(walk.skeleton());
    let walk = walk.with_skeleton(skeleton.into()).unwrap().trimmed(0..40).unwrap();
    let put = |angle: f64| {
        let robot = numbered(angle, |_| ());
        let motion = retarget(&walk, 0.01, &robot, &RobotOptions::default()).unwrap().0;
        motion.poses.into_iter().flat_map(|pose| pose.values).collect::<Vec<f64>>()
    };
    let expected = put(0.0);
    for angle in quarters().skip(1) {
        let off = expected.iter().zip(put(angle)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-6, "{angle}: {off} rad");
    }
}
