//! The name that was probably meant.
//!
//! Based on: V. I. Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals", 1966.

/// Longer names are not compared.
const LONGEST: usize = 100;

/// The candidate with the fewest changes of letters, the first of equals; `None` where none is near.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |text: &str| text.to_lowercase().chars().take(LONGEST).collect::<Vec<char>>();
    let wanted = letters(name);
    let near = candidates.map(|candidate| (changes(&wanted, &letters(candidate)), candidate));
    let (changes, best) = near.min_by_key(|(changes, _)| *changes)?;
    (changes <= wanted.len() / 3).then_some(best)
}

/// Letters to be put in, left out or replaced to make one word of another.
fn changes(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut before = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let replaced = before + usize::from(from != to);
            before = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(before + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_find_what_was_meant() {
        let names = ["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot"];
        let near = |name| nearest(name, names.into_iter());
        assert_eq!(near("leftleg"), Some("LeftLeg"));
        assert_eq!(near("LeftUpperLeg"), Some("LeftUpLeg"));
        assert_eq!(near("Tail"), None);
        assert_eq!(near(""), None);
        assert_eq!(nearest("x", std::iter::empty()), None);
    }
}
