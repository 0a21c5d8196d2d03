//! Recordings of markers: facts, problems, and drawing.

use std::sync::Arc;

use mocap_analysis::marker_swaps;
use mocap_formats::{Finding, Remedy};
use mocap_model::{
    Clip, Dofs, EulerOrder, FrameRate, Joint, JointTracks, Markers, Skeleton, Track, UnitQuaternion, Vector3,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::UnitFacts;
use crate::digits::short;

/// What a recording of markers contains. The fields are those of the rows of `mocap info --json`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MarkerFacts {
    /// The names of the markers.
    pub markers: Vec<String>,
    /// Frames.
    pub frames: usize,
    /// Seconds per frame.
    pub frame_time: f64,
    /// Frames per second.
    pub fps: f64,
    /// From the first frame to the last (s).
    pub duration: f64,
    /// The unit of lengths.
    pub unit: UnitFacts,
    /// The up axis.
    pub up: String,
    /// The names before the colons of the labels, where there are some.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<String>,
    /// Gaps of all markers.
    pub gaps: usize,
    /// The share of positions that are missing, from 0 to 1.
    pub missing: f64,
}

impl MarkerFacts {
    /// The facts about a recording.
    pub fn of(markers: &Markers) -> MarkerFacts {
        let rate = markers.rate();
        MarkerFacts {
            markers: markers.names().to_vec(),
            frames: markers.frames(),
            frame_time: rate.frame_time(),
            fps: rate.fps(),
            duration: markers.frames().saturating_sub(1) as f64 * rate.frame_time(),
            unit: UnitFacts::stated(markers.space()),
            up: markers.space().up.to_string(),
            subjects: crate::marker_subjects(markers),
            gaps: (0..markers.names().len()).map(|marker| markers.gaps(marker).len()).sum(),
            missing: markers.missing_share(),
        }
    }

    /// The facts by name, in the order in which they are shown.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let (frames, fps, duration) = (self.frames, short(self.fps), short(self.duration));
        let time = (self.frame_time * 1e7).round() / 1e7;
        let mut lines = vec![("markers", format!("{}: {}", self.markers.len(), self.markers.join(", ")))];
        if !self.subjects.is_empty() {
            lines.push(("subjects", self.subjects.join(", ")));
        }
        lines.extend([
            ("motion", format!("{frames} frames at {fps} fps (frame time {time} s), {duration} s")),
            ("gaps", format!("{}, {:.1} % of all positions are missing", self.gaps, self.missing * 100.0)),
            ("unit", self.unit.text()),
            ("up", self.up.clone()),
        ]);
        lines
    }
}

/// A finding about a recording of markers; all are warnings.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum MarkerProblem {
    #[error("{gaps} gaps, {missing} of {frames} frames; the longest has {longest} frames ({seconds} s)")]
    Gaps { gaps: usize, missing: usize, frames: usize, longest: usize, seconds: f64 },
    #[error("the marker was not seen in any frame")]
    Unseen,
    #[error(
        "the marker continues from the place of '{other}', and that from its place: they may be exchanged"
    )]
    Swap { other: String },
    #[error("gaps are drawn as straight lines: {missing} positions are missing")]
    Drawn { missing: usize },
}

impl mocap_formats::Problem for MarkerProblem {
    fn code(&self) -> &'static str {
        match self {
            MarkerProblem::Gaps { .. } => "markers::gaps",
            MarkerProblem::Unseen => "markers::unseen",
            MarkerProblem::Swap { .. } => "markers::swap",
            MarkerProblem::Drawn { .. } => "markers::drawn",
        }
    }

    fn remedy(&self) -> Option<Remedy> {
        None
    }
}

