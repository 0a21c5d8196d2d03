//! Frozen spans: frames in which nothing moves, in a clip that moves elsewhere.

use super::{Artifact, ArtifactKind};
use crate::percentile::percentile;
use crate::{Lengths, runs};
use mocap_model::{Clip, JointId, Role, Track, angle_between};
use std::ops::Range;

/// A body that stays exactly the same for at least this time is frozen \[s\]: captured bodies never do.
const TIME: f64 = 0.1;
/// And for at least this many steps: motions that were sampled up repeat frames.
const STEPS: usize = 3;
/// A joint that stops while the body moves is frozen after this time \[s\].
const TIME_OF_JOINT: f64 = 0.4;
/// A joint whose steps are fewer than this share of the frames stops often.
const USUALLY_MOVES: f64 = 0.9;
/// Rotations and translations closer than this are the same [rad, leg lengths].
const SAME: f64 = 1e-7;
/// A frozen span begins or ends with at least this share of a usual step: what comes to rest slows down before.
const SUDDEN: f64 = 0.25;
/// Spans of a motion on fours: at least this many that fill at least this share of the clip are a style.
const STYLE: (usize, f64) = (5, 0.4);
/// A skeleton with fewer turning joints is a thing: it may travel without turning.
const BODY: usize = 5;

pub(super) fn find(clip: &Clip, lengths: &Lengths) -> Vec<Artifact> {
    let fps = clip.rate().fps();
    let joints: Vec<JointId> =
        clip.skeleton().iter().filter(|(_, joint)| !joint.end_site).map(|(id, _)| id).collect();
    let turning = joints.iter().filter(|joint| matches!(clip.track(**joint).rotation, Track::Sampled(_)));
    let is_body = turning.count() >= BODY;
    // Whether each joint stays in each step; the step into frame `i + 1` has number `i`.
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

/// Whether a motion, given by the sizes of its steps, stops or starts at once at a span.
fn is_sudden(steps: &[f64], span: &Range<usize>) -> bool {
    let mut moving: Vec<f64> = steps.iter().copied().filter(|step| *step > SAME).collect();
    let usual = percentile(&mut moving, 0.5);
    let before = span.start.checked_sub(1).map(|step| steps[step]);
    let after = steps.get(span.end).copied();
    before.into_iter().chain(after).any(|step| step > SUDDEN * usual)
}

/// How far a joint turns in each step \[rad\].
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

/// The steps in which a joint does not move. A root of a body may travel: a frozen pose that slides is frozen.
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

/// Whether a joint belongs to what always moves a little in a captured body.
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
