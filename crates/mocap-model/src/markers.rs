//! Recorded markers: named points over time, with gaps.

use crate::{Event, FrameRate, ModelError, Space};
use nalgebra::Vector3;
use std::collections::HashSet;
use std::ops::Range;

/// Named points at a constant frame rate, as an optical system records them. A marker that no camera saw in a
/// frame has no position there: a gap.
///
/// Shape: `frames × markers`. Positions are in the units and axes of [`Markers::space`], in object space.
///
/// ```
/// use mocap_model::{FrameRate, Markers, ModelError, Space, Vector3};
///
/// let names = vec!["LANK".to_owned(), "RANK".to_owned()];
/// let seen = |x: f64| Some(Vector3::new(x, 0.1, 0.0));
/// let positions = vec![seen(0.0), seen(0.2), seen(0.1), None, seen(0.2), None];
/// let rate = FrameRate::new(100.0).unwrap();
/// let markers = Markers::new(Space::default(), rate, 3, names, positions)?;
///
/// let ankle = markers.find("RANK").unwrap();
/// assert_eq!(markers.position(0, ankle), seen(0.2));
/// assert_eq!(markers.position(1, ankle), None);
/// assert_eq!(markers.gaps(ankle), [1..3]);
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Markers {
    space: Space,
    rate: FrameRate,
    frames: usize,
    names: Vec<String>,
    /// `frames × markers`, frame by frame.
    positions: Vec<Option<Vector3<f64>>>,
    /// `frames × markers`; empty without residuals.
    residuals: Vec<f64>,
    events: Vec<Event>,
}

