//! The sides of a body that its file mirrors: who is called left stands on the right.

use std::collections::HashSet;

use mocap_model::Joint;

/// Words for the sides, as names have them.
const SIDES: [[&str; 2]; 3] = [["Left", "Right"], ["left", "right"], ["LEFT", "RIGHT"]];
/// Letters for the sides, where they stand for themselves.
const LETTERS: [[char; 2]; 2] = [['L', 'R'], ['l', 'r']];

/// Gives each joint the name and the role of its partner on the other side, where there is one; returns how many.
pub(super) fn swap_sides(joints: &mut [Joint]) -> usize {
    let names: HashSet<String> = joints.iter().map(|joint| joint.name.clone()).collect();
    let mut swapped = 0;
    for joint in joints {
        joint.role = joint.role.map(mocap_model::Role::mirrored);
        if let Some(other) = partners(&joint.name).into_iter().find(|name| names.contains(name)) {
            joint.name = other;
            swapped += 1;
        }
    }
    swapped
}

/// Names that the joint on the other side may have.
fn partners(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for [a, b] in SIDES {
        for [from, to] in [[a, b], [b, a]] {
            if name.contains(from) {
                found.push(name.replacen(from, to, 1));
            }
        }
    }
    let characters: Vec<char> = name.chars().collect();
    for (at, letter) in characters.iter().enumerate() {
        let apart = |other: Option<&char>| other.is_none_or(|other| !other.is_alphanumeric());
        let before = at.checked_sub(1).and_then(|before| characters.get(before));
        if !apart(before) || !apart(characters.get(at + 1)) {
            continue;
        }
        for [a, b] in LETTERS.into_iter().flat_map(|[a, b]| [[a, b], [b, a]]) {
            if *letter == a {
                let mut other = characters.clone();
                other[at] = b;
                found.push(other.into_iter().collect());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::Vector3;

    #[test]
    fn names_change_sides_where_both_are_there() {
        let names =
            ["Hips", "LeftArm", "RightArm", "hand_l", "hand_r", "L Foot", "R Foot", "LeftTail", "collar"];
        let mut joints: Vec<Joint> =
            names.iter().map(|name| Joint::new(*name, None, Vector3::zeros())).collect();
        assert_eq!(swap_sides(&mut joints), 6);
        let swapped: Vec<&str> = joints.iter().map(|joint| &*joint.name).collect();
        let expected =
            ["Hips", "RightArm", "LeftArm", "hand_r", "hand_l", "R Foot", "L Foot", "LeftTail", "collar"];
        assert_eq!(swapped, expected);
    }
}
