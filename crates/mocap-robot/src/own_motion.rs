//! Motions of the robot itself, in a file of any format: they need no fit.

use std::collections::HashMap;

use mocap_model::{
    Clip, ForwardKinematics, Isometry3, JointId, Pose, Robot, RobotJoint, RobotJointKind, RobotPose, Role,
    Skeleton, Space, UnitQuaternion, Vector3,
};
use nalgebra::{Matrix3, Rotation3};
use schemars::JsonSchema;
use serde::Serialize;

use crate::RobotError;
use crate::landmarks::Humanoid;
use crate::limb::Bends;
use crate::source::upright;

/// How far a rest pose may be off that of the robot, and a joint off its place: files round numbers [rad, m].
const TOLERANCE: f64 = 2e-3;
/// How far a turn may be from all turns about the axis of its hinge \[rad\]: 1°. At its usual error e of 0.1 mm, a
/// compressed file keeps three points around each joint, at r = 3 cm along its axes, within e. Of two of them, what is
/// between them turns by at most 2e/r, whatever the axis; a hinge is between two joints, which is 4e/r = 0.76°.
/// Whoever bends a limb otherwise turns it further.
const OFF_AXIS: f64 = std::f64::consts::PI / 180.0;

/// The first joint of a motion in the joints of a robot that moves otherwise than the robot's can.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OffHinge {
    /// Its name.
    pub joint: String,
    /// The frame of the result.
    pub frame: usize,
    /// How far it is turned off its axis (degrees).
    pub angle: f64,
    /// How far it is off its place (m).
    pub distance: f64,
}

/// The joints of a clip that are those of a robot.
pub(crate) struct OwnSkeleton {
    /// The robot's skeleton.
    robot: Skeleton,
    /// By joint of the robot's skeleton: the joint of the clip.
    joints: Vec<JointId>,
    /// By joint of the robot's skeleton: its frame in that of the joint of the clip. Formats without rotations at rest,
    /// such as BVH, give joints the axes of the space.
    frames: Vec<UnitQuaternion<f64>>,
    /// Maps the axes of the clip to those of the robot.
    pub(crate) turn: UnitQuaternion<f64>,
    /// The length of the unit of the clip.
    pub(crate) metres: f64,
}

impl OwnSkeleton {
    /// The joints of a clip with the names, parents, bone lengths and zero pose of a robot's skeleton; `None` if one
    /// differs.
    pub(crate) fn of(skeleton: &Skeleton, metres: f64, robot: &Robot) -> Option<OwnSkeleton> {
        let own = robot.to_skeleton().ok()?;
        // The first of joints with one name.
        let named: HashMap<&str, JointId> =
            skeleton.iter().rev().map(|(id, joint)| (joint.name.as_str(), id)).collect();
        let joints: Vec<JointId> = own
            .joints()
            .iter()
            .map(|joint| named.get(joint.name.as_str()).copied())
            .collect::<Option<_>>()?;
        let sum = |lengths: &mut dyn Iterator<Item = f64>| lengths.sum::<f64>();
        let own_length = sum(&mut own.joints().iter().skip(1).map(|joint| joint.offset.norm()));
        let length = sum(&mut joints.iter().skip(1).map(|id| skeleton.joint(*id).offset.norm()));
        // A unit that was guessed from the size of people is known better from the robot.
        let is_guess = skeleton.space().unit.is_none_or(|unit| unit.source.is_guess());
        let metres = if is_guess && length > 0.0 { own_length / length } else { metres };
        let same = own.joints().iter().zip(&joints).all(|(joint, id)| {
            let other = skeleton.joint(*id);
            match (joint.parent, other.parent) {
                (Some(parent), Some(other_parent)) => {
                    let off = joint.offset.norm() - other.offset.norm() * metres;
                    joints[parent.index()] == other_parent && off.abs() < TOLERANCE
                }
                (None, other) => other.is_none(),
                _ => false,
            }
        });
        if !same {
            return None;
        }
        let object = |pose: Pose, skeleton: &Skeleton| {
            let mut object = Pose::default();
            pose.to_object(skeleton, &mut object);
            object.joints
        };
        let at_rest = object(Pose::rest(&own), &own);
        // A motion without rotations at rest gets some where its joints do not come to those of the file.
        let mut straight = Pose::rest(skeleton);
        straight.joints.iter_mut().for_each(|joint| joint.rotation = UnitQuaternion::identity());
        let rests = [Pose::rest(skeleton), straight].map(|pose| object(pose, skeleton));
        let from_base = |joints: &[Isometry3<f64>], base: usize, joint: usize| {
            joints[joint].translation.vector - joints[base].translation.vector
        };
        let stands = |rest: &[Isometry3<f64>], turn: &UnitQuaternion<f64>| {
            joints.iter().enumerate().all(|(index, id)| {
                let found = turn * (from_base(rest, joints[0].index(), id.index()) * metres);
                (found - from_base(&at_rest, 0, index)).norm() < TOLERANCE
            })
        };
        // Formats with axes of their own turn a robot so that it faces their forward; BVH states no axes.
        let turns = [to_robot_space(skeleton.space()), upright(skeleton.space().up)];
        let mut poses = rests.iter().flat_map(|rest| turns.iter().map(move |turn| (rest, *turn)));
        let standing = poses.find(|(rest, turn)| stands(rest, turn));
        // Else frames are those of the robot, or its zero pose is another one.
        let same_frames =
            || {
                own.joints().iter().zip(&joints).skip(1).all(|(joint, id)| {
                    (joint.offset - skeleton.joint(*id).offset * metres).norm() < TOLERANCE
                })
            };
        if standing.is_none() && !(same_frames() && has_axes_of(skeleton, robot)) {
            return None;
        }
        let turn = standing.map_or(turns[1], |(_, turn)| turn);
        let frame = |(index, id): (usize, &JointId)| match standing {
            Some((rest, turn)) => (turn * rest[id.index()].rotation).inverse() * at_rest[index].rotation,
            None => UnitQuaternion::identity(),
        };
        let frames = joints.iter().enumerate().map(frame).collect();
        Some(OwnSkeleton { robot: own, joints, frames, turn, metres })
    }

