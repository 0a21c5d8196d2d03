//! Kick, punch, wave, clap, throw.

use super::measures::{ANKLES, ELBOWS, HANDS, HEAD, Measures, SHOULDERS, SIDES};
use super::runs::runs;
use super::{Label, Measured, Segment};
use std::ops::Range;

/// Least speed of a kicking or striking limb [leg lengths / s].
const FAST: f64 = 3.0;
/// Least height of a raised foot [leg lengths].
const RAISED: f64 = 0.3;
/// Position of a foot behind the hips [leg lengths].
const BEHIND: f64 = -0.2;
/// Above this speed a body runs [leg lengths / s].
const WALKS: f64 = 2.4;
/// The length of the arm of the standard body [leg lengths].
const ARM: f64 = 0.676;
/// The length of the forearm of the standard body [leg lengths].
const FOREARM: f64 = 0.297;
/// Least speed of a throwing hand [leg lengths / s]: 5 m/s for an adult.
const THROWN: f64 = 6.0;
/// Longest time of a punch until the arm is straight \[s\].
const PUNCH: f64 = 0.45;
/// Least speed of a punching hand relative to its shoulder [leg lengths / s]: 0.8 m/s for an adult.
const STRAIGHTENS: f64 = 0.9;
/// Largest distance of the wrists in a clap [leg lengths], on the original body.
const TOGETHER: f64 = 0.3;
/// Before and after a clap, the distance is larger by this [leg lengths].
const PARTED: f64 = 0.18;
/// Largest difference of the wrists in height and depth during a clap [leg lengths].
const LEVEL: f64 = 0.15;

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
        velocity.norm() > FAST && velocity.dot(&flat) > 0.0 && place.z > BEHIND
    };
    // A foot that is still behind belongs to the run-up.
    let raised: Vec<bool> = measures.feet[side].iter().map(|height| *height > 0.5 * RAISED).collect();
    for raised in runs(&raised, measures.samples_in(0.1), measures.samples_in(0.1)) {
        let Some(start) = raised.clone().find(|at| measures.point(ankle, *at).z > BEHIND) else { continue };
        let range = start..raised.end;
        let stands =
            range.clone().filter(|at| measures.feet[other][*at] < 0.15).count() * 3 > range.len() * 2;
        let fast = range.clone().any(|at| away(at) && measures.feet[side][at] > RAISED);
        let travels = range.clone().map(|at| measures.speed[at]).fold(0.0, f64::max) > WALKS;
        // A kick ends with the foot away from the hips and the leg nearly straight. A knee that is lifted does not.
        let straight = range.clone().any(|at| {
            let place = measures.point(ankle, at);
            let away = place.z.max(place.x.abs());
            measures.feet[side][at] > RAISED && away > 0.4 && place.norm() > 0.8
        });
        let upright = range.clone().all(|at| measures.hips[at] > 0.5 * measures.standing);
        let highest = range.clone().map(|at| measures.feet[side][at]).fold(0.0, f64::max);
        if stands && fast && !travels && upright && straight {
            let peak = range.clone().map(|at| measures.velocity(ankle, HEAD, at).norm()).fold(0.0, f64::max);
            let measured = vec![
                Measured { name: "speed of the foot [leg lengths / s]", value: peak },
                Measured { name: "height of the foot [leg lengths]", value: highest },
            ];
            segments.push(measures.segment(Label::Kick, &range, Some(SIDES[side]), measured));
        }
    }
}

/// Throws: one hand moves fast from above or behind its shoulder to the front, while a foot is on the floor.
fn throws(measures: &Measures, side: usize, segments: &mut Vec<Segment>) -> Vec<Range<usize>> {
    let (hand, shoulder) = (HANDS[side], SHOULDERS[side]);
    let (other_hand, other_shoulder) = (HANDS[1 - side], SHOULDERS[1 - side]);
    let fast: Vec<bool> =
        (0..measures.len()).map(|at| measures.velocity(hand, shoulder, at).z > 1.2 * FAST).collect();
    let mut found = Vec::new();
    for range in runs(&fast, measures.samples_in(0.05), measures.samples_in(0.08)) {
        let start = range.start.saturating_sub(measures.samples_in(0.4));
        let place = |at: usize| measures.point(hand, at) - measures.point(shoulder, at);
        let cocked = (start..range.start + 1).any(|at| place(at).y > 0.0 && place(at).z < 0.1);
        let over = range.clone().any(|at| place(at).y > 0.1);
        let released = place((range.end).min(measures.len() - 1)).z > 0.3;
        let peak = range.clone().map(|at| measures.velocity(hand, shoulder, at).norm()).fold(0.0, f64::max);
        // Arms that swing together help a jump.
        let alone = range.clone().all(|at| {
            measures.velocity(other_hand, other_shoulder, at).z
                < 0.5 * measures.velocity(hand, shoulder, at).z
        });
        let stands = range.clone().all(|at| measures.lowest_foot(at) < 0.15 && measures.trunk(at) > 0.3);
        if cocked && over && released && alone && stands && peak > THROWN {
            let measured = vec![Measured { name: "speed of the hand [leg lengths / s]", value: peak }];
            let whole = start..(range.end + measures.samples_in(0.15)).min(measures.len());
            segments.push(measures.segment(Label::Throw, &whole, Some(SIDES[side]), measured));
            found.push(whole);
        }
    }
    found
}

