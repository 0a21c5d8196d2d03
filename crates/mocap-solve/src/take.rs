//! A recording in metres, in the axes of the skeleton, with its labels identified.

use mocap_model::{Markers, SignedAxis, UnitQuaternion, Vector3, rotation_between};

use crate::identify::{self, Identified, Points};
use crate::marker_set::{FEWEST_LABELS, Landmark, MarkerSets};
use crate::pelvis::Pelvis;
use crate::presence::segment_of;
use crate::rigid::{self, Column};
use crate::subject_prefix::{subject_prefix, without_subject};
use crate::{SolveError, SolveWarning};

/// A recording whose markers have a place on the body.
#[derive(Clone, Debug)]
pub(crate) struct Take {
    /// Labels as in the file.
    pub(crate) names: Vec<String>,
    pub(crate) landmarks: Vec<Landmark>,
    pub(crate) frames: usize,
    /// `frames × markers` [m].
    pub(crate) points: Vec<Option<Vector3<f64>>>,
    /// Points that are no markers of the body.
    pub(crate) others: Vec<Column>,
}

/// The requested set and its labels.
type SetChoice<'a> = (Option<&'a str>, Option<&'a [(String, Landmark)]>);

/// Plausible size of a body with markers, from marker to marker [m].
const BODY: [f64; 2] = [0.25, 3.5];
/// Units that are tried if the stated one is implausible.
const UNITS: [(&str, f64); 3] = [("metres", 1.0), ("centimetres", 0.01), ("millimetres", 0.001)];

impl Take {
    /// Reads the labels of a recording; unknown ones are left out, with a warning. Markers are sorted by landmark, so that
    /// their order in the file does not matter.
    pub(crate) fn of(
        markers: &Markers,
        sets: &MarkerSets,
        (set, only): SetChoice<'_>,
        turn: UnitQuaternion<f64>,
        warnings: &mut Vec<SolveWarning>,
    ) -> Result<Take, SolveError> {
        if markers.frames() == 0 {
            return Err(SolveError::NoFrames);
        }
        let prefixes = sets.subject_prefixes(markers.names());
        let find = |label: &str| {
            let found = sets.find(without_subject(label, &prefixes))?;
            let counts = |set: &[(String, Landmark)]| set.iter().any(|(_, other)| other.name == found.name);
            only.is_none_or(counts).then(|| found.clone())
        };
        one_subject(markers, sets, &prefixes)?;
        let mut known: Vec<(Landmark, usize)> = Vec::new();
        let mut unknown = Vec::new();
        let mut labels: Vec<usize> = (0..markers.names().len()).collect();
        labels.sort_by_key(|at| &markers.names()[*at]);
        for at in labels {
            let label = &markers.names()[at];
            match find(label) {
                // If two labels denote one landmark, the first one is used.
                Some(landmark) if known.iter().all(|(other, _)| other.name != landmark.name) => {
                    known.push((landmark, at));
                }
                _ => unknown.push(label.clone()),
            }
        }
        let columns: Vec<usize> = known.iter().map(|(_, at)| *at).collect();
        let mut names: Vec<String> = markers.names().to_vec();
        let metres;
        if known.len() < FEWEST_LABELS {
            let all: Vec<usize> = (0..names.len()).collect();
            let mut found = Vec::new();
            let as_metres = metres_of(markers, &all, &mut found);
            let Some(identified) = identified(markers, sets, set, as_metres) else {
                return Err(SolveError::TooFewLabels {
                    found: known.len(),
                    all: names.len(),
                    least: FEWEST_LABELS,
                    examples: names.iter().take(8).cloned().collect::<Vec<_>>().join(", "),
                    segments: segments(&known, markers, as_metres),
                });
            };
            metres = as_metres;
            warnings.append(&mut found);
            let pairs: Vec<String> =
                identified.pairs.iter().map(|(at, label, _)| format!("{} is {label}", names[*at])).collect();
            warnings.push(SolveWarning::Identified { set: identified.set, pairs: pairs.join(", ") });
            unknown = (0..names.len())
                .filter(|at| identified.pairs.iter().all(|(other, ..)| other != at))
                .map(|at| names[at].clone())
                .collect();
            known = Vec::new();
            for (at, label, landmark) in identified.pairs {
                names[at] = label;
                known.push((landmark, at));
            }
        } else {
            metres = metres_of(markers, &columns, warnings);
        }
        known.sort_by(|a, b| a.0.name.cmp(&b.0.name));
        let place =
            |frame: usize, at: usize| markers.position(frame, at).map(|point| turn * (point * metres));
        let others = unknown.iter().filter_map(|name| Some((name, markers.find(name)?)));
        let others = others.map(|(name, at)| Column {
            name: name.clone(),
            points: (0..markers.frames()).map(|frame| place(frame, at)).collect(),
        });
        let others = others.collect();
        if !unknown.is_empty() {
            warnings.push(SolveWarning::UnknownLabels { names: unknown });
        }
        let points = (0..markers.frames())
            .flat_map(|frame| known.iter().map(move |(_, at)| place(frame, *at)))
            .collect();
        Ok(Take {
            names: known.iter().map(|(_, at)| names[*at].clone()).collect(),
            landmarks: known.into_iter().map(|(landmark, _)| landmark).collect(),
            frames: markers.frames(),
            points,
            others,
        })
    }

