//! An index: the motions of a database in few bytes, and a search in them that looks at little of each.
//!
//! A search has two passes. The first warps short keys (wrists, ankles, travel and turn), averaged over so many samples
//! that the query has a handful of them. The second is the exact search, at the places that the first found best. It
//! sees points rounded to a hundredth of their reach, so distances differ from those of the exact search by less than a
//! hundredth of a leg's length.
//!
//! A graph of nearest neighbours (HNSW) would find single samples faster, but not ranges at another speed; its links
//! alone take what all of this takes, and it changes with the order of insertion.

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
    /// How the files were read: indexes of other options are not comparable.
    pub options: String,
    /// The files and directories that it was made of.
    pub inputs: Vec<String>,
    /// What files of directories have to match to be taken, and to be left out.
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
    /// One a sample.
    codes: Vec<[u8; BYTES]>,
}

impl IndexedMotion {
    /// A motion in few bytes.
    pub fn new(motion: &Motion) -> IndexedMotion {
        let coarse = motion.coarse();
        let mut codes = Vec::with_capacity(coarse.samples.len() * BYTES);
        coarse.samples.iter().for_each(|sample| codes::encode(sample, &mut codes));
        IndexedMotion { duration: motion.duration, codes: codes.as_chunks().0.to_vec() }
    }

    /// A range of the motion as the exact search sees it.
    fn motion(&self, range: std::ops::Range<usize>) -> Motion {
        let samples = self.codes[range].iter().map(codes::decode).collect();
        Motion { samples, rate: RATE, duration: self.duration, leg: 1.0, metres: None }
    }
}

impl Index {
    /// The motions that can be searched, with their places.
    pub fn motions(&self) -> impl Iterator<Item = (usize, &IndexedMotion)> {
        self.clips.iter().enumerate().filter_map(|(at, clip)| Some((at, clip.motion.as_ref().ok()?)))
    }

    /// The duration of all motions \[s\].
    pub fn duration(&self) -> f64 {
        self.motions().map(|(_, motion)| motion.duration).sum()
    }
}
