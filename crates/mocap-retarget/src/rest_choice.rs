//! The rest pose of a skeleton: from its offsets, estimated from its motion, or from a frame.

use crate::rest_pose::estimate_rest_pose_with_source;
use mocap_model::{Clip, Pose, Skeleton, angle_between};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// Where to take a rest pose from.
///
/// ```
/// use mocap_retarget::RestChoice;
///
/// assert_eq!("auto".parse(), Ok(RestChoice::Auto));
/// assert_eq!("12".parse(), Ok(RestChoice::Frame(12)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestChoice {
    /// The offsets if they are a T- or A-pose, else the pose estimated from the motion; it is the same for every
    /// clip of a skeleton. For a skeleton that is not a body: a rest pose before the motion if there is one, else
    /// the offsets.
    #[default]
    Auto,
    /// The offsets of the file.
    Offsets,
    /// A frame, from 0.
    Frame(usize),
}

/// Where a rest pose came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "pose", rename_all = "lowercase")]
#[schemars(rename = "Rest")]
pub enum RestSource {
    /// The offsets of the file.
    Offsets,
    /// Estimated from the whole motion.
    Motion,
    /// One frame.
    Frame {
        /// From 0.
        frame: usize,
    },
}

/// Why a pose cannot be a rest pose.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum RestPoseError {
    #[error("a rest pose is auto, offsets, or a frame from 0 in which the body stands")]
    Choice,
    #[error("frame {frame} does not exist: the motion has {frames} frames")]
    NoFrame { frame: usize, frames: usize },
    #[error(
        "the skeleton cannot take that rest pose: '{joint}' has limits or locked axes, and its angles are relative to \
         the rest pose of the file"
    )]
    BoundJoint { joint: String },
}

impl FromStr for RestChoice {
    type Err = RestPoseError;

    fn from_str(text: &str) -> Result<RestChoice, RestPoseError> {
        match text {
            "auto" => Ok(RestChoice::Auto),
            "offsets" => Ok(RestChoice::Offsets),
            _ => text.parse().map(RestChoice::Frame).map_err(|_| RestPoseError::Choice),
        }
    }
}

impl fmt::Display for RestSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestSource::Offsets => f.write_str("offsets of the file"),
            RestSource::Motion => f.write_str("estimated from the motion"),
            RestSource::Frame { frame } => write!(f, "frame {frame}"),
        }
    }
}

/// The rest pose of a clip's skeleton and its source; `None` for the offsets of the file. `first_is_rest`: whether the
/// first frame is a rest pose.
///
/// # Errors
/// If the chosen frame does not exist.
pub fn rest_pose_of(
    clip: &Clip,
    choice: RestChoice,
    first_is_rest: bool,
) -> Result<(RestSource, Option<Pose>), RestPoseError> {
    let frame = |frame: usize| Ok((RestSource::Frame { frame }, Some(frame_pose(clip, frame)?)));
    match choice {
        RestChoice::Offsets => Ok((RestSource::Offsets, None)),
        RestChoice::Frame(at) => frame(at),
        RestChoice::Auto => match estimate_rest_pose_with_source(clip) {
            Ok((_, true)) => Ok((RestSource::Offsets, None)),
            Ok((pose, false)) => Ok((RestSource::Motion, Some(pose))),
            Err(_) if first_is_rest => frame(0),
            Err(_) => Ok((RestSource::Offsets, None)),
        },
    }
}

/// The local pose of a frame, from 0.
///
/// # Errors
/// If the frame does not exist.
pub fn frame_pose(clip: &Clip, frame: usize) -> Result<Pose, RestPoseError> {
    if frame >= clip.frames() {
        return Err(RestPoseError::NoFrame { frame, frames: clip.frames() });
    }
    let mut pose = Pose::default();
    clip.local_pose(frame, &mut pose);
    Ok(pose)
}

/// Smaller rotations are rounding [rad].
const ROUNDING: f64 = 1e-9;

