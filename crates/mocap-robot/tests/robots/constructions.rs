//! Robots of other construction: the same robot with thicker parts or other feet moves as the robot itself does.

use mocap_formats::Limits;
use mocap_model::{
    Clip, ContactMask, Isometry3, Limit, Primitive, Robot, RobotBody, RobotJoint, RobotJointKind, RobotParts,
    RobotShape, UnitQuaternion, Vector3,
};
use mocap_retarget::map_roles;
use mocap_robot::{Humanoid, RobotOptions, RobotReport, retarget};

fn robot(bytes: &[u8]) -> Robot {
    let no_includes = |_: &str| Err("the model is one file".to_owned());
    mocap_formats::robot::parse(bytes, &no_includes, &Limits::default()).expect("a model").value.1
}

/// A walk and a robot whose feet are flat, of the corpus.
fn walk_and_robot() -> (Clip, Robot) {
    let walk = crate::clip::real("cmu/12_01_walk.bvh", 1);
    let skeleton = map_roles(walk.skeleton()).apply(walk.skeleton());
    let model = std::fs::read(mocap_corpus::folder().join("robots/g1.xml")).expect("a model");
    (walk.with_skeleton(skeleton.into()).expect("the same joints"), robot(&model))
}

fn put(walk: &Clip, robot: &Robot) -> RobotReport {
    let metres = walk.skeleton().space().unit.map_or(1.0, |unit| unit.metres);
    retarget(walk, metres, robot, &RobotOptions::default()).expect("a humanoid").1
}

/// The same with all balls and capsules thicker.
fn thicker(robot: &Robot, by: f64) -> Robot {
    let mut parts = robot.clone().into_parts();
    for shape in &mut parts.shapes {
        if let Primitive::Sphere { radius } | Primitive::Capsule { radius, .. } = &mut shape.primitive {
            *radius += by;
        }
    }
    Robot::new(parts).expect("only thicker")
}

/// The same with other shapes on its feet, in their frames.
fn on_feet(robot: &Robot, shapes: &[(Vector3<f64>, Vector3<f64>, f64)]) -> Robot {
    let feet = Humanoid::find(robot).expect("a humanoid").soles.map(|sole| sole.body);
    let mut parts = robot.clone().into_parts();
    parts.shapes.retain(|shape| !feet.contains(&shape.body));
    for foot in feet {
        parts.shapes.extend(shapes.iter().map(|shape| between(foot, *shape)));
    }
    Robot::new(parts).expect("only other feet")
}

/// A capsule between two points, or a ball at one.
fn between(body: usize, (from, to, radius): (Vector3<f64>, Vector3<f64>, f64)) -> RobotShape {
    let turn = mocap_model::rotation_between(&Vector3::z(), &(to - from));
    let half_length = (to - from).norm() / 2.0;
    let (turn, primitive) = match half_length > 0.0 {
        true => (turn, Primitive::Capsule { radius, half_length }),
        false => (UnitQuaternion::identity(), Primitive::Sphere { radius }),
    };
    let placement = Isometry3::from_parts(((from + to) / 2.0).into(), turn);
    RobotShape { name: String::new(), body, placement, primitive, mask: ContactMask::default() }
}

/// The same with toes that a hinge moves: the front of the sole is on them.
fn with_toes(robot: &Robot) -> Robot {
    let heel = [-0.02, 0.02].map(|y| (at(-0.05, y, -0.025), at(0.05, y, -0.025), 0.01));
    let feet = Humanoid::find(robot).expect("a humanoid").soles.map(|sole| sole.body);
    let mut parts = on_feet(robot, &heel).into_parts();
    // The later foot first: bodies are inserted behind each.
    let mut feet = feet.to_vec();
    feet.sort_unstable_by(|a, b| b.cmp(a));
    for foot in feet {
        let toe = foot + 1;
        let moved = |body: usize| if body >= toe { body + 1 } else { body };
        for body in &mut parts.bodies {
            body.parent = body.parent.map(moved);
        }
        parts.joints.iter_mut().for_each(|joint| joint.body = moved(joint.body));
        parts.shapes.iter_mut().for_each(|shape| shape.body = moved(shape.body));
        for pair in &mut parts.excluded {
            *pair = pair.map(moved);
        }
        insert_toe(&mut parts, foot);
    }
    parts.home = None;
    Robot::new(parts).expect("toes are behind feet")
}

