//! Decodes two neighbouring frames at a time, anywhere in a clip.
//!
//! The positions of all numbers follow from two bytes per track in the segment, so only those on which the two
//! frames depend are read. Nothing is kept from one pose to the next: the tables are those of the clip.

use super::kernels::{Decode, Pair, Place, Segment, Sink, Starts, run};
use super::phases::PHASES;
use super::sinks::{Between, One, ToPose, ToWindow};
use super::tables::Tables;
use super::{SEGMENT, length, stored};
use crate::compressed::Compressed;
use crate::lanes::{LANES, groups};
use crate::sampler::Transform;
use crate::track::Moving;
use crate::window::{LaneJoints, Window};
use fearless_simd::Level;
use std::ops::Range;
use std::sync::LazyLock;

/// A frame of a block, and the one after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) block: usize,
    pub(crate) frame: usize,
}

/// Decodes frames.
#[derive(Debug)]
pub(crate) struct Reader {
    /// What the processor can do.
    level: Level,
    /// Of a reader of some joints.
    subset: Option<Box<Subset>>,
}

impl Reader {
    /// A reader of the tracks of some joints, of all where none are given.
    pub(crate) fn new(clip: &Compressed, joints: Option<&[bool]>) -> Reader {
        Reader { level: Level::new(), subset: joints.map(|joints| Box::new(Subset::new(clip, joints))) }
    }

    /// The joints of the lanes: of rotations, and of translations.
    pub(crate) fn joints(&self, clip: &Compressed) -> [Vec<LaneJoints>; 2] {
        let lane = |track: usize| match &self.subset {
            Some(subset) => subset.lanes[track],
            None => Some(track),
        };
        [Moving::Rotation, Moving::Translation].map(|kind| {
            let tracks = clip.plan.moving.iter().enumerate().filter(|(_, (_, of))| *of == kind);
            LaneJoints::of(tracks.filter_map(|(track, (joint, _))| Some((lane(track)?, *joint))))
        })
    }

    /// Creates a window of two frames.
    pub(crate) fn window(&self, clip: &Compressed) -> Window {
        let tracks = self.subset.as_ref().map_or(clip.kinds.len(), |subset| subset.wanted);
        Window::new([groups(tracks); 2], 2)
    }

    /// Decodes a frame and, unless it is the last one of its block, the next frame.
    pub(crate) fn seek(&mut self, clip: &Compressed, at: At, window: &mut Window) {
        let frames = clip.parts.frames_of(at.block);
        window.first = frames.start + at.frame;
        window.frames = 1 + usize::from(at.frame + 1 < frames.len());
        self.decode(clip, at, 0..usize::MAX, ToWindow { window });
    }

    /// Puts the values between a frame and the next one into a pose.
    pub(crate) fn between(&mut self, clip: &Compressed, at: At, t: f32, pose: &mut [Transform]) {
        self.decode(clip, at, 0..usize::MAX, Between { t, pose });
    }

    /// Puts a frame into a pose. Where there is a `t`, the values between those of the pose and the frame.
    pub(crate) fn frame(&mut self, clip: &Compressed, at: At, t: Option<f32>, pose: &mut [Transform]) {
        self.decode(clip, at, 0..usize::MAX, ToPose { t, pose });
    }

    /// Puts one joint of a frame into a transform.
    pub(crate) fn joint(&mut self, clip: &Compressed, at: At, joint: usize, transform: &mut Transform) {
        let moving = &clip.plan.moving;
        let [first, end] =
            [joint, joint + 1].map(|joint| moving.partition_point(|(before, _)| *before < joint));
        self.decode(clip, at, first / LANES..groups(end), One { joint: joint as u32, transform });
    }

