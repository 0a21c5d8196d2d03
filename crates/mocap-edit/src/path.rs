//! Paths: bends the path of a motion over the ground, or moves it onto a given curve.
//!
//! The root moves along the new path by arc length and turns with it, so strides keep their length. Sway about the path
//! is kept. Based on: M. Gleicher, "Motion path editing", 2001.

use std::str::FromStr;

use mocap_model::{Clip, Isometry3, Vector3};
use nalgebra::Translation3;

use crate::body::Body;
use crate::held_feet::held;
use crate::root::place_roots;
use crate::smoothing::{gaussian, unwrapped};
use crate::{EditError, EditReport};

/// Smoothing that separates the path from sway \[s\].
const SMOOTH: f64 = 0.4;
/// Below this share of its mean speed, a motion has no direction of travel.
const STANDS: f64 = 0.2;
/// A motion whose hips move less than this fraction of the body size stands still.
const LEAST_WAY: f64 = 0.1;
/// Number of points of a path between two keys.
const DENSE: usize = 32;
/// A path whose length differs from that of the motion by at most this ratio is scaled to it.
const STRETCH: f64 = 0.02;

/// A smooth path over the ground through given points.
///
/// ```
/// let path: mocap_edit::Path = "x,y,z\n0,0,0\n0,0,100\n50,0,200\n".parse()?;
/// assert!(path.length() > 205.0);
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    points: Vec<Vector3<f64>>,
    /// The arc length from the first point to each.
    lengths: Vec<f64>,
}

impl Path {
    /// A path through points \[units of the clip\]; heights are ignored.
    ///
    /// # Errors
    /// [`EditError::Path`] where there are fewer than two points, or two in a row are the same.
    pub fn new(keys: &[Vector3<f64>]) -> Result<Path, EditError> {
        if keys.len() < 2 {
            return Err(EditError::Path { reason: format!("it has {} rows, and needs two", keys.len()) });
        }
        if let Some(at) = keys.windows(2).position(|pair| (pair[1] - pair[0]).norm() <= 0.0) {
            return Err(EditError::Path { reason: format!("points {} and {} are the same", at + 1, at + 2) });
        }
        let last = keys.len() - 1;
        let mut points = vec![keys[0]];
        for at in 0..last {
            let before = if at == 0 { keys[0] * 2.0 - keys[1] } else { keys[at - 1] };
            let after = if at + 1 == last { keys[last] * 2.0 - keys[last - 1] } else { keys[at + 2] };
            let four = [before, keys[at], keys[at + 1], after];
            points.extend((1..=DENSE).map(|step| between(&four, step as f64 / DENSE as f64)));
        }
        Ok(Path::through(points))
    }

    fn through(points: Vec<Vector3<f64>>) -> Path {
        let mut lengths = vec![0.0];
        for pair in points.windows(2) {
            lengths.push(lengths[lengths.len() - 1] + (pair[1] - pair[0]).norm());
        }
        Path { points, lengths }
    }

    /// Its length \[units of the clip\].
    pub fn length(&self) -> f64 {
        self.lengths[self.lengths.len() - 1]
    }

    fn on_ground(&self, body: &Body) -> Path {
        Path::through(self.points.iter().map(|point| body.on_ground(point)).collect())
    }

    /// The point at a length, and the direction there; beyond its end the path is straight.
    fn at(&self, length: f64) -> (Vector3<f64>, Vector3<f64>) {
        let next = self.lengths.partition_point(|other| *other <= length).clamp(1, self.points.len() - 1);
        let (a, b) = (self.points[next - 1], self.points[next]);
        let direction = (b - a) / (b - a).norm().max(f64::MIN_POSITIVE);
        (a + direction * (length - self.lengths[next - 1]), direction)
    }
}

impl FromStr for Path {
    type Err = EditError;

