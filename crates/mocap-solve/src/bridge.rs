//! Bridges frames in which markers of a joint are missing or wrong: the joint is held to the poses before and
//! after, as firmly as the take shows that it moves evenly between two poses.

use mocap_model::{UnitQuaternion, Vector3, exp, log, slerp};
use nalgebra::Matrix3;

use crate::body::State;
use crate::fit::{FINE, SCALE};
use crate::frame::{FrameOptions, FrameSolver, HeldPose, Needed, Observed, column};
use crate::subject::Subject;
use crate::take::Take;

/// Number of distances in frames for which the evenness of a joint's motion is measured: powers of two.
const OCTAVES: usize = 7;
/// Greatest number of samples for a distance.
const SAMPLES: usize = 400;
/// Least number of samples for a distance.
const FEWEST: usize = 12;
/// Quantile that is used as a standard deviation: few samples are far off, and those matter.
const MOST: f64 = 0.9;
/// The least standard deviation [rad].
const LEAST: f64 = 0.01;
/// A joint may lag or lead by this share of the rotation between two poses: a joint that accelerates evenly
/// from rest has made a quarter of its rotation after half of the time. For a curve through four poses, it is
/// the same share of the distance from the linear interpolation.
const UNEVEN: f64 = 0.25;
/// The robust loss levels off at this many standard deviations of a marker: the most that one marker adds to
/// the cost of a pose when the pose that the markers show is compared with the interpolated one.
const GHOST: f64 = 5.5;
/// Used if the take shows too little: accelerations [rad/s²] and speeds [rad/s] of joints in brisk motion.
const USUAL: (f64, f64) = (40.0, 3.0);
/// Deviation of curves if the take shows too little [rad]: so large that interpolation is linear.
const NOT_SHOWN: f64 = 1e3;

/// Deviation of a joint from its interpolation, by distance in octaves of frames [rad].
struct InterpolationError {
    /// Interpolated linearly between two poses, by the geometric mean of the distances to both.
    between: [f64; OCTAVES],
    /// The same on the curve through two more poses outside of them.
    curved: [f64; OCTAVES],
    /// Extrapolated from one pose.
    beside: [f64; OCTAVES],
}

impl InterpolationError {
    fn of(joint: usize, states: &[State], doubted: &[Vec<bool>], rate: f64) -> InterpolationError {
        let sure = |frame: usize| (!doubted[frame][joint]).then(|| states[frame].turns[joint]);
        let none = [0.0; OCTAVES];
        let mut found = InterpolationError { between: none, curved: none, beside: none };
        for octave in 0..OCTAVES {
            let step = 1usize << octave;
            let seconds = step as f64 / rate;
            let (mut between, mut curved, mut beside) = (Vec::new(), Vec::new(), Vec::new());
            for frame in (step..states.len()).step_by(states.len().div_ceil(SAMPLES).max(1)) {
                let (Some(a), Some(b)) = (sure(frame - step), sure(frame)) else { continue };
                beside.push(a.angle_to(&b));
                if let Some(c) = states.get(frame + step).and_then(|_| sure(frame + step)) {
                    between.push(slerp(&a, &c, 0.5).angle_to(&b));
                    let ends = (frame - step, frame + step);
                    let curve =
                        Curve::of(ends, frame, |frame| frame < states.len() && !doubted[frame][joint]);
                    curved.extend(curve.map(|curve| curve.turn(states, joint).angle_to(&b)));
                }
            }
            found.between[octave] = nine_of_ten(between).unwrap_or(USUAL.0 / 2.0 * seconds * seconds);
            found.curved[octave] = nine_of_ten(curved).unwrap_or(NOT_SHOWN);
            found.beside[octave] = nine_of_ten(beside).unwrap_or(USUAL.1 * seconds);
        }
        found
    }

    /// The standard deviation at a distance in frames [rad].
    fn at(table: &[f64; OCTAVES], distance: f64) -> f64 {
        let octave = distance.max(1.0).log2().min((OCTAVES - 1) as f64);
        let below = octave.floor() as usize;
        let above = (below + 1).min(OCTAVES - 1);
        let share = octave - below as f64;
        (table[below] * (1.0 - share) + table[above] * share).max(LEAST)
    }
}

/// A frame on the cubic through four others: two around it, and two outside of these.
struct Curve {
    frames: [usize; 4],
    /// By frame.
    shares: [f64; 4],
}

