//! The name that was probably meant.
//!
//! Based on: V. I. Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals", 1966.

/// Longer names are not compared.
const LONGEST: usize = 100;

/// The candidate with the fewest changes of letters, the first of equals; `None` where none is near.
pub(super) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |text: &str| text.to_lowercase().chars().take(LONGEST + 1).collect::<Vec<char>>();
    let wanted = letters(name);
    if wanted.len() > LONGEST {
        return None;
    }
    let near = candidates.map(|candidate| (distance(&wanted, &letters(candidate)), candidate));
    let (changes, best) = near.reduce(|best, next| if next.0 < best.0 { next } else { best })?;
    (changes <= wanted.len().div_ceil(3)).then_some(best)
}

fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_understood_and_another_word_is_not() {
        let names = ["Hips", "LeftUpLeg", "LeftLeg"];
        assert_eq!(nearest("LeftUpleg", names.into_iter()), Some("LeftUpLeg"));
        assert_eq!(nearest("LefLeg", names.into_iter()), Some("LeftLeg"));
        assert_eq!(nearest("hip", names.into_iter()), Some("Hips"));
        assert_eq!(nearest("Tail", names.into_iter()), None);
        assert_eq!(nearest("", names.into_iter()), None);
        assert_eq!(nearest("x", std::iter::empty()), None);
    }
}
