//! A second hand on a thing that another hand carries: it is on its grip while it holds the thing, and comes and goes
//! without haste.
//!
//! While it holds, inverse kinematics brings it to the grip. Before and after, the arm has its own motion with the turn that
//! each of its joints needs at the grip, fading out. Joints are faded, not places: a hand that is taken along a line to its
//! grip passes where its arm is nearly straight, or beside the shoulder, and there a small way is a large turn of the elbow.
//! The fade is as long as it takes for the joints to turn no further per frame than they do in the source.

use std::f64::consts::TAU;
use std::ops::Range;

use mocap_model::{Clip, Isometry3, UnitQuaternion, Vector3};

use super::carried::{Carried, Holder};
use super::holds::{HeldProp, frames_from};
use super::person::{Hands, Person, arm_of, is_at_wrist};
use super::{ATTACH, falling};
use crate::EditError;
use crate::arms::{ArmJoints, HandGoals, place_hand};
use crate::samples::Samples;
use crate::smoothing::{gaussian, smooth_step};

/// Overrelaxation of each step of the carrying hand towards the second.
const FURTHER: f64 = 1.1;
/// Smoothing of the shift of the carrying hand \[s\].
const SMOOTH: f64 = 0.1;
/// The time over which that shift comes and goes \[s\].
const COMES: f64 = 0.5;
/// The shortest and the longest time in which an arm comes to its grip and goes back to its own motion \[s\].
pub(super) const FADE: [f64; 2] = [0.25, 1.5];
/// Factor between the times that are tried.
const LONGER: f64 = 1.25;
/// Lower bound of what is left for the fade in a frame, as a share of the limit of a joint: fades never stop.
const LEAST: f64 = 0.05;
/// Steps that are larger than those of the source by less than this are as large \[rad\].
pub(super) const MARGIN: f64 = 0.004;

/// A second hand that holds a thing.
pub(super) struct Reach<'a> {
    hand: &'a Carried,
    joints: ArmJoints,
    /// The person before the hand was brought to the thing.
    base: Clip,
    /// The relation of its hand to that of the source, also before.
    hands: Hands,
    /// By frame: whether the hand holds nothing.
    free: Vec<bool>,
    /// The largest steps of the joints in the source \[rad\].
    limits: [f64; 3],
    /// The largest step of shoulder and elbow in the source while the hand holds the thing \[rad\].
    steady: f64,
}

impl<'a> Reach<'a> {
    /// `None` for a hand without an arm.
    pub(super) fn of(
        person: &Person,
        hand: &'a Carried,
        prop: &HeldProp,
        free: Vec<bool>,
    ) -> Option<Reach<'a>> {
        let middle = (hand.frames.start + hand.frames.end) / 2;
        let was = person.source.places(hand.role)?;
        let at_wrist = is_at_wrist(&was[middle], &prop.own[middle], &prop.grips);
        let hands = Hands::of(person, hand.role, middle, at_wrist)?;
        let joints = arm_of(&person.clip, hand.role)?;
        // A source without an upper arm shows no limit.
        let source = arm_of(&person.was, hand.role);
        let limits = source.map_or([f64::INFINITY; 3], |arm| limits_of(&person.was, arm));
        let held = source.map(|arm| arm.steps(&person.was, hand.frames.clone()));
        let steady = held.map_or(f64::INFINITY, |[shoulder, elbow, _]| shoulder.max(elbow));
        Some(Reach { hand, joints, base: person.clip.clone(), hands, free, limits, steady })
    }
}

/// Moves the carrying hand by the distance that a second hand lacks in the frames in which it holds the thing \[m\]. In
/// frames in which it is `tied` it stays.
pub(super) fn come(
    person: &mut Person,
    one: &Carried,
    (off, held): (&[Vector3<f64>], &Range<usize>),
    tied: &[bool],
) -> Result<(), EditError> {
    let (Some(joints), Some(is)) = (arm_of(&person.clip, one.role), person.target.places(one.role)) else {
        return Ok(());
    };
    let fps = person.clip.rate().fps();
    let fade = (COMES * fps).round() as usize;
    let around = |frame: usize| match frame {
        _ if held.contains(&frame) => off[frame],
        _ if frame < held.start => off[held.start] * falling(held.start - frame, fade),
        _ => off[held.end - 1] * falling(frame + 1 - held.end, fade),
    };
    let mut ways = gaussian(&(0..off.len()).map(around).collect::<Vec<_>>(), SMOOTH * fps);
    for (way, away) in ways.iter_mut().zip(frames_from(tied)) {
        *way *= 1.0 - falling(away, fade);
    }
    let places: Vec<Option<Isometry3<f64>>> = ways
        .iter()
        .zip(is)
        .map(|(way, is)| {
            let place = is.translation.vector + way * FURTHER;
            (way.norm() > 1e-6).then(|| Isometry3::from_parts(place.into(), is.rotation))
        })
        .collect();
    let most = ways.iter().map(Vector3::norm).fold(f64::MIN_POSITIVE, f64::max);
    let weights: Vec<f64> = ways.iter().map(|way| way.norm() / most).collect();
    let goals = HandGoals { places: &places, weights: &weights, steady: None };
    person.clip = place_hand(&person.clip, joints, &goals, false, ATTACH)?.0;
    person.target = Holder::of(&person.clip);
    Ok(())
}

