//! Reads a motion as the source of a robot: what retargeting follows, and what `--explain` says of it.

use mocap_model::{Clip, FrameRate, Robot, RobotPose};

use crate::RobotError;
use crate::anatomy::Anatomy;
use crate::kinematics::follow_mimics;
use crate::own_motion::{OffHinge, OwnSkeleton};
use crate::solve::bounds;
use crate::source::{Joints, Source};
use crate::source_points::limb_points;

/// Shorter legs have no direction \[m\].
const LEAST_LEG: f64 = 1e-3;

/// A motion as a source.
pub(crate) struct ReadSource {
    pub(crate) source: Source,
    /// The joints that show the motion.
    pub(crate) joints: Joints,
    /// The poses, where the motion is one of the robot itself: they need no fit.
    pub(crate) own: Option<Vec<RobotPose>>,
    /// Why a motion in the joints of the robot needs one.
    pub(crate) off_hinge: Option<OffHinge>,
    /// Leg length of the robot over that of the source.
    pub(crate) ratio: f64,
}

/// Reads a clip with roles; `metres` is the length of its unit.
///
/// # Errors
/// If the clip lacks the roles of legs, or has no frames.
pub(crate) fn read_source(
    clip: &Clip,
    metres: f64,
    robot: &Robot,
    anatomy: &Anatomy,
    fps: FrameRate,
) -> Result<ReadSource, RobotError> {
    if clip.frames() == 0 {
        return Err(RobotError::NoFrames);
    }
    let humanoid = &anatomy.humanoid;
    let own = OwnSkeleton::of(clip.skeleton(), metres, robot);
    let metres = own.as_ref().map_or(metres, |own| own.metres);
    let points = limb_points(clip, metres, (robot, humanoid, own.as_ref()));
    let turn = own.as_ref().map(|own| own.turn);
    let joints = Joints::of(clip.skeleton(), points.as_ref())?;
    let mut source = Source::of(clip, metres, fps, (&joints, points, turn))?;
    let mut off_hinge = None;
    let own = match own {
        Some(own) => own.poses(&clip.resampled(fps)?, robot).map_err(|off| off_hinge = Some(off)).ok(),
        None => None,
    };
    let own = own.map(|poses| within_limits(robot, poses));
    if let Some(poses) = &own {
        source.is_of(robot, anatomy, poses);
    }
    if !(source.leg_length.is_finite() && source.leg_length > LEAST_LEG) {
        return Err(RobotError::SourceLegs { length: source.leg_length });
    }
    let ratio = humanoid.leg_length() / source.leg_length;
    Ok(ReadSource { source, joints, own, off_hinge, ratio })
}

/// The poses with every joint within its limits, and mimics where they follow.
fn within_limits(robot: &Robot, mut poses: Vec<RobotPose>) -> Vec<RobotPose> {
    let bounds = bounds(robot);
    for pose in &mut poses {
        for (value, [min, max]) in pose.values.iter_mut().zip(&bounds) {
            *value = value.max(*min).min(*max);
        }
        follow_mimics(robot, &mut pose.values);
    }
    poses
}
