//! A shard: one part of the inputs, such as `2/3`, for several machines that share a database.
//!
//! The shard of an input is the XXH3 hash of its path below the common directory (written with `/`, 64 bits, no
//! seed) modulo the number of shards, plus one. It depends neither on the machine nor on the other files.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xxhash_rust::xxh3::xxh3_64;

use crate::portable;

/// The shard `index` of `count`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// Whether an input belongs to this shard, by its path below the common directory.
    pub fn takes(self, relative: &Path) -> bool {
        let hash = xxh3_64(&portable::bytes(relative));
        hash % u64::from(self.count) + 1 == u64::from(self.index)
    }

    /// All shards, given their number.
    pub(crate) fn all(count: u32) -> impl Iterator<Item = Shard> {
        (1..=count).map(move |index| Shard { index, count })
    }

    /// The number of shards.
    pub(crate) fn count(self) -> u32 {
        self.count
    }

    /// The shard in a file name: `2-of-3`.
    pub(crate) fn name(self) -> String {
        format!("{}-of-{}", self.index, self.count)
    }

    /// The shard of a name from [`Shard::name`].
    pub(crate) fn from_name(name: &str) -> Option<Shard> {
        Shard::new(name.split_once("-of-")?)
    }

    /// A shard from two unsigned numbers.
    fn new((index, count): (&str, &str)) -> Option<Shard> {
        let number =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?;
        let shard = Shard { index: number(index)?, count: number(count)? };
        (1..=shard.count).contains(&shard.index).then_some(shard)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let shard = text.split_once('/').and_then(Shard::new);
        shard.ok_or_else(|| "a shard is I/N with I from 1 to N, such as 1/3".into())
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl Serialize for Shard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Shard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Shard, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for Shard {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Shard".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9]+/[0-9]+$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_is_in_one_shard_and_stays_there() {
        let shards: Vec<Shard> = ["1/3", "2/3", "3/3"].map(|text| text.parse().unwrap()).into();
        let of = |path: &str| {
            let taken: Vec<usize> = (0..3).filter(|&i| shards[i].takes(Path::new(path))).collect();
            assert_eq!(taken.len(), 1, "{path}");
            taken[0] + 1
        };
        // Pinned: shards of one database are run by different versions on different machines.
        assert_eq!(["01/01_01.amc", "01/01_02.amc", "a.bvh", "b.bvh"].map(of), [1, 1, 3, 1]);
        let mut counts = [0; 3];
        for i in 0..3000 {
            counts[of(&format!("clips/{i:04}.bvh")) - 1] += 1;
        }
        assert!(counts.iter().all(|&count| (900..1100).contains(&count)), "{counts:?}");
    }

    #[test]
    fn shards_are_counted_from_one() {
        for wrong in ["0/3", "4/3", "1", "1/0", "a/b", "-1/3", "+1/3", "1/+3", "1/", ""] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
        assert!("1/1".parse::<Shard>().unwrap().takes(Path::new("x")));
        let shard: Shard = "2/3".parse().unwrap();
        assert_eq!((Shard::from_name(&shard.name()), Shard::from_name("4-of-3")), (Some(shard), None));
    }
}
