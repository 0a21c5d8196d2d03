//! Every solver on captured walks and a dance, onto bodies with and without limits: goals are met where limits
//! allow it, limits are kept, and no joint jumps.

use crate::clip::{fixture, real};
use mocap_formats::{Limits, skel};
use mocap_model::{Clip, Role, Unit, UnitSource};
use mocap_retarget::{LimbSolver, RetargetOptions, Retargeter, estimate_rest_pose};

const CLIPS: [(&str, usize); 4] = [
    ("cmu/12_01_walk.bvh", 1),
    ("bandai/dataset-1_dance-short_normal_001.bvh", 0),
    ("misc/games105_walk60.bvh", 0),
    ("misc/xia_neutral_01.bvh", 1),
];

const TARGETS: [(&str, bool); 3] = [
    ("misc/games105_motion_65joints.bvh", false),
    ("bandai/dataset-1_walk_normal_001.bvh", false),
    ("cmu/01_01.amc", true),
];

pub(crate) fn every_solver_follows_captured_motions_without_a_jump() {
    let clips = CLIPS.map(|(path, skip)| (path, real(path, skip)));
    follow_without_a_jump(&clips, &TARGETS.map(|(path, limited)| (path, real(path, 0), limited)));
}

pub(crate) fn every_solver_follows_fixtures_without_a_jump() {
    let clips = ["alex_walk.bvh", "robin_walk.bvh", "alex_jump.bvh", "robin_turn.bvh"];
    let targets = [("robin_walk.bvh", false), ("alex_walk.bvh", false), ("alex_walk.amc", true)];
    let targets = targets.map(|(path, limited)| (path, fixture(path), limited));
    follow_without_a_jump(&clips.map(|path| (path, fixture(path))), &targets);
}

fn follow_without_a_jump(clips: &[(&str, Clip)], targets: &[(&str, Clip, bool)]) {
    for (to, target, limited) in targets {
        let target_rest = estimate_rest_pose(target).ok();
        for (from, source) in clips {
            for solver in LimbSolver::ALL {
                let options = RetargetOptions {
                    solver,
                    target_rest: target_rest.clone(),
                    ..RetargetOptions::default()
                };
                let retargeter = Retargeter::new(source.skeleton(), target.skeleton(), &options).unwrap();
                let (_, report) = retargeter.retarget(source).unwrap();
                let place = format!("{from} on {to}, {}", solver.name());
                assert!(report.largest_step.excess <= 5.0, "{place}: {:?}", report.largest_step);
                assert_eq!(report.limits.violations, 0, "{place}");
                for row in &report.effectors {
                    let within_reach = (report.frames - row.unreachable_frames) as f64;
                    let (met, bent) = (row.reached_frames as f64, row.wrong_bend_frames as f64);
                    assert!(met >= within_reach * if *limited { 0.7 } else { 1.0 }, "{place}: {row:?}");
                    assert!(bent <= 0.02 * within_reach, "{place}: {row:?}");
                    if !limited {
                        assert!(row.max_reachable < 1e-4, "{place}: {row:?}");
                    }
                }
            }
        }
    }
}

/// A kick to the side is out of the range of hips as the source turns the thigh, but nearly within it with a thigh that is
/// turned further: the leg goes as near as limits allow, and no joint jumps on the way.
pub(crate) fn kicks_to_the_side_stay_within_the_limits_of_hips() {
    let dance = real("misc/rokoko_dance.bvh", 0);
    let mut space = *dance.skeleton().space();
    space.unit = Some(Unit { metres: 0.01, source: UnitSource::Flag });
    let skeleton = dance.skeleton().with_space(space);
    let dance = dance.with_skeleton(skeleton.into()).unwrap();
    let path = mocap_corpus::fixture("clips").join("robin.skel");
    let target = skel::parse(&std::fs::read(path).unwrap(), &Limits::default()).unwrap().value;
    let options =
        RetargetOptions { source_rest: estimate_rest_pose(&dance).ok(), ..RetargetOptions::default() };
    let (_, report) = Retargeter::new(dance.skeleton(), &target, &options).unwrap().retarget(&dance).unwrap();
    assert_eq!(report.limits.violations, 0);
    assert!(report.largest_step.excess <= 5.0, "{:?}", report.largest_step);
    let foot = report.effectors.iter().find(|row| row.role == Role::RightFoot).unwrap();
    assert!(foot.mean < 0.04 && foot.p95 < 0.3, "{foot:?}");
}
