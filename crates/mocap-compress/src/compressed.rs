//! A compressed clip in memory.

use crate::container::{self, BLOCK_VALUES, Parts, Verify};
use crate::direct::Tables;
use crate::error::{CompressError, Section};
use crate::extras::{self, Scales};
use crate::packed::unpack;
use crate::plan::{Plan, read_plain, read_plan, rest_locals};
use crate::quat::Quat;
use crate::sampler::Transform;
use crate::skeleton::Reading;
use crate::wire::{Malformed, Reader};
use crate::{CompressedInfo, OpenLimits, Profile};
use mocap_model::{Annotations, Skeleton};
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::xxh3_64;

/// A compressed clip: the checked bytes of a `.mocz` file, ready to decode.
#[derive(Clone, Debug)]
pub struct Compressed {
    pub(crate) bytes: Arc<[u8]>,
    pub(crate) parts: Parts,
    pub(crate) skeleton: Arc<Skeleton>,
    pub(crate) plan: Plan,
    pub(crate) constants: Vec<Transform>,
    pub(crate) kinds: Vec<(crate::track::Moving, Quat)>,
    /// What there is besides rotations and translations; read when it is asked for if the file is trusted.
    extras: OnceLock<(Annotations, Scales)>,
    limits: OpenLimits,
    /// In the profile `direct`, the tables of each block, from its first pose on.
    pub(crate) tables: Arc<[OnceLock<Tables>]>,
}

impl Compressed {
    /// Opens the bytes of a `.mocz` file.
    ///
    /// # Errors
    /// Where the file is damaged, truncated, of a newer version, exceeds a limit, or has no skeleton.
    ///
    /// ```
    /// use mocap_compress::{CompressError, Compressed, OpenLimits};
    /// let error = Compressed::open(&b"HIERARCHY"[..], &OpenLimits::default()).unwrap_err();
    /// assert!(matches!(error, CompressError::Magic { .. }));
    /// assert_eq!(error.code(), "mocz::magic");
    /// ```
    pub fn open(bytes: impl Into<Arc<[u8]>>, limits: &OpenLimits) -> Result<Compressed, CompressError> {
        Compressed::open_on(bytes.into(), None, limits)
    }

    /// Opens a file that was written without its skeleton (`CompressOptions::external_skeleton`).
    /// `skeleton` may have another unit, other axes or another scale than the clip: the file states
    /// how to convert it. For a file with its own skeleton, `skeleton` is ignored.
    ///
    /// # Errors
    /// Those of [`Compressed::open`], and if `skeleton` is not the one that the clip was compressed with.
    ///
    /// ```
    /// # #[cfg(feature = "encode")] {
    /// use mocap_compress::{CompressOptions, Compressed, OpenLimits, compress};
    /// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
    /// let options = CompressOptions { external_skeleton: true, ..CompressOptions::default() };
    /// let bytes = compress(&clip, &options)?.bytes;
    /// let opened = Compressed::open_with(bytes, clip.skeleton().clone(), &OpenLimits::default())?;
    /// assert_eq!(opened.info().frames, clip.frames());
    /// # }
    /// # Ok::<(), mocap_compress::CompressError>(())
    /// ```
    pub fn open_with(
        bytes: impl Into<Arc<[u8]>>,
        skeleton: Arc<Skeleton>,
        limits: &OpenLimits,
    ) -> Result<Compressed, CompressError> {
        Compressed::open_on(bytes.into(), Some(skeleton), limits)
    }

    /// Opens bytes that were verified before, such as those of a game's own package: no checksum is
    /// computed. If the header says that the skeleton is that of `like`, it is shared instead of
    /// being read, which is most of the work.
    ///
    /// Annotations are read when they are asked for.
    ///
    /// Bytes that are damaged nevertheless give an error, another motion, or a motion without annotations and scales of
    /// joints, and nothing worse.
    ///
    /// ```
    /// # #[cfg(feature = "encode")] {
    /// use mocap_compress::{CompressOptions, Compressed, OpenLimits, Profile, compress};
    /// use std::sync::Arc;
    /// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
    /// let options = CompressOptions { profile: Profile::Direct, ..CompressOptions::default() };
    /// let [wave, start] = [&clip, &clip.trimmed(0..30)?].map(|clip| compress(clip, &options));
    /// let limits = OpenLimits::default();
    /// let wave = Compressed::open(wave?.bytes, &limits)?;
    /// let start = Compressed::open_trusted(start?.bytes, Some(&wave), &limits)?;
    /// assert!(Arc::ptr_eq(start.skeleton(), wave.skeleton()));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where the file is truncated, malformed, of a newer version, or exceeds a limit; or if its
    /// skeleton is in another file and is not that of `like`.
    pub fn open_trusted(
        bytes: impl Into<Arc<[u8]>>,
        like: Option<&Compressed>,
        limits: &OpenLimits,
    ) -> Result<Compressed, CompressError> {
        let bytes = bytes.into();
        let parts = container::parts(&bytes, limits, Verify::Nothing)?;
        let skeleton = match (like, &parts.skeleton) {
            (Some(like), _) if like.parts.fingerprint == parts.fingerprint => like.skeleton.clone(),
            (_, Some(range)) => own_skeleton(&bytes, range, parts.structure, limits)?,
            (_, None) => return Err(CompressError::SkeletonElsewhere),
        };
        Compressed::of_parts(bytes, parts, skeleton, limits)
    }

