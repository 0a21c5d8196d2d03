//! Hands that touch: each other, the hips, or the head.
//!
//! A hand whose goal scales with the arm misses what it touched as soon as shoulders, head or hips have other
//! proportions. Where the palm of the source is near one of these, the target's palm is to be as far from its own, in
//! the same direction, scaled like the body; how much that counts fades before and after, so nothing jumps.

use crate::body::LimbKind;
use crate::copy::Copied;
use crate::retargeter::Retargeter;
use mocap_analysis::runs;
use mocap_model::{Clip, ForwardKinematics, JointId, Role, Skeleton, Vector3};
use std::ops::Range;

/// A hand touches within this distance, as a share of the arm's length: of the other hand, a hip joint (a hand on the
/// hip is a hand's width from it), and the head's joint (which is in its middle or below).
const HANDS: f64 = 0.2;
const HIPS: f64 = 0.3;
const HEAD: f64 = 0.4;
/// And while it is slower than this, seen from what it touches [m/s]: an arm that swings past a hip does not touch it.
const SPEED: f64 = 0.4;
/// A shorter touch is none \[s\].
const SHORTEST: f64 = 0.1;
/// The time over which a touch fades in and out \[s\].
const FADE: f64 = 0.25;
/// The palm is this share of the way from wrist to knuckles or fingertips.
const PALM: f64 = 0.5;

/// A hand and what it touches.
#[derive(Clone, Debug, PartialEq)]
pub struct TouchReport {
    /// The hand.
    pub role: Role,
    /// What it touches: the other hand, an upper leg (its joint is the hip), or the head.
    pub on: Role,
    /// The ranges of frames in which the source's hand does.
    pub contacts: Vec<Range<usize>>,
    /// Mean difference, in these frames, of the target's way from one to the other from the source's, scaled \[m\].
    pub error: f64,
}

/// One hand and one thing that it may touch.
#[derive(Clone, Copy, Debug)]
struct Pair {
    /// The arm among the limbs of the retargeter.
    arm: usize,
    on: On,
    near: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum On {
    /// Another limb's tip.
    Hand(usize),
    /// Another limb's first joint.
    Hip(usize),
    Head,
}

/// What the source's hands touch, found before the arms are solved.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touches {
    pairs: Vec<Pair>,
    /// By pair and frame: from what is touched to the palm, in the source, scaled to the target, and how much it counts.
    ways: Vec<Vec<(Vector3<f64>, f64)>>,
}

/// Changes the goals of hands that touch. `copied` is planted already.
pub(crate) fn touch(retargeter: &Retargeter, source: &Clip, copied: &mut Copied) -> Touches {
    let touches = found(retargeter, source);
    let palms = palms_of(retargeter, &retargeter.target);
    for frame in 0..source.frames() {
        // All from the goals before: what two hands wish of each other must not depend on their order.
        let palm = |arm: usize| {
            let course = &copied.limbs[arm];
            course.goal[frame] + course.tip[frame] * palms[arm]
        };
        let mut wishes = vec![(Vector3::zeros(), 0.0f64); retargeter.limbs.len()];
        for (pair, ways) in touches.pairs.iter().zip(&touches.ways) {
            let (way, weight) = ways[frame];
            if weight == 0.0 || copied.limbs[pair.arm].goal.is_empty() {
                continue;
            }
            let place = match pair.on {
                On::Hand(other) => (palm(pair.arm) + palm(other) + way) / 2.0,
                On::Hip(leg) => copied.limbs[leg].from[frame] + way,
                On::Head => copied.head[frame] + way,
            };
            let wish = &mut wishes[pair.arm];
            wish.0 += (place - palm(pair.arm)) * weight;
            wish.1 += weight;
        }
        for (course, (moved, weight)) in copied.limbs.iter_mut().zip(wishes) {
            if weight > 0.0 {
                course.goal[frame] += moved / weight.max(1.0);
            }
        }
    }
    touches
}

/// The pairs of both bodies, and the source's ways.
fn found(retargeter: &Retargeter, source: &Clip) -> Touches {
    let limbs = &retargeter.limbs;
    let of_kind = |kind: LimbKind| (0..limbs.len()).filter(move |i| limbs[*i].target.kind == kind);
    let mut pairs = Vec::new();
    for arm in of_kind(LimbKind::Arm) {
        pairs.extend(of_kind(LimbKind::Arm).filter(|other| *other != arm).map(|other| Pair {
            arm,
            on: On::Hand(other),
            near: HANDS,
        }));
        pairs.extend(of_kind(LimbKind::Leg).map(|leg| Pair { arm, on: On::Hip(leg), near: HIPS }));
        if retargeter.source_body.head.is_some() && retargeter.target_body.head.is_some() {
            pairs.push(Pair { arm, on: On::Head, near: HEAD });
        }
    }
    let scale = retargeter.ratios.leg;
    let fps = source.rate().fps();
    let ways = ways(retargeter, source, &pairs, Which::Source).into_iter().zip(&pairs).map(|(ways, pair)| {
        let near = pair.near * retargeter.source_stance.limb_length(&limbs[pair.arm].source);
        let weights = weights(&ways, near, SPEED / (fps * retargeter.metres[0]), fps);
        ways.into_iter().zip(weights).map(|(way, weight)| (way * scale, weight)).collect()
    });
    let ways = ways.collect();
    Touches { pairs, ways }
}