/// Punches: a bent arm straightens fast to the front and bends again.
fn punches(measures: &Measures, side: usize, thrown: &[Range<usize>], segments: &mut Vec<Segment>) {
    let reach = |side: usize, at: usize| {
        (measures.point(HANDS[side], at) - measures.point(SHOULDERS[side], at)).norm() / ARM
    };
    let last = measures.len() - 1;
    let before = measures.samples_in(PUNCH);
    let is_peak = |at: usize| {
        let near = at.saturating_sub(2)..(at + 3).min(measures.len());
        near.clone().all(|other| reach(side, other) <= reach(side, at)) && at > near.start && at < last
    };
    let mut end = 0;
    for at in (0..measures.len()).filter(|at| is_peak(*at) && reach(side, *at) > 0.9) {
        if at < end {
            continue;
        }
        let start = (at.saturating_sub(before)..at).rev().find(|before| reach(side, *before) < 0.7);
        let Some(start) = start else { continue };
        let back = (at..=(at + measures.samples_in(0.7)).min(last)).find(|after| reach(side, *after) < 0.8);
        let Some(back) = back else { continue };
        let place = measures.point(HANDS[side], at) - measures.point(SHOULDERS[side], at);
        let speeds = (start..at).map(|at| (reach(side, at + 1) - reach(side, at)) * ARM * measures.rate);
        let peak = speeds.fold(0.0, f64::max);
        // Only one arm moves: both arms swing in a kick, run or jump.
        let other = reach(1 - side, at) - reach(1 - side, start);
        let stands = (start..back).all(|at| (0..2).all(|side| measures.feet[side][at] < RAISED))
            && measures.speed[at] < 1.8
            && (measures.hips[start] - measures.hips[back]).abs() < 0.2;
        let ahead = place.z > 0.5 * ARM && place.y.abs() < 0.6 * ARM;
        let overlaps = thrown.iter().any(|other| other.start < back && start < other.end);
        if peak > STRAIGHTENS
            && other < 0.2
            && stands
            && ahead
            && !overlaps
            && thrusts(measures, side, start..at)
        {
            let measured = vec![
                Measured { name: "speed of the hand [leg lengths / s]", value: peak },
                Measured { name: "reach [share of the arm]", value: reach(side, at) },
            ];
            segments.push(measures.segment(Label::Punch, &(start..back + 1), Some(SIDES[side]), measured));
            end = back;
        }
    }
}

/// Whether a hand moves straight to the front; a swinging one moves in an arc.
fn thrusts(measures: &Measures, side: usize, range: Range<usize>) -> bool {
    let place = |at: usize| measures.point(HANDS[side], at) - measures.point(SHOULDERS[side], at);
    let way: f64 = range.clone().map(|at| (place(at + 1) - place(at)).norm()).sum();
    let moved = place(range.end) - place(range.start);
    moved.norm() > 0.8 * way && moved.z > 0.4 * moved.norm()
}

/// Waves: the forearm of a raised hand oscillates about the elbow.
fn waves(measures: &Measures, side: usize, segments: &mut Vec<Segment>) {
    let (hand, elbow, shoulder) = (HANDS[side], ELBOWS[side], SHOULDERS[side]);
    let raised: Vec<bool> = (0..measures.len())
        .map(|at| {
            let (hand, elbow) = (measures.point(hand, at), measures.point(elbow, at));
            hand.y > measures.point(shoulder, at).y - 0.05
                && hand.y > elbow.y + 0.5 * FOREARM
                && measures.lowest_foot(at) < 0.15
        })
        .collect();
    for range in runs(&raised, measures.samples_in(0.15), measures.samples_in(0.5)) {
        // Turning points of the hand's lateral motion relative to the elbow, at least 0.06 leg
        // lengths apart.
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
        // Three strokes in a row, each within 0.7 s, in which the elbow moves less than the hand.
        let quick: Vec<bool> = turning
            .windows(2)
            .map(|pair| {
                let moved = (measures.point(elbow, pair[1]) - measures.point(elbow, pair[0])).norm();
                pair[1] - pair[0] <= measures.samples_in(0.7)
                    && moved < (across(pair[1]) - across(pair[0])).abs()
            })
            .collect();
        for part in runs(&quick, 0, 3) {
            let whole = turning[part.start]..(turning[part.end] + 1).min(range.end);
            let ways = part.len() as f64;
            let measured = vec![
                Measured { name: "ways", value: ways },
                Measured { name: "strokes per second", value: ways * measures.rate / whole.len() as f64 },
            ];
            segments.push(measures.segment(Label::Wave, &whole, Some(SIDES[side]), measured));
        }
    }
}

fn claps(measures: &Measures, segments: &mut Vec<Segment>) {
    let gap = &measures.wrists;
    let near = measures.samples_in(0.3);
    // In a clap, both hands approach symmetrically from their own sides. Crossing arms pass each other, and swinging
    // arms are one in front of the other.
    let aside = |at: usize| {
        let apart = |at: usize| measures.point(HANDS[0], at) - measures.point(HANDS[1], at);
        let stays = at.saturating_sub(near)..(at + 1 + near).min(measures.len());
        stays.clone().all(|at| apart(at).x > -0.02 && apart(at).y.abs() < LEVEL && apart(at).z.abs() < LEVEL)
    };
    let mut claps: Vec<usize> = Vec::new();
    for at in 1..measures.len().saturating_sub(1) {
        let before = &gap[at.saturating_sub(near)..at];
        let after = &gap[at + 1..(at + 1 + near).min(gap.len())];
        let opened = |side: &[f64]| side.iter().copied().fold(0.0, f64::max) - gap[at] > PARTED;
        if gap[at] < TOGETHER
            && gap[at] <= gap[at - 1]
            && gap[at] < gap[at + 1]
            && opened(before)
            && opened(after)
            && aside(at)
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
