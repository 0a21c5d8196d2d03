//! The smallest change of an arm that keeps its points outside.
//!
//! Every point that is inside, or nearly, demands a displacement along the surface normal. The change of least
//! cost that meets all demands is found by successive projection (C. Hildreth, "A quadratic programming
//! procedure", 1957). Then distances and demands are evaluated again at the changed pose.

use super::arm::{ArmMove, Change, PARTS, PosedArm};
use mocap_model::Vector3;
use nalgebra::SMatrix;

/// Number of evaluations of the surface.
const ROUNDS: usize = 6;
/// Passes over all demands in one solution.
const SWEEPS: usize = 40;
/// Step of finite differences \[rad\].
const SMALL: f64 = 1e-4;
/// Softness of demands: how far they yield to each other.
const SOFT: f64 = 1e-3;

/// The displacement that a point on an arm demands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// Index in [`super::body_surface::ArmSurface::points`].
    pub point: usize,
    /// Unit vector of the movement, in object space.
    pub direction: Vector3<f64>,
    /// Least displacement along the direction [units of the skeleton].
    pub by: f64,
}

/// Which result the solver needs from the demands of a pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// Each demand.
    HowMuch,
    /// Only whether one is above [`Cost::met`]: their exact sizes do not matter.
    Whether,
}

/// A touching point on an arm, and its goal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// Position before the change.
    pub at: Vector3<f64>,
    /// The segment of the arm: 0 upper arm, 1 forearm, 2 hand.
    pub segment: usize,
    pub to: Vector3<f64>,
    /// Weight: its share of the contact, and less for a forearm, or between arms while both hands
    /// rest on the body.
    pub weight: f64,
}

impl Goal {
    /// Distance of the point from its goal without a change.
    pub(crate) fn way(&self) -> f64 {
        (self.to - self.at).norm()
    }
}

/// Cost of changes and their limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Cost of each part of a change: the displacement [units of the skeleton] that costs as much as 1 rad.
    pub scale: Change,
    /// Greatest swivel, bend, rotation of the arm, and rotation of the hand \[rad\].
    pub most: [f64; 4],
    /// Demands below this count as met [units of the skeleton].
    pub met: f64,
    /// Whether steps without goals are taken whole, also those that lead deeper at first.
    pub whole_steps: bool,
}

impl Cost {
    /// The nearest change within the limits.
    pub(crate) fn limited(&self, mut change: Change) -> Change {
        let [swivel, bend, turn, hand] = self.most;
        change[0] = change[0].clamp(-swivel, swivel);
        change[1] = change[1].clamp(-bend, bend);
        for (first, most) in [(2, turn), (5, hand)] {
            let turned = change.fixed_rows::<3>(first).norm();
            if turned > most {
                change.fixed_rows_mut::<3>(first).scale_mut(most / turned);
            }
        }
        change
    }
}

/// Changes that differ by less than this many times [`Cost::met`] are equal.
const NEAREST: f64 = 4.0;
/// Weights of the squared distance from a goal, and of the squared demand of a point, relative to the squared cost
/// of a displacement.
const HELD: f64 = 200.0;
const OUTSIDE: f64 = 300.0;
/// How often a step is halved until it is an improvement.
const HALVED: usize = 4;
/// Steps shorter than this are the last one \[rad\].
const LAST: f64 = 1e-5;

/// The change nearest to `base` that meets all `demands` and brings points to their goals as far as the demands
/// allow. `segment` is the segment of a point: 1 forearm, 2 hand. Hands rotate about wrists only for goals.
///
/// A full step may lead across the body to another side, and the next one back: steps are halved until the pose is
/// better than before (L. Armijo, "Minimization of functions having Lipschitz continuous first partial derivatives",
/// 1966).
pub(crate) fn smallest_change(
    arm: &PosedArm,
    base: &Change,
    cost: &Cost,
    goals: &[Goal],
    segment: impl Fn(usize) -> usize,
    mut demands: impl FnMut(&ArmMove, Asks) -> Vec<Demand>,
) -> Change {
    let task = Task { arm, base, cost, goals };
    let (mut change, mut inside) = (*base, *base);
    let mut found = demands(&arm.moved(&change), Asks::HowMuch);
    for round in 0..ROUNDS {
        if goals.is_empty() && found.iter().all(|demand| demand.by <= cost.met) {
            let is_met = |change: &Change| {
                demands(&arm.moved(change), Asks::Whether).iter().all(|demand| demand.by <= cost.met)
            };
            return no_further_than_needed(&inside, change, cost, is_met);
        }
        inside = change;
        // The way out may lead deeper at first.
        let is_whole = goals.is_empty() && (round == 0 || cost.whole_steps);
        let now = task.unmet(&change, &found);
        let mut step = task.next(&change, &found, &segment) - change;
        let is_better = (0..HALVED).any(|_| {
            let shorter = change + step;
            let there = demands(&arm.moved(&shorter), Asks::HowMuch);
            if task.unmet(&shorter, &there) < now || is_whole {
                (change, found) = (shorter, there);
                return true;
            }
            step *= 0.5;
            false
        });
        if !is_better || step.norm() < LAST {
            break;
        }
    }
    change
}

/// What a change of an arm is for.
struct Task<'a> {
    arm: &'a PosedArm,
    base: &'a Change,
    cost: &'a Cost,
    goals: &'a [Goal],
}

