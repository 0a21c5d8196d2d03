//! Decodes a compressed clip as a whole.

use crate::compressed::Compressed;
use crate::extras::attach;
use crate::plan::TrackState;
use crate::quat::to_f64;
use crate::track::Moving;
use mocap_model::{Clip, JointTracks, Space, Track, UnitQuaternion, Vector3};

impl Compressed {
    /// All frames as a clip: the values of the sampler at each frame, with scales and all else that the file holds.
    /// Scales are taken out of translations, in which the sampler has them.
    ///
    /// ```
    /// # #[cfg(feature = "encode")] {
    /// use mocap_compress::{CompressOptions, Compressed, OpenLimits, compress};
    /// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
    /// let bytes = compress(&clip, &CompressOptions::default())?.bytes;
    /// let decoded = Compressed::open(bytes, &OpenLimits::default())?.to_clip();
    /// assert_eq!(decoded.frames(), clip.frames());
    /// # }
    /// # Ok::<(), mocap_compress::CompressError>(())
    /// ```
    pub fn to_clip(&self) -> Clip {
        let frames = self.parts.info.frames;
        // Coordinates that no clip has are as far as one can be: only damaged files hold such.
        let most = Space::FARTHEST;
        let place = |v: [f32; 3]| Vector3::from(v.map(|value| f64::from(value).clamp(-most, most)));
        let mut rotations: Vec<Option<Vec<UnitQuaternion<f64>>>> = vec![None; self.skeleton.len()];
        let mut translations: Vec<Option<Vec<Vector3<f64>>>> = vec![None; self.skeleton.len()];
        for (joint, kind) in &self.plan.moving {
            match kind {
                Moving::Rotation => rotations[*joint] = Some(Vec::with_capacity(frames)),
                Moving::Translation => translations[*joint] = Some(Vec::with_capacity(frames)),
            }
        }
        let mut sampler = self.sampler();
        let mut pose = sampler.pose();
        for frame in 0..frames {
            sampler.frame(frame, &mut pose);
            for (joint, _) in &self.plan.moving {
                if let Some(values) = &mut rotations[*joint]
                    && values.len() == frame
                {
                    values.push(to_f64(pose[*joint].rotation));
                }
                if let Some(values) = &mut translations[*joint]
                    && values.len() == frame
                {
                    values.push(place(pose[*joint].translation));
                }
            }
        }
        let tracks = self.skeleton.joints().iter().enumerate().map(|(at, joint)| JointTracks {
            rotation: match (rotations[at].take(), self.plan.joints[at].rotation) {
                (Some(values), _) => Track::Sampled(values),
                (None, TrackState::Constant(rotation)) => Track::Constant(to_f64(rotation.value)),
                (None, _) => Track::Constant(joint.rest_rotation),
            },
            translation: match (translations[at].take(), self.plan.joints[at].translation) {
                (Some(values), _) => Some(Track::Sampled(values)),
                (None, TrackState::Constant(v)) => Some(Track::Constant(place(v))),
                (None, _) => None,
            },
            scale: None,
        });
        let rate = self.parts.info.rate;
        let clip = Clip::new(self.skeleton.clone(), rate, frames, tracks.collect());
        attach(
            clip.expect("decoded values are finite, and coordinates in range"),
            self.annotations(),
            self.scales(),
        )
    }
}