impl Markers {
    /// Checks the positions (`frames × markers`, frame by frame, `None` in a gap) and builds the recording.
    ///
    /// # Errors
    /// [`ModelError::DuplicateMarker`] if two markers share a name, [`ModelError::MarkerLength`] if there is
    /// not one position per frame and marker, [`ModelError::MarkerNotFinite`] if a position is not finite.
    pub fn new(
        space: Space,
        rate: FrameRate,
        frames: usize,
        names: Vec<String>,
        positions: Vec<Option<Vector3<f64>>>,
    ) -> Result<Markers, ModelError> {
        let mut seen = HashSet::with_capacity(names.len());
        if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(ModelError::DuplicateMarker { name: name.clone() });
        }
        let (residuals, events) = (Vec::new(), Vec::new());
        let markers = Markers { space, rate, frames, names, positions, residuals, events };
        markers.check_length(markers.positions.len())?;
        let finite =
            |position: &Option<Vector3<f64>>| position.is_none_or(|p| p.iter().all(|v| v.is_finite()));
        match markers.positions.iter().position(|position| !finite(position)) {
            Some(at) => {
                let (marker, frame) = markers.name_and_frame(at);
                Err(ModelError::MarkerNotFinite { marker, frame })
            }
            None => Ok(markers),
        }
    }

    /// The same recording with the residuals of the reconstruction (`frames × markers`, frame by frame, from
    /// 0) [units of the space]. Values in gaps are ignored.
    ///
    /// # Errors
    /// [`ModelError::MarkerLength`] if there is not one residual per frame and marker,
    /// [`ModelError::MarkerResidual`] if the residual of a position is negative or not finite.
    pub fn with_residuals(self, residuals: Vec<f64>) -> Result<Markers, ModelError> {
        self.check_length(residuals.len())?;
        let wrong = |(position, residual): (&Option<Vector3<f64>>, &f64)| {
            position.is_some() && !(residual.is_finite() && *residual >= 0.0)
        };
        match self.positions.iter().zip(&residuals).position(wrong) {
            Some(at) => {
                let (marker, frame) = self.name_and_frame(at);
                Err(ModelError::MarkerResidual { marker, frame })
            }
            None => Ok(Markers { residuals, ..self }),
        }
    }

    /// The same recording with moments that have names, such as foot strikes; those that it had are replaced.
    ///
    /// # Errors
    /// [`ModelError::EventNotFinite`] if a time is not finite.
    pub fn with_events(self, events: Vec<Event>) -> Result<Markers, ModelError> {
        Event::check(&events)?;
        Ok(Markers { events, ..self })
    }

    fn check_length(&self, found: usize) -> Result<(), ModelError> {
        let (frames, markers) = (self.frames, self.names.len());
        match frames.checked_mul(markers) == Some(found) {
            true => Ok(()),
            false => Err(ModelError::MarkerLength { found, frames, markers }),
        }
    }

    fn name_and_frame(&self, at: usize) -> (String, usize) {
        (self.names[at % self.names.len()].clone(), at / self.names.len())
    }

    /// Axes and unit of the positions.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The frame rate.
    pub fn rate(&self) -> FrameRate {
        self.rate
    }

    /// The number of frames; may be 0.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// The names of the markers, in order; may be empty.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Moments with names, in the order of the file.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The index of the marker of a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }

    /// The position of a marker in a frame [units of the space]; `None` in a gap.
    ///
    /// # Panics
    /// If the frame or marker does not exist.
    pub fn position(&self, frame: usize, marker: usize) -> Option<Vector3<f64>> {
        self.positions[self.at(frame, marker)]
    }

    /// The residual of a position [units of the space]; `None` in a gap or without residuals.
    ///
    /// # Panics
    /// If the frame or marker does not exist.
    pub fn residual(&self, frame: usize, marker: usize) -> Option<f64> {
        let at = self.at(frame, marker);
        self.positions[at].and(self.residuals.get(at).copied())
    }

    /// Index into `frames × markers`.
    fn at(&self, frame: usize, marker: usize) -> usize {
        assert!(frame < self.frames, "frame {frame} of {}", self.frames);
        assert!(marker < self.names.len(), "marker {marker} of {}", self.names.len());
        frame * self.names.len() + marker
    }

    /// The gaps of a marker: the ranges of frames without a position, in order.
    ///
    /// # Panics
    /// If the marker does not exist.
    pub fn gaps(&self, marker: usize) -> Vec<Range<usize>> {
        assert!(marker < self.names.len(), "marker {marker} of {}", self.names.len());
        let mut gaps: Vec<Range<usize>> = Vec::new();
        for frame in (0..self.frames).filter(|frame| self.position(*frame, marker).is_none()) {
            match gaps.last_mut() {
                Some(gap) if gap.end == frame => gap.end += 1,
                _ => gaps.push(frame..frame + 1),
            }
        }
        gaps
    }

    /// The share of positions that are missing, over all markers and frames, from 0 to 1; 0 if there are none
    /// at all.
    pub fn missing_share(&self) -> f64 {
        let missing = self.positions.iter().filter(|position| position.is_none()).count();
        missing as f64 / self.positions.len().max(1) as f64
    }

    /// The frames of a range, and the events within it.
    ///
    /// # Errors
    /// [`ModelError::FrameRange`] if the range is not within the recording.
    pub fn trim(&self, range: Range<usize>) -> Result<Markers, ModelError> {
        if range.start > range.end || range.end > self.frames {
            let (from, to, frames) = (range.start, range.end, self.frames);
            return Err(ModelError::FrameRange { from, to, frames });
        }
        let start = range.start as f64 * self.rate.frame_time();
        // Events are between frames; rounding must not drop one at the first or the last frame.
        let (before, end) =
            (-0.5 * self.rate.frame_time(), (range.len() as f64 - 0.5) * self.rate.frame_time());
        let moved = self.events.iter().map(|event| Event { time: event.time - start, ..event.clone() });
        let events = moved.filter(|event| (before..end).contains(&event.time)).collect();
        let values = range.start * self.names.len()..range.end * self.names.len();
        Ok(Markers {
            space: self.space,
            rate: self.rate,
            frames: range.len(),
            names: self.names.clone(),
            positions: self.positions[values.clone()].to_vec(),
            residuals: self.residuals.get(values).map(<[f64]>::to_vec).unwrap_or_default(),
            events,
        })
    }
}

impl Markers {
    /// The same numbers read in another space; nothing is converted.
    pub fn with_space(self, space: Space) -> Markers {
        Markers { space, ..self }
    }

    /// Every position changed by a function that keeps lengths and stays finite, as in another space.
    pub(crate) fn changed(&self, space: Space, change: impl Fn(&Vector3<f64>) -> Vector3<f64>) -> Markers {
        let positions = self.positions.iter().map(|place| place.as_ref().map(&change)).collect();
        Markers { space, positions, ..self.clone() }
    }

