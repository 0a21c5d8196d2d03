//! Where the centre of mass should go for a motion to stand: over the soles, and what flies falls freely.
//!
//! The way that the centre of mass moves aside is small and smooth. It takes the ground point of the centre with it, and
//! changes the zero-moment point as that of an inverted pendulum (S. Kajita et al., "Biped walking pattern generation by using preview control of zero-moment
//! point", 2003). The convex problem over all frames is solved by the alternating direction method of multipliers
//! (S. Boyd et al., 2011): a banded system, and the nearest point of each frame's soles, by turns.

use std::ops::Range;

use mocap_model::Vector3;
use nalgebra::Vector2;

use crate::{BalanceCurves, GRAVITY, Polygon};

/// Rounds of the method.
const ROUNDS: usize = 80;
/// Weight of a metre per second squared aside, against a metre \[s²\].
const SMOOTH: f64 = 0.02;
/// Weight of the soles, against a metre aside.
const HOLD: f64 = 0.5;
/// Weight of free fall in flight [s²], against a metre.
const FALL: f64 = 2.0;

/// What has to be over the soles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverSoles {
    /// The ground point of the centre of mass: of what stands still.
    Centre,
    /// The zero-moment point: of what moves.
    ZeroMoment,
}

/// What carries a motion: by frame the soles that something has to be over, and the frames that fly. Frames with neither
/// are carried by something else, as those who swim or hang, or are out of balance on purpose, as those who walk.
#[derive(Clone, Debug, PartialEq)]
pub struct Support {
    /// By frame; empty where nothing has to be over them.
    pub soles: Vec<Polygon>,
    /// What has to be over them.
    pub over: OverSoles,
    /// How far inside their edge it has to be \[m\]; over their middle where they are narrower.
    pub inside: f64,
    /// Frames in flight.
    pub flights: Vec<Range<usize>>,
}

/// Ways aside of the centre of mass on the floor, one a frame \[m\].
pub fn centre_aside(curves: &BalanceCurves, support: &Support, fps: f64) -> Vec<Vector2<f64>> {
    let Support { soles, over, inside, flights } = support;
    let frames = soles.len();
    let mut falls = vec![false; frames];
    flights.iter().for_each(|flight| falls[flight.clone()].fill(true));
    let rate = fps * fps;
    let inner: Vec<Polygon> = soles.iter().map(|sole| sole.shrunk(*inside)).collect();
    let point: Vec<Option<Vector2<f64>>> = (0..frames)
        .map(|frame| match over {
            _ if soles[frame].is_empty() => None,
            OverSoles::Centre => Some(curves.centre[frame].xy()),
            OverSoles::ZeroMoment => curves.zero_moment[frame],
        })
        .collect();
    // How that point answers to ways aside in a frame and its neighbours.
    let answer: Vec<[f64; 3]> = (0..frames)
        .map(|frame| {
            let height = curves.centre[frame].z.max(0.05);
            let k = match over {
                OverSoles::Centre => 0.0,
                OverSoles::ZeroMoment => height / (GRAVITY + curves.acceleration[frame].z).max(2.0) * rate,
            };
            [-k, 1.0 + 2.0 * k, -k]
        })
        .collect();
    let mut system = Bands::new(frames);
    for frame in 0..frames {
        system.add(frame, [0.0, 1.0, 0.0], 1.0);
        system.add(frame, [1.0, -2.0, 1.0], SMOOTH * SMOOTH * rate * rate);
        if point[frame].is_some() {
            system.add(frame, answer[frame], HOLD);
        } else if falls[frame] {
            system.add(frame, [1.0, -2.0, 1.0], FALL * FALL * rate * rate);
        }
    }
    system.factor();
    let mut aside = vec![Vector2::zeros(); frames];
    let nearest = |frame: usize| point[frame].map_or_else(Vector2::zeros, |at| inner[frame].nearest(&at));
    let mut goals: Vec<Vector2<f64>> = (0..frames).map(nearest).collect();
    let mut prices = vec![Vector2::<f64>::zeros(); frames];
    for _ in 0..ROUNDS {
        let mut right = vec![Vector2::zeros(); frames];
        for frame in 0..frames {
            if let Some(at) = point[frame] {
                let wanted = (goals[frame] - at - prices[frame]) * HOLD;
                add_row(&mut right, frame, answer[frame], &wanted);
            } else if falls[frame] {
                let fall = -curves.acceleration[frame].xy() / rate * (FALL * FALL * rate * rate);
                add_row(&mut right, frame, [1.0, -2.0, 1.0], &fall);
            }
        }
        system.solve(&mut right);
        aside = right;
        for frame in 0..frames {
            let Some(at) = point[frame] else { continue };
            let moved = at + apply(&aside, frame, answer[frame]);
            goals[frame] = inner[frame].nearest(&(moved + prices[frame]));
            prices[frame] += moved - goals[frame];
        }
    }
    aside
}

