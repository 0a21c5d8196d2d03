//! The layouts of a block as plain bits: reading them must not take longer than a few poses.
//!
//! By kind of track, four groups of numbers have a least number and a width in bits, so a track takes about as
//! many bits as with adaptive models.

use super::LEVELS;
use super::layout::Layout;
use crate::bits::BitReader;
#[cfg(feature = "encode")]
use crate::bits::BitWriter;
use crate::lattice::{Column, DIRECTION, FINEST};
use crate::segments::{Row, WIDEST};
use crate::track::{Moving, Start};

/// The first level whose flatness matters: before, frames are predicted from the ends, which have no numbers.
const FIRST_FLAT: usize = 2;
/// Bits of a part of a direction.
const PART: u32 = 6;
const HALVINGS: u32 = 4;
const ROW_WIDTH: u32 = 5;

/// Numbers from a least one on, in a width.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    least: i32,
    width: u32,
}

impl Span {
    fn read(bits: &mut BitReader<'_>) -> Span {
        let length = bits.take(5);
        let code = bits.take(length);
        Span { least: (code >> 1) as i32 ^ -((code & 1) as i32), width: bits.take(5) }
    }

    #[cfg(feature = "encode")]
    fn put(self, bits: &mut BitWriter) {
        let code = (self.least << 1 ^ self.least >> 31) as u32;
        let length = 32 - code.leading_zeros();
        bits.put(length, 5);
        bits.put(code, length);
        bits.put(self.width, 5);
    }

    #[cfg(feature = "encode")]
    fn of(numbers: impl Iterator<Item = i32> + Clone) -> Span {
        let least = numbers.clone().min().unwrap_or(0);
        let most = numbers.max().unwrap_or(0);
        Span { least, width: 32 - (most.wrapping_sub(least) as u32).leading_zeros() }
    }

    #[inline(always)]
    fn take(self, bits: &mut BitReader<'_>) -> i32 {
        self.least.wrapping_add(bits.take(self.width) as i32)
    }

    /// A number, and so many bits behind it.
    #[inline(always)]
    fn take_with(self, bits: &mut BitReader<'_>, more: u32) -> (i32, u32) {
        self.parted(bits.take_word(self.width + more), more)
    }

    /// Three numbers, each with so many bits behind it: at once where a word holds them.
    #[inline(always)]
    fn take_three(self, bits: &mut BitReader<'_>, more: u32) -> [(i32, u32); 3] {
        let each = self.width + more;
        if 3 * each > BitReader::WORD {
            return [0; 3].map(|_: u8| self.take_with(bits, more));
        }
        let word = bits.take_word(3 * each);
        [2, 1, 0].map(|at| self.parted(word >> (at * each) & ((1 << each) - 1), more))
    }

    /// A number and the bits behind it.
    #[inline(always)]
    fn parted(self, part: u64, more: u32) -> (i32, u32) {
        (self.least.wrapping_add((part >> more) as i32), part as u32 & ((1 << more) - 1))
    }

    #[cfg(feature = "encode")]
    fn put_number(self, bits: &mut BitWriter, number: i32) {
        bits.put(number.wrapping_sub(self.least) as u32, self.width);
    }
}

/// The spans of a kind of tracks.
#[derive(Clone, Copy, Debug, Default)]
struct Spans {
    base: Span,
    scale: Span,
    least: Span,
    bits: Span,
}

/// Reads layouts one by one.
pub(super) struct Layouts<'a> {
    bits: BitReader<'a>,
    /// Of rotations and of translations.
    spans: [Spans; 2],
}

impl<'a> Layouts<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Layouts<'a> {
        let mut bits = BitReader::new(bytes, 0);
        let spans = [0; 2].map(|_: u8| {
            let [base, scale, least, of_bits] = [0; 4].map(|_: u8| Span::read(&mut bits));
            Spans { base, scale, least, bits: of_bits }
        });
        Layouts { bits, spans }
    }

    /// The layout of the next track. It is always valid.
    #[inline]
    pub(super) fn next(&mut self, moving: Moving) -> Layout {
        let spans = &self.spans[kind(moving)];
        let bits = &mut self.bits;
        let word = bits.take(3 * (LEVELS - FIRST_FLAT) as u32 + 1);
        let mut flat = [1; LEVELS];
        for (at, flat) in flat[FIRST_FLAT..].iter_mut().rev().enumerate() {
            *flat = (word >> (3 * at + 1)) as u8 & 7;
        }
        let base = spans.base.take_three(bits, 0).map(|(number, _)| number);
        let columns = match word & 1 {
            1 => isotropic(spans.scale.take(bits)),
            _ => [0; 3].map(|_: u8| {
                let (scale, parts) = spans.scale.take_with(bits, 3 * PART);
                let part = |at: u32| (parts >> (at * PART) & ((1 << PART) - 1)) as i32 - DIRECTION;
                Column { scale, direction: [part(2), part(1), part(0)] }
            }),
        };
        let halvings = bits.take(2 * HALVINGS);
        let finest = |halvings: u32| (halvings as u8).min(FINEST);
        let axes = spans.least.take_three(bits, ROW_WIDTH);
        let row = Row {
            refine: finest(halvings >> HALVINGS),
            least: axes.map(|(least, _)| least),
            width: axes.map(|(_, width)| width.min(WIDEST as u32)),
        };
        let mut levels = [[0; 3]; LEVELS];
        for level in &mut levels[1..] {
            let numbers = spans.bits.take_three(bits, 0);
            *level = numbers.map(|(number, _)| number.clamp(-WIDEST, WIDEST));
        }
        let halved = finest(halvings & ((1 << HALVINGS) - 1));
        Layout { start: Start { base, columns }, flat, row, halved, bits: levels }
    }
}

