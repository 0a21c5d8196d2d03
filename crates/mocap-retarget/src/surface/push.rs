//! The smallest change of an arm that keeps places on it outside.
//!
//! Each place that is inside, or nearly, asks for a movement along the normal of the surface; the change with the least
//! cost that gives all of them is found by projection onto one demand after the other (C. Hildreth, "A quadratic
//! programming procedure", 1957), and surface and demands are looked up anew from there.

use super::arm::{ArmMove, Change, PosedArm};
use mocap_model::Vector3;

/// Times that the surface is looked up anew.
const ROUNDS: usize = 6;
/// Passes over all demands.
const SWEEPS: usize = 40;
/// Step of differences.
const SMALL: f64 = 1e-4;

/// What a place on an arm is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// Its place in [`super::body_surface::ArmSurface::points`].
    pub point: usize,
    /// Unit vector of the movement, in object space.
    pub direction: Vector3<f64>,
    /// How far it has to move along it at least [units of the skeleton].
    pub by: f64,
}

/// What changes cost and how far they go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// What each part of a change costs: the movement [units of the skeleton] that costs as much as 1 rad.
    pub scale: Change,
    /// The largest swivel, bend and turn \[rad\].
    pub most: [f64; 3],
    /// Demands below this are met [units of the skeleton].
    pub met: f64,
}

impl Cost {
    /// The nearest change that is not too large.
    pub(crate) fn limited(&self, mut change: Change) -> Change {
        let [swivel, bend, turn] = self.most;
        change[0] = change[0].clamp(-swivel, swivel);
        change[1] = change[1].clamp(-bend, bend);
        let turned = change.fixed_rows::<3>(2).norm();
        if turned > turn {
            change.fixed_rows_mut::<3>(2).scale_mut(turn / turned);
        }
        change
    }
}

/// The change nearest to `base` in which `demands` asks for nothing. `segment` gives that of a point: 1 forearm, 2 hand.
pub(crate) fn smallest_change(
    arm: &PosedArm,
    base: &Change,
    cost: &Cost,
    segment: impl Fn(usize) -> usize,
    mut demands: impl FnMut(&ArmMove) -> Vec<Demand>,
) -> Change {
    let mut change = *base;
    for _ in 0..ROUNDS {
        let moved = arm.moved(&change);
        let found = demands(&moved);
        if found.iter().all(|demand| demand.by <= cost.met) {
            break;
        }
        let steps: [ArmMove; 5] = std::array::from_fn(|i| {
            let mut next = change;
            next[i] += SMALL;
            arm.moved(&next)
        });
        let off = (change - base).component_mul(&cost.scale);
        let rows: Vec<(Change, f64)> = found
            .iter()
            .map(|demand| {
                let (at, segment) = (&arm.points[demand.point], segment(demand.point));
                let was = moved.place(segment, at);
                let along = |i: usize| (steps[i].place(segment, at) - was).dot(&demand.direction) / SMALL;
                // In units of cost.
                let row = Change::from_fn(|i, _| along(i)).component_div(&cost.scale);
                (row, demand.by + row.dot(&off))
            })
            .collect();
        let off = least(&rows).component_div(&cost.scale);
        let next = cost.limited(base + off);
        if (next - change).norm() < 1e-9 {
            break;
        }
        change = next;
    }
    change
}

/// The shortest vector whose products with all rows are at least what they ask for; near it where there is none.
fn least(rows: &[(Change, f64)]) -> Change {
    let mut weights = vec![0.0; rows.len()];
    let mut sum = Change::zeros();
    for _ in 0..SWEEPS {
        for ((row, by), weight) in rows.iter().zip(&mut weights) {
            let square = row.norm_squared() + 1e-3;
            let next = f64::max(0.0, *weight + (by - row.dot(&sum) - 1e-3 * *weight) / square);
            sum += row * (next - *weight);
            *weight = next;
        }
    }
    sum
}
