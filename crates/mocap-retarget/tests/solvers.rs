//! Every solver on captured walks and a dance, onto bodies with and without limits: goals are met where limits
//! allow it, limits are kept, and no joint jumps.

#![allow(clippy::print_stdout, reason = "says that it was skipped")]

mod corpus;

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

#[test]
fn every_solver_follows_captured_motions_without_a_jump() {
    for (to, limited) in TARGETS {
        let Some(target) = corpus::clip(to, 0) else { return };
        let target_rest = estimate_rest_pose(&target).ok();
        for (from, skip) in CLIPS {
            let source = corpus::clip(from, skip).expect("the corpus is there");
            for solver in LimbSolver::ALL {
                let options = RetargetOptions {
                    solver,
                    target_rest: target_rest.clone(),
                    ..RetargetOptions::default()
                };
                let retargeter = Retargeter::new(source.skeleton(), target.skeleton(), &options).unwrap();
                let (_, report) = retargeter.retarget(&source).unwrap();
                let place = format!("{from} on {to}, {}", solver.name());
                assert!(report.largest_step.excess <= 5.0, "{place}: {:?}", report.largest_step);
                assert_eq!(report.limits.violations, 0, "{place}");
                for row in &report.effectors {
                    let within_reach = (report.frames - row.unreachable_frames) as f64;
                    let (met, bent) = (row.reached_frames as f64, row.wrong_bend_frames as f64);
                    assert!(met >= within_reach * if limited { 0.7 } else { 1.0 }, "{place}: {row:?}");
                    assert!(bent <= 0.02 * within_reach, "{place}: {row:?}");
                    if !limited {
                        assert!(row.max_reachable < 1e-4, "{place}: {row:?}");
                    }
                }
            }
        }
    }
}