impl Curve {
    /// The curve by the two frames around `frame` and two outer ones. The outer ones are half as far away as
    /// these two from each other, or as far as there are frames that are `sure`.
    fn of((from, to): (usize, usize), frame: usize, sure: impl Fn(usize) -> bool) -> Option<Curve> {
        let most = (to - from).div_ceil(2);
        let before = (1..=most.min(from)).rev().map(|away| from - away).find(|frame| sure(*frame))?;
        let after = (1..=most).rev().map(|away| to + away).find(|frame| sure(*frame))?;
        let frames = [before, from, to, after];
        // Lagrange polynomials: one at their own frame, zero at the others.
        let shares = frames.map(|own| {
            let others = frames.iter().filter(|other| **other != own);
            let shares = others.map(|other| {
                let [own, other, at] = [own, *other, frame].map(|frame| frame as f64);
                (at - other) / (own - other)
            });
            shares.product::<f64>()
        });
        Some(Curve { frames, shares })
    }

    fn turn(&self, states: &[State], joint: usize) -> UnitQuaternion<f64> {
        let turns = self.frames.map(|frame| states[frame].turns[joint]);
        let middle = turns[1];
        let away = turns.map(|turn| log(&(middle.inverse() * turn)));
        middle * exp(&away.iter().zip(&self.shares).map(|(away, share)| away * *share).sum::<Vector3<f64>>())
    }

    fn angle(&self, states: &[State], joint: usize, axis: usize) -> f64 {
        let angles = self.frames.map(|frame| states[frame].angles[joint][axis]);
        angles.iter().zip(&self.shares).map(|(angle, share)| angle * share).sum()
    }
}

fn nine_of_ten(mut values: Vec<f64>) -> Option<f64> {
    if values.len() < FEWEST {
        return None;
    }
    values.sort_by(f64::total_cmp);
    Some(values[(values.len() as f64 * MOST) as usize])
}

/// Writes to `held` the rotation of a joint interpolated from the frames `from` and `to`, where it is known.
/// Returns its uncertainty [rad].
fn hold(
    states: &[State],
    (joint, frame): (usize, usize),
    (from, to): (usize, usize),
    evenness: &InterpolationError,
    sure: impl Fn(usize) -> bool,
    held: &mut State,
) -> f64 {
    let away = [frame.abs_diff(from) as f64, frame.abs_diff(to) as f64];
    if to <= from {
        held.turns[joint] = states[from].turns[joint];
        held.angles[joint] = states[from].angles[joint];
        return InterpolationError::at(&evenness.beside, away[0]);
    }
    let share = away[0] / (away[0] + away[1]);
    let distance = (away[0] * away[1]).sqrt();
    let [a, b] = [from, to].map(|end| states[end].turns[joint]);
    let straight = slerp(&a, &b, share);
    let sigma = InterpolationError::at(&evenness.between, distance).max(UNEVEN * a.angle_to(&b));
    if let Some(curve) = Curve::of((from, to), frame, sure) {
        let turn = curve.turn(states, joint);
        let curved =
            InterpolationError::at(&evenness.curved, distance).max(UNEVEN * straight.angle_to(&turn));
        if curved < sigma {
            held.turns[joint] = turn;
            (0..2).for_each(|axis| held.angles[joint][axis] = curve.angle(states, joint, axis));
            return curved;
        }
    }
    held.turns[joint] = straight;
    for axis in 0..2 {
        let (from, to) = (states[from].angles[joint][axis], states[to].angles[joint][axis]);
        held.angles[joint][axis] = from + (to - from) * share;
    }
    sigma
}