    /// Reads rows `x, y, z`; a first row of words and lines after `#` are left out.
    fn from_str(text: &str) -> Result<Path, EditError> {
        let rows = crate::table::rows::<3>("path", text)?;
        Path::new(&rows.into_iter().map(Vector3::from).collect::<Vec<_>>())
    }
}

/// The centripetal Catmull–Rom curve between the middle two of four points. Based on: C. Yuksel, S. Schaefer,
/// J. Keyser, "Parameterization and applications of Catmull–Rom curves", 2011.
fn between([a, b, c, d]: &[Vector3<f64>; 4], share: f64) -> Vector3<f64> {
    let knot = |from: &Vector3<f64>, to: &Vector3<f64>| (to - from).norm().sqrt().max(1e-12);
    let (t1, t2) = (knot(a, b), knot(a, b) + knot(b, c));
    let t3 = t2 + knot(c, d);
    let t = t1 + share * (t2 - t1);
    let mix = |p: &Vector3<f64>, q: &Vector3<f64>, from: f64, to: f64| {
        p * ((to - t) / (to - from)) + q * ((t - from) / (to - from))
    };
    let (ab, bc, cd) = (mix(a, b, 0.0, t1), mix(b, c, t1, t2), mix(c, d, t2, t3));
    let (left, right) = (mix(&ab, &bc, 0.0, t2), mix(&bc, &cd, t1, t3));
    mix(&left, &right, t1, t2)
}

/// The path of a motion over the ground without sway, and its arc length up to each frame.
struct GroundPath {
    places: Vec<Vector3<f64>>,
    lengths: Vec<f64>,
    fps: f64,
}

impl GroundPath {
    fn of(clip: &Clip, body: &Body, edit: &'static str) -> Result<GroundPath, EditError> {
        let fps = clip.rate().fps();
        let hips: Vec<Vector3<f64>> =
            mocap_analysis::trajectory(clip, body.hips).iter().map(|place| body.on_ground(place)).collect();
        let Path { points, lengths } = Path::through(gaussian(&hips, SMOOTH * fps));
        let way = GroundPath { places: points, lengths, fps };
        let (moved, needed) = (way.length(), LEAST_WAY * mocap_analysis::tree_diameter(clip.skeleton()));
        if moved < needed {
            return Err(EditError::Still { edit, moved, needed, metres: body.metres });
        }
        Ok(way)
    }

    fn length(&self) -> f64 {
        self.lengths[self.lengths.len() - 1]
    }

    /// The direction of travel in each frame; while the motion stands still, the last one before, or the first.
    fn headings(&self, body: &Body) -> Vec<f64> {
        let last = self.places.len() - 1;
        let mean = self.length() / last.max(1) as f64;
        let mut found: Vec<Option<f64>> = (0..=last)
            .map(|frame| {
                let (from, to) = (frame.saturating_sub(1), (frame + 1).min(last));
                let step = (self.places[to] - self.places[from]) / (to - from).max(1) as f64;
                body.heading_of(&step).filter(|_| step.norm() > STANDS * mean)
            })
            .collect();
        let mut known = found.iter().flatten().next().copied().unwrap_or(0.0);
        for heading in &mut found {
            known = heading.unwrap_or(known);
            *heading = Some(known);
        }
        let mut headings: Vec<f64> = found.into_iter().flatten().collect();
        unwrapped(&mut headings);
        headings
    }
}

