//! Whole numbers of any size, of which most are small.

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
