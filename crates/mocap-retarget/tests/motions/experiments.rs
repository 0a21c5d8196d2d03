//! The two experiments of Yang, Chang and Chao (2002) on real walks: the same body with thighs × 1.5 and shanks
//! × 2, and with × 0.8 and × 0.5, pelvis and feet as they are. The motion must stay the same motion; the
//! contrast, the source's root and effectors as goals without scaling, must not.

use crate::clip::{fixture, real};
use mocap_corpus::note;
use mocap_model::{Clip, JointId, Role, Skeleton};
use mocap_retarget::{
    FootLock, Hands, LimbSolver, RetargetMethod, RetargetOptions, RetargetReport, Retargeter, map_roles,
};

const WALKS: [(&str, usize); 2] = [("cmu/12_01_walk.bvh", 1), ("misc/games105_walk60.bvh", 0)];

/// Walks of the fixtures.
const FIXTURES: [&str; 2] = ["alex_walk.bvh", "robin_walk.bvh"];

struct Experiment {
    thigh: f64,
    shank: f64,
    thigh_rms: f64,
    knee_rms: f64,
    height_error: f64,
    contrast_knee_rms: f64,
}

const EXPERIMENTS: [Experiment; 2] = [
    Experiment {
        thigh: 1.5,
        shank: 2.0,
        thigh_rms: 5.5,
        knee_rms: 7.0,
        height_error: 0.018,
        contrast_knee_rms: 80.0,
    },
    Experiment {
        thigh: 0.8,
        shank: 0.5,
        thigh_rms: 6.5,
        knee_rms: 7.2,
        height_error: 0.010,
        contrast_knee_rms: 25.0,
    },
];

fn with_legs(skeleton: &Skeleton, thigh: f64, shank: f64) -> Skeleton {
    let roles = map_roles(skeleton);
    let mut id = 0;
    skeleton
        .with_joints(|joint| {
            // A joint's offset is the bone above it.
            joint.offset *= match roles.role(JointId(id)) {
                Some(Role::LeftLowerLeg | Role::RightLowerLeg) => thigh,
                Some(Role::LeftFoot | Role::RightFoot) => shank,
                _ => 1.0,
            };
            id += 1;
        })
        .unwrap()
}

fn run(source: &Clip, experiment: &Experiment, options: &RetargetOptions) -> (Clip, RetargetReport) {
    let target = with_legs(source.skeleton(), experiment.thigh, experiment.shank);
    Retargeter::new(source.skeleton(), &target, options).unwrap().retarget(source).unwrap()
}

/// A row of the table in `docs/retargeting.md` (seen with `-- --nocapture`).
fn print_row(walk: &str, experiment: &Experiment, method: &str, report: &RetargetReport) {
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let both = |role: Role| [role, role.mirrored()].map(|role| angle(report, role));
    let (thighs, knees) = (both(Role::LeftUpperLeg), both(Role::LeftLowerLeg));
    let all = thighs.iter().chain(&knees);
    note!(
        "| {walk} | × {}, × {} | {method} | {:.1} / {:.1} | {:.3} | {:.2} | {:.1} | {:.1} |",
        experiment.thigh,
        experiment.shank,
        most(&mut thighs.iter().map(|(rms, _)| *rms)),
        most(&mut knees.iter().map(|(rms, _)| *rms)),
        all.map(|(_, correlation)| *correlation).fold(1.0, f64::min),
        most(&mut report.feet.iter().filter_map(|foot| foot.slide_ratio)),
        report.feet.iter().filter_map(|foot| foot.height_error).sum::<f64>() * 50.0,
        report.largest_step.excess,
    );
}

fn angle(report: &RetargetReport, role: Role) -> (f64, f64) {
    let angle = report.angles.iter().find(|angle| angle.role == role).unwrap();
    (angle.rms, angle.correlation.unwrap_or(0.0))
}

fn walks_the_same_walk(path: &str, source: &Clip) {
    for experiment in &EXPERIMENTS {
        for solver in LimbSolver::ALL {
            let options = RetargetOptions {
                method: RetargetMethod::LimbRatio,
                solver,
                foot_lock: FootLock::Off,
                ..RetargetOptions::default()
            };
            let (_, report) = run(source, experiment, &options);
            let place = format!("{path}, thighs × {}, {}", experiment.thigh, solver.name());
            print_row(path, experiment, &format!("scale, no foot lock, {}", solver.name()), &report);
            for (role, most) in [
                (Role::LeftUpperLeg, experiment.thigh_rms),
                (Role::RightUpperLeg, experiment.thigh_rms),
                (Role::LeftLowerLeg, experiment.knee_rms),
                (Role::RightLowerLeg, experiment.knee_rms),
            ] {
                let (rms, correlation) = angle(&report, role);
                assert!(rms <= most, "{place}: {role} differs by {rms}°");
                assert!(correlation >= 0.97, "{place}: {role} correlates by {correlation}");
            }
            for effector in &report.effectors {
                assert!(effector.max_reachable <= 1e-4, "{place}: {effector:?}");
            }
            for foot in &report.feet {
                assert!(foot.contact_frames > 45, "{place}: {foot:?}");
                assert!(foot.height_error_max.unwrap() <= experiment.height_error, "{place}: {foot:?}");
            }
            assert!(report.largest_step.excess <= 5.0, "{place}: {:?}", report.largest_step);
        }
    }
}

