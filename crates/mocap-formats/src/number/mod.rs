//! Numbers in text: read to the bit as [`str::parse`] does and written in the fewest digits, but several times faster.

mod rewrite;
mod scan;
mod values;
mod widest;
mod words;
mod write;

pub(crate) use rewrite::{rewrite_word, rewrite_words};
pub(crate) use scan::scan_word;
pub use scan::{scan, scan_not_finite};
pub(crate) use values::{MOST_WORDS, read_words};
pub(crate) use widest::widest;
pub(crate) use words::{Words, scan_words};
pub use write::write;
pub(crate) use write::{nearest, write_words};
