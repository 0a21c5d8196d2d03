//! Names that are unique in a file.

use std::collections::{HashMap, HashSet};

/// Hands out names, each once.
#[derive(Default)]
pub(crate) struct Unique {
    /// Whether names that differ only in case count as equal.
    folds: bool,
    taken: HashSet<String>,
    /// The number that was last appended to a name.
    last: HashMap<String, usize>,
}

impl Unique {
    /// Unique names, ignoring case.
    pub(crate) fn in_any_case() -> Unique {
        Unique { folds: true, ..Unique::default() }
    }

    /// `name` or, where it is taken, `name_2` and so on.
    pub(crate) fn claim(&mut self, name: &str) -> String {
        let mut claimed = name.to_owned();
        while !self.taken.insert(self.key(&claimed)) {
            let number = self.last.entry(self.key(name)).or_insert(1);
            *number += 1;
            claimed = format!("{name}_{number}");
        }
        claimed
    }

    fn key(&self, name: &str) -> String {
        if self.folds { name.to_lowercase() } else { name.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_counted_on() {
        let mut names = Unique::default();
        assert_eq!(
            ["a", "A", "a", "a_2", "a"].map(|name| names.claim(name)),
            ["a", "A", "a_2", "a_2_2", "a_3"]
        );
        let mut names = Unique::in_any_case();
        assert_eq!(["a", "A", "a"].map(|name| names.claim(name)), ["a", "A_2", "a_3"]);
    }
}