/// Bends the path of a motion: from start to end it turns by an angle \[rad\] more than before, to the left.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// // A body that does not travel has no path.
/// assert_eq!(mocap_edit::turn(&clip, 1.0).unwrap_err().code(), "edit::still");
/// ```
///
/// # Errors
/// [`EditError::Still`] where the motion does not travel, [`EditError::Option`] where the angle is not finite.
pub fn turn(clip: &Clip, angle: f64) -> Result<(Clip, EditReport), EditError> {
    if !angle.is_finite() {
        let (name, expected) = ("the angle", "finite");
        return Err(EditError::Option { edit: "turn", name, value: angle, expected });
    }
    let body = Body::of(clip);
    let way = GroundPath::of(clip, &body, "turn")?;
    let turned = |frame: usize| angle * way.lengths[frame] / way.length();
    let mut place = way.places[0];
    let placements: Vec<Isometry3<f64>> = (0..way.places.len())
        .map(|frame| {
            if frame > 0 {
                let step = way.places[frame] - way.places[frame - 1];
                place += body.turn(0.5 * (turned(frame - 1) + turned(frame))) * step;
            }
            placed(&place, &body, turned(frame), &way.places[frame])
        })
        .collect();
    let moved = place_roots(clip, "turn", |frame| placements[frame])?;
    // Turning the body would rotate planted feet: correct them.
    let (moved, held) = held(clip, moved, "turn")?;
    let report = report("turn", clip, &moved, &body, held).figure("turned", angle.to_degrees(), "deg");
    Ok((moved, report))
}

/// Lays a motion along a path: it travels as far along the path as along its own, and turns as the
/// path does. A path whose length differs by at most 2 % is travelled from end to end.
///
/// # Errors
/// [`EditError::Still`] where the motion does not travel, [`EditError::Path`] where the path has no
/// length along the ground.
pub fn along(clip: &Clip, path: &Path) -> Result<(Clip, EditReport), EditError> {
    let body = Body::of(clip);
    let way = GroundPath::of(clip, &body, "along")?;
    let path = path.on_ground(&body);
    if path.length() <= 0.0 {
        return Err(EditError::Path { reason: "it has no length along the ground".into() });
    }
    let stretch = Some(path.length() / way.length()).filter(|ratio| (ratio - 1.0).abs() <= STRETCH);
    let scale = stretch.unwrap_or(1.0);
    let on_path: Vec<(Vector3<f64>, Vector3<f64>)> =
        way.lengths.iter().map(|length| path.at(length * scale)).collect();
    let mut turns: Vec<f64> = way
        .headings(&body)
        .iter()
        .zip(&on_path)
        .map(|(own, (_, direction))| body.heading_of(direction).unwrap_or(0.0) - own)
        .collect();
    unwrapped(&mut turns);
    // Smooths the turn, so that angular accelerations do not grow.
    let turns = gaussian(&turns, 0.5 * SMOOTH * way.fps);
    let moved = place_roots(clip, "along", |frame| {
        placed(&on_path[frame].0, &body, turns[frame], &way.places[frame])
    })?;
    let (moved, held) = held(clip, moved, "along")?;
    let metres = |length: f64| body.metres.map(|metres| length * metres);
    let mut report = report("along", clip, &moved, &body, held)
        .figure("path", metres(path.length()), "m")
        .figure("way", metres(way.length()), "m");
    let (path_length, way_length) = (path.length(), way.length());
    let unit = body.metres_or_one();
    if stretch.is_none() && way_length > path_length {
        report.warn(
            "edit::path-end",
            format!(
                "the motion travels {:.2} m, the path is {:.2} m long: after its end the motion goes straight",
                way_length * unit,
                path_length * unit
            ),
        );
    } else if stretch.is_none() {
        let note =
            format!("the motion ends {:.2} m before the end of the path", (path_length - way_length) * unit);
        report = report.note(note);
    }
    Ok((moved, report))
}

/// The transform that takes a place on the ground to another and turns the body there.
fn placed(to: &Vector3<f64>, body: &Body, turn: f64, from: &Vector3<f64>) -> Isometry3<f64> {
    let turn = body.turn(turn);
    Isometry3::from_parts(Translation3::from(to - turn * from), turn)
}

fn report(edit: &'static str, clip: &Clip, moved: &Clip, body: &Body, held: Option<usize>) -> EditReport {
    let mut report = EditReport::measured(edit, clip, moved)
        .figure("stride-change", stride_change(body, clip, moved), "")
        .feet_held(held);
    report.warn_of_skate();
    report
}