/// Brings a second hand to its grip on a thing, from `own` in the source to `moved`; returns by frame the offset that is
/// left \[m\].
pub(super) fn hold(
    person: &mut Person,
    Reach { hand, joints, base, hands, free, limits, steady }: &Reach<'_>,
    (own, moved): (&[Isometry3<f64>], &[Isometry3<f64>]),
) -> Result<Vec<Vector3<f64>>, EditError> {
    let none = || vec![Vector3::zeros(); own.len()];
    let Some(was) = person.source.places(hand.role) else { return Ok(none()) };
    let goal = |frame: usize| {
        let seen = own[frame].inverse() * was[frame];
        let rotation = moved[frame].rotation * seen.rotation * hands.turn.inverse();
        let palm = was[frame].rotation * (hands.turn.inverse() * hands.source);
        let touched = own[frame].inverse() * nalgebra::Point3::from(was[frame].translation.vector + palm);
        let place = (moved[frame] * touched).coords - rotation * hands.target;
        Isometry3::from_parts(place.into(), rotation)
    };
    let goals: Vec<Option<Isometry3<f64>>> =
        (0..own.len()).map(|frame| hand.frames.contains(&frame).then(|| goal(frame))).collect();
    let weights: Vec<f64> = goals.iter().map(|goal| if goal.is_some() { 1.0 } else { 0.0 }).collect();
    let hand_goals = HandGoals { places: &goals, weights: &weights, steady: Some(*steady) };
    let (clip, _) = place_hand(&person.clip, *joints, &hand_goals, false, ATTACH)?;
    person.clip = faded(&clip, base, *joints, (&hand.frames, free), *limits)?;
    person.target = Holder::of(&person.clip);
    let Some(is) = person.target.places(hand.role) else { return Ok(none()) };
    let off = goals.iter().zip(is).map(|(goal, is)| {
        goal.map_or_else(Vector3::zeros, |goal| is.translation.vector - goal.translation.vector)
    });
    Ok(off.collect())
}

/// The largest step of shoulder, elbow and wrist in a motion \[rad\]. Of shoulder and elbow, one may turn as fast as the
/// other.
pub(super) fn limits_of(clip: &Clip, arm: ArmJoints) -> [f64; 3] {
    let [shoulder, elbow, wrist] = arm.steps(clip, 0..clip.frames());
    [shoulder.max(elbow), shoulder.max(elbow), wrist]
}

