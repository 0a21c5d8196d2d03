//! The smallest change of an arm that keeps places on it outside.
//!
//! Each place that is inside, or nearly, asks for a movement along the normal of the surface; the change with the least
//! cost that gives all of them is found by projection onto one demand after the other (C. Hildreth, "A quadratic
//! programming procedure", 1957), and surface and demands are looked up anew from there.

use super::arm::{ArmMove, Change, PosedArm};
use mocap_model::Vector3;
use nalgebra::Vector4;

/// Times that the surface is looked up anew.
const ROUNDS: usize = 6;
/// Passes over all demands.
const SWEEPS: usize = 60;
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
    /// Movement of the wrist that costs as much as a swivel of 1 rad [units of the skeleton].
    pub swivel: f64,
    /// Largest swivel \[rad\].
    pub most_swivel: f64,
    /// Largest movement of the wrist [units of the skeleton].
    pub most: f64,
    /// Demands below this are met [units of the skeleton].
    pub met: f64,
}

impl Cost {
    /// The nearest change that is not too large.
    pub(crate) fn limited(&self, mut change: Change) -> Change {
        change[0] = change[0].clamp(-self.most_swivel, self.most_swivel);
        let moved = change.fixed_rows::<3>(1).norm();
        if moved > self.most {
            change.fixed_rows_mut::<3>(1).scale_mut(self.most / moved);
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
        let steps: [ArmMove; 4] = [0, 1, 2, 3].map(|i| {
            let mut next = change;
            next[i] += step(i, cost);
            arm.moved(&next)
        });
        let rows: Vec<(Vector4<f64>, f64)> = found
            .iter()
            .map(|demand| {
                let (at, segment) = (&arm.points[demand.point], segment(demand.point));
                let was = moved.place(segment, at);
                let mut row = Vector4::zeros();
                for i in 0..4 {
                    let along = (steps[i].place(segment, at) - was).dot(&demand.direction);
                    // In units of cost.
                    row[i] = along / step(i, cost) / scale(i, cost);
                }
                let mut off = change - base;
                for i in 0..4 {
                    off[i] *= scale(i, cost);
                }
                (row, demand.by + row.dot(&off))
            })
            .collect();
        let mut off = least(&rows);
        for i in 0..4 {
            off[i] /= scale(i, cost);
        }
        let next = cost.limited(base + off);
        if (next - change).norm() < 1e-9 {
            break;
        }
        change = next;
    }
    change
}

fn scale(i: usize, cost: &Cost) -> f64 {
    if i == 0 { cost.swivel } else { 1.0 }
}

fn step(i: usize, cost: &Cost) -> f64 {
    if i == 0 { SMALL } else { SMALL * cost.swivel }
}

/// The shortest vector whose products with all rows are at least what they ask for; near it where there is none.
fn least(rows: &[(Vector4<f64>, f64)]) -> Vector4<f64> {
    let mut weights = vec![0.0; rows.len()];
    let mut sum = Vector4::zeros();
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
