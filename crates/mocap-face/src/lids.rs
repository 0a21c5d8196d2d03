//! Closes the lids of a face where the eyes of the source are closed.
//!
//! Recorders rarely give a weight of 1 for a closed eye, and a weight that closes the eye of one head leaves that of
//! another slightly open. A closed eye is a contact: near it, weights are determined by the lids of the target face
//! instead of the numbers of the source.

use std::collections::{BTreeMap, HashMap};

use mocap_model::{Mesh, ScalarTrack, Track, Vector3};

use crate::meeting::meeting;
use crate::quality::CLOSED;

/// A shape closes pairs of lid vertices of which it leaves less than this share of the distance; larger shares are
/// tried if there are too few pairs.
const TOGETHER: [f64; 3] = [0.18, 0.25, 0.35];
/// With fewer pairs of vertices, the next larger share of [`TOGETHER`] is tried.
const FEWEST: usize = 4;

/// The result for an eye.
#[derive(Clone, Debug, PartialEq)]
pub struct Lids {
    /// The shapes that close it.
    pub shapes: Vec<String>,
    /// The largest weight before the change, at which the eye counts as closed.
    pub closed_at: f64,
    /// The weight at which the lids meet in that frame.
    pub meet_at: f64,
    /// The remaining opening in that frame, before and after, relative to the face at rest.
    pub left: [f64; 2],
}

/// A pair of vertices, one on each lid.
struct Pair {
    vertices: [u32; 2],
    /// The unit direction in which the shape moves the first one relative to the second.
    way: Vector3<f64>,
    /// Their distance along this direction at rest.
    open: f64,
    /// The reduction of this distance by the shape at weight 1.
    closed: f64,
}

/// The pairs of vertices that a shape brings together. Of several candidates for a vertex, the one that comes nearest:
/// it is on the edge of the lid.
fn pairs(mesh: &Mesh, moved: &[Vector3<f64>], together: f64) -> Vec<Pair> {
    let mut nearest: BTreeMap<usize, Pair> = BTreeMap::new();
    for [one, other] in meeting(&mesh.positions, moved, together) {
        let Some(way) = (moved[one] - moved[other]).try_normalize(0.0) else { continue };
        let open = (mesh.positions[other] - mesh.positions[one]).dot(&way);
        let closed = (moved[one] - moved[other]).norm();
        let pair = Pair { vertices: [one as u32, other as u32], way, open, closed };
        let known = nearest.get(&other).is_some_and(|known| known.open - known.closed <= open - closed);
        if open > 0.0 && !known {
            nearest.insert(other, pair);
        }
    }
    nearest.into_values().collect()
}

/// The lids of an eye, and the effect of each shape on their pairs.
struct Eye {
    pairs: Vec<Pair>,
    /// For the other shapes that move these vertices: the reduction of each pair's distance at weight 1.
    others: Vec<(String, Vec<f64>)>,
}

impl Eye {
    /// The lids that these shapes of a mesh close together; `None` if they bring no vertices together.
    fn of(mesh: &Mesh, shapes: &[String]) -> Option<Eye> {
        let mut moved = vec![Vector3::zeros(); mesh.positions.len()];
        for shape in mesh.shapes.iter().filter(|shape| shapes.contains(&shape.name)) {
            shape.offsets.iter().for_each(|(vertex, by)| moved[*vertex as usize] += by);
        }
        let all = TOGETHER.map(|together| pairs(mesh, &moved, together));
        let enough = all.iter().position(|pairs| pairs.len() >= FEWEST).unwrap_or(TOGETHER.len() - 1);
        let pairs = all.into_iter().nth(enough).filter(|pairs| !pairs.is_empty())?;
        let others = mesh.shapes.iter().filter(|shape| !shapes.contains(&shape.name));
        let others = others.filter_map(|shape| {
            let offsets: HashMap<u32, Vector3<f64>> = shape.offsets.iter().copied().collect();
            let by = |pair: &Pair| {
                let [one, other] = pair.vertices.map(|at| offsets.get(&at).copied().unwrap_or_default());
                (one - other).dot(&pair.way)
            };
            let taken: Vec<f64> = pairs.iter().map(by).collect();
            taken.iter().any(|taken| *taken != 0.0).then(|| (shape.name.clone(), taken))
        });
        let others = others.collect();
        Some(Eye { pairs, others })
    }