    /// Only some markers, under the names that `name` gives them.
    ///
    /// # Errors
    /// [`ModelError::DuplicateMarker`] if two of them get one name.
    pub fn with_only(&self, name: impl Fn(&str) -> Option<String>) -> Result<Markers, ModelError> {
        let named: Vec<(usize, String)> =
            self.names.iter().enumerate().filter_map(|(at, old)| Some((at, name(old)?))).collect();
        let positions = (0..self.frames)
            .flat_map(|frame| named.iter().map(move |(marker, _)| self.position(frame, *marker)))
            .collect();
        let residuals = (0..self.frames)
            .flat_map(|frame| named.iter().map(move |(marker, _)| frame * self.names.len() + marker))
            .filter_map(|at| self.residuals.get(at).copied())
            .collect();
        let names = named.iter().map(|(_, name)| name.clone()).collect();
        let kept = Markers::new(self.space, self.rate, self.frames, names, positions)?;
        Ok(Markers { residuals, events: self.events.clone(), ..kept })
    }

    /// The same frames read at another rate; events stay at their frames.
    pub fn with_rate(mut self, rate: FrameRate) -> Markers {
        let slower = self.rate.fps() / rate.fps();
        self.events.iter_mut().for_each(|event| event.time *= slower);
        Markers { rate, ..self }
    }

