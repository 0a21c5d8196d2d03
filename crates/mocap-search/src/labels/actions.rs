//! Kick, punch, wave, clap, throw.

use super::measures::{ANKLES, ELBOWS, HANDS, HEAD, Measures, SHOULDERS, SIDES};
use super::runs::runs;
use super::{Label, Measured, Segment};
use std::ops::Range;

/// A limb is fast [leg lengths / s].
const FAST: f64 = 3.0;
/// A foot is raised [leg lengths].
const RAISED: f64 = 0.3;
/// The length of the arm of the standard body [leg lengths].
const ARM: f64 = 0.676;
/// Hands that touch are this near [leg lengths]: the wrists of hands that clap.
const TOGETHER: f64 = 0.25;

pub(super) fn find(measures: &Measures, segments: &mut Vec<Segment>) {
    for side in 0..2 {
        kicks(measures, side, segments);
        let thrown = throws(measures, side, segments);
        punches(measures, side, &thrown, segments);
        waves(measures, side, segments);
    }
    claps(measures, segments);
}

fn kicks(measures: &Measures, side: usize, segments: &mut Vec<Segment>) {
    let (ankle, other) = (ANKLES[side], 1 - side);
    let away = |at: usize| {
        let place = measures.point(ankle, at);
        let velocity = measures.velocity(ankle, HEAD, at);
        // Kicks go to the front or to the side; a foot swung back in a run does not count.
        let flat = nalgebra::Vector3::new(place.x, 0.0, place.z);
        velocity.norm() > FAST && velocity.dot(&flat) > 0.0 && place.z > -0.2
    };
    let raised: Vec<bool> = measures.feet[side].iter().map(|height| *height > 0.5 * RAISED).collect();
    for range in runs(&raised, measures.samples_in(0.1), measures.samples_in(0.1)) {
        let stands =
            range.clone().filter(|at| measures.feet[other][*at] < 0.15).count() * 3 > range.len() * 2;
        let fast = range.clone().any(|at| away(at) && measures.feet[side][at] > RAISED);
        let travels = range.clone().map(|at| measures.speed[at]).fold(0.0, f64::max) > 1.8;
        // At the end of a kick the leg is nearly straight: hip to ankle is 0.8 leg lengths or more.
        let reach = range.clone().map(|at| measures.point(ankle, at).norm()).fold(0.0, f64::max);
        let upright = range.clone().all(|at| measures.hips[at] > 0.5 * measures.standing);
        let highest = range.clone().map(|at| measures.feet[side][at]).fold(0.0, f64::max);
        let forward = range
            .clone()
            .filter(|at| measures.feet[side][*at] > RAISED)
            .map(|at| {
                let place = measures.point(ankle, at);
                place.z.max(place.x.abs())
            })
            .fold(0.0, f64::max);
        if stands && fast && !travels && upright && reach > 0.8 && forward > 0.4 && highest > RAISED {
            let peak = range.clone().map(|at| measures.velocity(ankle, HEAD, at).norm()).fold(0.0, f64::max);
            let measured = vec![
                Measured { name: "speed of the foot [leg lengths / s]", value: peak },
                Measured { name: "height of the foot [leg lengths]", value: highest },
            ];
            segments.push(measures.segment(Label::Kick, &range, Some(SIDES[side]), measured));
        }
    }
}

/// Where a hand comes from above or behind its shoulder to the front, fast.
fn throws(measures: &Measures, side: usize, segments: &mut Vec<Segment>) -> Vec<Range<usize>> {
    let (hand, shoulder) = (HANDS[side], SHOULDERS[side]);
    let fast: Vec<bool> =
        (0..measures.len()).map(|at| measures.velocity(hand, shoulder, at).z > 1.2 * FAST).collect();
    let mut found = Vec::new();
    for range in runs(&fast, measures.samples_in(0.05), measures.samples_in(0.08)) {
        let start = range.start.saturating_sub(measures.samples_in(0.4));
        let place = |at: usize| measures.point(hand, at) - measures.point(shoulder, at);
        let cocked = (start..range.start + 1).any(|at| place(at).y > 0.0 && place(at).z < 0.1);
        let over = range.clone().any(|at| place(at).y > 0.1);
        let released = place((range.end).min(measures.len() - 1)).z > 0.3;
        if cocked && over && released {
            let peak =
                range.clone().map(|at| measures.velocity(hand, shoulder, at).norm()).fold(0.0, f64::max);
            let measured = vec![Measured { name: "speed of the hand [leg lengths / s]", value: peak }];
            let whole = start..(range.end + measures.samples_in(0.15)).min(measures.len());
            segments.push(measures.segment(Label::Throw, &whole, Some(SIDES[side]), measured));
            found.push(whole);
        }
    }
    found
}