/// How much higher the centre of mass goes, one a frame \[m\]: in flight it falls freely from where it left the floor
/// to where it comes down; the rest is spread over take-off and landing.
pub fn centre_higher(centre: &[Vector3<f64>], flights: &[Range<usize>], fps: f64) -> Vec<f64> {
    let mut higher = vec![0.0; centre.len()];
    for flight in flights {
        let (first, last) = (flight.start.saturating_sub(1), flight.end.min(centre.len() - 1));
        // A clip of one frame has no way to fall.
        if last <= first {
            continue;
        }
        let length = (last - first) as f64;
        for frame in first..=last {
            let at = (frame - first) as f64;
            let line = centre[first].z + (centre[last].z - centre[first].z) * at / length;
            let fallen = 0.5 * GRAVITY * at * (length - at) / (fps * fps);
            higher[frame] = line + fallen - centre[frame].z;
        }
    }
    higher
}

/// The second difference, or another row of three, at a frame; the ends stay as they are beyond them.
fn apply(values: &[Vector2<f64>], frame: usize, row: [f64; 3]) -> Vector2<f64> {
    columns(frame, values.len()).into_iter().zip(row).map(|(column, weight)| values[column] * weight).sum()
}

fn add_row(right: &mut [Vector2<f64>], frame: usize, row: [f64; 3], value: &Vector2<f64>) {
    for (column, weight) in columns(frame, right.len()).into_iter().zip(row) {
        right[column] += value * weight;
    }
}

fn columns(frame: usize, frames: usize) -> [usize; 3] {
    [frame.saturating_sub(1), frame, (frame + 1).min(frames - 1)]
}

/// A symmetric matrix with two bands beside its diagonal: sums of squares of rows of three.
struct Bands {
    /// By row: the diagonal, and the entries to its left, the nearer first.
    rows: Vec<[f64; 3]>,
}

impl Bands {
    fn new(size: usize) -> Bands {
        Bands { rows: vec![[0.0; 3]; size] }
    }

    fn add(&mut self, frame: usize, row: [f64; 3], weight: f64) {
        let columns = columns(frame, self.rows.len());
        for (a, first) in columns.into_iter().zip(row) {
            for (b, second) in columns.into_iter().zip(row) {
                if b <= a {
                    self.rows[a][a - b] += weight * first * second;
                }
            }
        }
    }

    /// Into a lower triangle, in place.
    fn factor(&mut self) {
        for row in 0..self.rows.len() {
            let far = if row > 1 { self.rows[row][2] / self.rows[row - 2][0] } else { 0.0 };
            let across = if row > 1 { far * self.rows[row - 1][1] } else { 0.0 };
            let near = if row > 0 { (self.rows[row][1] - across) / self.rows[row - 1][0] } else { 0.0 };
            let diagonal = (self.rows[row][0] - near * near - far * far).max(f64::MIN_POSITIVE).sqrt();
            self.rows[row] = [diagonal, near, far];
        }
    }

