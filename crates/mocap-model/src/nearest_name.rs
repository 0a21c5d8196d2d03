//! The name that a user probably meant, by edit distance of whole names. Globs match parts of names and have another
//! distance, in the crate `mocap`.
//!
//! Based on: V. I. Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals", 1966.

/// Longer names are not compared.
const LONGEST: usize = 100;

/// The candidate with the smallest edit distance, the first of equals; `None` where none is near. Case and `_` for `-`
/// do not count, and two swapped letters are one edit.
///
/// ```
/// let joints = ["Hips", "LeftUpLeg", "LeftLeg"];
/// assert_eq!(mocap_model::nearest_name("LeftUpLge", joints), Some("LeftUpLeg"));
/// assert_eq!(mocap_model::nearest_name("Tail", joints), None);
/// ```
pub fn nearest_name<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace('_', "-");
    let wanted = plain(name);
    let letters = wanted.chars().count();
    if letters > LONGEST {
        return None;
    }
    let comparable = candidates.into_iter().filter(|candidate| candidate.len() <= 4 * LONGEST);
    let near = comparable.map(|candidate| (strsim::osa_distance(&wanted, &plain(candidate)), candidate));
    let (changes, best) = near.reduce(|best, next| if next.0 < best.0 { next } else { best })?;
    (changes <= letters.div_ceil(4)).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::nearest_name;

    #[test]
    fn a_slip_of_the_pen_is_understood_and_another_word_is_not() {
        let names = ["Hips", "LeftUpLeg", "LeftLeg", "drop-first-frame"];
        assert_eq!(nearest_name("LeftUpleg", names), Some("LeftUpLeg"));
        assert_eq!(nearest_name("LefLeg", names), Some("LeftLeg"));
        assert_eq!(nearest_name("hip", names), Some("Hips"));
        assert_eq!(nearest_name("drop_frist_frame", names), Some("drop-first-frame"));
        assert_eq!(nearest_name("Tail", names), None);
        assert_eq!(nearest_name("LeftKne", ["LeftToes", "LeftHand"]), None);
        assert_eq!(nearest_name("LeftKne", ["LeftToes", "LeftKnee"]), Some("LeftKnee"));
        assert_eq!(nearest_name("", names), None);
        assert_eq!(nearest_name(&"x".repeat(1000), names), None);
        assert_eq!(nearest_name("x", []), None);
    }
}
