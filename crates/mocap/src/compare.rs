//! Prepares two motions for a comparison: one unit, one rate.

use std::borrow::Cow;

use mocap_analysis::object_error;
use mocap_formats::Finding;
use mocap_model::{Clip, SignedAxis, Space, Unit};

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

/// Another forward axis is used if it reduces the error to less than this share.
const MUCH_SMALLER: f64 = 0.5;

/// Finds the forward axis of a motion whose file states none, by another motion that it is compared
/// with. If an axis other than the usual one of its format brings it much nearer to the other
/// motion, its skeleton gets that axis; returns the index of the motion and the axis. `states`:
/// whether the files state their axes.
///
/// Example: a robot faces +X with Z up, while the BVH file of the same motion states no axes. With
/// the usual axes of BVH, the two would differ by a quarter turn.
pub fn face_alike(clips: &mut [Clip; 2], states: [bool; 2]) -> Option<(usize, SignedAxis)> {
    let unstated = match states {
        [true, false] => 1,
        [false, true] => 0,
        _ => return None,
    };
    let axes = |clip: &Clip| (clip.skeleton().space().up, clip.skeleton().space().forward);
    if axes(&clips[0]) == axes(&clips[1]) {
        return None;
    }
    let facing = |forward: SignedAxis| {
        let clip = &clips[unstated];
        in_space(clip.clone(), Space { forward, ..*clip.skeleton().space() })
    };
    let error = |clip: &Clip| match unstated {
        0 => object_error(clip, &clips[1], 0.0).ok().map(|error| error.rms),
        _ => object_error(&clips[0], clip, 0.0).ok().map(|error| error.rms),
    };
    let usual = error(&clips[unstated])?;
    let up = clips[unstated].skeleton().space().up;
    let axes = [SignedAxis::X, SignedAxis::Y, SignedAxis::Z].into_iter().filter(|axis| axis.axis != up.axis);
    let both = axes.flat_map(|axis| [axis, SignedAxis { negative: true, ..axis }]);
    let errors = both.filter_map(|forward| Some((forward, error(&facing(forward))?)));
    let (forward, least) = errors.min_by(|a, b| a.1.total_cmp(&b.1))?;
    if least >= MUCH_SMALLER * usual || forward == clips[unstated].skeleton().space().forward {
        return None;
    }
    clips[unstated] = facing(forward);
    Some((unstated, forward))
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

/// Brings two motions to the same rate: with `resample`, the second is resampled at the rate of the
/// first, and both are cut to their common frames. Returns whether that was done.
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