    fn solve(&self, right: &mut [Vector2<f64>]) {
        for row in 0..right.len() {
            let [diagonal, near, far] = self.rows[row];
            let mut value = right[row];
            if row > 0 {
                value -= right[row - 1] * near;
            }
            if row > 1 {
                value -= right[row - 2] * far;
            }
            right[row] = value / diagonal;
        }
        for row in (0..right.len()).rev() {
            let mut value = right[row];
            if let Some(next) = self.rows.get(row + 1) {
                value -= right[row + 1] * next[1];
            }
            if let Some(next) = self.rows.get(row + 2) {
                value -= right[row + 2] * next[2];
            }
            right[row] = value / self.rows[row][0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Segment;
    use mocap_model::Isometry3;
    use nalgebra::Matrix3;

    /// A mass that swings to a side above a sole, with its curves.
    fn swaying(path: impl Fn(f64) -> Vector2<f64>) -> BalanceCurves {
        let at = |frame: i32| path(f64::from(frame) / 30.0);
        let placed: Vec<_> =
            (0..90).map(|frame| vec![Isometry3::translation(at(frame).x, at(frame).y, 0.8)]).collect();
        BalanceCurves::of(&[Segment { mass: 30.0, inertia: Matrix3::zeros() }], &placed, 30.0)
    }

    fn sole() -> Polygon {
        Polygon::around(&[[-0.1, -0.05], [0.1, -0.05], [0.1, 0.05], [-0.1, 0.05]].map(Vector2::from))
    }

    /// Ninety frames on one sole.
    fn standing() -> Support {
        Support { soles: vec![sole(); 90], over: OverSoles::ZeroMoment, inside: 0.02, flights: Vec::new() }
    }

    fn outside(curves: &BalanceCurves, aside: &[Vector2<f64>]) -> f64 {
        let moved = |frame: usize| {
            let k = curves.centre[frame].z / GRAVITY * 900.0;
            curves.zero_moment[frame].expect("it stands") + apply(aside, frame, [-k, 1.0 + 2.0 * k, -k])
        };
        (2..88).map(|frame| -sole().margin(&moved(frame))).fold(0.0, f64::max)
    }

    #[test]
    fn a_centre_that_sways_too_far_is_drawn_over_the_sole() {
        let curves = swaying(|time| Vector2::new(0.02 * (6.0 * time).sin(), 0.09 * (3.0 * time).sin()));
        let none = vec![Vector2::zeros(); 90];
        assert!(outside(&curves, &none) > 0.1);
        let found = centre_aside(&curves, &standing(), 30.0);
        assert!(outside(&curves, &found) < 0.01, "{}", outside(&curves, &found));
        assert!(found.iter().all(|way| way.norm() < 0.12));
    }

    #[test]
    fn a_centre_beside_the_sole_is_brought_over_it() {
        let curves = swaying(|_| Vector2::new(0.0, 0.09));
        let soles = (0..90).map(|frame| if frame < 60 { sole() } else { Polygon::default() });
        let support =
            Support { soles: soles.collect(), over: OverSoles::Centre, inside: 0.02, flights: Vec::new() };
        let found = centre_aside(&curves, &support, 30.0);
        // The sole ends at 5 cm, and 2 cm inside it are asked for.
        assert!((found[30] - Vector2::new(0.0, -0.06)).norm() < 1e-3, "{}", found[30]);
        assert!(found[89].norm() < 1e-3, "{}", found[89]);
    }

    #[test]
    fn what_stands_stays() {
        let curves = swaying(|time| Vector2::new(0.01 * time.sin(), 0.0));
        let found = centre_aside(&curves, &standing(), 30.0);
        assert!(found.iter().all(|way| way.norm() < 1e-3));
    }

    #[test]
    fn what_neither_stands_nor_flies_stays() {
        let curves = swaying(|time| Vector2::new(0.02 * (6.0 * time).sin(), 0.09 * (3.0 * time).sin()));
        let support = Support { soles: vec![Polygon::default(); 90], ..standing() };
        assert!(centre_aside(&curves, &support, 30.0).iter().all(|way| way.norm() < 1e-12));
    }

    #[test]
    fn a_flight_of_one_frame_in_all_has_no_height() {
        assert_eq!(centre_higher(&[Vector3::new(0.0, 0.0, 0.8)], std::slice::from_ref(&(0..1)), 30.0), [0.0]);
    }

    #[test]
    fn a_jump_falls_freely() {
        let centre: Vec<Vector3<f64>> = (0..40).map(|_| Vector3::new(0.0, 0.0, 0.8)).collect();
        let flight = 10..22;
        let up = centre_higher(&centre, std::slice::from_ref(&flight), 30.0);
        let z = |frame: usize| centre[frame].z + up[frame];
        for frame in flight {
            let bend = (z(frame + 1) - 2.0 * z(frame) + z(frame - 1)) * 900.0;
            assert!((bend + GRAVITY).abs() < 1e-9, "{frame}: {bend}");
        }
        assert_eq!((up[8], up[30]), (0.0, 0.0));
    }
}
