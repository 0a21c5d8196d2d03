//! Where markers sit on a body by their names: a table that anyone can extend.

use std::collections::BTreeMap;

use mocap_model::{Side, Vector3};
use serde::Deserialize;

use crate::SolveError;
use crate::label::{self, Label};

/// A part of the body that markers sit on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Segment {
    Hips,
    Chest,
    Head,
    UpperLeg,
    LowerLeg,
    Foot,
    Shoulder,
    UpperArm,
    LowerArm,
    Hand,
}

/// A marker of the table, on one side.
#[derive(Clone, Debug, PartialEq)]
pub struct Landmark {
    /// Its usual name, with its side, such as `LANK`.
    pub name: String,
    /// The part of the body.
    pub segment: Segment,
    /// Its side; `None` on the middle line.
    pub side: Option<Side>,
    /// Where it sits, as the table says.
    pub at: Vector3<f64>,
    /// The standard deviations of that, along its three directions \[m\].
    pub sigma: Vector3<f64>,
}

/// Tables of landmarks and sets.
#[derive(Clone, Debug)]
pub struct MarkerSets {
    landmarks: Vec<Landmark>,
    /// Of names without a side.
    middle: BTreeMap<String, usize>,
    /// By whether it is on the left, and name.
    sided: BTreeMap<(bool, String), usize>,
    sets: BTreeMap<String, SetRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Table {
    #[serde(default)]
    landmark: Vec<LandmarkRow>,
    #[serde(default)]
    set: Vec<SetRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LandmarkRow {
    segment: Segment,
    at: [f64; 3],
    sigma: Sigma,
    #[serde(default)]
    sided: bool,
    side: Option<SideWord>,
    names: Vec<String>,
}

/// One for all directions, or one for each.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Sigma {
    All(f64),
    Each([f64; 3]),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SideWord {
    Left,
    Right,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetRow {
    name: String,
    markers: Vec<String>,
    /// Labels that count, but that not every take has.
    #[serde(default)]
    also: Vec<String>,
}

/// A body needs this many known labels.
pub(crate) const FEWEST_LABELS: usize = 8;

/// The farthest place of a marker that a table may state \[m\].
const FARTHEST: f64 = 1.0;

impl MarkerSets {
    /// The marker sets that are built in: Plug-in Gait, CMU's 41, Helen Hayes, Rajagopal and OpenSim, OptiTrack.
    ///
    /// ```
    /// let sets = mocap_solve::MarkerSets::built_in();
    /// let ankle = sets.find("Bob:L.Ankle").unwrap();
    /// assert_eq!(ankle.name, "LANK");
    /// assert!(sets.find("prop1").is_none());
    /// ```
    pub fn built_in() -> MarkerSets {
        let empty = MarkerSets {
            landmarks: Vec::new(),
            middle: BTreeMap::new(),
            sided: BTreeMap::new(),
            sets: BTreeMap::new(),
        };
        empty.with(include_str!("marker_table.toml")).expect("the table is checked by a test")
    }

    /// The same sets with those of a table in TOML; its names replace others.
    ///
    /// # Errors
    /// [`SolveError::MarkerTable`] with line and column, or the name that is wrong.
    pub fn with(mut self, text: &str) -> Result<MarkerSets, SolveError> {
        let wrong = |reason: String| SolveError::MarkerTable { reason };
        let table: Table =
            toml::from_str(text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))?;
        for row in table.landmark {
            let Some(first) = row.names.first().cloned() else {
                return Err(wrong(format!("a landmark of {:?} has no names", row.segment)));
            };
            let sigma = match row.sigma {
                Sigma::All(sigma) => Vector3::repeat(sigma),
                Sigma::Each(sigma) => Vector3::from(sigma),
            };
            let mut numbers = row.at.iter().chain(sigma.iter());
            if !numbers.all(|number| number.is_finite() && number.abs() <= FARTHEST)
                || sigma.iter().any(|sigma| *sigma <= 0.0)
            {
                let message = "'at' has to be within 1 m of the body and 'sigma' above 0 [m]";
                return Err(wrong(format!("landmark '{first}': {message}")));
            }
            let on_limb = !matches!(row.segment, Segment::Hips | Segment::Chest | Segment::Head);
            if on_limb && !row.sided && row.side.is_none() {
                return Err(wrong(format!(
                    "landmark '{first}': {:?} is on two sides; say sided = true, or side",
                    row.segment
                )));
            }
            let sides: &[Option<Side>] = match (row.sided, row.side) {
                (true, _) => &[Some(Side::Left), Some(Side::Right)],
                (false, Some(SideWord::Left)) => &[Some(Side::Left)],
                (false, Some(SideWord::Right)) => &[Some(Side::Right)],
                (false, None) => &[None],
            };
            for side in sides {
                let index = self.landmarks.len();
                let name = match side.filter(|_| row.sided) {
                    Some(side) => format!("{}{first}", label::letter(side)),
                    None => first.clone(),
                };
                let mut at = Vector3::from(row.at);
                if on_trunk(row.segment) && *side == Some(Side::Right) && row.sided {
                    at.x = -at.x;
                }
                self.landmarks.push(Landmark { name, segment: row.segment, side: *side, at, sigma });
                for name in &row.names {
                    let whole = label::read(name).whole;
                    match side.filter(|_| row.sided) {
                        Some(side) => self.sided.insert((side == Side::Left, whole), index),
                        None => self.middle.insert(whole, index),
                    };
                }
            }
        }
        for set in table.set {
            let all = [expanded(&set.markers), expanded(&set.also)].concat();
            if let Some(unknown) = all.iter().find(|name| self.find(name).is_none()) {
                return Err(wrong(format!("set '{}': no landmark is called '{unknown}'", set.name)));
            }
            self.sets.insert(set.name.clone(), set);
        }
        Ok(self)
    }

    /// The landmark that a label names; `None` where the label is not known.
    pub fn find(&self, label: &str) -> Option<&Landmark> {
        let Label { whole, sided } = label::read(label);
        let sided = sided.into_iter().find_map(|key| self.sided.get(&key));
        let index = self.middle.get(&whole).or(sided)?;
        Some(&self.landmarks[*index])
    }

    /// The names of the sets.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sets.keys().map(String::as_str)
    }

    /// The labels of a set, left before right; `None` if no set has the name.
    pub fn labels(&self, set: &str) -> Option<Vec<String>> {
        self.sets.get(set).map(|set| expanded(&set.markers))
    }

    /// The known labels of a set with their landmarks; `None` if no set has the name.
    pub(crate) fn only(&self, set: &str) -> Option<Vec<(String, Landmark)>> {
        self.labels(set).map(|labels| self.with_landmarks(labels))
    }

    /// As [`MarkerSets::only`], with the labels that not every take has.
    pub(crate) fn counting(&self, set: &str) -> Option<Vec<(String, Landmark)>> {
        let also = expanded(&self.sets.get(set)?.also);
        Some(self.with_landmarks([self.labels(set)?, also].concat()))
    }

    fn with_landmarks(&self, labels: Vec<String>) -> Vec<(String, Landmark)> {
        labels.into_iter().filter_map(|label| Some((label.clone(), self.find(&label)?.clone()))).collect()
    }
}

fn expanded(markers: &[String]) -> Vec<String> {
    let sides = |marker: &String| match marker.contains('?') {
        true => vec![marker.replace('?', "L"), marker.replace('?', "R")],
        false => vec![marker.clone()],
    };
    markers.iter().flat_map(sides).collect()
}

/// Whether places on a segment are left, up, front.
pub(crate) fn on_trunk(segment: Segment) -> bool {
    matches!(segment, Segment::Hips | Segment::Chest | Segment::Head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_all_sets_are_landmarks() {
        let sets = MarkerSets::built_in();
        for set in sets.names() {
            let only = sets.only(set).unwrap();
            assert_eq!(only.len(), sets.labels(set).unwrap().len(), "{set}");
            let mut names: Vec<&str> = only.iter().map(|(_, landmark)| landmark.name.as_str()).collect();
            names.sort_unstable();
            assert!(
                names.windows(2).all(|pair| pair[0] != pair[1]),
                "{set}: two labels are one landmark: {names:?}"
            );
        }
    }

    #[test]
    fn sides_are_mirrored() {
        let sets = MarkerSets::built_in();
        let [left, right] = ["LASI", "R.ASIS"].map(|label| sets.find(label).unwrap());
        assert_eq!((left.at.x, left.side), (-right.at.x, Some(Side::Left)));
        assert_eq!(sets.find("LELB").unwrap().name, "LELB");
        assert_eq!(sets.find("RBAC").unwrap().side, Some(Side::Right));
    }

    #[test]
    fn a_table_extends_the_names_and_a_wrong_one_is_refused() {
        let own = "[[landmark]]\nsegment = 'Chest'\nat = [0.0, 0.0, 0.1]\nsigma = 0.05\nnames = ['Badge']\n";
        assert_eq!(MarkerSets::built_in().with(own).unwrap().find("badge").unwrap().at.z, 0.1);
        for (text, part) in [
            ("[[landmark]]\nsegmen = 1", "line 2"),
            (&own.replace("0.05", "-1.0"), "sigma"),
            (&own.replace("Chest", "Foot"), "two sides"),
            ("[[set]]\nname = 'a'\nmarkers = ['Nope1']", "Nope1"),
        ] {
            let error = MarkerSets::built_in().with(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
