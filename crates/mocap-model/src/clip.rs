//! A motion: a skeleton and the local transforms of its joints over time.

use crate::{FrameRate, Joint, JointId, ModelError, Pose, Skeleton, Track};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use std::sync::Arc;

/// The motion of one joint in its parent's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct JointTracks {
    /// Local rotation, the rest rotation included.
    pub rotation: Track<UnitQuaternion<f64>>,
    /// Local translation, which replaces the joint's offset; `None`: the offset in every frame.
    pub translation: Option<Track<Vector3<f64>>>,
}

impl JointTracks {
    /// A joint that stays at rest.
    pub fn at_rest(joint: &Joint) -> JointTracks {
        JointTracks { rotation: Track::Constant(joint.rest_rotation), translation: None }
    }
}

/// A motion at a constant frame rate, stored joint by joint (`joints × frames`).
///
/// ```
/// use mocap_model::*;
/// use std::sync::Arc;
///
/// let joints = vec![Joint::new("root", None, Vector3::zeros())];
/// let skeleton = Arc::new(Skeleton::new("", Space::default(), joints)?);
/// let steps = (0..5).map(|frame| Vector3::x() * f64::from(frame)).collect();
/// let still = JointTracks::at_rest(skeleton.joint(JointId(0)));
/// let tracks = vec![JointTracks { translation: Some(Track::Sampled(steps)), ..still }];
/// let clip = Clip::new(skeleton, FrameRate::new(30.0).unwrap(), 5, tracks)?;
/// let part = clip.trimmed(2..5)?;
/// assert_eq!(part.local(JointId(0), 0).translation.vector, Vector3::x() * 2.0);
/// assert_eq!(clip.resampled(FrameRate::new(60.0).unwrap())?.frames(), 9);
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    skeleton: Arc<Skeleton>,
    rate: FrameRate,
    frames: usize,
    tracks: Vec<JointTracks>,
}

impl Clip {
    /// Checks the tracks and builds the clip.
    ///
    /// # Errors
    /// If there is not one set of tracks per joint, a sampled track does not have one value per frame, or a
    /// value is not finite.
    pub fn new(
        skeleton: Arc<Skeleton>,
        rate: FrameRate,
        frames: usize,
        tracks: Vec<JointTracks>,
    ) -> Result<Clip, ModelError> {
        if tracks.len() != skeleton.len() {
            return Err(ModelError::TrackCount { tracks: tracks.len(), joints: skeleton.len() });
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

    /// The rest pose of a skeleton, as a clip of no frames.
    pub fn at_rest(skeleton: Arc<Skeleton>, rate: FrameRate) -> Clip {
        let tracks = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        Clip { skeleton, rate, frames: 0, tracks }
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
    /// [`ModelError::TrackCount`] if the lengths differ.
    pub fn with_skeleton(self, skeleton: Arc<Skeleton>) -> Result<Clip, ModelError> {
        if self.tracks.len() != skeleton.len() {
            return Err(ModelError::TrackCount { tracks: self.tracks.len(), joints: skeleton.len() });
        }
        Ok(Clip { skeleton, ..self })
    }

    /// The local transform of a joint in a frame: its translation in the parent's frame, then its rotation.
    ///
    /// # Panics
    /// If there is no such joint or frame.
    #[inline]
    pub fn local(&self, joint: JointId, frame: usize) -> Isometry3<f64> {
        let tracks = self.track(joint);
        let offset = self.skeleton.joint(joint).offset;
        let translation = tracks.translation.as_ref().map_or(offset, |track| track.at(frame));
        Isometry3::from_parts(Translation3::from(translation), tracks.rotation.at(frame))
    }

    /// Puts the local pose of a frame into `pose`. Allocates only if `pose` is too short.
    ///
    /// # Panics
    /// If there is no such frame.
    pub fn local_pose(&self, frame: usize, pose: &mut Pose) {
        assert!(frame < self.frames, "frame {frame} of {}", self.frames);
        pose.joints.clear();
        pose.joints.extend((0..self.tracks.len()).map(|joint| self.local(JointId::from(joint), frame)));
    }
}

fn check<T: Copy + PartialEq>(
    track: &Track<T>,
    frames: usize,
    joint: impl Fn() -> String,
    finite: impl Fn(&T) -> bool,
) -> Result<(), ModelError> {
    if let Track::Sampled(values) = track
        && values.len() != frames
    {
        return Err(ModelError::TrackLength { joint: joint(), found: values.len(), expected: frames });
    }
    match track.values().iter().position(|value| !finite(value)) {
        Some(frame) => Err(ModelError::NotFinite { joint: joint(), frame }),
        None => Ok(()),
    }
}
