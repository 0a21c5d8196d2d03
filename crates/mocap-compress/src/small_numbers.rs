//! Integers of any size, most of which are small.

use crate::range_coder::{Bit, BitCoder};

/// The longest magnitude in bits.
const LONGEST: usize = 28;

/// The adaptive model of a set of numbers: the length of their magnitudes in bits, and their sign.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmallNumbers {
    longer: [Bit; LONGEST],
    sign: Bit,
}

impl SmallNumbers {
    pub(crate) const fn new() -> SmallNumbers {
        SmallNumbers { longer: [Bit::new(0x8000); LONGEST], sign: Bit::new(0x8000) }
    }

    /// Codes a number below 2^28 either way.
    pub(crate) fn code<C: BitCoder>(&mut self, coder: &mut C, value: i32) -> i32 {
        let wanted = value.unsigned_abs();
        let length = 32 - wanted.leading_zeros();
        let mut count = 0;
        while count < LONGEST as u32 && coder.bit(&mut self.longer[count as usize], length > count) {
            count += 1;
        }
        if count == 0 {
            return 0;
        }
        let mut magnitude = 1;
        for shift in (0..count - 1).rev() {
            magnitude = magnitude << 1 | coder.even(wanted >> shift & 1, 1);
        }
        if coder.bit(&mut self.sign, value < 0) { -(magnitude as i32) } else { magnitude as i32 }
    }
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use super::*;
    use crate::range_coder::{RangeDecoder, RangeEncoder};

    #[test]
    fn numbers_of_any_length_read_back() {
        let most = (1 << LONGEST) - 1;
        let numbers = [0, 1, -1, 2, -3, 1000, -1000, 1 << 27, most, -most, 0];
        let mut coder = RangeEncoder::new();
        let mut model = SmallNumbers::new();
        for number in numbers {
            assert_eq!(model.code(&mut coder, number), number);
        }
        let bytes = coder.finish();
        let (mut coder, mut model) = (RangeDecoder::new(&bytes), SmallNumbers::new());
        assert_eq!(numbers.map(|_| model.code(&mut coder, 0)), numbers);
    }
}
