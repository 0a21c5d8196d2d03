//! The motion of a robot: its base and one value per joint, frame by frame.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use nalgebra::{UnitQuaternion, Vector3};

use crate::{
    Clip, FrameRate, Isometry3, JointId, JointTracks, ModelError, Robot, RobotJoint, RobotJointKind, Track,
};

/// The pose of a robot: where its base is, and one value per joint.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotPose {
    /// The base in the world \[m\].
    pub base: Isometry3<f64>,
    /// One value per joint \[rad or m\].
    pub values: Vec<f64>,
}

/// A motion of a robot. As a clip it has the skeleton of [`Robot::to_skeleton`], with one rotation or translation per
/// joint; both say the same.
///
/// ```
/// use mocap_model::*;
/// use std::sync::Arc;
///
/// let body = |name: &str, parent| RobotBody {
///     name: name.into(),
///     parent,
///     placement: Isometry3::translation(0.0, 0.0, 0.5),
///     mass: None,
///     centre_of_mass: Vector3::zeros(),
///     inertia: None,
/// };
/// let knee = RobotJoint {
///     name: "knee".into(),
///     body: 1,
///     kind: RobotJointKind::Hinge,
///     axis: Vector3::y(),
///     anchor: Vector3::zeros(),
///     reference: 0.0,
///     limit: None,
///     velocity: None,
///     acceleration: None,
///     effort: None,
///     mimic: None,
/// };
/// let bodies = vec![body("thigh", None), body("shank", Some(0))];
/// let robot = Robot::new(RobotParts { bodies, joints: vec![knee], floating: true, ..RobotParts::default() })?;
/// let pose = |value| RobotPose { base: Isometry3::translation(0.0, 0.0, 1.0), values: vec![value] };
/// let fps = FrameRate::new(30.0).unwrap();
/// // Joints without limits turn on beyond half a turn.
/// let motion = RobotMotion { fps, poses: vec![pose(3.0), pose(3.5)] };
///
/// let clip = motion.to_clip(&Arc::new(robot))?;
/// let again = RobotMotion::of_clip(&clip)?;
/// assert!((again.poses[1].values[0] - 3.5).abs() < 1e-12);
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RobotMotion {
    /// Frames per second.
    pub fps: FrameRate,
    /// The poses.
    pub poses: Vec<RobotPose>,
}

/// Tolerance of the motion of a joint off its own axis: rotation \[rad\], translation \[m\].
const OFF_AXIS: f64 = 1e-6;
/// Values this far beyond a limit count as on it \[rad or m\]: conversion to a rotation rounds.
const ROUNDING: f64 = 1e-9;

impl RobotMotion {
    /// The motion as a clip of the robot's skeleton.
    ///
    /// # Errors
    /// As [`Robot::to_skeleton`] and [`Clip::new`].
    ///
    /// # Panics
    /// If a pose does not have one value per joint.
    pub fn to_clip(&self, robot: &Arc<Robot>) -> Result<Clip, ModelError> {
        let skeleton = robot.to_skeleton()?;
        let frames = self.poses.len();
        let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        let sampled = |of: &dyn Fn(&RobotPose) -> UnitQuaternion<f64>| {
            Track::from_samples(self.poses.iter().map(of).collect::<Vec<_>>())
        };
        let moved = |of: &dyn Fn(&RobotPose) -> Vector3<f64>| {
            Track::from_samples(self.poses.iter().map(of).collect::<Vec<_>>())
        };
        if let (Some(rotation), Some(translation)) =
            (sampled(&|pose| pose.base.rotation), moved(&|pose| pose.base.translation.vector))
        {
            tracks[0] = JointTracks { rotation, translation: Some(translation), scale: None };
        }
        for (index, (joint, id)) in robot.joints().iter().zip(robot.skeleton_joints()).enumerate() {
            let rest = skeleton.joint(id);
            let value = |pose: &RobotPose| pose.values[index] - joint.reference;
            let track = &mut tracks[id.index()];
            match joint.kind {
                RobotJointKind::Hinge => {
                    let turn =
                        sampled(&|pose| rest.rest_rotation * UnitQuaternion::new(joint.axis * value(pose)));
                    track.rotation = turn.unwrap_or_else(|| track.rotation.clone());
                }
                RobotJointKind::Slide => {
                    let along = rest.rest_rotation * joint.axis;
                    track.translation = moved(&|pose| rest.offset + along * value(pose));
                }
            }
        }
        Clip::new(Arc::new(skeleton), self.fps, frames, tracks)
    }

