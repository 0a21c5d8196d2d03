//! Frames in which markers of a joint are missing or wrong: the joint is held to the poses before and after, as firmly as
//! the take shows that it moves evenly between.

use mocap_model::{Vector3, slerp};
use nalgebra::Matrix3;

use crate::body::State;
use crate::fit::{FINE, SCALE};
use crate::frame::{FrameOptions, FrameSolver, Held, Seen, column};
use crate::subject::Subject;
use crate::take::Take;

/// Distances in frames for which it is measured how evenly a joint moves: powers of two.
const OCTAVES: usize = 7;
/// Most places that are looked at for a distance.
const SAMPLES: usize = 400;
/// The take shows it if it has as many places for a distance.
const FEWEST: usize = 12;
/// What nine of ten places do not exceed stands for a standard deviation: few are far off, and those matter.
const MOST: f64 = 0.9;
/// The least standard deviation [rad].
const LEAST: f64 = 0.01;
/// Of the turn between two poses a joint may lag or lead by this share: that of one which turns with an even acceleration
/// from rest, half of the time on.
const UNEVEN: f64 = 0.25;
/// A held pose may give up this many markers that were explained without it; they are ghosts then.
const GIVEN_UP: f64 = 1.2;
/// Where the take does not show it: accelerations [rad/s²] and speeds [rad/s] of joints in brisk motion.
const USUAL: (f64, f64) = (40.0, 3.0);

/// How far a joint is from where poses before and after put it, by their distance in octaves of frames [rad].
struct Evenness {
    /// Between two poses, by the geometric mean of the distances to both.
    between: [f64; OCTAVES],
    /// Beside one pose.
    beside: [f64; OCTAVES],
}

impl Evenness {
    fn of(joint: usize, states: &[State], doubted: &[Vec<bool>], rate: f64) -> Evenness {
        let sure = |frame: usize| (!doubted[frame][joint]).then(|| states[frame].turns[joint]);
        let mut found = Evenness { between: [0.0; OCTAVES], beside: [0.0; OCTAVES] };
        for octave in 0..OCTAVES {
            let step = 1usize << octave;
            let seconds = step as f64 / rate;
            let (mut between, mut beside) = (Vec::new(), Vec::new());
            for frame in (step..states.len()).step_by(states.len().div_ceil(SAMPLES).max(1)) {
                let (Some(a), Some(b)) = (sure(frame - step), sure(frame)) else { continue };
                beside.push(a.angle_to(&b));
                if let Some(c) = states.get(frame + step).and_then(|_| sure(frame + step)) {
                    between.push(slerp(&a, &c, 0.5).angle_to(&b));
                }
            }
            found.between[octave] = nine_of_ten(between).unwrap_or(USUAL.0 / 2.0 * seconds * seconds);
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

fn nine_of_ten(mut values: Vec<f64>) -> Option<f64> {
    if values.len() < FEWEST {
        return None;
    }
    values.sort_by(f64::total_cmp);
    Some(values[(values.len() as f64 * MOST) as usize])
}

/// Solves frames again while joints that are `doubted`, by frame and joint, are held to the poses before and after.
/// Returns by frame how far the joint that is known worst may be off, and which it is [m]; `None` where nothing is doubted.
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
    let evenness: Vec<Evenness> =
        (0..joints).map(|joint| Evenness::of(joint, states, doubted, rate)).collect();
    // By joint: the last and the next frame in which it is sure.
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
            let away = [frame.abs_diff(from) as f64, frame.abs_diff(to) as f64];
            let (share, sigma) = match to > from {
                true => {
                    let between = Evenness::at(&evenness[joint].between, (away[0] * away[1]).sqrt());
                    let [a, b] = [from, to].map(|end| states[end].turns[joint]);
                    (away[0] / (away[0] + away[1]), between.max(UNEVEN * a.angle_to(&b)))
                }
                false => (0.0, Evenness::at(&evenness[joint].beside, away[0])),
            };
            let (from, to) = (&states[from], &states[to]);
            held.turns[joint] = slerp(&from.turns[joint], &to.turns[joint], share);
            for axis in 0..2 {
                let (from, to) = (from.angles[joint][axis], to.angles[joint][axis]);
                held.angles[joint][axis] = from + (to - from) * share;
            }
            stiffness[joint] = sigma.powi(-2);
        }
        held_of[frame] = Some((held, stiffness));
    }
    let mut off = vec![None; states.len()];
    for (frame, held) in held_of.iter().enumerate() {
        let Some((held, stiffness)) = held else { continue };
        let seen = take.seen(frame, used);
        let held = Held { state: held, stiffness };
        let mut state = states[frame].clone();
        body.place(&state, &mut solver.placed);
        let before = solver.cost(body, &subject.attached, &seen, None, &state, SCALE);
        for joint in (0..joints).filter(|joint| stiffness[*joint] > 0.0) {
            state.turns[joint] = held.state.turns[joint];
            state.angles[joint] = held.state.angles[joint];
        }
        for scale in [2.5 * SCALE, SCALE] {
            let options = FrameOptions { scale, tolerance: FINE };
            solver.solve(body, &subject.attached, &seen, Some(&held), &mut state, &options);
        }
        let most = subject.attached.iter().map(|attached| attached.weight).fold(0.0, f64::max);
        body.place(&state, &mut solver.placed);
        if solver.cost(body, &subject.attached, &seen, None, &state, SCALE)
            > before + GIVEN_UP * most * SCALE * SCALE
        {
            state.clone_from(&states[frame]);
            body.place(&state, &mut solver.placed);
        }
        solver.linearise(body, &subject.attached, &seen, Some(&held), &state, SCALE);
        off[frame] = known_worst(&mut solver, subject, (used, &seen), &doubted[frame]);
        states[frame] = state;
    }
    off
}

/// The joint that is known worst, by its own place and those of its markers that are not seen: the standard deviation in the
/// direction that is held least [m].
fn known_worst(
    solver: &mut FrameSolver,
    subject: &Subject,
    (used, seen): (&[bool], &[Seen]),
    doubted: &[bool],
) -> Option<(usize, f64)> {
    let body = &subject.body;
    for dof in 0..body.dofs.len() {
        solver.hessian.add(dof, dof, 1e-9);
    }
    if !solver.hessian.factor() {
        return None;
    }
    // A joint moves with those above it, a marker with its joint.
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
