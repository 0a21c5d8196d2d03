//! Retime: speed, duration, and time maps.
//!
//! Between frames rotations follow the natural cubic spline through the quaternions of one hemisphere, normalised; at
//! frames they are the frames. A time map is monotone and smooth. Based on: F. Fritsch, R. Carlson, "Monotone Piecewise
//! Cubic Interpolation", 1980.

use std::str::FromStr;

use mocap_model::{Clip, Event, UnitQuaternion};
use nalgebra::{Quaternion, Vector4};

use crate::monotone_curve::{hermite, monotone_slopes};
use crate::numbers;
use crate::samples::Samples;
use crate::{EditError, EditReport};

/// Most frames of a retimed motion.
const MOST_FRAMES: usize = 50_000_000;
/// A frame this close to a frame of the input is that frame [frames].
const SAME: f64 = 1e-9;

/// Plays a motion faster (above 1) or slower (below 1) at the same frame rate.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let (slow, _) = mocap_edit::speed(&clip, 0.5)?;
/// assert_eq!(slow.frames(), 2 * clip.frames() - 1);
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// [`EditError::Option`] where the factor is not above 0, or makes too many frames.
pub fn speed(clip: &Clip, factor: f64) -> Result<(Clip, EditReport), EditError> {
    let wrong = |expected| EditError::Option { edit: "speed", name: "the factor", value: factor, expected };
    if !(factor.is_finite() && factor > 0.0) {
        return Err(wrong("above 0"));
    }
    let last = clip.frames().saturating_sub(1) as f64;
    let frames = (last / factor + 1e-6).floor() + 1.0;
    if frames > MOST_FRAMES as f64 {
        return Err(wrong("larger: the motion would have more than 50 million frames"));
    }
    let retimed = at_frames(clip, "speed", frames as usize, |frame| (frame as f64 * factor).min(last))?;
    let report = EditReport::measured("speed", clip, &retimed);
    Ok((retimed, report))
}

/// Gives a motion another duration \[s\] at the same frame rate: the nearest that ends on a frame.
///
/// # Errors
/// As [`speed`], and [`EditError::TooShort`] where the motion has one frame.
pub fn duration(clip: &Clip, seconds: f64) -> Result<(Clip, EditReport), EditError> {
    let wrong =
        |expected| EditError::Option { edit: "duration", name: "the duration [s]", value: seconds, expected };
    if !(seconds.is_finite() && seconds > 0.0) {
        return Err(wrong("above 0"));
    }
    if clip.frames() < 2 {
        return Err(EditError::TooShort { edit: "duration", needed: 2, frames: clip.frames() });
    }
    let steps = (seconds * clip.rate().fps()).round().max(1.0);
    if steps > MOST_FRAMES as f64 {
        return Err(wrong("shorter: the motion would have more than 50 million frames"));
    }
    let last = (clip.frames() - 1) as f64;
    let retimed = at_frames(clip, "duration", steps as usize + 1, |frame| frame as f64 * last / steps)?;
    let report = EditReport::measured("duration", clip, &retimed).figure("speed", last / steps, "");
    Ok((retimed, report))
}

/// A map from times of the output to times of the input \[s\]. Output times increase; input times
/// increase or stay.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeMap {
    keys: Vec<(f64, f64)>,
    slopes: Vec<f64>,
}

impl TimeMap {
    /// A map through keys (time in the output, time in the input).
    ///
    /// # Errors
    /// [`EditError::TimeMap`] where there are fewer than two, a time is not finite, an output time
    /// does not increase, or an input time decreases.
    pub fn new(keys: Vec<(f64, f64)>) -> Result<TimeMap, EditError> {
        let wrong = |reason: String| Err(EditError::TimeMap { reason });
        if keys.len() < 2 {
            return wrong(format!("it has {} rows, and needs two", keys.len()));
        }
        if let Some((output, input)) = keys.iter().find(|(a, b)| !a.is_finite() || !b.is_finite()) {
            return wrong(format!("{output}, {input} is not a time"));
        }
        for pair in keys.windows(2) {
            if pair[1].0 <= pair[0].0 {
                return wrong(format!("the output time {} s follows {} s", pair[1].0, pair[0].0));
            }
            if pair[1].1 < pair[0].1 {
                return wrong(format!(
                    "it runs backwards: input time {} s follows {} s",
                    pair[1].1, pair[0].1
                ));
            }
        }
        let slopes = monotone_slopes(&keys);
        Ok(TimeMap { keys, slopes })
    }

    /// The time from the first key to the last, in the output \[s\].
    pub fn duration(&self) -> f64 {
        self.keys[self.keys.len() - 1].0 - self.keys[0].0
    }

