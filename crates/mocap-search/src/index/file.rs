//! The file of an index. Numbers are little-endian; a text is its length (`u32`) and UTF-8.
//!
//! | part | content |
//! |---|---|
//! | start | [`MAGIC`], version (`u32`), hash of all that follows (XXH3, `u64`) |
//! | options | text; then lists of texts (count as `u32`): inputs, filters to take, filters to leave out |
//! | clips | count (`u32`); for each: part (`u8` whether there is one, text), files (count, then path, size `u64`, hash `u128`), kind (`u8`) |
//! | kind 0 | duration (`f64`), samples (`u32`) |
//! | kind 1 | text: why the clip cannot be searched |
//! | codes | of all motions in turn: 44 bytes a sample, see `codes` |

use super::codes::BYTES;
use super::{Index, IndexedClip, IndexedFile, IndexedMotion};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of an index.
pub const MAGIC: &[u8; 8] = b"mocapidx";
/// The version that is written. It is increased when the format or the meaning of codes changes.
pub const VERSION: u32 = 2;

/// Why some bytes are not an index.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IndexError {
    /// There are none.
    #[error("the file is empty, not an index of motions")]
    Empty,
    /// They do not start with [`MAGIC`].
    #[error("it is not an index of motions")]
    Other,
    /// Another version.
    #[error("the index has version {found}; this program reads version {VERSION}")]
    Version {
        /// The version.
        found: u32,
    },
    /// They were changed, or end too early.
    #[error("the index is damaged: {what}")]
    Damaged {
        /// What is wrong.
        what: &'static str,
    },
}

const fn damaged(what: &'static str) -> IndexError {
    IndexError::Damaged { what }
}

impl Index {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        text(&mut body, &self.options);
        for list in [&self.inputs, &self.filters[0], &self.filters[1]] {
            count(&mut body, list.len());
            list.iter().for_each(|item| text(&mut body, item));
        }
        count(&mut body, self.clips.len());
        for clip in &self.clips {
            body.push(u8::from(clip.part.is_some()));
            text(&mut body, clip.part.as_deref().unwrap_or_default());
            count(&mut body, clip.files.len());
            for file in &clip.files {
                text(&mut body, &file.path);
                body.extend(file.bytes.to_le_bytes());
                body.extend(file.hash.to_le_bytes());
            }
            match &clip.motion {
                Ok(motion) => {
                    body.push(0);
                    body.extend(motion.duration.to_le_bytes());
                    count(&mut body, motion.codes.len());
                }
                Err(why) => {
                    body.push(1);
                    text(&mut body, why);
                }
            }
        }
        self.motions().for_each(|(_, motion)| body.extend(motion.codes.as_flattened()));
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(xxh3_64(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// The index of a file.
    ///
    /// # Errors
    /// Where the bytes are not an index of this version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Index, IndexError> {
        if bytes.is_empty() {
            return Err(IndexError::Empty);
        }
        let rest = bytes.strip_prefix(MAGIC).ok_or(IndexError::Other)?;
        let mut read = Reader { rest };
        let found = read.u32()?;
        if found != VERSION {
            return Err(IndexError::Version { found });
        }
        let hash = u64::from_le_bytes(*read.array()?);
        if xxh3_64(read.rest) != hash {
            return Err(damaged("its hash is another"));
        }
        let options = read.text()?;
        let [inputs, takes, leaves] =
            [read.list(Reader::text)?, read.list(Reader::text)?, read.list(Reader::text)?];
        let parsed = read.list(Reader::clip)?;
        let mut clips = Vec::with_capacity(parsed.len());
        for (mut clip, samples) in parsed {
            if let Ok(motion) = &mut clip.motion {
                let size = samples.checked_mul(BYTES).ok_or(damaged("a motion is too long"))?;
                motion.codes = read.bytes(size)?.as_chunks().0.to_vec();
            }
            clips.push(clip);
        }
        if !read.rest.is_empty() {
            return Err(damaged("bytes follow its end"));
        }
        Ok(Index { options, inputs, filters: [takes, leaves], clips })
    }
}

/// The length of a list or text, which is always below 2³².
fn count(bytes: &mut Vec<u8>, count: usize) {
    bytes.extend(u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
}

fn text(bytes: &mut Vec<u8>, text: &str) {
    count(bytes, text.len());
    bytes.extend(text.as_bytes());
}

/// Reads from the front of some bytes.
struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    fn bytes(&mut self, count: usize) -> Result<&'b [u8], IndexError> {
        let (bytes, rest) = self.rest.split_at_checked(count).ok_or(damaged("it ends too early"))?;
        self.rest = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<&'b [u8; N], IndexError> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(damaged("it ends too early"))?;
        self.rest = rest;
        Ok(bytes)
    }

