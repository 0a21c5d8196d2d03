//! Fits the motion of a robot to goals: frame by frame to begin with, then over a window of frames at once.
//!
//! Gauss-Newton on costs of single frames, plus the acceleration of every column between them; joint limits hold as
//! bounds of an active set. Based on: J. Nocedal, S. Wright, "Numerical Optimization", 2nd edition, 2006, chapters
//! 10 and 16.

use mocap_model::{Isometry3, Robot};

use crate::band::Band;
use crate::cost::{Costs, Goal, Normal};
use crate::kinematics::{BASE, Kinematics, RobotPose};

/// Frames that are solved at once, and how many of them are looked at again by the next window.
const WINDOW: usize = 256;
const OVERLAP: usize = 48;
/// Keeps steps finite where nothing determines a column.
const DAMPING: f64 = 1e-3;
/// The largest step of a joint \[rad\] or of the base [rad, m].
const LONGEST_STEP: f64 = 0.4;

/// How the motion between frames counts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Smoothness {
    /// Weight of accelerations of joints [frames²/rad].
    pub(crate) joints: f64,
    /// Weight of accelerations of the base [frames²/m, frames²/rad].
    pub(crate) base: f64,
    /// Highest steps of joints per frame \[rad or m\]; infinite without any.
    pub(crate) fastest: Vec<f64>,
}

/// How much a frame is held back: more after a step that raised its cost, less after one that lowered it.
///
/// Based on: D. Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", 1963.
#[derive(Clone, Copy, Debug)]
struct Damping {
    value: f64,
    cost: f64,
}

impl Default for Damping {
    fn default() -> Damping {
        Damping { value: DAMPING, cost: f64::INFINITY }
    }
}

impl Damping {
    /// The damping for the next step from a pose of this cost.
    fn after(&mut self, cost: f64) -> f64 {
        let worse = cost > self.cost * 1.001 + 1e-6;
        self.value = if worse { (self.value * 10.0).max(1.0) } else { (self.value * 0.2).max(DAMPING) };
        self.cost = cost;
        self.value
    }
}

/// Bounds of the values of joints.
pub(crate) fn bounds(robot: &Robot) -> Vec<[f64; 2]> {
    let of = |joint: &mocap_model::RobotJoint| match joint.limit {
        Some(limit) => [limit.min, limit.max],
        None => [f64::NEG_INFINITY, f64::INFINITY],
    };
    robot.joints().iter().map(of).collect()
}

/// Fits single poses, each from the one before it.
pub(crate) fn fit_frames(
    kinematics: &mut Kinematics,
    costs: &Costs,
    goals: &[Goal],
    start: RobotPose,
    first_sweeps: usize,
    sweeps: usize,
) -> Vec<RobotPose> {
    let bounds = bounds(kinematics.robot);
    let columns = kinematics.columns();
    let mut normal = Normal::new(columns);
    let mut poses = Vec::with_capacity(goals.len());
    let mut pose = start;
    for (frame, goal) in goals.iter().enumerate() {
        for _ in 0..if frame == 0 { first_sweeps } else { sweeps } {
            kinematics.place(&pose);
            costs.gather(kinematics, &pose, goal, &mut normal);
            let mut band = Band::new(columns, columns - 1);
            for row in 0..columns {
                for column in 0..=row {
                    band.add(row, column, normal.matrix[row * columns + column]);
                }
                band.add(row, row, DAMPING);
                band.right[row] = normal.right[row];
            }
            fix_at_bounds(&mut band, 0, &pose, &bounds, &normal.right);
            if !band.solve() {
                break;
            }
            step(&mut pose, &mut band.right, &bounds);
        }
        poses.push(pose.clone());
    }
    poses
}

/// Joints at a bound that the costs push outwards stay there.
fn fix_at_bounds(band: &mut Band, first: usize, pose: &RobotPose, bounds: &[[f64; 2]], right: &[f64]) {
    for (joint, (value, [min, max])) in pose.values.iter().zip(bounds).enumerate() {
        let push = right[BASE + joint];
        if (*value >= *max && push > 0.0) || (*value <= *min && push < 0.0) {
            band.fix(first + BASE + joint);
        }
    }
}

/// Takes a step, shortened where it is long, and stays within the bounds.
fn step(pose: &mut RobotPose, step: &mut [f64], bounds: &[[f64; 2]]) {
    let longest = step.iter().fold(0.0f64, |longest, value| longest.max(value.abs()));
    if longest > LONGEST_STEP {
        step.iter_mut().for_each(|value| *value *= LONGEST_STEP / longest);
    }
    pose.advance(step);
    for (value, [min, max]) in pose.values.iter_mut().zip(bounds) {
        *value = value.clamp(*min, *max);
    }
}