    /// The motion of a clip whose skeleton is that of a robot.
    ///
    /// # Errors
    /// If the skeleton has no robot ([`Skeleton::robot`](crate::Skeleton::robot)), or a joint turns about another axis
    /// than the robot's.
    pub fn of_clip(clip: &Clip) -> Result<RobotMotion, ModelError> {
        let skeleton = clip.skeleton();
        let robot = skeleton.robot().ok_or(ModelError::NotRobot)?;
        let joints = robot.skeleton_joints();
        let mut poses: Vec<RobotPose> = Vec::with_capacity(clip.frames());
        for frame in 0..clip.frames() {
            let mut values = Vec::with_capacity(joints.len());
            for (index, (joint, id)) in robot.joints().iter().zip(&joints).enumerate() {
                let rest = skeleton.joint(*id);
                let placed = Isometry3::from_parts(rest.offset.into(), rest.rest_rotation);
                let before = poses.last().map(|pose| pose.values[index]);
                let value = joint.value_of(&(placed.inverse() * clip.local(*id, frame)), before, OFF_AXIS);
                let wrong = || ModelError::NotOnRobot { joint: joint.name.clone(), frame };
                values.push(value.ok_or_else(wrong)?);
            }
            poses.push(RobotPose { base: clip.local(JointId(0), frame), values });
        }
        Ok(RobotMotion { fps: clip.rate(), poses })
    }
}

impl RobotJoint {
    /// The value of the joint for a transform relative to rest; `None` where that moves it further off its axis than
    /// `tolerance` [rad, m]. A hinge turns on from its value in the frame before, if that is given; else it is within its
    /// limits, where they hold any whole turn of it.
    ///
    /// ```
    /// # use mocap_model::*;
    /// let limit = Some(Limit { min: 0.0, max: 12.0 });
    /// # let wheel = RobotJoint {
    /// #     name: "wheel".into(),
    /// #     body: 1,
    /// #     kind: RobotJointKind::Hinge,
    /// #     axis: Vector3::y(),
    /// #     anchor: Vector3::zeros(),
    /// #     reference: 0.0,
    /// #     limit,
    /// #     velocity: None,
    /// #     acceleration: None,
    /// #     effort: None,
    /// #     mimic: None,
    /// # };
    /// let turned = Isometry3::rotation(Vector3::y());
    /// let near = |value: Option<f64>, expected: f64| (value.unwrap() - expected).abs() < 1e-9;
    /// assert!(near(wheel.value_of(&turned, None, 1e-6), 1.0));
    /// assert!(near(wheel.value_of(&turned, Some(7.0), 1e-6), 1.0 + std::f64::consts::TAU));
    /// assert!(wheel.value_of(&Isometry3::rotation(Vector3::x()), None, 1e-6).is_none());
    /// ```
    pub fn value_of(&self, moved: &Isometry3<f64>, before: Option<f64>, tolerance: f64) -> Option<f64> {
        let value = match self.kind {
            RobotJointKind::Slide => {
                let along = self.axis.dot(&moved.translation.vector);
                let off = (moved.translation.vector - self.axis * along).norm() + moved.rotation.angle();
                (off <= tolerance).then_some(along + self.reference)?
            }
            RobotJointKind::Hinge => {
                let q = moved.rotation;
                let along = q.imag().dot(&self.axis);
                let off = 2.0 * (q.imag() - self.axis * along).norm() + moved.translation.vector.norm();
                let angle = (2.0 * along.atan2(q.w)).rem_euclid(TAU) + self.reference;
                (off <= tolerance).then(|| nearest_turn(self, angle, before))?
            }
        };
        let Some(limit) = self.limit else { return Some(value) };
        let near = value.clamp(limit.min, limit.max);
        Some(if (near - value).abs() <= ROUNDING { near } else { value })
    }
}

/// The angle plus whole turns: nearest to the frame before, else within the limits.
fn nearest_turn(joint: &RobotJoint, angle: f64, before: Option<f64>) -> f64 {
    let middle = match (before, joint.limit) {
        (Some(before), _) => before,
        (None, Some(limit)) if limit.min.is_finite() && limit.max.is_finite() => {
            let within = [0.0, -TAU, TAU].map(|turn| nearest(angle, joint.reference) + turn);
            let inside = |value: &f64| *value >= limit.min - ROUNDING && *value <= limit.max + ROUNDING;
            within.into_iter().find(inside).unwrap_or(joint.reference)
        }
        _ => joint.reference,
    };
    nearest(angle, middle)
}

/// `angle` plus whole turns, within half a turn of `middle`.
fn nearest(angle: f64, middle: f64) -> f64 {
    middle + ((angle - middle + PI).rem_euclid(TAU) - PI)
}
