//! Shapes whose weights follow from others: the corrective shape `jawOpen_mouthSmileLeft` corrects the combination of
//! both shapes, by the product of their weights; the in-between `jawOpen_50` corrects `jawOpen` at 0.5, and fades to
//! both sides.

use std::collections::{BTreeMap, BTreeSet};

use mocap_model::{InBetween as Stated, ScalarTrack, Track, in_between_weight};

/// Names with more words are not tested for correctives, which bounds the time of the search.
const WORDS: usize = 16;

/// The correctives of a face: their indices among the names, and those of the shapes that they correct.
fn correctives<S: AsRef<str>>(names: &[S]) -> Vec<(usize, Vec<usize>)> {
    let split = |name: &str| -> (String, Vec<String>) {
        let at = name.rfind(['.', '|', ':']).map_or(0, |at| at + 1);
        (name[..at].to_owned(), name[at..].split('_').map(str::to_lowercase).collect())
    };
    let all: Vec<(String, Vec<String>)> = names.iter().map(|name| split(name.as_ref())).collect();
    // Names may differ only in case: all of them are candidates.
    let mut places: BTreeMap<(&str, &[String]), Vec<usize>> = BTreeMap::new();
    for (at, (mesh, words)) in all.iter().enumerate() {
        places.entry((mesh, words)).or_default().push(at);
    }
    let parts = |at: usize| {
        let (mesh, words) = &all[at];
        let mut left = &words[..];
        if left.len() > WORDS {
            return None;
        }
        let mut found = Vec::new();
        // The longest name first: `smile_L` before `smile`.
        while !left.is_empty() {
            let (other, taken) = (1..=left.len()).rev().find_map(|taken| {
                let known = places.get(&(mesh.as_str(), &left[..taken]))?;
                Some((*known.iter().find(|other| **other != at)?, taken))
            })?;
            found.push(other);
            left = &left[taken..];
        }
        (found.len() > 1).then_some((at, found))
    };
    (0..all.len()).filter_map(parts).collect()
}

/// An in-between of a shape, by indices among names.
#[derive(Clone, Debug, PartialEq)]
struct InBetween {
    /// Its own index.
    shape: usize,
    /// The index of the shape that it is an in-between of.
    of: usize,
    /// The weights at which the in-betweens of that shape, and then the shape itself, are fully applied.
    full: Vec<f64>,
    /// The position in `full` of the weight of this shape.
    at: usize,
}

/// The in-betweens of a face: those that its file states, and for other shapes those whose name is another shape of the
/// same mesh followed by a percentage of two digits. (Tools that make names unique count from 1: `jawOpen_2` and
/// `jawOpen_02` are not in-betweens.)
fn in_betweens<S: AsRef<str>>(names: &[S], stated: &[Stated]) -> Vec<InBetween> {
    let places: BTreeMap<&str, usize> =
        names.iter().enumerate().rev().map(|(at, name)| (name.as_ref(), at)).collect();
    let given = stated.iter().filter_map(|one| {
        let (shape, of) = (*places.get(one.shape.as_str())?, *places.get(one.of.as_str())?);
        Some(InBetween { shape, of, full: one.full.clone(), at: one.at })
    });
    let mut found: Vec<InBetween> = given.collect();
    let known: BTreeSet<usize> = found.iter().map(|one| one.of).collect();
    let mut series: BTreeMap<usize, Vec<(u32, usize)>> = BTreeMap::new();
    for (shape, name) in names.iter().enumerate() {
        let Some((of, percent)) = name.as_ref().rsplit_once('_') else { continue };
        let percent = Some(percent).filter(|text| text.len() == 2).and_then(|text| text.parse::<u32>().ok());
        let of = places.get(of).filter(|of| !known.contains(of));
        if let (Some(percent @ 10..), Some(of)) = (percent, of) {
            series.entry(*of).or_default().push((percent, shape));
        }
    }
    for (of, mut shapes) in series {
        shapes.sort_unstable();
        shapes.dedup_by_key(|(percent, _)| *percent);
        let full = shapes.iter().map(|(percent, _)| f64::from(*percent) / 100.0).chain([1.0]);
        let full: Vec<f64> = full.collect();
        let made = shapes.iter().enumerate();
        found.extend(made.map(|(at, (_, shape))| InBetween { shape: *shape, of, full: full.clone(), at }));
    }
    found
}

/// How the weight of a shape is derived from others.
enum Derivation {
    /// Their product, each within 0 to 1.
    Product(Vec<usize>),
    /// The weight of an in-between.
    Between(InBetween),
}

