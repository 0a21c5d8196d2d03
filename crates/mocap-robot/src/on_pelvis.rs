//! The same robot with its pelvis as base, in a frame that is upright at rest.
//!
//! The base of a model may be a link beside the body, to which the robot is fixed somewhere and turned somehow, and the
//! frame of the pelvis may lean. What is smooth and short is then the way of that link. With the pelvis as base, the
//! motion of the joints is that of the robot without the link; with an upright frame, it is that to the last digit.

use mocap_model::{Isometry3, Robot, RobotPose, UnitQuaternion};
use nalgebra::Point3;

use crate::RobotError;
use crate::landmarks::Humanoid;

/// A robot based on its pelvis.
pub(crate) struct OnPelvis {
    pub(crate) robot: Robot,
    /// The new base in the frame of the model's base.
    pelvis: Isometry3<f64>,
}

impl OnPelvis {
    /// `None` where the base is such a frame already. A pelvis that moves on the base leaves that where it is.
    ///
    /// # Errors
    /// If the changed model is none, which its numbers do not allow to happen unless they overflow.
    pub(crate) fn of(robot: &Robot, humanoid: &Humanoid) -> Result<Option<OnPelvis>, RobotError> {
        let to_base = std::iter::successors(Some(humanoid.pelvis), |body| robot.bodies()[*body].parent);
        let path: Vec<usize> = to_base.collect();
        let moves = robot.joints().iter().any(|joint| path.contains(&joint.body));
        let place = match moves {
            true => Isometry3::identity(),
            false => (path.iter().rev().skip(1))
                .fold(Isometry3::identity(), |at, body| at * robot.bodies()[*body].placement),
        };
        let pelvis = Isometry3::from_parts(place.translation, humanoid.upright.inverse());
        let is_upright_in_world = robot.bodies()[0].placement.rotation == UnitQuaternion::identity();
        if pelvis == Isometry3::identity() && is_upright_in_world {
            return Ok(None);
        }
        let back = pelvis.inverse();
        let mut parts = robot.clone().into_parts();
        for body in parts.bodies.iter_mut().filter(|body| body.parent == Some(0)) {
            body.placement = back * body.placement;
        }
        parts.shapes.iter_mut().filter(|shape| shape.body == 0).for_each(|shape| {
            shape.placement = back * shape.placement;
        });
        for joint in parts.joints.iter_mut().filter(|joint| joint.body == 0) {
            joint.axis = back.rotation * joint.axis;
            joint.anchor = (back * Point3::from(joint.anchor)).coords;
        }
        let base = &mut parts.bodies[0];
        base.placement = Isometry3::from_parts(base.placement.translation, UnitQuaternion::identity());
        base.centre_of_mass = (back * Point3::from(base.centre_of_mass)).coords;
        let turn = back.rotation.to_rotation_matrix().into_inner();
        base.inertia = base.inertia.map(|inertia| turn * inertia * turn.transpose());
        Ok(Some(OnPelvis { robot: Robot::new(parts)?, pelvis }))
    }

    /// The pose of the model as one of this robot.
    pub(crate) fn moved(&self, pose: &RobotPose) -> RobotPose {
        RobotPose { base: pose.base * self.pelvis, values: pose.values.clone() }
    }

    /// Takes a pose of this robot to the model.
    pub(crate) fn put_back(&self, pose: &mut RobotPose) {
        pose.base *= self.pelvis.inverse();
    }
}
