//! The widths of three numbers that are stored together.

/// The bits that a word of 64 bits holds from any bit of its first byte on.
const WORD: u32 = 57;

/// The widths of three numbers in the bytes of a word; the highest one has the bits of all together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Widths(pub(super) u32);

impl Widths {
    /// Of numbers of a segment: a bit behind them says whether they are odd.
    pub(super) fn of_level([a, b, c]: [u32; 3]) -> Widths {
        Widths(a | b << 8 | c << 16 | (a + b + c + 1) << 24)
    }

    /// Of numbers of a row.
    pub(super) fn of_row([a, b, c]: [u32; 3]) -> Widths {
        Widths(a | b << 8 | c << 16 | (a + b + c) << 24)
    }

    /// The bits of all.
    #[inline(always)]
    pub(super) fn all(self) -> u32 {
        self.0 >> 24
    }

    /// Whether a word may hold less than all.
    pub(super) fn is_long(self) -> bool {
        self.all() > WORD
    }
}
