//! Stage 3, hands that carry: where only hands carry the body, as in a handstand, its height follows from them.
//!
//! Elsewhere, the height of the hips follows from the legs. On a body with short arms, the hands of a handstand would
//! hang above the floor, and long arms would penetrate it. So the body is moved up or down until its hands are as
//! high as the source's, scaled by the arm; how far hands carry depends on the height of hips, knees and feet above
//! the floor. Where feet stand too, the body only sinks, for hands that cannot reach the floor otherwise. Between
//! hands and feet, in the air, the body moves smoothly from the height of one support to that of the next.

use crate::arm_reach::FreeArm;
use crate::body::LimbKind;
use crate::clip_context::Feet;
use crate::foot_lock::{block_of, move_hips};
use crate::hand_placing::HandPlacing;
use crate::pair::Pair;
use crate::self_contact::{ContactPair, SelfContacts, Touched};
use crate::smoothing::{envelope, fade_out, falling, sliding_max, smooth};
use crate::standing_heights::StandingHeights;
use crate::trajectories::{BodyTargets, BodyTrajectories, place_of};
use mocap_analysis::FootContacts;
use mocap_model::{FrameRate, LANES, Vector3, VectorLanes};

/// Feet take over from hands within twice this time before they stand, and leave the body to them after \[s\].
const TAKE_OVER: f64 = 0.1;
/// Where nothing carries the body, it comes back to the height of its legs within this time \[s\].
const LONGEST: f64 = 1.0;
/// The body begins to sink this long before its hands come down, at the latest \[s\].
const AHEAD: f64 = 0.3;
/// The move is smoothed over this time to each side \[s\].
const SMOOTH: f64 = 0.08;

/// A body whose feet stand sinks by up to the first value for hands that do not reach the floor; beyond the second,
/// its hands stay off it \[leg lengths\].
const SINKS: (f64, f64) = (0.1, 0.2);

/// Moves a body up or down to where its hands carry it. Runs before the foot lock. Returns how far they carry it, by
/// frame, 0 to 1; empty if they never do. A body put on itself has its hands where they were.
pub(crate) fn carry_on_hands(
    pair: &Pair,
    contacts: &SelfContacts,
    feet: &Feet,
    heights: &StandingHeights,
    rate: FrameRate,
    targets: &mut BodyTargets,
    body: &mut BodyTrajectories,
) -> Vec<f64> {
    let on_floor =
        |(contact, touches): (&ContactPair, &Vec<_>)| contact.on == Touched::Floor && !touches.is_empty();
    if pair.is_one_body() || !contacts.pairs.iter().zip(&contacts.offsets).any(on_floor) {
        return Vec::new();
    }
    let standing: Vec<Vec<f64>> =
        feet.contacts.iter().map(|foot| standing(foot, rate, targets.frames)).collect();
    let rises = rises(pair, contacts, heights, rate, targets, &standing);
    let up = pair.directions.up;
    let along = |rises: [f64; LANES]| VectorLanes::same(&Vector3::zeros()).plus_along(&up, &rises);
    for block in 0..targets.above_hips.len() {
        let rises = block_of(&rises, block);
        move_hips(targets, body, feet, block, &along(rises));
        for (foot, standing) in feet.geometry.iter().zip(&standing) {
            // Feet that stand stay.
            let standing = block_of(standing, block);
            let free = std::array::from_fn(|lane| rises[lane] * (1.0 - standing[lane]).max(0.0));
            if let Some(leg) = targets.limbs[foot.limb].get_mut(block) {
                leg.goal.add(&along(free));
            }
        }
    }
    carried(contacts, &standing, targets.frames)
}

