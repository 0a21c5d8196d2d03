//! Arms that hold something turn no faster than in the source.
//!
//! Retargeting moves an arm out of the trunk or to a contact, sometimes within a frame or two. An object in the hand makes
//! such a jump visible. So the difference between the joint rotations of source and target is smoothed over time; it is
//! constant where a motion is only copied. The width is the smallest that keeps the limit; arms within the limit are not
//! smoothed. Before and after the time in which the hand holds something, the smoothing fades out.

use mocap_model::{Clip, ForwardKinematics, UnitQuaternion};
use nalgebra::{Quaternion, Vector4};

use super::contact::places;
use super::holds::frames_from;
use super::second_hand::{FADE, MARGIN, limits_of};
use super::{ATTACH, falling};
use crate::EditError;
use crate::arms::ArmJoints;
use crate::samples::Samples;
use crate::smoothing::gaussian;

/// Widths of the smoothing \[s\], tried in order.
const SMOOTH: [f64; 5] = [0.03, 0.06, 0.12, 0.25, 0.5];
/// The time within which the smoothing fades out before and after the hand holds something \[s\].
const AROUND: f64 = 0.5;
/// Turns whose weighted mean is shorter than this are spread so far that they have none.
const SPREAD: f64 = 0.1;

/// Local rotations of shoulder, elbow and wrist, by frame.
type Turns = [Vec<UnitQuaternion<f64>>; 3];

/// A motion whose arm turns no further per frame than that of its source while its hand holds something, as far as smoothing
/// brings it. Frames further than [`AROUND`] from those that are `held`, or in which it comes to a grip and goes back, keep
/// every bit. Steps between frames in which the hand is `brought` to a grip do not count: there the arm gets another pose.
pub(super) fn steadied(
    clip: Clip,
    arm: ArmJoints,
    (source, own): (&Clip, ArmJoints),
    (held, brought): (&[bool], &[bool]),
) -> Result<Clip, EditError> {
    let limits = limits_of(source, own);
    let fps = clip.rate().fps();
    // The time in which an arm comes to its grip and goes back belongs to the hold.
    let [coming, around] = [FADE[1], AROUND].map(|time| (time * fps).round() as usize);
    let is_coming = frames_from(brought).into_iter().map(|away| away <= coming);
    let busy: Vec<bool> = held.iter().zip(is_coming).map(|(held, coming)| *held || coming).collect();
    let shares: Vec<f64> = frames_from(&busy).into_iter().map(|away| falling(away, around)).collect();
    // A step counts as far as it is smoothed.
    let counts: Vec<f64> =
        shares.iter().zip(brought).map(|(share, brought)| if *brought { 0.0 } else { *share }).collect();
    // How far the largest step is beyond that of the source.
    let beyond = |turns: &Turns| {
        let of_joint = |(turns, limit): (&Vec<UnitQuaternion<f64>>, f64)| {
            let step = |frame: usize| {
                let count = counts[frame - 1].max(counts[frame]);
                count * (turns[frame - 1].angle_to(&turns[frame]) - limit)
            };
            (1..turns.len()).map(step).fold(0.0, f64::max)
        };
        turns.iter().zip(limits).map(of_joint).fold(0.0, f64::max)
    };
    let joints = arm.all();
    let as_it_is = joints.map(|joint| {
        let rotation = &clip.track(joint).rotation;
        (0..clip.frames()).map(|frame| rotation.at(frame)).collect::<Vec<_>>()
    });
    let mut best = (beyond(&as_it_is), None);
    if best.0 <= MARGIN {
        return Ok(clip);
    }
    let copied = own.all().map(|joint| places(source, joint));
    let added: [Vec<Vector4<f64>>; 3] = std::array::from_fn(|i| {
        let is = places(&clip, joints[i]);
        let turns = copied[i].iter().zip(&is).map(|(was, is)| was.rotation.inverse() * is.rotation);
        on_one_side(turns.map(|turn| turn.coords))
    });
    for width in SMOOTH {
        let smooth: [Vec<Vector4<f64>>; 3] =
            std::array::from_fn(|i| gaussian(&added[i], width * clip.rate().fps()));
        let turned = |i: usize, frame: usize| {
            let mean = added[i][frame].lerp(&smooth[i][frame], shares[frame]);
            let turn = if mean.norm() > SPREAD { mean } else { added[i][frame] };
            copied[i][frame].rotation * UnitQuaternion::new_normalize(Quaternion::from(turn))
        };
        let mut turns = local(&clip, arm, turned);
        for (turns, was) in turns.iter_mut().zip(&as_it_is) {
            keep_signs_and_free(turns, was, &shares);
        }
        let most = beyond(&turns);
        if most < best.0 {
            best = (most, Some(turns));
        }
        if most <= MARGIN {
            break;
        }
    }
    let Some(turns) = best.1 else { return Ok(clip) };
    let mut samples = Samples::of(&clip);
    for (joint, turns) in joints.into_iter().zip(turns) {
        samples.rotations[joint.index()] = turns;
    }
    samples.into_clip(ATTACH)
}

