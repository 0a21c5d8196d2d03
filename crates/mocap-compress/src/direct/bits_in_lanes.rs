//! Numbers of any width, read for eight tracks side by side.

use crate::bits::BitReader;
use crate::lanes::LANES;
use fearless_simd::{Simd, mask32x8, prelude::*, u8x32, u32x8, u64x4};

/// Number of bits that a 64-bit word holds, starting at any bit of its first byte.
pub(super) const WORD: u32 = 57;

/// Number of bits of three numbers that half a word holds.
pub(super) const NARROW: u32 = 32;

/// A word of each lane, read from the byte of a place on, the lowest byte first: of even lanes and of odd ones.
#[derive(Clone, Copy)]
pub(super) struct Words<S: Simd>([u64x4<S>; 2]);

impl<S: Simd> Words<S> {
    /// The words at some bits. `inside`: all are whole.
    #[inline(always)]
    pub(super) fn fetch(simd: S, bytes: &[u8], places: u32x8<S>, inside: bool) -> Words<S> {
        // In memory, so that each is one load: taken from a register, a lane takes two steps.
        let at: [u32; LANES] = std::hint::black_box((places >> 3).into());
        if !inside || bytes.len() < 8 {
            let [even, odd] = words_at_end(bytes, at);
            return Words([u64x4::simd_from(simd, even), u64x4::simd_from(simd, odd)]);
        }
        let [a, b, c, d, e, f, g, h] = at;
        // The only test of a lane; it never fails.
        let limit = bytes.len() - 7;
        let word = |at: u32| {
            let at = at as usize;
            assert!(at < limit);
            first_word(&bytes[at..at + 8])
        };
        let even = u64x4::simd_from(simd, [word(a), word(c), word(e), word(g)]);
        Words([even, u64x4::simd_from(simd, [word(b), word(d), word(f), word(h)])])
    }

    /// The bits from the places on.
    #[inline(always)]
    pub(super) fn heads(self, simd: S, places: u32x8<S>) -> Heads<S> {
        const SWAP: [u8; 32] = [
            7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11,
            10, 9, 8,
        ];
        let swap = u8x32::simd_from(simd, SWAP);
        let [even, odd] = self.0;
        Heads([even.swizzle_dyn_within_blocks(swap), odd.swizzle_dyn_within_blocks(swap)]).after(places & 7)
    }
}

/// Whether the words from some bits on are whole, up to the last one of them.
#[inline(always)]
pub(super) fn inside(bytes: &[u8], last: u32) -> bool {
    last as usize / 8 + 8 <= bytes.len()
}

/// The first eight bytes, the lowest first.
#[inline(always)]
fn first_word(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Words of even and of odd lanes; zeros beyond the end.
#[cold]
#[inline(never)]
fn words_at_end(bytes: &[u8], at: [u32; LANES]) -> [[u64; LANES / 2]; 2] {
    let mut words = [[0; LANES / 2]; 2];
    for lane in 0..LANES {
        let rest = bytes.get(at[lane] as usize..).unwrap_or(&[]);
        let word = rest.iter().take(8).rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        words[lane % 2][lane / 2] = word;
    }
    words
}

/// The next bits of each lane at the top of a word: of even lanes and of odd ones, which need no shuffles.
#[derive(Clone, Copy)]
pub(super) struct Heads<S: Simd>([u64x4<S>; 2]);

impl<S: Simd> Heads<S> {
    /// The bits behind so many.
    #[inline(always)]
    pub(super) fn after(self, by: u32x8<S>) -> Heads<S> {
        let [even, odd] = self.0;
        let by: u64x4<S> = by.bitcast();
        Heads([even << (by & 0xFFFF_FFFF), odd << (by >> 32)])
    }

    /// The highest 32 bits.
    #[inline(always)]
    fn top(self, simd: S) -> u32x8<S> {
        let [even, odd] = self.0;
        let odd_lanes = mask32x8::simd_from(simd, [0, -1, 0, -1, 0, -1, 0, -1]);
        odd_lanes.select(odd.bitcast(), (even >> 32).bitcast())
    }

    /// Three numbers of some widths, each at the top of 32 bits, and what follows them. `narrow`: there are at most
    /// [`NARROW`] bits.
    #[inline(always)]
    pub(super) fn three(self, simd: S, widths: &[u32x8<S>; 3], narrow: bool) -> [u32x8<S>; 4] {
        let first = self.top(simd);
        let [second, third] = if narrow {
            let second = first << widths[0];
            [second, second << widths[1]]
        } else {
            let second = self.after(widths[0]);
            [second.top(simd), second.after(widths[1]).top(simd)]
        };
        [first, second, third, third << widths[2]]
    }
}

/// Like [`Heads::three`], for numbers of some widths that may exceed a word; the last one is followed by one bit.
#[cold]
#[inline(never)]
pub(super) fn long_three(bytes: &[u8], places: [u32; LANES], widths: [[u32; LANES]; 3]) -> [[u32; LANES]; 4] {
    let mut three = [[0; LANES]; 4];
    for lane in 0..LANES {
        let mut reader = BitReader::new(bytes, places[lane] as usize);
        let [a, b, c] = widths.map(|widths| widths[lane]);
        for (axis, width) in [a, b, c, 1].into_iter().enumerate() {
            three[axis][lane] = (u64::from(reader.take(width)) << (32 - width)) as u32;
        }
    }
    three
}
