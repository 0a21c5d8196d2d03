//! Warnings about repairs in a solved take, and about what does not fit.

use mocap_model::{Axis, Role, SignedAxis, UnitQuaternion, Vector3};

use crate::SolveWarning;
use crate::body::State;
use crate::exchange::Exchange;
use crate::frame::FrameSolver;
use crate::repair;
use crate::subject::Subject;
use crate::take::Take;

pub(crate) fn of_markers(
    take: &Take,
    used: &[bool],
    distances: &[Option<f64>],
    exchanges: &[Exchange],
    warnings: &mut Vec<SolveWarning>,
) {
    let count = take.names.len();
    for exchange in exchanges {
        let [marker, other] = exchange.markers.map(|marker| take.names[marker].clone());
        let (first, last) = (exchange.frames[0], exchange.frames[exchange.frames.len() - 1]);
        warnings.push(SolveWarning::Swap { marker, other, first, last, count: exchange.frames.len() });
    }
    for marker in (0..count).filter(|marker| used[*marker]) {
        let name = || take.names[marker].clone();
        let of = |frame: usize| distances[frame * count + marker];
        let off: Vec<usize> =
            (0..take.frames).filter(|frame| of(*frame).is_some_and(|off| off > repair::OFF)).collect();
        if let Some(first) = off.first() {
            let most = off.iter().filter_map(|frame| of(*frame)).fold(0.0, f64::max);
            warnings.push(SolveWarning::Ghosts {
                marker: name(),
                count: off.len(),
                first: *first,
                off: most,
            });
        }
        let missing = (0..take.frames).filter(|frame| of(*frame).is_none()).count();
        if missing > 0 && missing < take.frames {
            warnings.push(SolveWarning::Gaps { marker: name(), count: missing, frames: take.frames });
        }
    }
}

/// Warns if markers that are close together have other distances in the static trial.
pub(crate) fn of_subject(subject: &Subject, take: &Take, trial: &Take, warnings: &mut Vec<SolveWarning>) {
    let count = take.names.len();
    let mut shares = Vec::new();
    let median = |take: &Take, a: usize, b: usize| {
        let step = take.frames.div_ceil(100).max(1);
        let mut found: Vec<f64> = (0..take.frames)
            .step_by(step)
            .filter_map(|frame| Some((take.point(frame, a)? - take.point(frame, b)?).norm()))
            .collect();
        found.sort_by(f64::total_cmp);
        found.get(found.len() / 2).copied()
    };
    for a in 0..count {
        for b in a + 1..count {
            if subject.attached[a].joint == subject.attached[b].joint
                && let (Some(now), Some(before)) = (median(take, a, b), median(trial, a, b))
                && before > 0.05
            {
                shares.push((now / before - 1.0).abs());
            }
        }
    }
    shares.sort_by(f64::total_cmp);
    if let Some(share) = shares.get(shares.len() / 2).filter(|share| **share > 0.06) {
        warnings.push(SolveWarning::OtherSubject { share: *share });
    }
}

/// Warns if the body does not stand along the up axis.
pub(crate) fn of_up(
    subject: &Subject,
    states: &[State],
    (stated, back): (SignedAxis, UnitQuaternion<f64>),
    up: SignedAxis,
    warnings: &mut Vec<SolveWarning>,
) {
    let mut solver = FrameSolver::new(&subject.body);
    let mut sum = Vector3::zeros();
    let rest = subject.geometry.up();
    for state in states.iter().step_by(states.len().div_ceil(100).max(1)) {
        subject.body.place(state, &mut solver.placed);
        let of_root = subject.geometry.rotation(subject.geometry.root).inverse() * rest;
        sum += solver.placed.rotation[0] * of_root;
    }
    if sum.dot(&up.vector()) < 0.3 * sum.norm() {
        let all = Axis::ALL
            .into_iter()
            .flat_map(|axis| [false, true].map(|negative| SignedAxis { axis, negative }));
        let axis = all.clone().max_by(|a, b| sum.dot(&a.vector()).total_cmp(&sum.dot(&b.vector())));
        let axis = axis.map(|axis| back * axis.vector());
        let named = axis.and_then(|axis| all.clone().find(|other| (other.vector() - axis).norm() < 1e-6));
        if let Some(body) = named {
            warnings.push(SolveWarning::Up { body: body.to_string(), stated: stated.to_string() });
        }
    }
}

/// No body moves faster than this between consecutive frames [m/s].
const FASTEST: f64 = 15.0;

/// Warns of joints that no marker shows, and of a body that jumps between frames.
pub(crate) fn of_motion(
    subject: &Subject,
    states: &[State],
    used: &[bool],
    rate: f64,
    warnings: &mut Vec<SolveWarning>,
) {
    let body = &subject.body;
    // A joint is determined by its own markers and by those of the joints below.
    let mut shown = vec![false; body.joints.len()];
    for (attached, _) in subject.attached.iter().zip(used).filter(|(_, used)| **used) {
        shown[attached.joint] = true;
    }
    for at in (1..body.joints.len()).rev() {
        if let Some(parent) = body.joints[at].parent.filter(|_| shown[at]) {
            shown[parent] = true;
        }
    }
    let skeleton = &subject.skeleton;
    let in_body = |id: mocap_model::JointId| body.find(id).is_some_and(|joint| shown[joint]);
    let bare = skeleton.iter().filter(|(id, joint)| joint.role.is_some_and(is_limb) && !in_body(*id));
    let joints: Vec<String> = bare.map(|(_, joint)| joint.name.clone()).collect();
    if !joints.is_empty() {
        warnings.push(SolveWarning::Bare { joints });
    }
    let step = |frame: &usize| (states[frame + 1].translation - states[*frame].translation).norm();
    let jumps: Vec<usize> =
        (0..states.len().saturating_sub(1)).filter(|frame| step(frame) * rate > FASTEST).collect();
    if let Some(frame) = jumps.first() {
        warnings.push(SolveWarning::Jumps { frame: *frame, metres: step(frame), count: jumps.len() });
    }
}

fn is_limb(role: Role) -> bool {
    use Role::*;
    matches!(
        role,
        Head | LeftUpperLeg
            | LeftLowerLeg
            | LeftFoot
            | LeftUpperArm
            | LeftLowerArm
            | LeftHand
            | RightUpperLeg
            | RightLowerLeg
            | RightFoot
            | RightUpperArm
            | RightLowerArm
            | RightHand
    )
}

/// If all joints rotate less than this, the motion determines attachments poorly [degrees].
const HARDLY: f64 = 10.0;

/// Warns if the chosen frames show a single pose only.
pub(crate) fn of_poses(poses: &[&State], warnings: &mut Vec<SolveWarning>) {
    let Some((first, others)) = poses.split_first() else { return };
    let turned = |other: &&&State| -> f64 {
        let angles = first.turns.iter().zip(&other.turns).skip(1).map(|(a, b)| a.angle_to(b));
        angles.fold(0.0, f64::max)
    };
    let degrees = others.iter().map(|other| turned(&other)).fold(0.0, f64::max).to_degrees();
    if degrees < HARDLY {
        warnings.push(SolveWarning::Still { degrees });
    }
}
