//! The same robot with legs of one length, on which every motion is fitted.
//!
//! What the fit weighs, the margins that it keeps and the steps that it takes are lengths: on legs of this length. So a
//! motion on a robot of any size is the one on this robot, at that size. What is physical, as gravity, and what is
//! measured stays that of the robot itself.

use mocap_model::{Primitive, Robot, RobotPose, Vector3};

use crate::RobotError;
use crate::highest::Highest;
use crate::landmarks::Humanoid;
use crate::reference_leg::LEG;

/// A robot of that size.
pub(crate) struct ReferenceSize {
    pub(crate) robot: Robot,
    /// Its lengths over those of the robot itself.
    pub(crate) factor: f64,
}

impl ReferenceSize {
    /// # Errors
    /// If a length of the robot overflows.
    pub(crate) fn of(robot: &Robot, humanoid: &Humanoid) -> Result<ReferenceSize, RobotError> {
        let factor = LEG / humanoid.leg_length();
        Ok(ReferenceSize { robot: rounded(robot.scaled(factor)?)?, factor })
    }

    /// A pose of the robot itself as one of this.
    pub(crate) fn taken_to(&self, pose: &RobotPose) -> RobotPose {
        pose.scaled(&self.robot, self.factor)
    }

    /// A pose of this robot as one of the robot itself.
    pub(crate) fn put_back(&self, pose: &RobotPose) -> RobotPose {
        pose.scaled(&self.robot, 1.0 / self.factor)
    }

    /// Limits of the robot itself as those of this.
    pub(crate) fn limits(&self, highest: &Highest) -> Highest {
        let scaled = |limits: &[Option<f64>]| {
            let joints = self.robot.joints().iter().zip(limits);
            joints.map(|(joint, limit)| limit.map(|limit| limit * joint.unit(self.factor))).collect()
        };
        Highest { speeds: scaled(&highest.speeds), accelerations: scaled(&highest.accelerations) }
    }
}

/// The same robot with rounded lengths: those of a robot at two sizes then agree to the last digit. A fit that lets a part
/// pass another on one side or the other may be led elsewhere by that digit.
fn rounded(robot: Robot) -> Result<Robot, RobotError> {
    let mut parts = robot.into_parts();
    for body in &mut parts.bodies {
        round_all(&mut body.placement.translation.vector);
        round_all(&mut body.centre_of_mass);
    }
    parts.joints.iter_mut().for_each(|joint| round_all(&mut joint.anchor));
    for shape in &mut parts.shapes {
        round_all(&mut shape.placement.translation.vector);
        match &mut shape.primitive {
            Primitive::Sphere { radius } => round(radius),
            Primitive::Capsule { radius, half_length } | Primitive::Cylinder { radius, half_length } => {
                round(radius);
                round(half_length);
            }
            Primitive::Box { half_sizes: sizes } | Primitive::Ellipsoid { radii: sizes } => round_all(sizes),
            // Corners of meshes would need new faces.
            Primitive::Hull(_) => {}
        }
    }
    Ok(Robot::new(parts)?)
}

fn round_all(lengths: &mut Vector3<f64>) {
    lengths.iter_mut().for_each(round);
}

/// To about a nanometre: a power of two, so that rounded lengths are exact.
fn round(length: &mut f64) {
    const GRAINS: f64 = (1u64 << 30) as f64;
    *length = (*length * GRAINS).round() / GRAINS;
}
