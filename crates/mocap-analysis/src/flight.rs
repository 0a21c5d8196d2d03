//! Flights: when a body is in the air, and whether it falls as a free body does. Metres, seconds, Z
//! up.

use std::ops::Range;

use mocap_model::Vector3;

use crate::{GRAVITY, runs};

/// Least duration of a flight \[s\].
const FLIGHT: f64 = 0.1;
/// Least mean downward acceleration in flight [m/s²]. It is less than that of free fall, because
/// small bodies with the motions of people fly for as long as people.
const FALLS: f64 = 0.3 * GRAVITY;

/// In flight, the downward acceleration is above this share of its peak. Filters blur take-off and
/// landing, but the middle between both values keeps its place.
const LEFT: f64 = 0.5;

/// When a body flies. `contact` and `acceleration` (of the centre of mass, [m/s²]) are by frame.
///
/// In each run of frames without contact, a flight is the frames around the greatest downward
/// acceleration that have more than half of it, if they last at least 0.1 s and average at least
/// 0.3 g. Bodies that turn on a foot, hang or sit fall less. The frames before take-off are left
/// out: a foot that pushes off already moves, and counts as out of contact.
pub fn flights(contact: &[bool], acceleration: &[Vector3<f64>], fps: f64) -> Vec<Range<usize>> {
    let free: Vec<bool> = contact.iter().map(|contact| !contact).collect();
    let fall = |frame: &usize| -acceleration[*frame].z;
    let core = |run: Range<usize>| {
        let peak = run.clone().max_by(|a, b| fall(a).total_cmp(&fall(b)))?;
        let flies = |frame: &usize| fall(frame) > LEFT * fall(&peak);
        let start = (run.start..=peak).rev().take_while(flies).last()?;
        let end = (peak..run.end).take_while(flies).last()? + 1;
        let sum: f64 = (start..end).map(|frame| fall(&frame)).sum();
        let length = (end - start) as f64;
        (length >= FLIGHT * fps && sum >= FALLS * length).then_some(start..end)
    };
    runs(&free).into_iter().filter_map(core).collect()
}

/// Deviation of flights from free fall, as a share of gravity: the acceleration of the
/// least-squares parabola through the height of the centre of mass in each, averaged over frames.
/// `None` without a flight of three frames.
pub fn off_free_fall(centre: &[Vector3<f64>], flights: &[Range<usize>], fps: f64) -> Option<f64> {
    let (mut off, mut frames) = (0.0, 0);
    for flight in flights {
        let Some(bend) = bend(&centre[flight.clone()], fps) else { continue };
        off += (bend + GRAVITY).abs() / GRAVITY * flight.len() as f64;
        frames += flight.len();
    }
    (frames > 0).then(|| off / frames as f64)
}

/// The second derivative by time of the least-squares parabola through heights; `None` for fewer
/// than three.
fn bend(places: &[Vector3<f64>], fps: f64) -> Option<f64> {
    let count = places.len() as f64;
    let square = |frame: usize| (frame as f64 - (count - 1.0) / 2.0).powi(2);
    let mean = (0..places.len()).map(square).sum::<f64>() / count;
    // Orthogonal to constants and lines.
    let shape = |frame: usize| square(frame) - mean;
    let size: f64 = (0..places.len()).map(|frame| shape(frame).powi(2)).sum();
    let along: f64 = places.iter().enumerate().map(|(frame, place)| shape(frame) * place.z).sum();
    (places.len() > 2).then(|| 2.0 * along / size * fps * fps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_on_a_foot_does_not_fly() {
        let fall = |z: f64| vec![Vector3::new(0.0, 0.0, z); 30];
        let mut contact = vec![true; 30];
        contact[10..16].fill(false);
        assert_eq!(flights(&contact, &fall(-9.0), 30.0), std::slice::from_ref(&(10..16)));
        assert!(flights(&contact, &fall(-1.0), 30.0).is_empty());
        assert!(flights(&contact, &fall(-9.0), 120.0).is_empty());
    }

    #[test]
    fn a_push_and_a_landing_belong_to_no_flight() {
        let mut contact = vec![true; 60];
        contact[10..50].fill(false);
        let bend = |frame: usize| if (20..40).contains(&frame) { -9.0 } else { 3.0 };
        let acceleration: Vec<_> = (0..60).map(|frame| Vector3::new(0.0, 0.0, bend(frame))).collect();
        assert_eq!(flights(&contact, &acceleration, 60.0), std::slice::from_ref(&(20..40)));
    }

    #[test]
    fn a_fall_is_measured() {
        let falls = |share: f64| -> Vec<Vector3<f64>> {
            let height = |frame: i32| {
                1.0 + 0.05 * f64::from(frame) - 0.5 * share * GRAVITY * (f64::from(frame) / 60.0).powi(2)
            };
            (0..20).map(|frame| Vector3::new(0.0, 0.0, height(frame))).collect()
        };
        let off = |share: f64| {
            off_free_fall(&falls(share), std::slice::from_ref(&(4..14)), 60.0).expect("it flies")
        };
        assert!(off(1.0) < 1e-9 && (off(0.9) - 0.1).abs() < 1e-9);
        assert_eq!(off_free_fall(&falls(1.0), &[], 60.0), None);
        assert_eq!(off_free_fall(&falls(1.0), std::slice::from_ref(&(3..5)), 60.0), None);
    }
}