/// Suspicious parts of a recording: the gaps of each marker, and markers that may have exchanged their names.
///
/// ```
/// use mocap::model::{FrameRate, Markers, Space, Vector3};
///
/// let positions = vec![Some(Vector3::x()), None, Some(Vector3::x())];
/// let knee = Markers::new(Space::default(), FrameRate::new(100.0).unwrap(), 3, vec!["LKNE".into()], positions)?;
/// assert_eq!(mocap::marker_problems(&knee)[0].code(), "markers::gaps");
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn marker_problems(markers: &Markers) -> Vec<Finding> {
    let mut found = Vec::new();
    let frames = markers.frames();
    for (marker, name) in markers.names().iter().enumerate() {
        let gaps = markers.gaps(marker);
        let missing = gaps.iter().map(ExactSizeIterator::len).sum();
        let Some(longest) = gaps.iter().max_by_key(|gap| (gap.len(), usize::MAX - gap.start)) else {
            continue;
        };
        let problem = match missing == frames {
            true => MarkerProblem::Unseen,
            false => {
                let seconds = (longest.len() as f64 * markers.rate().frame_time() * 1e3).round() / 1e3;
                let (gaps, longest) = (gaps.len(), longest.len());
                MarkerProblem::Gaps { gaps, missing, frames, longest, seconds }
            }
        };
        found.push(Finding::new(problem).in_joint(name).in_frame(longest.start));
    }
    for swap in marker_swaps(markers) {
        let [a, b] = swap.markers.map(|marker| markers.names()[marker].clone());
        found.push(Finding::new(MarkerProblem::Swap { other: b }).in_joint(a).in_frame(swap.frame));
    }
    found
}

/// The recording as a clip for drawing: every marker becomes a moving root. Gaps are interpolated
/// linearly, with a warning. Markers that are never seen are left out; `None` if no marker is seen.
///
/// ```
/// let knee = mocap::read_markers("../../fixtures/markers/knee.c3d")?.value;
/// let clip = mocap::marker_clip(&knee, &mut Vec::new()).unwrap();
/// assert_eq!((clip.frames(), clip.skeleton().len()), (knee.frames(), knee.names().len()));
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn marker_clip(markers: &Markers, warnings: &mut Vec<Finding>) -> Option<Clip> {
    let mut joints = Vec::new();
    let mut tracks = Vec::new();
    let mut missing = 0;
    for (marker, name) in markers.names().iter().enumerate() {
        let places: Vec<Option<Vector3<f64>>> =
            (0..markers.frames()).map(|frame| markers.position(frame, marker)).collect();
        let Some(places) = bridged(&places) else { continue };
        missing += markers.gaps(marker).iter().map(ExactSizeIterator::len).sum::<usize>();
        let joint = Joint::new(name.clone(), None, places[0]);
        joints.push(Joint { dofs: Dofs { rotation: [false; 3], ..Dofs::free(EulerOrder::ZXY) }, ..joint });
        tracks
            .push(JointTracks::new(Track::Constant(UnitQuaternion::identity()), Track::from_samples(places)));
    }
    if missing > 0 {
        warnings.push(Finding::new(MarkerProblem::Drawn { missing }));
    }
    let skeleton = Skeleton::new("markers", *markers.space(), joints).ok()?;
    Clip::new(Arc::new(skeleton), markers.rate(), markers.frames(), tracks).ok()
}

/// Positions without gaps; `None` without any position.
fn bridged(places: &[Option<Vector3<f64>>]) -> Option<Vec<Vector3<f64>>> {
    let first = places.iter().flatten().next().copied()?;
    let mut whole = Vec::with_capacity(places.len());
    let mut before = first;
    for (frame, place) in places.iter().enumerate() {
        if let Some(place) = place {
            while whole.len() < frame {
                let start = whole.len();
                let gap = (frame - start + 1) as f64;
                whole.extend(
                    (start..frame).map(|at| before + (place - before) * ((at - start + 1) as f64 / gap)),
                );
            }
            whole.push(*place);
            before = *place;
        }
    }
    whole.resize(places.len(), before);
    // Before the first position there is nothing to interpolate.
    let lead = places.iter().take_while(|place| place.is_none()).count();
    whole[..lead].fill(first);
    Some(whole)
}

/// The recording with another stated rate and space; no number changes.
pub(crate) fn restated(markers: &Markers, rate: Option<FrameRate>, space: mocap_model::Space) -> Markers {
    let markers = markers.clone().with_space(space);
    match rate {
        Some(rate) => markers.with_rate(rate),
        None => markers,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_become_straight_lines() {
        let at = |x: f64| Some(Vector3::new(x, 0.0, 0.0));
        let places = [None, at(1.0), None, None, at(4.0), None];
        let whole: Vec<f64> = bridged(&places).unwrap().iter().map(|place| place.x).collect();
        assert_eq!(whole, [1.0, 1.0, 2.0, 3.0, 4.0, 4.0]);
        assert_eq!(bridged(&[None, None]), None);
    }
}