/// Fits all frames together, window by window.
pub(crate) fn fit_motion(
    kinematics: &mut Kinematics,
    costs: &Costs,
    goals: &[Goal],
    poses: &mut [RobotPose],
    smoothness: &Smoothness,
    sweeps: usize,
) {
    let mut start = 0;
    loop {
        let end = (start + WINDOW).min(poses.len());
        let mut damping = vec![Damping::default(); end - start];
        for _ in 0..sweeps {
            sweep(kinematics, costs, goals, poses, start..end, smoothness, &mut damping);
        }
        if end == poses.len() {
            break;
        }
        start = end - OVERLAP;
    }
}

/// One Gauss-Newton step of the frames in `range`; those before it stay.
fn sweep(
    kinematics: &mut Kinematics,
    costs: &Costs,
    goals: &[Goal],
    poses: &mut [RobotPose],
    range: std::ops::Range<usize>,
    smoothness: &Smoothness,
    damping: &mut [Damping],
) {
    let bounds = bounds(kinematics.robot);
    let columns = kinematics.columns();
    let count = range.len();
    let mut band = Band::new(count * columns, 2 * columns + columns - 1);
    let mut normal = Normal::new(columns);
    for (index, frame) in range.clone().enumerate() {
        kinematics.place(&poses[frame]);
        costs.gather(kinematics, &poses[frame], &goals[frame], &mut normal);
        let first = index * columns;
        let damping = damping[index].after(normal.cost);
        for row in 0..columns {
            for column in 0..=row {
                band.add(first + row, first + column, normal.matrix[row * columns + column]);
            }
            band.add(first + row, first + row, damping);
            band.right[first + row] += normal.right[row];
        }
    }
    add_accelerations(&mut band, poses, &range, columns, smoothness);
    add_speed_limits(&mut band, poses, &range, columns, smoothness);
    let right = band.right.clone();
    for (index, frame) in range.clone().enumerate() {
        let first = index * columns;
        fix_at_bounds(&mut band, first, &poses[frame], &bounds, &right[first..first + columns]);
    }
    if !band.solve() {
        return;
    }
    for (index, frame) in range.enumerate() {
        step(&mut poses[frame], &mut band.right[index * columns..(index + 1) * columns], &bounds);
    }
}

/// The difference of two poses, per column.
fn difference(from: &RobotPose, to: &RobotPose, out: &mut [f64]) {
    let turn = |a: &Isometry3<f64>, b: &Isometry3<f64>| (b.rotation * a.rotation.inverse()).scaled_axis();
    let moved = to.base.translation.vector - from.base.translation.vector;
    let turned = turn(&from.base, &to.base);
    for axis in 0..3 {
        out[axis] = moved[axis];
        out[3 + axis] = turned[axis];
    }
    for ((out, a), b) in out[BASE..].iter_mut().zip(&from.values).zip(&to.values) {
        *out = b - a;
    }
}

fn add_accelerations(
    band: &mut Band,
    poses: &[RobotPose],
    range: &std::ops::Range<usize>,
    columns: usize,
    smoothness: &Smoothness,
) {
    let (mut before, mut after) = (vec![0.0; columns], vec![0.0; columns]);
    // Triples that reach into the window from before it count too: the frames behind them are fixed.
    let first = range.start.saturating_sub(2).max(1).max(if range.start == 0 { 1 } else { range.start - 1 });
    for middle in first..range.end.saturating_sub(1) {
        difference(&poses[middle - 1], &poses[middle], &mut before);
        difference(&poses[middle], &poses[middle + 1], &mut after);
        let frames = [middle - 1, middle, middle + 1];
        for column in 0..columns {
            let weight = if column < BASE { smoothness.base } else { smoothness.joints };
            let square = weight * weight;
            let miss = -(after[column] - before[column]);
            for (i, a) in frames.into_iter().zip([1.0, -2.0, 1.0]) {
                if i < range.start {
                    continue;
                }
                let row = (i - range.start) * columns + column;
                band.right[row] += square * a * miss;
                for (j, b) in frames.into_iter().zip([1.0, -2.0, 1.0]) {
                    if j >= range.start && j <= i {
                        band.add(row, (j - range.start) * columns + column, square * a * b);
                    }
                }
            }
        }
    }
}

/// Steps beyond the highest are pulled back.
fn add_speed_limits(
    band: &mut Band,
    poses: &[RobotPose],
    range: &std::ops::Range<usize>,
    columns: usize,
    smoothness: &Smoothness,
) {
    const WEIGHT: f64 = 50.0;
    let first = range.start.max(1);
    for frame in first..range.end {
        for (joint, fastest) in smoothness.fastest.iter().enumerate() {
            let moved = poses[frame].values[joint] - poses[frame - 1].values[joint];
            let over = moved.abs() - fastest * 0.97;
            if over <= 0.0 {
                continue;
            }
            let square = WEIGHT * WEIGHT;
            let miss = -over * moved.signum();
            let here = (frame - range.start) * columns + BASE + joint;
            band.right[here] += square * miss;
            band.add(here, here, square);
            if frame > range.start {
                let before = here - columns;
                band.right[before] -= square * miss;
                band.add(before, before, square);
                band.add(here, before, -square);
            }
        }
    }
}
