//! The encoder: from a clip to the bytes of a `.mocz` file whose error is known.

pub(crate) mod block;
mod body;
mod changes;
mod check;
pub(crate) mod effort;
mod fit;
mod joint_rules;
mod largest;
#[cfg(test)]
pub(crate) mod learn;
mod measure;
mod moving;
mod options;
mod parts;
mod precision;
pub(crate) mod predict;
mod report;
pub(crate) mod rig;
pub(crate) mod search;
mod settings;
pub(crate) mod source;
mod summary;
pub(crate) mod tradeoff;
pub(crate) mod write;

pub use effort::Effort;
pub use joint_rules::{JointRule, MatchedRules, match_rules};
pub use options::CompressOptions;
pub use report::{CompressReport, JointError, raw_bytes};
pub use summary::{CompressSummary, RuleError, WorstJoint};

use crate::compressed::{Compressed, fingerprint};
use crate::container::{self, BLOCK_FRAMES, BLOCK_VALUES, SkeletonSection, block_count};
use crate::error::CompressError;
use crate::plan::{Plan, put_plain, put_plan, rest_locals};
use crate::skeleton::Reading;
use crate::{CompressedInfo, OpenLimits, Profile, archive, direct, keys, runtime};
use block::Block;
use measure::{Bounds, Violation, measure};
use mocap_model::{Clip, Skeleton};
use moving::{Precision, plan_of};
use precision::{SMALLEST_TURN, smallest_tolerance};
use rig::{ObjectPoses, Rig};
use settings::{Progress, Settings, Tight};
use std::cell::Cell;
use std::sync::Arc;

/// A compressed clip and its report.
#[derive(Clone, Debug)]
pub struct Compression {
    /// The bytes of a `.mocz` file.
    pub bytes: Vec<u8>,
    /// Sizes and errors, measured on these bytes.
    pub report: CompressReport,
}

/// Compresses a clip within a tolerance.
///
/// # Errors
/// Where the unit is unknown, a length is not above zero, a joint has no name or a tolerance is for
/// a joint that does not exist, the motion is too large, or the tolerance cannot be reached, mostly
/// because single precision does not allow it.
///
/// ```
/// use mocap_compress::{CompressOptions, Profile, compress};
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// // The smallest file within a millimetre, the hand within a tenth of one.
/// let options = CompressOptions {
///     profile: Profile::Archive,
///     tolerance: 1e-3,
///     joint_tolerances: vec![("RightHand".into(), 1e-4)],
///     ..CompressOptions::default()
/// };
/// let compression = compress(&clip, &options)?;
/// assert!(compression.report.joints.iter().all(|joint| joint.max <= joint.limit));
/// # Ok::<(), mocap_compress::CompressError>(())
/// ```
pub fn compress(clip: &Clip, options: &CompressOptions) -> Result<Compression, CompressError> {
    compress_with_progress(clip, options, &|_| {})
}

/// As [`compress`], and calls `progress` with the share of the work that is done, from 0 to 1. It starts over
/// where a clip needs another attempt.
///
/// ```
/// use mocap_compress::{CompressOptions, compress_with_progress};
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let progress = |share: f64| eprintln!("{:.0} %", share * 100.0);
/// let compression = compress_with_progress(&clip, &CompressOptions::default(), &progress)?;
/// # Ok::<(), mocap_compress::CompressError>(())
/// ```
///
/// # Errors
/// As [`compress`].
pub fn compress_with_progress(
    clip: &Clip,
    options: &CompressOptions,
    progress: &dyn Fn(f64),
) -> Result<Compression, CompressError> {
    let rigid = clip.without_scale().map_err(|_| CompressError::ScaleOverflow)?;
    let extras = crate::extras::describe(clip, options.track_error);
    let job = Job { extras, ..Job::new(&rigid, options)? };
    let clip = &*rigid;
    // The smallest excess of any attempt: in frames, of local rotations, between frames.
    let mut reached = [f64::INFINITY; 3];
    // The bound is kept while residuals are chosen, except for rounding. If rounding matters, or the motion
    // between frames is guarded, a smaller share of the tolerance is used.
    let mut share = 1.0 - MARGIN;
    // If only a few samples exceed their bounds, the bounds are tightened around these, in the joints that
    // matter.
    let mut tight = Vec::new();
    for attempt in 0..ATTEMPTS {
        let (bytes, failed) = job.encode(share, &tight, progress);
        let opened = match options.external_skeleton {
            true => Compressed::open_with(bytes.clone(), clip.skeleton().clone(), &job.limits),
            false => Compressed::open(bytes.clone(), &job.limits),
        };
        let Ok(opened) = opened else { break };
        let bounds =
            Bounds { tolerances: &job.tolerances, guard_between: options.guard_between, metres: job.metres };
        let measured = measure(clip, &opened, bounds);
        let report = measured.report;
        let excess = match options.guard_between {
            true => measured.excess.max(measured.excess_between),
            false => measured.excess,
        };
        let turned = options.local_error.map_or(0.0, |bound| report.local_rotation_max / bound);
        // The measurement decides: a sample that missed its share may still be within the tolerance.
        if excess <= 1.0 && turned <= 1.0 {
            return Ok(Compression { bytes, report });
        }
        for (least, now) in reached.iter_mut().zip([measured.excess, turned, measured.excess_between]) {
            *least = least.min(now);
        }
        if failed == 0 && turned <= 1.0 && attempt < ATTEMPTS / 2 {
            tight.resize(clip.skeleton().len(), Vec::new());
            tighten(&mut tight, clip, &measured.violations);
        } else {
            if failed > 0 {
                // Some frames cannot keep tightened bounds: the whole clip is tightened slightly instead.
                tight.clear();
            }
            share *= (0.98 / excess.max(turned)).clamp(0.5, 0.97);
        }
    }
    let [in_frames, turned, between] = reached;
    Err(if in_frames <= 1.0 && turned <= 1.0 && between > 1.0 {
        CompressError::NotReachedBetween {
            tolerance: options.tolerance,
            reached: between * options.tolerance,
        }
    } else if turned > 1.0 && in_frames <= 1.0 {
        CompressError::NotReached { bound: "the bound of local rotations", reached: turned }
    } else {
        CompressError::NotReached { bound: "the tolerance", reached: in_frames }
    })
}

