//! Invalid robots are refused with an error that names the wrong part.

use mocap_model::{
    Isometry3, ModelError, Primitive, Robot, RobotBody, RobotJoint, RobotJointKind, RobotParts, RobotShape,
    Vector3,
};

fn leg() -> RobotParts {
    let body = |name: &str, parent| RobotBody {
        name: name.into(),
        parent,
        placement: Isometry3::identity(),
        mass: None,
        centre_of_mass: Vector3::zeros(),
        inertia: None,
    };
    let knee = RobotJoint {
        name: "knee".into(),
        body: 1,
        kind: RobotJointKind::Hinge,
        axis: Vector3::x(),
        anchor: Vector3::zeros(),
        reference: 0.0,
        limit: None,
        velocity: None,
        acceleration: None,
        effort: None,
        mimic: None,
    };
    let bodies = vec![body("thigh", None), body("shin", Some(0))];
    RobotParts { bodies, joints: vec![knee], ..RobotParts::default() }
}

#[test]
fn shapes_and_exclusions_of_absent_bodies_are_named() {
    assert!(Robot::new(leg()).is_ok());
    let shape = |body| RobotShape {
        name: "ball".into(),
        body,
        placement: Isometry3::identity(),
        primitive: Primitive::Sphere { radius: 0.1 },
        mask: Default::default(),
    };
    assert!(Robot::new(RobotParts { shapes: vec![shape(1)], ..leg() }).is_ok());
    let absent = ModelError::NoBody { index: 2, bodies: 2 };
    assert_eq!(Robot::new(RobotParts { shapes: vec![shape(2)], ..leg() }).unwrap_err(), absent);
    assert_eq!(Robot::new(RobotParts { excluded: vec![[0, 2]], ..leg() }).unwrap_err(), absent);
    assert_eq!(absent.to_string(), "body 2 does not exist: the robot has 2 bodies");
}

#[test]
fn the_highest_speed_acceleration_and_effort_are_above_0() {
    let set: [fn(&mut RobotJoint, f64); 3] = [
        |joint, value| joint.velocity = Some(value),
        |joint, value| joint.acceleration = Some(value),
        |joint, value| joint.effort = Some(value),
    ];
    for set in set {
        for value in [0.0, -1.0, f64::NAN] {
            let mut parts = leg();
            set(&mut parts.joints[0], value);
            let error = Robot::new(parts).unwrap_err();
            assert!(matches!(&error, ModelError::NotPositive { joint, .. } if joint == "knee"), "{error}");
        }
        let mut parts = leg();
        set(&mut parts.joints[0], 3.0);
        assert!(Robot::new(parts).is_ok());
    }
}
