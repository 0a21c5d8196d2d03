//! What all segments of a block share, by lanes: samplers of the same joints share it too.

use super::SEGMENT;
use super::kernels::{LayoutOf, RowOf, WORD, Weights};
use super::layout::Layout;
use super::plain::Layouts;
use super::weights::{Flat, put_flat, weigh_all};
use crate::compose::Composer;
use crate::compressed::Compressed;
use crate::lanes::{LANES, groups};
use crate::quat::Quat;
use crate::range_coder::RangeDecoder;
use crate::segments::{Models, Places, layouts, segment_count};
use crate::track::Moving;
use fearless_simd::Level;
use std::sync::{Arc, OnceLock};

/// The layouts of a block.
///
/// Groups of lanes hold the wanted tracks first, rotations before translations, without gaps; then the other
/// tracks, of which only the positions in the bits are computed.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(super) block: usize,
    pub(super) composer: Composer,
    /// By track in the file, its lane.
    pub(super) lanes: Vec<u32>,
    /// Number of wanted tracks, and how many of them are rotations.
    pub(super) wanted: [usize; 2],
    /// By group, the flatness of the tracks that are wanted.
    pub(super) flat: Vec<Flat>,
    /// Whether numbers may together exceed a word, in segments and in rows.
    pub(super) long: bool,
    pub(super) long_rows: bool,
    pub(super) places: Places,
    /// By group, how rows store tracks.
    pub(super) rows: Vec<RowOf>,
    /// By group, how segments store tracks.
    pub(super) layouts: Vec<LayoutOf>,
    /// The weights for all frames of segments, frame by frame and group by group, once they are needed.
    weights: OnceLock<Vec<Weights>>,
}

impl Tables {
    /// The tables of all tracks in a block. The clip keeps those of the last one.
    pub(super) fn of_all(clip: &Compressed, block: usize) -> Arc<Tables> {
        let mut kept = clip.tables.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match &*kept {
            Some(tables) if tables.block == block => tables.clone(),
            _ => kept.insert(Arc::new(Tables::new(clip, None, block))).clone(),
        }
    }

    /// The tables of the tracks of some joints in a block, of all where none are given.
    pub(super) fn new(clip: &Compressed, joints: Option<&[bool]>, block: usize) -> Tables {
        let all = clip.kinds.len();
        let wanted = |track: usize| joints.is_none_or(|joints| joints[clip.plan.moving[track].0]);
        // Wanted rotations, wanted translations, the others.
        let class = |track: usize| match (wanted(track), clip.kinds[track].0) {
            (true, Moving::Rotation) => 0,
            (true, Moving::Translation) => 1,
            (false, _) => 2,
        };
        let mut counts = [0u32; 3];
        (0..all).for_each(|track| counts[class(track)] += 1);
        let mut next = [0, counts[0], counts[0] + counts[1]];
        let place = |track: usize| {
            let lane = &mut next[class(track)];
            *lane += 1;
            *lane - 1
        };
        let lanes: Vec<u32> = (0..all).map(place).collect();
        let composer = match joints {
            None => Composer::of_paths(&clip.kinds),
            Some(_) => {
                let kinds = (0..all).filter(|track| wanted(*track)).map(|track| clip.kinds[track]);
                Composer::of_paths(&kinds.collect::<Vec<_>>())
            }
        };
        let [rotations, translations] = [counts[0] as usize, counts[1] as usize];
        let read = groups(rotations + translations);
        let bytes = &clip.bytes[clip.parts.blocks[block].clone()];
        let layouts = layouts(bytes);
        let segments = segment_count(clip.parts.frames_of(block).len(), SEGMENT);
        let mut tables = Tables {
            block,
            composer,
            lanes,
            wanted: [rotations + translations, rotations],
            flat: vec![Flat::default(); read],
            long: false,
            long_rows: false,
            places: Places::default(),
            rows: vec![RowOf::NONE; read],
            layouts: vec![LayoutOf::NONE; groups(all)],
            weights: OnceLock::new(),
        };
        let row_bits = match clip.parts.plain {
            true => {
                let mut read = Layouts::new(layouts);
                tables.fill(&clip.kinds, |moving| read.next(moving))
            }
            false => {
                let (mut coder, mut models) = (RangeDecoder::new(layouts), Models::new());
                tables.fill(&clip.kinds, |moving| Layout::read(&mut models, &mut coder, moving))
            }
        };
        tables.places = Places::new(layouts, row_bits, segments);
        tables
    }

    /// Takes the layouts of all tracks. Returns the bits of a row.
    fn fill(&mut self, kinds: &[(Moving, Quat)], mut layout: impl FnMut(Moving) -> Layout) -> usize {
        let mut row_bits = 0;
        let mut next = 0;
        for (track, kind) in kinds.iter().enumerate() {
            let layout = layout(kind.0);
            let lane = self.lanes[track] as usize;
            let (group, at) = (lane / LANES, lane % LANES);
            self.layouts[group].put(at, track, &layout);
            if lane < self.wanted[0] {
                self.composer.put_start(next, *kind, &layout.start);
                next += 1;
                self.rows[group].put(at, row_bits, &layout.row);
                put_flat(&mut self.flat[group], at, &layout.flat);
                self.long |= layout.most_bits() > WORD;
                self.long_rows |= layout.row.bits() > WORD as usize;
            }
            row_bits += layout.row.bits();
        }
        row_bits
    }

    /// The weights for a frame of segments and the next one, by group.
    pub(super) fn weights(&self, level: Level, frame: usize) -> &[Weights] {
        let all = self.weights.get_or_init(|| weigh_all(level, &self.flat));
        &all[frame * self.flat.len()..][..self.flat.len()]
    }
}
