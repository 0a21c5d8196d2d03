//! An arithmetic coder with adaptive probabilities of bits and of sixteen symbols.
//!
//! Based on: G. N. N. Martin, "Range encoding", 1979, in the carry-propagating form of I. Pavlov's LZMA; a
//! probability is the mean of a fast and a slow estimate.

use wide::{i16x8, u16x8};

/// The adaptive probability of a 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bit {
    fast: u16,
    slow: u16,
    /// The number of bits seen, capped.
    seen: u16,
    /// Both estimates combined, precomputed so that a decoder need not wait for it.
    zero: u16,
    #[cfg(test)]
    pub(crate) counts: [u32; 2],
}

const FAST: u16 = 4;
const SLOW: u16 = 7;
/// From this many bits on, the slow estimate adapts at its final rate.
const LEARNT: u16 = 12;

impl Bit {
    /// A bit with about this probability of 0, out of 65536; at most 65520, the greatest value of the
    /// estimates.
    pub(crate) const fn new(zero: u16) -> Bit {
        debug_assert!(zero <= 0xFFF0);
        Bit {
            fast: zero,
            slow: zero,
            seen: 6,
            zero: Bit::mean(zero, zero),
            #[cfg(test)]
            counts: [0; 2],
        }
    }

    /// The probability of a 0 out of 2^15, never 0 nor 2^15.
    #[inline]
    const fn mean(fast: u16, slow: u16) -> u16 {
        ((fast as u32 + slow as u32) >> 2) as u16 + 1
    }

    #[inline]
    pub(crate) fn learn(&mut self, bit: bool) {
        #[cfg(test)]
        {
            self.counts[usize::from(bit)] += 1;
        }
        // Most models have reached their final rates, which are constants.
        if self.seen == LEARNT {
            return self.follow(bit, FAST, SLOW);
        }
        let slow = (self.seen / 2 + 1).min(SLOW);
        self.seen += 1;
        self.follow(bit, slow.min(FAST), slow);
    }

    #[inline(always)]
    fn follow(&mut self, bit: bool, fast: u16, slow: u16) {
        // Without a branch, because the bits are nearly random.
        let target = if bit { 0 } else { 0xFFFF };
        let towards = |from: u16, pace: u16| (i32::from(from) + ((target - i32::from(from)) >> pace)) as u16;
        self.fast = towards(self.fast, fast);
        self.slow = towards(self.slow, slow);
        self.zero = Bit::mean(self.fast, self.slow);
    }
}

/// The number of symbols of a [`Symbols`].
pub(crate) const SYMBOLS: usize = 16;
/// Sum of the probabilities of all symbols in an estimate.
pub(crate) const WHOLE: u16 = 65504;
const SYMBOL_FAST: u16 = 5;
const SYMBOL_SLOW: u16 = 8;

/// A number of each of sixteen symbols, side by side (SIMD).
type Row = [u16x8; 2];

const INDICES: Row = [u16x8::new([0, 1, 2, 3, 4, 5, 6, 7]), u16x8::new([8, 9, 10, 11, 12, 13, 14, 15])];

/// All ones for each number that is greater than a value; both are below 2^15.
#[inline(always)]
fn above(row: Row, value: u16) -> Row {
    let value = i16x8::splat(value as i16);
    row.map(|half| half.cast_signed().simd_gt(value).cast_unsigned())
}

/// Adaptive probabilities of sixteen symbols. Each estimate is cumulative: by symbol, the sum over all symbols
/// below it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbols {
    fast: Row,
    slow: Row,
    /// The number of symbols seen, capped.
    seen: u16,
    #[cfg(test)]
    pub(crate) counts: [u32; SYMBOLS],
}

impl Symbols {
    /// Symbols with about these cumulative probabilities, out of [`WHOLE`]; the first is 0.
    pub(crate) fn new(below: [u16; SYMBOLS]) -> Symbols {
        let row = [0, 8].map(|first| u16x8::new(std::array::from_fn(|at| below[first + at])));
        Symbols {
            fast: row,
            slow: row,
            seen: 6,
            #[cfg(test)]
            counts: [0; SYMBOLS],
        }
    }

    /// Symbols that are equally likely.
    pub(crate) fn unknown() -> Symbols {
        let below = std::array::from_fn(|at| WHOLE / SYMBOLS as u16 * at as u16);
        Symbols { seen: 0, ..Symbols::new(below) }
    }

