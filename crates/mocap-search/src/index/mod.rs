//! An index: compact codes of the motions of a database, and a search in several passes.
//!
//! The first passes warp short keys (wrists, ankles, travel and turn), averaged over so many samples that the query has
//! only a few of them. The last pass is the exact search at the best places. Points are quantised, so distances differ
//! from those of the exact search by less than a hundredth of a leg's length.
//!
//! A graph of nearest neighbours (HNSW) would find single samples faster, but not ranges at another speed; its links
//! alone would take as much memory as this index, and it depends on the order of insertion.

mod codes;
mod file;
mod search;

pub use file::{IndexError, MAGIC, VERSION};
pub use search::Searcher;

use crate::motion::{Motion, RATE};
use codes::BYTES;

/// An index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Index {
    /// The options with which files were read: indexes with different options are not comparable.
    pub options: String,
    /// The files and directories that it was made of.
    pub inputs: Vec<String>,
    /// Globs of files in directories to take, and to leave out.
    pub filters: [Vec<String>; 2],
    /// In the order of the inputs.
    pub clips: Vec<IndexedClip>,
}

/// A clip of an index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexedClip {
    /// The clip of a file with several.
    pub part: Option<String>,
    /// The files that it was read from: the first is that of the clip. At least one.
    pub files: Vec<IndexedFile>,
    /// Its motion, or why it cannot be searched.
    pub motion: Result<IndexedMotion, String>,
}

/// A file that a clip was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedFile {
    /// Its path.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// The hash of its content.
    pub hash: u128,
}

/// A motion of an index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexedMotion {
    /// The duration of the clip \[s\].
    pub duration: f64,
    /// One per sample.
    codes: Vec<[u8; BYTES]>,
}

impl IndexedMotion {
    /// Encodes a motion.
    pub fn new(motion: &Motion) -> IndexedMotion {
        let coarse = motion.coarse();
        let mut codes = Vec::with_capacity(coarse.samples.len() * BYTES);
        coarse.samples.iter().for_each(|sample| codes::encode(sample, &mut codes));
        IndexedMotion { duration: motion.duration, codes: codes.as_chunks().0.to_vec() }
    }

    /// Decodes a range of the motion for the exact search.
    fn motion(&self, range: std::ops::Range<usize>) -> Motion {
        let samples = self.codes[range].iter().map(codes::decode).collect();
        Motion { samples, rate: RATE, duration: self.duration, leg: 1.0, metres: None }
    }
}

impl Index {
    /// The motions that can be searched, with the indices of their clips.
    pub fn motions(&self) -> impl Iterator<Item = (usize, &IndexedMotion)> {
        self.clips.iter().enumerate().filter_map(|(at, clip)| Some((at, clip.motion.as_ref().ok()?)))
    }

    /// The duration of all motions \[s\].
    pub fn duration(&self) -> f64 {
        self.motions().map(|(_, motion)| motion.duration).sum()
    }
}