fn punches(measures: &Measures, side: usize, thrown: &[Range<usize>], segments: &mut Vec<Segment>) {
    let (hand, shoulder) = (HANDS[side], SHOULDERS[side]);
    let place = |at: usize| measures.point(hand, at) - measures.point(shoulder, at);
    let outwards = |at: usize| {
        let velocity = measures.velocity(hand, shoulder, at);
        let direction = place(at).try_normalize(1e-9).unwrap_or_else(nalgebra::Vector3::zeros);
        velocity.dot(&direction)
    };
    // The arm straightens at FAST: a swung arm that is straight already does not.
    let fast: Vec<bool> = (0..measures.len()).map(|at| outwards(at) > 0.7 * FAST).collect();
    for range in runs(&fast, 1, measures.samples_in(0.06)) {
        let last = (range.end + 1).min(measures.len() - 1);
        let end = place(last);
        let straight = (range.start..=last).map(|at| place(at).norm()).fold(0.0, f64::max) > 0.85 * ARM;
        let level = end.y.abs() < 0.35 && end.z > 0.3;
        let overlaps = thrown.iter().any(|other| other.start < range.end && range.start < other.end);
        let travels = measures.speed[range.start] > 2.4;
        if straight && level && !overlaps && !travels {
            let peak = range.clone().map(outwards).fold(0.0, f64::max);
            let measured = vec![Measured { name: "speed of the hand [leg lengths / s]", value: peak }];
            let whole = range.start.saturating_sub(2)..last + 1;
            segments.push(measures.segment(Label::Punch, &whole, Some(SIDES[side]), measured));
        }
    }
}

fn waves(measures: &Measures, side: usize, segments: &mut Vec<Segment>) {
    let (hand, elbow, shoulder) = (HANDS[side], ELBOWS[side], SHOULDERS[side]);
    let raised: Vec<bool> = (0..measures.len())
        .map(|at| {
            let (hand, elbow) = (measures.point(hand, at), measures.point(elbow, at));
            hand.y > measures.point(shoulder, at).y - 0.05 && hand.y > elbow.y
        })
        .collect();
    for range in runs(&raised, measures.samples_in(0.15), measures.samples_in(0.5)) {
        // To and fro: turning points of the hand across, with a way of at least this between them.
        let across = |at: usize| measures.point(hand, at).x - measures.point(elbow, at).x;
        let mut turning: Vec<usize> = Vec::new();
        let (mut low, mut high, mut rising) = (range.start, range.start, None);
        for at in range.clone() {
            if across(at) < across(low) {
                low = at;
            }
            if across(at) > across(high) {
                high = at;
            }
            if rising != Some(true) && across(at) - across(low) > 0.06 {
                turning.push(low);
                (rising, high) = (Some(true), at);
            } else if rising != Some(false) && across(high) - across(at) > 0.06 {
                turning.push(high);
                (rising, low) = (Some(false), at);
            }
        }
        // Three ways in a row, each within 0.7 s.
        let quick: Vec<bool> =
            turning.windows(2).map(|pair| pair[1] - pair[0] <= measures.samples_in(0.7)).collect();
        for part in runs(&quick, 0, 3) {
            let whole = turning[part.start]..(turning[part.end] + 1).min(range.end);
            let ways = part.len() as f64;
            let measured = vec![
                Measured { name: "ways", value: ways },
                Measured { name: "ways per second", value: ways * measures.rate / whole.len() as f64 },
            ];
            segments.push(measures.segment(Label::Wave, &whole, Some(SIDES[side]), measured));
        }
    }
}

fn claps(measures: &Measures, segments: &mut Vec<Segment>) {
    let gap: Vec<f64> = (0..measures.len())
        .map(|at| (measures.point(HANDS[0], at) - measures.point(HANDS[1], at)).norm())
        .collect();
    let near = measures.samples_in(0.3);
    let mut claps: Vec<usize> = Vec::new();
    for at in 1..measures.len().saturating_sub(1) {
        let before = &gap[at.saturating_sub(near)..at];
        let after = &gap[at + 1..(at + 1 + near).min(gap.len())];
        let opened = |side: &[f64]| side.iter().copied().fold(0.0, f64::max) - gap[at] > 0.12;
        if gap[at] < TOGETHER
            && gap[at] <= gap[at - 1]
            && gap[at] < gap[at + 1]
            && opened(before)
            && opened(after)
        {
            claps.push(at);
        }
    }
    let mut struck = vec![false; measures.len()];
    claps.iter().for_each(|at| struck[*at] = true);
    for range in runs(&struck, measures.samples_in(1.0), 1) {
        let count = claps.iter().filter(|at| range.contains(at)).count() as f64;
        let whole = range.start.saturating_sub(near)..(range.end + near).min(measures.len());
        let measured = vec![
            Measured { name: "claps", value: count },
            Measured {
                name: "nearest wrists [leg lengths]",
                value: gap[range.clone()].iter().copied().fold(f64::MAX, f64::min),
            },
        ];
        segments.push(measures.segment(Label::Clap, &whole, None, measured));
    }
}