impl Derivation {
    /// The indices of the shapes that it depends on.
    fn of(&self) -> &[usize] {
        match self {
            Derivation::Product(of) => of,
            Derivation::Between(between) => std::slice::from_ref(&between.of),
        }
    }

    fn track(&self, of: &[&Track<f64>], frames: usize) -> Track<f64> {
        match self {
            Derivation::Product(_) => product(of, frames),
            Derivation::Between(InBetween { full, at, .. }) => {
                of[0].map(|weight| in_between_weight(full, *at, *weight))
            }
        }
    }
}

/// The shapes whose weights follow from others, with their derivations.
fn followers<S: AsRef<str>>(names: &[S], stated: &[Stated]) -> Vec<(usize, Derivation)> {
    let between = in_betweens(names, stated);
    let is_between: BTreeSet<usize> = between.iter().map(|between| between.shape).collect();
    let products = correctives(names).into_iter().filter(|(at, _)| !is_between.contains(at));
    let products: Vec<(usize, Derivation)> = products.map(|(at, of)| (at, Derivation::Product(of))).collect();
    between.into_iter().map(|between| (between.shape, Derivation::Between(between))).chain(products).collect()
}

/// For each shape whose weight follows from others: the indices of these. `stated` are in-betweens with the weights
/// that the file of the face states; in-betweens of other shapes are recognised by their names.
pub fn followed<S: AsRef<str>>(names: &[S], stated: &[Stated]) -> BTreeMap<usize, Vec<usize>> {
    followers(names, stated).into_iter().map(|(at, made)| (at, made.of().to_vec())).collect()
}

/// Adds tracks for correctives without one, with the product of the weights that they correct, each clamped to 0 to 1;
/// and for in-betweens without one, from the weight of their shape. `stated` is as in [`followed`].
pub fn add_correctives<S: AsRef<str>>(
    tracks: &mut Vec<ScalarTrack>,
    names: &[S],
    stated: &[Stated],
    frames: usize,
) {
    let given: BTreeSet<String> = tracks.iter().map(|track| track.name.clone()).collect();
    let mut open = followers(names, stated);
    open.retain(|(at, _)| !given.contains(names[*at].as_ref()));
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (at, track) in tracks.iter().enumerate() {
        places.entry(track.name.clone()).or_insert(at);
    }
    // A corrective of a corrective may come before it in the list, so passes are repeated.
    loop {
        let before = tracks.len();
        open.retain(|(at, made)| {
            let name = names[*at].as_ref();
            let known = |part: &usize| places.get(names[*part].as_ref()).map(|place| &tracks[*place].values);
            let Some(of) = made.of().iter().map(known).collect::<Option<Vec<_>>>() else { return true };
            if !places.contains_key(name) {
                let values = made.track(&of, frames);
                places.insert(name.to_owned(), tracks.len());
                tracks.push(ScalarTrack { name: name.to_owned(), values });
            }
            false
        });
        if tracks.len() == before {
            break;
        }
    }
}