    /// The distance of each pair in a frame without the shapes that close the eye.
    fn open(&self, tracks: &HashMap<&str, &Track<f64>>, frame: usize) -> Vec<f64> {
        let mut open: Vec<f64> = self.pairs.iter().map(|pair| pair.open).collect();
        for (name, taken) in &self.others {
            let weight = tracks.get(name.as_str()).map_or(0.0, |track| track.at(frame));
            open.iter_mut().zip(taken).for_each(|(open, taken)| *open -= weight * taken);
        }
        open
    }

    /// The weight at which half of the pairs meet.
    fn meet_at(&self, open: &[f64]) -> f64 {
        let mut weights: Vec<f64> =
            open.iter().zip(&self.pairs).map(|(open, pair)| (open / pair.closed).max(0.0)).collect();
        weights.sort_by(f64::total_cmp);
        let middle = weights.len() / 2;
        (weights[middle] + weights[(weights.len() - 1) / 2]) / 2.0
    }

    /// The remaining opening at a weight, relative to the face at rest.
    fn left(&self, open: &[f64], weight: f64) -> f64 {
        let left = open.iter().zip(&self.pairs).map(|(open, pair)| (open - weight * pair.closed).max(0.0));
        left.sum::<f64>() / self.pairs.iter().map(|pair| pair.open).sum::<f64>()
    }
}

/// Closes eyes where the source closes them. `eyes` are the shapes that close each eye, or both. If
/// the largest weight of an eye is at least 0.8, the source is assumed to close it there: this
/// weight is raised to that at which the lids of the mesh meet (with the other shapes applied), but
/// at most to `most`. Other weights are raised by the cube of their ratio to it, so small ones
/// hardly change; none is reduced. Returns the result for each eye that closes.
pub fn close_lids(
    tracks: &mut [ScalarTrack],
    meshes: &[Mesh],
    eyes: &[Vec<String>],
    frames: usize,
    most: f64,
) -> Vec<Lids> {
    eyes.iter().filter_map(|shapes| close(tracks, meshes, shapes, frames, most)).collect()
}