    fn u32(&mut self) -> Result<u32, IndexError> {
        self.array().map(|bytes| u32::from_le_bytes(*bytes))
    }

    fn text(&mut self) -> Result<String, IndexError> {
        let length = self.u32()? as usize;
        let bytes = self.bytes(length)?.to_vec();
        String::from_utf8(bytes).map_err(|_| damaged("a text is not UTF-8"))
    }

    /// Reads a list; memory grows with the items that are read, not with the stated count.
    fn list<T>(&mut self, item: impl Fn(&mut Self) -> Result<T, IndexError>) -> Result<Vec<T>, IndexError> {
        let count = self.u32()?;
        (0..count).map(|_| item(self)).collect()
    }

    fn file(&mut self) -> Result<IndexedFile, IndexError> {
        Ok(IndexedFile {
            path: self.text()?,
            bytes: u64::from_le_bytes(*self.array()?),
            hash: u128::from_le_bytes(*self.array()?),
        })
    }

    /// A clip without its samples, and the number of these.
    fn clip(&mut self) -> Result<(IndexedClip, usize), IndexError> {
        let has_part = self.array::<1>()?[0] == 1;
        let part = Some(self.text()?).filter(|_| has_part);
        let files = self.list(Reader::file)?;
        if files.is_empty() {
            return Err(damaged("a clip has no file"));
        }
        let (motion, samples) = match self.array::<1>()?[0] {
            0 => {
                let duration = f64::from_le_bytes(*self.array()?);
                if !(duration.is_finite() && duration >= 0.0) {
                    return Err(damaged("a clip has no duration"));
                }
                let samples = self.u32()? as usize;
                (Ok(IndexedMotion { duration, codes: Vec::new() }), samples)
            }
            1 => (Err(self.text()?), 0),
            _ => return Err(damaged("a clip is of an unknown kind")),
        };
        Ok((IndexedClip { part, files, motion }, samples))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{Motion, POINTS, RATE, Sample};

    fn index() -> Index {
        let sample = |at: usize| Sample {
            points: [[at as f32 * 0.01, -0.5, 0.25]; POINTS],
            velocity: [0.0, 0.1, 1.5],
            turn: -0.5,
        };
        let samples: Vec<Sample> = (0..30).map(sample).collect();
        let motion = Motion { samples, rate: RATE, duration: 2.45, leg: 90.0, metres: None };
        let file = |path: &str| IndexedFile { path: path.into(), bytes: 12, hash: 1 << 100 };
        let clip = |path: &str, part: Option<&str>, motion| IndexedClip {
            part: part.map(str::to_owned),
            files: vec![file(path), file("skeleton.asf")],
            motion,
        };
        Index {
            options: "--input-fps=30".into(),
            inputs: vec!["database".into()],
            filters: [vec!["*.bvh".into()], Vec::new()],
            clips: vec![
                clip("database/wälk.bvh", None, Ok(IndexedMotion::new(&motion))),
                clip("database/moves.glb", Some("kick"), Err("the skeleton is a robot".into())),
            ],
        }
    }

    #[test]
    fn an_index_comes_back_from_its_bytes() {
        let index = index();
        let bytes = index.to_bytes();
        assert_eq!(Index::from_bytes(&bytes).unwrap(), index);
        assert_eq!(bytes.len(), 310 + 30 * BYTES, "the layout of version 2 is kept");
    }

    #[test]
    fn no_damage_is_taken_for_an_index() {
        let bytes = index().to_bytes();
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 0x41;
            assert!(Index::from_bytes(&other).is_err(), "byte {at}");
            assert!(Index::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
        }
        assert_eq!(Index::from_bytes(b"HIERARCHY"), Err(IndexError::Other));
        assert_eq!(Index::from_bytes(b""), Err(IndexError::Empty));
        let mut newer = bytes.clone();
        newer[8] = 3;
        assert_eq!(Index::from_bytes(&newer), Err(IndexError::Version { found: 3 }));
    }

    #[test]
    fn damage_with_the_right_hash_is_an_error_or_an_index() {
        let bytes = index().to_bytes();
        for at in 20..bytes.len() {
            for value in [0, 0x7f, 0xff] {
                let mut other = bytes.clone();
                other[at] = value;
                let hash = xxh3_64(&other[20..]);
                other[12..20].copy_from_slice(&hash.to_le_bytes());
                let _ = Index::from_bytes(&other);
            }
        }
    }
}
