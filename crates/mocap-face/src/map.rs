//! The mapping of shapes from a source face to a target face.

use std::collections::HashMap;

use mocap_model::{ARKIT_SHAPES, Annotations, ScalarTrack, Track};

use crate::names::{Meaning, meaning, without_mesh};

/// How a shape of a target was matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The names are equal up to case, separators and the prefix of a mesh.
    SameName,
    /// Two vocabularies name the same shape.
    SameShape,
    /// It is approximately the same, as for visemes and emotions.
    Nearly,
    /// A map file states it.
    Stated,
}

impl Match {
    /// The name for users.
    pub fn text(self) -> &'static str {
        match self {
            Match::SameName => "the same name",
            Match::SameShape => "the same shape by another name",
            Match::Nearly => "nearly the same",
            Match::Stated => "stated",
        }
    }
}

/// A shape of the target, and what moves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its index among the names of the target.
    pub target: usize,
    /// Indices of the source's names with gains: the weight is the sum of gain × weight.
    pub from: Vec<(usize, f64)>,
    /// How it was matched.
    pub by: Match,
}

/// The mapping of shapes from a source face to a target face.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaceMap {
    /// In the order of the target's names, each target at most once.
    pub links: Vec<Link>,
}

/// Letters and digits of a name, lower case, without its mesh.
fn plain(name: &str) -> String {
    without_mesh(name).chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl FaceMap {
    /// Matches names: equal ones, then those with the same meaning in the vocabularies, then approximate ones for
    /// shapes without a better match. Several target names with one meaning (a face and its lashes) are all moved.
    ///
    /// ```
    /// use mocap_face::FaceMap;
    ///
    /// let map = FaceMap::found(&["noseSneerLeft", "noseSneerRight", "jawOpen"], &["JawDrop", "NoseWrinkler"]);
    /// assert_eq!(map.links[0].from, [(2, 1.0)]);
    /// assert_eq!(map.links[1].from, [(0, 0.5), (1, 0.5)]);
    /// ```
    pub fn found<S: AsRef<str>, T: AsRef<str>>(source: &[S], target: &[T]) -> FaceMap {
        let mut same: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, name) in source.iter().enumerate() {
            same.entry(plain(name.as_ref())).or_default().push(at);
        }
        let of_source: Vec<Option<Meaning>> = source.iter().map(|name| meaning(name.as_ref())).collect();
        let movers = movers(&of_source);
        let link = |at: usize, name: &str| -> Option<Link> {
            if let Some(from) = source.iter().position(|known| known.as_ref() == name) {
                return Some(Link { target: at, from: vec![(from, 1.0)], by: Match::SameName });
            }
            if let Some(from) = same.get(&plain(name)) {
                let gain = 1.0 / from.len() as f64;
                let from = from.iter().map(|from| (*from, gain)).collect();
                return Some(Link { target: at, from, by: Match::SameName });
            }
            let Meaning { parts, nearly } = meaning(name)?;
            let found: Vec<&Vec<usize>> = parts.iter().filter_map(|part| movers.get(part)).collect();
            let mut from: Vec<(usize, f64)> = Vec::new();
            for each in &found {
                let gain = 1.0 / (found.len() * each.len()) as f64;
                for mover in *each {
                    match from.iter_mut().find(|(known, _)| known == mover) {
                        Some((_, known)) => *known += gain,
                        None => from.push((*mover, gain)),
                    }
                }
            }
            let nearly =
                nearly || from.iter().any(|(at, _)| of_source[*at].as_ref().is_some_and(|of| of.nearly));
            let by = if nearly { Match::Nearly } else { Match::SameShape };
            (!from.is_empty()).then_some(Link { target: at, from, by })
        };
        let links = target.iter().enumerate().filter_map(|(at, name)| link(at, name.as_ref()));
        let mut links: Vec<Link> = links.collect();
        let taken = |at: usize, links: &[Link]| {
            links.iter().any(|link| link.by != Match::Nearly && link.from.iter().any(|(from, _)| *from == at))
        };
        let kept: Vec<bool> = links
            .iter()
            .map(|link| link.by != Match::Nearly || !link.from.iter().all(|(at, _)| taken(*at, &links)))
            .collect();
        let mut kept = kept.into_iter();
        links.retain(|_| kept.next().unwrap_or(true));
        FaceMap { links }
    }

    /// Names of the source that move nothing.
    pub fn unused<'n, S: AsRef<str>>(&self, source: &'n [S]) -> Vec<&'n str> {
        let used = |at: usize| self.links.iter().any(|link| link.from.iter().any(|(from, _)| *from == at));
        source.iter().enumerate().filter(|(at, _)| !used(*at)).map(|(_, name)| name.as_ref()).collect()
    }

    /// Names of the target that nothing moves.
    pub fn unmoved<'n, T: AsRef<str>>(&self, target: &'n [T]) -> Vec<&'n str> {
        let moved = |at: usize| self.links.iter().any(|link| link.target == at);
        target.iter().enumerate().filter(|(at, _)| !moved(*at)).map(|(_, name)| name.as_ref()).collect()
    }

    /// The tracks of the target's shapes over `frames` frames; `target` are all of its names.
    pub fn apply<T: AsRef<str>>(
        &self,
        source: &Annotations,
        target: &[T],
        frames: usize,
    ) -> Vec<ScalarTrack> {
        let scalars = &source.scalars;
        let track = |link: &Link| -> Track<f64> {
            let from: Vec<(&Track<f64>, f64)> =
                link.from.iter().map(|(at, gain)| (&scalars[*at].values, *gain)).collect();
            if from.iter().all(|(track, _)| !track.is_sampled()) {
                return Track::Constant(from.iter().map(|(track, gain)| gain * track.at(0)).sum());
            }
            let mut values = vec![0.0; frames];
            for (track, gain) in from {
                match track {
                    Track::Constant(value) => values.iter_mut().for_each(|sum| *sum += gain * value),
                    Track::Sampled(of) => {
                        values.iter_mut().zip(of).for_each(|(sum, value)| *sum += gain * value)
                    }
                }
            }
            Track::from_samples(values).unwrap_or(Track::Constant(0.0))
        };
        let named = |link: &Link| target[link.target].as_ref().to_owned();
        self.links.iter().map(|link| ScalarTrack { name: named(link), values: track(link) }).collect()
    }
}

