//! Parses labels of markers: subject, side and name.

use mocap_model::Side;

/// A label without case and punctuation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Label {
    /// All of it.
    pub(crate) whole: String,
    /// Each way to read a side from the label: whether it is left, and the name without it.
    pub(crate) sided: Vec<(bool, String)>,
}

/// Reads a label: `Subject:LASI`, `L.ASIS`, `LeftAnkle`, `ankle_l`, `ASISl`, `WaistLFront`.
pub(crate) fn read(label: &str) -> Label {
    let label = label.rsplit_once(':').map_or(label, |(_, label)| label);
    let words = words(label);
    let whole: String = words.concat();
    let mut sided = Vec::new();
    for (at, word) in words.iter().enumerate().filter(|_| words.len() > 1) {
        if let Some(left) = side_of(word) {
            let rest =
                words.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, word)| word.as_str());
            sided.push((left, rest.collect()));
        }
    }
    for (word, left) in [("left", true), ("right", false), ("l", true), ("r", false)] {
        if let Some(rest) = whole.strip_prefix(word).filter(|rest| !rest.is_empty()) {
            sided.push((left, rest.to_owned()));
        }
    }
    // `ASISl`: a small letter after a capital.
    let mut letters = label.chars().rev();
    if let (Some(last), Some(before)) = (letters.next(), letters.next())
        && before.is_uppercase()
        && let Some(left) = side_of(&last.to_string())
        && let Some(rest) = whole.strip_suffix(last).filter(|rest| !rest.is_empty())
    {
        sided.push((left, rest.to_owned()));
    }
    Label { whole, sided }
}

fn side_of(word: &str) -> Option<bool> {
    match word {
        "l" | "left" => Some(true),
        "r" | "right" => Some(false),
        _ => None,
    }
}

/// Lower-case words: parted by punctuation and where a capital begins a word.
fn words(label: &str) -> Vec<String> {
    let letters: Vec<char> = label.chars().collect();
    let mut words = vec![String::new()];
    for (at, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            words.push(String::new());
            continue;
        }
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(at + 1);
        let begins = letter.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || (before.is_some_and(char::is_uppercase)
                    && after.is_some_and(|after| after.is_lowercase())));
        if begins {
            words.push(String::new());
        }
        words.last_mut().expect("there is one").extend(letter.to_lowercase());
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The letter of a side.
pub(crate) fn letter(side: Side) -> char {
    match side {
        Side::Left => 'L',
        Side::Right => 'R',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_found_wherever_they_are_written() {
        for label in ["LASI", "Bob:LASI", "L.ASI", "asi_l", "LeftAsi", "left asi", "L_ASI", "ASIl"] {
            assert!(read(label).sided.contains(&(true, "asi".into())), "{label}: {:?}", read(label));
        }
        assert!(read("WaistRFront").sided.contains(&(false, "waistfront".into())));
        assert!(read("R.Thigh.Upper").sided.contains(&(false, "thighupper".into())));
        assert_eq!(read("C7").sided, []);
        assert_eq!(read("V.Sacral").whole, "vsacral");
    }
}
