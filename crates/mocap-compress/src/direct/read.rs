//! Decodes two neighbouring frames at a time, anywhere in a clip.
//!
//! The places of all numbers follow from one byte for each track of the segment, so only those that the two frames are
//! made from are read. A reader allocates nothing once it exists.

use super::layout::{CODES, Choice, Layout, width_at};
use super::phases::{Phases, READS};
use super::{LEVELS, SEGMENT, length, stored};
use crate::bits::BitReader;
use crate::compose::Composer;
use crate::compressed::Compressed;
use crate::lanes::{LANES, Lane, Vectors};
use crate::range_coder::RangeDecoder;
use crate::segments::{Models, Places, Row, layouts, segment_count};
use crate::window::Window;

/// Three numbers in the bits of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Field {
    widths: [u8; 3],
    /// The bits from the top of a word down to the end of each number.
    shifts: [u8; 3],
    masks: [u32; 3],
    /// What is taken from each number.
    middles: [i32; 3],
    /// All bits.
    all: u8,
}

/// A track in a block.
#[derive(Clone, Debug)]
struct Track {
    /// Group and lane; `None` where nobody asks for the track.
    place: Option<(usize, usize)>,
    /// The first bit in a row, and the numbers there.
    row_bit: usize,
    row: Field,
    /// By level from 1, and code.
    fields: [[Field; CODES]; LEVELS - 1],
    /// Halvings of the steps.
    halved: u8,
}

/// Decodes frames. It keeps the layouts of the block it is in.
#[derive(Debug)]
pub(crate) struct Reader {
    block: Option<usize>,
    /// The segment whose ends are decoded.
    segment: Option<usize>,
    composer: Composer,
    tracks: Vec<Track>,
    phases: Phases,
    /// By group and frame of a segment.
    weights: Vec<[LaneWeights; SEGMENT]>,
    /// Whether some numbers are longer together than a word.
    long: bool,
    places: Places,
    /// The first frame and the last one of the segment.
    ends: Window,
    /// The numbers of one of them, by group.
    starts: Vec<Starts>,
    /// The numbers that two frames are made from, and their steps, by group.
    parts: Vec<Parts>,
    /// The numbers of two frames, by group.
    numbers: [Vec<Vectors>; 2],
}

/// The weights of the numbers of two frames, for tracks side by side.
type LaneWeights = [[Lane; READS]; 2];

/// The numbers of a first frame, of tracks side by side, and their steps.
#[derive(Clone, Copy, Debug)]
struct Starts {
    numbers: [[i32; LANES]; 3],
    scales: Lane,
}

impl Starts {
    const ZERO: Starts = Starts { numbers: [[0; LANES]; 3], scales: [0.0; LANES] };

    /// The numbers in steps of the lattice.
    fn numbers(&self) -> Vectors {
        Vectors(self.numbers.map(|numbers| {
            let mut scaled = self.scales;
            scaled.iter_mut().zip(numbers).for_each(|(scaled, number)| *scaled *= number as f32);
            scaled
        }))
    }
}

/// The numbers that two frames are made from, of tracks side by side, and their steps.
#[derive(Clone, Copy, Debug)]
struct Parts {
    numbers: [[[i32; LANES]; 3]; READS],
    scales: Lane,
}

impl Parts {
    const ZERO: Parts = Parts { numbers: [[[0; LANES]; 3]; READS], scales: [0.0; LANES] };

    /// The numbers of two frames.
    fn sums(&self, weights: &LaneWeights) -> [Vectors; 2] {
        let mut sums = [Vectors::ZERO; 2];
        for axis in 0..3 {
            let mut both = [[0.0; LANES]; 2];
            for (term, numbers) in self.numbers.iter().enumerate() {
                let numbers = numbers[axis].map(|number| number as f32);
                for (sum, weights) in both.iter_mut().zip(weights) {
                    for lane in 0..LANES {
                        sum[lane] += weights[term][lane] * numbers[lane];
                    }
                }
            }
            for (sums, sum) in sums.iter_mut().zip(both) {
                for lane in 0..LANES {
                    sums.0[axis][lane] = sum[lane] * self.scales[lane];
                }
            }
        }
        sums
    }
}

