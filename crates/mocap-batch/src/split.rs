//! Parts of a data set for training, validation and test, such as `8:1:1`.
//!
//! The part of an input follows from the XXH3 hash of its path below the common directory (written with `/`, 64 bits,
//! seed 1): it depends neither on the machine nor on the other files, and not on how the inputs are sharded.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::portable;

/// Shares of training, validation and test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    shares: [u32; 3],
}

impl Split {
    /// The names of the parts.
    pub const PARTS: [&'static str; 3] = ["train", "val", "test"];

    /// The parts that are to have a share.
    ///
    /// ```
    /// let split: mocap_batch::Split = "9:1".parse()?;
    /// assert_eq!(split.wanted().collect::<Vec<_>>(), ["train", "val"]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn wanted(self) -> impl Iterator<Item = &'static str> {
        Split::PARTS.into_iter().zip(self.shares).filter(|(_, share)| *share > 0).map(|(part, _)| part)
    }

    /// The name of the part of an input, by its path below the common directory.
    ///
    /// ```
    /// let split: mocap_batch::Split = "8:1:1".parse()?;
    /// assert!(["train", "val", "test"].contains(&split.part("walks/01.bvh".as_ref())));
    /// # Ok::<(), String>(())
    /// ```
    pub fn part(self, relative: &Path) -> &'static str {
        let hash = xxh3_64_with_seed(&portable::bytes(relative), 1);
        let mut rest = hash % self.shares.iter().map(|share| u64::from(*share)).sum::<u64>();
        for (part, share) in Split::PARTS.into_iter().zip(self.shares) {
            match rest.checked_sub(u64::from(share)) {
                Some(left) => rest = left,
                None => return part,
            }
        }
        unreachable!("the rest is below the sum of the shares")
    }
}

impl FromStr for Split {
    type Err = String;

    fn from_str(text: &str) -> Result<Split, String> {
        let shares: Option<Vec<u32>> = text.split(':').map(|share| share.parse().ok()).collect();
        let shares = match shares.as_deref() {
            Some([train, val]) => Some([*train, *val, 0]),
            Some([train, val, test]) => Some([*train, *val, *test]),
            _ => None,
        };
        let valid = shares.filter(|shares| shares[0] > 0);
        valid
            .map(|shares| Split { shares })
            .ok_or_else(|| "shares are whole numbers of training, validation and test, such as 8:1:1".into())
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [train, val, test] = self.shares;
        write!(f, "{train}:{val}:{test}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_their_shares_and_keep_their_inputs() {
        let split: Split = "8:1:1".parse().unwrap();
        let count = |part: &str| {
            let paths = (0..10_000).map(|i| format!("clips/{i:05}.bvh"));
            paths.filter(|path| split.part(Path::new(path)) == part).count()
        };
        let [train, val, test] = Split::PARTS.map(count);
        assert!((7800..8200).contains(&train) && (900..1100).contains(&val) && (900..1100).contains(&test));
        assert_eq!(train + val + test, 10_000);
        // Pinned: a set that grows keeps its clips in their parts.
        let parts =
            ["a.bvh", "b.bvh", "walks/01.bvh", "walks/02.bvh", "c.bvh"].map(|p| split.part(Path::new(p)));
        assert_eq!(parts, ["val", "train", "train", "train", "val"]);
    }

    #[test]
    fn shares_are_whole_numbers() {
        assert_eq!("9:1".parse::<Split>().unwrap().to_string(), "9:1:0");
        for wrong in ["", "8", "0:1:1", "1:2:3:4", "a:b", "0.8:0.2"] {
            assert!(wrong.parse::<Split>().is_err(), "{wrong}");
        }
    }
}