fn insert_toe(parts: &mut RobotParts, foot: usize) {
    let toe = RobotBody {
        name: format!("toe{foot}"),
        parent: Some(foot),
        placement: Isometry3::translation(0.07, 0.0, -0.02),
        mass: None,
        centre_of_mass: Vector3::zeros(),
        inertia: None,
    };
    parts.bodies.insert(foot + 1, toe);
    let hinge = RobotJoint {
        name: format!("toe_joint{foot}"),
        body: foot + 1,
        kind: RobotJointKind::Hinge,
        axis: Vector3::y(),
        anchor: Vector3::zeros(),
        reference: 0.0,
        limit: Some(Limit { min: -1.0, max: 0.5 }),
        velocity: None,
        acceleration: None,
        effort: None,
        mimic: None,
    };
    let place = parts.joints.iter().position(|joint| joint.body > foot).unwrap_or(parts.joints.len());
    parts.joints.insert(place, hinge);
    let tips = [-0.02, 0.02].map(|y| (at(0.0, y, -0.005), at(0.055, y, -0.005), 0.01));
    parts.shapes.extend(tips.map(|tip| between(foot + 1, tip)));
}

fn at(x: f64, y: f64, z: f64) -> Vector3<f64> {
    Vector3::new(x, y, z)
}

/// A ball at a place of the foot's frame.
fn ball(x: f64, y: f64) -> (Vector3<f64>, Vector3<f64>, f64) {
    (at(x, y, -0.015), at(x, y, -0.015), 0.02)
}

/// Figures no worse than the robot's own by more than 20 %, or within the goals that any robot has. Legs that are thicker
/// pass each other further apart, which turns them by a few degrees.
#[track_caller]
fn moves_alike(what: &str, own: &RobotReport, other: &RobotReport) {
    let skate = |report: &RobotReport| report.skate.map_or([0.0; 2], |skate| [skate.mean, skate.p95]);
    for (own, (other, goal)) in skate(own).into_iter().zip(skate(other).into_iter().zip([0.02, 0.1])) {
        assert!(other <= (1.2 * own).max(goal), "{what}: skates {other} m/s, itself {own}");
    }
    let (a, b) = (&own.follow, &other.follow);
    let limbs = [
        ("thighs", a.thigh, b.thigh),
        ("shanks", a.shank, b.shank),
        ("upper arms", a.upper_arm.unwrap_or(0.0), b.upper_arm.unwrap_or(0.0)),
        ("forearms", a.forearm.unwrap_or(0.0), b.forearm.unwrap_or(0.0)),
    ];
    for (limb, own, other) in limbs {
        assert!(other <= 1.2 * own + 3.0, "{what}: {limb} are {other}° off, itself {own}°");
    }
    assert!(other.penetration.max < 0.005, "{what}: {:?}", other.penetration);
}

#[test]
fn thicker_parts_move_alike() {
    let (walk, robot) = walk_and_robot();
    let own = put(&walk, &robot);
    for by in [0.01, 0.02, 0.04] {
        let other = put(&walk, &thicker(&robot, by));
        moves_alike(&format!("{by} m thicker"), &own, &other);
    }
}

#[test]
fn other_feet_move_alike() {
    let (walk, robot) = walk_and_robot();
    let own = put(&walk, &robot);
    let three = [ball(0.12, 0.02), ball(0.12, -0.02), ball(-0.04, 0.0)];
    let five = [ball(0.12, 0.02), ball(0.12, -0.02), ball(0.04, 0.0), ball(-0.04, 0.02), ball(-0.04, -0.02)];
    let tilted = [-0.02, 0.02].map(|y| (at(0.12, y, -0.03), at(-0.04, y, 0.0), 0.01));
    moves_alike("one ball", &own, &put(&walk, &on_feet(&robot, &[ball(0.04, 0.0)])));
    moves_alike("three balls", &own, &put(&walk, &on_feet(&robot, &three)));
    moves_alike("five balls", &own, &put(&walk, &on_feet(&robot, &five)));
    moves_alike("tilted capsules", &own, &put(&walk, &on_feet(&robot, &tilted)));
    moves_alike("toes", &own, &put(&walk, &with_toes(&robot)));
}

#[test]
fn a_balanced_walk_stands() {
    let (walk, g1) = walk_and_robot();
    let t1 = robot(&std::fs::read(mocap_corpus::folder().join("robots/t1.xml")).expect("a model"));
    let metres = walk.skeleton().space().unit.map_or(1.0, |unit| unit.metres);
    let options = RobotOptions { balance: true, ..RobotOptions::default() };
    for (robot, name) in [(&g1, "G1"), (&t1, "T1")] {
        let report = retarget(&walk, metres, robot, &options).expect("a humanoid").1;
        let within = report.balance.expect("masses").within.expect("soles on the floor");
        assert!(within > 0.96, "{name}: {within}");
        let plain = put(&walk, robot).follow;
        let follow = report.follow;
        assert!(follow.thigh < plain.thigh + 2.0 && follow.shank < plain.shank + 2.0, "{name}: {follow:?}");
    }
}