/// How much a touch counts, by frame: 1 in the frames whose way is shorter than `near` and changes by less than `slow`,
/// fading before and after.
fn weights(ways: &[Vector3<f64>], near: f64, slow: f64, fps: f64) -> Vec<f64> {
    let last = ways.len().saturating_sub(1);
    let speed = |frame: usize| {
        let (from, to) = (frame.saturating_sub(1), (frame + 1).min(last));
        (ways[to] - ways[from]).norm() / (to - from).max(1) as f64
    };
    let touching: Vec<bool> =
        (0..ways.len()).map(|frame| ways[frame].norm() < near && speed(frame) < slow).collect();
    let (shortest, fade) = ((SHORTEST * fps).ceil() as usize, (FADE * fps).round() as usize);
    let mut weights = vec![0.0f64; ways.len()];
    for run in runs(&touching).into_iter().filter(|run| run.len() >= shortest) {
        weights[run.clone()].fill(1.0);
        for step in 1..=fade {
            let left = 1.0 - step as f64 / (fade as f64 + 1.0);
            let weight = left * left * (3.0 - 2.0 * left);
            for frame in [run.start.checked_sub(step), Some(run.end - 1 + step)].into_iter().flatten() {
                if let Some(other) = weights.get_mut(frame) {
                    *other = other.max(weight);
                }
            }
        }
    }
    weights
}

#[derive(Clone, Copy, PartialEq)]
enum Which {
    Source,
    Target,
}

/// By pair and frame, the way from what may be touched to the palm.
fn ways(retargeter: &Retargeter, clip: &Clip, pairs: &[Pair], which: Which) -> Vec<Vec<Vector3<f64>>> {
    let limb = |i: usize| match which {
        Which::Source => &retargeter.limbs[i].source,
        Which::Target => &retargeter.limbs[i].target,
    };
    let (body, skeleton) = match which {
        Which::Source => (&retargeter.source_body, &retargeter.source),
        Which::Target => (&retargeter.target_body, &retargeter.target),
    };
    let palms: Vec<Vector3<f64>> =
        (0..retargeter.limbs.len()).map(|i| palm_offset(skeleton, limb(i).tip)).collect();
    let mut joints: Vec<JointId> =
        (0..retargeter.limbs.len()).flat_map(|i| [limb(i).base, limb(i).tip]).collect();
    joints.extend(body.head);
    let mut kinematics = ForwardKinematics::of_joints(clip, &joints);
    let mut ways = vec![Vec::with_capacity(clip.frames()); pairs.len()];
    for frame in 0..clip.frames() {
        kinematics.place(frame);
        let palm = |i: usize| {
            let wrist = kinematics.at(limb(i).tip);
            wrist.translation.vector + wrist.rotation * palms[i]
        };
        for (pair, ways) in pairs.iter().zip(&mut ways) {
            let on = match pair.on {
                On::Hand(other) => palm(other),
                On::Hip(leg) => kinematics.at(limb(leg).base).translation.vector,
                On::Head => body.head.map_or(Vector3::zeros(), |head| kinematics.at(head).translation.vector),
            };
            ways.push(palm(pair.arm) - on);
        }
    }
    ways
}

fn palms_of(retargeter: &Retargeter, skeleton: &Skeleton) -> Vec<Vector3<f64>> {
    retargeter.limbs.iter().map(|limb| palm_offset(skeleton, limb.target.tip)).collect()
}

/// The palm in the frame of the wrist: on the way to its children.
fn palm_offset(skeleton: &Skeleton, wrist: JointId) -> Vector3<f64> {
    let children = skeleton.children(wrist);
    let sum: Vector3<f64> = children.iter().map(|child| skeleton.joint(*child).offset).sum();
    sum * (PALM / children.len().max(1) as f64)
}

impl Touches {
    /// What became of the touches.
    pub(crate) fn report(&self, retargeter: &Retargeter, motion: &Clip) -> Vec<TouchReport> {
        let is = ways(retargeter, motion, &self.pairs, Which::Target);
        let role = |i: usize, place: usize| {
            let limb = &retargeter.limbs[i].target;
            limb.kind.roles_of(limb.side)[place]
        };
        let mut reports = Vec::new();
        for ((pair, was), is) in self.pairs.iter().zip(&self.ways).zip(&is) {
            let touching: Vec<bool> = was.iter().map(|(_, weight)| *weight >= 1.0).collect();
            let contacts = runs(&touching);
            if contacts.is_empty() {
                continue;
            }
            let frames = contacts.iter().flat_map(Range::clone);
            let errors: Vec<f64> = frames.map(|frame| (is[frame] - was[frame].0).norm()).collect();
            reports.push(TouchReport {
                role: role(pair.arm, 2),
                on: match pair.on {
                    On::Hand(other) => role(other, 2),
                    On::Hip(leg) => role(leg, 0),
                    On::Head => Role::Head,
                },
                contacts,
                error: errors.iter().sum::<f64>() / errors.len() as f64 * retargeter.metres[1],
            });
        }
        reports
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_that_rests_touches_and_one_that_passes_does_not() {
        let at = |x: f64| Vector3::new(x, 0.0, 0.0);
        let rests: Vec<_> =
            (0..60).map(|i| at(if i < 30 { 1.0 - f64::from(i) / 30.0 } else { 0.02 })).collect();
        let found = weights(&rests, 0.1, 0.01, 30.0);
        assert_eq!((found[40], found[10]), (1.0, 0.0));
        assert!(found[28] > 0.0 && found[28] < 1.0, "{found:?}");
        assert!(found.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.3), "{found:?}");
        let passes: Vec<_> = (0..60).map(|i| at(f64::from(i) / 30.0 - 1.0)).collect();
        assert!(weights(&passes, 0.1, 0.01, 30.0).iter().all(|weight| *weight == 0.0));
    }
}