fn close(
    tracks: &mut [ScalarTrack],
    meshes: &[Mesh],
    shapes: &[String],
    frames: usize,
    most: f64,
) -> Option<Lids> {
    let found = meshes.iter().filter_map(|mesh| Eye::of(mesh, shapes));
    let eye = found.reduce(|best, eye| if eye.pairs.len() > best.pairs.len() { eye } else { best })?;
    let weights: HashMap<&str, &Track<f64>> =
        tracks.iter().map(|track| (track.name.as_str(), &track.values)).collect();
    let blink = |frame: usize| {
        let own = shapes.iter().filter_map(|name| weights.get(name.as_str()));
        own.map(|track| track.at(frame)).fold(0.0, f64::max)
    };
    let frame = (0..frames).max_by(|a, b| blink(*a).total_cmp(&blink(*b)).then(b.cmp(a)))?;
    let closed_at = blink(frame);
    if closed_at < CLOSED {
        return None;
    }
    let open = eye.open(&weights, frame);
    let meet_at = eye.meet_at(&open);
    let raised = |frame: usize, weight: f64| {
        if weight <= 0.0 {
            return weight;
        }
        let to = eye.meet_at(&eye.open(&weights, frame)).min(most);
        weight + (to - closed_at).max(0.0) * (weight / closed_at).powi(3)
    };
    let of_eye = |track: &&ScalarTrack| shapes.contains(&track.name);
    let values = |track: &ScalarTrack| {
        let all = (0..frames).map(|frame| raised(frame, track.values.at(frame))).collect();
        Track::from_samples(all).unwrap_or_else(|| track.values.clone())
    };
    let closed: Vec<ScalarTrack> = tracks
        .iter()
        .filter(of_eye)
        .map(|track| ScalarTrack { name: track.name.clone(), values: values(track) })
        .collect();
    let left = [closed_at, raised(frame, closed_at)].map(|weight| eye.left(&open, weight));
    for track in closed {
        if let Some(known) = tracks.iter_mut().find(|known| known.name == track.name) {
            *known = track;
        }
    }
    Some(Lids { shapes: shapes.to_vec(), closed_at, meet_at, left })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::Shape;
    use nalgebra::Rotation3;

    /// Two lids 1 cm apart, turned and scaled; a blink leaves a share of the opening, a squint takes a share.
    fn eye(leaves: f64, squint: f64, scale: f64) -> Mesh {
        let turn = Rotation3::from_euler_angles(0.3, 1.1, -0.4);
        let row = |y: f64| (0..9).map(move |at| Vector3::new(f64::from(at) * 0.004, y, 0.0));
        let rows = row(0.03).chain(row(0.01)).chain(row(0.0)).chain(row(-0.03));
        let shape = |name: &str, from: u32, y: f64| Shape {
            name: name.into(),
            offsets: (from..from + 9).map(|at| (at, turn * Vector3::new(0.0, y, 0.0) * scale)).collect(),
            weight: 0.0,
        };
        Mesh {
            positions: rows.map(|at| turn * at * scale).collect(),
            shapes: vec![shape("Blink", 9, -0.01 * (1.0 - leaves)), shape("Squint", 18, 0.01 * squint)],
            ..Mesh::default()
        }
    }

    fn closed(mesh: Mesh, blink: &[f64], squint: f64, most: f64) -> (Vec<f64>, Option<Lids>) {
        let mut tracks = vec![
            ScalarTrack { name: "Blink".into(), values: Track::from_samples(blink.to_vec()).unwrap() },
            ScalarTrack { name: "Squint".into(), values: Track::Constant(squint) },
        ];
        let eyes = [vec!["Blink".to_owned()]];
        let found = close_lids(&mut tracks, &[mesh], &eyes, blink.len(), most);
        let weights = (0..blink.len()).map(|frame| tracks[0].values.at(frame)).collect();
        (weights, found.into_iter().next())
    }

    const TAKE: [f64; 7] = [0.0, 0.1, 0.4, 0.9, 0.95, 0.5, -0.01];

    #[test]
    fn lids_meet_where_the_source_is_closed_at_any_size() {
        for scale in [1.0, 0.1, 100.0] {
            let (weights, lids) = closed(eye(0.0, 0.3, scale), &TAKE, 0.0, 1.0);
            let lids = lids.unwrap();
            assert!((weights[4] - 1.0).abs() < 1e-9, "{weights:?}");
            assert!((lids.left[0] - 0.05).abs() < 1e-9 && lids.left[1] < 1e-9, "{lids:?}");
            // Open eyes stay as they are, and nothing opens.
            assert!((weights[1] - TAKE[1]).abs() < 1e-4 && weights[0] == 0.0 && weights[6] == -0.01);
            assert!(weights.iter().zip(TAKE).all(|(now, was)| *now >= was));
        }
    }

    #[test]
    fn a_shape_that_leaves_eyes_open_is_overdriven_only_where_that_is_asked_for() {
        let (weights, lids) = closed(eye(0.1, 0.0, 1.0), &TAKE, 0.0, 1.0);
        assert!((weights[4] - 1.0).abs() < 1e-9 && (lids.unwrap().left[1] - 0.1).abs() < 1e-9);
        let (weights, lids) = closed(eye(0.1, 0.0, 1.0), &TAKE, 0.0, 1.25);
        assert!((weights[4] - 1.0 / 0.9).abs() < 1e-9 && lids.unwrap().left[1] < 1e-9);
    }

    #[test]
    fn lids_do_not_cross_where_the_other_one_rises() {
        let (weights, lids) = closed(eye(0.0, 0.3, 1.0), &TAKE, 0.5, 1.25);
        assert_eq!((weights, lids.map(|lids| lids.meet_at < 0.9)), (TAKE.to_vec(), Some(true)));
    }

    #[test]
    fn eyes_that_stay_open_and_faces_without_lids_keep_their_weights() {
        let (weights, lids) = closed(eye(0.0, 0.0, 1.0), &[0.0, 0.7, 0.2], 0.0, 1.0);
        assert_eq!((weights, lids), (vec![0.0, 0.7, 0.2], None));
        let (weights, lids) = closed(Mesh::default(), &TAKE, 0.0, 1.0);
        assert_eq!((weights, lids), (TAKE.to_vec(), None));
    }
}
