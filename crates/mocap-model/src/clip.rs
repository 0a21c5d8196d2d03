//! A motion: a skeleton and the local transforms of its joints over time.

use crate::{FrameRate, Joint, JointId, Pose, Skeleton, SkeletonError, Track};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use std::sync::Arc;

/// The motion of one joint in its parent's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct JointTracks {
    /// Local rotation, the rest rotation included.
    pub rotation: Track<UnitQuaternion<f64>>,
    /// Local translation in place of the joint's offset; `None`: the offset, always.
    pub translation: Option<Track<Vector3<f64>>>,
}

impl JointTracks {
    /// A joint that stays at rest.
    pub fn at_rest(joint: &Joint) -> JointTracks {
        JointTracks { rotation: Track::Constant(joint.rest_rotation), translation: None }
    }
}

/// A motion at a constant frame rate, stored joint by joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    skeleton: Arc<Skeleton>,
    rate: FrameRate,
    frames: usize,
    tracks: Vec<JointTracks>,
}

/// Why tracks make no clip.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ClipError {
    #[error("{tracks} joints have tracks, the skeleton has {joints}")]
    TrackCount { tracks: usize, joints: usize },
    #[error("joint '{joint}' has {found} frames, the clip has {expected}")]
    TrackLength { joint: String, found: usize, expected: usize },
    #[error("joint '{joint}' has a value that is not a number in frame {frame}")]
    NotFinite { joint: String, frame: usize },
    #[error("frames {from} to {to} are not in the clip: it has {frames}")]
    FrameRange { from: usize, to: usize, frames: usize },
    #[error("at {fps:?} frames per second the clip would have more than {limit} frames")]
    TooManyFrames { fps: f64, limit: usize },
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
}

impl Clip {
    /// Checks the tracks and puts them together.
    ///
    /// # Errors
    /// Where there is not one set of tracks a joint, a sampled track has not one value a frame, or a value is
    /// not finite.
    pub fn new(
        skeleton: Arc<Skeleton>,
        rate: FrameRate,
        frames: usize,
        tracks: Vec<JointTracks>,
    ) -> Result<Clip, ClipError> {
        if tracks.len() != skeleton.len() {
            return Err(ClipError::TrackCount { tracks: tracks.len(), joints: skeleton.len() });
        }
        for (joint, tracks) in skeleton.joints().iter().zip(&tracks) {
            let name = || joint.name.clone();
            check(&tracks.rotation, frames, name, |q| q.coords.iter().all(|value| value.is_finite()))?;
            if let Some(translation) = &tracks.translation {
                check(translation, frames, name, |v| v.iter().all(|value| value.is_finite()))?;
            }
        }
        Ok(Clip { skeleton, rate, frames, tracks })
    }

    /// The skeleton that moves.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// The frame rate.
    pub fn rate(&self) -> FrameRate {
        self.rate
    }

    /// The number of frames; may be 0.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// The time from the first frame to the last \[s\].
    pub fn duration(&self) -> f64 {
        self.frames.saturating_sub(1) as f64 * self.rate.frame_time()
    }

    /// The tracks by joint.
    pub fn tracks(&self) -> &[JointTracks] {
        &self.tracks
    }

    /// The tracks of one joint.
    pub fn track(&self, joint: JointId) -> &JointTracks {
        &self.tracks[joint.index()]
    }

    /// The same motion with its frames read at another rate; no frame is added or dropped.
    pub fn with_rate(self, rate: FrameRate) -> Clip {
        Clip { rate, ..self }
    }

    /// The same tracks on a skeleton of the same length: other names, roles, limits, or a stated space.
    ///
    /// # Errors
    /// [`ClipError::TrackCount`] where the lengths differ.
    pub fn with_skeleton(self, skeleton: Arc<Skeleton>) -> Result<Clip, ClipError> {
        if self.tracks.len() != skeleton.len() {
            return Err(ClipError::TrackCount { tracks: self.tracks.len(), joints: skeleton.len() });
        }
        Ok(Clip { skeleton, ..self })
    }

    /// Puts the local pose of a frame into `pose`.
    ///
    /// # Panics
    /// Where there is no such frame.
    pub fn local_pose(&self, frame: usize, pose: &mut Pose) {
        assert!(frame < self.frames, "frame {frame} of {}", self.frames);
        pose.joints.clear();
        for (joint, tracks) in self.skeleton.joints().iter().zip(&self.tracks) {
            let translation = tracks.translation.as_ref().map_or(joint.offset, |track| track.at(frame));
            pose.joints
                .push(Isometry3::from_parts(Translation3::from(translation), tracks.rotation.at(frame)));
        }
    }
}

fn check<T: Copy + PartialEq>(
    track: &Track<T>,
    frames: usize,
    joint: impl Fn() -> String,
    finite: impl Fn(&T) -> bool,
) -> Result<(), ClipError> {
    if let Track::Sampled(values) = track
        && values.len() != frames
    {
        return Err(ClipError::TrackLength { joint: joint(), found: values.len(), expected: frames });
    }
    match track.values().iter().position(|value| !finite(value)) {
        Some(frame) => Err(ClipError::NotFinite { joint: joint(), frame }),
        None => Ok(()),
    }
}
