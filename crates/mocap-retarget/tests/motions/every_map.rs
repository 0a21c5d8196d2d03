//! Every motion of the corpus on every skeleton of it: hands and feet come out on the sides that they have in the
//! source. Prints oddities (with `-- --nocapture`).

use crate::clip::{fixture, real};
use mocap_corpus::note;
use mocap_model::{Clip, Pose, Role, Vector3};
use mocap_retarget::{RetargetOptions, Retargeter, estimate_rest_pose, map_roles_in};

/// All files with a motion of a body.
const FILES: [&str; 20] = [
    "cmu/12_01_walk.bvh",
    "cmu/01_01.bvh",
    "cmu/01_01.amc",
    "cmu/11_01.amc",
    "iclone/001_14.bvh",
    "iclone/002_01.bvh",
    "iclone/002_05.bvh",
    "iclone/005_10.bvh",
    "iclone/007_01.bvh",
    "iclone/007_12.bvh",
    "bandai/dataset-1_walk_normal_001.bvh",
    "bandai/dataset-1_kick_normal_001.bvh",
    "bandai/dataset-1_dance-short_normal_001.bvh",
    "misc/games105_walk60.bvh",
    "misc/games105_motion_65joints.bvh",
    "misc/xia_neutral_01.bvh",
    "misc/lafan_geno_stance.bvh",
    "cmu/charleston1.amc",
    "cmu/charleston2.amc",
    "cmu/backflip.amc",
];
/// Frames looked at of each motion.
const FRAMES: usize = 120;

/// By frame: how far apart each pair of limbs is along the line of the hips
/// [widths of hips or shoulders], and how far toes point forward (cosine).
fn sides(clip: &Clip) -> Vec<[f64; 6]> {
    let skeleton = clip.skeleton();
    let up = skeleton.space().up.vector();
    let (mut local, mut object) = (Pose::default(), Pose::default());
    let frame = |frame: usize| {
        clip.local_pose(frame, &mut local);
        local.to_object(skeleton, &mut object);
        let at = |role: Role| -> Vector3<f64> {
            object.joints[skeleton.with_role(role).unwrap().index()].translation.vector
        };
        let apart = |role: Role| at(role) - at(role.mirrored());
        let hips = apart(Role::LeftUpperLeg).normalize();
        let toes = |toes: Role, foot: Role| (at(toes) - at(foot)).normalize().dot(&hips.cross(&up));
        let limbs = [Role::LeftLowerLeg, Role::LeftFoot, Role::LeftUpperArm, Role::LeftHand];
        let [knees, feet, shoulders, hands] = limbs.map(|role| {
            let from = if role.name().ends_with("Hand") { Role::LeftUpperArm } else { Role::LeftUpperLeg };
            apart(role).dot(&hips) / apart(from).norm()
        });
        let (left, right) = (toes(Role::LeftToes, Role::LeftFoot), toes(Role::RightToes, Role::RightFoot));
        [knees, feet, shoulders, hands, left, right]
    };
    (0..clip.frames()).map(frame).collect()
}

pub(crate) fn hands_and_feet_are_on_the_sides_of_the_source() {
    every_pair_keeps_its_sides(&FILES.map(|path| (path, real(path, 0))));
}

pub(crate) fn hands_and_feet_of_fixtures_are_on_the_sides_of_the_source() {
    let paths = [
        "alex_walk.bvh",
        "alex_turn.bvh",
        "alex_jump.bvh",
        "alex_wave.bvh",
        "robin_walk.bvh",
        "robin_turn.bvh",
        "robin_jump.bvh",
        "robin_wave.bvh",
    ];
    every_pair_keeps_its_sides(&paths.map(|path| (path, fixture(path))));
}

fn every_pair_keeps_its_sides(whole: &[(&str, Clip)]) {
    let mut clips = Vec::new();
    for (path, clip) in whole {
        let roles = map_roles_in(clip);
        let named = std::sync::Arc::new(roles.apply(clip.skeleton()));
        let from = usize::from(clip.frames() > 2);
        let cut = clip.trimmed(from..clip.frames().min(from + FRAMES)).unwrap();
        clips.push((path, clip, cut.with_skeleton(named).unwrap()));
    }
    let (mut pairs, mut odd, mut bad) = (0, Vec::new(), Vec::new());
    for (from, _, source) in &clips {
        let was = sides(source);
        for (to, whole, target) in &clips {
            let rest = estimate_rest_pose(whole).ok();
            let options = RetargetOptions { target_rest: rest, ..RetargetOptions::default() };
            let retargeter = Retargeter::new(source.skeleton(), target.skeleton(), &options).unwrap();
            let explanation = retargeter.explain();
            assert!(
                explanation.rows.iter().all(|row| row.score.is_none_or(|score| score >= 0.5)),
                "{from} {to}"
            );
            let motion = retargeter.retarget_clip(source).unwrap();
            let is = sides(&motion);
            pairs += 1;
            for (i, what) in
                ["knees", "feet", "shoulders", "hands", "left toes", "right toes"].into_iter().enumerate()
            {
                // Where the source has them clearly apart, the target has them so, too.
                let clear = was.iter().zip(&is).filter(|(was, _)| was[i].abs() > 0.5);
                let (same, all) = clear.fold((0, 0), |(same, all), (was, is)| {
                    (same + usize::from(was[i] * is[i] > 0.0), all + 1)
                });
                if same < all {
                    odd.push(format!("{from} onto {to}: {what} alike in {same} of {all} frames"));
                }
                if same * 10 < all * 9 {
                    bad.push(odd.last().unwrap().clone());
                }
            }
        }
    }
    note!("{pairs} pairs, {} with something odd", odd.len());
    odd.iter().for_each(|line| note!("{line}"));
    assert!(bad.is_empty(), "{bad:#?}");
}
