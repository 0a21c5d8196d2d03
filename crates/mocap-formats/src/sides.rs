//! Left and right in names of joints, for bodies that a negative scale mirrors.

use std::collections::HashSet;

use mocap_model::{Joint, Role};

/// Swaps left and right in the names and roles of all joints. Returns the number of changed joints.
pub(crate) fn swap_sides(joints: &mut [Joint]) -> usize {
    let mut swapped = 0;
    let names: HashSet<String> = joints.iter().map(|joint| joint.name.clone()).collect();
    for joint in joints {
        let name = on_other_side(&joint.name, &|name| names.contains(name));
        let has_side = joint.role.is_some_and(|role| role.side().is_some());
        joint.role = joint.role.map(Role::mirrored);
        swapped += usize::from(name.is_some() || has_side);
        if let Some(name) = name {
            joint.name = name;
        }
    }
    swapped
}

/// The name with its first word or letter for a side replaced by that of the other side; applied twice, it is the same.
///
/// "right" may be a part of another word, as in "upright". It counts where a word begins (`hand_left`, `armLeft`), or
/// where the other name is there too (`armleft`, `armright`).
fn on_other_side(name: &str, is_there: &dyn Fn(&str) -> bool) -> Option<String> {
    const WORDS: [(&str, &str); 3] = [("Left", "Right"), ("left", "right"), ("LEFT", "RIGHT")];
    let words = WORDS.into_iter().flat_map(|(left, right)| [(left, right), (right, left)]);
    let mut places: Vec<_> = words
        .flat_map(|(word, other)| name.match_indices(word).map(move |(at, _)| (at, word, other)))
        .collect();
    places.sort_unstable();
    for (at, word, other) in places {
        let replaced = format!("{}{other}{}", &name[..at], &name[at + word.len()..]);
        let before = name[..at].chars().next_back();
        let begins = match before {
            Some(letter) if word.starts_with(char::is_lowercase) || letter.is_uppercase() => {
                !letter.is_alphabetic()
            }
            _ => true,
        };
        if begins || is_there(&replaced) {
            return Some(replaced);
        }
    }
    // Whether a letter is a word of its own: L_Hand, hand.l, Bip01 L Hand.
    let is_apart = |at: usize| {
        let beside = |at: Option<usize>| at.and_then(|at| name.as_bytes().get(at));
        let letter = |at: Option<usize>| beside(at).is_some_and(u8::is_ascii_alphanumeric);
        !letter(at.checked_sub(1)) && !letter(Some(at + 1))
    };
    let (at, letter) = name.char_indices().find(|(at, letter)| "LRlr".contains(*letter) && is_apart(*at))?;
    let other = match letter {
        'L' => 'R',
        'R' => 'L',
        'l' => 'r',
        _ => 'l',
    };
    Some(format!("{}{other}{}", &name[..at], &name[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_letters_for_sides_are_swapped_and_parts_of_other_words_are_not() {
        let swapped = |name: &str, others: &[&str]| on_other_side(name, &|other| others.contains(&other));
        for (left, right) in [
            ("LeftArm", "RightArm"),
            ("hand_left", "hand_right"),
            ("armLeft", "armRight"),
            ("HAND_LEFT", "HAND_RIGHT"),
            ("L_Hand", "R_Hand"),
            ("Bip01 L Hand", "Bip01 R Hand"),
            ("hand.l", "hand.r"),
        ] {
            assert_eq!(swapped(left, &[]).as_deref(), Some(right));
            assert_eq!(swapped(right, &[]).as_deref(), Some(left));
        }
        for plain in ["Upright", "Bright", "BRIGHT", "cleft", "Hips", "Ball"] {
            assert_eq!(swapped(plain, &[]), None, "{plain}");
        }
        assert_eq!(swapped("armleft", &["armright"]).as_deref(), Some("armright"));
        assert_eq!(swapped("upright_left", &[]).as_deref(), Some("upright_right"));
    }
}
