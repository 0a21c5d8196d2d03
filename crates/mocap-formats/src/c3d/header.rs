//! The header of a file.

use super::number::Processor;

/// The first block of a file.
pub(super) struct Header<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) processor: Processor,
}

impl Header<'_> {
    /// A word by its number, from 1; 0 behind the end of the file.
    pub(super) fn word(&self, number: usize) -> u16 {
        let at = 2 * (number - 1);
        self.bytes.get(at..at + 2).map_or(0, |word| self.processor.word([word[0], word[1]]))
    }

    /// The float in a word and the one behind it.
    pub(super) fn float(&self, number: usize) -> f32 {
        let at = 2 * (number - 1);
        self.bytes
            .get(at..at + 4)
            .map_or(0.0, |four| self.processor.float([four[0], four[1], four[2], four[3]]))
    }
}
