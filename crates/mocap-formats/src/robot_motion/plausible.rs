//! Numbers of a robot's motion that a robot cannot have: joints beyond their limits, such as angles in degrees,
//! joints off those that they follow, and quaternions in the other order. They are warnings, because other tools write motions beyond the limits of a model.

use mocap_model::{Robot, RobotJointKind, RobotMotion, UnitQuaternion, Vector3};
use nalgebra::Quaternion;

use super::Problem;
use crate::Finding;

/// Values this far beyond a limit are on it: tables have few digits \[rad or m\].
const ON_LIMIT: f64 = 1e-2;
/// Share of the joints with limits that are beyond them if angles are in degrees.
const MOST_JOINTS: f64 = 0.25;
/// A robot lies or stands on its head beyond this angle from upright \[rad\] ...
const LYING: f64 = 1.0;
/// ... and stands below this one.
const STANDING: f64 = 0.5;

/// The warnings about a motion. `w_first`: whether the file holds w before x, y and z of quaternions.
pub(super) fn findings(motion: &RobotMotion, robot: &Robot, w_first: bool) -> Vec<Finding> {
    let found =
        [beyond_limits(motion, robot), other_order(motion, robot, w_first), off_mimics(motion, robot)];
    found.into_iter().flatten().collect()
}

/// How far a value is beyond the limits of a joint, and the limit; `None` within.
fn beyond(robot: &Robot, joint: usize, value: f64) -> Option<(f64, f64)> {
    let limit = robot.joints()[joint].limit?;
    let near = value.clamp(limit.min, limit.max);
    Some(((value - near).abs(), near)).filter(|(far, _)| *far > ON_LIMIT)
}

fn beyond_limits(motion: &RobotMotion, robot: &Robot) -> Option<Finding> {
    let joints = robot.joints();
    let (mut found, mut joints_beyond) = (0, vec![false; joints.len()]);
    let mut worst: Option<(f64, f64, usize, usize)> = None;
    for (frame, pose) in motion.poses.iter().enumerate() {
        for (joint, value) in pose.values.iter().enumerate() {
            let Some((far, limit)) = beyond(robot, joint, *value) else { continue };
            found += 1;
            joints_beyond[joint] = true;
            if worst.is_none_or(|(most, ..)| far > most) {
                worst = Some((far, limit, joint, frame));
            }
        }
    }
    let (_, limit, joint, frame) = worst?;
    let hinge = |joint: usize| joints[joint].kind == RobotJointKind::Hinge;
    let in_degrees = |(joint, value): (usize, &f64)| if hinge(joint) { value.to_radians() } else { *value };
    let within = motion.poses.iter().all(|pose| {
        let mut values = pose.values.iter().enumerate();
        values.all(|value| beyond(robot, value.0, in_degrees(value)).is_none())
    });
    let limited = joints.iter().filter(|joint| joint.limit.is_some()).count();
    let many = joints_beyond.iter().filter(|beyond| **beyond).count() as f64 >= MOST_JOINTS * limited as f64;
    let problem = Problem::BeyondLimits {
        found,
        all: motion.poses.len() * limited,
        joint: joints[joint].name.clone(),
        value: motion.poses[frame].values[joint],
        limit,
        unit: if hinge(joint) { "rad" } else { "m" },
        degrees: within && many,
    };
    Some(Finding::new(problem).in_frame(frame))
}

/// The warning if joints that follow another are not where that puts them; it names the farthest.
fn off_mimics(motion: &RobotMotion, robot: &Robot) -> Option<Finding> {
    let joints = robot.joints();
    let mut found = 0;
    let mut worst: Option<(f64, usize, usize, f64)> = None;
    for (frame, pose) in motion.poses.iter().enumerate() {
        for (joint, value) in pose.values.iter().enumerate() {
            let Some(mimic) = joints[joint].mimic else { continue };
            let expected = mimic.factor * pose.values[mimic.joint] + mimic.offset;
            let far = (value - expected).abs();
            found += usize::from(far > ON_LIMIT);
            if far > ON_LIMIT && worst.is_none_or(|(most, ..)| far > most) {
                worst = Some((far, joint, frame, expected));
            }
        }
    }
    let (_, joint, frame, expected) = worst?;
    let followed = joints[joint].mimic.map(|mimic| joints[mimic.joint].name.clone())?;
    let problem = Problem::OffMimic {
        found,
        joint: joints[joint].name.clone(),
        followed,
        value: motion.poses[frame].values[joint],
        expected,
        unit: if joints[joint].kind == RobotJointKind::Hinge { "rad" } else { "m" },
        slack: ON_LIMIT,
    };
    Some(Finding::new(problem).in_frame(frame))
}

/// The warning if the robot lies or stands on its head in most frames, but stands with quaternions in the other order.
fn other_order(motion: &RobotMotion, robot: &Robot, w_first: bool) -> Option<Finding> {
    let rest = robot.bodies().iter().find(|body| body.parent.is_none())?.placement.rotation;
    let tilt =
        |rotation: &UnitQuaternion<f64>| (rotation * rest.inverse() * Vector3::z()).angle(&Vector3::z());
    let other = |rotation: &UnitQuaternion<f64>| {
        let q = rotation.coords;
        UnitQuaternion::new_normalize(match w_first {
            true => Quaternion::new(q.z, q.w, q.x, q.y),
            false => Quaternion::new(q.x, q.y, q.z, q.w),
        })
    };
    let most = |holds: &dyn Fn(&UnitQuaternion<f64>) -> bool| {
        2 * motion.poses.iter().filter(|pose| holds(&pose.base.rotation)).count() > motion.poses.len()
    };
    let wrong =
        most(&|rotation| tilt(rotation) > LYING) && most(&|rotation| tilt(&other(rotation)) < STANDING);
    wrong.then(|| Finding::new(Problem::QuaternionOrder { w_first }))
}
