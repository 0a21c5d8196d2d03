//! The names of the shapes of faces that tools agree on.

use std::ops::Range;

/// The 52 shapes of ARKit in the order of Live Link Face: those of the eyes, left then right, jaw, mouth, brows, cheeks,
/// nose and tongue.
///
/// Source: Apple, "ARFaceAnchor.BlendShapeLocation", 2017; the order is that of Epic Games' Live Link Face.
pub const ARKIT_SHAPES: [&str; 52] = [
    "eyeBlinkLeft",
    "eyeLookDownLeft",
    "eyeLookInLeft",
    "eyeLookOutLeft",
    "eyeLookUpLeft",
    "eyeSquintLeft",
    "eyeWideLeft",
    "eyeBlinkRight",
    "eyeLookDownRight",
    "eyeLookInRight",
    "eyeLookOutRight",
    "eyeLookUpRight",
    "eyeSquintRight",
    "eyeWideRight",
    "jawForward",
    "jawRight",
    "jawLeft",
    "jawOpen",
    "mouthClose",
    "mouthFunnel",
    "mouthPucker",
    "mouthRight",
    "mouthLeft",
    "mouthSmileLeft",
    "mouthSmileRight",
    "mouthFrownLeft",
    "mouthFrownRight",
    "mouthDimpleLeft",
    "mouthDimpleRight",
    "mouthStretchLeft",
    "mouthStretchRight",
    "mouthRollLower",
    "mouthRollUpper",
    "mouthShrugLower",
    "mouthShrugUpper",
    "mouthPressLeft",
    "mouthPressRight",
    "mouthLowerDownLeft",
    "mouthLowerDownRight",
    "mouthUpperUpLeft",
    "mouthUpperUpRight",
    "browDownLeft",
    "browDownRight",
    "browInnerUp",
    "browOuterUpLeft",
    "browOuterUpRight",
    "cheekPuff",
    "cheekSquintLeft",
    "cheekSquintRight",
    "noseSneerLeft",
    "noseSneerRight",
    "tongueOut",
];

/// A facial expression that moves several shapes together, such as an emotion, a viseme or a blink
/// of VRM.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expression {
    /// Unique among those of a character.
    pub name: String,
    /// Names of shapes, and their weights where the expression is at 1.
    pub binds: Vec<(String, f64)>,
    /// Whether it is only ever at 0 or 1: at 1 for a weight above 0.5.
    pub binary: bool,
    /// What it does to blinks.
    pub blink: Override,
    /// What it does to expressions of the gaze.
    pub look_at: Override,
    /// What it does to visemes (mouth shapes of sounds).
    pub mouth: Override,
}

/// What an expression does to others that would conflict with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Override {
    /// Nothing.
    #[default]
    None,
    /// They are off as soon as it is on.
    Block,
    /// They fade as it grows.
    Blend,
}

/// A shape that adds to another one between its weights 0 and 1, as a file states it.
#[derive(Clone, Debug, PartialEq)]
pub struct InBetween {
    /// Its name.
    pub shape: String,
    /// The name of the shape that it is an in-between of.
    pub of: String,
    /// The weights of that shape at which each of its in-betweens, and last the shape itself, is fully applied.
    pub full: Vec<f64>,
    /// The position in `full` of the weight of this shape.
    pub at: usize,
}

