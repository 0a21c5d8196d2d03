//! Splits joint names: namespace and rig prefix are removed, the side is separated, and the rest becomes one
//! lower-case word.

use mocap_model::Side;

/// Prefixes of rigs.
const PREFIXES: [&str; 12] = [
    "ccbase",
    "bip001",
    "bip01",
    "bip",
    "mixamorig",
    "jbip",
    "joint",
    "mavg",
    "favg",
    "def",
    "org",
    "character1",
];

/// The side and the rest of a name: `CC_Base_L_Thigh` and `thigh_l` are both (left, `thigh`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// The side, if a word of the name is one.
    pub side: Option<Side>,
    /// All other words, joined, in lower case.
    pub base: String,
}

/// Splits a name.
pub(super) fn split(full: &str) -> Name {
    // Namespaces: `mixamorig:Hips`, `rig|Hips`.
    let local = full.rsplit([':', '|']).next().unwrap_or(full);
    let mut words = words(local);
    strip_prefix(&mut words);
    let side = words.iter().enumerate().find_map(|(i, word)| {
        let side = match word.as_str() {
            "left" | "l" => Side::Left,
            "right" | "r" => Side::Right,
            _ => return None,
        };
        Some((i, side))
    });
    if let Some((i, _)) = side {
        words.remove(i);
    }
    // VRM also marks the midline: `J_Bip_C_Hips`.
    if words.first().is_some_and(|word| word == "c") && words.len() > 1 {
        words.remove(0);
    }
    Name { side: side.map(|(_, side)| side), base: words.concat() }
}

/// Splits a name into words: at separators, before a capital after a small letter or digit (`LeftUpLeg`), and
/// between two capitals if the second starts a word (`LHipJoint`).
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (i, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            words.push(String::new());
            continue;
        }
        let previous = i.checked_sub(1).map(|i| letters[i]);
        let after_small = previous.is_some_and(|p| p.is_lowercase() || p.is_ascii_digit());
        let before_small = letters.get(i + 1).is_some_and(|next| next.is_lowercase());
        let after_capital = previous.is_some_and(char::is_uppercase);
        if letter.is_uppercase() && (after_small || (after_capital && before_small)) {
            words.push(String::new());
        }
        words.last_mut().expect("never empty").extend(letter.to_lowercase());
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Removes a rig's prefix, which may span words (`cc`, `base`) or be part of one (`mixamorig7`).
fn strip_prefix(words: &mut Vec<String>) {
    for count in (1..=2).rev() {
        // A name that is nothing but the prefix (`Bip01`, the rig's root) stays.
        if words.len() > count {
            let joined = words[..count].concat();
            let bare = joined.trim_end_matches(|c: char| c.is_ascii_digit());
            if PREFIXES.contains(&joined.as_str()) || PREFIXES.contains(&bare) {
                words.drain(..count);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_split(full: &str, side: Option<Side>, base: &str) {
        assert_eq!(split(full), Name { side, base: base.into() }, "{full}");
    }

    #[test]
    fn names_of_all_rigs_come_apart() {
        let (left, right) = (Some(Side::Left), Some(Side::Right));
        assert_split("LeftUpLeg", left, "upleg");
        assert_split("mixamorig:RightForeArm", right, "forearm");
        assert_split("mixamorig7:LeftHandIndex1", left, "handindex1");
        assert_split("CC_Base_L_Thigh", left, "thigh");
        assert_split("CC_Base_NeckTwist01", None, "necktwist01");
        assert_split("Bip01 R Calf", right, "calf");
        assert_split("Bip01 Pelvis", None, "pelvis");
        assert_split("Bip01", None, "bip01");
        assert_split("UpperLeg_L", left, "upperleg");
        assert_split("thigh_r", right, "thigh");
        assert_split("upperarm_twist_01_l", left, "upperarmtwist01");
        assert_split("J_Bip_L_UpperLeg", left, "upperleg");
        assert_split("J_Bip_C_Hips", None, "hips");
        assert_split("m_avg_L_Hip", left, "hip");
        assert_split("lTorso_Clavicle", left, "torsoclavicle");
        assert_split("RHipJoint", right, "hipjoint");
        assert_split("joint_Root", None, "root");
        assert_split("leftUpperLeg", left, "upperleg");
        assert_split("lfemur", None, "lfemur");
        assert_split("", None, "");
        assert_split("___", None, "");
    }
}
