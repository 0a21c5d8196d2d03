//! Plans the swivel angle of a limb with limits over a motion. (The swivel is the rotation about the line from
//! shoulder to hand.)
//!
//! If limits forbid the source's swivel, mostly two other swivels are allowed, one to each side, and the nearer
//! one changes from frame to frame: a limb solved frame by frame jumps. The plan stays as near to the source's
//! swivel as limits allow and moves as slowly as possible: a shortest path through a grid of swivels and frames.
//!
//! Based on: R. Bellman, "Dynamic Programming", 1957.

use crate::smoothing::smooth;
use mocap_ik::TwoBone;
use std::f64::consts::TAU;

const COUNT: usize = TwoBone::SWIVELS;
/// Residuals of one frame: by swivel, the remaining distance from the goal as a share of the limb's length.
pub(crate) type Residuals = [f32; COUNT];
/// A goal is reached if its residual is at most this.
const REACHED: f32 = 1e-5;
/// The cost of a residual of the limb's length, in squared steps of the grid: 2 % cost as much as 34° of swivel.
const RESIDUAL_COST: f64 = 50_000.0;
/// Weight of the plan's speed against its distance from the source's swivel, as a time \[s\].
const SPEED_COST: f64 = 0.03;
/// Greatest change of swivel between columns of the grid, in steps.
const FURTHEST: usize = 6;
/// Share of a joint's step limit that a plan may use.
const USED: f64 = 0.7;
/// The plan is smoothed over this time to both sides \[s\].
const SMOOTH: f64 = 0.05;

/// Swivel of each frame relative to the source's \[rad\]; empty if limits allow the source's swivel in all
/// frames. `step` is the step limit of the joint \[rad / frame\].
pub(crate) fn plan_swivel(residuals: &[Residuals], fps: f64, step: f64) -> Vec<f64> {
    if residuals.iter().all(|frame| frame[0] <= REACHED) {
        return Vec::new();
    }
    // Columns are wide enough that a change by one step of the grid is not too fast.
    let width = TAU / COUNT as f64;
    let frames = (width / (USED * step)).ceil().clamp(1.0, 1e3) as usize;
    let furthest = ((USED * step * frames as f64 / width) as usize).clamp(1, FURTHEST);
    let columns: Vec<[f64; COUNT]> = residuals.chunks(frames).map(costs_of).collect();
    let speed = (SPEED_COST * fps).powi(2) / frames as f64;
    let turns: Vec<f64> = unwrapped(&cheapest(&columns, furthest, speed)).collect();
    // Interpolates between the middles of two columns.
    let at = |frame: usize| {
        let place = ((frame as f64 + 0.5) / frames as f64 - 0.5).clamp(0.0, turns.len() as f64 - 1.0);
        let (before, share) = (place as usize, place.fract());
        let after = (before + 1).min(turns.len() - 1);
        (turns[before] + (turns[after] - turns[before]) * share) * width
    };
    let swivels: Vec<f64> = (0..residuals.len()).map(at).collect();
    smooth(&swivels, (SMOOTH * fps).round() as usize)
}

/// Cost of each swivel over some frames.
fn costs_of(frames: &[Residuals]) -> [f64; COUNT] {
    std::array::from_fn(|k| {
        let off = k.min(COUNT - k) as f64;
        let residual: f64 = frames.iter().map(|frame| f64::from(frame[k]).powi(2)).sum();
        off * off * frames.len() as f64 + RESIDUAL_COST * residual
    })
}

/// The cheapest path through the columns: a swivel step per column.
fn cheapest(columns: &[[f64; COUNT]], furthest: usize, speed: f64) -> Vec<usize> {
    let mut costs = columns[0];
    // By column and step: the step in the column before.
    let mut from: Vec<[u8; COUNT]> = vec![[0; COUNT]];
    for column in &columns[1..] {
        let mut best = [(f64::INFINITY, 0u8); COUNT];
        for (k, best) in best.iter_mut().enumerate() {
            for move_by in 0..=2 * furthest {
                let before = (k + COUNT + move_by - furthest) % COUNT;
                let moved = move_by.abs_diff(furthest) as f64;
                let cost = costs[before] + speed * moved * moved;
                if cost < best.0 {
                    *best = (cost, before as u8);
                }
            }
            best.0 += column[k];
        }
        costs = best.map(|(cost, _)| cost);
        from.push(best.map(|(_, before)| before));
    }
    let mut at = (0..COUNT).min_by(|a, b| costs[*a].total_cmp(&costs[*b])).unwrap_or(0);
    let mut steps = vec![0; columns.len()];
    for (step, from) in steps.iter_mut().zip(&from).rev() {
        *step = at;
        at = from[at] as usize;
    }
    steps
}

/// Steps on the circle as a continuous curve, without jumps by a turn.
fn unwrapped(steps: &[usize]) -> impl Iterator<Item = f64> {
    let half = COUNT as i64 / 2;
    let mut at = 0i64;
    steps.iter().map(move |step| {
        let off = (*step as i64 - at).rem_euclid(COUNT as i64);
        at += if off > half { off - COUNT as i64 } else { off };
        at as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_stays_on_one_side_and_begins_ahead_of_time() {
        // The source's swivel misses in the middle; the nearer side changes there.
        let miss = |near: std::ops::Range<usize>| {
            let mut residuals = [0.0; COUNT];
            near.for_each(|k| residuals[(k + COUNT - 8) % COUNT] = 0.2);
            residuals
        };
        let residuals: Vec<Residuals> = (0..120)
            .map(|frame| match frame {
                40..60 => miss(2..11),
                60..80 => miss(6..15),
                _ => [0.0; COUNT],
            })
            .collect();
        let plan = plan_swivel(&residuals, 120.0, 0.15);
        assert!(plan[50].signum() == plan[70].signum(), "{plan:?}");
        assert!(plan[50].abs() > 0.2 && plan[70].abs() > 0.2, "{plan:?}");
        assert!(plan[36] != 0.0 && plan[5] == 0.0 && plan[115] == 0.0, "{plan:?}");
        assert!(plan.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.15), "{plan:?}");
    }

    #[test]
    fn nothing_is_planned_if_nothing_is_forbidden() {
        assert!(plan_swivel(&[[0.0; COUNT]; 3], 30.0, 0.1).is_empty());
        assert!(plan_swivel(&[], 30.0, 0.1).is_empty());
    }
}
