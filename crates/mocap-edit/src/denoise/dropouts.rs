//! Dropouts: a joint stops for a moment while its motion goes on, at its last rotation or at none at all.
//!
//! Trackers that lose a sensor repeat its last value, or write the identity. A joint that really stops slows down
//! first, and starts again from where it stopped: such a stop has no jump.

use std::ops::Range;

use mocap_analysis::runs;

use super::noise::median;
use super::spikes::Value;

/// A dropout has at least this many equal values ...
const FEWEST: usize = 3;
/// ... and lasts at most this time: a longer gap cannot be guessed \[s\].
const LONGEST: f64 = 0.5;
/// Values this near to each other are equal.
const EQUAL: f64 = 1e-7;
/// The jump out of a dropout is larger than all steps around it by this factor: it makes up for what was missed.
/// A knee that is stretched to its limit stops, but starts again without a jump ...
const JUMP: f64 = 2.5;
/// ... and than this share of the smallest spike.
const SMALLEST: f64 = 0.5;
/// The steps to each side that show the usual ones.
const AROUND: usize = 8;
/// A joint whose values repeat this often is not sampled in every frame: its stops are no dropouts.
const OFTEN: f64 = 0.2;

/// The frames of each dropout, with the values that lead over it.
pub(super) fn dropouts<T: Value>(values: &[T], fps: f64, smallest: f64) -> Vec<(Range<usize>, Vec<T>)> {
    let steps: Vec<f64> = values.windows(2).map(|pair| pair[0].apart(&pair[1])).collect();
    let equal: Vec<bool> = steps.iter().map(|step| *step <= EQUAL).collect();
    if equal.iter().filter(|equal| **equal).count() as f64 > OFTEN * steps.len() as f64 {
        return Vec::new();
    }
    let longest = (LONGEST * fps).round() as usize;
    let mut found = Vec::new();
    for run in runs(&equal) {
        // Frames run.start to run.end are equal, and lie between two that are not.
        let (first, last) = (run.start, run.end);
        if last + 1 - first < FEWEST
            || last + 1 - first > longest.max(FEWEST)
            || first < 2
            || last + 2 >= values.len()
        {
            continue;
        }
        let (before, after) = (first - 1, last + 1);
        let beside = [before.saturating_sub(AROUND)..before, after..(after + AROUND).min(steps.len())];
        let mut around: Vec<f64> = beside.into_iter().flat_map(|part| steps[part].iter().copied()).collect();
        let largest = around.iter().copied().fold(0.0, f64::max);
        let jumps = [steps[before], steps[last]];
        // A joint that goes on from where it stopped has missed nothing.
        let jump = jumps[1];
        if median(&mut around) <= EQUAL || jump < JUMP * largest || jump < SMALLEST * smallest {
            continue;
        }
        // A joint that is held was right when it stopped; one at the identity never was.
        let start = if jumps[0] < JUMP * largest { first + 1 } else { first };
        let (near, far) = ([&values[start - 1], &values[after]], [&values[start - 2], &values[after + 1]]);
        let count = after - start;
        let bridge = (1..=count).map(|step| T::bridge(near, far, count, step));
        found.push((start..after, bridge.collect()));
    }
    found
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
            let [(frames, bridge)] = &found[..] else { panic!("{found:?}") };
            assert_eq!(*frames, 30..36, "{identity}");
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