    /// Decodes a frame and the next one for some groups.
    fn decode(&mut self, clip: &Compressed, at: At, wanted: Range<usize>, sink: impl Sink) {
        if clip.parts.blocks.is_empty() {
            return;
        }
        let level = self.level;
        let all = Tables::of_all(clip, at.block);
        let bytes = &clip.bytes[clip.parts.blocks[at.block].clone()];
        let segment = (at.frame / SEGMENT).min(all.places.segments - 1);
        let length = length(segment, clip.parts.frames_of(at.block).len() - 1);
        let first = at.frame - segment * SEGMENT;
        let rest = bytes.get(all.places.segment(bytes, segment)..).unwrap_or(&[]);
        let (bits, choices) = match rest.get(2 * clip.kinds.len()..) {
            Some(bits) => (bits, rest.as_chunks().0),
            None => (&[][..], &[][..]),
        };
        let of_all = Segment { pair: pair(first, length), choices, bits, starts: None };
        let (tables, segment_of) = match &mut self.subset {
            None => (all, of_all),
            Some(subset) => subset.enter(level, clip, all, at.block, of_all),
        };
        let [row, next] = [0, 1].map(|more| all.places.row(segment + more));
        let (groups, segment) = (&tables.groups[..], segment_of);
        let weights = tables.weights(level, first % SEGMENT);
        let places = [first, first + 1].map(|frame| Place::new(frame, length));
        let rows = bytes.get(row / 8..).unwrap_or(&[]);
        let row_starts = [row % 8, row % 8 + (next - row)].map(|start| start as u32);
        match tables.plain {
            true => run(
                level,
                Decode::<_, true> { groups, wanted, weights, places, rows, row_starts, segment, sink },
            ),
            false => run(
                level,
                Decode::<_, false> { groups, wanted, weights, places, rows, row_starts, segment, sink },
            ),
        }
    }
}

/// Positions of the numbers for a frame of a segment and the next one.
fn pair(first: usize, length: usize) -> Pair {
    // All but the last segment have the same length.
    static WHOLE: LazyLock<[Pair; SEGMENT]> =
        LazyLock::new(|| std::array::from_fn(|first| new_pair(first, SEGMENT)));
    if length == SEGMENT { WHOLE[first % SEGMENT] } else { new_pair(first, length) }
}

fn new_pair(first: usize, length: usize) -> Pair {
    let reads = PHASES.reads(first % SEGMENT);
    Pair {
        counts: std::array::from_fn(|below| stored(below + 1, length) as u32),
        indices: reads.map(|read| read.index as u32),
        there: reads.map(|read| read.index < stored(read.level, length)),
    }
}

/// Some of the tracks, and what a block and a segment have for them.
#[derive(Debug)]
struct Subset {
    /// By track in the file, its lane: rotations before translations, so that few groups have both.
    lanes: Vec<Option<usize>>,
    wanted: usize,
    /// Those of the current block.
    tables: Option<(usize, Tables)>,
    /// By track in the file, its first bit in a segment.
    starts: Vec<[u32; LANES]>,
}

impl Subset {
    fn new(clip: &Compressed, joints: &[bool]) -> Subset {
        let mut lanes = vec![None; clip.kinds.len()];
        let mut wanted = 0;
        for kind in [Moving::Rotation, Moving::Translation] {
            for (lane, (joint, of)) in lanes.iter_mut().zip(&clip.plan.moving) {
                if *of == kind && joints[*joint] {
                    *lane = Some(wanted);
                    wanted += 1;
                }
            }
        }
        Subset { starts: vec![[0; LANES]; groups(lanes.len())], lanes, wanted, tables: None }
    }

    /// The tables of a block, and a segment with the first bits of its tracks.
    fn enter<'a>(
        &'a mut self,
        level: Level,
        clip: &Compressed,
        all: &Tables,
        block: usize,
        segment: Segment<'a>,
    ) -> (&'a Tables, Segment<'a>) {
        run(level, Starts { groups: &all.groups, segment, starts: &mut self.starts });
        if self.tables.as_ref().is_none_or(|(of, _)| *of != block) {
            self.tables = None;
        }
        let (lanes, wanted) = (&self.lanes, self.wanted);
        let (_, tables) = self
            .tables
            .get_or_insert_with(|| (block, Tables::new(clip, block, wanted, |track| lanes[track])));
        (tables, Segment { starts: Some(self.starts.as_flattened()), ..segment })
    }
}