    fn open_on(
        bytes: Arc<[u8]>,
        given: Option<Arc<Skeleton>>,
        limits: &OpenLimits,
    ) -> Result<Compressed, CompressError> {
        let parts = container::parts(&bytes, limits, Verify::All)?;
        let skeleton = match (&parts.skeleton, given) {
            (_, Some(given)) if fingerprint(&given) == parts.fingerprint => given,
            (Some(range), _) => own_skeleton(&bytes, range, parts.structure, limits)?,
            (None, None) => return Err(CompressError::SkeletonElsewhere),
            (None, Some(given)) => as_read(&bytes, &parts, &given)?,
        };
        let clip = Compressed::of_parts(bytes, parts, skeleton, limits)?;
        let extras = read_extras(&clip.bytes, &clip.parts, &clip.skeleton, limits)?;
        Ok(Compressed { extras: extras.into(), ..clip })
    }

    /// A clip from the located parts of a file, on its skeleton.
    fn of_parts(
        bytes: Arc<[u8]>,
        parts: Parts,
        skeleton: Arc<Skeleton>,
        limits: &OpenLimits,
    ) -> Result<Compressed, CompressError> {
        let start = parts.plan.start;
        let rest = rest_locals(&skeleton);
        let read = if parts.plain { read_plain } else { read_plan };
        let plan = read(&bytes[parts.plan.clone()], &rest)
            .map_err(|found| CompressError::malformed(Section::Plan, start, found))?;
        let values = (plan.moving.len() as u64).saturating_mul(parts.info.frames as u64);
        if values > limits.values {
            return Err(CompressError::Limit { what: "values", found: values, limit: limits.values });
        }
        let block = plan.moving.len().saturating_mul(parts.block_frames.min(parts.info.frames) + 1);
        if block > BLOCK_VALUES + plan.moving.len() {
            let limit = BLOCK_VALUES as u64;
            return Err(CompressError::Limit { what: "values in a block", found: block as u64, limit });
        }
        let kinds = plan.kinds(&rest);
        let constants = plan.constants(rest);
        let direct = parts.info.profile == Profile::Direct;
        let tables = parts.blocks.iter().filter(|_| direct).map(|_| OnceLock::new()).collect();
        let (extras, limits) = (OnceLock::new(), *limits);
        Ok(Compressed { bytes, parts, skeleton, plan, constants, kinds, extras, limits, tables })
    }

    /// Profile, tolerance, frames, rate.
    pub fn info(&self) -> &CompressedInfo {
        &self.parts.info
    }

    /// The name of the clip, its events, and numbers over time within
    /// [`CompressOptions::track_error`](crate::CompressOptions::track_error).
    pub fn annotations(&self) -> &Annotations {
        &self.extras().0
    }

    /// The scales of joints.
    pub(crate) fn scales(&self) -> &Scales {
        &self.extras().1
    }

    /// Those that were read when the file was opened. Of a trusted file they are read now: it was verified before.
    fn extras(&self) -> &(Annotations, Scales) {
        self.extras.get_or_init(|| {
            read_extras(&self.bytes, &self.parts, &self.skeleton, &self.limits).unwrap_or_default()
        })
    }

    /// The skeleton.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// The size of the file in bytes.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The size of the skeleton in the file in bytes; 0 where the file has none.
    pub fn skeleton_size(&self) -> usize {
        self.parts.skeleton.as_ref().map_or(0, |range| range.len())
    }

    /// The number of rotations and translations that change over time.
    pub fn moving_tracks(&self) -> usize {
        self.plan.moving.len()
    }
}

/// Reads the skeleton in the file.
fn own_skeleton(
    bytes: &[u8],
    range: &Range<usize>,
    structure: usize,
    limits: &OpenLimits,
) -> Result<Arc<Skeleton>, CompressError> {
    // A joint takes a few hundred bytes; only names may be long.
    let limit = limits.joints as u64 * 1024 + 65536;
    if structure as u64 > limit {
        let what = "bytes of skeleton";
        return Err(CompressError::Limit { what, found: structure as u64, limit });
    }
    let skeleton = crate::skeleton::unpack(&bytes[range.clone()], structure, limits);
    let skeleton =
        skeleton.map_err(|found| CompressError::malformed(Section::Skeleton, range.start, found))?;
    Ok(Arc::new(skeleton))
}

/// Reads everything besides rotations and translations.
fn read_extras(
    bytes: &[u8],
    parts: &Parts,
    skeleton: &Skeleton,
    limits: &OpenLimits,
) -> Result<(Annotations, Scales), CompressError> {
    let Some(range) = parts.extras.clone() else { return Ok(Default::default()) };
    let malformed = |found| CompressError::malformed(Section::Extras, range.start, found);
    let mut reader = Reader::new(&bytes[range.clone()]);
    let length = reader.number(1 << 40, "a length").map_err(malformed)?;
    if length > limits.values {
        return Err(CompressError::Limit { what: "bytes of numbers", found: length, limit: limits.values });
    }
    let packed = &bytes[range.start + reader.at..range.end];
    let Some(described) = unpack(packed, length as usize) else {
        let expected = "a length that fits in the section";
        return Err(malformed(Malformed { at: 0, expected }));
    };
    extras::parse(&described, parts.info.frames, skeleton.len()).map_err(malformed)
}

/// Converts the skeleton of another file to the unit, axes and scale of the clip.
fn as_read(bytes: &[u8], parts: &Parts, given: &Skeleton) -> Result<Arc<Skeleton>, CompressError> {
    let Some(range) = parts.reading.clone() else { return Err(CompressError::WrongSkeleton) };
    let reading = Reading::parse(&bytes[range.clone()])
        .map_err(|found| CompressError::malformed(Section::Skeleton, range.start, found))?;
    let read = reading.of(given).filter(|read| fingerprint(read) == parts.fingerprint);
    read.map(Arc::new).ok_or(CompressError::WrongSkeleton)
}

/// A hash of a skeleton, by which it is recognised.
pub(crate) fn fingerprint(skeleton: &Skeleton) -> u64 {
    xxh3_64(&crate::skeleton::describe(skeleton))
}