    /// By symbol: the cumulative probability below it, out of 2^15. No symbol has probability 0.
    #[inline(always)]
    fn bounds(&self) -> Row {
        let bounds = |half: usize| INDICES[half] + (self.fast[half] >> 2u32) + (self.slow[half] >> 2u32);
        [bounds(0), bounds(1)]
    }

    /// Learns a symbol.
    #[cfg(feature = "encode")]
    fn see(&mut self, symbol: usize) {
        self.learn(symbol, above(INDICES, symbol as u16));
    }

    /// Updates with a symbol, given as the mask of the symbols above it, whose cumulative estimates rise.
    #[inline(always)]
    fn learn(&mut self, symbol: usize, rises: Row) {
        #[cfg(test)]
        {
            self.counts[symbol] += 1;
        }
        let _ = symbol;
        // Most models have reached their final rates, which are constants.
        if self.seen == LEARNT {
            follow(&mut self.fast, rises, SYMBOL_FAST);
            return follow(&mut self.slow, rises, SYMBOL_SLOW);
        }
        let slow = (self.seen / 2 + 2).min(SYMBOL_SLOW);
        self.seen += 1;
        follow(&mut self.fast, rises, slow.min(SYMBOL_FAST));
        follow(&mut self.slow, rises, slow);
    }
}

/// The interval of a symbol among its bounds.
#[inline(always)]
fn ends(bounds: Row, symbol: usize) -> (u32, u32) {
    let mut row = [1 << 15; SYMBOLS + 1];
    row[..8].copy_from_slice(&bounds[0].to_array());
    row[8..SYMBOLS].copy_from_slice(&bounds[1].to_array());
    (u32::from(row[symbol % SYMBOLS]), u32::from(row[symbol % SYMBOLS + 1]))
}

/// Moves an estimate towards [`WHOLE`] where it rises, and towards 0 elsewhere.
#[inline(always)]
fn follow(estimate: &mut Row, rises: Row, pace: u16) {
    for (below, rises) in estimate.iter_mut().zip(rises) {
        // The way to the target: below, or WHOLE - below = !below + WHOLE + 1.
        let way = (*below ^ rises) + (rises & u16x8::splat(WHOLE + 1));
        // Its part is taken off, or added: -step = !step + 1.
        *below = *below - ((way >> u32::from(pace)) ^ rises) + rises;
    }
}

/// Common interface of encoder and decoder, so that a model is written only once. An encoder returns the given
/// bits, a decoder those that it reads.
pub(crate) trait BitCoder {
    /// Codes a bit whose probability of 0 is `zero` out of 2^15, neither 0 nor 2^15.
    fn chance(&mut self, zero: u32, bit: bool) -> bool;
    /// Codes a bit with an adaptive probability.
    #[inline]
    fn bit(&mut self, model: &mut Bit, bit: bool) -> bool {
        let bit = self.chance(u32::from(model.zero), bit);
        model.learn(bit);
        bit
    }
    /// Codes a symbol with adaptive chances.
    fn symbol(&mut self, model: &mut Symbols, symbol: usize) -> usize;
    /// Codes the low `count` (at most 16) bits of a value with equal probabilities.
    fn even(&mut self, value: u32, count: u32) -> u32;
}

/// Writes nothing and does not update models.
pub(crate) struct Discard;

impl BitCoder for Discard {
    fn chance(&mut self, _: u32, bit: bool) -> bool {
        bit
    }

    fn bit(&mut self, _: &mut Bit, bit: bool) -> bool {
        bit
    }

    fn symbol(&mut self, _: &mut Symbols, symbol: usize) -> usize {
        symbol
    }

    fn even(&mut self, value: u32, count: u32) -> u32 {
        value & ((1 << count) - 1)
    }
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

    /// Completes the bytes; trailing bytes that a decoder would read as zeros are left out.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        // Any value within the range is valid: one that ends in zeros is shorter.
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
    fn chance(&mut self, zero: u32, bit: bool) -> bool {
        let bound = (self.range >> 15) * zero;
        if bit {
            self.low += u64::from(bound);
            self.range -= bound;
        } else {
            self.range = bound;
        }
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
        bit
    }

