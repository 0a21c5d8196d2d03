//! The adaptive model of residuals: small integers, three at a time, coded by their expected magnitude.

use crate::contexts::{BUCKETS, NEIGHBOURS, bucket};
use crate::lattice::{FINEST, Kind, Residual};
use crate::range_coder::{Bit, BitCoder, SYMBOLS, Symbols};
use crate::starts::{CLASSES, ODD, ZERO};

/// Classes of magnitude are 0, 1, 2, 3, 4-5, 6-7, 8-11, 12-15, … in half octaves. The last symbol stands for
/// class [`HIGH`] and above.
const HIGH: u32 = SYMBOLS as u32 - 1;
/// The last class: its magnitudes are stored in full.
const LARGEST: u32 = 2 * HIGH;

/// Three whole numbers of a residual and their expected magnitudes.
#[derive(Clone, Debug)]
pub(crate) struct ResidualModel {
    pub(crate) zero: [[Bit; BUCKETS]; 3],
    /// By parity, neighbours and bucket.
    pub(crate) class: Vec<Symbols>,
    high: [Symbols; BUCKETS],
    mantissa: [Bit; LARGEST as usize],
    pub(crate) odd: [Bit; BUCKETS],
    refine: [Bit; FINEST as usize],
    sign: [[Bit; 3]; 3],
}

#[inline]
fn class_of(magnitude: u32) -> u32 {
    if magnitude < 4 {
        return magnitude;
    }
    let octave = 31 - magnitude.leading_zeros();
    (2 * octave + (magnitude >> (octave - 1) & 1)).min(LARGEST)
}

/// The first magnitude of a class, and the number of bits that distinguish its members.
#[inline]
fn members(class: u32) -> (u32, u32) {
    if class < 4 {
        return (class, 0);
    }
    let octave = class / 2;
    ((2 + (class & 1)) << (octave - 1), octave - 1)
}

impl ResidualModel {
    pub(crate) fn new() -> ResidualModel {
        let classes = CLASSES.iter().map(|below| Symbols::new(*below));
        ResidualModel {
            zero: ZERO.map(|set| set.map(Bit::new)),
            odd: ODD.map(Bit::new),
            class: classes.clone().chain(classes).collect(),
            high: [Symbols::unknown(); BUCKETS],
            mantissa: [Bit::new(0x8800); LARGEST as usize],
            sign: [[Bit::new(0x8000); 3]; 3],
            refine: [Bit::new(0xFA00); FINEST as usize],
        }
    }

    /// Codes a residual of a lattice. `expected` are magnitudes in its coarsest steps; `before` is an earlier
    /// residual, whose signs and zeros are used as context.
    #[inline]
    pub(crate) fn code<C: BitCoder>(
        &mut self,
        coder: &mut C,
        kind: Kind,
        expected: [f32; 3],
        before: [i32; 3],
        residual: Residual,
    ) -> Residual {
        let mut refine = 0;
        while refine < FINEST && coder.bit(&mut self.refine[usize::from(refine)], residual.refine > refine) {
            refine += 1;
        }
        let centred = kind == Kind::BodyCentred;
        let scale = (1u32 << refine) as f32 * if centred { 0.5 } else { 1.0 };
        let expected = expected.map(|expected| expected * scale);
        let k = residual.k;
        let mean = bucket((expected[0] + expected[1] + expected[2]) * (1.0 / 3.0));
        let seen = before.iter().filter(|k| **k != 0).count().min(2);
        // 1 says "not all zero".
        if !coder.bit(&mut self.zero[seen][mean], k != [0; 3]) {
            return Residual { k: [0; 3], refine };
        }
        let odd = centred && coder.bit(&mut self.odd[mean], k[0] & 1 == 1);
        let mut coded = [0; 3];
        let (mut sum, mut sum_expected) = (0.0f32, 0.0f32);
        for axis in 0..3 {
            let neighbours = match axis {
                0 => 0,
                _ if sum < 0.6 * sum_expected => 1,
                _ if sum < 1.6 * sum_expected => 2,
                _ => 3,
            };
            let set = neighbours + if odd { NEIGHBOURS } else { 0 };
            let magnitude = k[axis].unsigned_abs() >> u32::from(centred);
            let magnitude = self.magnitude(coder, set, bucket(expected[axis]), magnitude);
            sum += magnitude as f32;
            sum_expected += expected[axis];
            let magnitude = (magnitude << u32::from(centred) | u32::from(odd)) as i32;
            if magnitude != 0 {
                let sign = &mut self.sign[axis][(before[axis].signum() + 1) as usize];
                coded[axis] = if coder.bit(sign, k[axis] < 0) { -magnitude } else { magnitude };
            }
        }
        Residual { k: coded, refine }
    }

    #[inline]
    fn magnitude<C: BitCoder>(&mut self, coder: &mut C, set: usize, bucket: usize, value: u32) -> u32 {
        let wanted = class_of(value);
        let symbol = coder.symbol(&mut self.class[set * BUCKETS + bucket], wanted.min(HIGH) as usize) as u32;
        let class = match symbol {
            HIGH => HIGH + coder.symbol(&mut self.high[bucket], wanted.saturating_sub(HIGH) as usize) as u32,
            class => class,
        };
        if class == LARGEST {
            let high = coder.even(value >> 15, 12);
            return high << 15 | coder.even(value & 0x7FFF, 15);
        }
        let (first, bits) = members(class);
        if bits == 0 {
            return first;
        }
        let rest = value.wrapping_sub(first);
        let top = coder.bit(&mut self.mantissa[class as usize], rest >> (bits - 1) & 1 == 1);
        let low = if bits > 1 { coder.even(rest, bits - 1) } else { 0 };
        first + (u32::from(top) << (bits - 1)) + low
    }
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use super::*;
    use crate::range_coder::{RangeDecoder, RangeEncoder};

    #[test]
    fn classes_cover_every_magnitude_once() {
        let mut next = 0;
        for class in 0..LARGEST {
            let (first, bits) = members(class);
            assert_eq!(first, next);
            next = first + (1 << bits);
            assert_eq!(class_of(first), class);
            assert_eq!(class_of(next - 1), class);
        }
        assert_eq!(class_of(next), LARGEST);
        assert_eq!(class_of(u32::MAX), LARGEST);
    }

    #[test]
    fn residuals_read_back_whatever_was_expected() {
        let values = [[0; 3], [1, -1, 1], [4, 4, -6], [-101, 49_151, 49_153], [(1 << 27) - 1, 1, -7]];
        let expected = [[0.0; 3], [1e-9, 1.0, 1e9], [30.0, 0.5, 7.0]];
        let mut cases = Vec::new();
        for k in values {
            for expected in expected {
                for kind in [Kind::Cubic, Kind::BodyCentred] {
                    cases.push((kind, expected, Residual { k, refine: k[1].unsigned_abs() as u8 % 3 }));
                }
            }
        }
        let mut encoder = RangeEncoder::new();
        let mut model = ResidualModel::new();
        for (kind, expected, residual) in &cases {
            model.code(&mut encoder, *kind, *expected, [1, 0, -1], *residual);
        }
        let bytes = encoder.finish();
        let mut decoder = RangeDecoder::new(&bytes);
        let mut model = ResidualModel::new();
        for (kind, expected, residual) in &cases {
            assert_eq!(
                model.code(&mut decoder, *kind, *expected, [1, 0, -1], Residual::default()),
                *residual
            );
        }
    }
}
