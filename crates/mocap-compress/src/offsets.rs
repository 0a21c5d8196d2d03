//! Offsets of joints in steps. The two sides of a body mostly mirror each other, and characters of a crowd are
//! alike, so an offset may be stored as a difference from that of an earlier joint.

use crate::range_coder::{Bit, BitCoder};
use crate::small_numbers::SmallNumbers;

/// The earlier joint from which an offset is predicted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Likeness {
    /// Distance back to that joint; 0 for none.
    back: i32,
    /// The axes along which it is mirrored.
    mirrored: [bool; 3],
}

/// Codes the offsets of one joint after the other.
pub(crate) struct Offsets {
    backs: SmallNumbers,
    mirrored: [Bit; 3],
    plain: [SmallNumbers; 3],
    differences: [SmallNumbers; 3],
    coded: Vec<[i32; 3]>,
    /// The distance back ([`Likeness`]) of the previous joint.
    back: i32,
}

impl Offsets {
    pub(crate) fn new() -> Offsets {
        Offsets {
            backs: SmallNumbers::new(),
            mirrored: [Bit::new(0x8000); 3],
            plain: [SmallNumbers::new(); 3],
            differences: [SmallNumbers::new(); 3],
            coded: Vec::new(),
            back: 0,
        }
    }

    /// Codes the offset of the next joint; `None` if the joint that predicts it does not exist.
    pub(crate) fn code<C: BitCoder>(
        &mut self,
        coder: &mut C,
        likeness: Likeness,
        offset: [i32; 3],
    ) -> Option<[i32; 3]> {
        let back = self.back.wrapping_add(self.backs.code(coder, likeness.back - self.back));
        let other = match usize::try_from(back).ok()? {
            0 => None,
            back => Some(self.coded[self.coded.len().checked_sub(back)?]),
        };
        self.back = back;
        let mut coded = [0i32; 3];
        for axis in 0..3 {
            coded[axis] = match other.map(|offset| offset[axis]) {
                None => self.plain[axis].code(coder, offset[axis]),
                Some(0) => self.differences[axis].code(coder, offset[axis]),
                Some(guess) => {
                    let mirrored = coder.bit(&mut self.mirrored[axis], likeness.mirrored[axis]);
                    let guess = if mirrored { guess.wrapping_neg() } else { guess };
                    guess.wrapping_add(self.differences[axis].code(coder, offset[axis].wrapping_sub(guess)))
                }
            };
        }
        self.coded.push(coded);
        Some(coded)
    }
}

/// Greatest distance back: in a crowd, joints of the same character and the previous one.
#[cfg(feature = "encode")]
const NEAR: usize = 512;

#[cfg(feature = "encode")]
impl Offsets {
    /// The earlier joint that gives the smallest difference.
    pub(crate) fn likeness_of(&self, offset: [i32; 3]) -> Likeness {
        // Approximate bits of a number.
        let bits = |number: i32| 2 * (32 - number.unsigned_abs().leading_zeros());
        let cost = |likeness: &Likeness, rest: [i32; 3]| {
            bits(likeness.back - self.back) + rest.map(bits).iter().sum::<u32>()
        };
        let none = Likeness::default();
        let mut best = (cost(&none, offset), none);
        for (back, other) in (1..).zip(self.coded.iter().rev().take(NEAR)) {
            let mirrored =
                [0, 1, 2].map(|axis| (offset[axis] + other[axis]).abs() < (offset[axis] - other[axis]).abs());
            let likeness = Likeness { back, mirrored };
            let guess = |axis: usize| if mirrored[axis] { -other[axis] } else { other[axis] };
            let cost = cost(&likeness, [0, 1, 2].map(|axis| offset[axis] - guess(axis)));
            if cost < best.0 {
                best = (cost, likeness);
            }
        }
        best.1
    }
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use super::*;
    use crate::range_coder::{RangeDecoder, RangeEncoder};

    /// Of a skeleton with two arms of 20 joints.
    fn offsets() -> Vec<[i32; 3]> {
        let arm: Vec<[i32; 3]> =
            (0..20).map(|i| [10_000 + i * 937 % 4001, i * 631 % 3001 - 1500, i % 3]).collect();
        arm.iter().copied().chain(arm.iter().map(|[x, y, z]| [-x + 1, *y, z - 1])).collect()
    }

    #[test]
    fn offsets_read_back_and_mirrored_ones_cost_little() {
        let mut sizes = Vec::new();
        for count in [20, 40] {
            let mut coder = RangeEncoder::new();
            let mut writer = Offsets::new();
            for offset in &offsets()[..count] {
                let likeness = writer.likeness_of(*offset);
                writer.code(&mut coder, likeness, *offset).unwrap();
            }
            let bytes = coder.finish();
            let mut coder = RangeDecoder::new(&bytes);
            let mut reader = Offsets::new();
            for offset in &offsets()[..count] {
                assert_eq!(reader.code(&mut coder, Likeness::default(), [0; 3]), Some(*offset));
            }
            sizes.push(bytes.len());
        }
        assert!(sizes[1] - sizes[0] < sizes[0] / 3, "{sizes:?}");
    }

    #[test]
    fn offsets_are_told_from_joints_before() {
        for back in [-1, 1, i32::MAX] {
            let mut coder = RangeEncoder::new();
            let mut number = SmallNumbers::new();
            number.code(&mut coder, back.min((1 << 28) - 1));
            let bytes = coder.finish();
            assert_eq!(
                Offsets::new().code(&mut RangeDecoder::new(&bytes), Likeness::default(), [0; 3]),
                None
            );
        }
    }
}
