//! A motion: a skeleton and the local transforms of its joints over time.

use crate::track::Between;
use crate::{Annotations, FrameRate, Joint, JointId, ModelError, Pose, Skeleton, Space, Track, lerp, slerp};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use std::borrow::Cow;
use std::sync::Arc;

/// The motion of one joint in its parent's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct JointTracks {
    /// Local rotation, the rest rotation included.
    pub rotation: Track<UnitQuaternion<f64>>,
    /// Local translation, which replaces the joint's offset; `None`: the offset in every frame.
    pub translation: Option<Track<Vector3<f64>>>,
    /// Local scale along the axes of the joint, which stretches the joints below it; `None`: 1 in every frame.
    pub scale: Option<Track<Vector3<f64>>>,
}

impl JointTracks {
    /// A joint that stays at rest.
    pub fn at_rest(joint: &Joint) -> JointTracks {
        JointTracks::new(Track::Constant(joint.rest_rotation), None)
    }

    /// Rotation and translation, without a scale.
    pub fn new(
        rotation: Track<UnitQuaternion<f64>>,
        translation: Option<Track<Vector3<f64>>>,
    ) -> JointTracks {
        JointTracks { rotation, translation, scale: None }
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
    /// Shared by copies of the clip.
    tracks: Arc<Vec<JointTracks>>,
    annotations: Annotations,
}

impl From<Clip> for Cow<'_, Clip> {
    fn from(clip: Clip) -> Self {
        Cow::Owned(clip)
    }
}

impl<'a> From<&'a Clip> for Cow<'a, Clip> {
    fn from(clip: &'a Clip) -> Self {
        Cow::Borrowed(clip)
    }
}