/// The weight of one shape in a series of in-betweens, at a weight of the series. `full` has the weights at which each
/// shape is fully applied, in increasing order; at 0 no shape is. Between two of them the shapes are interpolated
/// linearly, and beyond the last they are extrapolated. The last shape of a series is the named one; those before it
/// are its in-betweens.
///
/// ```
/// use mocap_model::in_between_weight;
///
/// let at = |weight: f64| [0, 1].map(|shape| in_between_weight(&[0.5, 1.0], shape, weight));
/// assert_eq!(at(0.25), [0.5, 0.0]);
/// assert_eq!(at(0.5), [1.0, 0.0]);
/// assert_eq!(at(0.75), [0.5, 0.5]);
/// assert_eq!(at(1.5), [-1.0, 2.0]);
/// ```
pub fn in_between_weight(full: &[f64], at: usize, weight: f64) -> f64 {
    let Some(own) = full.get(at) else { return 0.0 };
    let on_side = |side: f64| {
        let mut knots: Vec<f64> = full.iter().copied().filter(|knot| knot * side > 0.0).collect();
        knots.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        knots
    };
    let side = if weight > 0.0 { 1.0 } else { -1.0 };
    let (mut before, mut next) = (0.0, 0.0);
    for knot in on_side(side) {
        (before, next) = (next, knot);
        if knot.abs() > weight.abs() {
            break;
        }
    }
    if next == 0.0 {
        // No shape has a weight on this side: the first one of the other side is extrapolated through 0.
        next = on_side(-side).first().copied().unwrap_or(0.0);
    }
    let share = (weight - before) / (next - before);
    if !share.is_finite() {
        return 0.0;
    }
    // No shape has the weight 0.
    if *own == next {
        share
    } else if *own == before && before != 0.0 {
        1.0 - share
    } else {
        0.0
    }
}

/// The byte ranges of the words of a name: `EyeBlink_L` is `Eye`, `Blink`, `L`.
///
/// ```
/// let name = "CTRL_eyeBlinkL";
/// let words: Vec<&str> = mocap_model::words_of_name(name).into_iter().map(|word| &name[word]).collect();
/// assert_eq!(words, ["CTRL", "eye", "Blink", "L"]);
/// ```
pub fn words_of_name(name: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let letters: Vec<(usize, char)> = name.char_indices().collect();
    let mut open = false;
    for (at, (byte, letter)) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            open = false;
            continue;
        }
        let before = at.checked_sub(1).map(|at| letters[at].1);
        let behind = letters.get(at + 1).map(|(_, letter)| letter);
        let starts = before.is_some_and(|before| {
            // A word starts at B of aB, at a of 1a, and at the last capital of ABc.
            (before.is_lowercase() && letter.is_uppercase())
                || (before.is_numeric() && letter.is_alphabetic())
                || (before.is_uppercase()
                    && letter.is_uppercase()
                    && behind.is_some_and(|next| next.is_lowercase()))
        });
        let end = byte + letter.len_utf8();
        match words.last_mut().filter(|_| open && !starts) {
            Some(word) => word.end = end,
            None => words.push(*byte..end),
        }
        open = true;
    }
    words
}

/// Words for left and right. MetaHuman has them for upper and lower, too (`ul`, `dl`).
const SIDES: [[&str; 2]; 5] = [["left", "right"], ["l", "r"], ["lft", "rgt"], ["ul", "ur"], ["dl", "dr"]];

