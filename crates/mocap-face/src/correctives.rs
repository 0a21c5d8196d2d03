//! Corrective shapes: `jawOpen_mouthSmileLeft` mends what both shapes do together, by the product of their weights.

use mocap_model::{ScalarTrack, Track};

/// The shapes of a face that correct others: its place among the names, and those of the shapes that it corrects.
///
/// ```
/// let names = ["jawOpen", "smile_L", "jawOpen_smile_L", "brow_up"];
/// assert_eq!(mocap_face::correctives(&names), [(2, vec![0, 1])]);
/// ```
pub fn correctives<S: AsRef<str>>(names: &[S]) -> Vec<(usize, Vec<usize>)> {
    let split = |name: &str| -> (String, Vec<String>) {
        let at = name.rfind(['.', '|', ':']).map_or(0, |at| at + 1);
        (name[..at].to_owned(), name[at..].split('_').map(str::to_lowercase).collect())
    };
    let all: Vec<(String, Vec<String>)> = names.iter().map(|name| split(name.as_ref())).collect();
    let parts = |at: usize| {
        let (mesh, words) = &all[at];
        let mut left = &words[..];
        let mut found = Vec::new();
        // The longest name first: `smile_L` before `smile`.
        while !left.is_empty() {
            let (other, taken) = (1..=left.len()).rev().find_map(|taken| {
                let is =
                    |other: &usize| *other != at && all[*other].0 == *mesh && all[*other].1 == left[..taken];
                Some(((0..all.len()).find(is)?, taken))
            })?;
            found.push(other);
            left = &left[taken..];
        }
        (found.len() > 1).then_some((at, found))
    };
    (0..all.len()).filter_map(parts).collect()
}

/// Gives corrective shapes that have no track the product of the weights that they correct, each within 0 to 1.
pub fn add_correctives<S: AsRef<str>>(tracks: &mut Vec<ScalarTrack>, names: &[S], frames: usize) {
    let given: Vec<String> = tracks.iter().map(|track| track.name.clone()).collect();
    let mut made: Vec<ScalarTrack> = Vec::new();
    for (at, parts) in correctives(names) {
        let name = names[at].as_ref();
        if given.iter().any(|known| known == name) {
            continue;
        }
        let of: Option<Vec<&Track<f64>>> = parts
            .iter()
            .map(|part| {
                let part = names[*part].as_ref();
                let known = tracks.iter().chain(&made).find(|track| track.name == part);
                known.map(|track| &track.values)
            })
            .collect();
        let Some(of) = of else { continue };
        let product = |frame: usize| of.iter().map(|track| track.at(frame).clamp(0.0, 1.0)).product::<f64>();
        let values = match of.iter().any(|track| track.is_sampled()) {
            true => Track::from_samples((0..frames).map(product).collect()),
            false => Some(Track::Constant(product(0))),
        };
        made.push(ScalarTrack { name: name.to_owned(), values: values.unwrap_or(Track::Constant(0.0)) });
    }
    tracks.extend(made);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(name: &str, values: Vec<f64>) -> ScalarTrack {
        ScalarTrack { name: name.into(), values: Track::from_samples(values).unwrap() }
    }

    #[test]
    fn a_corrective_shape_is_the_product_and_a_given_one_stays() {
        let names =
            ["Face.A", "Face.B", "Face.C", "Face.A_B", "Face.A_B_C", "Face.B_C", "Teeth.A_B", "Face.A_x"];
        let mut tracks = vec![
            track("Face.A", vec![0.0, 0.5, 2.0]),
            track("Face.B", vec![1.0, 0.5, 0.5]),
            track("Face.C", vec![0.5; 3]),
            track("Face.B_C", vec![0.9; 3]),
        ];
        add_correctives(&mut tracks, &names, 3);
        let made: Vec<(&str, Vec<f64>)> = tracks[4..]
            .iter()
            .map(|track| (track.name.as_str(), (0..3).map(|frame| track.values.at(frame)).collect()))
            .collect();
        // A_B_C corrects A_B and C, whose product is that of all three.
        assert_eq!(made, [("Face.A_B", vec![0.0, 0.25, 0.5]), ("Face.A_B_C", vec![0.0, 0.125, 0.25])]);
    }

    #[test]
    fn sides_are_no_correctives() {
        for names in [&["Eye_Blink_L", "Eye", "Blink"][..], &["A_A"], &["_", "A"], &["A", "B", "AB"]] {
            assert_eq!(correctives(names), [], "{names:?}");
        }
    }
}
