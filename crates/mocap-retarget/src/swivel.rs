//! Which way a limb with limits swivels about the line from shoulder to hand, over a whole motion.
//!
//! Where limits forbid the source's own swivel there are mostly two ways out, one to each side, and the nearer one
//! changes from frame to frame: taken frame by frame, the limb jumps. So the swivel is planned ahead: as near to the
//! source's as limits allow, and as slow as that lets it be, which is a shortest way through a grid of swivels and
//! frames.
//!
//! Based on: R. Bellman, "Dynamic Programming", 1957.

use mocap_ik::TwoBone;
use std::f64::consts::TAU;

const COUNT: usize = TwoBone::SWIVELS;
/// What each swivel of a frame leaves of the way to the goal, as a share of the limb's length.
pub(crate) type Misses = [f32; COUNT];
/// Below this the goal is met.
const MET: f32 = 1e-5;
/// What it costs to miss the goal by the length of the limb, in squared steps of the grid: 2 % count as much as 34°
/// of swivel.
const MISSED: f64 = 50_000.0;
/// The time that weighs speed against distance \[s\].
const PACE: f64 = 0.03;
/// The furthest move from one column of the grid to the next, in steps.
const FURTHEST: usize = 6;
/// The share of what a joint may turn in a frame that a plan makes use of.
const USED: f64 = 0.7;
/// The plan is smoothed over this time to both sides \[s\].
const SMOOTH: f64 = 0.05;

/// The swivel of each frame \[rad\] from the source's; empty where limits allow that in all frames. `step`: how far the
/// joint may turn from one frame to the next \[rad\].
pub(crate) fn planned(misses: &[Misses], fps: f64, step: f64) -> Vec<f64> {
    if misses.iter().all(|frame| frame[0] <= MET) {
        return Vec::new();
    }
    // So many frames make a column that a move by one step of the grid is not too fast.
    let width = TAU / COUNT as f64;
    let frames = (width / (USED * step)).ceil().clamp(1.0, 1e3) as usize;
    let furthest = ((USED * step * frames as f64 / width) as usize).clamp(1, FURTHEST);
    let columns: Vec<[f64; COUNT]> = misses.chunks(frames).map(costs_of).collect();
    let speed = (PACE * fps).powi(2) / frames as f64;
    let turns: Vec<f64> = unwrapped(&cheapest(&columns, furthest, speed)).collect();
    // From the middle of one column to that of the next.
    let at = |frame: usize| {
        let place = ((frame as f64 + 0.5) / frames as f64 - 0.5).clamp(0.0, turns.len() as f64 - 1.0);
        let (before, share) = (place as usize, place.fract());
        let after = (before + 1).min(turns.len() - 1);
        (turns[before] + (turns[after] - turns[before]) * share) * width
    };
    let course: Vec<f64> = (0..misses.len()).map(at).collect();
    crate::plant::smoothed(&course, (SMOOTH * fps).round() as usize)
}

/// What each swivel costs in some frames.
fn costs_of(frames: &[Misses]) -> [f64; COUNT] {
    std::array::from_fn(|k| {
        let off = k.min(COUNT - k) as f64;
        let missed: f64 = frames.iter().map(|frame| f64::from(frame[k]).powi(2)).sum();
        off * off * frames.len() as f64 + MISSED * missed
    })
}

/// The cheapest way through the columns: a step for each.
fn cheapest(columns: &[[f64; COUNT]], furthest: usize, speed: f64) -> Vec<usize> {
    let mut costs = columns[0];
    // By column and step: the step of the column before.
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

/// Steps on the circle as a course without jumps of a whole turn.
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
            let mut misses = [0.0; COUNT];
            near.for_each(|k| misses[(k + COUNT - 8) % COUNT] = 0.2);
            misses
        };
        let misses: Vec<Misses> = (0..120)
            .map(|frame| match frame {
                40..60 => miss(2..11),
                60..80 => miss(6..15),
                _ => [0.0; COUNT],
            })
            .collect();
        let plan = planned(&misses, 120.0, 0.15);
        assert!(plan[50].signum() == plan[70].signum(), "{plan:?}");
        assert!(plan[50].abs() > 0.2 && plan[70].abs() > 0.2, "{plan:?}");
        assert!(plan[36] != 0.0 && plan[5] == 0.0 && plan[115] == 0.0, "{plan:?}");
        assert!(plan.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.15), "{plan:?}");
    }

    #[test]
    fn nothing_is_planned_where_nothing_is_forbidden() {
        assert!(planned(&[[0.0; COUNT]; 3], 30.0, 0.1).is_empty());
        assert!(planned(&[], 30.0, 0.1).is_empty());
    }
}
