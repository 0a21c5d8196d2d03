//! Fits the motion of a robot to goals: frame by frame to begin with, then all frames between their neighbours.
//!
//! Gauss-Newton on costs of single frames, plus the acceleration of every column between them; joint limits hold as
//! bounds of an active set. Based on: J. Nocedal, S. Wright, "Numerical Optimization", 2nd edition, 2006, chapters
//! 10 and 16.

use mocap_model::{Robot, RobotPose};

use crate::cost::{Costs, Goal};
use crate::envelope::Envelope;
use crate::kinematics::{Kinematics, advance, follow_mimics};
use crate::normal::Normal;
use crate::solids::Placed;
use crate::speed_limits::bounds_between;

/// Keeps steps finite where nothing determines a column.
const DAMPING: f64 = 1e-3;
/// The largest step of a joint \[rad\] or of the base [rad, m].
const LONGEST_STEP: f64 = 0.4;

/// A pose whose next step is shorter than this has settled [rad, m].
const SETTLED: f64 = 1e-6;

/// Weight of speeds and accelerations beyond their highest [frames/rad, frames²/rad].
const BEYOND: f64 = 50.0;

/// How the motion between frames counts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Smoothness {
    /// Weight of accelerations of joints [frames²/rad].
    pub(crate) joints: f64,
    /// Weight of accelerations of the base [frames²/m, frames²/rad].
    pub(crate) base: f64,
    /// Largest step of each joint per frame \[rad or m\]; infinite without a limit.
    pub(crate) fastest: Vec<f64>,
    /// Largest acceleration of each joint per frame² \[rad or m\]; infinite without a limit.
    pub(crate) strongest: Vec<f64>,
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
    let mut bounds: Vec<[f64; 2]> = robot.joints().iter().map(of).collect();
    // The range of a joint that mimics another one bounds that one too.
    for (index, joint) in robot.joints().iter().enumerate().rev() {
        if let Some(mimic) = joint.mimic.filter(|mimic| mimic.factor != 0.0) {
            let ends = bounds[index].map(|bound| (bound - mimic.offset) / mimic.factor);
            let [min, max] = bounds[mimic.joint];
            let (low, high) = (min.max(ends[0].min(ends[1])), max.min(ends[0].max(ends[1])));
            if low <= high {
                bounds[mimic.joint] = [low, high];
            }
        }
    }
    bounds
}

/// What a step of one frame needs; kept from frame to frame.
struct Scratch {
    normal: Normal,
    placed: Placed,
    before: Vec<f64>,
    after: Vec<f64>,
}

impl Scratch {
    fn new(kinematics: &Kinematics) -> Scratch {
        let zeros = || vec![0.0; kinematics.columns()];
        Scratch {
            normal: Normal::new(kinematics),
            placed: Placed::default(),
            before: zeros(),
            after: zeros(),
        }
    }

    /// The normal equations of a pose, without damping.
    fn gather(
        &mut self,
        kinematics: &mut Kinematics,
        costs: &Costs,
        (pose, around): (&RobotPose, Option<[&RobotPose; 2]>),
        goal: &Goal,
    ) {
        kinematics.place(pose);
        costs.gather(kinematics, pose, goal, around, (&mut self.normal, &mut self.placed));
    }
}

/// Fits single poses, each from the one before it. Also returns what each missed before its last step.
pub(crate) fn fit_frames(
    kinematics: &mut Kinematics,
    costs: &Costs,
    goals: &[Goal],
    start: RobotPose,
    first_sweeps: usize,
    sweeps: usize,
) -> (Vec<RobotPose>, Vec<f64>) {
    let bounds = bounds(kinematics.robot);
    let mut scratch = Scratch::new(kinematics);
    let mut poses = Vec::with_capacity(goals.len());
    let mut missed = Vec::with_capacity(goals.len());
    let mut pose = start;
    for (frame, goal) in goals.iter().enumerate() {
        let sweeps = if frame == 0 { first_sweeps } else { sweeps };
        scratch.settle(kinematics, costs, &mut pose, goal, (&bounds, sweeps));
        poses.push(pose.clone());
        missed.push(scratch.normal.cost);
    }
    (poses, missed)
}

