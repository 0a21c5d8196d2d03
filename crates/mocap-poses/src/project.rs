//! Projects a pose onto its goals by the least weighted change.
//!
//! Joints rotate by `δ = W Jᵀ λ` with `(J W Jᵀ + μ) λ = e`, where `W` has the variances of the joints: of all changes
//! that meet the goals to first order, the most likely one. Iterated until the goals are met.
//!
//! Based on: Y. Nakamura, H. Hanafusa, "Inverse kinematic solutions with singularity robustness", 1986 (damping).

use crate::body::Body;
use crate::goals::Goal;
use crate::{Placed, Quat, Vec3};
use mocap_model::{JointId, exp, log};
use nalgebra::{DMatrix, DVector, Matrix3};

/// Most rounds.
const ROUNDS: usize = 60;
/// Greatest rotation of a joint per iteration \[rad\].
const STEP: f64 = 0.5;
/// Damping, as a share of the largest entry of the matrix.
const LEAST_DAMPING: f64 = 1e-9;
const MOST_DAMPING: f64 = 1.0;
/// Goals count as met within this distance [lengths of a leg, rad].
const MET: f64 = 2e-5;

/// The degrees of freedom and their variances.
#[derive(Clone, Debug, Default)]
pub(crate) struct Freedom {
    /// Variance of the rotation by joint of the skeleton \[rad²\]; 0 for a fixed joint.
    pub(crate) turn: Vec<f64>,
    /// Variance of the position of the hips [legs²].
    pub(crate) travel: f64,
}

/// A goal as rows: a position or an orientation of a joint.
#[derive(Clone, Copy, Debug)]
struct Row {
    joint: JointId,
    is_point: bool,
}

/// Moves a pose onto its goals. Returns the greatest remaining distance [lengths of a leg, rad].
pub(crate) fn project(body: &Body, at: &mut [Placed], goals: &[Goal], freedom: &Freedom) -> f64 {
    let rows = rows_of(goals);
    let mut errors = vec![Vec3::zeros(); rows.len()];
    let mut off = measure(body, at, goals, &mut errors);
    let mut damping = LEAST_DAMPING;
    let mut before = Vec::new();
    for _ in 0..ROUNDS {
        if off.greatest <= MET {
            break;
        }
        before.clear();
        before.extend_from_slice(at);
        if !step(body, at, (&rows, &errors), freedom, damping) {
            break;
        }
        let now = measure(body, at, goals, &mut errors);
        if now.squares < off.squares {
            off = now;
            damping = (damping * 0.1).max(LEAST_DAMPING);
        } else {
            // The step was too large, or the goal is out of reach: undo it and increase the damping.
            at.copy_from_slice(&before);
            off = measure(body, at, goals, &mut errors);
            damping = (damping * 30.0).max(1e-5);
            if damping > MOST_DAMPING {
                break;
            }
        }
    }
    off.greatest
}

/// The errors of goals.
#[derive(Clone, Copy, Debug)]
struct GoalErrors {
    /// [lengths of a leg, rad]
    greatest: f64,
    squares: f64,
}

fn rows_of(goals: &[Goal]) -> Vec<Row> {
    let both = |goal: &Goal| {
        let point = goal.position.map(|_| Row { joint: goal.joint, is_point: true });
        let turn = goal.orientation.map(|_| Row { joint: goal.joint, is_point: false });
        [point, turn]
    };
    goals.iter().flat_map(both).flatten().collect()
}

/// Computes the errors of the goals, by row and in total.
fn measure(body: &Body, at: &[Placed], goals: &[Goal], errors: &mut [Vec3]) -> GoalErrors {
    let mut row = 0;
    let mut off = GoalErrors { greatest: 0.0, squares: 0.0 };
    for goal in goals {
        let now = &at[goal.joint.index()];
        let point = goal.position.map(|position| (position - now.translation.vector) / body.leg);
        let turn = goal.orientation.map(|orientation| log(&(orientation * now.rotation.inverse())));
        for error in [point, turn].into_iter().flatten() {
            off.greatest = off.greatest.max(error.norm());
            off.squares += error.norm_squared();
            errors[row] = error;
            row += 1;
        }
    }
    off
}

/// Whether `joint` is `above` or below it.
fn carries(body: &Body, above: JointId, joint: JointId) -> bool {
    let mut at = Some(joint);
    while let Some(id) = at.filter(|id| *id >= above) {
        if id == above {
            return true;
        }
        at = body.skeleton.joint(id).parent;
    }
    false
}

fn cross_matrix(v: &Vec3) -> Matrix3<f64> {
    v.cross_matrix()
}

