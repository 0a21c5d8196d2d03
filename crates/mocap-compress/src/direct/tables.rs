//! What all segments of a block share, by lanes. Samplers of all joints share it, too.

use super::SEGMENT;
use super::group::{Group, Track};
use super::kernels::Weights;
use super::layout::Layout;
use super::plain::Layouts;
use super::weights::{Flat, put_flat, weigh};
use crate::compressed::Compressed;
use crate::lanes::{LANES, groups};
use crate::range_coder::RangeDecoder;
use crate::segments::{Models, Places, layouts, segment_count};
use crate::track::Moving;
use fearless_simd::Level;
use std::sync::OnceLock;

/// The layouts of a block.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(super) groups: Vec<Group>,
    /// By group, the flatness of the tracks.
    flat: Vec<Flat>,
    /// Whether no number and no vector is so large that it needs care.
    pub(super) plain: bool,
    pub(super) places: Places,
    /// The weights for a frame of segments and the next one, by group: those that a first pose needed, which does not
    /// wait for others, and all, frame by frame.
    first: OnceLock<(usize, Box<[Weights]>)>,
    weights: OnceLock<Box<[Weights]>>,
}

impl Tables {
    /// The tables of all tracks in a block, in the order of the file. The clip keeps them.
    pub(super) fn of_all(clip: &Compressed, block: usize) -> &Tables {
        clip.tables[block].get_or_init(|| Tables::new(clip, block, clip.kinds.len(), Some))
    }

    /// The tables of `count` tracks in a block. `lane` gives each track of the file its place among them.
    pub(super) fn new(
        clip: &Compressed,
        block: usize,
        count: usize,
        lane: impl Fn(usize) -> Option<usize>,
    ) -> Tables {
        let layouts = layouts(&clip.bytes[clip.parts.blocks[block].clone()]);
        let mut tables = Tables {
            groups: vec![Group::NONE; groups(count)],
            flat: vec![Flat::default(); groups(count)],
            plain: true,
            places: Places::default(),
            first: OnceLock::new(),
            weights: OnceLock::new(),
        };
        let row_bits = match clip.parts.plain {
            true => {
                let mut read = Layouts::new(layouts);
                tables.fill(clip, lane, |moving| read.next(moving))
            }
            false => {
                let (mut coder, mut models) = (RangeDecoder::new(layouts), Models::new());
                tables.fill(clip, lane, |moving| Layout::read(&mut models, &mut coder, moving))
            }
        };
        let segments = segment_count(clip.parts.frames_of(block).len(), SEGMENT);
        tables.places = Places::new(layouts, row_bits, segments);
        tables
    }

    /// Takes the layouts of tracks. Returns the bits of a row.
    fn fill(
        &mut self,
        clip: &Compressed,
        lane: impl Fn(usize) -> Option<usize>,
        mut layout: impl FnMut(Moving) -> Layout,
    ) -> usize {
        let mut row_bits = 0;
        for (track, kind) in clip.kinds.iter().enumerate() {
            let layout = layout(kind.0);
            if let Some(lane) = lane(track) {
                let (group, at) = (lane / LANES, lane % LANES);
                let (place, joint) = (track, clip.plan.moving[track].0);
                let track = Track { place, joint, moving: kind.0, rest: kind.1 };
                self.groups[group].put(at, track, &layout, row_bits);
                put_flat(&mut self.flat[group], at, &layout.flat);
                self.plain &= layout.is_plain(kind.0);
            }
            row_bits += layout.row.bits();
        }
        row_bits
    }

    /// The weights for a frame of segments and the next one, by group.
    pub(super) fn weights(&self, level: Level, frame: usize) -> &[Weights] {
        if self.weights.get().is_none() && self.first.get().is_none() {
            let (of, first) = self.first.get_or_init(|| (frame, weigh(level, frame..frame + 1, &self.flat)));
            // Another thread may have been faster.
            if *of == frame {
                return first;
            }
        }
        let all = self.weights.get_or_init(|| weigh(level, 0..SEGMENT, &self.flat));
        &all[frame * self.flat.len()..][..self.flat.len()]
    }
}
