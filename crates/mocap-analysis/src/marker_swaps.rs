//! Detects markers that exchanged their labels.

use mocap_model::{Markers, Vector3};

/// Exchanges are detected across gaps up to this long \[s\].
const REMEMBERED: f64 = 0.1;

/// Two markers, each of which continues from the other's position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerSwap {
    /// The first exchanged frame.
    pub frame: usize,
    /// Indices of the markers in the recording.
    pub markers: [usize; 2],
}

/// Extrapolation of a marker.
#[derive(Clone, Copy)]
struct Track {
    /// Last position, and its frame.
    place: Vector3<f64>,
    frame: usize,
    /// Last step, if the marker was seen in the frame before as well.
    step: Vector3<f64>,
}

/// The exchanges of two markers, frame by frame.
///
/// A marker is expected where it was last seen, moved on by its last step for each frame since. Two
/// markers are exchanged where each is more than twice as near to the place expected of the other
/// as to its own. The rule needs no unit and no threshold of distance; markers that are not seen
/// for more than 0.1 s are not followed.
///
/// ```
/// use mocap_analysis::marker_swaps;
/// use mocap_model::{FrameRate, Markers, Space, Vector3};
///
/// let at = |x: f64| Some(Vector3::new(x, 0.0, 0.0));
/// let positions = vec![at(0.0), at(5.0), at(0.1), at(5.1), at(5.2), at(0.2), at(5.3), at(0.3)];
/// let rate = FrameRate::new(100.0).unwrap();
/// let markers = Markers::new(Space::default(), rate, 4, vec!["a".into(), "b".into()], positions)?;
/// let swaps = marker_swaps(&markers);
/// assert_eq!((swaps.len(), swaps[0].frame, swaps[0].markers), (1, 2, [0, 1]));
/// # Ok::<(), mocap_model::ModelError>(())
/// ```
pub fn marker_swaps(markers: &Markers) -> Vec<MarkerSwap> {
    let count = markers.names().len();
    let remembered = (REMEMBERED * markers.rate().fps()).max(1.0) as usize;
    let mut tracks: Vec<Option<Track>> = vec![None; count];
    let mut swaps = Vec::new();
    for frame in 0..markers.frames() {
        let seen: Vec<(usize, Vector3<f64>, Vector3<f64>, f64)> = (0..count)
            .filter_map(|marker| {
                let place = markers.position(frame, marker)?;
                let track = tracks[marker].filter(|track| frame - track.frame <= remembered)?;
                // Across a gap it is extrapolated at its last speed: in a few frames, a marker may travel as
                // far as its neighbour.
                let expected = track.place + track.step * (frame - track.frame) as f64;
                Some((marker, place, expected, (place - expected).norm()))
            })
            .collect();
        for (i, (a, place_a, expected_a, own_a)) in seen.iter().enumerate() {
            for (b, place_b, expected_b, own_b) in &seen[i + 1..] {
                let crossed = [(place_a - expected_b).norm(), (place_b - expected_a).norm()];
                if 2.0 * crossed[0] < *own_a && 2.0 * crossed[1] < *own_b {
                    swaps.push(MarkerSwap { frame, markers: [*a, *b] });
                }
            }
        }
        for marker in 0..count {
            let Some(place) = markers.position(frame, marker) else { continue };
            let jumped = swaps.iter().rev().take_while(|swap| swap.frame == frame);
            let jumped = jumped.clone().any(|swap| swap.markers.contains(&marker));
            let step = match tracks[marker] {
                Some(track) if track.frame + 1 == frame && !jumped => place - track.place,
                _ => Vector3::zeros(),
            };
            tracks[marker] = Some(Track { place, frame, step });
        }
    }
    swaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{FrameRate, Space};

    /// Two markers that move side by side; exchanged from a frame on, with a gap before it.
    fn recording(exchanged: Option<usize>, gap: usize) -> Markers {
        let positions = (0..100usize).flat_map(|frame| {
            let t = frame as f64 / 100.0;
            let way = Vector3::new((6.0 * t).sin() * 400.0, 0.0, 900.0 * t);
            let pair = [way, way + Vector3::new(0.0, 60.0, 10.0)];
            let crossed = exchanged.is_some_and(|from| frame >= from);
            let hidden = exchanged.is_some_and(|from| (from - gap..from).contains(&frame));
            let pair = if crossed { [pair[1], pair[0]] } else { pair };
            pair.map(|place| (!hidden).then_some(place))
        });
        let names = vec!["LKNE".into(), "LTIB".into()];
        let rate = FrameRate::new(100.0).unwrap();
        Markers::new(Space::default(), rate, 100, names, positions.collect()).unwrap()
    }

    #[test]
    fn an_exchange_is_found_once() {
        assert_eq!(marker_swaps(&recording(None, 0)), []);
        for (frame, gap) in [(50, 0), (30, 1), (30, 3)] {
            let found = marker_swaps(&recording(Some(frame), gap));
            assert_eq!(found, [MarkerSwap { frame, markers: [0, 1] }], "after a gap of {gap}");
        }
        assert_eq!(marker_swaps(&recording(Some(60), 40)), [], "a long gap hides it");
    }
}
