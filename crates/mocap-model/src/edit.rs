//! Cuts, resamples and scales clips, and converts them to other axes and units.

use crate::track::Between;
use crate::{
    Axis, Clip, Event, FrameRate, Joint, JointTracks, Markers, ModelError, SignedAxis, Skeleton, Space,
    Track, lerp, slerp,
};
use nalgebra::{Matrix3, Matrix4, Rotation3, UnitQuaternion, Vector3};
use std::ops::Range;
use std::sync::Arc;

/// Most frames of a resampled clip.
const MAX_FRAMES: usize = 50_000_000;

/// Most frames of a resampled clip times its joints, unless the original has more.
const MAX_SAMPLES: usize = 200_000_000;

impl Clip {
    /// The frames of a range.
    ///
    /// # Errors
    /// [`ModelError::FrameRange`] if the range is not within the clip.
    pub fn trimmed(&self, range: Range<usize>) -> Result<Clip, ModelError> {
        if range.start > range.end || range.end > self.frames() {
            let (from, to, frames) = (range.start, range.end, self.frames());
            return Err(ModelError::FrameRange { from, to, frames });
        }
        let place = |i: usize| Between { from: range.start + i, share: 0.0 };
        // Events before the first frame or after the last are kept with the whole clip.
        let events = &self.annotations().events;
        let whole = range.len() == self.frames();
        let events = if whole { events.clone() } else { Event::cut(events, &range, self.rate()) };
        self.at_places(range.len(), self.rate(), place, events)
    }

    /// A clip of `frames` frames, each at a place of this one.
    fn at_places(
        &self,
        frames: usize,
        rate: FrameRate,
        place: impl Fn(usize) -> Between,
        events: Vec<Event>,
    ) -> Result<Clip, ModelError> {
        let vectors = |track: &Track<Vector3<f64>>| track.resample(frames, &place, lerp);
        let tracks = self.tracks().iter().map(|tracks| JointTracks {
            rotation: tracks.rotation.resample(frames, &place, slerp),
            translation: tracks.translation.as_ref().map(vectors),
            scale: tracks.scale.as_ref().map(vectors),
        });
        let mix = |a: &f64, b: &f64, share: f64| a + (b - a) * share;
        let annotations = self.annotations().map(|track| track.resample(frames, &place, mix), events);
        Clip::new(self.skeleton().clone(), rate, frames, tracks.collect())?.with_annotations(annotations)
    }

    /// The same motion sampled at another rate: rotations by [`slerp`], translations linearly. The first
    /// frame stays; the last new frame is the last that does not lie after the end.
    ///
    /// # Errors
    /// [`ModelError::TooManyFrames`] if the rate asks for more than 50 million frames, or for more than
    /// 200 million of all joints together; [`ModelError::NotFinite`] if an interpolated length overflows.
    pub fn resampled(&self, rate: FrameRate) -> Result<Clip, ModelError> {
        self.resampled_after(0, rate)
    }

    /// As [`Clip::resampled`], but the first `lead_in` frames (a rest pose before the motion) are copied unchanged, and
    /// the motion after them is sampled from its own first frame. Nothing is interpolated between the two.
    ///
    /// # Errors
    /// As [`Clip::resampled`].
    pub fn resampled_after(&self, lead_in: usize, rate: FrameRate) -> Result<Clip, ModelError> {
        let (step, lead_in) = (self.step_at(rate), lead_in.min(self.frames()));
        if self.frames() - lead_in <= 1 || step == 1.0 {
            return Ok(self.clone().with_rate(rate));
        }
        let limit = MAX_FRAMES.min(MAX_SAMPLES / self.skeleton().len()).max(self.frames());
        let frames = frames_at(self.frames() - lead_in, step).and_then(|frames| frames.checked_add(lead_in));
        let frames = frames.filter(|frames| *frames <= limit);
        let frames = frames.ok_or(ModelError::TooManyFrames { fps: rate.fps(), limit })?;
        let place = |i: usize| match i.checked_sub(lead_in) {
            None => Between { from: i, share: 0.0 },
            Some(after) => Between::of(lead_in as f64 + after as f64 * step, self.frames()),
        };
        let (own, other) = (self.rate().fps(), rate.fps());
        let start = lead_in as f64 / own;
        let moved = |event: &Event| {
            // A time code tells the time of the motion.
            let is_after = event.time >= start || event.name.starts_with(Event::TIMECODE);
            let time = match (lead_in, is_after) {
                (0, _) => event.time,
                (_, true) => event.time - start + lead_in as f64 / other,
                (_, false) => event.time * own / other,
            };
            Event { time, name: event.name.clone() }
        };
        self.at_places(frames, rate, place, self.annotations().events.iter().map(moved).collect())
    }

    /// The number of frames that [`Clip::resampled`] gives at another rate; `None` where it overflows.
    pub fn frames_at(&self, rate: FrameRate) -> Option<usize> {
        if self.frames() <= 1 {
            return Some(self.frames());
        }
        frames_at(self.frames(), self.step_at(rate))
    }

