//! Dropouts: a joint whose sensor is lost for a moment has the same rotation in some frames, while the motion continues.
//!
//! Trackers that lose a sensor repeat its last value, or write the identity. A joint that really stops slows down
//! first, and starts again from where it stopped: such a stop has no jump.

use std::ops::Range;

use mocap_analysis::runs;

use super::noise::median;
use super::spikes::Value;

/// A dropout has at least this many equal values ...
const FEWEST: usize = 3;
/// ... and lasts at most this time to be filled by a curve: a longer gap cannot be interpolated from its ends \[s\] ...
pub(super) const LONGEST: f64 = 0.5;
/// ... or at most this time to be filled from example poses and the rest of the body \[s\].
pub(super) const LONGEST_FILLED: f64 = 5.0;
/// Tolerance of equal values.
pub(super) const EQUAL: f64 = 1e-7;
/// A dropout ends with a jump to the current rotation, which is larger than the steps beside it by this factor. A knee
/// at its limit stops too, but starts again without a jump ...
const JUMP: f64 = 1.5;
/// ... and larger than this share of the smallest spike.
const SMALLEST: f64 = 0.5;
/// A jump at the start of a stop, larger than the steps beside it by this factor, shows that the repeated value is
/// false (such as the identity).
const SUDDEN: f64 = 4.0;
/// The jump is at least this share of the motion that the slower one of the speeds beside the dropout would have made:
/// a joint that reverses meanwhile needs a smaller jump.
const MISSED: f64 = 0.35;
/// A stop that lasts longer than this \[s\] is more likely a limit of the joint, and needs the next share.
const BRIEF: f64 = 0.12;
/// As [`MISSED`], for longer stops.
const MISSED_LONG: f64 = 0.8;
/// Number of steps on each side that count as beside a dropout.
const BESIDE: usize = 3;
/// Filling must make the motion smoother by this factor: otherwise the values were right.
const RESTORES: f64 = 2.5;
/// Number of steps on each side that decide whether the joint moves at all.
const AROUND: usize = 8;
/// A joint whose values repeat in more than this share of frames is sampled at a lower rate: its stops are not
/// dropouts.
const OFTEN: f64 = 0.2;
/// With at most this many stops, a joint is not tested for [`OFTEN`].
const FEW: usize = 3;

/// A dropout of one joint.
#[derive(Debug)]
pub(super) struct Stop<T> {
    pub(super) frames: Range<usize>,
    /// The values of a curve from before the dropout to after it.
    pub(super) bridge: Vec<T>,
    /// Whether it lasts longer than [`LONGEST`]: then the speeds beside it do not show whether the joint moved or
    /// rested meanwhile.
    pub(super) is_long: bool,
}

/// The dropouts of up to [`LONGEST_FILLED`].
pub(super) fn dropouts<T: Value>(values: &[T], fps: f64, smallest: f64) -> Vec<Stop<T>> {
    let steps: Vec<f64> = values.windows(2).map(|pair| pair[0].apart(&pair[1])).collect();
    let equal: Vec<bool> = steps.iter().map(|step| *step <= EQUAL).collect();
    let [longest, most] = [LONGEST, LONGEST_FILLED].map(|seconds| (seconds * fps).round() as usize);
    let stops = runs(&equal);
    let short = stops.iter().filter(|run| run.len() <= longest).count();
    if short > FEW && (short * FEWEST) as f64 > OFTEN * steps.len() as f64 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for run in stops.iter().cloned() {
        // Frames `run.start` to `run.end` are equal; their neighbours differ.
        let (first, last) = (run.start, run.end);
        if last + 1 - first < FEWEST
            || last + 1 - first > most.max(FEWEST)
            || first < 2
            || last + 2 >= values.len()
        {
            continue;
        }
        let (before, after) = (first - 1, last + 1);
        let around = [before.saturating_sub(AROUND)..before, after..(after + AROUND).min(steps.len())];
        let mut around: Vec<f64> = around.into_iter().flat_map(|part| steps[part].iter().copied()).collect();
        let greatest = |part: Range<usize>| steps[part].iter().copied().fold(0.0, f64::max);
        let beside = greatest(before.saturating_sub(BESIDE)..before)
            .max(greatest(after..(after + BESIDE).min(steps.len())));
        // A joint that continues from where it stopped was not lost.
        let jump = steps[last];
        if median(&mut around) <= EQUAL || jump < JUMP * beside || jump < SMALLEST * smallest {
            continue;
        }
        let replaced = steps[before] >= SUDDEN * beside;
        let share = if (last - first) as f64 > BRIEF * fps { MISSED_LONG } else { MISSED };
        let missed = share * (last - first) as f64 * steps[before].min(steps[after]);
        let is_long = last + 1 - first > longest.max(FEWEST);
        if !replaced && !is_long && (jump < missed || is_limit(values, &stops, &run)) {
            continue;
        }
        let was = roughness(values, before..after + 1);
        // The first frame of a held value is right; that of an identity is not.
        let filled = [first + 1, first].map(|start| {
            let bridge = bridge(values, start..after);
            let mut repaired = values[..(after + 1 + BESIDE).min(values.len())].to_vec();
            repaired[start..after].copy_from_slice(&bridge);
            (roughness(&repaired, before..after + 1), start, bridge)
        });
        let [held, lost] = filled;
        let (left, start, bridge) = if held.0 <= lost.0 { held } else { lost };
        if was >= RESTORES * left {
            found.push(Stop { frames: start..after, bridge, is_long });
        }
    }
    found
}

