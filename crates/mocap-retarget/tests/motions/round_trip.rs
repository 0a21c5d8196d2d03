//! There and back: a motion put on another skeleton and put back is the same motion, as far as both bodies have
//! joints for it.

use crate::clip::{fixture, real};
use mocap_analysis::trajectories;
use mocap_corpus::{note, shows_notes};
use mocap_model::{Clip, JointId, Role};
use mocap_retarget::{FootLock, RetargetOptions, Retargeter, estimate_rest_pose, map_roles};

const CLIPS: [(&str, &str, usize); 4] = [
    ("CMU", "cmu/12_01_walk.bvh", 1),
    ("iClone", "iclone/007_12.bvh", 0),
    ("GAMES-105", "misc/games105_walk60.bvh", 0),
    ("Bandai", "bandai/dataset-1_walk_normal_001.bvh", 0),
];

/// Mean distance of the joints that have roles in both, as a share of the body's height.
fn error(a: &Clip, b: &Clip, shared: &[Role]) -> f64 {
    let roles = map_roles(a.skeleton());
    let joints: Vec<JointId> = shared.iter().filter_map(|role| roles.joint(*role)).collect();
    let (a, b) = (trajectories(a, &joints), trajectories(b, &joints));
    let frames = a[0].len();
    let distance = |joint: usize, frame: usize| (a[joint][frame] - b[joint][frame]).norm();
    let sum: f64 =
        (0..a.len()).map(|joint| (0..frames).map(|frame| distance(joint, frame)).sum::<f64>()).sum();
    let heights = |frame: usize| {
        let ys = a.iter().map(|t| t[frame].y);
        ys.clone().fold(f64::NEG_INFINITY, f64::max) - ys.fold(f64::INFINITY, f64::min)
    };
    let height = (0..frames).map(heights).fold(0.0, f64::max);
    sum / (a.len() * frames) as f64 / height
}

/// Bodies of ten sources, with the frames to skip.
const BODIES: [(&str, usize); 10] = [
    ("cmu/12_01_walk.bvh", 1),
    ("iclone/007_12.bvh", 0),
    ("misc/games105_walk60.bvh", 0),
    ("bandai/dataset-1_walk_normal_001.bvh", 0),
    ("misc/rokoko_dance.bvh", 0),
    ("misc/xia_neutral_01.bvh", 0),
    ("misc/makehuman_doubleclap.bvh", 0),
    ("characters/mousey_salsa.bvh", 0),
    ("characters/ortiz_salsa.bvh", 0),
    ("characters/sporty_granny_salsa.bvh", 0),
];
/// Frames of each clip.
const MOST_FRAMES: usize = 500;

/// Two thirds of the pairs give a motion back within a hundredth of the height, with feet locked both ways.
pub(crate) fn most_pairs_give_a_motion_back() {
    let clips = BODIES.map(|(path, skip)| {
        let clip = real(path, skip);
        let frames = clip.frames().min(MOST_FRAMES);
        (path, clip.trimmed(0..frames).unwrap())
    });
    let (mut pairs, mut back) = (0, 0);
    for (from, source) in &clips {
        for (to, target) in clips.iter().filter(|(to, _)| to != from) {
            let locked = there_and_back(source, target, FootLock::Auto);
            pairs += 1;
            back += usize::from(locked <= 0.01);
            if locked > 0.01 && shows_notes() {
                let free = there_and_back(source, target, FootLock::Off);
                note!("| {from} → {to} → {from} | {:.2} | {:.2} |", free * 100.0, locked * 100.0);
            }
        }
    }
    note!("{back} of {pairs} pairs come back within 1 % of the height");
    // The aim is 80 of 85 pairs. Locked feet are not where they were captured, and a dance and a
    // jumping walk lose hands.
    assert!(back >= 57, "{back} of {pairs}");
}

pub(crate) fn a_motion_comes_back() {
    each_comes_back_from_the_others(&CLIPS.map(|(name, path, skip)| (name, real(path, skip))));
}

pub(crate) fn a_fixture_comes_back() {
    let clips = [("alex", "alex_walk.bvh"), ("robin", "robin_walk.bvh"), ("robin turns", "robin_turn.bvh")];
    each_comes_back_from_the_others(&clips.map(|(name, path)| (name, fixture(path))));
}

fn each_comes_back_from_the_others(clips: &[(&str, Clip)]) {
    for (from, source) in clips {
        for (to, target) in clips.iter().filter(|(to, _)| to != from) {
            let [free, locked] =
                [FootLock::Off, FootLock::Auto].map(|lock| there_and_back(source, target, lock));
            note!("| {from} → {to} → {from} | {:.2} | {:.2} |", free * 100.0, locked * 100.0);
            // Locked feet differ from the captured ones, which slide and penetrate the floor.
            assert!(free <= 0.015, "{from} → {to} → {from}: {free} of the height");
            assert!(locked <= 0.02, "{from} → {to} → {from}: {locked} of the height");
        }
    }
}

/// The error of a motion that was put on the target and back, over the roles that both have.
fn there_and_back(source: &Clip, target: &Clip, lock: FootLock) -> f64 {
    let rest = |clip: &Clip| Some(estimate_rest_pose(clip).unwrap());
    let there = RetargetOptions { target_rest: rest(target), foot_lock: lock, ..RetargetOptions::default() };
    let there = Retargeter::new(source.skeleton(), target.skeleton(), &there).unwrap();
    let motion = there.retarget_clip(source).unwrap();
    let back = RetargetOptions {
        target_rest: rest(source),
        source_rest: rest(target),
        foot_lock: lock,
        ..RetargetOptions::default()
    };
    let back = Retargeter::new(target.skeleton(), source.skeleton(), &back).unwrap();
    let again = back.retarget_clip(&motion).unwrap();
    let in_both = |role: &Role| {
        there.source_roles().joint(*role).is_some() && there.target_roles().joint(*role).is_some()
    };
    let shared: Vec<Role> = Role::ALL.iter().copied().filter(in_both).collect();
    error(source, &again, &shared)
}
