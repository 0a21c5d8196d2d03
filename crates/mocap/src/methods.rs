//! Retargeting and compression of clips as read from files, whose unit may not be stated.

use std::borrow::Cow;

use mocap_compress::{CompressSummary, Compression, JointRule, match_rules};
use mocap_formats::{Finding, Parsed, without_scale};
use mocap_model::{Clip, Skeleton};
use mocap_retarget::{RetargetReport, Retargeter};

use crate::near_names::near_names;
use crate::unit::{clip_for_report, for_report, in_space, needed_unit};
use crate::{CompressOptions, Error, Problem, RetargetOptions};

/// A motion on another skeleton.
#[derive(Clone, Debug)]
pub struct Retargeted {
    /// The motion.
    pub clip: Clip,
    /// Its quality: lengths are metres.
    pub report: RetargetReport,
    /// The assumptions.
    pub warnings: Vec<Finding>,
}

/// Puts a motion on another skeleton.
///
/// ```
/// use mocap::prelude::*;
///
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let robin = mocap::read_skeleton("../../fixtures/clips/robin.skel")?.value;
/// let moved = mocap::retarget(&walk, &robin, &RetargetOptions::default())?;
/// assert_eq!(moved.clip.frames(), walk.frames());
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// Where the joints of one skeleton have no counterparts in the other.
pub fn retarget(clip: &Clip, target: &Skeleton, options: &RetargetOptions) -> Result<Retargeted, Error> {
    let mut warnings = Vec::new();
    let source = clip_for_report(clip, &mut warnings);
    let body = for_report(target, &mut warnings);
    let retargeter = Retargeter::new(source.skeleton(), &body, options)?;
    let (motion, report) = retargeter.retarget(source)?;
    // A unit that was only assumed for the report is not stated in the result.
    let clip = in_space(motion, *target.space());
    Ok(Retargeted { clip, report, warnings })
}

/// Compresses a clip within a guaranteed error, by default 0.1 mm at 3 cm from each joint.
///
/// Scales of joints and numbers over time are kept within [`CompressOptions::track_error`]; names and events exactly.
/// Where [`CompressOptions::metres_per_unit`] is `None`, the unit is that of the clip, else guessed with a warning.
///
/// ```
/// use mocap::prelude::*;
///
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let compression = mocap::compress(&walk, &CompressOptions::default())?.value;
/// assert!(compression.report.max <= 1e-4);
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// Where the unit is not known and cannot be guessed, or the tolerance is finer than numbers are.
pub fn compress(clip: &Clip, options: &CompressOptions) -> Result<Parsed<Compression>, Error> {
    let mut warnings = Vec::new();
    let mut options = options.clone();
    if options.metres_per_unit.is_none() {
        options.metres_per_unit = Some(needed_unit(clip.skeleton(), &mut warnings)?.metres);
    }
    let clip = restorable(clip, &mut warnings)?;
    let value = mocap_compress::compress(&clip, &options)?;
    Ok(Parsed { value, warnings })
}

/// The clip without scales of 0, which flatten a joint and cannot be removed from translations again. Adds a
/// warning.
fn restorable<'c>(clip: &'c Clip, warnings: &mut Vec<Finding>) -> Result<Cow<'c, Clip>, Error> {
    let scales = || clip.tracks().iter().map(|tracks| tracks.scale.clone()).collect();
    let kept =
        clip.without_scale().is_ok_and(|rigid| !clip.has_scale() || rigid.with_scale(scales()).is_ok());
    Ok(if kept { Cow::Borrowed(clip) } else { without_scale(Cow::Borrowed(clip), warnings)? })
}

/// A compressed clip with the summary of its sizes and errors.
#[derive(Clone, Debug)]
pub struct SummarizedCompression {
    /// The bytes of a `.mocz` file.
    pub bytes: Vec<u8>,
    /// Sizes and errors, by rule where there are rules.
    pub summary: CompressSummary,
}

/// An error between frames beyond this many times the limit means that a joint rotates by about 180° between
/// two frames, and the decoded rotation takes the other direction.
const BETWEEN: f64 = 20.0;

/// Compresses again with the motion between frames guarded, if a rotation takes the other direction; unchanged
/// if that does not help.
fn round_the_short_way(
    clip: &Clip,
    options: &CompressOptions,
    first: Compression,
    progress: &dyn Fn(f64),
) -> Compression {
    if first.report.between_frames_max <= BETWEEN * first.report.limit || options.guard_between {
        return first;
    }
    let options = CompressOptions { guard_between: true, ..options.clone() };
    mocap_compress::compress_with_progress(clip, &options, progress).unwrap_or(first)
}

/// As [`compress()`], with tolerances of joints by glob in place of
/// [`CompressOptions::joint_tolerances`]. Where a rotation of about 180° between two frames would
/// be decoded in the other direction, the motion between frames is guarded as well, or a warning
/// states the error. `progress` is called with the share of the work that is done, 0 to 1.
/// Assumptions, and rules that match no joint, are added to `warnings`.
///
/// ```
/// use mocap::prelude::*;
///
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let mut warnings = Vec::new();
/// let done = mocap::compress_by_rules(&walk, &CompressOptions::default(), &[], &|_| {}, &mut warnings)?;
/// println!("{}", done.summary.line());
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// As [`compress()`].
pub fn compress_by_rules(
    clip: &Clip,
    options: &CompressOptions,
    rules: &[JointRule],
    progress: &dyn Fn(f64),
    warnings: &mut Vec<Finding>,
) -> Result<SummarizedCompression, Error> {
    let clip = restorable(clip, warnings)?;
    let metres = match options.metres_per_unit {
        Some(metres) => metres,
        None => needed_unit(clip.skeleton(), warnings)?.metres,
    };
    let matched = match_rules(rules, clip.skeleton());
    for rule in &matched.unmatched {
        let joints = clip.skeleton().joints().iter().filter(|joint| !joint.end_site);
        let glob = rules[*rule].joints.glob().to_owned();
        let near = near_names(&glob, joints.map(|joint| joint.name.as_str()), 3);
        let near = near.into_iter().map(str::to_owned).collect();
        warnings.push(Finding::new(Problem::NoSuchJoint { glob, near }));
    }
    let options = CompressOptions {
        metres_per_unit: options.metres_per_unit.or(Some(metres)),
        joint_tolerances: matched.tolerances,
        ..options.clone()
    };
    let compressed = mocap_compress::compress_with_progress(&clip, &options, progress)?;
    let Compression { bytes, report } = round_the_short_way(&clip, &options, compressed, progress);
    if report.between_frames_max > BETWEEN * report.limit {
        let (max, limit) = (report.between_frames_max, report.limit);
        warnings.push(Finding::new(Problem::FarBetweenFrames { max, limit }));
    }
    let summary = CompressSummary::new(&report, &options, clip.frames(), rules, &matched.by_joint);
    Ok(SummarizedCompression { bytes, summary })
}
