//! Decodes two neighbouring frames at a time, anywhere in a clip.
//!
//! The positions of all numbers follow from two bytes per track in the segment, so only those on which the two
//! frames depend are read. A reader does not allocate after it is created.

use super::kernels::{Choose, Fetched, LayoutOf, Pair, READS, ReadRows, RowOf, Stored, Sums, WORD, Weights};
use super::layout::Layout;
use super::phases::{PHASES, Phases};
use super::{LEVELS, SEGMENT, length, stored};
use crate::compose::Composer;
use crate::compressed::Compressed;
use crate::lanes::{LANES, Vectors, groups, run};
use crate::range_coder::RangeDecoder;
use crate::segments::{Models, Places, layouts, segment_count};
use crate::track::Moving;
use crate::window::Window;
use fearless_simd::Level;

/// Decodes frames. It keeps the layouts of the current block.
///
/// Groups of lanes hold the wanted tracks first, rotations before translations, without gaps; then the other
/// tracks, of which only the positions in the bits are computed.
#[derive(Debug)]
pub(crate) struct Reader {
    /// What the processor can do.
    level: Level,
    block: Option<usize>,
    /// The segment whose ends are decoded.
    segment: Option<usize>,
    composer: Composer,
    /// By track in the file, its lane.
    lanes: Vec<u32>,
    /// Number of wanted tracks, and how many of them are rotations.
    wanted: [usize; 2],
    phases: &'static Phases,
    /// By lane of the tracks that are wanted.
    flat: Vec<[u8; LEVELS]>,
    /// By group and frame of a segment, if weights of frames are computed.
    weights: Vec<[Weights; SEGMENT]>,
    /// By frame of a segment: whether its weights were computed. A first pose needs those of one frame.
    weighed: [bool; SEGMENT],
    /// Whether numbers may together exceed a word, in segments and in rows.
    long: bool,
    long_rows: bool,
    places: Places,
    /// The first frame and the last one of the segment.
    ends: Window,
    /// By group, how rows store tracks.
    rows: Vec<RowOf>,
    /// By group, how segments store tracks.
    layouts: Vec<LayoutOf>,
    /// By group, how the segment stores them, and their first bits.
    stored: Vec<Stored>,
    starts: Vec<[u32; LANES]>,
    /// Words read for the current frames, by group.
    fetched: Vec<Fetched>,
    /// The numbers of two frames, by group.
    numbers: [Vec<Vectors>; 2],
}

impl Reader {
    /// A reader of the tracks of some joints, of all where none are given.
    pub(crate) fn new(clip: &Compressed, joints: Option<&[bool]>) -> Reader {
        let wanted = |track: usize| joints.is_none_or(|joints| joints[clip.plan.moving[track].0]);
        let all = clip.kinds.len();
        let kinds: Vec<_> = (0..all).filter(|track| wanted(*track)).map(|track| clip.kinds[track]).collect();
        let composer = Composer::new(&kinds);
        let rank = |track: usize| match (wanted(track), clip.kinds[track].0) {
            (true, Moving::Rotation) => 0,
            (true, Moving::Translation) => 1,
            (false, _) => 2,
        };
        let mut order: Vec<usize> = (0..all).collect();
        order.sort_by_key(|track| rank(*track));
        let mut lanes = vec![0; all];
        order.iter().enumerate().for_each(|(lane, track)| lanes[*track] = lane as u32);
        let rotations = order.iter().filter(|track| rank(**track) == 0).count();
        let read = groups(kinds.len());
        let numbers = vec![Vectors::ZERO; composer.groups()];
        let mut reader = Reader {
            level: Level::new(),
            block: None,
            segment: None,
            ends: composer.window(2),
            composer,
            lanes,
            wanted: [kinds.len(), rotations],
            phases: &PHASES,
            flat: vec![[0; LEVELS]; kinds.len()],
            weighed: [false; SEGMENT],
            weights: vec![[[[[0.0; LANES]; READS]; 2]; SEGMENT]; read],
            long: false,
            long_rows: false,
            rows: vec![RowOf::NONE; read],
            layouts: vec![LayoutOf::NONE; groups(all)],
            stored: vec![Stored::NONE; groups(all)],
            starts: vec![[0; LANES]; groups(all)],
            places: Places::default(),
            fetched: vec![Fetched::NONE; read],
            numbers: [numbers.clone(), numbers],
        };
        if !clip.parts.blocks.is_empty() {
            reader.enter(clip, 0);
        }
        reader
    }