/// Solves frames again, with joints that are `doubted` (by frame and joint) held to the poses before and after.
/// Returns by frame the joint with the greatest uncertainty, and that uncertainty [m]; `None` if no joint is
/// doubted.
pub(crate) fn bridge(
    subject: &Subject,
    take: &Take,
    used: &[bool],
    (states, doubted): (&mut [State], &[Vec<bool>]),
    rate: f64,
) -> Vec<Option<(usize, f64)>> {
    let body = &subject.body;
    let joints = body.joints.len();
    let mut solver = FrameSolver::new(body);
    let evenness: Vec<InterpolationError> =
        (0..joints).map(|joint| InterpolationError::of(joint, states, doubted, rate)).collect();
    // By joint: the previous and the next frame in which it is known.
    let mut before: Vec<Vec<Option<usize>>> = Vec::with_capacity(states.len());
    let mut last = vec![None; joints];
    for (frame, doubted) in doubted.iter().enumerate() {
        (0..joints).filter(|joint| !doubted[*joint]).for_each(|joint| last[joint] = Some(frame));
        before.push(last.clone());
    }
    let mut next = vec![None; joints];
    let mut held_of: Vec<Option<(State, Vec<f64>)>> = vec![None; states.len()];
    for frame in (0..states.len()).rev() {
        (0..joints).filter(|joint| !doubted[frame][*joint]).for_each(|joint| next[joint] = Some(frame));
        if !doubted[frame].iter().any(|doubted| *doubted) {
            continue;
        }
        let (mut held, mut stiffness) = (states[frame].clone(), vec![0.0; joints]);
        for joint in (0..joints).filter(|joint| doubted[frame][*joint]) {
            let (from, to) = match (before[frame][joint], next[joint]) {
                (Some(a), Some(b)) => (a, b),
                (Some(end), None) | (None, Some(end)) => (end, end),
                (None, None) => continue,
            };
            let sure = |frame: usize| frame < states.len() && !doubted[frame][joint];
            stiffness[joint] =
                hold(states, (joint, frame), (from, to), &evenness[joint], sure, &mut held).powi(-2);
        }
        held_of[frame] = Some((held, stiffness));
    }
    let most = subject.attached.iter().map(|attached| attached.weight).fold(0.0, f64::max);
    let ghost = GHOST / most.sqrt();
    let mut off = vec![None; states.len()];
    for (frame, held) in held_of.iter().enumerate() {
        let Some((held, stiffness)) = held else { continue };
        let seen = take.seen(frame, used);
        let held = HeldPose { state: held, stiffness };
        // Two starts: the interpolated pose, and the pose from the markers only.
        let mut expected = states[frame].clone();
        for joint in (0..joints).filter(|joint| stiffness[*joint] > 0.0) {
            expected.turns[joint] = held.state.turns[joint];
            expected.angles[joint] = held.state.angles[joint];
        }
        let mut seen_so = states[frame].clone();
        for (state, scales) in [(&mut expected, &[2.5 * SCALE, SCALE][..]), (&mut seen_so, &[SCALE])] {
            for scale in scales {
                let options = FrameOptions { scale: *scale, tolerance: FINE };
                solver.solve(body, &subject.attached, &seen, Some(&held), state, &options);
            }
        }
        let mut weighed = |state: &State| {
            body.place(state, &mut solver.placed);
            solver.cost(body, &subject.attached, &seen, Some(&held), state, ghost)
        };
        // A joint usually deviates by one standard deviation from its interpolation, about each of its axes.
        let usual = body.dofs.iter().filter(|dof| stiffness[dof.joint] > 0.0).count() as f64;
        let state = if weighed(&seen_so) < weighed(&expected) + usual { seen_so } else { expected };
        body.place(&state, &mut solver.placed);
        solver.linearise(body, &subject.attached, &seen, Some(&held), &state, (SCALE, Needed::GaussNewton));
        off[frame] = known_worst(&mut solver, subject, (used, &seen), &doubted[frame]);
        states[frame] = state;
    }
    off
}

/// The joint with the greatest uncertainty, of its own position and of its unseen markers: the standard
/// deviation in the direction that is determined least [m].
fn known_worst(
    solver: &mut FrameSolver,
    subject: &Subject,
    (used, seen): (&[bool], &[Observed]),
    doubted: &[bool],
) -> Option<(usize, f64)> {
    let body = &subject.body;
    for dof in 0..body.dofs.len() {
        solver.hessian.add(dof, dof, 1e-9);
    }
    if !solver.hessian.factor() {
        return None;
    }
    // The uncertainty of a joint includes that of the joints above, that of a marker its joint's.
    let joints = (1..body.joints.len()).filter_map(|joint| {
        let parent = body.joints[joint].parent.filter(|parent| doubted[joint] || doubted[*parent])?;
        Some((joint, parent, solver.placed.position[joint]))
    });
    let unseen = |marker: &usize| used[*marker] && seen.iter().all(|(other, _)| other != marker);
    let markers = (0..subject.attached.len()).filter(unseen).map(|marker| {
        let attached = &subject.attached[marker];
        (attached.joint, attached.joint, solver.placed.of(attached.joint, &attached.place))
    });
    let points: Vec<(usize, usize, Vector3<f64>)> = joints.chain(markers).collect();
    let mut row = vec![0.0; body.dofs.len()];
    let mut rows: [Vec<f64>; 3] = Default::default();
    let mut worst: Option<(usize, f64)> = None;
    for (joint, moved, at) in points {
        for (axis, half) in rows.iter_mut().enumerate() {
            row.fill(0.0);
            for dof in &body.chains[moved] {
                row[*dof] = column(body, &solver.placed, *dof, &at)[axis];
            }
            solver.hessian.solve_transposed(&mut row);
            half.clone_from(&row);
        }
        let product = |i: usize, j: usize| -> f64 { rows[i].iter().zip(&rows[j]).map(|(a, b)| a * b).sum() };
        let covariance = Matrix3::from_fn(product);
        let sigma = covariance.symmetric_eigenvalues().max().max(0.0).sqrt();
        if worst.is_none_or(|(_, most)| sigma > most) {
            worst = Some((joint, sigma));
        }
    }
    worst
}