fn kind(moving: Moving) -> usize {
    usize::from(moving == Moving::Translation)
}

/// The columns of a basis with equal steps along the axes.
fn isotropic(scale: i32) -> [Column; 3] {
    [0, 1, 2].map(|axis| {
        let mut column = Column { scale, direction: [0; 3] };
        column.direction[axis] = DIRECTION;
        column
    })
}

/// The layouts of tracks as bytes.
#[cfg(feature = "encode")]
pub(super) fn put<'a>(layouts: impl Iterator<Item = (Moving, &'a Layout)> + Clone) -> Vec<u8> {
    let mut bits = BitWriter::default();
    let spans = [Moving::Rotation, Moving::Translation].map(|moving| {
        let of_kind = layouts.clone().filter(move |(of, _)| *of == moving).map(|(_, layout)| layout);
        let spans = Spans {
            base: Span::of(of_kind.clone().flat_map(|layout| layout.start.base)),
            scale: Span::of(of_kind.clone().flat_map(|layout| layout.start.columns.map(|it| it.scale))),
            least: Span::of(of_kind.clone().flat_map(|layout| layout.row.least)),
            bits: Span::of(of_kind.flat_map(|layout| layout.bits[1..].iter().flatten().copied())),
        };
        [spans.base, spans.scale, spans.least, spans.bits].iter().for_each(|span| span.put(&mut bits));
        spans
    });
    for (moving, layout) in layouts {
        put_one(&mut bits, &spans[kind(moving)], layout);
    }
    bits.finish()
}

#[cfg(feature = "encode")]
fn put_one(bits: &mut BitWriter, spans: &Spans, layout: &Layout) {
    let Layout { start: Start { base, columns }, flat, row, .. } = layout;
    flat[FIRST_FLAT..LEVELS].iter().for_each(|flat| bits.put(u32::from(*flat), 3));
    let even = *columns == isotropic(columns[0].scale);
    bits.put(u32::from(even), 1);
    base.iter().for_each(|number| spans.base.put_number(bits, *number));
    for column in &columns[..if even { 1 } else { 3 }] {
        spans.scale.put_number(bits, column.scale);
        if !even {
            column.direction.iter().for_each(|part| bits.put((part + DIRECTION) as u32, PART));
        }
    }
    bits.put(u32::from(row.refine), HALVINGS);
    bits.put(u32::from(layout.halved), HALVINGS);
    for axis in 0..3 {
        spans.least.put_number(bits, row.least[axis]);
        bits.put(row.width[axis], ROW_WIDTH);
    }
    layout.bits[1..].iter().flatten().for_each(|number| spans.bits.put_number(bits, *number));
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use super::*;
    use crate::track::Head;

    fn layouts() -> Vec<(Moving, Layout)> {
        let made = |at: i32| {
            let mut layout = Layout::of(&Head {
                flat: [1, 1, at as u8 % 8, 7 - at as u8 % 8, 3, 1, 1, 1],
                base: [at * 1000 - 5, -at, 1 << (at % 28)],
                columns: isotropic(at * 9 - 100),
                ..Head::blank()
            });
            if at % 3 > 0 {
                layout.start.columns[1] = Column { scale: -799 + at, direction: [-24, at % 24, 24] };
            }
            layout.row =
                Row { refine: at as u8 % 11, least: [-at, (1 << 28) - 1, 1 - (1 << 28)], width: [0, 28, 9] };
            layout.halved = 10 - at as u8 % 11;
            layout.bits[1..].iter_mut().flatten().zip(-6..).for_each(|(bits, value)| *bits = value - at % 20);
            (if at % 5 == 0 { Moving::Translation } else { Moving::Rotation }, layout)
        };
        (0..40).map(made).collect()
    }

    #[test]
    fn layouts_read_back() {
        let all = layouts();
        for some in [&all[..], &all[..0], &all[1..2], &all[5..6]] {
            let bytes = put(some.iter().map(|(moving, layout)| (*moving, layout)));
            let mut read = Layouts::new(&bytes);
            for (moving, layout) in some {
                assert_eq!(read.next(*moving), *layout);
            }
        }
    }

    #[test]
    fn any_bytes_are_valid_layouts() {
        for byte in [0, 0x55, 0xAA, 0xFF] {
            let bytes = [byte; 300];
            for length in [0, 1, 30, 300] {
                let mut read = Layouts::new(&bytes[..length]);
                for moving in [Moving::Rotation, Moving::Translation, Moving::Rotation] {
                    let layout = read.next(moving);
                    assert!(layout.row.width.iter().all(|width| *width <= WIDEST as u32));
                    assert!(layout.bits.iter().flatten().all(|bits| bits.abs() <= WIDEST));
                    assert!(layout.halved <= FINEST && layout.row.refine <= FINEST);
                    assert!(layout.start.basis().iter().flatten().all(|part| part.is_finite()));
                }
            }
        }
    }
}
