//! What the name of a joint says of it: whether it is a hinge, and of which part.

use crate::landmarks::{ELBOW, KNEE, is_called};

/// What the name of a joint says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// One hinge of several at a place, such as `left_hip_roll`.
    Axis,
    /// A joint, which may be a hinge, such as `arm_left_5_joint` and `left_knee`.
    Joint,
    Other,
}

/// Words for the axis of a hinge, and for a joint.
const AXES: [&str; 3] = ["pitch", "roll", "yaw"];
const JOINTS: [&str; 7] = ["joint", "x", "y", "z", "rx", "ry", "rz"];
/// Parts of a body that are written in one word with an axis, as in `lhipyaw`.
const PARTS: [&str; 16] = [
    "hip", "leg", "thigh", "knee", "ankle", "foot", "waist", "torso", "trunk", "chest", "neck", "head",
    "shoulder", "arm", "elbow", "wrist",
];

impl Named {
    pub(crate) fn of(name: &str) -> Named {
        let words = words(name);
        match words.iter().any(|word| is_axis(word)) {
            true => Named::Axis,
            false if words.iter().any(|word| JOINTS.contains(&word.as_str())) => Named::Joint,
            false if [KNEE, ELBOW].iter().any(|bend| is_called(name, bend)) => Named::Joint,
            false => Named::Other,
        }
    }
}

/// A name up to the axis in it, or without one to its knee or elbow, such as `lankleroll` of `LAnkleRoll_joint` and of
/// `LAnkleRollCollision_shape`: what has the same is a part of the hinge, not another one.
pub(crate) fn stem(name: &str) -> Option<String> {
    let words = words(name);
    let bends = |word: &String| [KNEE, ELBOW].iter().any(|bend| word.ends_with(bend));
    let end = words.iter().position(|word| is_axis(word)).or_else(|| words.iter().position(bends))?;
    Some(words[..=end].concat())
}

fn is_axis(word: &str) -> bool {
    AXES.iter().any(|axis| {
        word.strip_suffix(axis)
            .is_some_and(|part| part.is_empty() || PARTS.iter().any(|known| part.ends_with(known)))
    })
}

/// The words of a name in lower case: they end at signs, digits and capitals.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let next = letters.get(at + 1);
        // `hipYaw` and the last capital of `LHip` start a word.
        let starts = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || (before.is_uppercase() && next.is_some_and(|next| next.is_lowercase()))
            });
        if starts || !letter.is_alphabetic() {
            words.push(String::new());
        }
        if letter.is_alphabetic() {
            words.last_mut().expect("there is a word").extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_name_an_axis() {
        let hinges = [
            "left_hip_roll",
            "LHipYaw",
            "LHIPYAW",
            "lhipyaw",
            "hip-pitch-left",
            "leg:roll1",
            "r_ankle_pitch_joint",
            "LAnkleRollCollision_shape",
            "yaw",
        ];
        for name in hinges {
            assert_eq!(Named::of(name), Named::Axis, "{name}");
        }
        for name in ["Troll_LeftUpLeg", "Pitcher", "scroll", "Stroller_Hips", "trolls"] {
            assert_eq!(Named::of(name), Named::Other, "{name}");
        }
        for name in ["arm_left_5_joint", "joint7", "l_hip_x", "l_hip_rx", "left_knee"] {
            assert_eq!(Named::of(name), Named::Joint, "{name}");
        }
    }

    #[test]
    fn parts_of_a_hinge_have_its_stem() {
        for name in ["LAnkleRoll_joint", "LAnkleRollCollision_shape", "l_ankle_roll"] {
            assert_eq!(stem(name).as_deref(), Some("lankleroll"), "{name}");
        }
        assert_eq!(stem("left_knee_pad"), stem("left_knee"));
        assert_ne!(stem("left_knee_pitch"), stem("left_knee_yaw"));
        assert_eq!(stem("Troll_LeftUpLeg"), None);
    }
}