pub(crate) fn scaled_bodies_walk_the_same_walk() {
    for (path, skip) in WALKS {
        walks_the_same_walk(path, &real(path, skip));
    }
}

pub(crate) fn scaled_bodies_walk_the_walk_of_a_fixture() {
    for path in FIXTURES {
        walks_the_same_walk(path, &fixture(path));
    }
}

fn plants_its_feet(path: &str, source: &Clip) {
    for experiment in &EXPERIMENTS {
        let (_, report) = run(source, experiment, &RetargetOptions::default());
        let place = format!("{path}, thighs × {}", experiment.thigh);
        print_row(path, experiment, "scale, foot lock", &report);
        for foot in &report.feet {
            assert!(foot.slide_ratio.unwrap() <= 0.05, "{place}: {foot:?}");
            assert!(foot.penetration_max.unwrap() <= 1e-4, "{place}: {foot:?}");
        }
        let mean = report.feet.iter().map(|foot| foot.height_mean.unwrap()).sum::<f64>() / 2.0;
        assert!(mean.abs() <= 0.01, "{place}: feet stand {mean} m above the floor");
        for effector in &report.effectors {
            assert!(effector.max_reachable <= 1e-4, "{place}: {effector:?}");
        }
        assert!(report.largest_step.excess <= 5.0, "{place}: {:?}", report.largest_step);
        // Without the lock the same frames slide as much as the source's, scaled.
        let (_, free) = run(
            source,
            experiment,
            &RetargetOptions { foot_lock: FootLock::Off, ..RetargetOptions::default() },
        );
        assert!(free.feet.iter().all(|foot| foot.slide_ratio.unwrap() > 0.5), "{place}: {:?}", free.feet);
    }
}

pub(crate) fn locked_feet_stay_in_place() {
    for (path, skip) in WALKS {
        plants_its_feet(path, &real(path, skip));
    }
}

pub(crate) fn locked_feet_of_fixtures_stay_in_place() {
    for path in FIXTURES {
        plants_its_feet(path, &fixture(path));
    }
}

fn loses_its_knees(path: &str, source: &Clip) {
    for experiment in &EXPERIMENTS {
        let (_, report) = run(
            source,
            experiment,
            &RetargetOptions { method: RetargetMethod::Effectors, ..RetargetOptions::default() },
        );
        print_row(path, experiment, "effectors", &report);
        for role in [Role::LeftLowerLeg, Role::RightLowerLeg] {
            let (rms, _) = angle(&report, role);
            assert!(rms >= experiment.contrast_knee_rms, "{path}: {role} differs by only {rms}°");
        }
        // Copied rotations keep the angles and lose the floor.
        let (_, report) = run(
            source,
            experiment,
            &RetargetOptions { method: RetargetMethod::Copy, ..RetargetOptions::default() },
        );
        print_row(path, experiment, "copy", &report);
        assert!(report.angles.iter().all(|angle| angle.rms < 1e-6));
        assert!(report.feet.iter().all(|foot| foot.height_error_max.unwrap() > 0.25), "{:?}", report.feet);
    }
}

pub(crate) fn without_scaling_the_knees_are_lost() {
    for (path, skip) in WALKS {
        loses_its_knees(path, &real(path, skip));
    }
}

pub(crate) fn without_scaling_the_knees_of_fixtures_are_lost() {
    for path in FIXTURES {
        loses_its_knees(path, &fixture(path));
    }
}

fn is_itself(path: &str, source: &Clip) {
    for hands in [Hands::Scale, Hands::Keep] {
        let options = RetargetOptions { hands, ..RetargetOptions::default() };
        let retargeter = Retargeter::new(source.skeleton(), source.skeleton(), &options).unwrap();
        let motion = retargeter.retarget_clip(source).unwrap();
        let error = mocap_analysis::object_error(source, &motion, 0.0).unwrap();
        assert!(error.max < 1e-6, "{path}: {error:?}");
    }
}

pub(crate) fn a_motion_on_its_own_skeleton_is_itself() {
    let clips = [("cmu/12_01_walk.bvh", 0), ("cmu/01_01.bvh", 0), ("iclone/001_14.bvh", 0)];
    let more = [("bandai/dataset-1_dance-short_normal_001.bvh", 0), ("misc/games105_walk60.bvh", 0)];
    for (path, skip) in clips.into_iter().chain(more) {
        is_itself(path, &real(path, skip));
    }
}

pub(crate) fn a_fixture_on_its_own_skeleton_is_itself() {
    for body in ["alex", "robin"] {
        for motion in ["walk", "turn", "jump", "wave"] {
            let path = format!("{body}_{motion}.bvh");
            is_itself(&path, &fixture(&path));
        }
    }
}
