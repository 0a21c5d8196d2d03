//! What is stored of the tracks of a block for all segments, and of a segment for each track.

use super::LEVELS;
use crate::lattice::FINEST;
use crate::range_coder::BitCoder;
use crate::track::{Head, HeadModel, Moving};

/// The widest number.
pub(super) const WIDEST: i32 = 28;
/// The codes of widths in a segment.
pub(super) const CODES: usize = 8;
/// The steps of a segment against those of its track.
pub(super) const FINER: [f32; 4] = [1.0, 0.8, 0.6, 0.4];

/// What is stored of a track for all segments of a block.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) head: Head,
    /// First frames: halvings of the steps, the least number of each axis, bits of each axis.
    pub(super) refine: u8,
    pub(super) least: [i32; 3],
    pub(super) width: [u32; 3],
    /// Halvings of the steps of all other frames.
    pub(super) halved: u8,
    /// Bits of each axis at the middle code, by level; the first level is unused.
    pub(super) bits: [[i32; 3]; LEVELS],
}

/// The byte of a track in a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// The codes of widths: of the last level, and of the others.
    pub(super) codes: [u8; 2],
    /// An index into [`FINER`].
    pub(super) finer: u8,
}

impl Choice {
    #[inline(always)]
    pub(super) fn of_byte(byte: u8) -> Choice {
        Choice { codes: [byte >> 2 & 7, byte >> 5], finer: byte & 3 }
    }

    #[cfg(feature = "encode")]
    pub(super) fn byte(self) -> u8 {
        self.codes[1] << 5 | self.codes[0] << 2 | self.finer
    }
}

/// Which of the two codes is that of a level.
#[inline(always)]
pub(super) fn code_of(level: usize) -> usize {
    usize::from(level + 1 != LEVELS)
}

/// The bits of an axis at a code above 0.
#[inline]
pub(super) fn width_at(bits: i32, code: usize) -> u32 {
    (bits + code as i32 - 4).clamp(0, WIDEST) as u32
}

impl Layout {
    /// The steps of a segment against those of the lattice.
    pub(super) fn scale(halved: u8, finer: u8) -> f32 {
        // An exact power of two.
        f32::from_bits((127 - u32::from(halved)) << 23) * FINER[usize::from(finer)]
    }

    pub(super) fn blank() -> Layout {
        Layout {
            head: Head::blank(),
            refine: 0,
            least: [0; 3],
            width: [0; 3],
            halved: 0,
            bits: [[0; 3]; LEVELS],
        }
    }

    /// Codes a layout; a decoded one is safe to use.
    pub(super) fn code<C: BitCoder>(
        models: &mut Models,
        coder: &mut C,
        moving: Moving,
        wanted: &Layout,
    ) -> Layout {
        // Tracks do not refer to others.
        let head = models.heads.code(coder, moving, LEVELS, 0, &wanted.head);
        let mut coded = Layout { head, ..Layout::blank() };
        let rest = &mut models.rest;
        let mut halvings =
            |wanted: u8| rest.number(coder, 0, i32::from(wanted)).clamp(0, i32::from(FINEST)) as u8;
        coded.refine = halvings(wanted.refine);
        coded.halved = halvings(wanted.halved);
        for axis in 0..3 {
            coded.least[axis] = rest.number(coder, 1, wanted.least[axis]);
            coded.width[axis] = rest.number(coder, 2, wanted.width[axis] as i32).clamp(0, WIDEST) as u32;
        }
        for level in 1..LEVELS {
            for axis in 0..3 {
                // Levels and axes are much alike.
                let guess = if axis > 0 {
                    coded.bits[level][axis - 1]
                } else {
                    (coded.bits[level - 1][0] - 1).max(0)
                };
                let difference = rest.number(coder, 3, wanted.bits[level][axis].wrapping_sub(guess));
                coded.bits[level][axis] = guess.wrapping_add(difference).clamp(-WIDEST, WIDEST);
            }
        }
        coded
    }
}

/// The models of layouts: those of heads, and those of the numbers beside them.
pub(super) struct Models {
    heads: HeadModel,
    rest: HeadModel,
}

impl Models {
    pub(super) fn new() -> Models {
        Models { heads: HeadModel::new(), rest: HeadModel::new() }
    }
}