    /// Every length multiplied by `factor`; the unit stays.
    ///
    /// # Errors
    /// [`ModelError::MarkerNotFinite`] if a length is not finite then.
    pub fn scaled(self, factor: f64) -> Result<Markers, ModelError> {
        let Markers { space, rate, frames, names, positions, residuals, events } = self;
        let positions = positions.into_iter().map(|position| position.map(|place| place * factor)).collect();
        let scaled = Markers { events, ..Markers::new(space, rate, frames, names, positions)? };
        match residuals.is_empty() {
            true => Ok(scaled),
            false => scaled.with_residuals(residuals.into_iter().map(|residual| residual * factor).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_markers_keep_their_places_under_other_names() {
        let positions = vec![at(0.0), at(1.0), GAP, at(2.0)];
        let both = recording(2, &["A:knee", "B:knee"], positions).unwrap();
        let both = both.with_residuals(vec![0.0, 0.1, 0.0, 0.2]).unwrap();
        let one = both.with_only(|name| name.strip_prefix("B:").map(str::to_owned)).unwrap();
        assert_eq!(one.names(), ["knee"]);
        assert_eq!(
            (one.position(0, 0), one.position(1, 0), one.residual(1, 0)),
            (at(1.0), at(2.0), Some(0.2))
        );
        assert!(both.with_only(|_| Some("same".to_owned())).is_err());
    }

    const GAP: Option<Vector3<f64>> = None;

    fn at(x: f64) -> Option<Vector3<f64>> {
        Some(Vector3::new(x, 0.0, 1.0))
    }

    fn recording(
        frames: usize,
        names: &[&str],
        positions: Vec<Option<Vector3<f64>>>,
    ) -> Result<Markers, ModelError> {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Markers::new(Space::default(), FrameRate::new(120.0).unwrap(), frames, names, positions)
    }

    /// Two markers over five frames: the first with two gaps, the second without.
    fn two_markers() -> Markers {
        let positions =
            vec![GAP, at(10.0), at(1.0), at(11.0), GAP, at(12.0), GAP, at(13.0), at(4.0), at(14.0)];
        recording(5, &["a", "b"], positions).unwrap()
    }

    #[test]
    fn positions_are_stored_frame_by_frame() {
        let markers = two_markers();
        assert_eq!((markers.frames(), markers.names().len(), markers.rate().fps()), (5, 2, 120.0));
        assert_eq!(markers.space(), &Space::default());
        assert_eq!((markers.find("b"), markers.find("c")), (Some(1), None));
        assert_eq!(
            (markers.position(1, 0), markers.position(4, 1), markers.position(3, 0)),
            (at(1.0), at(14.0), GAP)
        );
        assert_eq!(markers.residual(1, 0), None);
    }

    #[test]
    fn gaps_are_ranges_of_frames() {
        let markers = two_markers();
        assert_eq!(markers.gaps(0), [0..1, 2..4]);
        assert_eq!(markers.gaps(1), []);
        assert_eq!(markers.missing_share(), 0.3);
        let unseen = recording(2, &["a"], vec![GAP, GAP]).unwrap();
        assert_eq!(unseen.gaps(0), std::slice::from_ref(&(0..2)));
        assert_eq!(unseen.missing_share(), 1.0);
    }

    #[test]
    fn a_trimmed_recording_keeps_the_frames_of_the_range() {
        let markers = two_markers().with_residuals((0..10).map(f64::from).collect()).unwrap();
        let part = markers.trim(1..4).unwrap();
        assert_eq!(part.frames(), 3);
        assert_eq!(part.gaps(0), std::slice::from_ref(&(1..3)));
        for (frame, marker) in [(0, 0), (1, 1), (2, 0)] {
            assert_eq!(part.position(frame, marker), markers.position(frame + 1, marker));
            assert_eq!(part.residual(frame, marker), markers.residual(frame + 1, marker));
        }
        assert_eq!(two_markers().trim(1..4).unwrap().residual(0, 0), None);
        assert_eq!(markers.trim(5..5).unwrap().frames(), 0);
        assert_eq!(markers.trim(4..6), Err(ModelError::FrameRange { from: 4, to: 6, frames: 5 }));
        let backwards = Range { start: 3, end: 2 };
        assert_eq!(markers.trim(backwards), Err(ModelError::FrameRange { from: 3, to: 2, frames: 5 }));
    }

    #[test]
    fn events_stay_at_their_frames() {
        let event = |time: f64| Event { time, name: "strike".into() };
        let times = |markers: &Markers| markers.events().iter().map(|event| event.time).collect::<Vec<_>>();
        let second = 1.0 / 120.0;
        let markers =
            two_markers().with_events(vec![event(0.0), event(second), event(3.0 * second)]).unwrap();
        let part = markers.trim(1..4).unwrap();
        assert_eq!(part.events().len(), 2);
        assert!((part.events()[1].time - 2.0 * second).abs() < 1e-12);
        assert_eq!(times(&markers.trim(1..3).unwrap()), [0.0]);
        let slow = markers.clone().with_rate(FrameRate::new(60.0).unwrap());
        assert_eq!(times(&slow), [0.0, 2.0 * second, 6.0 * second]);
        assert_eq!(times(&markers.clone().scaled(2.0).unwrap()), times(&markers));
        assert_eq!(times(&markers.with_only(|name| Some(name.to_owned())).unwrap()), times(&markers));
        assert!(markers.with_events(vec![event(f64::NAN)]).is_err());
    }

    #[test]
    fn lengths_are_scaled_and_gaps_stay() {
        let markers = two_markers().with_residuals(vec![1.0; 10]).unwrap().scaled(0.001).unwrap();
        assert_eq!(markers.position(0, 1), Some(Vector3::new(0.01, 0.0, 0.001)));
        assert_eq!((markers.residual(0, 1), markers.residual(0, 0)), (Some(0.001), None));
        assert_eq!(markers.gaps(0), [0..1, 2..4]);
        assert!(two_markers().scaled(f64::MAX).is_err());
    }

    #[test]
    fn residuals_belong_to_positions() {
        let mut residuals: Vec<f64> = (0..10).map(f64::from).collect();
        // C3D writes -1 in gaps.
        residuals[0] = -1.0;
        let markers = two_markers().with_residuals(residuals.clone()).unwrap();
        assert_eq!(
            (markers.residual(0, 0), markers.residual(0, 1), markers.residual(4, 1)),
            (None, Some(1.0), Some(9.0))
        );
        residuals[3] = -1.0;
        let negative = ModelError::MarkerResidual { marker: "b".into(), frame: 1 };
        assert_eq!(two_markers().with_residuals(residuals), Err(negative));
        let short = ModelError::MarkerLength { found: 9, frames: 5, markers: 2 };
        assert_eq!(two_markers().with_residuals(vec![0.0; 9]), Err(short));
    }

    #[test]
    fn wrong_recordings_are_refused() {
        let twice = recording(0, &["a", "a"], vec![]);
        assert_eq!(twice, Err(ModelError::DuplicateMarker { name: "a".into() }));
        let short = recording(2, &["a"], vec![GAP]);
        assert_eq!(short, Err(ModelError::MarkerLength { found: 1, frames: 2, markers: 1 }));
        let many = recording(usize::MAX, &["a", "b"], vec![]);
        assert_eq!(many, Err(ModelError::MarkerLength { found: 0, frames: usize::MAX, markers: 2 }));
        let nan = recording(2, &["a", "b"], vec![at(0.0), GAP, at(1.0), at(f64::NAN)]);
        assert_eq!(nan, Err(ModelError::MarkerNotFinite { marker: "b".into(), frame: 1 }));
        assert_eq!(recording(3, &[], vec![]).unwrap().missing_share(), 0.0);
    }
}