/// By shape of ARKit: the indices of the source's names with this meaning. Approximate ones count only without an exact
/// one.
fn movers(of_source: &[Option<Meaning>]) -> HashMap<&'static str, Vec<usize>> {
    let mut movers: HashMap<&'static str, Vec<usize>> = HashMap::new();
    for part in ARKIT_SHAPES {
        let doing = |nearly: bool| -> Vec<usize> {
            let is = |of: &Option<Meaning>| {
                of.as_ref().is_some_and(|of| of.nearly == nearly && of.parts.contains(&part))
            };
            of_source.iter().enumerate().filter(|(_, of)| is(of)).map(|(at, _)| at).collect()
        };
        let mut found = doing(false);
        if found.is_empty() {
            found = doing(true);
        }
        if !found.is_empty() {
            movers.insert(part, found);
        }
    }
    movers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_arkit_move_themselves_under_any_spelling() {
        let upper: Vec<String> =
            ARKIT_SHAPES.iter().map(|name| format!("Face.{}", name.to_uppercase())).collect();
        let map = FaceMap::found(&ARKIT_SHAPES, &upper);
        assert_eq!(map.links.len(), ARKIT_SHAPES.len());
        assert!(map.links.iter().all(|link| link.by == Match::SameName && link.from == [(link.target, 1.0)]));
    }

    #[test]
    fn the_exact_name_comes_before_the_mean_of_several_meshes() {
        let source = ["Face.jawOpen", "Teeth.jawOpen"];
        let map = FaceMap::found(&source, &["Face.jawOpen", "Head.jawOpen"]);
        assert_eq!(map.links[0].from, [(0, 1.0)]);
        assert_eq!(map.links[1].from, [(0, 0.5), (1, 0.5)]);
    }

    #[test]
    fn gains_of_a_target_sum_to_one_and_one_side_never_moves_the_other() {
        let target = ["Blink", "Eye_Blink_L", "AU12R", "browsUp", "LeftInnerBrowUp", "lookRight"];
        let map = FaceMap::found(&ARKIT_SHAPES, &target);
        assert_eq!(map.links.len(), target.len());
        for link in &map.links {
            assert!((link.from.iter().map(|(_, gain)| gain).sum::<f64>() - 1.0).abs() < 1e-12);
        }
        assert_eq!(map.links[1].from, [(0, 1.0)]);
        assert_eq!(ARKIT_SHAPES[map.links[2].from[0].0], "mouthSmileRight");
    }

    #[test]
    fn a_mood_moves_only_what_has_no_shape_of_its_own() {
        let map = FaceMap::found(&["mouthSmileLeft", "mouthSmileRight"], &["happy"]);
        assert_eq!((map.links.len(), map.links[0].by), (1, Match::Nearly));
        let map = FaceMap::found(&["mouthSmileLeft", "mouthSmileRight"], &["happy", "smile"]);
        assert_eq!((map.links.len(), map.links[0].target), (1, 1));
    }

    #[test]
    fn two_sides_of_one_source_are_its_mean_and_the_rest_is_listed() {
        let source = ["LeftInnerBrowUp", "RightInnerBrowUp", "Ears"];
        let map = FaceMap::found(&source, &["browInnerUp", "tongueOut"]);
        assert_eq!(map.links[0].from, [(0, 0.5), (1, 0.5)]);
        assert_eq!(
            (map.unused(&source), map.unmoved(&["browInnerUp", "tongueOut"])),
            (vec!["Ears"], vec!["tongueOut"])
        );
        let track = |name: &str, values| ScalarTrack { name: name.into(), values };
        let scalars = vec![
            track(source[0], Track::Sampled(vec![0.0, 1.0])),
            track(source[1], Track::Constant(0.5)),
            track(source[2], Track::Constant(0.0)),
        ];
        let made =
            map.apply(&Annotations { scalars, ..Annotations::default() }, &["browInnerUp", "tongueOut"], 2);
        assert_eq!(made, [track("browInnerUp", Track::Sampled(vec![0.25, 0.75]))]);
    }

    /// Displacements are added; a mean of poses would halve both.
    #[test]
    fn two_shapes_at_one_are_both_whole() {
        let map = FaceMap::found(&["eyeBlinkLeft", "jawOpen"], &["Eye_Blink_L", "Jaw_Open"]);
        let track = |name: &str| ScalarTrack { name: name.into(), values: Track::Constant(1.0) };
        let source =
            Annotations { scalars: vec![track("eyeBlinkLeft"), track("jawOpen")], ..Annotations::default() };
        let made = map.apply(&source, &["Eye_Blink_L", "Jaw_Open"], 1);
        assert!(made.iter().all(|track| track.values == Track::Constant(1.0)));
    }
}
