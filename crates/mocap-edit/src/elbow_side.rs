//! The side to which an elbow points while its hand is brought to goals, solved over frames.
//!
//! A side that is chosen frame by frame changes by up to half a turn between two frames: where the line from shoulder to
//! hand passes the wanted direction of the elbow, and where a goal is opposite of where the hand was. Such sides are
//! replaced by a plan. It stays near the wanted sides, as far as frames determine them (a nearly straight arm does not),
//! and changes slowly.
//!
//! 1. A shortest path through a grid of sides and frames decides which way round the elbow goes.
//! 2. Least squares around that path give the angles, with more smoothing until steps are small enough.
//!
//! Angles are relative to a direction that is carried along from line to line without twist, so a constant angle is the
//! motion in which the upper arm rotates least.
//!
//! Based on: R. Bellman, "Dynamic Programming", 1957.

use std::f64::consts::TAU;

use mocap_model::{UnitQuaternion, Vector3};

/// Number of sides in the grid.
const COUNT: usize = 72;
/// Weights of the plan's speed, as times \[s\], tried in order: the first is that of the grid.
const SPEED_COSTS: [f64; 6] = [0.03, 0.06, 0.12, 0.25, 0.5, 1.0];
/// An elbow further from the line than this determines its side fully, as a share of the arm's length.
const SURE: f64 = 0.1;
/// Least weight of a frame: keeps the equations regular.
const LEAST: f64 = 1e-9;
/// Weight of a frame in which the arm keeps its pose.
const FIXED: f64 = 1e4;

/// An arm in one frame, in the frame of the joint above it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElbowSide {
    /// Unit vector from shoulder to hand.
    pub line: Vector3<f64>,
    /// Wanted direction of the elbow, perpendicular to the line. Its length is the distance of the elbow from the line, as a
    /// share of the arm's length: how well the frame determines the side.
    pub pole: Vector3<f64>,
    /// Whether the arm keeps its pose in this frame.
    pub fixed: bool,
}

impl ElbowSide {
    fn weight(&self) -> f64 {
        let sure = (self.pole.norm() / SURE).min(1.0);
        LEAST + sure * sure * if self.fixed { FIXED } else { 1.0 }
    }
}

/// By frame: a unit vector to the side of the elbow, for consecutive frames. `None` if the wanted
/// sides already change by at most `limit` \[rad / frame\]. If even the strongest smoothing leaves
/// larger steps, they stay.
pub(crate) fn steady_sides(wanted: &[ElbowSide], fps: f64, limit: f64) -> Option<Vec<Vector3<f64>>> {
    let axes = carried_axes(wanted);
    let angle = |(side, [x, y]): (&ElbowSide, &[Vector3<f64>; 2])| side.pole.dot(y).atan2(side.pole.dot(x));
    let mut angles: Vec<f64> = wanted.iter().zip(&axes).map(angle).collect();
    if largest_step(&angles) <= limit {
        return None;
    }
    let weights: Vec<f64> = wanted.iter().map(ElbowSide::weight).collect();
    let path = cheapest_path(&angles, &weights, (SPEED_COSTS[0] * fps).powi(2));
    for (angle, near) in angles.iter_mut().zip(&path) {
        *angle = near + wrapped(*angle - near);
    }
    let mut planned = path;
    for cost in SPEED_COSTS {
        planned = least_squares(&angles, &weights, (cost * fps).powi(2));
        if largest_step(&planned) <= limit {
            break;
        }
    }
    let side = |([x, y], angle): (&[Vector3<f64>; 2], f64)| x * angle.cos() + y * angle.sin();
    Some(axes.iter().zip(planned).map(side).collect())
}

/// Two axes perpendicular to each line, carried along without twist. In the first frame, the first
/// axis points to the wanted side.
fn carried_axes(wanted: &[ElbowSide]) -> Vec<[Vector3<f64>; 2]> {
    let mut axes: Vec<[Vector3<f64>; 2]> = Vec::with_capacity(wanted.len());
    let mut before: Option<(Vector3<f64>, Vector3<f64>)> = None;
    for side in wanted {
        let line = side.line;
        let along = match before {
            Some((from, x)) => UnitQuaternion::rotation_between(&from, &line).map_or(x, |turn| turn * x),
            None => side.pole,
        };
        let across = |x: Vector3<f64>| (x - line * x.dot(&line)).try_normalize(1e-9);
        let any = || line.cross(&Vector3::ith(line.iamin(), 1.0)).normalize();
        let x = across(along).or_else(|| across(side.pole)).unwrap_or_else(any);
        before = Some((line, x));
        axes.push([x, line.cross(&x)]);
    }
    axes
}

/// An angle within half a turn of 0.
fn wrapped(angle: f64) -> f64 {
    angle - (angle / TAU).round() * TAU
}

fn largest_step(angles: &[f64]) -> f64 {
    angles.windows(2).map(|pair| wrapped(pair[1] - pair[0]).abs()).fold(0.0, f64::max)
}

