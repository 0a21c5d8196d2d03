//! Idle, walk, run, turns, jumps.

use super::measures::{ANKLES, Measures};
use super::runs::{runs, smoothed};
use super::{Label, Measured, Segment};
use std::ops::Range;

/// The hips travel [leg lengths / s].
const TRAVELS: f64 = 0.3;
/// Nobody walks faster [leg lengths / s]: a Froude number v² / (g · leg) of 0.5 at a leg of 0.85 m, at which people
/// change to a run. Based on: R. McN. Alexander, "Optimization and gaits in the locomotion of vertebrates", 1989.
const WALKS: f64 = 2.4;
/// Steps per second from which a body runs: a walk has 1.5 to 2.3, a run 2.5 to 3.5.
const RUN_STEPS: f64 = 2.35;
/// The hips stay in place [leg lengths / s].
const STAYS: f64 = 0.15;
/// The points of a body that does nothing move so slowly [leg lengths / s].
const QUIET: f64 = 0.12;
/// Feet are off the floor [leg lengths].
const ALOFT: f64 = 0.06;
/// Smallest turn \[rad\].
const TURN: f64 = std::f64::consts::FRAC_PI_4;
/// A body turns \[rad/s\].
const TURNS: f64 = 0.35;

pub(super) fn find(measures: &Measures, segments: &mut Vec<Segment>) {
    let upright: Vec<bool> = (0..measures.len())
        .map(|at| measures.hips[at] > 0.6 * measures.standing && measures.trunk(at) > 0.3)
        .collect();
    let aloft: Vec<bool> = (0..measures.len())
        .map(|at| (0..2).all(|side| measures.feet[side][at] > ALOFT && !measures.contact[side][at]))
        .collect();
    let travels: Vec<bool> =
        (0..measures.len()).map(|at| measures.speed[at] > TRAVELS && upright[at]).collect();
    let mut ran = vec![false; measures.len()];
    for range in runs(&travels, measures.samples_in(0.3), measures.samples_in(0.5)) {
        let running = running(measures, &aloft, &range);
        for (label, wanted) in [(Label::Walk, false), (Label::Run, true)] {
            let holds: Vec<bool> = range.clone().map(|at| running[at - range.start] == wanted).collect();
            for part in runs(&holds, 0, measures.samples_in(0.4).min(range.len())) {
                let part = part.start + range.start..part.end + range.start;
                if wanted {
                    ran[part.clone()].fill(true);
                }
                let measured = vec![
                    Measured { name: "speed [leg lengths / s]", value: mean(&measures.speed[part.clone()]) },
                    Measured { name: "steps per second", value: steps(measures, &part) },
                    Measured { name: "both feet off the floor [share]", value: share(&aloft[part.clone()]) },
                ];
                segments.push(measures.segment(label, &part, None, measured));
            }
        }
    }
    turns(measures, segments);
    jumps(measures, &aloft, &ran, segments);
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

/// Whether the body runs, for each sample of a range in which it travels.
fn running(measures: &Measures, aloft: &[bool], range: &Range<usize>) -> Vec<bool> {
    let radius = measures.samples_in(0.6);
    range
        .clone()
        .map(|at| {
            let near = at.saturating_sub(radius).max(range.start)..(at + radius + 1).min(range.end);
            let speed = mean(&measures.speed[near.clone()]);
            speed > WALKS
                || share(&aloft[near.clone()]) > 0.12
                || (speed > 0.8 && steps(measures, &near) > RUN_STEPS)
        })
        .collect()
}

/// Steps per second: a step ends where the ankle ahead changes.
fn steps(measures: &Measures, range: &Range<usize>) -> f64 {
    let ahead = |at: usize| measures.point(ANKLES[0], at).z - measures.point(ANKLES[1], at).z;
    let mut crossings = Vec::new();
    for at in range.start + 1..range.end {
        if (ahead(at) > 0.0) != (ahead(at - 1) > 0.0) {
            crossings.push(at);
        }
    }
    match crossings[..] {
        [first, .., last] => (crossings.len() - 1) as f64 * measures.rate / (last - first) as f64,
        _ => 0.0,
    }
}

fn turns(measures: &Measures, segments: &mut Vec<Segment>) {
    let rates: Vec<f64> = measures.samples.iter().map(|sample| f64::from(sample.turn)).collect();
    let smooth = smoothed(&rates, measures.samples_in(0.5));
    for (label, sign) in [(Label::TurnLeft, 1.0), (Label::TurnRight, -1.0)] {
        let holds: Vec<bool> = smooth.iter().map(|rate| sign * rate > TURNS).collect();
        for range in runs(&holds, measures.samples_in(0.2), 1) {
            let turn = rates[range.clone()].iter().sum::<f64>() / measures.rate * sign;
            if turn >= TURN {
                let measured = vec![
                    Measured { name: "turn [rad]", value: turn },
                    Measured { name: "turn [rad/s]", value: turn * measures.rate / range.len() as f64 },
                ];
                segments.push(measures.segment(label, &range, None, measured));
            }
        }
    }
}

fn jumps(measures: &Measures, aloft: &[bool], ran: &[bool], segments: &mut Vec<Segment>) {
    for range in runs(aloft, 0, measures.samples_in(0.25)) {
        let before = range.start.saturating_sub(1);
        let top = range.clone().map(|at| measures.hips[at]).fold(f64::MIN, f64::max);
        let rise = top - measures.hips[before];
        // A raised body that hangs or climbs does not fall back.
        let end = measures.hips[(range.end).min(measures.len() - 1)];
        if rise > 0.03 && top - end > 0.03 && !ran[range.clone()].iter().any(|ran| *ran) {
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
