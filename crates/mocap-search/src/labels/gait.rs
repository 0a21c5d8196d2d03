//! Idle, walk, run, turns, jumps.

use super::measures::{ANKLES, Measures};
use super::runs::{runs, smoothed};
use super::{Label, Measured, Segment};
use std::ops::Range;

/// Least speed of travelling hips [leg lengths / s].
const TRAVELS: f64 = 0.3;
/// Largest walking speed [leg lengths / s]: a Froude number v² / (g · leg) of 0.5 for a leg of 0.85 m, at which people
/// change to a run. Based on: R. McN. Alexander, "Optimization and gaits in the locomotion of vertebrates", 1989.
const WALKS: f64 = 2.4;
/// Least step frequency of a run [1/s]: a walk has 1.5 to 2.3, a run 2.5 to 3.5.
const RUN_STEPS: f64 = 2.35;
/// Largest speed of hips that stay in place [leg lengths / s].
const STAYS: f64 = 0.15;
/// Largest mean speed of the points of an idle body [leg lengths / s].
const QUIET: f64 = 0.12;
/// Above this turn rate a body spins and does not walk \[rad/s\].
const SPINS: f64 = 2.5;
/// Least distance of a walk [leg lengths].
const WAY: f64 = 1.0;
/// Largest share of flight in a walk.
const FLIES: f64 = 0.12;
/// Least distance of feet in the direction of travel to count as one ahead of the other [leg lengths].
const APART: f64 = 0.1;
/// Smallest turn \[rad\].
const TURN: f64 = std::f64::consts::FRAC_PI_4;
/// Least turn rate of a turn \[rad/s\].
const TURNS: f64 = 0.35;

pub(super) fn find(measures: &Measures, segments: &mut Vec<Segment>) {
    let upright: Vec<bool> = (0..measures.len())
        .map(|at| measures.hips[at] > 0.6 * measures.standing && measures.trunk(at) > 0.3)
        .collect();
    let spin = smoothed(&turn_rates(measures), measures.samples_in(0.25));
    let travels: Vec<bool> = (0..measures.len())
        .map(|at| measures.speed[at] > TRAVELS && upright[at] && spin[at].abs() < SPINS)
        .collect();
    let mut ran = vec![false; measures.len()];
    for range in runs(&travels, measures.samples_in(0.3), measures.samples_in(0.5)) {
        let running = running(measures, &range);
        for (label, wanted) in [(Label::Walk, false), (Label::Run, true)] {
            let holds: Vec<bool> = range.clone().map(|at| running[at - range.start] == wanted).collect();
            // Parts about as short as a step are not a change of gait.
            for part in runs(&holds, measures.samples_in(0.5), measures.samples_in(0.6).min(range.len())) {
                let part = part.start + range.start..part.end + range.start;
                if label == Label::Walk && !walks(measures, &part) {
                    continue;
                }
                if wanted {
                    ran[part.clone()].fill(true);
                }
                let measured = vec![
                    Measured { name: "speed [leg lengths / s]", value: mean(&measures.speed[part.clone()]) },
                    Measured { name: "steps per second", value: steps(measures, &part) },
                    Measured {
                        name: "both feet off the floor [share]",
                        value: share(&measures.aloft[part.clone()]),
                    },
                ];
                segments.push(measures.segment(label, &part, None, measured));
            }
        }
    }
    turns(measures, segments);
    jumps(measures, &ran, segments);
    let idle: Vec<bool> = (0..measures.len())
        .map(|at| upright[at] && measures.speed[at] < STAYS && measures.activity[at] < QUIET)
        .collect();
    for range in runs(&idle, measures.samples_in(0.1), measures.samples_in(0.5)) {
        let measured = vec![
            Measured { name: "speed [leg lengths / s]", value: mean(&measures.speed[range.clone()]) },
            Measured { name: "movement [leg lengths / s]", value: mean(&measures.activity[range.clone()]) },
        ];
        segments.push(measures.segment(Label::Idle, &range, None, measured));
    }
}

/// A walk has steps, covers ground, and has feet on the floor.
fn walks(measures: &Measures, part: &Range<usize>) -> bool {
    let way = part.clone().map(|at| measures.speed[at]).sum::<f64>() / measures.rate;
    let carried = part.clone().filter(|at| measures.lowest_foot(*at) < 0.2).count() * 3 > part.len() * 2;
    let aloft = share(&measures.aloft[part.clone()]);
    way >= WAY && crossings(measures, part).len() >= 2 && carried && aloft < FLIES
}