/// Tightens the bounds around violations: of the joint and its ancestors, in the frames that decide the sample.
fn tighten(tight: &mut [Vec<f32>], clip: &Clip, violations: &[Violation]) {
    let skeleton = clip.skeleton();
    for (joint, shares) in tight.iter_mut().enumerate() {
        let before = shares.clone();
        let is_below = |other: usize| skeleton.is_in_subtree(other.into(), joint.into());
        for Violation { frames, excess, .. } in violations.iter().filter(|found| is_below(found.joint)) {
            let share = (0.9 / excess).max(0.5) as f32;
            shares.resize(clip.frames(), 1.0);
            for frame in frames.clone() {
                shares[frame] = shares[frame].min(before.get(frame).unwrap_or(&1.0) * share);
            }
        }
    }
}

/// Share of the tolerance that is left to rounding.
const MARGIN: f64 = 2e-3;
const ATTEMPTS: usize = 24;

/// Data that all attempts at a clip share; lengths in its units.
struct Job<'a> {
    clip: &'a Clip,
    options: &'a CompressOptions,
    metres: f64,
    /// The skeleton as it will be decoded.
    stored: Arc<Skeleton>,
    skeleton: SkeletonSection,
    plan: Plan,
    tolerances: Vec<f64>,
    /// The largest tolerance of any joint that is measured \[m\].
    limit: f64,
    block_frames: usize,
    limits: OpenLimits,
    /// What the clip holds besides rotations and translations, as bytes.
    extras: Option<Vec<u8>>,
}