/// Whether several stops share a value: a limit of the joint, which it reaches again and again.
fn is_limit<T: Value>(values: &[T], stops: &[Range<usize>], stop: &Range<usize>) -> bool {
    let same = |other: &Range<usize>| values[other.start].apart(&values[stop.start]) <= EQUAL;
    stops.iter().any(|other| other != stop && other.len() + 1 >= FEWEST && same(other))
}

/// The largest distance of frames from the prediction by the two frames on each side.
fn roughness<T: Value>(values: &[T], frames: Range<usize>) -> f64 {
    let off = |frame: usize| {
        let near = [values.get(frame.checked_sub(1)?)?, values.get(frame + 1)?];
        let far = [values.get(frame.checked_sub(2)?)?, values.get(frame + 2)?];
        Some(T::between(near, far).apart(&values[frame]))
    };
    frames.filter_map(off).fold(0.0, f64::max)
}

/// The values of some frames, by the cubic through the two frames on each side.
fn bridge<T: Value>(values: &[T], frames: Range<usize>) -> Vec<T> {
    let (start, after) = (frames.start, frames.end);
    let (near, far) = ([&values[start - 1], &values[after]], [&values[start - 2], &values[after + 1]]);
    (1..=frames.len()).map(|step| T::bridge(near, far, frames.len(), step)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::spikes::SMALLEST;
    use super::*;
    use mocap_model::{UnitQuaternion, Vector3, angle_between, exp};

    fn swing() -> Vec<UnitQuaternion<f64>> {
        (0..90).map(|i| exp(&Vector3::new((f64::from(i) * 0.1).sin(), 0.2, 0.1))).collect()
    }

    #[test]
    fn a_joint_that_is_held_or_at_the_identity_is_found_and_filled() {
        let swing = swing();
        let largest = |repaired: &[UnitQuaternion<f64>]| {
            repaired.iter().zip(&swing).map(|(a, b)| angle_between(a, b)).fold(0.0, f64::max)
        };
        for identity in [true, false] {
            let mut lost = swing.clone();
            let value = if identity { UnitQuaternion::identity() } else { lost[29] };
            lost[30..36].fill(value);
            let was = largest(&lost);
            let found = dropouts(&lost, 60.0, SMALLEST);
            let [Stop { frames, bridge, is_long: false }] = &found[..] else { panic!("{found:?}") };
            // Of a held value, the last measured frame may be part of the dropout.
            assert!(
                frames.end == 36 && (*frames == (30..36) || (!identity && frames.start == 29)),
                "{frames:?}"
            );
            lost[frames.clone()].copy_from_slice(bridge);
            assert!(largest(&lost) < 0.12 * was, "{identity}: {} of {was}", largest(&lost));
        }
    }

    #[test]
    fn joints_that_stop_or_are_seldom_sampled_have_none() {
        let mut rests = swing();
        // At the turning point of a swing, where it is slow.
        let top = rests[16];
        rests[14..19].fill(top);
        assert!(dropouts(&rests, 60.0, SMALLEST).is_empty());
        let seldom: Vec<_> = (0..90).map(|i| swing()[i / 4 * 4]).collect();
        assert!(dropouts(&seldom, 60.0, SMALLEST).is_empty());
        assert!(dropouts(&swing(), 60.0, SMALLEST).is_empty());
        assert!(dropouts(&swing()[..2], 60.0, SMALLEST).is_empty());
    }
}
