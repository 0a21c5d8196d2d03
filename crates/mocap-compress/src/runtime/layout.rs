//! The layout of a track, which all segments of a block share, and the codes of single residuals.

use super::LEVELS;
use crate::bits::BitReader;
use crate::lattice::{FINEST, Kind, Residual};
use crate::range_coder::BitCoder;
use crate::segments::{Models, Row};
use crate::track::{Head, Moving};

/// Escape: after this many ones, a longer form follows instead of a quotient.
pub(super) const LONG: u32 = 8;
/// Greatest number of low bits of a Rice code.
pub(super) const LOW: i32 = 15;
/// Added to the low bits, by the two bits at the start of a track's segment.
pub(super) const SHIFTS: [i32; 4] = [-1, 0, 1, 2];

/// The layout of a track: how all segments of a block store it.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) head: Head,
    pub(super) row: Row,
    /// Low bits of the codes, by level and axis; the first level is unused.
    pub(super) low: [[i32; 3]; LEVELS],
}

impl Layout {
    pub(super) fn blank() -> Layout {
        Layout { head: Head::blank(), row: Row::default(), low: [[0; 3]; LEVELS] }
    }

    /// Codes a layout. A decoded layout is always valid.
    pub(super) fn code<C: BitCoder>(
        models: &mut Models,
        coder: &mut C,
        moving: Moving,
        rotations: usize,
        wanted: &Layout,
    ) -> Layout {
        let head = models.heads.code(coder, moving, LEVELS, rotations, &wanted.head);
        let row = Row::code(models, coder, &wanted.row);
        Layout { head, row, low: models.levels(coder, &wanted.low, [0, LOW]) }
    }

    /// Low bits of a level in a segment, and whether residuals are so rare that zeros have a bit of their own.
    #[inline]
    pub(super) fn low(&self, level: usize, shift: i32) -> ([u32; 3], bool) {
        let low = self.low[level].map(|low| (low + shift).clamp(0, LOW) as u32);
        (low, low == [0; 3])
    }
}

/// A signed number from an unsigned one: 0, -1, 1, -2, …
#[inline]
fn unfold(code: u32) -> i32 {
    (code >> 1) as i32 ^ -((code & 1) as i32)
}

/// Reads the numbers of a residual, in coarsest steps.
#[inline]
pub(super) fn read_numbers(bits: &mut BitReader<'_>, kind: Kind, low: [u32; 3]) -> [f32; 3] {
    let centred = u32::from(kind == Kind::BodyCentred);
    match bits.three_rice(low, centred, LONG) {
        Some((codes, odd)) => codes.map(|code| ((unfold(code) << centred) + odd as i32) as f32),
        None => read_long(bits, centred, low).numbers(),
    }
}

#[cold]
fn read_long(bits: &mut BitReader<'_>, centred: u32, low: [u32; 3]) -> Residual {
    // A quotient as long as the escape stands for the longer form.
    if bits.clone().ones(LONG) < LONG {
        let codes = low.map(|low| bits.rice(low));
        let odd = bits.take(centred) as i32;
        return Residual { k: codes.map(|code| (unfold(code) << centred) + odd), refine: 0 };
    }
    bits.ones(LONG);
    let refine = bits.take(4).min(u32::from(FINEST));
    if bits.take(1) == 1 {
        let width = bits.take(5).min(28);
        return Residual { k: [0; 3].map(|_: i32| unfold(bits.take(width))), refine: refine as u8 };
    }
    let odd = bits.take(centred) as i32;
    let k = low.map(|low| (unfold(bits.rice(low + refine)) << centred) + odd);
    Residual { k, refine: refine as u8 }
}