    /// Frames of this clip from one frame to the next at another rate.
    fn step_at(&self, rate: FrameRate) -> f64 {
        // An infinite step would make the time of the first frame NaN.
        (self.rate().fps() / rate.fps()).min(f64::MAX)
    }

    /// Every length multiplied by `factor`; the unit stays, so the character grows.
    ///
    /// # Errors
    /// If a length is not finite then.
    pub fn scaled(&self, factor: f64) -> Result<Clip, ModelError> {
        self.with_lengths(self.skeleton().scaled(factor)?, |v| v * factor)
    }

    /// The same motion in other units and axes: lengths are converted if both units are known, and
    /// every axis is renamed.
    ///
    /// # Errors
    /// If a length is not finite in the other unit.
    pub fn in_space(&self, space: Space) -> Result<Clip, ModelError> {
        self.clone().into_space(space)
    }

    /// As [`Clip::in_space`]; in the memory of the clip where no other one shares it.
    ///
    /// # Errors
    /// As [`Clip::in_space`].
    pub fn into_space(self, space: Space) -> Result<Clip, ModelError> {
        let change = SpaceChange::new(self.skeleton().space(), &space);
        let skeleton = Arc::new(self.skeleton().in_space(space)?);
        let (rate, frames, annotations) = (self.rate(), self.frames(), self.annotations().clone());
        let mut tracks = self.into_tracks();
        for JointTracks { rotation, translation, scale } in &mut tracks {
            rotation.change(|q| change.rotation(q));
            translation.iter_mut().for_each(|track| track.change(|v| change.vector(v)));
            scale.iter_mut().for_each(|track| track.change(|v| change.sizes(v)));
        }
        Clip::new(skeleton, rate, frames, tracks)?.with_annotations(annotations)
    }

    /// The same motion in other units and axes by a turn of its roots: the joints below keep their own axes, which
    /// [`Clip::in_space`] renames. Lengths are converted if both units are known.
    ///
    /// # Errors
    /// If a length is not finite in the other unit.
    pub fn with_roots_in_space(&self, space: Space) -> Result<Clip, ModelError> {
        let change = SpaceChange::new(self.skeleton().space(), &space);
        let skeleton = self.skeleton().with_joints(|joint| match joint.parent {
            None => {
                joint.offset = change.vector(&joint.offset);
                joint.rest_rotation = change.basis * joint.rest_rotation;
            }
            Some(_) => joint.offset *= change.scale,
        })?;
        let turned = |(joint, tracks): (&Joint, &JointTracks)| match joint.parent {
            None => JointTracks {
                rotation: tracks.rotation.map(|q| change.basis * q),
                translation: tracks.translation.as_ref().map(|track| track.map(|v| change.vector(v))),
                scale: tracks.scale.clone(),
            },
            Some(_) => JointTracks {
                translation: tracks.translation.as_ref().map(|track| track.map(|v| v * change.scale)),
                ..tracks.clone()
            },
        };
        let tracks = self.skeleton().joints().iter().zip(self.tracks()).map(turned).collect();
        self.with_tracks(Arc::new(skeleton.with_space(space)), tracks)
    }

    /// The same motion in the unit and axes of another skeleton. Files of one rig in other axes differ by a turn of the root,
    /// or by renamed axes of every joint: that is taken by which bones of the same names point alike at rest.
    ///
    /// # Errors
    /// If a length is not finite in the other unit.
    pub fn in_space_of(&self, like: &Skeleton) -> Result<Clip, ModelError> {
        let renamed = self.in_space(*like.space())?;
        let axes = |skeleton: &Skeleton| (skeleton.space().up, skeleton.space().forward);
        if axes(self.skeleton()) == axes(like) {
            return Ok(renamed);
        }
        let turned = self.with_roots_in_space(*like.space())?;
        let apart = |clip: &Clip| bones_apart(like, clip.skeleton());
        Ok(if apart(&turned) < apart(&renamed) { turned } else { renamed })
    }

    fn with_lengths(
        &self,
        skeleton: Skeleton,
        change: impl Fn(&Vector3<f64>) -> Vector3<f64>,
    ) -> Result<Clip, ModelError> {
        let tracks = self.tracks().iter().map(|tracks| JointTracks {
            rotation: tracks.rotation.clone(),
            translation: tracks.translation.as_ref().map(|track: &Track<_>| track.map(&change)),
            scale: tracks.scale.clone(),
        });
        self.with_tracks(Arc::new(skeleton), tracks.collect())
    }

    /// Other tracks at the same rate, with the same annotations.
    fn with_tracks(&self, skeleton: Arc<Skeleton>, tracks: Vec<JointTracks>) -> Result<Clip, ModelError> {
        let clip = Clip::new(skeleton, self.rate(), self.frames(), tracks)?;
        clip.with_annotations(self.annotations().clone())
    }
}

