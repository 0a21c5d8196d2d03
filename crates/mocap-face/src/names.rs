//! The meaning of the name of a shape, in shapes of ARKit.

use mocap_model::{ARKIT_SHAPES, Side, words_of_name};

use crate::vocabulary::{Row, rows};

/// The meaning of a shape, in shapes of ARKit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// The shapes of ARKit that are equivalent together: the mean of their weights is its weight.
    pub parts: Vec<&'static str>,
    /// Whether that is only approximate, as for visemes and emotions.
    pub nearly: bool,
}

/// The name of a shape without the prefix of its mesh.
pub(crate) fn without_mesh(name: &str) -> &str {
    name.rsplit(['.', '/', ':', '|']).find(|part| !part.is_empty()).unwrap_or(name)
}

/// The words of a name, lower case: `EyeBlink_L` is `eye`, `blink`, `l`.
fn words(name: &str) -> Vec<String> {
    words_of_name(name).into_iter().map(|word| name[word].to_lowercase()).collect()
}

fn side(word: &str) -> Option<Side> {
    match word {
        "l" | "left" | "lft" => Some(Side::Left),
        "r" | "right" | "rgt" => Some(Side::Right),
        _ => None,
    }
}

/// The side that the name of a shape of ARKit ends with.
fn side_of_part(part: &str) -> Option<Side> {
    if part.ends_with("Left") {
        return Some(Side::Left);
    }
    part.ends_with("Right").then_some(Side::Right)
}

/// The meaning of a name; `None` for a name in no vocabulary. The prefix of a mesh, and words before the known part,
/// are skipped.
///
/// ```
/// use mocap_face::meaning;
///
/// assert_eq!(meaning("Face.EyeBlink_L").unwrap().parts, ["eyeBlinkLeft"]);
/// assert_eq!(meaning("NoseWrinkler").unwrap().parts, ["noseSneerLeft", "noseSneerRight"]);
/// assert!(meaning("happy").unwrap().nearly);
/// assert_eq!(meaning("Belly"), None);
/// ```
pub fn meaning(name: &str) -> Option<Meaning> {
    let words = words(without_mesh(name));
    let whole = known(&words, true);
    // The words before may name a character or a tool; a single last word is too ambiguous to match.
    whole.or_else(|| (1..words.len().saturating_sub(1)).find_map(|from| known(&words[from..], false)))
}

/// The meaning of some words; names of emotions and visemes count only if they are all of the name (`alone`).
fn known(words: &[String], alone: bool) -> Option<Meaning> {
    let joined = words.concat();
    if let Some(part) = ARKIT_SHAPES.into_iter().find(|part| part.eq_ignore_ascii_case(&joined)) {
        return Some(Meaning { parts: vec![part], nearly: false });
    }
    let whole = rows().find(|row| row.stem == joined).and_then(|row| of(row, None, alone));
    whole
        .or_else(|| {
            let at = words.iter().rposition(|word| side(word).is_some())?;
            let stem: String = words
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at)
                .map(|(_, word)| word.as_str())
                .collect();
            rows().filter(|row| row.stem == stem).find_map(|row| of(row, side(&words[at]), alone))
        })
        .or_else(|| {
            // Names in one case do not show where words begin.
            let (side, stem) = side_at_end(&joined)?;
            rows().filter(|row| row.stem == stem).find_map(|row| of(row, Some(side), alone))
        })
}

/// The side with which letters begin or end, and the others.
fn side_at_end(letters: &str) -> Option<(Side, &str)> {
    [("left", Side::Left), ("right", Side::Right)].into_iter().find_map(|(word, side)| {
        let stem = letters.strip_prefix(word).or_else(|| letters.strip_suffix(word))?;
        Some((side, stem))
    })
}

/// The meaning of a row for a side, or for both.
fn of(row: &Row, side: Option<Side>, alone: bool) -> Option<Meaning> {
    if row.nearly && !alone {
        return None;
    }
    // A direction needs a side: it cannot mean both.
    if row.directed && side.is_none() {
        return None;
    }
    let fits = |part: &&str| match (side, side_of_part(part)) {
        (Some(side), Some(of_part)) => side == of_part,
        _ => true,
    };
    let parts: Vec<&str> = row.parts.iter().copied().filter(fits).collect();
    (!parts.is_empty()).then_some(Meaning { parts, nearly: row.nearly })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_capitals_have_their_sides() {
        for (name, part) in [
            ("LEFTUPPERLIDCLOSED", "eyeBlinkLeft"),
            ("EYEBLINKRIGHT", "eyeBlinkRight"),
            ("rightbrowdown", "browDownRight"),
        ] {
            assert_eq!(meaning(name).map(|meaning| meaning.parts), Some(vec![part]), "{name}");
        }
    }

    #[test]
    fn words_are_told_apart_in_every_style() {
        let as_text = |name: &str| words(name).join(" ");
        assert_eq!(as_text("EyeBlink_L"), "eye blink l");
        assert_eq!(as_text("Fcl_EYE_Close"), "fcl eye close");
        assert_eq!(as_text("CTRL_expressions_mouthFunnelUL"), "ctrl expressions mouth funnel ul");
        assert_eq!(as_text("AU12L"), "au12 l");
        assert_eq!(as_text("EYEClose"), "eye close");
        assert_eq!(as_text(""), "");
    }

    #[test]
    fn names_of_each_vocabulary_mean_the_same() {
        for (name, parts) in [
            ("eyeBlinkLeft", "eyeBlinkLeft"),
            ("EYEBLINKLEFT", "eyeBlinkLeft"),
            ("Eye_Blink_L", "eyeBlinkLeft"),
            ("CTRL_expressions_eyeBlinkL", "eyeBlinkLeft"),
            ("LeftUpperLidClosed", "eyeBlinkLeft"),
            ("Fcl_EYE_Close_L", "eyeBlinkLeft"),
            ("AU45L", "eyeBlinkLeft"),
            ("blinkLeft", "eyeBlinkLeft"),
            ("blink", "eyeBlinkLeft eyeBlinkRight"),
            ("JawDrop", "jawOpen"),
            ("Jaw_Open", "jawOpen"),
            ("MouthMoveLeft", "mouthLeft"),
            ("Mouth_L", "mouthLeft"),
            ("mouthLeft", "mouthLeft"),
            ("MouthLeftPullUp", "mouthSmileLeft"),
            ("AU12_R", "mouthSmileRight"),
            ("LeftInnerBrowUp", "browInnerUp"),
            ("eyeLookLeftL", "eyeLookOutLeft"),
            ("eyeLookLeftR", "eyeLookInRight"),
            ("lookLeft", "eyeLookOutLeft eyeLookInRight"),
            ("CTRL_expressions_mouthFunnelUL", "mouthFunnel"),
        ] {
            assert_eq!(meaning(name).map(|found| found.parts.join(" ")).as_deref(), Some(parts), "{name}");
        }
    }

    #[test]
    fn other_names_mean_nothing() {
        for name in ["", "mouth", "jaw", "Key 1", "BodyHappy", "Muscle", "node 3.2", "_._"] {
            assert_eq!(meaning(name), None, "{name}");
        }
    }

    #[test]
    fn every_row_names_shapes_that_there_are() {
        let mut stems: Vec<&str> = rows().map(|row| row.stem).collect();
        assert!(rows().all(|row| row.parts.iter().all(|part| ARKIT_SHAPES.contains(part))));
        assert!(rows().all(|row| !row.parts.is_empty()));
        stems.sort_unstable();
        let count = stems.len();
        stems.dedup();
        assert_eq!(stems.len(), count, "a stem stands in one row");
    }
}