impl Reader {
    /// A reader of the tracks of some joints, of all where none are given.
    pub(crate) fn new(clip: &Compressed, joints: Option<&[bool]>) -> Reader {
        let wanted = |track: &usize| joints.is_none_or(|joints| joints[clip.plan.moving[*track].0]);
        let all = 0..clip.kinds.len();
        let kinds: Vec<_> = all.clone().filter(wanted).map(|track| clip.kinds[track]).collect();
        let composer = Composer::new(&kinds);
        let mut next = 0;
        let tracks = all.map(|track| {
            let place = wanted(&track).then(|| {
                next += 1;
                composer.place(next - 1)
            });
            Track {
                place,
                row_bit: 0,
                row: Field::default(),
                fields: [[Field::default(); CODES]; LEVELS - 1],
                halved: 0,
            }
        });
        let tracks = tracks.collect();
        let groups = composer.groups();
        let mut reader = Reader {
            block: None,
            segment: None,
            ends: composer.window(2),
            composer,
            tracks,
            phases: Phases::new(),
            weights: vec![[[[[0.0; LANES]; READS]; 2]; SEGMENT]; groups],
            long: false,
            starts: vec![Starts::ZERO; groups],
            parts: vec![Parts::ZERO; groups],
            places: Places::default(),
            numbers: [vec![Vectors::ZERO; groups], vec![Vectors::ZERO; groups]],
        };
        if !clip.parts.blocks.is_empty() {
            reader.enter(clip, 0);
        }
        reader
    }

    /// A window of two frames.
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
        self.long = false;
        let mut row_bits = 0;
        let mut next = 0;
        for (kind, track) in clip.kinds.iter().zip(&mut self.tracks) {
            let layout = Layout::code(&mut models, &mut coder, kind.0, &Layout::blank());
            if let Some((group, lane)) = track.place {
                self.composer.put(next, *kind, &layout.head);
                next += 1;
                self.starts[group].scales[lane] = layout.row.scale();
                let weights = self.phases.weights(&layout.head.flat[..LEVELS]);
                for (lanes, weights) in self.weights[group].iter_mut().zip(weights) {
                    for (lanes, weights) in lanes.iter_mut().zip(weights) {
                        lanes.iter_mut().zip(weights).for_each(|(lanes, weight)| lanes[lane] = weight);
                    }
                }
            }
            track.row = Field::of_row(&layout.row);
            track.row_bit = row_bits;
            row_bits += layout.row.bits();
            track.fields = fields(&layout);
            track.halved = layout.halved;
            self.long |= track.fields.iter().flatten().chain([&track.row]).any(|field| field.all > WORD);
        }
        let segments = segment_count(clip.parts.frames_of(block).len(), SEGMENT);
        self.places = Places::new(layouts, row_bits, segments);
        self.block = Some(block);
        self.segment = None;
    }

    /// Decodes a frame of a block and, but for the last one, the frame after it.
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
        match self.long {
            true => self.read::<true>(bytes, segment, first, length),
            false => self.read::<false>(bytes, segment, first, length),
        }
        for place in 0..window.frames {
            match first + place {
                0 => window.copy(place, &self.ends, 0),
                frame if frame == length => window.copy(place, &self.ends, 1),
                frame => {
                    let way = frame as f32 / length as f32;
                    self.composer.along(&self.numbers[place], way, &self.ends, window, place);
                }
            }
        }
    }

    /// Reads the ends of a segment, and the numbers of a frame of it and of the one after it.
    fn read<const LONG: bool>(&mut self, bytes: &[u8], segment: usize, first: usize, length: usize) {
        if self.segment != Some(segment) {
            self.start::<LONG>(bytes, segment, 0);
            self.start::<LONG>(bytes, segment + 1, 1);
            self.segment = Some(segment);
        }
        if first < length && length > 1 {
            self.numbers::<LONG>(bytes, self.places.segment(bytes, segment), first, length);
        }
    }

    /// Decodes a row of first frames into the ends of the segment.
    fn start<const LONG: bool>(&mut self, bytes: &[u8], row: usize, end: usize) {
        let at = self.places.row(row);
        for track in &self.tracks {
            let Some((group, lane)) = track.place else { continue };
            let k = track.row.read::<LONG>(bytes, at + track.row_bit);
            let numbers = &mut self.starts[group].numbers;
            (0..3).for_each(|axis| {
                numbers[axis][lane % LANES] = (k[axis] as i32).wrapping_sub(track.row.middles[axis]);
            });
        }
        for (numbers, starts) in self.numbers[0].iter_mut().zip(&self.starts) {
            *numbers = starts.numbers();
        }
        self.composer.start(&self.numbers[0], end, &mut self.ends);
    }

    /// Reads the numbers of a frame of a segment and of the one after it.
    fn numbers<const LONG: bool>(&mut self, bytes: &[u8], start: usize, frame: usize, length: usize) {
        let counts: [usize; LEVELS] = std::array::from_fn(|level| stored(level.max(1), length));
        let reads = self.phases.reads(frame);
        let [third, fourth] = [reads[3].index, reads[5].index];
        let mut at = (start + 2 * self.tracks.len()) * 8;
        let choices = bytes.get(start..).unwrap_or(&[]);
        for (index, track) in self.tracks.iter().enumerate() {
            let choice = choices.get(2 * index..).and_then(|rest| rest.first_chunk::<2>());
            let choice = Choice::of_bytes(choice.copied().unwrap_or_default());
            let fields = [0, 1, 2, 3].map(|level| &track.fields[level][choice.codes[level] % CODES]);
            let [all_1, all_2, all_3, all_4] = fields.map(|field| usize::from(field.all));
            let at_1 = at;
            let at_2 = at_1 + all_1 * counts[1];
            let at_3 = at_2 + all_2 * counts[2];
            let at_4 = at_3 + all_3 * counts[3];
            at = at_4 + all_4 * counts[4];
            let Some((group, lane)) = track.place else { continue };
            let parts = &mut self.parts[group];
            let mut put = |term: usize, field: &Field, at: usize| {
                let k = field.signed::<LONG>(bytes, at);
                (0..3).for_each(|axis| parts.numbers[term][axis][lane % LANES] = k[axis]);
            };
            put(0, fields[0], at_1);
            put(1, fields[1], at_2);
            put(2, fields[1], at_2 + all_2);
            put(3, fields[2], at_3 + all_3 * third);
            put(4, fields[2], at_3 + all_3 * (third + 1));
            put(5, fields[3], at_4 + all_4 * fourth);
            parts.scales[lane % LANES] = Layout::scale(track.halved, choice.finer);
        }
        // A number that is not there is 0.
        for (term, _) in reads.iter().enumerate().filter(|(_, read)| read.index >= counts[read.level]) {
            self.parts.iter_mut().for_each(|parts| parts.numbers[term] = [[0; LANES]; 3]);
        }
        let [first, next] = &mut self.numbers;
        for (group, parts) in self.parts.iter().enumerate() {
            [first[group], next[group]] = parts.sums(&self.weights[group][frame]);
        }
    }
}

