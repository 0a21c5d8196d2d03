//! A recording in metres, in the axes of the skeleton, with what its labels mean.

use mocap_model::{Markers, SignedAxis, UnitQuaternion, Vector3, rotation_between};

use crate::marker_set::{Landmark, MarkerSets};
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
}

/// A body with markers is larger than this and smaller than that [m], from marker to marker.
const BODY: [f64; 2] = [0.25, 3.5];
/// Units that are tried where the stated one cannot be right.
const UNITS: [(&str, f64); 3] = [("metres", 1.0), ("centimetres", 0.01), ("millimetres", 0.001)];

impl Take {
    /// Reads the labels of a recording; unknown ones are left out, with a warning. Markers are sorted by landmark, so that
    /// their order in the file does not matter.
    pub(crate) fn of(
        markers: &Markers,
        sets: &MarkerSets,
        only: Option<&[(String, Landmark)]>,
        up: SignedAxis,
        warnings: &mut Vec<SolveWarning>,
    ) -> Result<Take, SolveError> {
        if markers.frames() == 0 {
            return Err(SolveError::NoFrames);
        }
        let find = |label: &str| match only {
            Some(set) => {
                let found = sets.find(label)?;
                set.iter().any(|(_, landmark)| landmark.name == found.name).then(|| found.clone())
            }
            None => sets.find(label).cloned(),
        };
        one_subject(markers, sets)?;
        let mut known: Vec<(Landmark, usize)> = Vec::new();
        let mut unknown = Vec::new();
        let mut labels: Vec<usize> = (0..markers.names().len()).collect();
        labels.sort_by_key(|at| &markers.names()[*at]);
        for at in labels {
            let label = &markers.names()[at];
            match find(label) {
                // Of two labels of one landmark the first one counts.
                Some(landmark) if known.iter().all(|(other, _)| other.name != landmark.name) => {
                    known.push((landmark, at));
                }
                _ => unknown.push(label.clone()),
            }
        }
        known.sort_by(|a, b| a.0.name.cmp(&b.0.name));
        if known.len() < FEWEST_LABELS {
            return Err(SolveError::TooFewLabels {
                found: known.len(),
                all: markers.names().len(),
                least: FEWEST_LABELS,
                examples: markers.names().iter().take(8).cloned().collect::<Vec<_>>().join(", "),
            });
        }
        if !unknown.is_empty() {
            warnings.push(SolveWarning::UnknownLabels { names: unknown });
        }
        let stated = markers.space().metres();
        let size = extent(markers, &known);
        let metres = match (stated, size) {
            (Some(metres), Some(size)) if (BODY[0]..BODY[1]).contains(&(size * metres)) => metres,
            (stated, Some(size)) => {
                let fits = |(_, metres): &&(&str, f64)| (BODY[0]..BODY[1]).contains(&(size * metres));
                match UNITS.iter().find(fits) {
                    Some((used, metres)) => {
                        let stated = stated.map_or("nothing".to_owned(), unit_text);
                        warnings.push(SolveWarning::WrongUnit { stated, used });
                        *metres
                    }
                    None => stated.unwrap_or(1.0),
                }
            }
            (stated, None) => stated.unwrap_or(1.0),
        };
        let turn = turn_up(markers.space().up, up);
        let points = (0..markers.frames())
            .flat_map(|frame| known.iter().map(move |(_, at)| markers.position(frame, *at)))
            .map(|point| point.map(|point| turn * (point * metres)))
            .collect();
        Ok(Take {
            names: known.iter().map(|(_, at)| markers.names()[*at].clone()).collect(),
            landmarks: known.into_iter().map(|(landmark, _)| landmark).collect(),
            frames: markers.frames(),
            points,
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

    /// Exchanges two markers in a frame.
    pub(crate) fn swap(&mut self, frame: usize, a: usize, b: usize) {
        let first = frame * self.names.len();
        self.points.swap(first + a, first + b);
    }
}

/// A body needs this many known labels.
const FEWEST_LABELS: usize = 8;

/// Refuses the labels of two bodies.
fn one_subject(markers: &Markers, sets: &MarkerSets) -> Result<(), SolveError> {
    let mut subjects: Vec<(&str, usize)> = Vec::new();
    for label in markers.names() {
        let Some((subject, _)) = label.rsplit_once(':').filter(|_| sets.find(label).is_some()) else {
            continue;
        };
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

/// The largest distance between two known markers in the middle frame of some [units of the file].
fn extent(markers: &Markers, known: &[(Landmark, usize)]) -> Option<f64> {
    let step = markers.frames().div_ceil(31).max(1);
    let mut sizes: Vec<f64> = Vec::new();
    for frame in (0..markers.frames()).step_by(step) {
        let points: Vec<Vector3<f64>> =
            known.iter().filter_map(|(_, at)| markers.position(frame, *at)).collect();
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

/// The turn that takes one up axis to another.
pub(crate) fn turn_up(from: SignedAxis, to: SignedAxis) -> UnitQuaternion<f64> {
    rotation_between(&from.vector(), &to.vector())
}
