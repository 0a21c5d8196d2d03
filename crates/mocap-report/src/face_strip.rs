//! Strips of faces for lists of motions: line drawings of a head in a few frames, or curves if there is no mesh.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::camera::{Camera, Projected, View};
use crate::mesh::Corner;
use crate::stage::{Stage, evenly_spaced};
use crate::surface::Surface;
use crate::thumbnail::{CELL, POSES};
use mocap_model::{Clip, Track, Vector3};

/// Cells of the depth buffer per unit of the path.
const FINE: f64 = 1.0;
/// Lines that are further behind the surface than this share of the head are hidden.
const BEHIND: f64 = 0.02;
/// Adjacent faces whose normals have at most this cosine form a line.
const CREASE: f64 = 0.35;
/// Lines of a pose, the longest first.
const LINES: usize = 260;
/// Curves of a strip, the widest first, and their points.
const CURVES: usize = 4;
const POINTS: usize = 96;

/// Line drawings of a mesh from the front in a few frames: all lines are in the second path.
pub(crate) fn heads(stage: &Stage<'_>, surface: &Surface) -> [String; 4] {
    let frames = evenly_spaced(stage.frames(), POSES);
    let heading = stage.heading(&stage.pose(0));
    let camera = Camera::new(View::Front, heading, [0.0, stage.floor, 0.0], stage.size());
    let poses: Vec<Vec<Projected>> = frames
        .iter()
        .map(|frame| {
            let corners: Vec<Corner> = surface.corners(stage, *frame, Vector3::zeros());
            corners.iter().map(|corner| camera.project(&corner.at.into())).collect()
        })
        .collect();
    let used: BTreeSet<u32> = surface.triangles.iter().flatten().copied().collect();
    let seen = || poses.iter().flat_map(|pose| used.iter().map(|at| &pose[*at as usize]));
    let bounds = |value: fn(&Projected) -> f64| {
        seen().map(value).fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)])
    };
    let ([left, right], [low, high]) = (bounds(|seen| seen.x), bounds(|seen| seen.y));
    let scale = ((CELL[0] - 6.0) / (right - left).max(1e-9)).min((CELL[1] - 10.0) / (high - low).max(1e-9));
    let mut strip: [String; 4] = Default::default();
    if !scale.is_finite() {
        return strip;
    }
    for (i, pose) in poses.iter().enumerate() {
        let place = |seen: &Projected| {
            let x = (seen.x - 0.5 * (left + right)) * scale + 0.5 * CELL[0];
            [x, 0.5 * CELL[1] - (seen.y - 0.5 * (low + high)) * scale, seen.near * scale]
        };
        let places: Vec<[f64; 3]> = pose.iter().map(place).collect();
        add_lines(&mut strip[1], &places, surface, CELL[0] * i as f64, BEHIND * (high - low) * scale);
    }
    strip
}

/// The lines of a pose: contours, folds and borders of the surface, without hidden parts.
fn add_lines(path: &mut String, places: &[[f64; 3]], surface: &Surface, left: f64, behind: f64) {
    let normal = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|at| Vector3::from(places[at as usize]));
        // Places have y down: faces that look here turn the other way.
        let normal = (c - a).cross(&(b - a));
        normal.try_normalize(0.0).unwrap_or_default()
    };
    let normals: Vec<Vector3<f64>> = surface.triangles.iter().map(normal).collect();
    let depth = depths(places, surface);
    let mut sides: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
    for (number, triangle) in surface.triangles.iter().enumerate() {
        let corners = triangle.map(|at| surface.seam_of(at));
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            let (a, b) = (corners[a].min(corners[b]), corners[a].max(corners[b]));
            sides.entry([a, b]).or_default().push(number);
        }
    }
    let is_line = |faces: &[usize]| {
        let front = |face: &usize| normals[*face].z > 0.0;
        match faces {
            [one] => front(one),
            [a, b] => front(a) != front(b) || front(a) && normals[*a].dot(&normals[*b]) < CREASE,
            _ => false,
        }
    };
    let mut lines: BTreeMap<[i64; 4], i64> = BTreeMap::new();
    for ([a, b], _) in sides.iter().filter(|(_, faces)| is_line(faces)) {
        let [a, b] = [a, b].map(|at| places[*at as usize]);
        let middle = [0, 1, 2].map(|axis| 0.5 * (a[axis] + b[axis]));
        let hidden = depth_at(&depth, middle).is_some_and(|near| middle[2] < near - behind);
        let ends = [a, b].map(|end| [0, 1].map(|axis| end[axis].round() as i64));
        if hidden || ends[0] == ends[1] {
            continue;
        }
        let [[x, y], [u, v]] = if ends[0] < ends[1] { ends } else { [ends[1], ends[0]] };
        lines.insert([x, y, u, v], (u - x).pow(2) + (v - y).pow(2));
    }
    let mut lines: Vec<([i64; 4], i64)> = lines.into_iter().collect();
    lines.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    lines.truncate(LINES);
    lines.sort_unstable();
    let left = left.round() as i64;
    for ([x, y, u, v], _) in lines {
        let _ = write!(path, "M{} {y}l{} {}", x + left, u - x, v - y);
    }
}