impl Clip {
    /// Checks the tracks and builds the clip.
    ///
    /// # Errors
    /// If the number of sets of tracks is not that of joints, a sampled track does not have one value per frame, a value
    /// is not finite, or a coordinate or scale is beyond [`Space::FARTHEST`].
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
            check(&tracks.rotation, frames, f64::MAX, name, |q| q.coords.into())?;
            for vectors in tracks.translation.iter().chain(&tracks.scale) {
                check(vectors, frames, Space::FARTHEST, name, |v| (*v).into())?;
            }
        }
        Ok(Clip { skeleton, rate, frames, tracks: Arc::new(tracks), annotations: Annotations::default() })
    }

    /// The rest pose of a skeleton, as a clip of no frames.
    pub fn at_rest(skeleton: Arc<Skeleton>, rate: FrameRate) -> Clip {
        let tracks = Arc::new(skeleton.joints().iter().map(JointTracks::at_rest).collect());
        Clip { skeleton, rate, frames: 0, tracks, annotations: Annotations::default() }
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

    /// Takes the clip and leaves its skeleton at rest, without frames of motion.
    pub fn take(&mut self) -> Clip {
        let left = Clip::at_rest(self.skeleton.clone(), self.rate);
        std::mem::replace(self, left)
    }

    /// The time from the first frame to the last \[s\].
    pub fn duration(&self) -> f64 {
        self.frames.saturating_sub(1) as f64 * self.rate.frame_time()
    }

    /// The tracks by joint.
    pub fn tracks(&self) -> &[JointTracks] {
        &self.tracks
    }

    /// The tracks by joint; copied where another clip shares them.
    pub fn into_tracks(self) -> Vec<JointTracks> {
        Arc::unwrap_or_clone(self.tracks)
    }

    /// The samples of a joint's rotation, to be overwritten; `None` if the rotation is constant or another clip shares
    /// the tracks.
    pub fn rotations_mut(&mut self, joint: JointId) -> Option<&mut [UnitQuaternion<f64>]> {
        match &mut Arc::get_mut(&mut self.tracks)?[joint.index()].rotation {
            Track::Sampled(samples) => Some(samples),
            Track::Constant(_) => None,
        }
    }

    /// Takes the samples of a joint's rotation, which is then the identity; `None` as of [`Clip::rotations_mut`].
    pub fn take_rotations(&mut self, joint: JointId) -> Option<Vec<UnitQuaternion<f64>>> {
        let rotation = &mut Arc::get_mut(&mut self.tracks)?[joint.index()].rotation;
        match std::mem::replace(rotation, Track::Constant(UnitQuaternion::identity())) {
            Track::Sampled(samples) => Some(samples),
            constant => {
                *rotation = constant;
                None
            }
        }
    }

    /// The tracks of one joint.
    pub fn track(&self, joint: JointId) -> &JointTracks {
        &self.tracks[joint.index()]
    }

    /// The name of the clip; may be empty.
    pub fn name(&self) -> &str {
        &self.annotations.name
    }

    /// Name, events and numbers over time.
    pub fn annotations(&self) -> &Annotations {
        &self.annotations
    }

    /// Whether a joint has a scale track.
    pub fn has_scale(&self) -> bool {
        self.tracks.iter().any(|tracks| tracks.scale.is_some())
    }

    /// The same motion under another name.
    pub fn with_name(mut self, name: impl Into<String>) -> Clip {
        self.annotations.name = name.into();
        self
    }

    /// The same motion with another name, other events and other numbers over time.
    ///
    /// # Errors
    /// If two scalar tracks share a name, one does not have one value per frame, or a number is not finite.
    pub fn with_annotations(self, annotations: Annotations) -> Result<Clip, ModelError> {
        annotations.check(self.frames)?;
        Ok(Clip { annotations, ..self })
    }

    /// The same motion with its frames read at another rate; no frame is added or dropped. Events stay at their
    /// frames.
    pub fn with_rate(mut self, rate: FrameRate) -> Clip {
        if rate != self.rate {
            let slower = self.rate.fps() / rate.fps();
            self.annotations.events.iter_mut().for_each(|event| event.time *= slower);
        }
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

    /// The local transform of a joint in a frame: its translation in the parent's frame, then its rotation. Scale is
    /// not included: see [`Clip::scale()`].
    ///
    /// # Panics
    /// If the joint or frame does not exist.
    #[inline]
    pub fn local(&self, joint: JointId, frame: usize) -> Isometry3<f64> {
        let tracks = self.track(joint);
        let offset = self.skeleton.joint(joint).offset;
        let translation = tracks.translation.as_ref().map_or(offset, |track| track.at(frame));
        Isometry3::from_parts(Translation3::from(translation), tracks.rotation.at(frame))
    }

    /// Puts the local pose at any time into `pose`: between frames rotations by [`slerp`], translations linearly;
    /// before the first frame and after the last, that frame. Without scales, as [`Clip::local`]. Allocates only if
    /// `pose` is too short.
    ///
    /// ```
    /// use mocap_model::*;
    /// use std::sync::Arc;
    ///
    /// let skeleton = Skeleton::new("", Space::default(), vec![Joint::new("root", None, Vector3::zeros())])?;
    /// let turn = |angle| exp(&Vector3::new(0.0, angle, 0.0));
    /// let tracks = vec![JointTracks::new(Track::Sampled(vec![turn(0.0), turn(0.5)]), None)];
    /// let clip = Clip::new(Arc::new(skeleton), FrameRate::new(10.0).unwrap(), 2, tracks)?;
    /// let mut pose = Pose::default();
    /// clip.sample(0.02, &mut pose);
    /// assert!(angle_between(&pose.joints[0].rotation, &turn(0.1)) < 1e-12);
    /// # Ok::<(), ModelError>(())
    /// ```
    ///
    /// # Panics
    /// If the clip has no frames.
    pub fn sample(&self, time: f64, pose: &mut Pose) {
        assert!(self.frames > 0, "the clip has no frames");
        let place = Between::of(time * self.rate.fps(), self.frames);
        pose.joints.clear();
        pose.joints.extend(self.skeleton.joints().iter().zip(self.tracks.iter()).map(|(joint, tracks)| {
            let translation = tracks.translation.as_ref();
            let translation = translation.map_or(joint.offset, |track| track.between(place, lerp));
            Isometry3::from_parts(Translation3::from(translation), tracks.rotation.between(place, slerp))
        }));
    }

    /// The scale of a joint in a frame.
    ///
    /// # Panics
    /// If the joint or frame does not exist.
    pub fn scale(&self, joint: JointId, frame: usize) -> Vector3<f64> {
        self.track(joint).scale.as_ref().map_or(Vector3::repeat(1.0), |track| track.at(frame))
    }

    /// Puts the local pose of a frame into `pose`. Allocates only if `pose` is too short.
    ///
    /// # Panics
    /// If the frame does not exist.
    pub fn local_pose(&self, frame: usize, pose: &mut Pose) {
        assert!(frame < self.frames, "frame {frame} of {}", self.frames);
        pose.joints.clear();
        pose.joints.extend((0..self.tracks.len()).map(|joint| self.local(JointId::from(joint), frame)));
    }
}

/// Checks the number of values, that all are finite, and that none is larger than `most`; `parts`
/// gives the components of a value.
fn check<T: Copy + PartialEq, const N: usize>(
    track: &Track<T>,
    frames: usize,
    most: f64,
    joint: impl Fn() -> String,
    parts: impl Fn(&T) -> [f64; N],
) -> Result<(), ModelError> {
    if let Track::Sampled(values) = track
        && values.len() != frames
    {
        return Err(ModelError::TrackLength { joint: joint(), found: values.len(), expected: frames });
    }
    // Fast path: if the sum of the absolute values is at most `most`, so is each of them, and all
    // are finite. Four accumulators let additions overlap.
    let mut sums = [[0.0f64; N]; 4];
    let add = |sums: &mut [f64; N], value: &T| {
        sums.iter_mut().zip(parts(value)).for_each(|(sum, part)| *sum += part.abs());
    };
    let (fours, rest) = track.values().as_chunks::<4>();
    for four in fours {
        sums.iter_mut().zip(four).for_each(|(sums, value)| add(sums, value));
    }
    rest.iter().for_each(|value| add(&mut sums[0], value));
    if sums.as_flattened().iter().all(|sum| *sum <= most) {
        return Ok(());
    }
    let finite = |value: &T| parts(value).iter().all(|part| part.is_finite());
    if let Some(frame) = track.values().iter().position(|value| !finite(value)) {
        return Err(ModelError::NotFinite { joint: joint(), frame });
    }
    // The sum may be larger although no value is.
    let largest = |value: &T| parts(value).into_iter().fold(0.0, |most: f64, part| most.max(part.abs()));
    match track.values().iter().map(largest).enumerate().find(|(_, found)| *found > most) {
        Some((frame, found)) => Err(ModelError::TooFar { joint: joint(), frame, found }),
        None => Ok(()),
    }
}
