//! A binary arithmetic coder with adaptive probabilities.
//!
//! Based on: G. N. N. Martin, "Range encoding", 1979, in the carry-propagating form of I. Pavlov's LZMA; the
//! probability is the mean of a fast and a slow estimate.

/// The adaptive probability of a 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bit {
    fast: u16,
    slow: u16,
    /// The number of bits seen, capped.
    seen: u16,
    /// Both estimates together, precomputed: a decoder waits for nothing else.
    zero: u16,
}

const FAST: u16 = 4;
const SLOW: u16 = 7;
/// From here on the slow estimate is at its final pace.
const LEARNT: u16 = 12;

impl Bit {
    /// A bit that is 0 with about this probability out of 65536.
    pub(crate) const fn new(zero: u16) -> Bit {
        Bit { fast: zero, slow: zero, seen: 6, zero: Bit::mean(zero, zero) }
    }

    /// Initial model; adapts quickly.
    pub(crate) const fn unknown() -> Bit {
        Bit { seen: 0, ..Bit::new(0x8000) }
    }

    /// The probability of a 0 out of 2^15, never 0 nor 2^15.
    #[inline]
    const fn mean(fast: u16, slow: u16) -> u16 {
        let sum = ((fast as u32 + slow as u32) >> 2) + 1;
        if sum > 0x7FFF { 0x7FFF } else { sum as u16 }
    }

    #[inline]
    pub(crate) fn learn(&mut self, bit: bool) {
        let slow = (self.seen / 2 + 1).min(SLOW);
        let fast = slow.min(FAST);
        self.seen = (self.seen + 1).min(LEARNT);
        // Without a branch: the bits are close to random.
        let target = if bit { 0 } else { 0xFFFF };
        let towards = |from: u16, pace: u16| (i32::from(from) + ((target - i32::from(from)) >> pace)) as u16;
        self.fast = towards(self.fast, fast);
        self.slow = towards(self.slow, slow);
        self.zero = Bit::mean(self.fast, self.slow);
    }
}

/// Encoder and decoder behind one trait: a model is written once. An encoder returns the bits it is given, a decoder
/// those it reads.
pub(crate) trait BitCoder {
    /// Codes a bit with an adaptive probability.
    fn bit(&mut self, model: &mut Bit, bit: bool) -> bool;
    /// Codes the low `count` (at most 16) bits of a value with even odds.
    fn even(&mut self, value: u32, count: u32) -> u32;
}

/// Writes bits.
#[cfg(feature = "encode")]
#[derive(Debug)]
pub(crate) struct RangeEncoder {
    low: u64,
    range: u32,
    cache: u8,
    pending: u64,
    bytes: Vec<u8>,
}

#[cfg(feature = "encode")]
impl RangeEncoder {
    pub(crate) fn new() -> RangeEncoder {
        RangeEncoder { low: 0, range: u32::MAX, cache: 0, pending: 1, bytes: Vec::new() }
    }

    #[inline]
    fn shift(&mut self) {
        if self.low < 0xFF00_0000 || self.low > 0xFFFF_FFFF {
            let carry = (self.low >> 32) as u8;
            self.bytes.push(self.cache.wrapping_add(carry));
            for _ in 1..self.pending {
                self.bytes.push(0xFFu8.wrapping_add(carry));
            }
            self.pending = 0;
            self.cache = (self.low >> 24) as u8;
        }
        self.pending += 1;
        self.low = (self.low & 0x00FF_FFFF) << 8;
    }

    /// The bytes so far, in full; bytes at the end that a decoder would read as zeros are left out.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        // Any value within the range will do: one that ends in zeros is shorter.
        let top = self.low + u64::from(self.range) - 1;
        for keep in [0xFF00_0000u64, 0xFFFF_0000, 0xFFFF_FF00] {
            let value = top & (keep | !0xFFFF_FFFF);
            if value >= self.low {
                self.low = value;
                break;
            }
        }
        for _ in 0..5 {
            self.shift();
        }
        // The first byte is always 0 and not stored.
        self.bytes.remove(0);
        while self.bytes.last() == Some(&0) {
            self.bytes.pop();
        }
        self.bytes
    }
}

#[cfg(feature = "encode")]
impl BitCoder for RangeEncoder {
    #[inline]
    fn bit(&mut self, model: &mut Bit, bit: bool) -> bool {
        let bound = (self.range >> 15) * u32::from(model.zero);
        if bit {
            self.low += u64::from(bound);
            self.range -= bound;
        } else {
            self.range = bound;
        }
        model.learn(bit);
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
        bit
    }

    #[inline]
    fn even(&mut self, value: u32, count: u32) -> u32 {
        let value = value & ((1 << count) - 1);
        self.range >>= count;
        self.low += u64::from(self.range) * u64::from(value);
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
        value
    }
}

/// Reads what [`RangeEncoder`] wrote. Past the end it reads zeros, as many as are asked for.
#[derive(Debug)]
pub(crate) struct RangeDecoder<'a> {
    code: u32,
    range: u32,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> RangeDecoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> RangeDecoder<'a> {
        let mut decoder = RangeDecoder { code: 0, range: u32::MAX, bytes, at: 0 };
        for _ in 0..4 {
            decoder.code = decoder.code << 8 | decoder.next();
        }
        decoder
    }

    #[inline]
    fn next(&mut self) -> u32 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        u32::from(byte)
    }
}

impl BitCoder for RangeDecoder<'_> {
    #[inline]
    fn bit(&mut self, model: &mut Bit, _: bool) -> bool {
        let bound = (self.range >> 15) * u32::from(model.zero);
        let bit = self.code >= bound;
        let mask = 0u32.wrapping_sub(u32::from(bit));
        self.code -= bound & mask;
        self.range = bound.wrapping_add(self.range.wrapping_sub(bound).wrapping_sub(bound) & mask);
        model.learn(bit);
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.code = self.code << 8 | self.next();
        }
        bit
    }

    #[inline]
    fn even(&mut self, _: u32, count: u32) -> u32 {
        self.range >>= count;
        let value = (self.code / self.range).min((1 << count) - 1);
        self.code -= value * self.range;
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.code = self.code << 8 | self.next();
        }
        value
    }
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use super::*;

    fn noise(count: usize) -> Vec<u32> {
        let mut state = 1u64;
        (0..count)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 40) as u32
            })
            .collect()
    }

    #[test]
    fn what_is_written_is_read() {
        for count in [0, 1, 2, 10, 5000] {
            let values = noise(count);
            let mut encoder = RangeEncoder::new();
            let mut models = [Bit::new(0x8000); 4];
            for &value in &values {
                encoder.bit(&mut models[value as usize & 3], value >> 8 & 0xFF < 9);
                encoder.even(value, 1 + value % 16);
            }
            let bytes = encoder.finish();
            let mut decoder = RangeDecoder::new(&bytes);
            let mut models = [Bit::new(0x8000); 4];
            for &value in &values {
                let bits = 1 + value % 16;
                assert_eq!(decoder.bit(&mut models[value as usize & 3], false), value >> 8 & 0xFF < 9);
                assert_eq!(decoder.even(0, bits), value & ((1 << bits) - 1));
            }
        }
    }

    #[test]
    fn rare_bits_are_nearly_free() {
        let mut encoder = RangeEncoder::new();
        let mut model = Bit::new(0x8000);
        for i in 0..80_000 {
            encoder.bit(&mut model, i % 1000 == 999);
        }
        // The entropy is 0.0114 bits a bit.
        assert!(encoder.finish().len() < 170, "more than 1.5 times the entropy");
    }
}
