//! Pops: no joint of the target moves much further in one frame than the source's does around that frame, scaled.

use crate::clip::{fixture, real};
use mocap_analysis::{metres_per_unit, trajectories, upright_by};
use mocap_corpus::{note, shows_notes};
use mocap_model::{Clip, JointId, Role, SignedAxis, Space, Vector3};
use mocap_retarget::{FootLock, RetargetOptions, Retargeter, estimate_rest_pose, map_roles};
use std::sync::Arc;

/// A joint pops if its step exceeds that of the source by more than this \[m\].
const POP: f64 = 0.05;
/// The source's step is the largest within this many frames to each side: a body may follow a jump of its source a little
/// later.
const AROUND: usize = 2;
/// Frames of each clip.
const MOST_FRAMES: usize = 500;

/// File, frames to skip.
pub(crate) const CLIPS: [(&str, usize); 22] = [
    ("bandai/dataset-1_bow_active_001.bvh", 0),
    ("bandai/dataset-1_dance-short_normal_001.bvh", 0),
    ("bandai/dataset-1_dash_normal_001.bvh", 0),
    ("bandai/dataset-1_kick_normal_001.bvh", 0),
    ("bandai/dataset-1_run_normal_001.bvh", 0),
    ("bandai/dataset-1_walk_normal_001.bvh", 0),
    ("bandai/dataset-2_walk-turn-left_active_001.bvh", 0),
    ("characters/mousey_salsa.bvh", 0),
    ("characters/ortiz_salsa.bvh", 0),
    ("characters/sporty_granny_salsa.bvh", 0),
    ("cmu/01_01.bvh", 1),
    ("cmu/12_01_walk.bvh", 1),
    ("iclone/001_08.bvh", 0),
    ("iclone/002_01.bvh", 0),
    ("iclone/005_10.bvh", 0),
    ("iclone/007_12.bvh", 0),
    ("misc/fair_zombie_zup.bvh", 0),
    ("misc/games105_motion_65joints.bvh", 0),
    ("misc/games105_walk60.bvh", 0),
    ("misc/makehuman_doubleclap.bvh", 0),
    ("misc/rokoko_dance.bvh", 0),
    ("misc/xia_neutral_01.bvh", 0),
];

/// The joints that are watched.
const ROLES: [Role; 17] = [
    Role::Hips,
    Role::Head,
    Role::Neck,
    Role::LeftUpperLeg,
    Role::RightUpperLeg,
    Role::LeftLowerLeg,
    Role::RightLowerLeg,
    Role::LeftFoot,
    Role::RightFoot,
    Role::LeftToes,
    Role::RightToes,
    Role::LeftUpperArm,
    Role::RightUpperArm,
    Role::LeftLowerArm,
    Role::RightLowerArm,
    Role::LeftHand,
    Role::RightHand,
];

/// The clips of the corpus, shortened.
pub(crate) fn corpus() -> Vec<(&'static str, Clip)> {
    CLIPS
        .iter()
        .map(|(path, skip)| {
            let clip = real(path, *skip);
            let frames = clip.frames().min(MOST_FRAMES);
            (*path, upright_space(&clip.trimmed(0..frames).unwrap()))
        })
        .collect()
}

/// The clip with the up axis along which its body stands, as the command line reads it.
fn upright_space(clip: &Clip) -> Clip {
    let roles = map_roles(clip.skeleton()).certain().apply(clip.skeleton());
    let usual = *clip.skeleton().space();
    match upright_by(clip, &roles).filter(|up| *up != usual.up) {
        Some(up) => {
            // All of these look along +Z, which is up where it is not Y.
            let forward = SignedAxis { negative: true, ..usual.up };
            let skeleton = clip.skeleton().with_space(Space { up, forward, ..usual });
            clip.clone().with_skeleton(Arc::new(skeleton)).unwrap()
        }
        None => clip.clone(),
    }
}

