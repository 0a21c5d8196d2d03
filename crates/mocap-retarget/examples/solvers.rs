//! What each solver makes of captured walks and dances on several bodies.
//!
//! `MOCAP_CORPUS=DATA cargo run --release -p mocap-retarget --example solvers [-- pairs]` prints the table of the
//! documentation; with `pairs`, a row for every clip and target as well.

#![allow(clippy::print_stdout, reason = "the tables are what the example is for")]

#[path = "../tests/motions/clip.rs"]
mod clip;

use mocap_model::Clip;
use mocap_retarget::{LimbSolver, RetargetOptions, RetargetReport, Retargeter, estimate_rest_pose};
use std::time::Instant;

/// Walks and dances: name, file, frames to skip.
const CLIPS: [(&str, &str, usize); 9] = [
    ("CMU walk", "cmu/12_01_walk.bvh", 1),
    ("CMU ASF walk", "cmu/11_01.amc", 0),
    ("CMU ASF charleston", "cmu/charleston1.amc", 0),
    ("CMU ASF charleston 2", "cmu/charleston2.amc", 0),
    ("iClone walk", "iclone/007_12.bvh", 0),
    ("Bandai walk", "bandai/dataset-1_walk_normal_001.bvh", 0),
    ("Bandai dance", "bandai/dataset-1_dance-short_normal_001.bvh", 0),
    ("GAMES-105 walk", "misc/games105_walk60.bvh", 0),
    ("Xia walk", "misc/xia_neutral_01.bvh", 1),
];

/// The skeletons they are put on; the ASF has limits.
const TARGETS: [(&str, &str, usize); 4] = [
    ("Bandai", "bandai/dataset-1_walk_normal_001.bvh", 0),
    ("GAMES-105", "misc/games105_walk60.bvh", 0),
    ("Mixamo", "misc/games105_motion_65joints.bvh", 0),
    ("CMU ASF", "cmu/01_01.amc", 0),
];

/// What is added up over pairs.
#[derive(Default)]
struct Sum {
    solves: usize,
    reached: usize,
    unreachable: usize,
    limited: usize,
    capped: usize,
    wrong: usize,
    iterations: f64,
    most_iterations: u32,
    missed: f64,
    most_missed: f64,
    step: f64,
    violations: usize,
    frames: usize,
    seconds: f64,
}

impl Sum {
    fn add(&mut self, report: &RetargetReport, seconds: f64) {
        for row in &report.effectors {
            let frames = report.frames as f64;
            self.solves += report.frames;
            self.reached += row.reached_frames;
            self.unreachable += row.unreachable_frames;
            self.limited += row.limited_frames;
            self.capped += row.capped_frames;
            self.wrong += row.wrong_bend_frames;
            self.iterations += row.iterations_mean * frames;
            self.most_iterations = self.most_iterations.max(row.iterations_max);
            self.missed += row.mean * frames;
            self.most_missed = self.most_missed.max(row.max_reachable);
        }
        self.step = self.step.max(report.largest_step.excess);
        self.violations += report.limits.violations;
        self.frames += report.frames;
        self.seconds += seconds;
    }

    fn row(&self, name: &str) -> String {
        let solves = self.solves.max(1) as f64;
        let share = |count: usize| format!("{:.2}", 100.0 * count as f64 / solves);
        format!(
            "| {name} | {:.1}, {} | {} | {} | {} | {} | {:.2}, {:.1} | {:.1} | {} | {} | {:.0} |",
            self.iterations / solves,
            self.most_iterations,
            share(self.reached),
            share(self.unreachable),
            share(self.limited),
            share(self.capped),
            1000.0 * self.missed / solves,
            1000.0 * self.most_missed,
            self.step,
            self.wrong,
            self.violations,
            self.frames as f64 / self.seconds / 1000.0,
        )
    }
}

fn main() {
    let pairs = std::env::args().nth(1).is_some_and(|word| word == "pairs");
    let folder = match mocap_corpus::find() {
        Ok(folder) => folder,
        Err(missing) => return println!("the tables {missing}"),
    };
    let load = |list: &[(&'static str, &str, usize)]| -> Vec<(&'static str, Clip)> {
        list.iter().map(|(name, path, skip)| (*name, clip::clip(&folder, path, *skip))).collect()
    };
    let (clips, targets) = (load(&CLIPS), load(&TARGETS));
    println!(
        "| targets, solver | iterations mean, max | reached % | out of reach % | at a limit % | given up % | \
         off the goal mm mean, max | step ° | wrong bends | limits broken | 1000 frames/s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for limited in [false, true] {
        for solver in LimbSolver::ALL {
            let mut sum = Sum::default();
            for (to, target) in targets.iter().filter(|(to, _)| (*to == "CMU ASF") == limited) {
                let target_rest = estimate_rest_pose(target).ok();
                for (from, source) in clips.iter().filter(|(from, _)| !from.starts_with(to)) {
                    let options = RetargetOptions {
                        solver,
                        target_rest: target_rest.clone(),
                        ..RetargetOptions::default()
                    };
                    let retargeter =
                        Retargeter::new(source.skeleton(), target.skeleton(), &options).expect("bodies");
                    let started = Instant::now();
                    retargeter.retarget_clip(source).expect("a motion");
                    let seconds = started.elapsed().as_secs_f64();
                    let (_, report) = retargeter.retarget(source).expect("a motion");
                    if pairs {
                        let mut pair = Sum::default();
                        pair.add(&report, seconds);
                        println!("{}", pair.row(&format!("{from} → {to}, {}", solver.name())));
                    }
                    sum.add(&report, seconds);
                }
            }
            let kind = if limited { "with limits" } else { "free joints" };
            println!("{}", sum.row(&format!("{kind}, `{}`", solver.name())));
        }
    }
}