/// The skeleton with the rotations of a pose as its rest pose. Offsets stay.
///
/// # Errors
/// If a joint that would rotate has limits or locked axes: its angles are relative to its present rest pose.
///
/// # Panics
/// If the pose has fewer joints than the skeleton, or rotations that are not finite.
pub fn with_rest_pose(skeleton: &Skeleton, pose: &Pose) -> Result<Skeleton, RestPoseError> {
    let rotates = |at: usize| {
        let joint = &skeleton.joints()[at];
        !joint.end_site && angle_between(&joint.rest_rotation, &pose.joints[at].rotation) > ROUNDING
    };
    let bound = skeleton.iter().find(|(id, joint)| {
        let free = joint.dofs.rotation == [true; 3] && !joint.dofs.has_limits();
        !free && rotates(id.index())
    });
    if let Some((_, joint)) = bound {
        return Err(RestPoseError::BoundJoint { joint: joint.name.clone() });
    }
    let mut at = 0;
    let rested = skeleton.with_joints(|joint| {
        if rotates(at) {
            joint.rest_rotation = pose.joints[at].rotation;
        }
        at += 1;
    });
    Ok(rested.expect("the rotations of a pose are finite"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{
        Dofs, EulerOrder, FrameRate, Joint, JointTracks, Limit, Space, Track, UnitQuaternion, Vector3, exp,
    };

    fn clip(dofs: Dofs) -> Clip {
        let joint = Joint {
            name: "a".into(),
            parent: None,
            offset: Vector3::y(),
            rest_rotation: UnitQuaternion::identity(),
            dofs,
            role: None,
            end_site: false,
        };
        let skeleton = Skeleton::new("", Space::default(), vec![joint]).unwrap();
        let rotations = [0.0, 0.5].map(|angle| exp(&(Vector3::x() * angle))).to_vec();
        let tracks = vec![JointTracks::new(Track::Sampled(rotations), None)];
        Clip::new(skeleton.into(), FrameRate::new(30.0).unwrap(), 2, tracks).unwrap()
    }

    #[test]
    fn a_frame_becomes_the_rest_pose() {
        let clip = clip(Dofs::ball(EulerOrder::ZXY));
        let (source, pose) = rest_pose_of(&clip, RestChoice::Frame(1), true).unwrap();
        assert_eq!(source, RestSource::Frame { frame: 1 });
        let skeleton = with_rest_pose(clip.skeleton(), &pose.unwrap()).unwrap();
        assert_eq!(skeleton.joints()[0].rest_rotation, exp(&(Vector3::x() * 0.5)));
        assert_eq!(skeleton.joints()[0].offset, Vector3::y());
        let source = |choice, first| rest_pose_of(&clip, choice, first);
        assert_eq!(source(RestChoice::Auto, true).unwrap().0, RestSource::Frame { frame: 0 });
        // One joint is not a body.
        assert_eq!(source(RestChoice::Auto, false), Ok((RestSource::Offsets, None)));
        assert_eq!(source(RestChoice::Frame(2), false), Err(RestPoseError::NoFrame { frame: 2, frames: 2 }));
    }

    #[test]
    fn joints_whose_limits_count_from_their_rest_pose_keep_it() {
        let mut dofs = Dofs::ball(EulerOrder::ZXY);
        dofs.limits[0] = Some(Limit { min: 0.0, max: 1.0 });
        for dofs in [dofs, Dofs::locked(EulerOrder::ZXY)] {
            let clip = clip(dofs);
            let pose = |frame| frame_pose(&clip, frame).unwrap();
            let error = RestPoseError::BoundJoint { joint: "a".into() };
            assert_eq!(with_rest_pose(clip.skeleton(), &pose(1)), Err(error));
            assert_eq!(with_rest_pose(clip.skeleton(), &pose(0)).as_ref(), Ok(clip.skeleton().as_ref()));
        }
    }

    #[test]
    fn choices_are_words_or_frames() {
        assert_eq!("auto".parse(), Ok(RestChoice::Auto));
        assert_eq!("offsets".parse(), Ok(RestChoice::Offsets));
        assert_eq!("12".parse(), Ok(RestChoice::Frame(12)));
        for wrong in ["", "first", "-1", "1.5"] {
            assert!(wrong.parse::<RestChoice>().is_err(), "{wrong}");
        }
    }
}
