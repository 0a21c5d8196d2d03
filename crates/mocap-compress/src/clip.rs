//! A compressed clip in memory.

use crate::container::{self, BLOCK_VALUES, OpenError, Parts, Section};
use crate::plan::{Course, JointPlan, Local, Plan, constant_rotation};
use crate::quat::Quat;
use crate::sampler::Sampler;
use crate::wire::{Malformed, Reader};
use crate::{Info, Limits};
use mocap_model::{Clip, JointTracks, Skeleton, Track, UnitQuaternion, Vector3};
use nalgebra::Quaternion;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// A compressed clip: its bytes, checked, and what is needed to decode them.
#[derive(Clone, Debug)]
pub struct Compressed {
    pub(crate) bytes: Arc<[u8]>,
    pub(crate) parts: Parts,
    pub(crate) skeleton: Arc<Skeleton>,
    pub(crate) plan: Plan,
    pub(crate) constants: Vec<Local>,
    pub(crate) kinds: Vec<(crate::track::Moving, Quat)>,
}

impl Compressed {
    /// Opens the bytes of a `.mocz` file.
    ///
    /// # Errors
    /// Where the file is damaged, cut off, of a newer version, passes a limit, or has its skeleton elsewhere.
    pub fn open(bytes: impl Into<Arc<[u8]>>, limits: &Limits) -> Result<Compressed, OpenError> {
        Compressed::open_on(bytes.into(), None, limits)
    }

    /// Opens a file whose skeleton is kept elsewhere. A file that has its own is opened as well, where
    /// `skeleton` is the same one.
    ///
    /// # Errors
    /// As [`Compressed::open`], and where `skeleton` is not the one the clip was compressed with.
    pub fn open_with(
        bytes: impl Into<Arc<[u8]>>,
        skeleton: Arc<Skeleton>,
        limits: &Limits,
    ) -> Result<Compressed, OpenError> {
        Compressed::open_on(bytes.into(), Some(skeleton), limits)
    }

    fn open_on(
        bytes: Arc<[u8]>,
        given: Option<Arc<Skeleton>>,
        limits: &Limits,
    ) -> Result<Compressed, OpenError> {
        let parts = container::parts(&bytes, limits)?;
        let skeleton = match (&parts.skeleton, given) {
            (Some(range), None) => {
                // A joint takes a few hundred bytes: names are the only part that may be long.
                let limit = limits.joints as u64 * 1024 + 65536;
                if parts.described as u64 > limit {
                    let what = "bytes of skeleton";
                    return Err(OpenError::Limit { what, found: parts.described as u64, limit });
                }
                let described = crate::wire::unpack(&bytes[range.clone()], parts.described);
                let skeleton = crate::skeleton::parse(&described, limits)
                    .map_err(|found| OpenError::malformed(Section::Skeleton, range.start, found))?;
                Arc::new(skeleton)
            }
            (None, None) => return Err(OpenError::SkeletonElsewhere),
            (_, Some(given)) if fingerprint(&given) == parts.fingerprint => given,
            (_, Some(_)) => return Err(OpenError::WrongSkeleton),
        };
        let start = parts.plan.start;
        let mut reader = Reader::new(&bytes[parts.plan.clone()]);
        let plan = plan(&mut reader, &skeleton)
            .map_err(|found| OpenError::malformed(Section::Plan, start, found))?;
        let values = (plan.moving.len() as u64).saturating_mul(parts.info.frames as u64);
        if values > limits.values {
            return Err(OpenError::Limit { what: "values", found: values, limit: limits.values });
        }
        let block = plan.moving.len().saturating_mul(parts.block_frames.min(parts.info.frames) + 1);
        if block > BLOCK_VALUES + plan.moving.len() {
            let limit = BLOCK_VALUES as u64;
            return Err(OpenError::Limit { what: "values in a block", found: block as u64, limit });
        }
        let constants = plan.constants(&skeleton);
        let kinds = plan.kinds(&skeleton);
        Ok(Compressed { bytes, parts, skeleton, plan, constants, kinds })
    }

    /// Profile, tolerance, frames, rate.
    pub fn info(&self) -> &Info {
        &self.parts.info
    }

    /// The skeleton that moves.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// The bytes of the file.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes of the skeleton in the file; 0 where it is kept elsewhere.
    pub fn skeleton_size(&self) -> usize {
        self.parts.skeleton.as_ref().map_or(0, |range| range.len())
    }

    /// The number of rotations and translations that change over time.
    pub fn moving_tracks(&self) -> usize {
        self.plan.moving.len()
    }