    /// The time in the input at a time of the output, both \[s\]; constant before the first key and
    /// after the last.
    pub fn at(&self, time: f64) -> f64 {
        hermite(&self.keys, &self.slopes, time)
    }
}

impl TimeMap {
    /// The same map with all output times shifted by `by`.
    pub(crate) fn shifted(&self, by: f64) -> Result<TimeMap, EditError> {
        TimeMap::new(self.keys.iter().map(|(output, input)| (output + by, *input)).collect())
    }
}

impl FromStr for TimeMap {
    type Err = EditError;

    /// Reads rows `time in the output, time in the input` \[s\]; a first row of words and lines after `#` are left out.
    fn from_str(text: &str) -> Result<TimeMap, EditError> {
        TimeMap::new(crate::table::rows::<2>("time map", text)?.into_iter().map(|[a, b]| (a, b)).collect())
    }
}

/// Retimes a motion by a map of times; the output ends with the last key.
///
/// # Errors
/// [`EditError::TimeMap`] where a time is outside the motion.
pub fn map_times(clip: &Clip, map: &TimeMap) -> Result<(Clip, EditReport), EditError> {
    let fps = clip.rate().fps();
    let (first, end) = (map.keys[0], map.keys[map.keys.len() - 1]);
    let last = clip.frames().saturating_sub(1) as f64;
    if first.1 < 0.0 || end.1 * fps > last + 1e-3 {
        let outside = if first.1 < 0.0 { first.1 } else { end.1 };
        let reason = format!("{outside} s is outside the motion, which lasts {:.3} s", clip.duration());
        return Err(EditError::TimeMap { reason });
    }
    let steps = (end.0 - first.0) * fps;
    if steps > MOST_FRAMES as f64 {
        return Err(EditError::TimeMap {
            reason: "the motion would have more than 50 million frames".into(),
        });
    }
    let frames = (steps + 1e-6).floor() as usize + 1;
    let place = |frame: usize| (map.at(first.0 + frame as f64 / fps) * fps).clamp(0.0, last);
    let retimed = at_frames(clip, "time-map", frames, place)?;
    let report = EditReport::measured("time-map", clip, &retimed);
    Ok((retimed, report))
}

/// A motion whose frames are at these places of another [frames].
pub(crate) fn at_frames(
    clip: &Clip,
    edit: &'static str,
    frames: usize,
    place: impl Fn(usize) -> f64,
) -> Result<Clip, EditError> {
    let mut samples = Samples::of(clip);
    if samples.frames < 2 {
        return Ok(clip.clone());
    }
    let places: Vec<f64> = (0..frames).map(place).collect();
    for rotations in &mut samples.rotations {
        *rotations = resampled_rotations(rotations, &places);
    }
    for values in samples.translations.iter_mut().chain(&mut samples.scales).flatten() {
        let spline = Spline::new(values.iter().map(|v| v.push(0.0)).collect());
        *values = places.iter().map(|place| spline.at(*place).xyz()).collect();
    }
    // Events and numbers over time follow the frames.
    let scalars = numbers::at_places(&samples.annotations.scalars, &places);
    let fps = clip.rate().fps();
    let (first, last) = (places[0], places[frames - 1]);
    // The last frame lasts as long as the one before it.
    let end = last + if frames > 1 { last - places[frames - 2] } else { 1.0 };
    let kept = Event::between(&samples.annotations.events, [first, last, end.max(last + 2e-6)], fps);
    let moved = kept.into_iter().map(|Event { time, name }| {
        let place = time * fps;
        let frame = places.partition_point(|of_frame| *of_frame < place - 1e-6).min(frames - 1);
        Event { time: frame as f64 / fps, name }
    });
    samples.annotations.events = moved.collect();
    samples.set_frames(frames);
    samples.annotations.scalars = scalars;
    samples.into_clip(edit)
}

fn resampled_rotations(rotations: &[UnitQuaternion<f64>], places: &[f64]) -> Vec<UnitQuaternion<f64>> {
    let curve = RotationCurve::new(rotations.to_vec());
    places.iter().map(|place| curve.at(*place)).collect()
}

/// Rotations between frames.
pub(crate) struct RotationCurve {
    rotations: Vec<UnitQuaternion<f64>>,
    /// `None` where all are equal.
    spline: Option<Spline>,
}

impl RotationCurve {
    pub(crate) fn new(rotations: Vec<UnitQuaternion<f64>>) -> RotationCurve {
        if rotations.iter().all(|rotation| *rotation == rotations[0]) {
            return RotationCurve { rotations, spline: None };
        }
        let mut curve: Vec<Vector4<f64>> = rotations.iter().map(|q| q.coords).collect();
        for frame in 1..curve.len() {
            if curve[frame - 1].dot(&curve[frame]) < 0.0 {
                curve[frame] = -curve[frame];
            }
        }
        RotationCurve { rotations, spline: Some(Spline::new(curve)) }
    }

