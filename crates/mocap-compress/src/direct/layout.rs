//! The layout of a track, which all segments of a block share, and the choice of a track in each segment.

use super::LEVELS;
use super::bits_in_lanes::WORD;
use crate::lanes::LARGEST_TURN;
use crate::lattice::power_of_half;
use crate::range_coder::RangeDecoder;
use crate::segments::{Models, Row, WIDEST};
use crate::track::{Head, Moving, Start};

/// Number of width codes in a segment.
pub(super) const CODES: usize = 8;
/// The code at which numbers have the bits of their layout.
pub(super) const MIDDLE: i32 = 4;
/// No sum of the magnitudes of weights exceeds this.
pub(super) const MOST_WEIGHT: f32 = 64.0;
/// Steps of a segment relative to those of its track.
pub(super) const FINER: [f32; 16] =
    [1.0, 0.92, 0.85, 0.78, 0.72, 0.66, 0.61, 0.56, 0.51, 0.47, 0.43, 0.4, 0.37, 0.34, 0.31, 0.29];

/// The layout of a track: how all segments of a block store it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) start: Start,
    /// By level, an index into the table of flatness.
    pub(super) flat: [u8; LEVELS],
    pub(super) row: Row,
    /// Number of times that the steps of all other frames are halved.
    pub(super) halved: u8,
    /// Bits of each axis at the middle code, by level; the first level is unused.
    pub(super) bits: [[i32; 3]; LEVELS],
}

/// The choices of a segment for a track.
#[cfg(feature = "encode")]
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    /// An index into [`FINER`].
    pub(super) finer: usize,
    /// By level from 1, the code of widths.
    pub(super) codes: [usize; LEVELS - 1],
}

#[cfg(feature = "encode")]
impl Choice {
    pub(super) fn bytes(self) -> [u8; 2] {
        let [a, b, c, d] = self.codes;
        ((self.finer | a << 4 | b << 7 | c << 10 | d << 13) as u16).to_le_bytes()
    }
}

/// The code of a level, counted from 0, in the two bytes of a choice.
#[cfg(test)]
#[inline(always)]
pub(super) fn code_of(choice: u32, level: usize) -> usize {
    (choice >> (4 + 3 * level)) as usize % CODES
}

/// The bits of an axis at a code above 0.
#[inline(always)]
pub(super) fn width_at(bits: i32, code: usize) -> u32 {
    (bits + code as i32 - MIDDLE).clamp(0, WIDEST) as u32
}

impl Layout {
    /// Greatest number of bits of three numbers of a segment, including the bit for "odd".
    pub(super) fn most_bits(&self) -> u32 {
        let of_level = |bits: &[i32; 3]| bits.map(|bits| width_at(bits, CODES - 1)).iter().sum::<u32>() + 1;
        self.bits[1..].iter().map(of_level).max().unwrap_or(0)
    }

    /// Whether no number of a track exceeds what is read at once, and no vector of a rotation can exceed its bound.
    pub(super) fn is_plain(&self, moving: Moving) -> bool {
        let bits = self.bits[1..].iter().flatten().map(|bits| width_at(*bits, CODES - 1)).max().unwrap_or(0);
        let fits = self.most_bits() <= WORD && self.row.bits() <= WORD as usize;
        let sum = |i: usize| self.start.basis().iter().map(|column| column[i].abs()).sum::<f32>();
        let length = [0, 1, 2].map(sum).into_iter().fold(0.0, f32::max);
        // Numbers are sums of at most two powers of two.
        let power = |bits: u32| f32::from_bits((127 + bits) << 23);
        let row = |axis: usize| self.row.least[axis].unsigned_abs() as f32 + power(self.row.width[axis]);
        let rows = [0, 1, 2].map(row).into_iter().fold(0.0, f32::max) * self.row.scale();
        let numbers = power(bits + 1) * MOST_WEIGHT * power_of_half(self.halved);
        fits && (moving == Moving::Translation || length * rows.max(numbers) < LARGEST_TURN)
    }

    /// Steps of a segment relative to those of the lattice.
    #[cfg(feature = "encode")]
    pub(super) fn scale(halved: u8, finer: usize) -> f32 {
        power_of_half(halved) * FINER[finer]
    }

    /// A layout with a head, in which nothing has bits.
    pub(super) fn of(head: &Head) -> Layout {
        Layout {
            start: head.start(),
            flat: std::array::from_fn(|level| head.flat[level]),
            row: Row::default(),
            halved: 0,
            bits: [[0; 3]; LEVELS],
        }
    }

    /// Reads a layout as it was before there were plain ones. It is always valid.
    pub(super) fn read(models: &mut Models, coder: &mut RangeDecoder<'_>, moving: Moving) -> Layout {
        // Tracks do not refer to others.
        let head = models.heads.read(coder, moving, LEVELS, 0);
        let row = Row::code(models, coder, &Row::default());
        let halved = models.halvings(coder, 0);
        let bits = models.levels(coder, &[[0; 3]; LEVELS], [-WIDEST, WIDEST]);
        Layout { row, halved, bits, ..Layout::of(&head) }
    }
}
