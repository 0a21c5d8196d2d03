//! Names of outputs: made from those of inputs, and matched with them again.
//!
//! An output has the name of its input with another extension. If inputs of one folder differ only in their
//! extension, their outputs keep it: `01_01.amc` and `01_01.bvh` become `01_01.amc.mocz` and `01_01.bvh.mocz`.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The path from which output names are made. A kept extension is doubled, so that `with_extension` leaves one.
pub(crate) fn base(input: &Path, keeps_extension: bool) -> Cow<'_, Path> {
    match input.extension().filter(|_| keeps_extension) {
        Some(extension) => {
            let mut twice = input.to_owned().into_os_string();
            twice.push(".");
            twice.push(extension);
            Cow::Owned(twice.into())
        }
        None => Cow::Borrowed(input),
    }
}

/// The name that a path had before its last extension was added, where that has the wanted extension: `01_01.bvh` for
/// `01_01.bvh.mocz` and `bvh`.
///
/// ```
/// use mocap_batch::original_name;
/// use std::path::Path;
///
/// let original = |made: &str, extension: &str| original_name(Path::new(made), extension);
/// assert_eq!(original("a/01_01.bvh.mocz", "bvh").as_deref(), Some(Path::new("a/01_01.bvh")));
/// assert_eq!(original("a/01_01.amc.mocz", "bvh"), None);
/// assert_eq!(original("01_01.mocz", "bvh"), None);
/// ```
pub fn original_name(made: &Path, extension: &str) -> Option<PathBuf> {
    made.extension()?;
    let before = made.with_extension("");
    let same = |found: &OsStr| found.eq_ignore_ascii_case(extension);
    before.extension().is_some_and(same).then_some(before)
}

/// Which of `others` belongs to each of `inputs`, by their names: equal ones first, then outputs that keep the
/// extension of their input, then names that differ only in an extension that `is_known`. Each is taken once.
///
/// ```
/// use mocap_batch::pair_names;
/// use std::path::Path;
///
/// let paths = |names: [&'static str; 2]| names.map(Path::new);
/// let known = |path: &Path| path.extension().is_some_and(|found| ["amc", "bvh", "mocz"].iter().any(|it| found == *it));
/// let pairs = pair_names(&paths(["1.amc", "1.bvh"]), &paths(["1.bvh.mocz", "1.amc.mocz"]), known);
/// assert_eq!(pairs, [Some(1), Some(0)]);
/// ```
pub fn pair_names<P: AsRef<Path>>(
    inputs: &[P],
    others: &[P],
    is_known: impl Fn(&Path) -> bool,
) -> Vec<Option<usize>> {
    let bare = |path: &Path| if is_known(path) { path.with_extension("") } else { path.to_owned() };
    // By path, and by path without a known extension: indices of the others, in their order.
    let mut whole: HashMap<PathBuf, VecDeque<usize>> = HashMap::new();
    let mut short: HashMap<PathBuf, VecDeque<usize>> = HashMap::new();
    for (at, other) in others.iter().enumerate() {
        whole.entry(other.as_ref().to_owned()).or_default().push_back(at);
        short.entry(bare(other.as_ref())).or_default().push_back(at);
    }
    let mut pairs = vec![None; inputs.len()];
    let mut taken = vec![false; others.len()];
    for rank in 0..3 {
        for (input, pair) in inputs.iter().zip(&mut pairs).filter(|(_, pair)| pair.is_none()) {
            let input = input.as_ref();
            let first = |of: &mut HashMap<PathBuf, VecDeque<usize>>, path: &Path| {
                let places = of.get_mut(path)?;
                while places.front().is_some_and(|at| taken[*at]) {
                    places.pop_front();
                }
                places.front().copied()
            };
            let found = match rank {
                0 => first(&mut whole, input),
                1 => [first(&mut short, input), first(&mut whole, &bare(input))].into_iter().flatten().min(),
                _ => first(&mut short, &bare(input)),
            };
            if let Some(at) = found {
                taken[at] = true;
                *pair = Some(at);
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(inputs: &[&str], others: &[&str]) -> Vec<Option<usize>> {
        let known = |path: &Path| {
            let extension = path.extension().and_then(OsStr::to_str);
            extension.is_some_and(|found| ["amc", "bvh", "csv", "mocz"].contains(&found))
        };
        pair_names(inputs, others, known)
    }

    #[test]
    fn outputs_are_matched_with_their_inputs() {
        assert_eq!(pairs(&["a/1.bvh", "b/1.bvh"], &["b/1.mocz", "a/1.mocz"]), [Some(1), Some(0)]);
        // An equal name comes before all others.
        assert_eq!(pairs(&["1.amc", "1.bvh"], &["1.amc.bvh", "1.bvh"]), [Some(0), Some(1)]);
        assert_eq!(pairs(&["1.bvh", "1.amc"], &["1.amc.bvh", "1.bvh"]), [Some(1), Some(0)]);
        // Outputs of both kinds, and back.
        assert_eq!(pairs(&["1.amc.mocz", "1.bvh.mocz"], &["1.amc.csv", "1.bvh.csv"]), [Some(0), Some(1)]);
        assert_eq!(pairs(&["1.amc.mocz", "1.bvh.mocz"], &["1.bvh", "1.amc"]), [Some(1), Some(0)]);
        // A dot in a name is no extension.
        assert_eq!(pairs(&["take.1", "take.2"], &["take.2", "take.3"]), [None, Some(0)]);
        assert_eq!(pairs(&["1.bvh", "2.bvh"], &["1.mocz"]), [Some(0), None]);
    }

    #[test]
    fn a_kept_extension_is_made_and_unmade() {
        let input = Path::new("a/01_01.bvh");
        let made = base(input, true).with_extension("mocz");
        assert_eq!(made, Path::new("a/01_01.bvh.mocz"));
        assert_eq!(original_name(&made, "bvh").as_deref(), Some(input));
        assert_eq!(original_name(&made, "BVH").as_deref(), Some(input));
        assert_eq!(base(input, false), input);
    }
}
