//! Retargeting and compression of clips as they come from files: with a unit that the file does not state.

use mocap_compress::Compression;
use mocap_formats::{Finding, Parsed};
use mocap_model::{Clip, Skeleton};
use mocap_retarget::{RetargetReport, Retargeter};

use crate::unit::needed_unit;
use crate::{CompressOptions, Error, RetargetOptions};

/// A motion on another skeleton.
#[derive(Clone, Debug)]
pub struct Retargeted {
    /// The motion.
    pub clip: Clip,
    /// Its quality: lengths are metres.
    pub report: RetargetReport,
    /// What was assumed.
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
/// Where a unit is not known and cannot be guessed, or the joints of one skeleton have no counterparts in the
/// other.
pub fn retarget(clip: &Clip, target: &Skeleton, options: &RetargetOptions) -> Result<Retargeted, Error> {
    let mut warnings = Vec::new();
    needed_unit(clip.skeleton(), &mut warnings)?;
    needed_unit(target, &mut warnings)?;
    let retargeter = Retargeter::new(clip.skeleton(), target, options)?;
    let (clip, report) = retargeter.retarget(clip)?;
    Ok(Retargeted { clip, report, warnings })
}

/// Compresses a clip within a guaranteed error, by default 0.1 mm at 3 cm from each joint.
///
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
    let value = mocap_compress::compress(clip, &options)?;
    Ok(Parsed { value, warnings })
}
