//! The layout of a track, which all segments of a block share, and the choice of a track in each segment.

use super::LEVELS;
use super::widths::Widths;
use crate::lattice::power_of_half;
use crate::range_coder::BitCoder;
use crate::segments::{Models, Row, WIDEST};
use crate::track::{Head, Moving};

/// The codes of widths in a segment.
pub(super) const CODES: usize = 8;
/// The steps of a segment against those of its track.
pub(super) const FINER: [f32; 16] =
    [1.0, 0.92, 0.85, 0.78, 0.72, 0.66, 0.61, 0.56, 0.51, 0.47, 0.43, 0.4, 0.37, 0.34, 0.31, 0.29];

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

/// What a segment chooses for a track, in two bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// An index into [`FINER`].
    pub(super) finer: usize,
    /// By level from 1, the code of widths.
    pub(super) codes: [usize; LEVELS - 1],
}

impl Choice {
    #[inline(always)]
    pub(super) fn of_bytes(bytes: [u8; 2]) -> Choice {
        let all = usize::from(u16::from_le_bytes(bytes));
        Choice { finer: all % FINER.len(), codes: [4, 7, 10, 13].map(|shift| all >> shift & (CODES - 1)) }
    }

    #[cfg(feature = "encode")]
    pub(super) fn bytes(self) -> [u8; 2] {
        let [a, b, c, d] = self.codes;
        ((self.finer | a << 4 | b << 7 | c << 10 | d << 13) as u16).to_le_bytes()
    }
}

/// The bits of an axis at a code above 0.
#[inline]
pub(super) fn width_at(bits: i32, code: usize) -> u32 {
    (bits + code as i32 - 4).clamp(0, WIDEST) as u32
}

impl Layout {
    /// By level from 1, and code, the widths of numbers.
    pub(super) fn widths(&self) -> [[Widths; CODES]; LEVELS - 1] {
        let mut all = [[Widths::default(); CODES]; LEVELS - 1];
        for (codes, bits) in all.iter_mut().zip(&self.bits[1..]) {
            // At code 0 nothing is stored.
            for (code, widths) in codes.iter_mut().enumerate().skip(1) {
                *widths = Widths::of_level(bits.map(|bits| width_at(bits, code)));
            }
        }
        all
    }

    /// The steps of a segment against those of the lattice.
    #[cfg(feature = "encode")]
    pub(super) fn scale(halved: u8, finer: usize) -> f32 {
        power_of_half(halved) * FINER[finer]
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