    /// Creates a window of two frames.
    pub(crate) fn window(&self) -> Window {
        self.composer.window(2)
    }

    /// Reads the layouts of a block.
    fn enter(&mut self, clip: &Compressed, block: usize) {
        let bytes = &clip.bytes[clip.parts.blocks[block].clone()];
        let layouts = layouts(bytes);
        let mut coder = RangeDecoder::new(layouts);
        let mut models = Models::new();
        self.composer.clear();
        [self.long, self.long_rows] = [false; 2];
        self.weighed = [false; SEGMENT];
        let mut row_bits = 0;
        let mut next = 0;
        for (track, kind) in clip.kinds.iter().enumerate() {
            let layout = Layout::code(&mut models, &mut coder, kind.0, &Layout::blank());
            let lane = self.lanes[track] as usize;
            let (group, lane) = (lane / LANES, lane % LANES);
            self.layouts[group].put(lane, track, &layout);
            if (self.lanes[track] as usize) < self.wanted[0] {
                self.composer.put(next, *kind, &layout.head);
                next += 1;
                self.rows[group].put(lane, row_bits, &layout.row);
                self.flat[self.lanes[track] as usize].copy_from_slice(&layout.head.flat[..LEVELS]);
                self.long |= layout.most_bits() > WORD;
                self.long_rows |= layout.row.bits() > WORD as usize;
            }
            row_bits += layout.row.bits();
        }
        let segments = segment_count(clip.parts.frames_of(block).len(), SEGMENT);
        self.places = Places::new(layouts, row_bits, segments);
        self.block = Some(block);
        self.segment = None;
    }

    /// Decodes a frame of a block and, unless it is the last one, the next frame.
    pub(crate) fn seek(&mut self, clip: &Compressed, block: usize, frame: usize, window: &mut Window) {
        if self.block != Some(block) {
            self.enter(clip, block);
        }
        let frames = clip.parts.frames_of(block);
        let last = frames.len() - 1;
        let segment = (frame / SEGMENT).min(self.places.segments - 1);
        let bytes = &clip.bytes[clip.parts.blocks[block].clone()];
        let length = length(segment, last);
        let first = frame - segment * SEGMENT;
        window.first = frames.start + frame;
        window.frames = 1 + usize::from(first < length);
        if self.segment != Some(segment) {
            self.ends(bytes, segment);
            self.segment = Some(segment);
        }
        if first < length && length > 1 {
            let rest = bytes.get(self.places.segment(bytes, segment)..).unwrap_or(&[]);
            let bits = self.choose(rest, length);
            self.sum(bits, first, length);
            let ways = [first, first + 1].map(|frame| frame as f32 / length as f32);
            let [numbers, next] = &self.numbers;
            self.composer.along([numbers, next], ways, &self.ends, window);
        }
        if first == 0 {
            window.copy(0, &self.ends, 0);
        }
        if length > 0 && first + window.frames > length {
            window.copy(window.frames - 1, &self.ends, 1);
        }
    }