/// Depth of the surface, by cell of a pose.
fn depths(places: &[[f64; 3]], surface: &Surface) -> Vec<f64> {
    let [width, height] = CELL.map(|side| (side * FINE) as usize);
    let mut depth = vec![f64::NEG_INFINITY; width * height];
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|at| places[at as usize]);
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if area == 0.0 || !area.is_finite() {
            continue;
        }
        let range = |axis: usize, most: usize| {
            let low = (a[axis].min(b[axis]).min(c[axis]) * FINE).floor().clamp(0.0, most as f64) as usize;
            let high = (a[axis].max(b[axis]).max(c[axis]) * FINE).ceil().clamp(0.0, most as f64) as usize;
            low..high
        };
        for y in range(1, height) {
            for x in range(0, width) {
                let at = [(x as f64 + 0.5) / FINE, (y as f64 + 0.5) / FINE];
                let part = |p: [f64; 3], q: [f64; 3]| {
                    ((q[0] - p[0]) * (at[1] - p[1]) - (q[1] - p[1]) * (at[0] - p[0])) / area
                };
                let parts = [part(b, c), part(c, a), part(a, b)];
                if parts.iter().all(|part| *part >= 0.0) {
                    let near = parts[0] * a[2] + parts[1] * b[2] + parts[2] * c[2];
                    let cell = &mut depth[y * width + x];
                    *cell = cell.max(near);
                }
            }
        }
    }
    depth
}

fn depth_at(depth: &[f64], [x, y, _]: [f64; 3]) -> Option<f64> {
    let [width, height] = CELL.map(|side| (side * FINE) as usize);
    let (x, y) = ((x * FINE).floor(), (y * FINE).floor());
    let inside = x >= 0.0 && y >= 0.0 && x < width as f64 && y < height as f64;
    inside.then(|| depth[y as usize * width + x as usize])
}

/// The scalar tracks with the widest range, all on one scale from the lowest to the highest value
/// of any.
pub(crate) fn curves(clip: &Clip) -> [String; 4] {
    let range = |track: &Track<f64>| {
        let values = (0..clip.frames()).map(|frame| track.at(frame)).filter(|value| value.is_finite());
        values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)])
    };
    let mut tracks: Vec<(&Track<f64>, [f64; 2])> =
        clip.annotations().scalars.iter().map(|track| (&track.values, range(&track.values))).collect();
    tracks.retain(|(_, [low, high])| high > low);
    tracks.sort_by(|a, b| (b.1[1] - b.1[0]).total_cmp(&(a.1[1] - a.1[0])));
    tracks.truncate(CURVES);
    let all = tracks.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], (_, range)| {
        [low.min(range[0]), high.max(range[1])]
    });
    let frames = evenly_spaced(clip.frames(), POINTS);
    let mut strip: [String; 4] = Default::default();
    for (track, _) in &tracks {
        for (number, frame) in frames.iter().enumerate() {
            let share = number as f64 / (frames.len() - 1).max(1) as f64;
            let value = (track.at(*frame) - all[0]) / (all[1] - all[0]);
            let value = if value.is_finite() { value } else { 0.0 };
            let x = (4.0 + share * (CELL[0] * POSES as f64 - 8.0)).round();
            let y = (CELL[1] - 8.0 - value * (CELL[1] - 16.0)).round();
            let _ = write!(strip[1], "{}{x} {y}", if number == 0 { "M" } else { "L" });
        }
    }
    strip
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{Annotations, FrameRate, Joint, JointTracks, ScalarTrack, Skeleton, Space};
    use std::sync::Arc;

    #[test]
    fn curves_are_those_of_the_widest_numbers() {
        let joint = Joint::new("Head".to_owned(), None, Vector3::zeros());
        let skeleton = Skeleton::new("face", Space::default(), vec![joint]).unwrap();
        let tracks = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        let clip = Clip::new(Arc::new(skeleton), FrameRate::new(30.0).unwrap(), 3, tracks).unwrap();
        let track = |name: &str, values: [f64; 3]| ScalarTrack {
            name: name.into(),
            values: Track::from_samples(values.to_vec()).unwrap(),
        };
        let scalars = vec![track("still", [0.5; 3]), track("jaw", [0.0, 1.0, 0.5])];
        let clip = clip.with_annotations(Annotations { scalars, ..Annotations::default() }).unwrap();
        assert!(crate::has_only_numbers(&clip));
        let [left, middle, ..] = curves(&clip);
        assert!(left.is_empty());
        assert_eq!(middle, "M4 136L288 8L572 72");
    }
}
