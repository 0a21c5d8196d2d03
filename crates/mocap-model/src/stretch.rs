//! How scale tracks move the joints below them.
//!
//! With scales `S`, the transform of a joint in object space is `T₀R₀S₀ · T₁R₁S₁ · …`: no longer rigid. It is kept as
//! a rigid part, the one without scales in which translations are stretched, and the stretch: with `R` the product of
//! rotations and `A` that of rotations and scales, `stretch = R⁻¹ A`. The translation of a child is multiplied by the
//! stretch of its parent.

use crate::{Clip, JointTracks, ModelError, Track};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use std::borrow::Cow;

/// The stretch of a joint, by that of its parent, its local rotation and its scale.
pub(crate) fn stretch(
    parent: &Matrix3<f64>,
    rotation: &UnitQuaternion<f64>,
    scale: Option<Vector3<f64>>,
) -> Matrix3<f64> {
    let turn = rotation.to_rotation_matrix();
    let turned = turn.inverse().matrix() * parent * turn.matrix();
    scale.map_or(turned, |scale| turned * Matrix3::from_diagonal(&scale))
}

impl Clip {
    /// The same motion without scale tracks: translations keep every joint at its position and rotation in object
    /// space. The effect of scale on a skin is lost.
    ///
    /// ```
    /// use mocap_model::*;
    /// use std::sync::Arc;
    ///
    /// let joint = |name: &str, parent| Joint::new(name, parent, Vector3::y());
    /// let joints = vec![joint("hips", None), joint("head", Some(JointId(0)))];
    /// let skeleton = Arc::new(Skeleton::new("", Space::default(), joints)?);
    /// let mut tracks: Vec<_> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    /// tracks[0].scale = Some(Track::Constant(Vector3::repeat(2.0)));
    /// let clip = Clip::new(skeleton, FrameRate::new(30.0).unwrap(), 1, tracks)?;
    /// assert_eq!(clip.without_scale()?.local(JointId(1), 0).translation.y, 2.0);
    /// # Ok::<(), ModelError>(())
    /// ```
    ///
    /// # Errors
    /// [`ModelError::NotFinite`] if a stretched translation overflows.
    pub fn without_scale(&self) -> Result<Cow<'_, Clip>, ModelError> {
        if !self.has_scale() {
            return Ok(Cow::Borrowed(self));
        }
        let joints = self.skeleton().joints();
        let mut tracks: Vec<JointTracks> = Vec::with_capacity(joints.len());
        // By joint: `None` where nothing above it has a scale.
        let mut stretches: Vec<Option<Track<Matrix3<f64>>>> = Vec::with_capacity(joints.len());
        for (joint, own) in joints.iter().zip(self.tracks()) {
            let above = joint.parent.and_then(|parent| stretches[parent.index()].as_ref());
            let translation = match above {
                None => own.translation.clone(),
                Some(above) => {
                    let rest = Track::Constant(joint.offset);
                    let place = own.translation.as_ref().unwrap_or(&rest);
                    let frames = self.frames_of(&[above.is_sampled(), place.is_sampled()]);
                    Some(Track::of_frames(frames, |frame| above.at(frame) * place.at(frame)))
                }
            };
            stretches.push((above.is_some() || own.scale.is_some()).then(|| {
                let sampled = [
                    above.is_some_and(Track::is_sampled),
                    own.rotation.is_sampled(),
                    own.scale.as_ref().is_some_and(Track::is_sampled),
                ];
                Track::of_frames(self.frames_of(&sampled), |frame| {
                    let above = above.map_or_else(Matrix3::identity, |above| above.at(frame));
                    let scale = own.scale.as_ref().map(|scale| scale.at(frame));
                    stretch(&above, &own.rotation.at(frame), scale)
                })
            }));
            tracks.push(JointTracks { rotation: own.rotation.clone(), translation, scale: None });
        }
        let clip = Clip::new(self.skeleton().clone(), self.rate(), self.frames(), tracks)?;
        Ok(Cow::Owned(clip.with_annotations(self.annotations().clone())?))
    }

    /// The motion with these scale tracks, and translations divided by them: the inverse of [`Clip::without_scale`].
    /// Every joint keeps its position and rotation in object space.
    ///
    /// ```
    /// # use mocap_model::*;
    /// # use std::sync::Arc;
    /// # let joint = |name: &str, parent| Joint::new(name, parent, Vector3::y());
    /// # let joints = vec![joint("hips", None), joint("head", Some(JointId(0)))];
    /// # let skeleton = Arc::new(Skeleton::new("", Space::default(), joints)?);
    /// let clip = Clip::at_rest(skeleton, FrameRate::new(30.0).unwrap());
    /// let scaled = clip.with_scale(vec![Some(Track::Constant(Vector3::repeat(2.0))), None])?;
    /// assert_eq!(scaled.local(JointId(1), 0).translation.y, 0.5);
    /// # Ok::<(), ModelError>(())
    /// ```
    ///
    /// # Errors
    /// [`ModelError::NotFinite`] if a scale flattens a joint: then no translation gives the places below it.
    pub fn with_scale(&self, scales: Vec<Option<Track<Vector3<f64>>>>) -> Result<Clip, ModelError> {
        let joints = self.skeleton().joints();
        let mut tracks: Vec<JointTracks> = Vec::with_capacity(joints.len());
        let mut stretches: Vec<Option<Track<Matrix3<f64>>>> = Vec::with_capacity(joints.len());
        let not_a_number = Matrix3::repeat(f64::NAN);
        for ((joint, own), scale) in joints.iter().zip(self.tracks()).zip(scales) {
            let above = joint.parent.and_then(|parent| stretches[parent.index()].as_ref());
            let translation = above.map(|above| {
                let rest = Track::Constant(joint.offset);
                let place = own.translation.as_ref().unwrap_or(&rest);
                let frames = self.frames_of(&[above.is_sampled(), place.is_sampled()]);
                Track::of_frames(frames, |frame| {
                    above.at(frame).try_inverse().unwrap_or(not_a_number) * place.at(frame)
                })
            });
            stretches.push((above.is_some() || scale.is_some()).then(|| {
                let sampled = [
                    above.is_some_and(Track::is_sampled),
                    own.rotation.is_sampled(),
                    scale.as_ref().is_some_and(Track::is_sampled),
                ];
                Track::of_frames(self.frames_of(&sampled), |frame| {
                    let above = above.map_or_else(Matrix3::identity, |above| above.at(frame));
                    stretch(&above, &own.rotation.at(frame), scale.as_ref().map(|scale| scale.at(frame)))
                })
            }));
            let translation = translation.or_else(|| own.translation.clone());
            tracks.push(JointTracks { rotation: own.rotation.clone(), translation, scale });
        }
        let clip = Clip::new(self.skeleton().clone(), self.rate(), self.frames(), tracks)?;
        clip.with_annotations(self.annotations().clone())
    }

    /// `None` where no track is sampled: one value is enough.
    fn frames_of(&self, sampled: &[bool]) -> Option<usize> {
        sampled.contains(&true).then(|| self.frames())
    }
}
