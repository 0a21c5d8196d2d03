//! What is stored of the tracks of a block for all segments, and the codes of single residuals.

use super::LEVELS;
use crate::bits::BitReader;
use crate::lattice::{FINEST, Kind, Residual};
use crate::range_coder::BitCoder;
use crate::track::{Head, HeadModel, Moving};

/// This many ones are not a quotient: a longer form follows.
pub(super) const LONG: u32 = 8;
/// The largest number of low bits of a Rice code.
pub(super) const LOW: i32 = 15;
/// Added to the low bits, by the two bits at the start of a track's segment.
pub(super) const SHIFTS: [i32; 4] = [-1, 0, 1, 2];

/// What is stored of a track for all segments of a block.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) head: Head,
    /// First frames: halvings of the steps, the least number of each axis, bits of each axis.
    pub(super) refine: u8,
    pub(super) least: [i32; 3],
    pub(super) width: [u32; 3],
    /// Low bits of the codes, by level and axis; the first level is unused.
    pub(super) low: [[i32; 3]; LEVELS],
}

impl Layout {
    pub(super) fn blank() -> Layout {
        Layout { head: Head::blank(), refine: 0, least: [0; 3], width: [0; 3], low: [[0; 3]; LEVELS] }
    }

    /// Codes a layout; a decoded one is safe to use.
    pub(super) fn code<C: BitCoder>(
        models: &mut Models,
        coder: &mut C,
        moving: Moving,
        rotations: usize,
        wanted: &Layout,
    ) -> Layout {
        let head = models.heads.code(coder, moving, LEVELS, rotations, &wanted.head);
        let mut coded = Layout { head, ..Layout::blank() };
        let rest = &mut models.rest;
        coded.refine = rest.number(coder, 0, i32::from(wanted.refine)).clamp(0, i32::from(FINEST)) as u8;
        for axis in 0..3 {
            coded.least[axis] = rest.number(coder, 1, wanted.least[axis]);
            coded.width[axis] = rest.number(coder, 2, wanted.width[axis] as i32).clamp(0, 28) as u32;
        }
        for level in 1..LEVELS {
            for axis in 0..3 {
                // Levels and axes are much alike.
                let guess =
                    if axis > 0 { coded.low[level][axis - 1] } else { (coded.low[level - 1][0] - 1).max(0) };
                let difference = rest.number(coder, 3, wanted.low[level][axis].wrapping_sub(guess));
                coded.low[level][axis] = guess.wrapping_add(difference).clamp(0, LOW);
            }
        }
        coded
    }

    /// The low bits of a level in a segment, and whether residuals are so rare that zeros have a bit of their
    /// own.
    #[inline]
    pub(super) fn low(&self, level: usize, shift: i32) -> ([u32; 3], bool) {
        let low = self.low[level].map(|low| (low + shift).clamp(0, LOW) as u32);
        (low, low == [0; 3])
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

/// A whole number from one that is not negative: 0, -1, 1, -2, …
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
    // A quotient as long as the mark stands for the longer form.
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