/// The name of a shape of a face with all its sides swapped; `None` where it has no side. A gaze to the left of the left
/// eye becomes one to the right of the right eye.
///
/// ```
/// use mocap_model::mirrored_shape;
///
/// assert_eq!(mirrored_shape("Face.eyeLookLeftL").as_deref(), Some("Face.eyeLookRightR"));
/// assert_eq!(mirrored_shape("LEFT_BROW_UP").as_deref(), Some("RIGHT_BROW_UP"));
/// assert_eq!(mirrored_shape("jawOpen"), None);
/// ```
pub fn mirrored_shape(name: &str) -> Option<String> {
    let swapped = |word: &str| {
        let other = SIDES.iter().find_map(|[left, right]| match word.to_lowercase() {
            lower if lower == *left => Some(*right),
            lower if lower == *right => Some(*left),
            _ => None,
        })?;
        Some(cased_as(word, other))
    };
    // A prefix such as the name of the mesh is not mirrored.
    let start = name.rfind(['.', '/', ':', '|']).map_or(0, |at| at + 1);
    let (mesh, shape) = name.split_at(start);
    let (mut made, mut end, mut found) = (mesh.to_owned(), 0, false);
    for word in words_of_name(shape) {
        made += &shape[end..word.start];
        let own = &shape[word.clone()];
        let other = swapped(own);
        found |= other.is_some();
        made += other.as_deref().unwrap_or(own);
        end = word.end;
    }
    made += &shape[end..];
    if found {
        return Some(made);
    }
    // A name in one case has no word boundaries: only its first or last letters can name a side.
    let lower = shape.to_lowercase();
    let [left, right] = SIDES[0];
    let swap = |from: &str, to: &str| -> Option<String> {
        if lower.len() != shape.len() {
            return None;
        }
        let at = if lower.ends_with(from) {
            lower.len() - from.len()
        } else {
            lower.starts_with(from).then_some(0)?
        };
        let word = shape.get(at..at + from.len())?;
        Some(format!("{mesh}{}{}{}", &shape[..at], cased_as(word, to), &shape[at + from.len()..]))
    };
    swap(left, right).or_else(|| swap(right, left))
}

/// A word in the case of another one.
fn cased_as(like: &str, word: &str) -> String {
    let mut letters = like.chars();
    match (letters.next().is_some_and(char::is_uppercase), letters.next().map(char::is_uppercase)) {
        (true, Some(true)) => word.to_uppercase(),
        (true, None) if word.len() < 3 => word.to_uppercase(),
        (true, _) => word[..1].to_uppercase() + &word[1..],
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_of_shapes_is_linear_between_them() {
        let shares = |full: &[f64], weight: f64| -> Vec<f64> {
            (0..full.len()).map(|at| in_between_weight(full, at, weight)).collect()
        };
        // In-betweens whose displacement is proportional to their weight add up to the weight.
        for full in
            [&[1.0][..], &[0.3, 1.0], &[0.25, 0.5, 1.0], &[-1.0, 1.0], &[-1.0, -0.5, 0.5, 1.0], &[0.5]]
        {
            for weight in [-1.5, -0.7, -0.2, 0.0, 0.1, 0.4, 0.5, 0.9, 1.0, 1.3] {
                let sum: f64 = shares(full, weight).iter().zip(full).map(|(share, full)| share * full).sum();
                assert!((sum - weight).abs() < 1e-12, "{full:?} {weight} {sum}");
            }
        }
        assert_eq!(shares(&[-1.0, 0.5, 1.0], -0.5), [0.5, 0.0, 0.0]);
        assert_eq!(shares(&[0.5, 0.5], 0.5), [0.0, 0.0], "two at one weight have no order");
        assert_eq!(shares(&[], 0.5), [0.0; 0]);
    }

    #[test]
    fn sides_are_swapped_in_every_vocabulary() {
        for (left, right) in [
            ("eyeBlinkLeft", "eyeBlinkRight"),
            ("EyeBlinkLeft", "EyeBlinkRight"),
            ("EYEBLINKLEFT", "EYEBLINKRIGHT"),
            ("leftbrowup", "rightbrowup"),
            ("AU12L", "AU12R"),
            ("Eye_L_Look_L", "Eye_R_Look_R"),
            ("CTRL_expressions_mouthFunnelUL", "CTRL_expressions_mouthFunnelUR"),
            ("MouthLeftPullUp", "MouthRightPullUp"),
            ("Left.jawLeft", "Left.jawRight"),
            ("Mouth_lft", "Mouth_rgt"),
        ] {
            assert_eq!(mirrored_shape(left).as_deref(), Some(right), "{left}");
            assert_eq!(mirrored_shape(right).as_deref(), Some(left), "{right}");
        }
        for name in ["", "jawOpen", "Belly", "L.jaw", "mouthRoll", "é"] {
            assert_eq!(mirrored_shape(name), None, "{name}");
        }
    }
}