    pub(crate) fn point(&self, frame: usize, marker: usize) -> Option<Vector3<f64>> {
        self.points[frame * self.names.len() + marker]
    }

    /// The markers that are seen in a frame, of those that are used.
    pub(crate) fn seen(&self, frame: usize, used: &[bool]) -> Vec<(usize, Vector3<f64>)> {
        (0..self.names.len())
            .filter(|marker| used[*marker])
            .filter_map(|marker| Some((marker, self.point(frame, marker)?)))
            .collect()
    }

    /// The take with columns for these landmarks; those that it lacks are never seen.
    pub(crate) fn with_landmarks(&self, landmarks: &[(String, Landmark)]) -> Take {
        let columns: Vec<Option<usize>> = landmarks
            .iter()
            .map(|(_, landmark)| self.landmarks.iter().position(|other| other.name == landmark.name))
            .collect();
        let points = (0..self.frames)
            .flat_map(|frame| {
                columns.iter().map(move |column| column.and_then(|column| self.point(frame, column)))
            })
            .collect();
        let (names, landmarks) = landmarks.iter().cloned().unzip();
        Take { names, landmarks, frames: self.frames, points, others: self.others.clone() }
    }

    /// What the markers of the pelvis measure.
    pub(crate) fn pelvis(&self) -> Option<Pelvis> {
        Pelvis::of(&self.landmarks, self.frames, |frame, marker| self.point(frame, marker))
    }

    /// Exchanges two markers in a frame.
    pub(crate) fn swap(&mut self, frame: usize, a: usize, b: usize) {
        let first = frame * self.names.len();
        self.points.swap(first + a, first + b);
    }
}

/// The landmarks of a take and of a static trial, by name.
pub(crate) fn all_landmarks(take: &Take, trial: Option<&Take>) -> Vec<(String, Landmark)> {
    let mut all: Vec<(String, Landmark)> = Vec::new();
    for take in [Some(take), trial].into_iter().flatten() {
        for (name, landmark) in take.names.iter().zip(&take.landmarks) {
            if all.iter().all(|(_, other)| other.name != landmark.name) {
                all.push((name.clone(), landmark.clone()));
            }
        }
    }
    all.sort_by(|a, b| a.1.name.cmp(&b.1.name));
    all
}

/// What can be said of a recording that is not a body: segments by known labels, and rigid bodies.
fn segments(known: &[(Landmark, usize)], markers: &Markers, metres: f64) -> String {
    let mut parts: Vec<String> = known.iter().map(|(landmark, _)| segment_of(landmark)).collect();
    parts.sort_unstable();
    parts.dedup();
    let columns: Vec<Column> = markers
        .names()
        .iter()
        .enumerate()
        .map(|(at, name)| Column {
            name: name.clone(),
            points: (0..markers.frames())
                .map(|frame| markers.position(frame, at).map(|point| point * metres))
                .collect(),
        })
        .collect();
    parts.extend(rigid::groups(&columns).into_iter().map(|members| {
        let names: Vec<String> = members.iter().map(|column| column.name.clone()).collect();
        let name = rigid::common_name(&names).unwrap_or_else(|| names[0].clone());
        format!("the rigid body {name} of {} points", names.len())
    }));
    match parts.is_empty() {
        true => "no segment".to_owned(),
        false => parts.join(", "),
    }
}

/// Rejects labels of two bodies.
fn one_subject(markers: &Markers, sets: &MarkerSets, prefixes: &[&str]) -> Result<(), SolveError> {
    let mut subjects: Vec<(&str, usize)> = Vec::new();
    for label in markers.names() {
        let Some(prefix) =
            subject_prefix(label, prefixes).filter(|prefix| sets.find(&label[prefix.len()..]).is_some())
        else {
            continue;
        };
        let subject = &prefix[..prefix.len() - 1];
        match subjects.iter_mut().find(|(other, _)| *other == subject) {
            Some((_, count)) => *count += 1,
            None => subjects.push((subject, 1)),
        }
    }
    subjects.retain(|(_, count)| *count >= FEWEST_LABELS);
    match subjects.len() {
        0 | 1 => Ok(()),
        _ => Err(SolveError::Subjects {
            names: subjects.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "),
        }),
    }
}

