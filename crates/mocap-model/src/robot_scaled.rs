//! Robots at another size.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{
    Hull, Isometry3, Limit, ModelError, Primitive, Robot, RobotJoint, RobotJointKind, RobotParts, RobotPose,
};

impl Robot {
    /// The same robot at another size: all lengths times `factor`, those that slides state among them. Masses and efforts
    /// stay, so moments of inertia go with the square.
    ///
    /// # Errors
    /// If the factor is not above 0, or a length overflows.
    ///
    /// ```
    /// use mocap_model::*;
    ///
    /// let body = |name: &str, parent| RobotBody {
    ///     name: name.into(),
    ///     parent,
    ///     placement: Isometry3::translation(0.0, 0.0, 0.5),
    ///     mass: Some(2.0),
    ///     centre_of_mass: Vector3::zeros(),
    ///     inertia: None,
    /// };
    /// let bodies = vec![body("torso", None), body("head", Some(0))];
    /// let robot = Robot::new(RobotParts { bodies, ..RobotParts::default() })?;
    /// let small = robot.scaled(0.2)?;
    /// assert!((small.bodies()[1].placement.translation.z - 0.1).abs() < 1e-12);
    /// assert!(robot.scaled(0.0).is_err());
    /// # Ok::<(), ModelError>(())
    /// ```
    pub fn scaled(&self, factor: f64) -> Result<Robot, ModelError> {
        if !(factor.is_finite() && factor > 0.0) {
            return Err(ModelError::Scale { factor });
        }
        let mut parts = self.clone().into_parts();
        for body in &mut parts.bodies {
            body.placement.translation.vector *= factor;
            body.centre_of_mass *= factor;
            body.inertia = body.inertia.map(|inertia| inertia * (factor * factor));
        }
        // Shapes of one mesh share its hull, so it is scaled once.
        let mut hulls: HashMap<*const Hull, Arc<Hull>> = HashMap::new();
        for shape in &mut parts.shapes {
            shape.placement.translation.vector *= factor;
            shape.primitive = match &shape.primitive {
                Primitive::Hull(hull) => {
                    let scaled = || Arc::new(Hull::clone(hull).scaled(factor));
                    Primitive::Hull(hulls.entry(Arc::as_ptr(hull)).or_insert_with(scaled).clone())
                }
                other => other.scaled(factor),
            };
        }
        scale_joints(&mut parts, factor);
        Robot::new(parts)
    }
}

fn scale_joints(parts: &mut RobotParts, factor: f64) {
    let units: Vec<f64> = parts.joints.iter().map(|joint| joint.unit(factor)).collect();
    for (joint, unit) in parts.joints.iter_mut().zip(&units) {
        joint.anchor *= factor;
        joint.reference *= unit;
        joint.limit = joint.limit.map(|Limit { min, max }| Limit { min: min * unit, max: max * unit });
        joint.velocity = joint.velocity.map(|speed| speed * unit);
        joint.acceleration = joint.acceleration.map(|acceleration| acceleration * unit);
        if let Some(mimic) = &mut joint.mimic {
            mimic.offset *= unit;
            // A slide may follow a hinge, and the other way round.
            mimic.factor *= unit / units[mimic.joint];
        }
    }
    for (value, unit) in parts.home.iter_mut().flatten().zip(&units) {
        *value *= unit;
    }
}

impl RobotJoint {
    /// What its values are multiplied by where lengths are by `factor`: angles stay.
    pub fn unit(&self, factor: f64) -> f64 {
        match self.kind {
            RobotJointKind::Hinge => 1.0,
            RobotJointKind::Slide => factor,
        }
    }
}

impl RobotPose {
    /// The same pose of [`Robot::scaled`]; `robot` is the robot at any size.
    #[must_use]
    pub fn scaled(&self, robot: &Robot, factor: f64) -> RobotPose {
        let at = self.base.translation.vector * factor;
        let values = self.values.iter().zip(robot.joints());
        RobotPose {
            base: Isometry3::from_parts(at.into(), self.base.rotation),
            values: values.map(|(value, joint)| value * joint.unit(factor)).collect(),
        }
    }
}