/// Gives rotations the signs of those that they had, so that steps to frames that are kept are short ones, and puts
/// those in place of them where the share of the smoothing is 0.
fn keep_signs_and_free(turns: &mut [UnitQuaternion<f64>], was: &[UnitQuaternion<f64>], shares: &[f64]) {
    for ((turn, was), share) in turns.iter_mut().zip(was).zip(shares) {
        if *share == 0.0 {
            *turn = *was;
        } else if turn.coords.dot(&was.coords) < 0.0 {
            *turn = UnitQuaternion::new_unchecked(-turn.into_inner());
        }
    }
}

/// The same rotations with signs such that each is near the one before.
fn on_one_side(turns: impl Iterator<Item = Vector4<f64>>) -> Vec<Vector4<f64>> {
    let mut before: Option<Vector4<f64>> = None;
    let next = |turn: Vector4<f64>| {
        let turn = if before.is_some_and(|before| before.dot(&turn) < 0.0) { -turn } else { turn };
        before = Some(turn);
        turn
    };
    turns.map(next).collect()
}

/// The local rotations of an arm whose joints have given rotations in object space.
fn local(clip: &Clip, arm: ArmJoints, turned: impl Fn(usize, usize) -> UnitQuaternion<f64>) -> Turns {
    let skeleton = clip.skeleton();
    let joints = arm.all();
    let mut placed = ForwardKinematics::new(clip);
    let mut turns: Turns = Default::default();
    for frame in 0..clip.frames() {
        placed.place(frame);
        // The turn that joints between two of the arm, such as those for twist, have below the upper one.
        let mut change = UnitQuaternion::identity();
        for i in 0..3 {
            let above = skeleton.joint(joints[i]).parent;
            let above = above.map_or_else(UnitQuaternion::identity, |above| placed.at(above).rotation);
            let object = turned(i, frame);
            turns[i].push((change * above).inverse() * object);
            change = object * placed.at(joints[i]).rotation.inverse();
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::super::person::arm_of;
    use super::*;
    use crate::fixtures::clip;
    use mocap_model::{JointId, Role, Vector3};

    /// A walk whose left arm is pushed aside for a few frames, as retargeting does beside a trunk.
    fn pushed(walk: &Clip, arm: ArmJoints, angle: f64) -> Clip {
        let mut samples = Samples::of(walk);
        for frame in 30..33 {
            let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
            let own = &mut samples.rotations[arm.shoulder.index()][frame];
            *own = turn * *own;
        }
        samples.into_clip("test").unwrap()
    }

    #[test]
    fn what_was_added_to_an_arm_comes_no_faster_than_the_source_turns() {
        let walk = clip("alex_walk.bvh");
        let arm = arm_of(&walk, Role::LeftHand).unwrap();
        let (all, none) = (vec![true; walk.frames()], vec![false; walk.frames()]);
        let steady = |clip: Clip, held: &[bool], brought: &[bool]| {
            steadied(clip, arm, (&walk, arm), (held, brought)).unwrap()
        };
        assert!(steady(walk.clone(), &all, &none) == walk, "a copy stays");
        let pushed = pushed(&walk, arm, 0.5);
        let [limit, ..] = limits_of(&walk, arm);
        let largest = |clip: &Clip| arm.steps(clip, 0..clip.frames())[0];
        let after = steady(pushed.clone(), &all, &none);
        let (was, is) = (largest(&pushed), largest(&after));
        assert!(was > limit + 0.2 && is <= limit + MARGIN, "{was} {is}, limit {limit}");
        // Far from it, the motion is as it was.
        let rotation = |clip: &Clip| clip.track(arm.shoulder).rotation.at(walk.frames() - 1);
        assert!(rotation(&after).angle_to(&rotation(&walk)) < 1e-3);
        // In frames in which a hand is brought to its grip, the arm gets another pose anyway.
        let brought: Vec<bool> = (0..walk.frames()).map(|frame| (25..40).contains(&frame)).collect();
        assert!(steady(pushed.clone(), &all, &brought) == pushed);
    }

    #[test]
    fn what_is_added_to_an_arm_stays_as_it_is_half_a_second_before_and_after_a_hold() {
        let walk = clip("alex_walk.bvh");
        let arm = arm_of(&walk, Role::LeftHand).unwrap();
        let pushed = pushed(&walk, arm, 0.5);
        let none = vec![false; walk.frames()];
        let half = (AROUND * walk.rate().fps()).round() as usize;
        let frames = walk.frames();
        for (range, is_changed) in
            [(28..40, true), (31..32, true), (50..frames, true), (33 + half..frames, false)]
        {
            let held: Vec<bool> = (0..walk.frames()).map(|frame| range.contains(&frame)).collect();
            let after = steadied(pushed.clone(), arm, (&walk, arm), (&held, &none)).unwrap();
            let changed = |frame: &usize| {
                let differ = |joint: JointId| {
                    pushed.track(joint).rotation.at(*frame) != after.track(joint).rotation.at(*frame)
                };
                arm.all().into_iter().any(differ)
            };
            let changed: Vec<usize> = (0..walk.frames()).filter(changed).collect();
            let may = range.start.saturating_sub(half)..range.end + half;
            assert!(changed.iter().all(|frame| may.contains(frame)), "{range:?}: {changed:?}");
            assert_eq!(!changed.is_empty(), is_changed, "{range:?}: {changed:?}");
        }
    }
}