/// Fits single poses, each from its own start.
pub(crate) fn fit_each(
    kinematics: &mut Kinematics,
    costs: &Costs,
    goals: &[Goal],
    mut poses: Vec<RobotPose>,
    sweeps: usize,
) -> Vec<RobotPose> {
    let bounds = bounds(kinematics.robot);
    let mut scratch = Scratch::new(kinematics);
    for (pose, goal) in poses.iter_mut().zip(goals) {
        scratch.settle(kinematics, costs, pose, goal, (&bounds, sweeps));
    }
    poses
}

/// What each pose misses by itself.
pub(crate) fn costs_of(
    kinematics: &mut Kinematics,
    costs: &Costs,
    goals: &[Goal],
    poses: &[RobotPose],
) -> Vec<f64> {
    let mut scratch = Scratch::new(kinematics);
    let mut cost = |(pose, goal)| {
        scratch.gather(kinematics, costs, (pose, None), goal);
        scratch.normal.cost
    };
    poses.iter().zip(goals).map(&mut cost).collect()
}

/// Sweeps over a motion, alternately forwards and backwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sweeps<'s> {
    pub(crate) count: usize,
    /// The frames that are visited; all without it.
    pub(crate) open: Option<&'s [bool]>,
    /// Largest step of each joint per frame: poses whose steps are within it stay within it.
    pub(crate) highest: Option<&'s [f64]>,
}

/// Sweeps over all frames.
pub(crate) fn whole(count: usize) -> Sweeps<'static> {
    Sweeps { count, open: None, highest: None }
}

/// Fits all frames together: a frame takes one Gauss-Newton step in each sweep, with its neighbours fixed.
pub(crate) fn fit_motion(
    kinematics: &mut Kinematics,
    costs: &Costs,
    goals: &[Goal],
    poses: &mut [RobotPose],
    smoothness: &Smoothness,
    sweeps: Sweeps<'_>,
) {
    let limits = bounds(kinematics.robot);
    let mut bounds = limits.clone();
    let mut scratch = Scratch::new(kinematics);
    let mut damping = vec![Damping::default(); poses.len()];
    for sweep in 0..sweeps.count {
        for at in 0..poses.len() {
            let frame = if sweep % 2 == 0 { at } else { poses.len() - 1 - at };
            if sweeps.open.is_some_and(|open| !open[frame]) {
                continue;
            }
            let around =
                (frame > 0 && frame + 1 < poses.len()).then(|| [&poses[frame - 1], &poses[frame + 1]]);
            scratch.gather(kinematics, costs, (&poses[frame], around), &goals[frame]);
            let damping = damping[frame].after(scratch.normal.cost);
            scratch.normal.system.damp(damping);
            add_accelerations(&mut scratch, poses, frame, smoothness);
            add_speed_limits(&mut scratch.normal.system, poses, frame, smoothness);
            if let Some(steps) = sweeps.highest {
                bounds_between(poses, frame, (&limits, steps), &mut bounds);
            }
            scratch.step(kinematics, &mut poses[frame], &bounds);
            follow_mimics(kinematics.robot, &mut poses[frame].values);
        }
    }
}

/// Takes a step, shortened where it is long, and stays within the bounds. Returns its largest value.
fn step(pose: &mut RobotPose, step: &mut [f64], bounds: &[[f64; 2]]) -> f64 {
    let longest = step.iter().fold(0.0f64, |longest, value| longest.max(value.abs()));
    if longest > LONGEST_STEP {
        step.iter_mut().for_each(|value| *value *= LONGEST_STEP / longest);
    }
    advance(pose, step);
    for (value, [min, max]) in pose.values.iter_mut().zip(bounds) {
        *value = value.clamp(*min, *max);
    }
    longest.min(LONGEST_STEP)
}

impl Envelope {
    fn damp(&mut self, damping: f64) {
        (0..self.right.len()).for_each(|column| self.add(column, column, damping));
    }
}