/// A motion whose arm is that of `clip` while it holds something, and goes over to that of `base` before and after it, with
/// steps of at most `limits` \[rad\], where it has the time.
fn faded(
    clip: &Clip,
    base: &Clip,
    arm: ArmJoints,
    (held, free): (&Range<usize>, &[bool]),
    limits: [f64; 3],
) -> Result<Clip, EditError> {
    let fps = base.rate().fps();
    let joints = arm.all();
    let own = joints.map(|joint| {
        let rotation = &base.track(joint).rotation;
        (0..base.frames()).map(|frame| rotation.at(frame)).collect::<Vec<_>>()
    });
    let mut samples = Samples::of(clip);
    let before = (0..held.start).rev().take_while(|frame| free[*frame]);
    let after = (held.end..base.frames()).take_while(|frame| free[*frame]);
    let sides: [(usize, Vec<usize>); 2] = [(held.start, before.collect()), (held.end - 1, after.collect())];
    for (end, frames) in sides {
        let ends = joints.map(|joint| samples.rotations[joint.index()][end]);
        let turns: [UnitQuaternion<f64>; 3] = std::array::from_fn(|i| own[i][end].inverse() * ends[i]);
        // By step away from the grip: how much further the arm may turn than it does by itself.
        let spare: Vec<f64> = (0..frames.len())
            .map(|step| {
                let before = if step == 0 { end } else { frames[step - 1] };
                let own_step = |i: usize| own[i][before].angle_to(&own[i][frames[step]]);
                let spare = (0..3).map(|i| (limits[i] - own_step(i)).max(LEAST * limits[i]));
                spare.fold(f64::INFINITY, f64::min).clamp(f64::MIN_POSITIVE, TAU)
            })
            .collect();
        let faded = |i: usize, step: usize, share: f64| own[i][frames[step]] * turns[i].powf(share);
        // How far the largest step is beyond the limits.
        let beyond = |shares: &[f64]| {
            let mut most = f64::NEG_INFINITY;
            for i in 0..3 {
                let mut last = ends[i];
                for (step, share) in shares.iter().enumerate().take(frames.len()) {
                    let next = faded(i, step, *share);
                    most = most.max(last.angle_to(&next) - limits[i]);
                    last = next;
                }
            }
            most
        };
        // At an end of the motion the arm need not have come back.
        let is_end = frames.last().is_none_or(|last| *last == 0 || last + 1 == base.frames());
        let room = if is_end { usize::MAX } else { frames.len() };
        let shares = fade(&spare, &beyond, room, fps);
        for (step, frame) in frames.iter().enumerate() {
            let share = shares.get(step).copied().unwrap_or(0.0);
            for (i, joint) in joints.iter().enumerate() {
                samples.rotations[joint.index()][*frame] = faded(i, step, share);
            }
        }
    }
    samples.into_clip(ATTACH)
}

/// By step away from the grip: the share of the turns that is left. The shortest fade whose steps are within the limits, else
/// the one that is least beyond them.
fn fade(spare: &[f64], beyond: &dyn Fn(&[f64]) -> f64, room: usize, fps: f64) -> Vec<f64> {
    let [shortest, longest] = FADE.map(|time| time * fps);
    let mut best = (Vec::new(), f64::INFINITY);
    let mut time = shortest;
    while time <= longest {
        let length = (time.round() as usize).min(room);
        let shares = shares(spare, length);
        let most = beyond(&shares);
        if most < best.1 {
            best = (shares, most);
        }
        if most <= MARGIN || length == room {
            break;
        }
        time *= LONGER;
    }
    best.0
}

/// The shares of a fade over `length` frames. Each step is in proportion to how much further the arm may turn in that frame
/// (`spare`), so most of the fade lies in frames in which the arm moves slowly. Frames beyond the motion have the mean of
/// `spare`.
fn shares(spare: &[f64], length: usize) -> Vec<f64> {
    let mean = spare.iter().sum::<f64>() / spare.len().max(1) as f64;
    let all: Vec<f64> = (0..=length).map(|step| spare.get(step).copied().unwrap_or(mean)).collect();
    let total: f64 = all.iter().sum();
    let mut left = total;
    let next = |spare: &f64| {
        left -= spare;
        let left = (left / total).clamp(0.0, 1.0);
        smooth_step(left)
    };
    all.iter().map(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fade_waits_where_the_arm_is_fast_and_takes_as_long_as_its_steps_ask_for() {
        let calm = shares(&[0.2; 40], 20);
        assert!(calm.len() == 21 && calm[0] < 1.0 && calm[20] == 0.0, "{calm:?}");
        assert!(calm.windows(2).all(|pair| pair[1] < pair[0]));
        // Between steps 5 and 10 the arm turns as fast as it may.
        let spare: Vec<f64> = (0..40).map(|step| if (5..10).contains(&step) { 0.002 } else { 0.2 }).collect();
        let waits = shares(&spare, 20);
        assert!(waits[4] - waits[9] < 0.02 && calm[4] - calm[9] > 0.2, "{waits:?}");
        // A fade that is longer than the motion before the grip has the same shares there.
        let cut = shares(&[0.2; 3], 20);
        assert!((cut[2] - calm[2]).abs() < 1e-12, "{cut:?}");

        let steepest = |shares: &[f64]| {
            let steps = shares.windows(2).map(|pair| pair[0] - pair[1]);
            steps.fold(0.0, f64::max)
        };
        let lengths =
            [0.3, 0.05, 0.001].map(|most| fade(&[0.2; 99], &|all| steepest(all) - most, 99, 60.0).len());
        assert!(lengths[0] == 16 && lengths[1] > 25 && lengths[2] > 85, "{lengths:?}");
        // Another hold is near: no longer than up to it.
        assert_eq!(fade(&[0.2; 20], &|all| steepest(all) - 0.001, 20, 60.0).len(), 21);
    }
}
