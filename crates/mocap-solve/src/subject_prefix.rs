//! The names of subjects before labels: `Bob:LASI`, and `Bob_LASI` where labels are known without what they share.

use std::collections::{BTreeMap, BTreeSet};

use crate::marker_set::{FEWEST_LABELS, MarkerSets};

/// What may stand between a subject and a label, besides a colon.
const SEPARATORS: [char; 4] = ['_', '.', '-', ' '];
/// Least share of the labels with a prefix that are known without it; fingers and props are not.
const KNOWN: f64 = 0.5;
/// The longest prefix that is considered \[bytes\].
const LONGEST: usize = 64;

/// Labels with a prefix.
#[derive(Default)]
struct Shared<'l> {
    labels: usize,
    /// The landmarks that they are without it.
    landmarks: BTreeSet<&'l str>,
    /// How many are known without it.
    known: usize,
    /// Whether a label is known with the prefix: then the prefix is a side or a part of the body, not a name.
    is_part: bool,
}

impl MarkerSets {
    /// What labels begin with where it is the name of a subject, with its separator, in the order of the labels:
    /// what ends in a colon, and what ends in `_`, `.`, `-` or a blank where most labels that begin so are known
    /// without it, for eight markers or more, and none is known with it.
    ///
    /// ```
    /// let sets = mocap_solve::MarkerSets::built_in();
    /// let labels = sets.labels("optitrack").unwrap();
    /// let of_bob: Vec<String> = labels.iter().map(|label| format!("Bob_{label}")).collect();
    /// assert_eq!(sets.subject_prefixes(&of_bob), ["Bob_"]);
    /// assert!(sets.subject_prefixes(&labels).is_empty());
    /// ```
    pub fn subject_prefixes<'l>(&self, labels: &'l [String]) -> Vec<&'l str> {
        let others = self.shared_prefixes(labels);
        let mut found: Vec<&str> = Vec::new();
        for label in labels {
            let colon = label.rfind(':').filter(|at| *at > 0).map(|at| &label[..=at]);
            let prefix =
                colon.into_iter().chain(others.iter().copied()).find(|prefix| label.starts_with(prefix));
            if let Some(prefix) = prefix
                && !found.contains(&prefix)
            {
                found.push(prefix);
            }
        }
        found
    }

    /// The prefixes that do not end in a colon; of two that begin alike the shorter one.
    fn shared_prefixes<'l>(&self, labels: &'l [String]) -> Vec<&'l str> {
        let mut shared: BTreeMap<&str, Shared<'_>> = BTreeMap::new();
        for label in labels.iter().filter(|label| !label.contains(':')) {
            let is_known = self.find(label).is_some();
            let ends = label.char_indices().filter(|(at, letter)| *at > 0 && SEPARATORS.contains(letter));
            for (end, _) in ends.take_while(|(end, _)| *end < LONGEST) {
                let of = shared.entry(&label[..=end]).or_default();
                of.labels += 1;
                of.is_part |= is_known;
                if let Some(landmark) = self.find(&label[end + 1..]) {
                    of.landmarks.insert(&landmark.name);
                    of.known += 1;
                }
            }
        }
        let mut found: Vec<&str> = Vec::new();
        for (prefix, of) in &shared {
            let names = of.landmarks.len() >= FEWEST_LABELS && of.known as f64 >= KNOWN * of.labels as f64;
            if names && !of.is_part && !found.iter().any(|shorter| prefix.starts_with(shorter)) {
                found.push(prefix);
            }
        }
        found
    }
}

/// The one of [`MarkerSets::subject_prefixes`] that a label begins with: the longest.
///
/// ```
/// let prefix = mocap_solve::subject_prefix("Bob_2:LANK", &["Bob:", "Bob_2:"]);
/// assert_eq!(prefix, Some("Bob_2:"));
/// ```
pub fn subject_prefix<'p>(label: &str, prefixes: &[&'p str]) -> Option<&'p str> {
    let begins = |prefix: &&str| label.len() > prefix.len() && label.starts_with(prefix);
    prefixes.iter().copied().filter(|prefix| begins(prefix)).max_by_key(|prefix| prefix.len())
}

/// The label without the name of a subject.
pub(crate) fn without_subject<'l>(label: &'l str, prefixes: &[&str]) -> &'l str {
    &label[subject_prefix(label, prefixes).map_or(0, str::len)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefixes(labels: &[String]) -> Vec<String> {
        MarkerSets::built_in().subject_prefixes(labels).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn names_of_subjects_end_in_any_usual_separator() {
        let sets = MarkerSets::built_in();
        for set in sets.names() {
            let labels = sets.labels(set).unwrap();
            assert!(prefixes(&labels).is_empty(), "{set}: {:?}", prefixes(&labels));
            for name in ["Bob:", "Bob_", "Bob.", "rory7-", "Skeleton 001 ", "Skeleton_2_"] {
                let mut named: Vec<String> = labels.iter().map(|label| format!("{name}{label}")).collect();
                named.extend(["Sword_1", "Sword_2"].map(str::to_owned));
                assert_eq!(prefixes(&named), [name], "{set}");
            }
            let two: Vec<String> = ["B_", "A_"]
                .iter()
                .flat_map(|name| labels.iter().map(move |label| format!("{name}{label}")))
                .collect();
            assert_eq!(prefixes(&two), ["B_", "A_"], "{set}");
        }
    }

    #[test]
    fn sides_and_parts_of_labels_are_no_names() {
        let sides = ["ASI", "PSI", "KNE", "ANK", "TOE", "HEE", "SHO", "ELB", "FIN"];
        let sided = |side: &str| sides.iter().map(|name| format!("{side}{name}")).collect::<Vec<_>>();
        assert!(prefixes(&[sided("L_"), sided("R_"), sided("Left."), sided("Right.")].concat()).is_empty());
        // Seven known labels are less than a body.
        let few: Vec<String> = sides[..7].iter().map(|name| format!("Bob_L{name}")).collect();
        assert!(prefixes(&few).is_empty());
        let unknown: Vec<String> = (0..40).map(|at| format!("Face_{at}")).collect();
        assert!(prefixes(&unknown).is_empty());
        assert!(prefixes(&["_".repeat(100_000)]).is_empty());
    }
}