/// The relative change of the mean stride length, without its sign; a stride is from one stance of a foot to its next.
/// On a bend, strides of the outer foot grow and those of the inner one shrink.
fn stride_change(body: &Body, before: &Clip, after: &Clip) -> Option<f64> {
    let contacts = body.contacts(before)?;
    let moved = mocap_analysis::FootMotion::of(after, &body.feet);
    let (mut old, mut new) = (0.0, 0.0);
    for ((motion, contacts), moved) in contacts.iter().zip(&moved) {
        let middles: Vec<usize> =
            mocap_analysis::runs(&contacts.toe).iter().map(|run| (run.start + run.end) / 2).collect();
        for pair in middles.windows(2) {
            let length = |toe: &[Vector3<f64>]| body.on_ground(&(toe[pair[1]] - toe[pair[0]])).norm();
            old += length(&motion.toe);
            new += length(&moved.toe);
        }
    }
    (old > 0.0).then(|| (new / old - 1.0).abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;

    fn heading_change(clip: &Clip) -> f64 {
        let headings = crate::root::headings(clip, &Body::of(clip));
        headings[headings.len() - 1] - headings[0]
    }

    #[test]
    fn a_walk_turns_by_a_right_angle_and_keeps_its_strides() {
        let walk = clip("alex_walk.bvh");
        let (turned, report) = turn(&walk, std::f64::consts::FRAC_PI_2).unwrap();
        let change = heading_change(&turned) - heading_change(&walk);
        assert!((change.to_degrees() - 90.0).abs() < 1e-6, "{}", change.to_degrees());
        let stride = report.figures.iter().find(|figure| figure.name == "stride-change").unwrap();
        assert!(stride.value.unwrap() < 0.02, "{report}");
        let (same, _) = turn(&walk, 0.0).unwrap();
        let hips = |clip: &Clip| mocap_analysis::trajectory(clip, Body::of(clip).hips);
        assert!(hips(&walk).iter().zip(hips(&same)).all(|(a, b)| (a - b).norm() < 1e-9));
    }

    #[test]
    fn a_motion_follows_a_path_by_its_own_way() {
        let walk = clip("alex_walk.bvh");
        let body = Body::of(&walk);
        let way = GroundPath::of(&walk, &body, "along").unwrap();
        // Far away, along +X, and longer than the motion.
        let start = Vector3::new(500.0, 0.0, 300.0);
        let path = Path::new(&[start, start + Vector3::x() * 3.0 * way.length()]).unwrap();
        let (moved, report) = along(&walk, &path).unwrap();
        let found = GroundPath::of(&moved, &body, "along").unwrap();
        assert!((found.places[0] - start).norm() < 0.02 * way.length());
        assert!((found.length() / way.length() - 1.0).abs() < 0.02, "{report}");
        let end = found.places[found.places.len() - 1] - start;
        assert!(end.x > 0.95 * way.length() && end.z.abs() < 0.02 * way.length());
        let short = Path::new(&[start, start + Vector3::x() * 0.2 * way.length()]).unwrap();
        let warnings = along(&walk, &short).unwrap().1.warnings;
        assert!(warnings.iter().any(|warning| warning.code == "edit::path-end"));
    }

    #[test]
    fn what_is_no_path_is_refused() {
        assert!(matches!("0,0,0".parse::<Path>(), Err(EditError::Path { .. })));
        assert!(matches!("0,0,0\n0,0,0".parse::<Path>(), Err(EditError::Path { .. })));
        assert!(matches!("0,0\n1,0".parse::<Path>(), Err(EditError::Table { line: 1, .. })));
        let up = Path::new(&[Vector3::zeros(), Vector3::y()]).unwrap();
        assert!(matches!(along(&clip("alex_walk.bvh"), &up), Err(EditError::Path { .. })));
    }
}