impl Task<'_> {
    /// What a change costs, with what it leaves unmet: the sum that steps lessen.
    fn unmet(&self, change: &Change, found: &[Demand]) -> f64 {
        let moved = self.arm.moved(change);
        let off = (change - self.base).component_mul(&self.cost.scale).norm_squared();
        let far = |goal: &Goal| goal.weight * (goal.to - moved.place(goal.segment, &goal.at)).norm_squared();
        let inside = |demand: &Demand| demand.by.max(0.0).powi(2);
        let goals: f64 = self.goals.iter().map(far).sum();
        off + HELD * goals + OUTSIDE * found.iter().map(inside).sum::<f64>()
    }

    /// The least change whose linearised displacements meet all demands, with points as near to their goals as these
    /// allow.
    fn next(&self, change: &Change, found: &[Demand], segment: impl Fn(usize) -> usize) -> Change {
        let Task { arm, base, cost, goals } = self;
        let moving = if goals.is_empty() { 5 } else { PARTS };
        let moved = arm.moved(change);
        let steps: [ArmMove; PARTS] = std::array::from_fn(|i| {
            let mut next = *change;
            next[i] += if i < moving { SMALL } else { 0.0 };
            arm.moved(&next)
        });
        // In units of cost.
        let off = (change - *base).component_mul(&cost.scale);
        let each_way = |segment: usize, at: &Vector3<f64>| {
            let was = moved.place(segment, at);
            let column = |i: usize| (steps[i].place(segment, at) - was) / (SMALL * cost.scale[i]);
            (was, std::array::from_fn::<_, PARTS, _>(column))
        };
        let mut equations = NormalEquations::default();
        for goal in *goals {
            let (was, columns) = each_way(goal.segment, &goal.at);
            equations.add(&SMatrix::from_columns(&columns), &(goal.to - was), &off, HELD * goal.weight);
        }
        let rows: Vec<(Change, f64)> = found
            .iter()
            .map(|demand| {
                let (_, columns) = each_way(segment(demand.point), &arm.points[demand.point]);
                let row = Change::from_fn(|i, _| columns[i].dot(&demand.direction));
                (row, demand.by + row.dot(&off))
            })
            .collect();
        let off = match goals.is_empty() {
            true => least(&rows, |_| SOFT),
            false => equations.least(rows),
        };
        cost.limited(*base + off.component_div(&cost.scale))
    }
}

/// Shortens a change: the nearest change without demands on the line from one with demands to one without. A step
/// over a curved surface goes further than needed.
fn no_further_than_needed(
    inside: &Change,
    outside: Change,
    cost: &Cost,
    mut is_met: impl FnMut(&Change) -> bool,
) -> Change {
    let (mut inside, mut outside) = (*inside, outside);
    while (outside - inside).component_mul(&cost.scale).norm() > NEAREST * cost.met {
        let middle = (inside + outside) / 2.0;
        *(if is_met(&middle) { &mut outside } else { &mut inside }) = middle;
    }
    outside
}

/// Normal equations of the goals: a sum of squares, and the change that minimises it.
#[derive(Clone, Copy, Debug)]
struct NormalEquations {
    squares: SMatrix<f64, PARTS, PARTS>,
    to: Change,
}

impl Default for NormalEquations {
    fn default() -> NormalEquations {
        NormalEquations { squares: SMatrix::identity(), to: Change::zeros() }
    }
}

impl NormalEquations {
    /// Adds a goal: how its point moves with each part of a change, and the distance left at the change `off`.
    fn add(&mut self, ways: &SMatrix<f64, 3, PARTS>, left: &Vector3<f64>, off: &Change, weight: f64) {
        self.squares += ways.transpose() * ways * weight;
        self.to += ways.transpose() * (left + ways * off) * weight;
    }

    /// The change of least squares whose products with all rows are at least what these demand.
    fn least(&self, mut rows: Vec<(Change, f64)>) -> Change {
        let Some(root) = self.squares.cholesky() else { return least(&rows, |_| SOFT) };
        let lower = root.l();
        let back = |of: &Change| lower.solve_lower_triangular(of).unwrap_or(*of);
        let start = back(&self.to);
        for (row, by) in &mut rows {
            *row = back(row);
            *by -= row.dot(&start);
        }
        let sum = start + least(&rows, |square| SOFT * square);
        lower.tr_solve_lower_triangular(&sum).unwrap_or(sum)
    }
}

/// The shortest vector whose products with all rows are at least what these demand, or near it if there is none.
/// `soft` tells how far a row yields, from its squared length.
fn least(rows: &[(Change, f64)], soft: impl Fn(f64) -> f64) -> Change {
    let mut weights = vec![0.0; rows.len()];
    let mut sum = Change::zeros();
    let squares: Vec<(f64, f64)> =
        rows.iter().map(|(row, _)| row.norm_squared()).map(|s| (s, soft(s))).collect();
    for _ in 0..SWEEPS {
        let mut moved = false;
        for (((row, by), weight), (square, soft)) in rows.iter().zip(&mut weights).zip(&squares) {
            if square + soft <= 0.0 {
                continue;
            }
            let next = f64::max(0.0, *weight + (by - row.dot(&sum) - soft * *weight) / (square + soft));
            if next != *weight {
                sum += row * (next - *weight);
                *weight = next;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_goes_as_far_as_it_is_needed() {
        let cost = Cost { scale: Change::repeat(0.5), most: [1.0; 4], met: 0.0005, whole_steps: false };
        let far = Change::repeat(0.8);
        // Outside from a fifth of the way.
        let found = no_further_than_needed(&Change::zeros(), far, &cost, |change| change[0] >= 0.16);
        assert!((0.16..0.16 + NEAREST * cost.met).contains(&found[0]), "{found}");
        // Nowhere before, and everywhere.
        assert_eq!(no_further_than_needed(&Change::zeros(), far, &cost, |change| *change == far), far);
        let least = no_further_than_needed(&Change::zeros(), far, &cost, |_| true);
        assert!(least.norm() < 0.01, "{least}");
    }
}