impl<'a> Job<'a> {
    fn new(clip: &'a Clip, options: &'a CompressOptions) -> Result<Job<'a>, CompressError> {
        let skeleton = clip.skeleton();
        let metres = options.metres_per_unit.or(skeleton.space().metres()).ok_or(CompressError::Unit)?;
        let mut lengths = vec![
            ("the unit", metres),
            ("the tolerance", options.tolerance),
            ("the shell distance", options.shell),
            ("the scale of the skeleton elsewhere", options.external_scale),
        ];
        lengths.extend(
            options.joint_tolerances.iter().map(|(_, tolerance)| ("the tolerance of a joint", *tolerance)),
        );
        if !(options.track_error.is_finite() && options.track_error >= 0.0) {
            return Err(CompressError::NotPositive {
                what: "the error of tracks",
                value: options.track_error,
            });
        }
        lengths.extend(options.local_error.map(|bound| ("the local error", bound)));
        for (what, value) in lengths {
            if !(value.is_finite() && value > 0.0) {
                return Err(CompressError::NotPositive { what, value });
            }
        }
        // In a file, an empty name stands for an end site.
        if let Some((id, _)) = skeleton.iter().find(|(_, joint)| joint.name.is_empty()) {
            return Err(CompressError::NoName { joint: id.index() });
        }
        let mut bounds = vec![options.tolerance; skeleton.len()];
        for (name, tolerance) in &options.joint_tolerances {
            let Some(joint) = skeleton.find(name) else {
                return Err(CompressError::NoSuchJoint { joint: name.clone() });
            };
            bounds[joint.index()] = *tolerance;
        }
        let measured = skeleton.iter().filter(|(_, joint)| !joint.end_site).map(|(id, _)| bounds[id.index()]);
        let limit = measured.reduce(f64::max).unwrap_or(options.tolerance);
        let tolerances: Vec<f64> = bounds.iter().map(|bound| bound / metres).collect();
        let least = tolerances.iter().fold(f64::INFINITY, |least, tolerance| least.min(*tolerance));
        let smallest = smallest_tolerance(clip, options.shell / metres);
        if least < smallest {
            return Err(CompressError::TooFine { tolerance: least * metres, smallest: smallest * metres });
        }
        if let Some(bound) = options.local_error.filter(|bound| *bound < SMALLEST_TURN) {
            return Err(CompressError::TooFineTurn { bound, smallest: SMALLEST_TURN });
        }
        let limits = OpenLimits { joints: usize::MAX >> 12, frames: usize::MAX, values: u64::MAX };
        let (stored, section) = store(skeleton, options, least, &limits)?;
        let precision = Precision {
            tolerance: least,
            constants: least * share_of_offsets(options),
            turn: options.local_error,
        };
        let plan = plan_of(clip, &stored, precision, options.shell / metres);
        let values = BLOCK_VALUES / plan.moving.len().max(1);
        let block_frames = BLOCK_FRAMES.min(1 << values.max(1).ilog2());
        if block_frames < 64 {
            let what = "moving tracks";
            return Err(CompressError::TooLarge { what, found: plan.moving.len(), limit: BLOCK_VALUES / 64 });
        }
        Ok(Job {
            clip,
            options,
            metres,
            stored,
            skeleton: section,
            plan,
            tolerances,
            limit,
            block_frames,
            limits,
            extras: None,
        })
    }

    /// The bytes at a share of the tolerance, and the number of samples that were not kept within it.
    fn encode(&self, share: f64, tight: &[Vec<f32>], progress: &dyn Fn(f64)) -> (Vec<u8>, usize) {
        let clip = self.clip;
        let tolerances: Vec<f64> = self.tolerances.iter().map(|tolerance| tolerance * share).collect();
        let count = block_count(clip.frames(), self.block_frames);
        let all = count * self.plan.moving.len();
        let progress = Progress { report: progress, started: Cell::new(0), all };
        let settings = Settings {
            turn: self.options.local_error.map(|bound| bound * share / 2.0),
            anchored: self.options.profile != Profile::Archive,
            direct: self.options.profile == Profile::Direct,
            work: self.options.effort.work(self.options.profile),
            ..Settings::new(&progress)
        };
        let info = CompressedInfo {
            profile: self.options.profile,
            frames: clip.frames(),
            rate: clip.rate(),
            tolerance: self.limit,
            shell: self.options.shell,
            metres_per_unit: self.metres,
        };
        let rest = rest_locals(&self.stored);
        let kinds = self.plan.kinds(&rest);
        let shell = self.options.shell / self.metres;
        let mut blocks = Vec::new();
        let mut failed = 0;
        if clip.frames() > 0 {
            let rig =
                Rig::new(clip, &self.plan.constants(rest), &self.plan, &tolerances, shell, settings.power);
            for block in 0..count {
                let first = block * self.block_frames;
                let frames = first..(first + self.block_frames + 1).min(clip.frames());
                let tight = Tight { shares: tight, first: frames.start };
                let block = Block {
                    frames: frames.len(),
                    plan: &self.plan,
                    kinds: &kinds,
                    rig: &rig,
                    settings: Settings { tight, ..settings.clone() },
                    original: ObjectPoses::of(clip, frames, &rig),
                };
                let encoded = match self.options.profile {
                    Profile::Archive => archive::encode(&block),
                    Profile::Runtime => runtime::encode(&block),
                    Profile::Keys => keys::encode(&block),
                    Profile::Direct => direct::encode(&block),
                };
                blocks.push(encoded.bytes);
                failed += encoded.failed;
            }
        }
        let plan = match container::is_plain(self.options.profile) {
            true => put_plain(&self.plan),
            false => put_plan(&self.plan),
        };
        let sections = (&plan[..], self.extras.as_deref());
        (container::assemble(&info, self.block_frames, &self.skeleton, sections, &blocks), failed)
    }
}

/// Step of offsets as a share of the tolerance; the second is used with `guard_between`: errors of offsets are
/// the same in frames and between them, so corrections in frames do not help.
const OFFSETS: f64 = 0.05;
const OFFSETS_BETWEEN: f64 = 0.005;

fn share_of_offsets(options: &CompressOptions) -> f64 {
    if options.guard_between { OFFSETS_BETWEEN } else { OFFSETS }
}

/// The skeleton as it is decoded, and its section. `tolerance` is the least of all.
fn store(
    skeleton: &Arc<Skeleton>,
    options: &CompressOptions,
    tolerance: f64,
    limits: &OpenLimits,
) -> Result<(Arc<Skeleton>, SkeletonSection), CompressError> {
    if options.external_skeleton {
        let bytes = Reading { space: *skeleton.space(), scale: options.external_scale }.describe();
        let section = SkeletonSection { bytes, structure: None, fingerprint: fingerprint(skeleton) };
        return Ok((skeleton.clone(), section));
    }
    let (bytes, structure) = crate::skeleton::pack(skeleton, tolerance * share_of_offsets(options));
    // Rounding to the tolerance can bring an offset beyond the farthest that a skeleton may have.
    let stored = crate::skeleton::unpack(&bytes, structure, limits)
        .map_err(|_| CompressError::TooFine { tolerance, smallest: f64::INFINITY })?;
    let section = SkeletonSection { bytes, structure: Some(structure), fingerprint: fingerprint(&stored) };
    Ok((Arc::new(stored), section))
}
