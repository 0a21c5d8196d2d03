//! How a skeleton stands: as its file has it, as its motion shows it, or as in a frame that the user names.

use std::str::FromStr;

use mocap_formats::Remedy;
use mocap_model::{Clip, ModelError, Pose, Skeleton, angle_between};
use mocap_retarget::estimate_rest_pose;
use serde::Serialize;

use crate::diagnostic::Diagnostic;

/// A rest pose as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RestArg {
    /// A rest pose before the motion, else what the motion shows, else that of the file.
    Auto,
    /// As the file has its joints, offset by offset.
    Offsets,
    /// As in a frame, from 0.
    Frame(usize),
}

impl FromStr for RestArg {
    type Err = String;

    fn from_str(text: &str) -> Result<RestArg, String> {
        match text {
            "auto" => Ok(RestArg::Auto),
            "offsets" => Ok(RestArg::Offsets),
            _ => text.parse().map(RestArg::Frame).map_err(|_| {
                "a rest pose is auto, offsets, or a frame from 0 in which the skeleton stands".into()
            }),
        }
    }
}

/// Where a stance was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "pose", rename_all = "lowercase")]
pub(crate) enum Rest {
    /// In the file's own rest pose.
    Offsets,
    /// In the whole of its motion.
    Motion,
    /// In one frame.
    Frame { frame: usize },
}

impl Rest {
    /// The rest in words, as in "at rest ...".
    pub(crate) fn text(self) -> String {
        match self {
            Rest::Offsets => "as its file has the offsets".into(),
            Rest::Motion => "as its motion shows it to stand".into(),
            Rest::Frame { frame } => format!("as it stands in frame {frame}"),
        }
    }
}

/// Whether the first frame is a rest pose, as a warning says, which is taken away.
pub(crate) fn starts_at_rest(warnings: &mut Vec<Diagnostic>) -> bool {
    let before = warnings.len();
    warnings.retain(|warning| warning.remedy != Some(Remedy::DropFirstFrame));
    warnings.len() < before
}

/// How the skeleton of a motion stands; without a pose: as its file has it.
///
/// # Errors
/// Where the motion has no such frame as `flag` names.
pub(crate) fn stance(
    clip: &Clip,
    asked: RestArg,
    starts_at_rest: bool,
    flag: &str,
) -> Result<(Rest, Option<Pose>), Diagnostic> {
    let frame = match asked {
        RestArg::Offsets => return Ok((Rest::Offsets, None)),
        RestArg::Frame(frame) => Some(frame),
        RestArg::Auto => starts_at_rest.then_some(0),
    };
    Ok(match frame {
        Some(frame) => (Rest::Frame { frame }, Some(in_frame(clip, frame, flag)?)),
        // A motion that shows no stance leaves the rest pose of the file.
        None => match estimate_rest_pose(clip) {
            Ok(pose) => (Rest::Motion, Some(pose)),
            Err(_) => (Rest::Offsets, None),
        },
    })
}

/// The local pose of a frame that a flag names.
pub(crate) fn in_frame(clip: &Clip, frame: usize, flag: &str) -> Result<Pose, Diagnostic> {
    if frame >= clip.frames() {
        let message = format!("{flag} {frame} is no frame of the motion: it has {}", clip.frames());
        return Err(Diagnostic::new("usage::frame", message));
    }
    let mut pose = Pose::default();
    clip.local_pose(frame, &mut pose);
    Ok(pose)
}

/// A turn below this is rounding [rad].
const ROUNDING: f64 = 1e-9;

/// The skeleton that rests turned as in a pose; its lengths stay.
///
/// # Errors
/// The name of a joint that would have to turn and does not turn freely: its angles and limits count from the
/// rest pose that it has.
pub(crate) fn at_rest(skeleton: &Skeleton, pose: &Pose) -> Result<Skeleton, String> {
    let turns = |at: usize| {
        let joint = &skeleton.joints()[at];
        !joint.end_site && angle_between(&joint.rest_rotation, &pose.joints[at].rotation) > ROUNDING
    };
    let bound = skeleton.iter().find(|(id, joint)| {
        let free = joint.dofs.rotation == [true; 3] && !joint.dofs.has_limits();
        !free && turns(id.index())
    });
    if let Some((_, joint)) = bound {
        return Err(joint.name.clone());
    }
    let mut at = 0;
    let turned: Result<Skeleton, ModelError> = skeleton.with_joints(|joint| {
        if turns(at) {
            joint.rest_rotation = pose.joints[at].rotation;
        }
        at += 1;
    });
    Ok(turned.expect("the rotations of a pose are finite"))
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
        let turns = [0.0, 0.5].map(|angle| exp(&(Vector3::x() * angle))).to_vec();
        let tracks = vec![JointTracks { rotation: Track::Sampled(turns), translation: None }];
        Clip::new(skeleton.into(), FrameRate::new(30.0).unwrap(), 2, tracks).unwrap()
    }

    #[test]
    fn a_frame_becomes_the_rest() {
        let clip = clip(Dofs::ball(EulerOrder::ZXY));
        let (rest, pose) = stance(&clip, RestArg::Frame(1), true, "--rest").unwrap();
        assert_eq!(rest, Rest::Frame { frame: 1 });
        let skeleton = at_rest(clip.skeleton(), &pose.unwrap()).unwrap();
        assert_eq!(skeleton.joints()[0].rest_rotation, exp(&(Vector3::x() * 0.5)));
        assert_eq!(skeleton.joints()[0].offset, Vector3::y());
        assert_eq!(stance(&clip, RestArg::Auto, true, "").unwrap().0, Rest::Frame { frame: 0 });
        // One joint is no body.
        assert_eq!(stance(&clip, RestArg::Auto, false, "").unwrap(), (Rest::Offsets, None));
        assert_eq!(stance(&clip, RestArg::Frame(2), false, "--rest").unwrap_err().code, "usage::frame");
    }

    #[test]
    fn joints_whose_limits_count_from_their_rest_keep_it() {
        let mut dofs = Dofs::ball(EulerOrder::ZXY);
        dofs.limits[0] = Some(Limit { min: 0.0, max: 1.0 });
        for dofs in [dofs, Dofs::locked(EulerOrder::ZXY)] {
            let clip = clip(dofs);
            let pose = |frame| in_frame(&clip, frame, "--rest").unwrap();
            assert_eq!(at_rest(clip.skeleton(), &pose(1)), Err("a".into()));
            assert_eq!(at_rest(clip.skeleton(), &pose(0)).as_ref(), Ok(clip.skeleton().as_ref()));
        }
    }

    #[test]
    fn poses_are_words_or_frames() {
        assert_eq!("auto".parse(), Ok(RestArg::Auto));
        assert_eq!("offsets".parse(), Ok(RestArg::Offsets));
        assert_eq!("12".parse(), Ok(RestArg::Frame(12)));
        for wrong in ["", "first", "-1", "1.5"] {
            assert!(wrong.parse::<RestArg>().is_err(), "{wrong}");
        }
    }
}
