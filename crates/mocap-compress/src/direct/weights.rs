//! The weights of the numbers of two neighbouring frames, for eight tracks in parallel lanes.

use super::LEVELS;
use super::kernels::{READS, Weights};
use super::phases::{NONE, PHASES, Terms};
use crate::lanes::{Kernel, LANES, Lane, run};
use crate::track::FLATNESS;
use fearless_simd::Level;
use std::ops::Range;

/// Flatness of tracks side by side, by level after the first one.
pub(super) type Flat = [Lane; LEVELS - 2];

/// Takes the flatness of a track, by level.
pub(super) fn put_flat(flat: &mut Flat, lane: usize, levels: &[u8]) {
    for (lanes, index) in flat.iter_mut().zip(&levels[2..]) {
        lanes[lane] = FLATNESS[usize::from(*index) % FLATNESS.len()];
    }
}

/// The weights for frames of segments and the ones after them, frame by frame and group by group.
pub(super) fn weigh(level: Level, frames: Range<usize>, flat: &[Flat]) -> Box<[Weights]> {
    let mut weights: Box<[Weights]> = vec![[[[0.0; LANES]; READS]; 2]; frames.len() * flat.len()].into();
    for (frame, weights) in frames.zip(weights.chunks_exact_mut(flat.len().max(1))) {
        run(level, Weigh { terms: PHASES.terms(frame), flat, weights });
    }
    weights
}

/// [`weigh`].
struct Weigh<'a> {
    terms: &'a Terms,
    flat: &'a [Flat],
    weights: &'a mut [Weights],
}

impl Kernel for Weigh<'_> {
    #[inline(always)]
    fn run(self) {
        let Weigh { terms, flat, weights } = self;
        for (flat, weights) in flat.iter().zip(weights) {
            // By frame, the weights of the numbers; those of an end are 0.
            let mut sums = [[[0.0f64; LANES]; READS]; READS + 1];
            for own in 0..READS {
                let term = &terms.of[own];
                let flat = &flat[term.flat % flat.len()];
                let mut sum = [[0.0f64; LANES]; READS];
                for tap in 0..4 {
                    if term.taps[tap] == NONE {
                        continue;
                    }
                    let from = &sums[usize::from(term.taps[tap]) % READS];
                    let [cubic, linear] = [term.cubic[tap], term.linear[tap]];
                    let mut weight = [0.0f64; LANES];
                    for lane in 0..LANES {
                        weight[lane] = f64::from(cubic + flat[lane] * (linear - cubic));
                    }
                    // A number depends on none behind it.
                    for part in 0..own {
                        for lane in 0..LANES {
                            sum[part][lane] += weight[lane] * from[part][lane];
                        }
                    }
                }
                sum[own] = [1.0; LANES];
                sums[own] = sum;
            }
            for next in 0..2 {
                let sums = &sums[usize::from(terms.frames[next].min(NONE))];
                for part in 0..READS {
                    for lane in 0..LANES {
                        weights[next][part][lane] = sums[part][lane] as f32;
                    }
                }
            }
        }
    }
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use super::super::SEGMENT;
    use super::super::layout::MOST_WEIGHT;
    use super::*;

    #[test]
    fn lanes_have_the_weights_of_their_tracks() {
        // All kinds of flatness of each level.
        let levels: Vec<[u8; LEVELS]> =
            (0..19).map(|track: u8| [1, 1, track % 8, track * 3 % 8, track * 5 % 8]).collect();
        let mut flat = vec![[[0.0; LANES]; LEVELS - 2]; 3];
        for (track, levels) in levels.iter().enumerate() {
            put_flat(&mut flat[track / LANES], track % LANES, levels);
        }
        let all = weigh(Level::new(), 0..SEGMENT, &flat);
        for (track, levels) in levels.iter().enumerate() {
            let wanted = PHASES.all_weights(levels);
            for frame in 0..SEGMENT {
                let found = &all[frame * flat.len() + track / LANES];
                let found = found.map(|numbers| numbers.map(|lanes| lanes[track % LANES]));
                let bits = |weights: [[f32; READS]; 2]| weights.map(|numbers| numbers.map(f32::to_bits));
                assert_eq!(bits(found), bits(wanted[frame]), "track {track}, frame {frame}");
            }
        }
    }

    #[test]
    fn weights_are_bounded() {
        let mut most = 0.0f32;
        for flat in 0..512u16 {
            let [a, b, c] = [flat / 64, flat / 8 % 8, flat % 8].map(|index| index as u8);
            for weights in PHASES.all_weights(&[1, 1, a, b, c]).as_flattened() {
                most = most.max(weights.iter().map(|weight| weight.abs()).sum());
            }
        }
        assert!(most > 2.0 && most <= MOST_WEIGHT, "{most}");
    }
}
