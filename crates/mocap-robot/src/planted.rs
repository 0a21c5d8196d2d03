//! Feet that still slip after a fixed number of sweeps are held by more of them.
//!
//! A sweep moves a frame between its neighbours, so what many frames must do together, such as a pelvis that tilts over a
//! whole step because the hips do not spread, takes many sweeps. Most motions need none of them.

use mocap_model::RobotPose;

use crate::cost::{Costs, Goal, Weights};
use crate::kinematics::Kinematics;
use crate::solve::{Smoothness, Sweeps, fit_motion};

/// Corners of soles that are held and faster than this slip [m/s].
const SLIP: f64 = 0.02;
/// Frames on both sides of one that slips move with it \[s\].
pub(crate) const AROUND: f64 = 0.5;
const SWEEPS: usize = 4;
const ROUNDS: usize = 12;
/// In each round, feet are first held by this share of their weight: stiff ones hardly let a frame move.
const SOFT: f64 = 0.1;
/// Feet that slip no less by at least this share in so many rounds cannot be held.
const PROGRESS: f64 = 0.03;
const IDLE: usize = 3;

/// Sweeps over the frames around feet that slip, as long as they slip less for it.
pub(crate) fn hold_still(
    kinematics: &mut Kinematics,
    costs: &Costs,
    goals: &[Goal],
    poses: &mut [RobotPose],
    smoothness: &Smoothness,
    fps: f64,
) {
    let around = (AROUND * fps).ceil() as usize;
    let least_slip = SLIP / fps;
    let mut best: Option<(f64, Vec<RobotPose>)> = None;
    let mut idle = 0;
    for round in 0..=ROUNDS {
        let slips = slips(kinematics, costs, goals, poses);
        let sum: f64 = slips.iter().filter(|slip| **slip > least_slip).sum();
        let least = best.as_ref().map_or(f64::INFINITY, |(least, _)| *least);
        idle = if sum < (1.0 - PROGRESS) * least { 0 } else { idle + 1 };
        if sum < least {
            best = Some((sum, poses.to_vec()));
        }
        if sum == 0.0 || idle == IDLE || round == ROUNDS {
            break;
        }
        let mut open = vec![false; poses.len()];
        for frame in (0..poses.len()).filter(|frame| slips[*frame] > least_slip) {
            open[frame.saturating_sub(around)..(frame + around + 1).min(poses.len())].fill(true);
        }
        for share in [SOFT, 1.0] {
            let weights = Weights { pin: costs.weights.pin * share, ..costs.weights };
            let costs = Costs { weights, ..*costs };
            let sweeps = Sweeps { count: SWEEPS, open: Some(&open), highest: None };
            fit_motion(kinematics, &costs, goals, poses, smoothness, sweeps);
        }
    }
    if let Some((_, best)) = best {
        poses.clone_from_slice(&best);
    }
}

/// By frame: how far the fastest corner of a sole slips to the next frame while it is held at one place, along the
/// floor \[m\].
fn slips(kinematics: &mut Kinematics, costs: &Costs, goals: &[Goal], poses: &[RobotPose]) -> Vec<f64> {
    let soles = &costs.anatomy.humanoid.soles;
    let mut corners = |pose: &RobotPose| {
        kinematics.place(pose);
        soles.each_ref().map(|sole| sole.corners.map(|corner| kinematics.placed[sole.body] * corner))
    };
    let mut slips = vec![0.0; poses.len()];
    let mut now = corners(&poses[0]);
    for frame in 1..poses.len() {
        let before = std::mem::replace(&mut now, corners(&poses[frame]));
        let held = |foot: usize, corner: usize| {
            let [a, b] = [frame - 1, frame].map(|frame| goals[frame].pins[foot][corner]);
            a.is_some() && a == b
        };
        let all = (0..2).flat_map(|foot| (0..4).map(move |corner| (foot, corner)));
        let slip = |(foot, corner): (usize, usize)| (now[foot][corner] - before[foot][corner]).xy().norm();
        slips[frame - 1] = all.filter(|(foot, corner)| held(*foot, *corner)).map(slip).fold(0.0, f64::max);
    }
    slips
}
