//! Left and right in names of joints, for bodies that a negative scale mirrors.

use mocap_model::{Joint, Role};

/// Swaps left and right in the names and roles of all joints. Returns the number of changed joints.
pub(crate) fn swap_sides(joints: &mut [Joint]) -> usize {
    let mut swapped = 0;
    for joint in joints {
        let name = on_other_side(&joint.name);
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
fn on_other_side(name: &str) -> Option<String> {
    const WORDS: [(&str, &str); 3] = [("Left", "Right"), ("left", "right"), ("LEFT", "RIGHT")];
    let words = WORDS.into_iter().flat_map(|(left, right)| [(left, right), (right, left)]);
    let found =
        words.filter_map(|(word, other)| Some((name.find(word)?, word, other))).min_by_key(|found| found.0);
    if let Some((at, word, other)) = found {
        return Some(format!("{}{other}{}", &name[..at], &name[at + word.len()..]));
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
