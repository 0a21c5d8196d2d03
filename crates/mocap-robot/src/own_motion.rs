//! Motions of the robot itself, in a file of any format: they need no fit.

use std::collections::HashMap;

use mocap_model::{
    Clip, ForwardKinematics, Isometry3, JointId, Pose, Robot, RobotJointKind, RobotPose, Role, Skeleton,
    Space, UnitQuaternion, Vector3,
};
use nalgebra::{Matrix3, Rotation3};

use crate::RobotError;
use crate::landmarks::Humanoid;
use crate::limb::Bends;
use crate::source::upright;

/// How far a rest pose may be off that of the robot, and a joint off its place: files round numbers [rad, m].
const TOLERANCE: f64 = 2e-3;
/// How far a turn may be from all turns about the axis of its hinge \[rad\]: 1°. Compressed files bound how far points
/// are off, so turns of short limbs are off by more than rounding; whoever bends a limb otherwise turns it further.
const OFF_AXIS: f64 = std::f64::consts::PI / 180.0;

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
    /// The joints of a clip with the names, parents and bone lengths of a robot's skeleton; `None` if one differs.
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

    /// The motion on the robot, with values as they are in the clip: they may be beyond limits. `None` where a joint is off
    /// its axis, as after an edit that bends legs otherwise.
    pub(crate) fn poses(&self, sampled: &Clip, robot: &Robot) -> Option<Vec<RobotPose>> {
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
                let Some(index) = moved_by[id.index()] else {
                    if moved.rotation.angle() > OFF_AXIS || moved.translation.vector.norm() > TOLERANCE {
                        return None;
                    }
                    continue;
                };
                let joint = &robot.joints()[index];
                let before = poses.last().map(|pose| pose.values[index]);
                values[index] = match joint.kind {
                    RobotJointKind::Hinge => {
                        // Off its place or off its axis: a place is not a turn.
                        let turned = Isometry3::from_parts(Vector3::zeros().into(), moved.rotation);
                        let is_there = moved.translation.vector.norm() <= TOLERANCE;
                        is_there.then(|| joint.value_of(&turned, before, OFF_AXIS))??
                    }
                    RobotJointKind::Slide => joint.value_of(&moved, before, TOLERANCE)?,
                };
            }
            poses.push(RobotPose { base: placed[0], values });
        }
        Some(poses)
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