impl Primitive {
    /// The same form at another size.
    fn scaled(&self, factor: f64) -> Primitive {
        match self {
            Primitive::Sphere { radius } => Primitive::Sphere { radius: radius * factor },
            Primitive::Capsule { radius, half_length } => {
                Primitive::Capsule { radius: radius * factor, half_length: half_length * factor }
            }
            Primitive::Cylinder { radius, half_length } => {
                Primitive::Cylinder { radius: radius * factor, half_length: half_length * factor }
            }
            Primitive::Box { half_sizes } => Primitive::Box { half_sizes: half_sizes * factor },
            Primitive::Ellipsoid { radii } => Primitive::Ellipsoid { radii: radii * factor },
            Primitive::Hull(hull) => Primitive::Hull(Arc::new(Hull::clone(hull).scaled(factor))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContactMask, Mimic, RobotBody, RobotShape, UnitQuaternion, Vector3};

    /// A box that slides on a base, a hinge on it that the slide drives, and a mesh there.
    fn robot() -> Robot {
        let body = |name: &str, parent, at: Vector3<f64>| RobotBody {
            name: name.into(),
            parent,
            placement: Isometry3::from_parts(at.into(), UnitQuaternion::new(at)),
            mass: Some(2.0),
            centre_of_mass: at / 3.0,
            inertia: Some(nalgebra::Matrix3::identity() * 0.1),
        };
        let joint = |name: &str, body, kind, mimic| RobotJoint {
            name: name.into(),
            body,
            kind,
            axis: Vector3::y(),
            anchor: Vector3::new(0.1, 0.0, 0.02),
            reference: 0.05,
            limit: Some(Limit { min: -0.2, max: 0.4 }),
            velocity: Some(2.0),
            acceleration: None,
            effort: Some(5.0),
            mimic,
        };
        let slide = joint("slide", 1, RobotJointKind::Slide, None);
        let mimic = Mimic { joint: 0, factor: 3.0, offset: 0.1 };
        let hinge = joint("hinge", 2, RobotJointKind::Hinge, Some(mimic));
        let corners = [[0.1, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.1], [-0.1, -0.1, -0.1]];
        let hull = Hull::of(&corners.map(Vector3::from)).expect("a solid");
        let shape = |body, primitive| RobotShape {
            name: String::new(),
            body,
            placement: Isometry3::translation(0.1, 0.2, 0.3),
            primitive,
            mask: ContactMask::default(),
        };
        let round = Primitive::Capsule { radius: 0.1, half_length: 0.2 };
        Robot::new(RobotParts {
            bodies: vec![
                body("base", None, Vector3::zeros()),
                body("box", Some(0), Vector3::new(0.1, 0.2, 0.3)),
                body("arm", Some(1), Vector3::new(0.0, -0.2, 0.1)),
            ],
            joints: vec![slide, hinge],
            shapes: vec![shape(1, round), shape(2, Primitive::Hull(Arc::new(hull)))],
            floating: true,
            home: Some(vec![0.1, 0.4]),
            ..RobotParts::default()
        })
        .expect("a robot")
    }

    #[test]
    fn every_place_of_a_scaled_robot_is_scaled() {
        let robot = robot();
        let slide: f64 = 0.13;
        let values = vec![slide, 3.0 * slide + 0.1];
        let turn = UnitQuaternion::new(Vector3::new(0.3, -0.2, 0.1));
        let base = Isometry3::from_parts(Vector3::new(1.0, -2.0, 0.5).into(), turn);
        let pose = RobotPose { base, values };
        for factor in [0.2, 3.0] {
            let scaled = robot.scaled(factor).expect("a robot");
            let small = pose.scaled(&robot, factor);
            let mimic = scaled.joints()[1].mimic.expect("it follows the slide");
            assert!((mimic.offset + mimic.factor * small.values[0] - small.values[1]).abs() < 1e-12);
            let [own, other] =
                [robot.place(&pose.base, &pose.values), scaled.place(&small.base, &small.values)];
            let up = Vector3::new(0.6, 0.0, 0.8);
            for (shape, again) in robot.shapes().iter().zip(scaled.shapes()) {
                let [lowest, scaled] =
                    [shape.lowest(&own[shape.body], &up), again.lowest(&other[shape.body], &up)];
                assert!((scaled - lowest * factor).abs() < 1e-12, "{scaled} {lowest}");
            }
            for (body, (own, other)) in own.iter().zip(&other).enumerate() {
                assert!(
                    (other.translation.vector - own.translation.vector * factor).norm() < 1e-12,
                    "{body}"
                );
                assert!(other.rotation.angle_to(&own.rotation) < 1e-12);
            }
            let joint = &scaled.joints()[0];
            assert_eq!((joint.velocity, joint.effort), (Some(2.0 * factor), Some(5.0)));
            assert_eq!(scaled.joints()[1].velocity, Some(2.0));
            assert_eq!(scaled.home(), Some(&[0.1 * factor, 0.4][..]));
        }
    }

    #[test]
    fn scaling_back_gives_the_robot_again() {
        let robot = robot();
        // Powers of two lose no digit.
        let again = robot.scaled(4.0).and_then(|large| large.scaled(0.25)).expect("a robot");
        assert_eq!(again, robot);
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for factor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(robot().scaled(factor), Err(ModelError::Scale { .. })), "{factor}");
        }
        assert!(robot().scaled(1e308).is_err());
    }
}
