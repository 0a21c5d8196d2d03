//! Where feet are held: one place per contact of a foot, found on a motion that does not hold them yet.

use mocap_model::{Isometry3, Vector3};
use nalgebra::Point3;

use crate::landmarks::Sole;
use crate::source::SourceFrame;

/// By frame, foot and corner of the sole: where it is held on the floor.
pub(crate) type Pins = Vec<[[Option<Point3<f64>>; 4]; 2]>;

/// The least height of soles that swing \[m\].
const SWING: f64 = 0.025;

/// Holds every foot in contact where it is on average: its place and heading; the sole lies on the floor. Toe contact
/// holds the front corners, heel contact the back ones.
pub(crate) fn hold(frames: &[SourceFrame], feet: &[Vec<Isometry3<f64>>; 2], soles: &[Sole; 2]) -> Pins {
    let mut pins: Pins = vec![[[None; 4]; 2]; frames.len()];
    for foot in 0..2 {
        let touches = |frame: usize| frames[frame].contacts[foot] != [false; 2];
        let mut start = 0;
        while start < frames.len() {
            if !touches(start) {
                start += 1;
                continue;
            }
            let end = (start..frames.len()).find(|frame| !touches(*frame)).unwrap_or(frames.len());
            let corners = place(&feet[foot][start..end], &soles[foot]);
            for (pins, frame) in pins[start..end].iter_mut().zip(&frames[start..end]) {
                let [toe, heel] = frame.contacts[foot];
                for (corner, held) in [toe, toe, heel, heel].into_iter().enumerate() {
                    pins[foot][corner] = held.then_some(corners[corner]);
                }
            }
            start = end;
        }
    }
    pins
}

/// The corners of a sole on the floor, at the mean place and heading of a foot.
fn place(feet: &[Isometry3<f64>], sole: &Sole) -> [Point3<f64>; 4] {
    let at = |foot: &Isometry3<f64>| sole.corners.map(|corner| foot * corner);
    let mut middle = Vector3::zeros();
    let mut forward = Vector3::zeros();
    let mut left = Vector3::zeros();
    for foot in feet {
        let [a, b, c, d] = at(foot);
        middle += (a.coords + b.coords + c.coords + d.coords) / 4.0 / feet.len() as f64;
        forward += (a - c) + (b - d);
        left += (a - b) + (c - d);
    }
    let flat = |v: Vector3<f64>| Vector3::new(v.x, v.y, 0.0).try_normalize(1e-9);
    let x =
        flat(forward).or_else(|| flat(left).map(|left| left.cross(&Vector3::z()))).unwrap_or_else(Vector3::x);
    let y = Vector3::z().cross(&x);
    let [a, b, c, d] = sole.corners;
    let (length, width) = (((a - c).norm() + (b - d).norm()) / 4.0, ((a - b).norm() + (c - d).norm()) / 4.0);
    let middle = Point3::new(middle.x, middle.y, 0.0);
    let corner = |along: f64, across: f64| middle + x * (along * length) + y * (across * width);
    [corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, 1.0), corner(-1.0, -1.0)]
}

/// By frame and foot: the least height of a sole that swings \[m\]. A foot that swings clears the floor from the second frame on,
/// since what passes low over the floor reads as skating.
pub(crate) fn clearances(frames: &[SourceFrame]) -> Vec<[f64; 2]> {
    let mut clearances = vec![[0.0; 2]; frames.len()];
    for foot in 0..2 {
        let mut since = usize::MAX / 2;
        let mut distance = vec![usize::MAX / 2; frames.len()];
        for (frame, source) in frames.iter().enumerate() {
            since = if source.contacts[foot] == [false; 2] { since + 1 } else { 0 };
            distance[frame] = since;
        }
        since = usize::MAX / 2;
        for (frame, source) in frames.iter().enumerate().rev() {
            since = if source.contacts[foot] == [false; 2] { since + 1 } else { 0 };
            let nearest = distance[frame].min(since);
            clearances[frame][foot] = SWING * (nearest as f64 / 2.0).min(1.0);
        }
    }
    clearances
}
