//! Strobe pictures: one motion at several times in a single picture.

use crate::View;
use crate::film::{Film, RenderInput, RenderOptions, frame, span, turn};
use crate::picture::png;
use crate::stage::{Place, evenly_spaced};

/// A PNG of a motion at several times along its path, like a chronophotograph. Times are evenly spaced over the
/// range. If the path is shorter than half of the space that the poses need side by side, they are put in a row
/// from left to right.
pub fn strobe(input: RenderInput<'_>, poses: usize, options: &RenderOptions) -> Vec<u8> {
    let (from, count) = span(&[input], options);
    let film = Film::new(&[input], options);
    let (stage, _) = &film.stages[0];
    let times = evenly_spaced(count, poses.max(1)).into_iter().map(|i| from + i as f64 / options.fps);
    let frames: Vec<usize> = times.map(|time| frame(stage, time)).collect();
    let mut poses: Vec<Vec<Place>> = frames.iter().map(|frame| stage.pose(*frame)).collect();
    let hips = |poses: &[Vec<Place>]| -> Vec<Place> { poses.iter().map(|pose| pose[stage.centre]).collect() };
    let ([from, to], long) = farthest(&hips(&poses));
    let mut heading = film.heading;
    let needed = APART * film.size * (poses.len() as f64 - 1.0);
    if long < 0.5 * needed {
        line_up(&mut poses, heading + turn(options.view), stage.centre);
    } else if options.view == View::Perspective && long > 0.0 {
        // The view is from the side of the path, turned a little towards its end.
        heading = (to[0] - from[0]).atan2(to[2] - from[2]) - 0.5;
    }
    let ([from, to], long) = farthest(&hips(&poses));
    // In perspective, the nearest pose is larger than the one at the centre.
    let room = if options.view == View::Perspective { 1.3 } else { 1.1 };
    let middle = [0, 1, 2].map(|axis| (from[axis] + to[axis]) / 2.0);
    let rise = if options.ground.is_empty() { 0.0 } else { (to[1] - from[1]).abs() };
    let [w, h] = options.size.map(|side| side as f64);
    let wide = (long + room * film.size).max((0.92 * film.size + rise) * w / w.min(h));
    let mut canvas = film.canvas(film.eye(heading, middle, wide));
    for (frame, pose) in frames.iter().zip(&poses) {
        film.add(&mut canvas, 0, *frame, pose);
    }
    png(&film.finish(canvas, mocap_model::Vector3::zeros()), options.size)
}

/// From one body to the next in a row, as a share of their size.
const APART: f64 = 0.42;

/// The two places that are furthest from each other on the floor, in their order, and their distance.
fn farthest(places: &[Place]) -> ([Place; 2], f64) {
    let far = |a: &Place, b: &Place| (a[0] - b[0]).hypot(a[2] - b[2]);
    let mut found = ([places[0]; 2], 0.0);
    for (i, a) in places.iter().enumerate() {
        for b in &places[i + 1..] {
            if far(a, b) > found.1 {
                found = ([*a, *b], far(a, b));
            }
        }
    }
    found
}

/// Puts poses in a row from left to right as seen from a direction, with distances that fit their widths.
fn line_up(poses: &mut [Vec<Place>], yaw: f64, centre: usize) {
    let (sin, cos) = yaw.sin_cos();
    let right = |place: &Place| place[0] * cos - place[2] * sin;
    let Some(first) = poses.first().map(|pose| pose[centre]) else { return };
    let mut end = f64::NAN;
    for pose in poses {
        let hips = pose[centre];
        let reach = |sign: f64| pose.iter().map(|at| sign * (right(at) - right(&hips))).fold(0.0, f64::max);
        let (before, behind) = (reach(-1.0), reach(1.0));
        // A body is wider than its joints.
        let at = if end.is_nan() { right(&first) } else { end + before + 0.3 * (before + behind) };
        end = at + behind;
        let far = at - right(&first);
        let shift = [first[0] - hips[0] + far * cos, 0.0, first[2] - hips[2] - far * sin];
        for place in pose {
            *place = [0, 1, 2].map(|axis| place[axis] + shift[axis]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made::wave;
    use crate::stage::Stage;

    #[test]
    fn poses_in_place_stand_in_a_row() {
        let clip = wave();
        let stage = Stage::new(&clip);
        let mut poses: Vec<Vec<Place>> = [0, 30, 60, 90].map(|frame| stage.pose(frame)).to_vec();
        let yaw = 0.4f64;
        line_up(&mut poses, yaw, stage.centre);
        let right = |place: &Place| place[0] * yaw.cos() - place[2] * yaw.sin();
        for pair in poses.windows(2) {
            let end = pair[0].iter().map(right).fold(f64::MIN, f64::max);
            assert!(pair[1].iter().map(right).fold(f64::MAX, f64::min) > end);
        }
        // All at the same distance from the viewer; heights stay.
        let ahead = |place: &Place| place[0] * yaw.sin() + place[2] * yaw.cos();
        for (pose, frame) in poses.iter().zip([0, 30, 60, 90]) {
            assert!((ahead(&pose[stage.centre]) - ahead(&poses[0][stage.centre])).abs() < 1e-9);
            assert!((pose[stage.centre][1] - stage.pose(frame)[stage.centre][1]).abs() < 1e-12);
        }
    }
}