    /// Decodes the rows of the first frames of a segment and of the next one.
    fn ends(&mut self, bytes: &[u8], segment: usize) {
        let [first, next] = [0, 1].map(|more| self.places.row(segment + more));
        let bits = bytes.get(first / 8..).unwrap_or(&[]);
        let starts = [first % 8, first % 8 + (next - first)].map(|start| start as u32);
        let (rows, fetched) = (&self.rows, &mut self.fetched);
        let numbers = self.numbers.each_mut().map(|numbers| &mut numbers[..]);
        match self.long_rows {
            false => run(self.level, ReadRows::<true> { bits, starts, rows, fetched, numbers }),
            true => run(self.level, ReadRows::<false> { bits, starts, rows, fetched, numbers }),
        }
        for end in 0..2 {
            self.part_translations(end);
            self.composer.start(&self.numbers[end], end, &mut self.ends);
        }
    }

    /// Moves the values of translations to the groups in which the composer has them.
    fn part_translations(&mut self, frame: usize) {
        let [wanted, rotations] = self.wanted;
        let gap = groups(rotations) * LANES - rotations;
        let numbers = &mut self.numbers[frame];
        for from in (rotations..wanted).rev() {
            let (to, number) = (from + gap, numbers[from / LANES].get(from % LANES));
            numbers[to / LANES].set(to % LANES, number);
        }
    }

    /// Reads the choices of a segment for each track. Returns the bits that follow.
    fn choose<'a>(&mut self, segment: &'a [u8], length: usize) -> &'a [u8] {
        let (choices, bits) = segment.split_at_checked(2 * self.lanes.len()).unwrap_or((&[], &[]));
        let (choices, _) = choices.as_chunks();
        let counts = counts(length);
        let (layouts, stored, sizes) = (&self.layouts, &mut self.stored, &mut self.starts);
        run(self.level, Choose { choices, counts, layouts, stored, sizes });
        // Sizes become starts.
        let starts = self.starts.as_flattened_mut();
        let mut at = 0u32;
        for lane in &self.lanes {
            let start = &mut starts[*lane as usize];
            let size = *start;
            *start = at;
            at = at.wrapping_add(size);
        }
        bits
    }

    /// Computes the weights for a frame of segments and the next one; at the second call, those for all frames.
    fn weigh(&mut self, frame: usize) {
        let first = self.weighed.iter().all(|weighed| !weighed);
        for (lane, flat) in self.flat.iter().enumerate() {
            let by_frame = &mut self.weights[lane / LANES];
            let mut put = |frame: usize, weights: [[f32; READS]; 2]| {
                for (lanes, weights) in by_frame[frame].iter_mut().zip(weights) {
                    lanes.iter_mut().zip(weights).for_each(|(lanes, weight)| lanes[lane % LANES] = weight);
                }
            };
            if first {
                put(frame, self.phases.weights(frame, flat));
            } else {
                let all = self.phases.all_weights(flat);
                all.into_iter().enumerate().for_each(|(frame, weights)| put(frame, weights));
            }
        }
        match first {
            true => self.weighed[frame] = true,
            false => self.weighed = [true; SEGMENT],
        }
    }

    /// Sums the numbers of a frame of the segment and of the one after it.
    fn sum(&mut self, bits: &[u8], frame: usize, length: usize) {
        if !self.weighed[frame] {
            self.weigh(frame);
        }
        let reads = self.phases.reads(frame);
        let pair = Pair {
            frame,
            counts: counts(length),
            indices: reads.map(|read| read.index as u32),
            there: reads.map(|read| read.index < stored(read.level, length)),
        };
        let pair = &pair;
        let (stored, starts, weights) = (&self.stored, &self.starts, &self.weights);
        let fetched = &mut self.fetched;
        let sums = self.numbers.each_mut().map(|numbers| &mut numbers[..]);
        match self.long {
            false => run(self.level, Sums::<true> { bits, pair, stored, starts, weights, fetched, sums }),
            true => run(self.level, Sums::<false> { bits, pair, stored, starts, weights, fetched, sums }),
        }
        (0..2).for_each(|frame| self.part_translations(frame));
    }
}

/// How many numbers levels from 1 have in a segment of this length.
#[inline(always)]
fn counts(length: usize) -> [u32; LEVELS - 1] {
    std::array::from_fn(|below| stored(below + 1, length) as u32)
}