    /// The joint of the clip of a joint of the robot's skeleton, and a point of that in its frame.
    pub(crate) fn point(&self, joint: JointId, at: &Vector3<f64>) -> (JointId, Vector3<f64>) {
        (self.joints[joint.index()], self.frames[joint.index()] * at)
    }

    /// The motion on the robot, with values as they are in the clip: they may be beyond limits.
    ///
    /// # Errors
    /// The first joint that is off its axis, as after an edit that bends legs otherwise.
    pub(crate) fn poses(&self, sampled: &Clip, robot: &Robot) -> Result<Vec<RobotPose>, OffHinge> {
        let mut kinematics = ForwardKinematics::new(sampled);
        let mut poses: Vec<RobotPose> = Vec::with_capacity(sampled.frames());
        let mut moved_by: Vec<Option<usize>> = vec![None; self.robot.len()];
        for (index, id) in robot.skeleton_joints().into_iter().enumerate() {
            moved_by[id.index()] = Some(index);
        }
        for frame in 0..sampled.frames() {
            kinematics.place(frame);
            let placed: Vec<Isometry3<f64>> = (0..self.joints.len())
                .map(|index| {
                    let at = kinematics.at(self.joints[index]);
                    let place = self.turn * (at.translation.vector * self.metres);
                    Isometry3::from_parts(place.into(), self.turn * at.rotation * self.frames[index])
                })
                .collect();
            let mut values = vec![0.0; robot.joints().len()];
            for (id, joint) in self.robot.iter() {
                let Some(parent) = joint.parent else { continue };
                let rest = Isometry3::from_parts(joint.offset.into(), joint.rest_rotation);
                let moved = (placed[parent.index()] * rest).inverse() * placed[id.index()];
                let of_robot = moved_by[id.index()].map(|index| &robot.joints()[index]);
                let (angle, distance) = off(of_robot, &moved);
                let off =
                    || OffHinge { joint: joint.name.clone(), frame, angle: angle.to_degrees(), distance };
                if angle > OFF_AXIS || distance > TOLERANCE {
                    return Err(off());
                }
                let (Some(index), Some(hinge)) = (moved_by[id.index()], of_robot) else { continue };
                let before = poses.last().map(|pose| pose.values[index]);
                // A place is not a turn: both were judged.
                let moved = match hinge.kind {
                    RobotJointKind::Hinge => Isometry3::from_parts(Vector3::zeros().into(), moved.rotation),
                    RobotJointKind::Slide => {
                        Isometry3::from_parts(moved.translation, UnitQuaternion::identity())
                    }
                };
                values[index] = hinge.value_of(&moved, before, f64::INFINITY).ok_or_else(off)?;
            }
            poses.push(RobotPose { base: placed[0], values });
        }
        Ok(poses)
    }
}

/// Whether the hinges of the robot of a skeleton, if it is known, are about the axes of another one of the same names.
fn has_axes_of(skeleton: &Skeleton, robot: &Robot) -> bool {
    let Some(own) = skeleton.robot() else { return true };
    robot.joints().iter().all(|joint| {
        let same = own.find_joint(&joint.name).map(|index| &own.joints()[index]);
        same.is_some_and(|same| same.kind == joint.kind && (same.axis - joint.axis).norm() < TOLERANCE)
    })
}

/// How far a motion is from all those of a joint: the angle off its axis \[rad\], and the distance off its place \[m\].
/// Nothing moves without a joint.
fn off(joint: Option<&RobotJoint>, moved: &Isometry3<f64>) -> (f64, f64) {
    let (turn, place) = (moved.rotation, moved.translation.vector);
    match joint {
        Some(joint) if joint.kind == RobotJointKind::Hinge => {
            let along = joint.axis * turn.imag().dot(&joint.axis);
            (2.0 * (turn.imag() - along).norm(), place.norm())
        }
        Some(joint) => (turn.angle(), (place - joint.axis * place.dot(&joint.axis)).norm()),
        None => (turn.angle(), place.norm()),
    }
}

/// Maps the forward axis of a space to X and its up axis to Z, as robots have them.
fn to_robot_space(space: &Space) -> UnitQuaternion<f64> {
    let (up, forward) = (space.up.vector(), space.forward.vector());
    let rows = [forward.transpose(), up.cross(&forward).transpose(), up.transpose()];
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(Matrix3::from_rows(&rows)))
}

/// The roles of the joints of a skeleton that is that of a robot, by names, parents and bone lengths; `None` for others.
/// `metres` is the length of its unit, and counts where the unit is not a guess.
///
/// # Errors
/// If the robot is not a humanoid.
pub fn own_roles(
    skeleton: &Skeleton,
    metres: f64,
    robot: &Robot,
    bends: &Bends,
) -> Result<Option<Vec<(JointId, Role)>>, RobotError> {
    let Some(own) = OwnSkeleton::of(skeleton, metres, robot) else { return Ok(None) };
    let roles = Humanoid::find_bending(robot, bends)?.roles(robot);
    Ok(Some(roles.into_iter().map(|(joint, role)| (own.joints[joint.index()], role)).collect()))
}
