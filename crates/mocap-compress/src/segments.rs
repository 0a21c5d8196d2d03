//! Blocks of segments, which the profiles `runtime` and `direct` share.
//!
//! A block has four parts: the layouts of its tracks (range coded), rows with the first frames of segments in
//! fixed widths, the offsets of segments, and the segments. Each row and each segment can be located without
//! reading others.

use crate::lattice::{FINEST, Residual, power_of_half};
use crate::range_coder::BitCoder;
use crate::small_numbers::SmallNumbers;
use crate::track::HeadModel;

#[cfg(feature = "encode")]
use crate::bits::BitWriter;

/// The widest number of a row.
pub(crate) const WIDEST: i32 = 28;

/// The number of segments of a block, each of this many frames but for the last one.
pub(crate) fn segment_count(frames: usize, length: usize) -> usize {
    (frames.max(2) - 1).div_ceil(length)
}

/// The models of layouts: those of heads, and those of the numbers after them.
pub(crate) struct Models {
    pub(crate) heads: HeadModel,
    numbers: [SmallNumbers; 4],
}

/// Indices of the models for the numbers after a head.
const HALVINGS: usize = 0;
const LEAST: usize = 1;
const WIDTH: usize = 2;
const LEVEL: usize = 3;

impl Models {
    pub(crate) fn new() -> Models {
        Models { heads: HeadModel::new(), numbers: [SmallNumbers::new(); 4] }
    }

    /// Codes the number of halvings of steps.
    pub(crate) fn halvings<C: BitCoder>(&mut self, coder: &mut C, wanted: u8) -> u8 {
        self.numbers[HALVINGS].code(coder, i32::from(wanted)).clamp(0, i32::from(FINEST)) as u8
    }

    /// Codes three numbers for each level from 1 on; those of level 0 are 0.
    pub(crate) fn levels<C: BitCoder, const LEVELS: usize>(
        &mut self,
        coder: &mut C,
        wanted: &[[i32; 3]; LEVELS],
        [least, most]: [i32; 2],
    ) -> [[i32; 3]; LEVELS] {
        let mut coded = [[0i32; 3]; LEVELS];
        for level in 1..LEVELS {
            for axis in 0..3 {
                // Levels and axes have similar values.
                let guess = if axis > 0 { coded[level][axis - 1] } else { (coded[level - 1][0] - 1).max(0) };
                let difference = self.numbers[LEVEL].code(coder, wanted[level][axis].wrapping_sub(guess));
                coded[level][axis] = guess.wrapping_add(difference).clamp(least, most);
            }
        }
        coded
    }
}

/// How rows store a track.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Row {
    /// Halvings of the steps.
    pub(crate) refine: u8,
    /// By axis: the least number, and the bits for the excess of a number over it.
    pub(crate) least: [i32; 3],
    pub(crate) width: [u32; 3],
}

impl Row {
    /// Codes how rows store a track. A decoded row layout is always valid.
    pub(crate) fn code<C: BitCoder>(models: &mut Models, coder: &mut C, wanted: &Row) -> Row {
        let mut coded = Row { refine: models.halvings(coder, wanted.refine), ..Row::default() };
        for axis in 0..3 {
            coded.least[axis] = models.numbers[LEAST].code(coder, wanted.least[axis]);
            let width = models.numbers[WIDTH].code(coder, wanted.width[axis] as i32);
            coded.width[axis] = width.clamp(0, WIDEST) as u32;
        }
        coded
    }

    /// The bits of the track in a row.
    pub(crate) fn bits(&self) -> usize {
        self.width.iter().sum::<u32>() as usize
    }

    /// Steps of first frames relative to those of the lattice.
    pub(crate) fn scale(&self) -> f32 {
        power_of_half(self.refine)
    }

    /// The residual of a first frame from its numbers in a row.
    #[inline]
    pub(crate) fn residual(&self, stored: [u32; 3]) -> Residual {
        let k = [0, 1, 2].map(|axis| self.least[axis].wrapping_add(stored[axis] as i32));
        Residual { k, refine: self.refine }
    }

    /// The smallest row for the first frames of a track, and their numbers in steps of the finest of them.
    #[cfg(feature = "encode")]
    pub(crate) fn fit(starts: &[Residual]) -> (Row, Vec<[i32; 3]>) {
        let refine = starts.iter().map(|start| start.refine).max().unwrap_or(0);
        let mut row = Row { refine, ..Row::default() };
        let numbers: Vec<[i32; 3]> =
            starts.iter().map(|start| start.k.map(|k| k << (refine - start.refine))).collect();
        for axis in 0..3 {
            let of_axis = || numbers.iter().map(|k| k[axis]);
            row.least[axis] = of_axis().min().unwrap_or(0);
            let range = of_axis().max().unwrap_or(0) - row.least[axis];
            row.width[axis] = 32 - (range as u32).leading_zeros();
        }
        (row, numbers)
    }
}

/// Positions of the parts of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Places {
    pub(crate) segments: usize,
    row_bits: usize,
    rows_at: usize,
    offsets_at: usize,
    data_at: usize,
}

impl Places {
    /// The positions of the parts after these layouts.
    pub(crate) fn new(layouts: &[u8], row_bits: usize, segments: usize) -> Places {
        let rows_at = 4 + layouts.len();
        let offsets_at = rows_at + (row_bits * (segments + 1)).div_ceil(8);
        Places { segments, row_bits, rows_at, offsets_at, data_at: offsets_at + 4 * segments }
    }

    /// The first bit of a row.
    pub(crate) fn row(&self, row: usize) -> usize {
        self.rows_at * 8 + row * self.row_bits
    }

    /// The first byte of a segment; one beyond the end if the block is too short for its offsets.
    pub(crate) fn segment(&self, block: &[u8], segment: usize) -> usize {
        let offset = block.get(self.offsets_at + 4 * segment..).and_then(|rest| rest.first_chunk::<4>());
        self.data_at + offset.map_or(usize::MAX / 16, |bytes| u32::from_le_bytes(*bytes) as usize)
    }
}

/// The layouts of a block; empty if it is too short for their length, so that they are read as zeros.
pub(crate) fn layouts(block: &[u8]) -> &[u8] {
    let length = block.first_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes)) as usize;
    block.get(4..4usize.saturating_add(length)).unwrap_or(&[])
}

/// Assembles a block from its layouts, the rows of its tracks with the numbers of their first frames, and its
/// segments.
#[cfg(feature = "encode")]
pub(crate) fn put_block<'a>(
    layouts: &[u8],
    tracks: impl Iterator<Item = (&'a Row, &'a [[i32; 3]])> + Clone,
    segments: &[Vec<u8>],
) -> Vec<u8> {
    let mut rows = BitWriter::default();
    // A clip of one frame also has the row after its only segment, which repeats the first.
    for at in 0..=segments.len() {
        for (row, starts) in tracks.clone() {
            let k = starts[at.min(starts.len() - 1)];
            for axis in 0..3 {
                rows.put(k[axis].wrapping_sub(row.least[axis]) as u32, row.width[axis]);
            }
        }
    }
    let mut block = Vec::from((layouts.len() as u32).to_le_bytes());
    block.extend(layouts);
    block.extend(rows.finish());
    let mut offset = 0;
    for segment in segments {
        block.extend((offset as u32).to_le_bytes());
        offset += segment.len();
    }
    segments.iter().for_each(|segment| block.extend(segment));
    block
}