/// Identifies points without known labels.
fn identified(markers: &Markers, sets: &MarkerSets, set: Option<&str>, metres: f64) -> Option<Identified> {
    let turn = turn_up(markers.space().up, SignedAxis::Y);
    let count = markers.names().len();
    let places: Vec<Option<Vector3<f64>>> = (0..markers.frames())
        .flat_map(|frame| (0..count).map(move |at| markers.position(frame, at)))
        .map(|point| point.map(|point| turn * (point * metres)))
        .collect();
    let points = Points { frames: markers.frames(), count, places: &places };
    identify::identify(&points, sets, set)
}

/// The unit of a recording in metres: as stated, unless the size of the body is implausible.
fn metres_of(markers: &Markers, columns: &[usize], warnings: &mut Vec<SolveWarning>) -> f64 {
    let stated = markers.space().metres();
    let Some(size) = extent(markers, columns) else { return stated.unwrap_or(1.0) };
    let is_body = |metres: f64| (BODY[0]..BODY[1]).contains(&(size * metres));
    if let Some(metres) = stated.filter(|metres| is_body(*metres)) {
        return metres;
    }
    match UNITS.iter().find(|(_, metres)| is_body(*metres)) {
        Some((used, metres)) => {
            let stated = stated.map_or("nothing".to_owned(), unit_text);
            warnings.push(SolveWarning::WrongUnit { stated, used });
            *metres
        }
        None => stated.unwrap_or(1.0),
    }
}

/// The largest distance between two markers of a frame, median over about 31 frames
/// [units of the file].
fn extent(markers: &Markers, columns: &[usize]) -> Option<f64> {
    let step = markers.frames().div_ceil(31).max(1);
    let mut sizes: Vec<f64> = Vec::new();
    for frame in (0..markers.frames()).step_by(step) {
        let points: Vec<Vector3<f64>> =
            columns.iter().filter_map(|at| markers.position(frame, *at)).collect();
        let pairs = points
            .iter()
            .enumerate()
            .flat_map(|(at, a)| points[at + 1..].iter().map(move |b| (a - b).norm()));
        sizes.extend(pairs.max_by(f64::total_cmp));
    }
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).copied()
}

fn unit_text(metres: f64) -> String {
    let unit = mocap_model::Unit { metres, source: mocap_model::UnitSource::File };
    unit.name().map_or(format!("{metres} m"), str::to_owned)
}

/// The rotation that permutes the axes so that one up axis becomes another, as labs convert between systems (X,
/// Y, Z of Z up become Z, X, Y of Y up): a body facing along X in the one faces along Z in the other.
pub(crate) fn permuted(from: SignedAxis, to: SignedAxis) -> UnitQuaternion<f64> {
    let shift = (to.axis.index() + 3 - from.axis.index()) % 3;
    if from.negative || to.negative || shift == 0 {
        return turn_up(from, to);
    }
    let third = std::f64::consts::TAU / 3.0 * if shift == 1 { 1.0 } else { -1.0 };
    UnitQuaternion::from_axis_angle(&nalgebra::Unit::new_normalize(Vector3::repeat(1.0)), third)
}

/// The turn that takes one up axis to another.
pub(crate) fn turn_up(from: SignedAxis, to: SignedAxis) -> UnitQuaternion<f64> {
    rotation_between(&from.vector(), &to.vector())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_permuted_between_up_axes() {
        let (point, z) = (Vector3::new(1.0, 2.0, 3.0), SignedAxis::Z);
        let near = |found: Vector3<f64>, wanted: [f64; 3]| (found - Vector3::from(wanted)).norm() < 1e-12;
        assert!(near(permuted(z, SignedAxis::Y) * point, [2.0, 3.0, 1.0]));
        assert!(near(permuted(SignedAxis::Y, z) * point, [3.0, 1.0, 2.0]));
        assert!(near(permuted(z, z) * point, [1.0, 2.0, 3.0]));
        let down = SignedAxis { negative: true, ..z };
        assert_eq!(permuted(down, SignedAxis::Y), turn_up(down, SignedAxis::Y));
        assert!(near(permuted(down, SignedAxis::Y) * point, [1.0, -3.0, 2.0]));
    }
}
