//! Prepares two motions for a comparison: one unit, one rate.

use std::borrow::Cow;

use mocap_formats::Finding;
use mocap_model::{Clip, Space, Unit};

use crate::unit::in_space;
use crate::{BodySize, Problem, known_unit};

/// Both motions with a stated or guessed unit; no number changes.
///
/// Motions of one skeleton usually have the same unit: if the size of one suggests none, the other's is used.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let [a, b] = mocap::in_one_unit([&walk, &walk])?;
/// assert_eq!(a.skeleton().space().metres(), b.skeleton().space().metres());
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// [`Problem::UnitUnknown`] if neither has a unit.
pub fn in_one_unit(clips: [&Clip; 2]) -> Result<[Cow<'_, Clip>; 2], Finding> {
    let [a, b] = clips.map(|clip| known_unit(clip.skeleton()));
    if a.or(b).is_none() {
        return Err(Finding::new(Problem::UnitUnknown { size: BodySize::of(clips[0].skeleton()) }));
    }
    Ok([with_unit(clips[0], a.or(b)), with_unit(clips[1], b.or(a))])
}

fn with_unit(clip: &Clip, unit: Option<Unit>) -> Cow<'_, Clip> {
    let space = *clip.skeleton().space();
    if space.unit == unit {
        return Cow::Borrowed(clip);
    }
    Cow::Owned(in_space(clip.clone(), Space { unit, ..space }))
}

/// Rates that differ by a smaller share are equal: files state frame times with few digits.
const SAME_RATE: f64 = 5e-4;

/// Brings two motions to the same rate: with `resample`, the second is resampled at the rate of the first, and
/// both are
/// cut to their common frames. Returns whether that was done.
///
/// # Errors
/// If the rates differ and `resample` is not set, or if the durations differ by a frame or more.
///
/// ```
/// use mocap::FrameRate;
///
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let sparse = walk.resampled(FrameRate::new(walk.rate().fps() / 2.0).unwrap())?;
/// let mut clips = [walk, sparse];
/// assert!(mocap::at_one_rate(&mut clips, true)?);
/// assert_eq!(clips[0].frames(), clips[1].frames());
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn at_one_rate(clips: &mut [Clip; 2], resample: bool) -> Result<bool, Finding> {
    let [a, b] = &*clips;
    let (rate, other) = (a.rate(), b.rate());
    if (rate.fps() / other.fps() - 1.0).abs() < SAME_RATE {
        return Ok(false);
    }
    if !resample {
        return Err(Finding::new(Problem::RatesDiffer { reference: rate.fps(), other: other.fps() }));
    }
    // The motion with the lower rate may end up to one of its frames earlier.
    let coarse = rate.frame_time().max(other.frame_time());
    let (reference, other) = (a.duration(), b.duration());
    if (reference - other).abs() >= coarse {
        return Err(Finding::new(Problem::DurationsDiffer { reference, other }));
    }
    let sampled = b.resampled(rate).map_err(|error| Finding::new(Problem::Resample(error)))?;
    let frames = a.frames().min(sampled.frames());
    let cut = |clip: &Clip| clip.trimmed(0..frames).expect("both have as many frames");
    *clips = [cut(a), cut(&sampled)];
    Ok(true)
}
