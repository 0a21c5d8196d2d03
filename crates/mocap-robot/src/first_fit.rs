//! The first fit of a motion: frame by frame, from several beginnings where a part is caught.
//!
//! Each frame starts from the one before. A part that has gone behind another one, as an arm in a fast turn, then stays
//! there: no small step leads out. So frames are also fitted from the last to the first, and from poses whose parts pass
//! through each other; of these, each frame takes the one with which the motion costs least. Based on: R. Bellman,
//! "Dynamic Programming", 1957.

use mocap_model::{RobotPose, Vector3};

use crate::cost::{Costs, Goal, Weights};
use crate::goals::first_pose;
use crate::kinematics::Kinematics;
use crate::solve::{costs_of, fit_each, fit_frames};

/// Sweeps of a first frame, from the robot at rest.
pub(crate) const FIRST_SWEEPS: usize = 40;
/// Sweeps of the frames behind it.
const SWEEPS: usize = 3;
/// Sweeps that part what passes through each other.
const PARTING: usize = 8;
/// A frame is caught if it costs so much more than with parts that pass through each other: a limb that points 20°
/// elsewhere.
const CAUGHT: f64 = 0.06;

/// The start of the first frame: the robot in its `stance`, or with its arms held otherwise where that leads nearer to the
/// goal. Arms that hang do not find their way over the head. The zero pose of the robot, which may be any, does not count.
pub(crate) fn first_start(
    kinematics: &mut Kinematics,
    costs: &Costs,
    goal: &Goal,
    stance: &RobotPose,
) -> RobotPose {
    let anatomy = costs.anatomy;
    let raised = |side: f64| Vector3::new(0.0, 0.2 * side, 1.0).normalize();
    let ways = [
        None,
        Some([Vector3::y(), -Vector3::y()]),
        Some([Vector3::x(); 2]),
        Some([raised(1.0), raised(-1.0)]),
    ];
    let mut best: Option<(f64, RobotPose)> = None;
    for way in ways {
        let mut values = stance.values.clone();
        if let Some(way) = way {
            let mut held = Goal::reference(&anatomy.humanoid);
            held.arms = Some(way.map(|direction| [direction; 2]));
            let start = first_pose(kinematics, &held, anatomy, &values);
            values = fit_frames(kinematics, costs, &[held], start, FIRST_SWEEPS, 0).0.remove(0).values;
        }
        let start = first_pose(kinematics, goal, anatomy, &values);
        let goal = [goal.clone()];
        let fitted = fit_frames(kinematics, costs, &goal, start.clone(), FIRST_SWEEPS, 0).0;
        let cost = costs_of(kinematics, costs, &goal, &fitted)[0];
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, start));
        }
        if cost < CAUGHT {
            break;
        }
    }
    best.map_or_else(|| stance.clone(), |(_, start)| start)
}

/// Fits single poses of a motion. `smoothness` is the weight of steps of joints from frame to frame.
pub(crate) fn first_fit(
    kinematics: &mut Kinematics,
    costs: &Costs,
    goals: &[Goal],
    start: &RobotPose,
    smoothness: f64,
) -> Vec<RobotPose> {
    let (forwards, missed) = fit_frames(kinematics, costs, goals, start.clone(), FIRST_SWEEPS, SWEEPS);
    // Nothing that costs less in all is caught.
    let costs_little = |costs: &[f64]| costs.iter().all(|cost| *cost < CAUGHT);
    if costs.weights.apart <= 0.0 || costs_little(&missed) {
        return forwards;
    }
    let forwards_costs = costs_of(kinematics, costs, goals, &forwards);
    if costs_little(&forwards_costs) {
        return forwards;
    }
    let passing = Costs { weights: Weights { apart: 0.0, ..costs.weights }, ..*costs };
    let (free, _) = fit_frames(kinematics, &passing, goals, start.clone(), FIRST_SWEEPS, SWEEPS);
    let least = costs_of(kinematics, &passing, goals, &free);
    if forwards_costs.iter().zip(&least).all(|(cost, least)| *cost < least + CAUGHT) {
        return forwards;
    }
    let parted = fit_each(kinematics, costs, goals, free.clone(), PARTING);
    let reversed: Vec<Goal> = goals.iter().rev().cloned().collect();
    let last = free.last().unwrap_or(start).clone();
    let (mut backwards, _) = fit_frames(kinematics, costs, &reversed, last, FIRST_SWEEPS, SWEEPS);
    backwards.reverse();
    let mut with_costs = |poses: Vec<RobotPose>| {
        let costs = costs_of(kinematics, costs, goals, &poses);
        (poses, costs)
    };
    let fits = [(forwards, forwards_costs), with_costs(backwards), with_costs(parted)];
    cheapest(fits, &free, smoothness)
}

/// Of each frame, one of the poses, so that what all cost and what joints go from frame to frame, other than `free` ones
/// do, is least together.
fn cheapest<const FITS: usize>(
    fits: [(Vec<RobotPose>, Vec<f64>); FITS],
    free: &[RobotPose],
    smoothness: f64,
) -> Vec<RobotPose> {
    let step = |frame: usize, from: usize, to: usize| {
        let [before, now] = [&fits[from].0[frame - 1], &fits[to].0[frame]].map(|pose| &pose.values);
        let wanted = free[frame].values.iter().zip(&free[frame - 1].values).map(|(now, before)| now - before);
        let off = now.iter().zip(before).zip(wanted).map(|((now, before), wanted)| now - before - wanted);
        0.5 * smoothness * smoothness * off.map(|off| off * off).sum::<f64>()
    };
    let mut sums: [f64; FITS] = std::array::from_fn(|fit| fits[fit].1.first().copied().unwrap_or(0.0));
    // By frame and fit: the fit of the frame before.
    let mut before: Vec<[usize; FITS]> = vec![[0; FITS]; free.len()];
    for frame in 1..free.len() {
        let came = |to: usize| {
            let ways = (0..FITS).map(|from| (from, sums[from] + step(frame, from, to)));
            ways.min_by(|a, b| a.1.total_cmp(&b.1)).expect("there are fits")
        };
        let found: [(usize, f64); FITS] = std::array::from_fn(came);
        before[frame] = found.map(|(from, _)| from);
        sums = std::array::from_fn(|to| found[to].1 + fits[to].1[frame]);
    }
    let mut at = (0..FITS).min_by(|a, b| sums[*a].total_cmp(&sums[*b])).expect("there are fits");
    let mut chosen = Vec::with_capacity(free.len());
    for frame in (0..free.len()).rev() {
        chosen.push(fits[at].0[frame].clone());
        at = before[frame][at];
    }
    chosen.reverse();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::Isometry3;

    #[test]
    fn the_motion_that_costs_least_is_put_together() {
        let pose = |value: f64| RobotPose { base: Isometry3::identity(), values: vec![value] };
        let poses = |values: [f64; 4]| values.map(pose).to_vec();
        let free = poses([0.0; 4]);
        // The first is caught from the third frame on, the second up to there; a switch costs 2.
        let fits = || {
            [
                (poses([0.0, 0.0, 3.0, 3.0]), vec![0.0, 0.0, 9.0, 9.0]),
                (poses([2.0; 4]), vec![9.0, 9.0, 0.0, 0.0]),
            ]
        };
        assert_eq!(cheapest(fits(), &free, 1.0), poses([0.0, 0.0, 2.0, 2.0]));
        // Where steps cost more than what is caught, it stays.
        assert_eq!(cheapest(fits(), &free, 100.0), poses([2.0; 4]));
    }
}