/// By frame: how far hands carry the body, fading in and out with their contacts.
fn carried(contacts: &SelfContacts, standing: &[Vec<f64>], frames: usize) -> Vec<f64> {
    let mut carried = vec![0.0f64; frames];
    for (_, touches) in
        contacts.pairs.iter().zip(&contacts.offsets).filter(|(pair, _)| pair.on == Touched::Floor)
    {
        for (frame, touch) in touches.iter().enumerate() {
            let share = touch.weight * touch.carries * (1.0 - on_feet(standing, frame));
            carried[frame] = carried[frame].max(share.min(1.0));
        }
    }
    carried
}

/// How far feet carry the body in a frame.
fn on_feet(standing: &[Vec<f64>], frame: usize) -> f64 {
    standing.iter().map(|foot| foot[frame]).fold(0.0, f64::max).min(1.0)
}

/// By frame: 1 while a foot stands, fading to 0 before and after.
fn standing(foot: &FootContacts, rate: FrameRate, frames: usize) -> Vec<f64> {
    let reach = (TAKE_OVER * rate.fps()).round().max(1.0) as usize;
    let stands = |frame: usize| {
        let touches = [&foot.toe, &foot.heel].into_iter().any(|part| part.get(frame) == Some(&true));
        f64::from(u8::from(touches))
    };
    envelope(&(0..frames).map(stands).collect::<Vec<f64>>(), reach)
}

/// By frame: how far the body is moved up. `standing` are the weights of its feet.
fn rises(
    pair: &Pair,
    contacts: &SelfContacts,
    heights: &StandingHeights,
    rate: FrameRate,
    targets: &BodyTargets,
    standing: &[Vec<f64>],
) -> Vec<f64> {
    let up = &pair.directions.up;
    let leg = pair.target.reference.limb_length(pair.target.body.legs()[0]);
    let placing = HandPlacing::new(pair, heights);
    let (mut sums, mut hands) = (vec![0.0; targets.frames], vec![0.0; targets.frames]);
    for (contact, touches) in contacts.pairs.iter().zip(&contacts.offsets) {
        let touches = touches.iter().enumerate().filter(|(_, touch)| touch.touches());
        for (frame, touch) in touches.filter(|_| contact.on == Touched::Floor) {
            let Some(arm) = placing.arm(targets, contact.arm, frame, false) else { continue };
            let palm = arm.palm_place();
            let rise = touch.offset.dot(up) + heights.target_floor - palm.dot(up);
            let sinks = sinks(&arm, &(palm + up * rise), up);
            let sinks = sinks * falling(SINKS, sinks / leg) * touch.presses;
            let carries = touch.carries * (1.0 - on_feet(standing, frame));
            sums[frame] += rise * carries - sinks * (1.0 - carries);
            hands[frame] += 1.0;
        }
    }
    let span = |seconds: f64| (seconds * rate.fps()).round().max(1.0) as usize;
    // Feet that stand while a hand comes down or leaves do not say how high the body is.
    let near_hands = sliding_max(&hands, span(AHEAD));
    let stands = |frame: usize| near_hands[frame] <= 0.0 && on_feet(standing, frame) >= 1.0 - 1e-9;
    let known = (0..targets.frames).filter(|frame| hands[*frame] > 0.0 || stands(*frame));
    let known: Vec<(usize, f64)> =
        known.map(|frame| (frame, sums[frame] / f64::max(hands[frame], 1.0))).collect();
    if known.iter().all(|(_, rise)| *rise == 0.0) {
        return vec![0.0; targets.frames];
    }
    let mut rises = filled(&known, targets.frames, span(LONGEST));
    for (frame, rise) in rises.iter_mut().enumerate() {
        // Feet that stand stay where they are.
        *rise = rise.max(-room_below(pair, heights, targets, frame) - on_feet(standing, frame) * leg);
    }
    smooth(&rises, span(SMOOTH))
}