    /// The rotation at a place \[frames\]; at a frame it is the frame.
    pub(crate) fn at(&self, place: f64) -> UnitQuaternion<f64> {
        let Some(spline) = &self.spline else { return self.rotations[0] };
        let nearest = place.round();
        match (place - nearest).abs() < SAME {
            true => self.rotations[nearest as usize],
            false => UnitQuaternion::new_normalize(Quaternion::from(spline.at(place))),
        }
    }
}

/// The natural cubic spline through values at 0, 1, 2 …
pub(crate) struct Spline {
    values: Vec<Vector4<f64>>,
    /// Second derivatives.
    bends: Vec<Vector4<f64>>,
}

/// The second derivatives of the natural cubic spline through values at 0, 1, 2 …
pub(crate) fn spline_bends(values: &[Vector4<f64>]) -> Vec<Vector4<f64>> {
    let n = values.len();
    let mut bends = vec![Vector4::zeros(); n];
    // Thomas' algorithm for 1, 4, 1.
    let mut factors = vec![0.0; n];
    for i in 1..n.saturating_sub(1) {
        let right = (values[i + 1] - values[i] * 2.0 + values[i - 1]) * 6.0;
        let pivot = 4.0 - factors[i - 1];
        factors[i] = 1.0 / pivot;
        bends[i] = (right - bends[i - 1]) / pivot;
    }
    for i in (1..n.saturating_sub(1)).rev() {
        let next = bends[i + 1];
        bends[i] -= next * factors[i];
    }
    bends
}

impl Spline {
    pub(crate) fn new(values: Vec<Vector4<f64>>) -> Spline {
        let bends = spline_bends(&values);
        Spline { values, bends }
    }

    /// The value at a place \[frames\].
    pub(crate) fn at(&self, place: f64) -> Vector4<f64> {
        let last = self.values.len() - 1;
        let nearest = place.round();
        if (place - nearest).abs() < SAME {
            return self.values[(nearest as usize).min(last)];
        }
        let from = (place.floor() as usize).min(last - 1);
        let (b, a) = (place - from as f64, 1.0 - (place - from as f64));
        self.values[from] * a
            + self.values[from + 1] * b
            + (self.bends[from] * (a * a * a - a) + self.bends[from + 1] * (b * b * b - b)) / 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use mocap_model::angle_between;

    fn rms(a: &Clip, b: &Clip) -> f64 {
        let (mut squares, mut count) = (0.0, 0);
        for (id, _) in a.skeleton().iter() {
            for frame in 0..a.frames().min(b.frames()) {
                squares +=
                    angle_between(&a.track(id).rotation.at(frame), &b.track(id).rotation.at(frame)).powi(2);
                count += 1;
            }
        }
        (squares / f64::from(count)).sqrt().to_degrees()
    }

    #[test]
    fn slow_and_fast_again_is_the_motion() {
        let walk = clip("alex_walk.bvh");
        let slow = speed(&walk, 0.5).unwrap().0;
        assert_eq!(slow.frames(), 2 * walk.frames() - 1);
        let again = speed(&slow, 2.0).unwrap().0;
        assert_eq!(again.frames(), walk.frames());
        assert!(rms(&walk, &again) < 1e-9);
        let fast = speed(&speed(&walk, 2.0).unwrap().0, 0.5).unwrap().0;
        assert!(rms(&walk, &fast) < 0.05, "{}", rms(&walk, &fast));
        let exact = duration(&walk, walk.duration()).unwrap().0;
        assert!(rms(&walk, &exact) < 1e-9);
    }

    #[test]
    fn maps_are_monotone_and_backwards_is_an_error() {
        let map: TimeMap = "out,in\n0,0\n1,0.1\n1.5,1.4\n2,1.5\n".parse().unwrap();
        let times: Vec<f64> = (0..=200).map(|i| map.at(f64::from(i) / 100.0)).collect();
        assert!(times.windows(2).all(|pair| pair[1] >= pair[0]));
        assert!((map.at(1.0) - 0.1).abs() < 1e-12);
        let walk = clip("alex_walk.bvh");
        let (mapped, _) = map_times(&walk, &map).unwrap();
        assert_eq!(mapped.frames(), (2.0 * walk.rate().fps()).round() as usize + 1);
        assert!(matches!("0,1\n1,0.5".parse::<TimeMap>(), Err(EditError::TimeMap { .. })));
        let late: TimeMap = "0,0\n1,500".parse().unwrap();
        assert!(matches!(map_times(&walk, &late), Err(EditError::TimeMap { .. })));
    }
}