impl Scratch {
    /// Fits a pose by some steps.
    fn settle(
        &mut self,
        kinematics: &mut Kinematics,
        costs: &Costs,
        pose: &mut RobotPose,
        goal: &Goal,
        (bounds, sweeps): (&[[f64; 2]], usize),
    ) {
        for _ in 0..sweeps {
            self.gather(kinematics, costs, (pose, None), goal);
            self.normal.system.damp(DAMPING);
            if self.step(kinematics, pose, bounds) < SETTLED {
                break;
            }
            follow_mimics(kinematics.robot, &mut pose.values);
        }
    }

    /// Solves, and takes the step; joints at a bound that the costs push outwards stay there. Returns its largest value
    /// [rad, m]; 0 where the system cannot be solved.
    fn step(&mut self, kinematics: &Kinematics, pose: &mut RobotPose, bounds: &[[f64; 2]]) -> f64 {
        let values = &pose.values;
        let at_bounds = |system: &mut Envelope| {
            for (column, (value, [min, max])) in values.iter().zip(bounds).rev().enumerate() {
                let push = system.right[column];
                if (*value >= *max && push > 0.0) || (*value <= *min && push < 0.0) {
                    system.fix(column);
                }
            }
        };
        self.normal.solve(kinematics, at_bounds).map_or(0.0, |taken| step(pose, taken, bounds))
    }
}

/// The difference of two poses, per column.
fn difference(from: &RobotPose, to: &RobotPose, out: &mut [f64]) {
    let (joints, base) = out.split_at_mut(from.values.len());
    let values = from.values.iter().zip(&to.values).rev();
    joints.iter_mut().zip(values).for_each(|(out, (from, to))| *out = to - from);
    let moved = to.base.translation.vector - from.base.translation.vector;
    let turned = (to.base.rotation * from.base.rotation.inverse()).scaled_axis();
    base[..3].copy_from_slice(moved.as_slice());
    base[3..].copy_from_slice(turned.as_slice());
}

/// Pulls a frame to where accelerations of it and its neighbours are small.
fn add_accelerations(scratch: &mut Scratch, poses: &[RobotPose], frame: usize, smoothness: &Smoothness) {
    let Scratch { normal, before, after, .. } = scratch;
    let joints = poses[frame].values.len();
    let first = frame.saturating_sub(1).max(1);
    let last = (frame + 2).min(poses.len().saturating_sub(1));
    for middle in first..last {
        if middle == first {
            difference(&poses[middle - 1], &poses[middle], before);
        } else {
            std::mem::swap(before, after);
        }
        difference(&poses[middle], &poses[middle + 1], after);
        let share = if middle == frame { -2.0 } else { 1.0 };
        for column in 0..before.len() {
            let weight = if column < joints { smoothness.joints } else { smoothness.base };
            let square = weight * weight;
            let bent = after[column] - before[column];
            normal.system.right[column] -= square * share * bent;
            normal.system.add(column, column, square * share * share);
            let strongest =
                joints.checked_sub(column + 1).map_or(f64::INFINITY, |joint| smoothness.strongest[joint]);
            let over = bent.abs() - strongest * 0.97;
            if over > 0.0 {
                normal.system.right[column] -= BEYOND * BEYOND * share * over * bent.signum();
                normal.system.add(column, column, BEYOND * BEYOND * share * share);
            }
        }
    }
}

/// Steps beyond the highest are pulled back.
fn add_speed_limits(system: &mut Envelope, poses: &[RobotPose], frame: usize, smoothness: &Smoothness) {
    let neighbours = [frame.checked_sub(1), Some(frame + 1).filter(|next| *next < poses.len())];
    for neighbour in neighbours.into_iter().flatten() {
        let values = poses[frame].values.iter().zip(&poses[neighbour].values);
        for (column, ((own, other), fastest)) in values.zip(&smoothness.fastest).rev().enumerate() {
            let moved = own - other;
            let over = moved.abs() - fastest * 0.97;
            if over > 0.0 {
                // Both frames give way by half.
                system.right[column] -= BEYOND * BEYOND * 0.5 * over * moved.signum();
                system.add(column, column, BEYOND * BEYOND);
            }
        }
    }
}