    /// Poses at any time, with the memory of one segment (of other profiles than `runtime`, one block).
    pub fn sampler(&self) -> Sampler<'_> {
        Sampler::new(self)
    }

    /// Poses at any time, all frames decoded at once: for programs that jump about in the clip and have the
    /// memory, 16 bytes for each moving rotation in each frame and 12 for each translation. The same poses as
    /// from [`Compressed::sampler`].
    pub fn sampler_in_memory(&self) -> Sampler<'_> {
        Sampler::whole(self)
    }

    /// All frames as a clip. Its values are those of the sampler at frames.
    pub fn to_clip(&self) -> Clip {
        let frames = self.parts.info.frames;
        let mut rotations: Vec<Option<Vec<UnitQuaternion<f64>>>> = vec![None; self.skeleton.len()];
        let mut translations: Vec<Option<Vec<Vector3<f64>>>> = vec![None; self.skeleton.len()];
        for (joint, kind) in &self.plan.moving {
            match kind {
                crate::track::Moving::Rotation => rotations[*joint] = Some(Vec::with_capacity(frames)),
                crate::track::Moving::Translation => translations[*joint] = Some(Vec::with_capacity(frames)),
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
                    values.push(rotation(pose[*joint].rotation));
                }
                if let Some(values) = &mut translations[*joint]
                    && values.len() == frame
                {
                    values.push(Vector3::from(pose[*joint].translation.map(f64::from)));
                }
            }
        }
        let tracks = self.skeleton.joints().iter().enumerate().map(|(at, joint)| JointTracks {
            rotation: match (rotations[at].take(), self.plan.joints[at].rotation) {
                (Some(values), _) => Track::Sampled(values),
                (None, Course::Constant(q)) => Track::Constant(rotation(q)),
                (None, _) => Track::Constant(joint.rest_rotation),
            },
            translation: match (translations[at].take(), self.plan.joints[at].translation) {
                (Some(values), _) => Some(Track::Sampled(values)),
                (None, Course::Constant(v)) => Some(Track::Constant(Vector3::from(v.map(f64::from)))),
                (None, _) => None,
            },
        });
        let rate = self.parts.info.rate;
        Clip::new(self.skeleton.clone(), rate, frames, tracks.collect()).expect("decoded values are finite")
    }
}

fn rotation(q: Quat) -> UnitQuaternion<f64> {
    let [i, j, k, w] = q.map(f64::from);
    UnitQuaternion::new_normalize(Quaternion::new(w, i, j, k))
}

/// What a file remembers of its skeleton.
fn fingerprint(skeleton: &Skeleton) -> u64 {
    xxh3_64(&crate::skeleton::describe(skeleton))
}

fn plan(reader: &mut Reader<'_>, skeleton: &Skeleton) -> Result<Plan, Malformed> {
    let length = reader.number(1 << 32, "a length")? as usize;
    let codes = crate::wire::unpack(reader.take(length, "the courses of joints")?, skeleton.len());
    let rests = crate::plan::rest_locals(skeleton);
    let mut joints = Vec::with_capacity(skeleton.len());
    for (code, rest) in codes.into_iter().zip(rests) {
        let rotation = match code & 3 {
            0 => Course::Rest,
            1 => {
                let mut parts = [0; 3];
                for part in &mut parts {
                    let [low, middle, high] = reader.array("a rotation")?;
                    *part = i32::from_le_bytes([0, low, middle, high]) >> 8;
                }
                Course::Constant(constant_rotation(rest.rotation, parts))
            }
            2 => Course::Moving,
            _ => return reader.fail("the course of a rotation"),
        };
        let translation = match code >> 2 {
            0 => Course::Rest,
            1 => {
                let mut v = [0.0; 3];
                for part in &mut v {
                    *part = reader.single("a translation")?;
                }
                Course::Constant(v)
            }
            2 => Course::Moving,
            _ => return reader.fail("the course of a translation"),
        };
        joints.push(JointPlan { rotation, translation });
    }
    if reader.rest() != 0 {
        return reader.fail("the end of the plan");
    }
    Ok(Plan::new(joints))
}

/// The plan as bytes: by joint, two bits each for rotation and translation (0 at rest, 1 constant, 2 moving);
/// then the constants.
#[cfg(feature = "encode")]
pub(crate) fn put_plan(plan: &Plan, skeleton: &Skeleton) -> Vec<u8> {
    let mut codes = Vec::new();
    let mut constants = Vec::new();
    let rests = crate::plan::rest_locals(skeleton);
    for (joint, rest) in plan.joints.iter().zip(rests) {
        let mut code = 0;
        match joint.rotation {
            Course::Rest => {}
            Course::Constant(q) => {
                code |= 1;
                for part in crate::plan::constant_parts(rest.rotation, q) {
                    constants.extend(&part.to_le_bytes()[..3]);
                }
            }
            Course::Moving => code |= 2,
        }
        match joint.translation {
            Course::Rest => {}
            Course::Constant(v) => {
                code |= 4;
                v.iter().for_each(|part| constants.extend(part.to_le_bytes()));
            }
            Course::Moving => code |= 8,
        }
        codes.push(code);
    }
    let packed = crate::wire::pack(&codes);
    let mut bytes = Vec::new();
    crate::wire::put_number(&mut bytes, packed.len() as u64);
    bytes.extend(packed);
    bytes.extend(constants);
    bytes
}