/// The number of frames, each a step \[frames\] after the one before; `None` where it overflows.
fn frames_at(frames: usize, step: f64) -> Option<usize> {
    // The tolerance keeps a last frame that rounding puts just after the end.
    let frames = (frames.saturating_sub(1) as f64 / step + 1e-6).floor() + 1.0;
    (frames < usize::MAX as f64).then_some(frames as usize)
}

impl Markers {
    /// The same recording with other axes; the unit stays.
    pub fn with_axes(&self, up: SignedAxis, forward: SignedAxis) -> Markers {
        let space = Space { up, forward, ..*self.space() };
        let change = SpaceChange::new(self.space(), &space);
        self.changed(space, |place| change.vector(place))
    }
}

impl Skeleton {
    /// Every offset multiplied by `factor`.
    ///
    /// # Errors
    /// [`ModelError::RestNotFinite`] if an offset is not finite then.
    pub fn scaled(&self, factor: f64) -> Result<Skeleton, ModelError> {
        let scaled = self.with_joints(|joint| joint.offset *= factor)?;
        Ok(if self.has_no_bones() { scaled.with_size(self.size() * factor) } else { scaled })
    }

    /// The same skeleton in other units and axes, as [`Clip::in_space`].
    ///
    /// # Errors
    /// [`ModelError::RestNotFinite`] if an offset is not finite in the other unit.
    pub fn in_space(&self, space: Space) -> Result<Skeleton, ModelError> {
        let change = SpaceChange::new(self.space(), &space);
        let couplings = self.couplings().iter().map(|coupling| coupling.with_axes(change.image)).collect();
        let skeleton = self.clone().with_couplings(Vec::new())?.with_joints(|joint| {
            joint.offset = change.vector(&joint.offset);
            joint.rest_rotation = change.rotation(&joint.rest_rotation);
            joint.dofs = joint.dofs.with_axes(&change.basis, change.image);
        })?;
        Ok(skeleton.with_couplings(couplings)?.with_space(space))
    }
}

impl Space {
    /// The map of places in this space to places in another; lengths are converted if both units are known.
    pub fn change_to(&self, to: &Space) -> Matrix4<f64> {
        change_of_space(self, to)
    }
}

/// How far bones of the same names point apart at rest, in sum; roots are not compared.
fn bones_apart(a: &Skeleton, b: &Skeleton) -> f64 {
    let bones = a.joints().iter().filter(|joint| joint.parent.is_some());
    let apart = bones.filter_map(|joint| {
        let other = b.joint(b.find(&joint.name)?);
        let [own, other] = [joint.offset, other.offset].map(|bone| bone.try_normalize(0.0));
        Some((own? - other?).norm())
    });
    apart.sum()
}

/// The change of places from one space to another; lengths are converted if both units are known.
pub(crate) fn change_of_space(from: &Space, to: &Space) -> Matrix4<f64> {
    let change = SpaceChange::new(from, to);
    change.basis.to_homogeneous() * Matrix4::new_scaling(change.scale)
}

/// The change of numbers from one space to another.
struct SpaceChange {
    basis: UnitQuaternion<f64>,
    image: [SignedAxis; 3],
    scale: f64,
}

impl SpaceChange {
    fn new(from: &Space, to: &Space) -> SpaceChange {
        let columns = |space: &Space| {
            let (up, forward) = (space.up.vector(), space.forward.vector());
            Matrix3::from_columns(&[up.cross(&forward), up, forward])
        };
        let matrix = columns(to) * columns(from).transpose();
        let image = Axis::ALL.map(|axis| {
            let column = matrix.column(axis.index());
            let at = column.iamax();
            SignedAxis { axis: Axis::ALL[at], negative: column[at] < 0.0 }
        });
        let basis = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix));
        let scale = match (from.metres(), to.metres()) {
            (Some(from), Some(to)) => from / to,
            _ => 1.0,
        };
        SpaceChange { basis, image, scale }
    }

    fn vector(&self, v: &Vector3<f64>) -> Vector3<f64> {
        self.signed(v) * self.scale
    }

    fn rotation(&self, q: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        let imag = self.signed(&q.imag());
        UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(q.w, imag.x, imag.y, imag.z))
    }

    /// Renames the axes of sizes, which have no direction.
    fn sizes(&self, v: &Vector3<f64>) -> Vector3<f64> {
        let mut renamed = Vector3::zeros();
        for axis in Axis::ALL {
            renamed[self.image[axis.index()].axis.index()] = v[axis.index()];
        }
        renamed
    }

    /// Renames the axes of a vector without rounding.
    fn signed(&self, v: &Vector3<f64>) -> Vector3<f64> {
        let mut renamed = Vector3::zeros();
        for axis in Axis::ALL {
            let to = self.image[axis.index()];
            renamed[to.axis.index()] = v[axis.index()] * to.sign();
        }
        renamed
    }
}
