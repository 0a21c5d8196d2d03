//! Artifacts: frozen spans, frames in which nothing moves in a clip that moves elsewhere.

use super::{Artifact, ArtifactKind};
use crate::percentile::percentile;
use crate::{Lengths, runs};
use mocap_model::{Clip, JointId, Role, Track, angle_between};
use std::ops::Range;

/// A body that does not move at all for at least this time is frozen \[s\]: captured bodies never rest exactly.
const TIME: f64 = 0.1;
/// Least number of steps: motions that were upsampled repeat frames.
const STEPS: usize = 3;
/// A joint that stops while the body moves is frozen after this time \[s\].
const TIME_OF_JOINT: f64 = 0.4;
/// Stops of a joint that moves in less than this share of the frames are not reported: it stops often.
const USUALLY_MOVES: f64 = 0.9;
/// Rotations and translations that differ by less than this are equal [rad, leg lengths].
const SAME: f64 = 1e-7;
/// A frozen span starts or ends abruptly: the step beside it has at least this share of a usual step. A body
/// that comes to rest slows down first.
const SUDDEN: f64 = 0.25;
/// Motions keyed on fours (each pose held for some frames) are a style: at least this many spans that fill at
/// least this share of the clip.
const STYLE: (usize, f64) = (5, 0.4);
/// A skeleton with fewer rotating joints is a prop, which may travel without rotating.
const BODY: usize = 5;

pub(super) fn find(clip: &Clip, lengths: &Lengths) -> Vec<Artifact> {
    let fps = clip.rate().fps();
    let joints: Vec<JointId> =
        clip.skeleton().iter().filter(|(_, joint)| !joint.end_site).map(|(id, _)| id).collect();
    let turning = joints.iter().filter(|joint| matches!(clip.track(**joint).rotation, Track::Sampled(_)));
    let is_body = turning.count() >= BODY;
    // By joint and step: whether the joint does not move. Step `i` leads to frame `i + 1`.
    let stays: Vec<Vec<bool>> =
        joints.iter().map(|joint| still_steps(clip, *joint, lengths, is_body)).collect();
    let all: Vec<bool> = (0..clip.frames() - 1).map(|step| stays.iter().all(|joint| joint[step])).collect();
    let turns: Vec<Vec<f64>> = joints.iter().map(|joint| step_angles(clip, *joint)).collect();
    let most: Vec<f64> =
        (0..all.len()).map(|step| turns.iter().map(|joint| joint[step]).fold(0.0, f64::max)).collect();
    let spans: Vec<Range<usize>> =
        frozen_spans(&all, TIME, fps).into_iter().filter(|span| is_sudden(&most, span)).collect();
    let is_style = spans.len() >= STYLE.0
        && spans.iter().map(Range::len).sum::<usize>() as f64 >= STYLE.1 * all.len() as f64;
    if is_style || spans.iter().any(|span| span.len() == all.len()) {
        return Vec::new();
    }
    let mut found: Vec<Artifact> = spans.iter().map(|span| artifact(span, None, TIME, fps)).collect();
    for ((joint, stays), turns) in joints.iter().zip(&stays).zip(&turns) {
        if !is_limb(clip, *joint) {
            continue;
        }
        let moves = stays.iter().zip(&all).filter(|(joint, all)| !**joint && !**all).count();
        let others = all.iter().filter(|all| !**all).count();
        let alone: Vec<bool> = stays.iter().zip(&all).map(|(joint, all)| *joint && !*all).collect();
        let spans = frozen_spans(&alone, TIME_OF_JOINT, fps);
        let frozen: usize = spans.iter().map(Range::len).sum();
        if moves as f64 >= USUALLY_MOVES * (others - frozen) as f64 && moves > others / 2 {
            let sudden = spans.iter().filter(|span| is_sudden(turns, span));
            found.extend(sudden.map(|span| artifact(span, Some(*joint), TIME_OF_JOINT, fps)));
        }
    }
    found
}

