//! Scalar tracks on a page, such as the weights of shapes, quantised and encoded.

use crate::coding;
use crate::surface::Surface;
use mocap_model::Clip;
use serde::Serialize;

/// Greatest number of scalar tracks of a clip on a page; those that move a mesh are always included.
const MOST: usize = 128;
/// Quantisation steps between the lowest and the highest value of a track.
const STEPS: f64 = 65_535.0;

/// Numbers over time.
#[derive(Serialize)]
pub(crate) struct NumbersData {
    names: Vec<String>,
    /// By track: its lowest value, and the size of a step.
    ranges: Vec<[f64; 2]>,
    /// samples × tracks.
    values: String,
}

/// Indices of the scalar tracks that a page includes: first those that move the mesh.
pub(crate) fn shown(clip: &Clip, surface: Option<&Surface>) -> Vec<usize> {
    let mut shown: Vec<usize> = Vec::new();
    for shape in surface.iter().flat_map(|surface| &surface.shapes) {
        if !shown.contains(&shape.scalar) {
            shown.push(shape.scalar);
        }
    }
    let scalars = clip.annotations().scalars.iter().enumerate();
    let others: Vec<usize> = scalars
        .filter(|(at, track)| track.values.is_sampled() && !shown.contains(at))
        .map(|(at, _)| at)
        .collect();
    let room = MOST.saturating_sub(shown.len());
    shown.extend(others.into_iter().take(room));
    shown
}

/// The numbers of a clip for its page, in every `step`-th frame.
pub(crate) fn numbers(clip: &Clip, shown: &[usize], (step, samples): (usize, usize)) -> Option<NumbersData> {
    if shown.is_empty() || clip.frames() == 0 {
        return None;
    }
    let tracks: Vec<_> = shown.iter().map(|at| &clip.annotations().scalars[*at]).collect();
    let at = |track: &mocap_model::ScalarTrack, sample: usize| {
        let value = track.values.at(sample * step);
        if value.is_finite() { value } else { 0.0 }
    };
    let range = |track: &&mocap_model::ScalarTrack| {
        let values = || (0..samples).map(|sample| at(track, sample));
        let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
        let size = (high / STEPS - low / STEPS).max(f64::MIN_POSITIVE);
        [low, size]
    };
    let ranges: Vec<[f64; 2]> = tracks.iter().map(range).collect();
    let mut values = Vec::with_capacity(samples * tracks.len());
    for sample in 0..samples {
        let whole = |(track, [low, size]): (&&mocap_model::ScalarTrack, &[f64; 2])| {
            ((at(track, sample) - low) / size).round() as i32
        };
        values.extend(tracks.iter().zip(&ranges).map(whole));
    }
    Some(NumbersData {
        names: tracks.iter().map(|track| track.name.clone()).collect(),
        values: coding::encode(&values, tracks.len()),
        ranges,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made::chain;
    use mocap_model::{Annotations, ScalarTrack, Space, Track};

    #[test]
    fn numbers_that_stand_still_are_left_out_and_many_are_cut_off() {
        let track = |at: usize| ScalarTrack {
            name: format!("number {at}"),
            values: match at {
                0 => Track::Constant(0.5),
                _ => Track::Sampled(vec![0.0, 1.0, -3.0]),
            },
        };
        let notes = Annotations { scalars: (0..200).map(track).collect(), ..Annotations::default() };
        let clip = chain(2, 1.0, 3, Space::default()).with_annotations(notes).unwrap();
        let shown = shown(&clip, None);
        assert_eq!((shown[0], shown.len()), (1, MOST));
        let found = numbers(&clip, &shown, (1, 3)).unwrap();
        assert_eq!((&found.names[0][..], found.ranges[0]), ("number 1", [-3.0, 4.0 / STEPS]));
    }
}