/// The product of weights, each clamped to 0 to 1.
fn product(of: &[&Track<f64>], frames: usize) -> Track<f64> {
    let product = |frame: usize| of.iter().map(|track| track.at(frame).clamp(0.0, 1.0)).product::<f64>();
    match of.iter().any(|track| track.is_sampled()) {
        true => Track::from_samples((0..frames).map(product).collect()).unwrap_or(Track::Constant(0.0)),
        false => Track::Constant(product(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_corrects_and_what_lies_between() {
        assert_eq!(correctives(&["jawOpen", "smile_L", "jawOpen_smile_L", "brow_up"]), [(2, vec![0, 1])]);
        let found = in_betweens(&["jawOpen", "jawOpen_50", "jawOpen_02", "key_30"], &[]);
        assert_eq!(found, [InBetween { shape: 1, of: 0, full: vec![0.5, 1.0], at: 0 }]);
    }

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
        add_correctives(&mut tracks, &names, &[], 3);
        let made: Vec<(&str, Vec<f64>)> = tracks[4..]
            .iter()
            .map(|track| (track.name.as_str(), (0..3).map(|frame| track.values.at(frame)).collect()))
            .collect();
        // A_B_C corrects A_B and C, whose product is that of all three.
        assert_eq!(made, [("Face.A_B", vec![0.0, 0.25, 0.5]), ("Face.A_B_C", vec![0.0, 0.125, 0.25])]);
    }

    #[test]
    fn in_betweens_fade_to_both_sides_and_are_corrected() {
        let names = ["jaw", "jaw_50", "smile", "jaw_50_smile", "jaw_75", "brow_30", "jaw_2", "Teeth.jaw_50"];
        let mut tracks = vec![track("jaw", vec![0.0, 0.25, 0.5, 0.625, 1.0]), track("smile", vec![0.5; 5])];
        add_correctives(&mut tracks, &names, &[], 5);
        let values = |name: &str| -> Vec<f64> {
            let found = tracks.iter().find(|track| track.name == name);
            let found = found.unwrap_or_else(|| panic!("no {name}"));
            (0..5).map(|frame| found.values.at(frame)).collect()
        };
        assert_eq!(values("jaw_50"), [0.0, 0.5, 1.0, 0.5, 0.0]);
        assert_eq!(values("jaw_75"), [0.0, 0.0, 0.0, 0.5, 0.0]);
        assert_eq!(values("jaw_50_smile"), [0.0, 0.25, 0.5, 0.25, 0.0]);
        assert_eq!(tracks.len(), 5, "what has no shape to stand in has no weight");
        assert_eq!(followed(&names, &[]).keys().copied().collect::<Vec<_>>(), [1, 3, 4]);
    }

    #[test]
    fn weights_that_a_file_states_go_before_those_of_names() {
        let names = ["jaw", "jaw_5", "jaw_30", "side", "side_-100", "other", "other_50"];
        let stated = |shape: &str, of: &str, full: &[f64], at: usize| Stated {
            shape: shape.into(),
            of: of.into(),
            full: full.to_vec(),
            at,
        };
        // The name has a rounded percentage, and the last shape is fully applied at 60 %.
        let stated = [
            stated("jaw_5", "jaw", &[0.046, 0.3, 0.6], 0),
            stated("jaw_30", "jaw", &[0.046, 0.3, 0.6], 1),
            stated("side_-100", "side", &[-1.0, 1.0], 0),
        ];
        let mut tracks = vec![
            track("jaw", vec![0.0, 0.046, 0.3, 0.45, 0.6]),
            track("side", vec![-1.0, -0.5, 0.0, 0.5, 1.0]),
            track("other", vec![0.0, 0.5, 0.5, 0.75, 1.0]),
        ];
        add_correctives(&mut tracks, &names, &stated, 5);
        let values = |name: &str| -> Vec<f64> {
            let found = tracks.iter().find(|track| track.name == name);
            let found = found.unwrap_or_else(|| panic!("no {name}"));
            (0..5).map(|frame| (found.values.at(frame) * 1e9).round() / 1e9).collect()
        };
        assert_eq!(values("jaw_5"), [0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(values("jaw_30"), [0.0, 0.0, 1.0, 0.5, 0.0]);
        assert_eq!(values("side_-100"), [1.0, 0.5, 0.0, 0.0, 0.0]);
        assert_eq!(values("other_50"), [0.0, 1.0, 1.0, 0.5, 0.0], "nothing is stated of it");
    }

    #[test]
    fn correctives_of_correctives_come_in_any_order() {
        let names = ["A_B_C_D", "A_B_C", "A_B", "D", "C", "B", "A"];
        let mut tracks: Vec<ScalarTrack> =
            ["A", "B", "C", "D"].iter().map(|name| track(name, vec![0.5, 1.0])).collect();
        add_correctives(&mut tracks, &names, &[], 2);
        let made: Vec<(&str, f64)> =
            tracks[4..].iter().map(|track| (track.name.as_str(), track.values.at(0))).collect();
        assert_eq!(made, [("A_B", 0.25), ("A_B_C", 0.125), ("A_B_C_D", 0.0625)]);
        assert_eq!(tracks[6].values.at(1), 1.0);
    }

    #[test]
    fn long_names_correct_nothing() {
        let long = |words: usize| vec!["A"; words].join("_");
        assert_eq!(correctives(&["A".to_owned(), long(16)]), [(1, vec![0; 16])]);
        assert_eq!(correctives(&["A".to_owned(), long(17)]), []);
        // These would be compared more than 10^10 times.
        let mut names = vec![long(100_000); 3];
        names.extend((0..1000).map(|at| format!("A{at}")));
        assert_eq!(correctives(&names), []);
    }

    #[test]
    fn sides_are_no_correctives() {
        for names in [&["Eye_Blink_L", "Eye", "Blink"][..], &["A_A"], &["_", "A"], &["A", "B", "AB"]] {
            assert_eq!(correctives(names), [], "{names:?}");
        }
    }
}