fn frozen_spans(stays: &[bool], time: f64, fps: f64) -> Vec<Range<usize>> {
    let long = |span: &Range<usize>| span.len() >= STEPS && span.len() as f64 / fps >= time - 1e-9;
    runs(stays).into_iter().filter(long).collect()
}

/// Whether a motion stops or starts abruptly at a span; `steps` are the sizes of its steps.
fn is_sudden(steps: &[f64], span: &Range<usize>) -> bool {
    let mut moving: Vec<f64> = steps.iter().copied().filter(|step| *step > SAME).collect();
    let usual = percentile(&mut moving, 0.5).unwrap_or(0.0);
    let before = span.start.checked_sub(1).map(|step| steps[step]);
    let after = steps.get(span.end).copied();
    before.into_iter().chain(after).any(|step| step > SUDDEN * usual)
}

/// Rotation of a joint in each step \[rad\].
fn step_angles(clip: &Clip, joint: JointId) -> Vec<f64> {
    match &clip.track(joint).rotation {
        Track::Sampled(turns) => turns.windows(2).map(|pair| angle_between(&pair[0], &pair[1])).collect(),
        Track::Constant(_) => vec![0.0; clip.frames() - 1],
    }
}

fn artifact(span: &Range<usize>, joint: Option<JointId>, time: f64, fps: f64) -> Artifact {
    Artifact {
        kind: ArtifactKind::Frozen,
        frames: span.start..span.end + 1,
        joint,
        value: span.len() as f64 / fps,
        limit: time,
    }
}

/// Steps in which a joint does not move. The root of a body may travel: a frozen pose that slides is frozen.
fn still_steps(clip: &Clip, joint: JointId, lengths: &Lengths, is_body: bool) -> Vec<bool> {
    let tracks = clip.track(joint);
    let mut still = vec![true; clip.frames() - 1];
    if let Track::Sampled(rotations) = &tracks.rotation {
        let same = |pair: &[mocap_model::UnitQuaternion<f64>]| {
            let [a, b] = [pair[0].coords, pair[1].coords];
            (a - b).norm().min((a + b).norm()) < SAME
        };
        still.iter_mut().zip(rotations.windows(2)).for_each(|(still, pair)| *still &= same(pair));
    }
    let travels = is_body && !is_below_hips(clip, joint);
    if let (Some(Track::Sampled(places)), false) = (&tracks.translation, travels) {
        let same = |pair: &[mocap_model::Vector3<f64>]| (pair[0] - pair[1]).norm() < SAME * lengths.leg;
        still.iter_mut().zip(places.windows(2)).for_each(|(still, pair)| *still &= same(pair));
    }
    still
}

fn is_below_hips(clip: &Clip, joint: JointId) -> bool {
    let skeleton = clip.skeleton();
    match skeleton.with_role(Role::Hips) {
        Some(hips) => joint != hips && skeleton.path(hips, joint).is_some(),
        None => skeleton.joint(joint).parent.is_some(),
    }
}

/// Whether a joint belongs to the parts that always move a little in a captured body.
fn is_limb(clip: &Clip, joint: JointId) -> bool {
    use Role::{
        Hips, LeftFoot, LeftLowerArm, LeftLowerLeg, LeftUpperArm, LeftUpperLeg, RightFoot, RightLowerArm,
        RightLowerLeg, RightUpperArm, RightUpperLeg,
    };
    const LIMBS: [Role; 11] = [
        Hips,
        LeftUpperLeg,
        LeftLowerLeg,
        LeftFoot,
        RightUpperLeg,
        RightLowerLeg,
        RightFoot,
        LeftUpperArm,
        LeftLowerArm,
        RightUpperArm,
        RightLowerArm,
    ];
    clip.skeleton().joint(joint).role.is_some_and(|role| LIMBS.contains(&role))
}