/// The path through the grid with the least cost, as a continuous curve \[rad\].
fn cheapest_path(angles: &[f64], weights: &[f64], speed: f64) -> Vec<f64> {
    let width = TAU / COUNT as f64;
    let cost = |frame: usize, k: usize| weights[frame] * wrapped(k as f64 * width - angles[frame]).powi(2);
    let mut costs: [f64; COUNT] = std::array::from_fn(|k| cost(0, k));
    // By frame and side: the side in the frame before.
    let mut from: Vec<[u8; COUNT]> = vec![[0; COUNT]];
    let steps: [f64; COUNT] = std::array::from_fn(|k| {
        let step = k.min(COUNT - k) as f64 * width;
        speed * step * step
    });
    for frame in 1..angles.len() {
        let best = |k: usize| {
            let through = |before: usize| costs[before] + steps[k.abs_diff(before)];
            let first = (0..COUNT).min_by(|a, b| through(*a).total_cmp(&through(*b))).unwrap_or(0);
            (through(first), first as u8)
        };
        let all: [(f64, u8); COUNT] = std::array::from_fn(best);
        costs = std::array::from_fn(|k| all[k].0 + cost(frame, k));
        from.push(all.map(|(_, before)| before));
    }
    let mut at = (0..COUNT).min_by(|a, b| costs[*a].total_cmp(&costs[*b])).unwrap_or(0);
    let mut path = vec![0.0; angles.len()];
    for (angle, from) in path.iter_mut().zip(&from).rev() {
        *angle = at as f64 * width;
        at = usize::from(from[at]);
    }
    for frame in 1..path.len() {
        path[frame] = path[frame - 1] + wrapped(path[frame] - path[frame - 1]);
    }
    path
}

/// The curve that minimizes the weighted squared distances from `angles` plus `speed` times its squared steps.
fn least_squares(angles: &[f64], weights: &[f64], speed: f64) -> Vec<f64> {
    let last = angles.len() - 1;
    // Tridiagonal equations: elimination forwards, then substitution backwards.
    let (mut above, mut curve) = (vec![0.0; angles.len()], vec![0.0; angles.len()]);
    for frame in 0..=last {
        let sides = usize::from(frame > 0) + usize::from(frame < last);
        let mut own = weights[frame] + speed * sides as f64;
        let mut right = weights[frame] * angles[frame];
        if frame > 0 {
            own -= speed * above[frame - 1];
            right += speed * curve[frame - 1];
        }
        above[frame] = speed / own;
        curve[frame] = right / own;
    }
    for frame in (0..last).rev() {
        curve[frame] += above[frame] * curve[frame + 1];
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An arm whose line points ahead, and whose elbow is at an angle about it.
    fn arm(angle: f64, sure: f64) -> ElbowSide {
        let pole = Vector3::new(angle.cos(), angle.sin(), 0.0) * sure;
        ElbowSide { line: Vector3::z(), pole, fixed: false }
    }

    fn largest(sides: &[Vector3<f64>]) -> f64 {
        sides.windows(2).map(|pair| pair[0].angle(&pair[1])).fold(0.0, f64::max)
    }

    #[test]
    fn a_flip_is_spread_over_frames() {
        let wanted: Vec<ElbowSide> =
            (0..120).map(|frame| arm(if frame < 60 { 0.0 } else { 2.8 }, 0.3)).collect();
        let sides = steady_sides(&wanted, 60.0, 0.1).unwrap();
        assert!(largest(&sides) <= 0.1, "{}", largest(&sides));
        assert!(sides[0].angle(&wanted[0].pole) < 0.1 && sides[119].angle(&wanted[119].pole) < 0.1);
    }

    #[test]
    fn sides_that_no_frame_determines_follow_their_neighbours() {
        // A stretched arm in the middle, whose side is noise.
        let noise = |frame: usize| (frame * 7919 % 628) as f64 / 100.0;
        let is_straight = |frame: usize| (40..60).contains(&frame);
        let wanted: Vec<ElbowSide> = (0..100)
            .map(|frame| if is_straight(frame) { arm(noise(frame), 1e-4) } else { arm(0.3, 0.3) })
            .collect();
        let sides = steady_sides(&wanted, 60.0, 0.05).unwrap();
        assert!(sides.iter().all(|side| side.angle(&wanted[0].pole) < 0.02), "{sides:?}");
    }

    #[test]
    fn a_fixed_frame_keeps_its_side_and_turns_of_the_line_are_no_turns_of_the_elbow() {
        let mut wanted: Vec<ElbowSide> =
            (0..90).map(|frame| arm(if frame < 3 { 2.5 } else { 0.0 }, 0.3)).collect();
        wanted[0].fixed = true;
        let sides = steady_sides(&wanted, 60.0, 0.08).unwrap();
        assert!(sides[0].angle(&wanted[0].pole) < 0.02 && largest(&sides) <= 0.08, "{sides:?}");
        // The line turns by a whole turn about an axis that the pole keeps.
        let turning: Vec<ElbowSide> = (0..100)
            .map(|frame| {
                let angle = f64::from(frame) / 100.0 * TAU;
                ElbowSide {
                    line: Vector3::new(0.0, angle.sin(), angle.cos()),
                    pole: Vector3::x() * 0.2,
                    fixed: false,
                }
            })
            .collect();
        assert!(steady_sides(&turning, 60.0, 1e-6).is_none());
        assert!(steady_sides(&[], 60.0, 0.1).is_none());
    }
}