/// Whether the body runs, for each sample of a range in which it travels.
fn running(measures: &Measures, range: &Range<usize>) -> Vec<bool> {
    let radius = measures.samples_in(0.6);
    range
        .clone()
        .map(|at| {
            let near = at.saturating_sub(radius).max(range.start)..(at + radius + 1).min(range.end);
            let speed = mean(&measures.speed[near.clone()]);
            // A single flight is a jump, not a run.
            let flights = runs(&measures.aloft[near.clone()], 0, 1).len();
            speed > WALKS
                || (flights > 1
                    && share(&measures.aloft[near.clone()]) > FLIES
                    && !crossings(measures, &near).is_empty())
                || (speed > 0.8 && steps(measures, &near) > RUN_STEPS && !vaults(measures, &near))
        })
        .collect()
}

/// Whether the hips are highest where the ankles pass each other: a walk vaults over the stance leg, a run sinks onto
/// it.
fn vaults(measures: &Measures, range: &Range<usize>) -> bool {
    let heights = &measures.hips[range.clone()];
    let slow = smoothed(heights, measures.samples_in(0.25));
    let apart: Vec<f64> = range
        .clone()
        .map(|at| (measures.point(ANKLES[0], at).z - measures.point(ANKLES[1], at).z).abs())
        .collect();
    let middle = mean(&apart);
    let sum: f64 = (0..apart.len()).map(|at| (heights[at] - slow[at]) * (apart[at] - middle)).sum();
    sum < 0.0
}

/// The samples at which the leading ankle changes, which are the steps. Feet side by side do not count as a change.
fn crossings(measures: &Measures, range: &Range<usize>) -> Vec<usize> {
    let ahead = |at: usize| measures.point(ANKLES[0], at).z - measures.point(ANKLES[1], at).z;
    let (mut found, mut side) = (Vec::new(), None);
    for at in range.clone().filter(|at| ahead(*at).abs() > APART) {
        let now = ahead(at) > 0.0;
        if side.replace(now).is_some_and(|before| before != now) {
            found.push(at);
        }
    }
    found
}

/// Steps per second.
fn steps(measures: &Measures, range: &Range<usize>) -> f64 {
    let crossings = crossings(measures, range);
    match crossings[..] {
        [first, .., last] => (crossings.len() - 1) as f64 * measures.rate / (last - first) as f64,
        _ => 0.0,
    }
}

/// The turn rate of the pelvis \[rad/s\].
fn turn_rates(measures: &Measures) -> Vec<f64> {
    let heading = &measures.heading;
    (0..heading.len())
        .map(|at| {
            let (before, after) = (at.saturating_sub(1), (at + 1).min(heading.len() - 1));
            (heading[after] - heading[before]) * measures.rate / (after - before).max(1) as f64
        })
        .collect()
}

fn turns(measures: &Measures, segments: &mut Vec<Segment>) {
    let rates = turn_rates(measures);
    let smooth = smoothed(&rates, measures.samples_in(0.25));
    let heading = &measures.heading;
    let (near, far) = (measures.samples_in(0.2), measures.samples_in(0.8));
    for (label, sign) in [(Label::TurnLeft, 1.0), (Label::TurnRight, -1.0)] {
        let holds: Vec<bool> = smooth.iter().map(|rate| sign * rate > TURNS).collect();
        for range in runs(&holds, measures.samples_in(0.2), 1) {
            let turn = (heading[range.end - 1] - heading[range.start]) * sign;
            // A twist for a blow or a swing that reverses at once is not a turn.
            let before =
                &heading[range.start.saturating_sub(far)..(range.start + 1).saturating_sub(near).max(1)];
            let last = heading.len() - 1;
            let after = &heading[(range.end - 1 + near).min(last)..(range.end + far).min(last + 1)];
            let kept = (mean(after) - mean(before)) * sign;
            if turn >= TURN && kept >= 0.6 * turn {
                let measured = vec![
                    Measured { name: "turn [rad]", value: turn },
                    Measured { name: "turn [rad/s]", value: turn * measures.rate / range.len() as f64 },
                ];
                segments.push(measures.segment(label, &range, None, measured));
            }
        }
    }
}

fn jumps(measures: &Measures, ran: &[bool], segments: &mut Vec<Segment>) {
    for range in runs(&measures.aloft, 0, measures.samples_in(0.25)) {
        let before = range.start.saturating_sub(1);
        let top = range.clone().map(|at| measures.hips[at]).fold(f64::MIN, f64::max);
        let rise = top - measures.hips[before];
        if rise > 0.03 && !ran[range.clone()].iter().any(|ran| *ran) {
            let measured = vec![
                Measured { name: "flight [s]", value: range.len() as f64 / measures.rate },
                Measured { name: "rise of the hips [leg lengths]", value: rise },
            ];
            segments.push(measures.segment(Label::Jump, &range, None, measured));
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn share(holds: &[bool]) -> f64 {
    holds.iter().filter(|holds| **holds).count() as f64 / holds.len().max(1) as f64
}
