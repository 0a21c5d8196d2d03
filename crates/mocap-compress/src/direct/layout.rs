//! The layout of a track, which all segments of a block share, and the choice of a track in each segment.

use super::LEVELS;
use crate::range_coder::BitCoder;
use crate::segments::{Models, Row, WIDEST};
use crate::track::{Head, Moving};

/// The codes of widths in a segment.
pub(super) const CODES: usize = 8;
/// The steps of a segment against those of its track.
pub(super) const FINER: [f32; 4] = [1.0, 0.8, 0.6, 0.4];

/// The layout of a track: how all segments of a block store it.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) head: Head,
    pub(super) row: Row,
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
        Layout { head: Head::blank(), row: Row::default(), halved: 0, bits: [[0; 3]; LEVELS] }
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
        let row = Row::code(models, coder, &wanted.row);
        let halved = models.halvings(coder, wanted.halved);
        Layout { head, row, halved, bits: models.levels(coder, &wanted.bits, [-WIDEST, WIDEST]) }
    }
}