    #[inline]
    fn symbol(&mut self, model: &mut Symbols, symbol: usize) -> usize {
        let (low, high) = ends(model.bounds(), symbol);
        self.range >>= 15;
        self.low += u64::from(self.range) * u64::from(low);
        self.range *= high - low;
        model.learn(symbol, above(INDICES, symbol as u16));
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
        symbol
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

/// Counts the bits that would be written.
#[cfg(feature = "encode")]
#[derive(Debug)]
pub(crate) struct Meter {
    pub(crate) bits: f64,
    learns: bool,
}

/// Bits by probability out of 2^12.
#[cfg(feature = "encode")]
static BITS: std::sync::LazyLock<[f64; 4097]> =
    std::sync::LazyLock::new(|| std::array::from_fn(|chance| 12.0 - (chance.max(1) as f64).log2()));

#[cfg(feature = "encode")]
impl Meter {
    /// A meter that updates models as an encoder does.
    pub(crate) fn learning() -> Meter {
        Meter { bits: 0.0, learns: true }
    }

    /// A meter that leaves models unchanged.
    pub(crate) fn looking() -> Meter {
        Meter { bits: 0.0, learns: false }
    }

    /// Adds the bits of an event with this probability out of 2^15.
    #[inline]
    fn add(&mut self, chance: u32) {
        let rare = chance < 512;
        self.bits += BITS[(if rare { chance } else { chance >> 3 }) as usize] + if rare { 3.0 } else { 0.0 };
    }
}

#[cfg(feature = "encode")]
impl BitCoder for Meter {
    #[inline]
    fn chance(&mut self, zero: u32, bit: bool) -> bool {
        self.add(if bit { 0x8000 - zero } else { zero });
        bit
    }

    #[inline]
    fn bit(&mut self, model: &mut Bit, bit: bool) -> bool {
        self.chance(u32::from(model.zero), bit);
        if self.learns {
            model.learn(bit);
        }
        bit
    }

    #[inline]
    fn symbol(&mut self, model: &mut Symbols, symbol: usize) -> usize {
        let (low, high) = ends(model.bounds(), symbol);
        self.add(high - low);
        if self.learns {
            model.see(symbol);
        }
        symbol
    }

    #[inline]
    fn even(&mut self, value: u32, count: u32) -> u32 {
        self.bits += f64::from(count);
        value & ((1 << count) - 1)
    }
}

/// Reads the output of [`RangeEncoder`]. Beyond the end it reads zeros.
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
    fn chance(&mut self, zero: u32, _: bool) -> bool {
        let bound = (self.range >> 15) * zero;
        let bit = self.code >= bound;
        let mask = 0u32.wrapping_sub(u32::from(bit));
        self.code -= bound & mask;
        self.range = bound.wrapping_add(self.range.wrapping_sub(bound).wrapping_sub(bound) & mask);
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.code = self.code << 8 | self.next();
        }
        bit
    }

    #[inline]
    fn symbol(&mut self, model: &mut Symbols, _: usize) -> usize {
        let bounds = model.bounds();
        self.range >>= 15;
        let value = (self.code / self.range).min(0x7FFF) as u16;
        // The first bound is 0: never above.
        let [first, second] = above(bounds, value);
        let rising = first.to_bitmask() | second.to_bitmask() << 8 | 1 << SYMBOLS;
        let symbol = (rising.trailing_zeros() - 1) as usize % SYMBOLS;
        let (low, high) = ends(bounds, symbol);
        self.code -= low * self.range;
        self.range *= high - low;
        model.learn(symbol, [first, second]);
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.code = self.code << 8 | self.next();
        }
        symbol
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
            let mut symbols = Symbols::unknown();
            for &value in &values {
                encoder.symbol(&mut symbols, (value >> 4 & value & 0xF) as usize);
                encoder.bit(&mut models[value as usize & 3], value >> 8 & 0xFF < 9);
                encoder.even(value, 1 + value % 16);
            }
            let bytes = encoder.finish();
            let mut decoder = RangeDecoder::new(&bytes);
            let mut models = [Bit::new(0x8000); 4];
            let mut symbols = Symbols::unknown();
            for &value in &values {
                assert_eq!(decoder.symbol(&mut symbols, 0), (value >> 4 & value & 0xF) as usize);
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
        // The entropy is 0.0114 bits per bit.
        assert!(encoder.finish().len() < 170, "more than 1.5 times the entropy");
    }

    #[test]
    fn frequent_symbols_cost_their_entropy() {
        let mut encoder = RangeEncoder::new();
        let mut model = Symbols::unknown();
        for value in noise(80_000) {
            // Two of three symbols are 5, the others are mixed.
            encoder.symbol(&mut model, if value % 3 > 0 { 5 } else { (value >> 8) as usize % 16 });
        }
        // The entropy is 2.2 bits per symbol.
        let bits = encoder.finish().len() as f64 * 8.0 / 80_000.0;
        assert!(bits < 2.3, "{bits}");
    }
}