/// How far a body has to sink for a palm to reach its goal on the floor, beside what the arm does; 0 for a goal above
/// it.
fn sinks(arm: &FreeArm, goal: &Vector3<f64>, up: &Vector3<f64>) -> f64 {
    /// Steps that are as long as the goal is missed, each; they never lead too far.
    const STEPS: usize = 12;
    /// Arms keep this much of their reach, for what is smoothed later [arm lengths].
    const SPARE: f64 = 0.02;
    let goal = goal - up * (SPARE * arm.length());
    let below = (arm.palm_place() - goal).dot(up).max(0.0);
    let missed = |sunk: f64| {
        let goal = goal + up * sunk;
        (arm.reached(&goal) - goal).norm()
    };
    (0..STEPS).fold(0.0, |sunk: f64, _| (sunk + missed(sunk)).min(below))
}

/// How far the body may sink in a frame until an ankle is as low as in a foot that stands.
fn room_below(pair: &Pair, heights: &StandingHeights, targets: &BodyTargets, frame: usize) -> f64 {
    let (block, lane) = place_of(frame);
    let legs = pair.limbs.iter().zip(&targets.limbs).filter(|(limb, _)| limb.target.kind == LimbKind::Leg);
    let goals = legs.filter_map(|(_, leg)| Some(leg.get(block)?.goal.at(lane).dot(&pair.directions.up)));
    (goals.fold(f64::INFINITY, f64::min) - heights.target_floor - heights.target_ankle).max(0.0)
}

/// A curve through values at some frames, in order: it goes smoothly from one to the next, and to 0 within `longest`
/// frames where there is none.
fn filled(known: &[(usize, f64)], frames: usize, longest: usize) -> Vec<f64> {
    let value = |frame: usize| {
        let next = known.partition_point(|(at, _)| *at < frame);
        let before = next.checked_sub(1).map(|last| known[last]);
        let faded =
            |away: usize, value: f64| if away < longest { value * fade_out(away, longest) } else { 0.0 };
        match (before, known.get(next)) {
            (_, Some((at, value))) if *at == frame => *value,
            (Some((from, a)), Some((to, b))) if to - from <= 2 * longest => {
                b + (a - b) * fade_out(frame - from, to - from - 1)
            }
            (before, after) => {
                let before = before.map_or(0.0, |(from, value)| faded(frame - from, value));
                before + after.map_or(0.0, |(to, value)| faded(to - frame, *value))
            }
        }
    };
    (0..frames).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm_reach::MOST_TURN;

    #[test]
    fn a_body_sinks_until_an_oblique_arm_reaches_the_floor() {
        let up = Vector3::y();
        let shoulder = Vector3::new(0.0, 0.55, 0.0);
        let arm = |bones: f64| FreeArm {
            shoulder,
            wrist: shoulder + Vector3::new(0.0, -0.8, 0.6) * (2.0 * bones),
            upper_direction: Vector3::new(0.0, -0.8, 0.6),
            palm: Vector3::zeros(),
            bones: [bones; 2],
            most_turn: MOST_TURN,
        };
        let floor = |arm: &FreeArm| Vector3::new(0.0, 0.0, arm.wrist.z);
        let (short, long) = (arm(0.25), arm(0.4));
        let sunk = sinks(&short, &floor(&short), &up);
        let goal = floor(&short) + up * sunk;
        assert!(sunk > 0.05 && (short.reached(&goal) - goal).norm() < 1e-3, "{sunk}");
        assert_eq!(sinks(&long, &floor(&long), &up), 0.0);
    }

    #[test]
    fn a_curve_goes_from_one_value_to_the_next_and_to_nothing() {
        let curve = filled(&[(2, 1.0), (6, 3.0)], 40, 8);
        assert_eq!((curve[2], curve[6], curve[4]), (1.0, 3.0, 2.0));
        assert!(curve[1] < 1.0 && curve[7] < 3.0 && curve[39] == 0.0, "{curve:?}");
        assert!(curve.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.8), "{curve:?}");
        assert_eq!(filled(&[], 3, 8), [0.0; 3]);
    }
}