impl Field {
    /// Numbers of these widths, and `behind` (0 or 1) bits that are read with the last one.
    fn new(widths: [u32; 3], behind: u32) -> Field {
        let [a, b, c] = widths;
        let ends = [a, a + b, a + b + c + behind];
        let mask = |width: u32| (1u64 << width) as u32 - 1;
        Field {
            widths: [a, b, c + behind].map(|width| width as u8),
            // Where all is longer than a word, it is not read as one.
            shifts: ends.map(|end| 64u32.saturating_sub(end) as u8),
            masks: [a, b, c + behind].map(mask),
            middles: [0; 3],
            all: ends[2] as u8,
        }
    }

    fn of_row(row: &Row) -> Field {
        Field { middles: row.least.map(i32::wrapping_neg), ..Field::new(row.width, 0) }
    }

    /// Twice a number, of which as many are below 0 as above, and whether all three are odd.
    fn of_level(widths: [u32; 3]) -> Field {
        Field { middles: widths.map(|width| (1i32 << width) >> 1 << 1), ..Field::new(widths, 1) }
    }

    #[inline(always)]
    fn read<const LONG: bool>(&self, bytes: &[u8], at: usize) -> [u32; 3] {
        if LONG && self.all > WORD {
            return self.read_long(bytes, at);
        }
        let word = word(bytes, at / 8) << (at % 8);
        [0, 1, 2].map(|axis| word.wrapping_shr(u32::from(self.shifts[axis])) as u32 & self.masks[axis])
    }

    #[cold]
    fn read_long(&self, bytes: &[u8], at: usize) -> [u32; 3] {
        let mut bits = BitReader::new(bytes, at);
        self.widths.map(|width| bits.take(u32::from(width)))
    }

    #[inline(always)]
    fn signed<const LONG: bool>(&self, bytes: &[u8], at: usize) -> [i32; 3] {
        let [a, b, c] = self.read::<LONG>(bytes, at);
        let odd = c & 1;
        let parts = [2 * a + odd, 2 * b + odd, c];
        [0, 1, 2].map(|axis| parts[axis] as i32 - self.middles[axis])
    }
}

/// The bits that a word holds from any bit of its first byte on.
const WORD: u8 = 57;

/// Eight bytes, the highest first; zeros behind the end.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(chunk) => u64::from_be_bytes(*chunk),
        None => last_word(bytes, at),
    }
}

#[cold]
fn last_word(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or(&[]);
    rest.iter().take(8).zip(0..).fold(0, |word, (byte, place)| word | u64::from(*byte) << (56 - 8 * place))
}

/// The fields of a track by level from 1 and code.
fn fields(layout: &Layout) -> [[Field; CODES]; LEVELS - 1] {
    let mut all = [[Field::default(); CODES]; LEVELS - 1];
    for (below, codes) in all.iter_mut().enumerate() {
        // At code 0 nothing is stored.
        for (code, field) in codes.iter_mut().enumerate().skip(1) {
            *field = Field::of_level(layout.bits[below + 1].map(|bits| width_at(bits, code)));
        }
    }
    all
}