/// One iteration; `false` if nothing can move.
fn step(
    body: &Body,
    at: &mut [Placed],
    (rows, errors): (&[Row], &[Vec3]),
    freedom: &Freedom,
    damping: f64,
) -> bool {
    let count = 3 * rows.len();
    let mut matrix = DMatrix::<f64>::zeros(count, count);
    let movable: Vec<JointId> =
        body.joints.iter().copied().filter(|id| freedom.turn[id.index()] > 0.0).collect();
    // The Jacobian by joint, then by row; `None` where the joint does not move the row.
    let mut columns: Vec<Option<Matrix3<f64>>> = Vec::with_capacity(movable.len() * rows.len());
    for joint in &movable {
        let pivot = at[joint.index()].translation.vector;
        columns.extend(rows.iter().map(|row| {
            carries(body, *joint, row.joint).then(|| match row.is_point {
                true => -cross_matrix(&((at[row.joint.index()].translation.vector - pivot) / body.leg)),
                false => Matrix3::identity(),
            })
        }));
    }
    for (place, joint) in movable.iter().enumerate() {
        let own = &columns[place * rows.len()..(place + 1) * rows.len()];
        for (i, a) in own.iter().enumerate() {
            let Some(a) = a else { continue };
            for (j, b) in own.iter().enumerate().take(i + 1) {
                let Some(b) = b else { continue };
                let mut block = matrix.fixed_view_mut::<3, 3>(3 * i, 3 * j);
                block += a * b.transpose() * freedom.turn[joint.index()];
            }
        }
    }
    for i in 0..rows.len() {
        for j in 0..=i {
            if rows[i].is_point && rows[j].is_point {
                let mut block = matrix.fixed_view_mut::<3, 3>(3 * i, 3 * j);
                block += Matrix3::identity() * freedom.travel;
            }
        }
    }
    let scale = (0..count).map(|i| matrix[(i, i)]).fold(0.0, f64::max);
    if scale <= 0.0 {
        return false;
    }
    (0..count).for_each(|i| matrix[(i, i)] += scale * damping);
    matrix.fill_upper_triangle_with_lower_triangle();
    let right = DVector::from_iterator(count, errors.iter().flat_map(|error| [error.x, error.y, error.z]));
    let Some(factor) = matrix.cholesky() else { return false };
    let multipliers = factor.solve(&right);
    let multiplier =
        |row: usize| Vec3::new(multipliers[3 * row], multipliers[3 * row + 1], multipliers[3 * row + 2]);
    let mut turns: Vec<Vec3> = Vec::with_capacity(movable.len());
    for (place, joint) in movable.iter().enumerate() {
        let own = &columns[place * rows.len()..(place + 1) * rows.len()];
        let sum: Vec3 = own
            .iter()
            .enumerate()
            .filter_map(|(row, a)| Some(a.as_ref()?.transpose() * multiplier(row)))
            .sum();
        turns.push(sum * freedom.turn[joint.index()]);
    }
    let moved: Vec3 = (0..rows.len()).filter(|row| rows[*row].is_point).map(multiplier).sum();
    let moved = moved * (freedom.travel * body.leg);
    let greatest = turns.iter().map(Vec3::norm).fold(0.0, f64::max);
    let share = if greatest > STEP { STEP / greatest } else { 1.0 };
    if !(greatest.is_finite() && moved.norm().is_finite()) {
        return false;
    }
    apply(body, at, (&movable, &turns), moved * share, share);
    true
}

/// Rotates joints by rotation vectors in object space, and translates the hips.
fn apply(body: &Body, at: &mut [Placed], (movable, turns): (&[JointId], &[Vec3]), moved: Vec3, share: f64) {
    let skeleton = &body.skeleton;
    let before: Vec<Quat> = at.iter().map(|placed| placed.rotation).collect();
    at[body.hips.index()].translation.vector += moved;
    // By joint: the accumulated rotation of it and all joints above.
    let mut total: Vec<Option<Quat>> = vec![None; skeleton.len()];
    for id in body.joints.iter().copied() {
        let own = movable.binary_search(&id).ok().map(|place| exp(&(turns[place] * share)));
        let parent = skeleton.joint(id).parent.filter(|_| id != body.hips);
        let above = parent.and_then(|parent| total[parent.index()]).unwrap_or_else(Quat::identity);
        let turn = own.map_or(above, |own| above * own);
        total[id.index()] = Some(turn);
        at[id.index()].rotation = mocap_model::renormalised(turn * before[id.index()]);
        if let Some(parent) = parent {
            let above = at[parent.index()];
            at[id.index()].translation.vector =
                above.translation.vector + above.rotation * skeleton.joint(id).offset;
        }
    }
}
