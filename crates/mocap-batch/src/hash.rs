//! The hash that identifies the content of files: XXH3, 128 bits, written as 32 hexadecimal digits.
//!
//! It detects changed and damaged files. It does not protect against deliberate manipulation.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// The name of the hash in manifests.
pub(crate) const NAME: &str = "xxh3-128";

/// The hash of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash(u128);

/// The content of a file: its size and hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Content {
    /// The size (bytes).
    pub bytes: u64,
    /// The hash of all bytes.
    pub hash: Hash,
}

impl Hash {
    /// The hash of some bytes.
    pub(crate) fn of(bytes: &[u8]) -> Hash {
        Hash(xxh3_128(bytes))
    }

    /// The first eight digits: enough to distinguish a handful of things.
    pub(crate) fn short(self) -> String {
        self.to_string()[..8].to_owned()
    }
}

impl Content {
    /// The content that these bytes are.
    pub fn of(bytes: &[u8]) -> Content {
        Content { bytes: bytes.len() as u64, hash: Hash::of(bytes) }
    }

    /// The content of a file, which is read in pieces.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn of_file(path: &Path) -> io::Result<Content> {
        let mut file = File::open(path)?;
        let (mut hasher, mut piece, mut bytes) = (Hasher::default(), vec![0; 1 << 16], 0);
        loop {
            match file.read(&mut piece) {
                Ok(0) => return Ok(Content { bytes, hash: hasher.hash() }),
                Ok(read) => {
                    hasher.update(&piece[..read]);
                    bytes += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether a file has this content. One of another size is not read.
    pub fn is_of(&self, path: &Path) -> bool {
        let same_size = path.metadata().is_ok_and(|data| data.is_file() && data.len() == self.bytes);
        same_size && Content::of_file(path).is_ok_and(|found| found == *self)
    }
}

/// Hashes bytes that come in pieces.
#[derive(Default)]
pub(crate) struct Hasher(Xxh3);

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn hash(&self) -> Hash {
        Hash(self.0.digest128())
    }
}

impl From<Hash> for u128 {
    fn from(hash: Hash) -> u128 {
        hash.0
    }
}

impl From<u128> for Hash {
    fn from(hash: u128) -> Hash {
        Hash(hash)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for Hash {
    type Err = String;

    fn from_str(text: &str) -> Result<Hash, String> {
        let digits = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let value = u128::from_str_radix(text, 16).ok().filter(|_| digits);
        value.map(Hash).ok_or_else(|| format!("'{text}' is not a hash of 32 hexadecimal digits"))
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for Hash {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Hash".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9a-f]{32}$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_xxh3_and_the_same_in_pieces() {
        // The published hash of zero bytes.
        assert_eq!(Hash::of(b"").to_string(), "99aa06d3014798d86001c324468d497f");
        let bytes: Vec<u8> = (0..200_000u32).map(|i| (i % 251) as u8).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(Content::of_file(&path).unwrap(), Content::of(&bytes));
        assert!(Content::of(&bytes).is_of(&path));
        assert!(!Content::of(&bytes[1..]).is_of(&path));
        let text = Hash::of(&bytes).to_string();
        assert_eq!(text.parse(), Ok(Hash::of(&bytes)));
        assert!(text[1..].parse::<Hash>().is_err() && format!("+{}", &text[1..]).parse::<Hash>().is_err());
    }
}
