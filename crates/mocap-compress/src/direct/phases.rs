//! The numbers of a segment on which a frame depends, and their weights.
//!
//! Predictions are sums, and so are predictions from predictions: a frame is a weighted sum of the numbers
//! stored for it and for the frames that it depends on.

use super::SEGMENT;
use super::kernels::READS;
use crate::hierarchy::{Node, Reach, schedule};
#[cfg(feature = "encode")]
use crate::track::FLATNESS;
use std::sync::LazyLock;

/// A number of a segment: its level, and its index in that level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) level: usize,
    pub(super) index: usize,
}

/// For each frame of a segment: the numbers on which it and the next frame depend.
#[derive(Clone, Debug)]
pub(super) struct Phases {
    #[cfg(feature = "encode")]
    nodes: Vec<Node>,
    /// By the first of two frames: indices of nodes.
    #[cfg(feature = "encode")]
    pairs: [[usize; READS]; SEGMENT],
    reads: [[Read; READS]; SEGMENT],
    terms: [Terms; SEGMENT],
}

/// How two neighbouring frames follow from the numbers on which they depend.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// By number: its frame.
    pub(super) of: [Term; READS],
    /// The places among these of both frames; [`NONE`] for an end of the segment.
    pub(super) frames: [u8; 2],
}

/// The frame of a number, and how it is predicted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    /// Its level after the first one: frames of level 1 are not predicted from others.
    pub(super) flat: usize,
    /// The places of its taps among the numbers on which both frames depend; [`NONE`] for ends and none.
    pub(super) taps: [u8; 4],
    pub(super) cubic: [f32; 4],
    pub(super) linear: [f32; 4],
}

/// No place.
pub(super) const NONE: u8 = READS as u8;

/// Those of all segments.
pub(super) static PHASES: LazyLock<Phases> = LazyLock::new(Phases::new);

/// The weights of the numbers of two frames.
#[cfg(feature = "encode")]
pub(super) type Weights = [[f32; READS]; 2];

impl Phases {
    fn new() -> Phases {
        let nodes: Vec<Node> = schedule(SEGMENT as u32 + 1, SEGMENT as u32, Reach::Segment)
            .into_iter()
            .filter(|node| node.level > 0)
            .collect();
        let mut needs = [0u32; SEGMENT + 1];
        for (at, node) in nodes.iter().enumerate() {
            let taps = node.taps.iter().fold(0, |needed, tap| needed | needs[*tap as usize]);
            needs[node.frame as usize] = taps | 1 << at;
        }
        let mut pairs = [[0; READS]; SEGMENT];
        for (frame, places) in pairs.iter_mut().enumerate() {
            let needed = needs[frame] | needs[frame + 1];
            let needed = (0..nodes.len()).filter(|at| needed >> at & 1 == 1);
            places.iter_mut().zip(needed).for_each(|(place, at)| *place = at);
        }
        let reads = pairs.map(|places| places.map(|at| read_of(&nodes[at])));
        let terms = std::array::from_fn(|frame| terms(&nodes, &pairs[frame], frame as u32));
        Phases {
            #[cfg(feature = "encode")]
            nodes,
            #[cfg(feature = "encode")]
            pairs,
            reads,
            terms,
        }
    }

    /// How a frame and the next one follow from the numbers on which they depend.
    pub(super) fn terms(&self, frame: usize) -> &Terms {
        &self.terms[frame]
    }

    /// The numbers on which a frame and the next one depend.
    pub(super) fn reads(&self, frame: usize) -> [Read; READS] {
        self.reads[frame]
    }

    /// The frames between the ends of a segment, in coding order.
    #[cfg(feature = "encode")]
    pub(super) fn frames(&self) -> impl Iterator<Item = (usize, Read)> + '_ {
        self.nodes.iter().map(|node| (node.frame as usize, read_of(node)))
    }

    /// Weights for all pairs of frames, for a track of this flatness.
    #[cfg(feature = "encode")]
    pub(super) fn all_weights(&self, flat: &[u8]) -> [Weights; SEGMENT] {
        // By frame, the weights of the numbers of all nodes.
        let mut sums = [[0.0f64; SEGMENT]; SEGMENT + 1];
        for (at, node) in self.nodes.iter().enumerate() {
            let flat = FLATNESS[usize::from(flat[usize::from(node.level)])];
            let mut sum = [0.0; SEGMENT];
            for (tap, weight) in node.taps.iter().zip(node.weights(flat)) {
                for (sum, part) in sum.iter_mut().zip(sums[*tap as usize]) {
                    *sum += f64::from(weight) * part;
                }
            }
            sum[at] = 1.0;
            sums[node.frame as usize] = sum;
        }
        std::array::from_fn(|frame| {
            [frame, frame + 1].map(|next| self.pairs[frame].map(|at| sums[next][at] as f32))
        })
    }
}

fn terms(nodes: &[Node], pair: &[usize; READS], frame: u32) -> Terms {
    let place = |frame: u32| {
        let place = pair.iter().position(|at| nodes[*at].frame == frame);
        place.map_or(NONE, |place| place as u8)
    };
    let of = pair.map(|at| {
        let node = &nodes[at];
        let flat = usize::from(node.level.saturating_sub(2));
        Term { flat, taps: node.taps.map(place), cubic: node.cubic, linear: node.linear }
    });
    Terms { of, frames: [place(frame), place(frame + 1)] }
}

fn read_of(node: &Node) -> Read {
    let level = usize::from(node.level);
    Read { level, index: node.frame as usize / (2 * (SEGMENT >> level)) }
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use super::super::{LEVELS, stored};
    use super::*;

    #[test]
    fn a_frame_is_its_prediction_and_its_own_number() {
        let phases = Phases::new();
        let flat = [1u8, 3, 0, 2, 5];
        assert_eq!(flat.len(), LEVELS);
        let weights = phases.all_weights(&flat);
        // Any numbers: put frames together one by one, and by weights.
        let number = |read: Read| ((read.level * 7 + read.index * 3) % 11) as f64 - 5.0;
        let mut values = [0.0f64; SEGMENT + 1];
        for node in &phases.nodes {
            let taps =
                node.taps.iter().zip(node.weights(FLATNESS[usize::from(flat[usize::from(node.level)])]));
            let predicted: f64 = taps.map(|(tap, weight)| f64::from(weight) * values[*tap as usize]).sum();
            values[node.frame as usize] = predicted + number(read_of(node));
        }
        for frame in 0..SEGMENT {
            let reads = phases.reads(frame);
            assert_eq!(reads.map(|read| read.level), [1, 2, 2, 3, 3, 4]);
            assert_eq!([reads[1].index, reads[4].index], [0, reads[3].index + 1]);
            for next in 0..2 {
                let terms = reads.iter().zip(weights[frame][next]);
                let sum: f64 = terms.map(|(read, weight)| number(*read) * f64::from(weight)).sum();
                assert!((sum - values[frame + next]).abs() < 1e-4, "{frame} {next}");
            }
        }
    }

    #[test]
    fn every_frame_between_has_a_number() {
        let phases = Phases::new();
        let mut seen = [0; LEVELS];
        for node in &phases.nodes {
            let read = read_of(node);
            assert_eq!(read.index, seen[read.level]);
            seen[read.level] += 1;
        }
        for length in 1..=SEGMENT {
            let all: usize = (1..LEVELS).map(|level| stored(level, length)).sum();
            assert_eq!(all, length - 1);
        }
        assert!((1..LEVELS).all(|level| stored(level, SEGMENT) == seen[level]));
    }
}