/// The largest step beyond the source's \[m\], its role and its frame.
fn largest_excess(retargeter: &Retargeter, source: &Clip, motion: &Clip) -> (f64, Role, usize) {
    let pairs: Vec<(Role, JointId, JointId)> = ROLES
        .iter()
        .filter_map(|role| {
            let (from, to) =
                (retargeter.source_roles().joint(*role)?, retargeter.target_roles().joint(*role)?);
            Some((*role, from, to))
        })
        .collect();
    let was = trajectories(source, &pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
    let is = trajectories(motion, &pairs.iter().map(|pair| pair.2).collect::<Vec<_>>());
    let leg = retargeter.ratios().leg;
    let arm = retargeter.ratios().arm.unwrap_or(leg).max(leg);
    let metres = metres_per_unit(retargeter.target());
    let mut largest = (f64::NEG_INFINITY, Role::Hips, 0);
    for ((role, ..), (was, is)) in pairs.iter().zip(was.iter().zip(&is)) {
        let of_arm = matches!(
            role,
            Role::LeftUpperArm
                | Role::RightUpperArm
                | Role::LeftLowerArm
                | Role::RightLowerArm
                | Role::LeftHand
                | Role::RightHand
        );
        let scale = if of_arm { arm } else { leg };
        let step = |places: &[Vector3<f64>], frame: usize| (places[frame + 1] - places[frame]).norm();
        let steps = motion.frames().saturating_sub(1);
        for frame in 0..steps {
            let around = frame.saturating_sub(AROUND)..(frame + AROUND + 1).min(steps);
            let allowed = around.map(|frame| step(was, frame)).fold(0.0, f64::max);
            let excess = (step(is, frame) - allowed * scale) * metres;
            if excess > largest.0 {
                largest = (excess, *role, frame);
            }
        }
    }
    largest
}

/// The number of pairs of different clips that pop, and of all; prints which stage makes each pop.
fn count_pops(clips: &[(&str, Clip)]) -> (usize, usize) {
    let (mut pairs, mut pops) = (0, 0);
    for (to, target) in clips {
        let rest = estimate_rest_pose(target).unwrap();
        for (from, source) in clips.iter().filter(|(from, _)| from != to) {
            let run = |self_contacts: bool, foot_lock: FootLock| {
                let options = RetargetOptions {
                    target_rest: Some(rest.clone()),
                    self_contacts,
                    foot_lock,
                    ..RetargetOptions::default()
                };
                let retargeter = Retargeter::new(source.skeleton(), target.skeleton(), &options).unwrap();
                let motion = retargeter.retarget_clip(source).unwrap();
                largest_excess(&retargeter, source, &motion)
            };
            let (excess, role, frame) = run(true, FootLock::Auto);
            pairs += 1;
            if excess > POP {
                pops += 1;
                if !shows_notes() {
                    continue;
                }
                let others = [(false, FootLock::Auto), (true, FootLock::Off), (false, FootLock::Off)];
                let [hands, lock, both] = others.map(|(hands, lock)| run(hands, lock).0);
                note!(
                    "{from} → {to}: {role} at {frame} by {:.1} cm (without contacts {:.1}, without lock {:.1}, both {:.1})",
                    excess * 1e2,
                    hands * 1e2,
                    lock * 1e2,
                    both * 1e2,
                );
            }
        }
    }
    note!("{pops} of {pairs} pairs pop");
    (pops, pairs)
}

pub(crate) fn few_pairs_of_captures_pop() {
    let (pops, pairs) = count_pops(&corpus());
    assert_eq!(pairs, 462);
    assert!(pops <= 20, "{pops} of {pairs}");
}

pub(crate) fn no_pair_of_fixtures_pops() {
    let clips = ["alex_walk.bvh", "robin_walk.bvh", "robin_turn.bvh", "alex_wave.bvh"];
    let clips = clips.map(|name| (name, fixture(name)));
    assert_eq!(count_pops(&clips), (0, 12));
}
