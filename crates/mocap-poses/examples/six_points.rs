//! Accuracy of poses predicted from hips, hands, feet and head, on motions that are not among the
//! examples:
//!
//! ```sh
//! cargo run --release -p mocap-poses --example six_points -- TRAIN_DIRECTORY TEST_DIRECTORY
//! ```
//!
//! Mean distance of the inner joints from their true positions, on a body of 1.7 m: from positions
//! only (the hips with their orientation), then from all orientations. `jerk` is the third
//! difference of the inner joints relative to that of the true motion. `xpbd` is the same with the
//! XPBD solver as the last step. `nearest` is the baseline: the nearest example, moved onto the
//! points by damped least squares.
#![allow(clippy::print_stdout, reason = "an example prints")]

use mocap_model::{Clip, ForwardKinematics, JointId, Role, Skeleton, UnitQuaternion, Vector3};
use mocap_poses::{
    Body, BodySolver, Goals, PoseOptions, PosePrior, Sampled, learn, nearest_poses, solve_with,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

const GIVEN: [Role; 6] =
    [Role::Hips, Role::LeftHand, Role::RightHand, Role::LeftFoot, Role::RightFoot, Role::Head];
const INNER: [Role; 9] = [
    Role::LeftLowerArm,
    Role::RightLowerArm,
    Role::LeftUpperArm,
    Role::RightUpperArm,
    Role::LeftLowerLeg,
    Role::RightLowerLeg,
    Role::Chest,
    Role::Spine,
    Role::Neck,
];

/// The height of a body over the bones from hips to head and from hip to ankle.
const HEIGHT: f64 = 1.161;

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [train, test] = &folders[..] else { return Err("name two directories of BVH files".into()) };
    let started = Instant::now();
    let clips: Vec<Sampled> =
        read_all(train)?.iter().map(|(_, clip)| Sampled::of(clip)).collect::<Result<_, _>>()?;
    let (prior, report) = learn(&clips)?;
    let bytes = prior.to_bytes();
    println!(
        "{} poses from {} frames of {} clips, {} kB, {:.1} s; a frame is {:.0} mm from an example on average",
        report.poses,
        report.frames,
        report.clips,
        bytes.len() >> 10,
        started.elapsed().as_secs_f64(),
        report.distance_mean.unwrap_or(f64::NAN) * 1e3
    );
    let prior = PosePrior::from_bytes(&bytes)?;
    let tests = read_all(test)?;
    for oriented in [false, true] {
        let solvers = [("objective", BodySolver::Objective), ("xpbd", BodySolver::Xpbd)];
        let mut all = [Figures::default(), Figures::default()];
        let mut baseline = Figures::default();
        for (name, clip) in &tests {
            let truth = places(clip)?;
            let goals = six_points(clip, oriented)?;
            let metres = mocap_analysis::metres_per_unit(clip.skeleton());
            for ((solver_name, solver), all) in solvers.into_iter().zip(&mut all) {
                let started = Instant::now();
                let options = PoseOptions { solver, ..PoseOptions::default() };
                let solved = solve_with(&prior, &goals, clip.skeleton(), metres, options)?;
                let mut own = Figures { seconds: started.elapsed().as_secs_f64(), ..Figures::default() };
                own.add(&truth, &places(&solved.clip)?);
                let far = solved.report.greatest().unwrap_or(f64::NAN) * 1e3;
                println!("{name}, {solver_name}: {own}; given points missed by {far:.2} mm at most");
                all.merge(&own);
            }
            let nearest = nearest_poses(&prior, &goals, clip.skeleton())?;
            baseline.add(&truth, &places(&nearest)?);
        }
        let kind = if oriented { "with orientations" } else { "positions" };
        for ((solver, _), all) in solvers.iter().zip(&all) {
            println!("== {kind}, {solver}: {all}");
        }
        println!("== {kind}, nearest and damped least squares: {baseline}");
    }
    Ok(())
}

fn read_all(folder: &Path) -> Result<Vec<(String, Clip)>, Error> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    let read = |path: PathBuf| -> Result<(String, Clip), Error> {
        let document = mocap_formats::bvh::parse(&std::fs::read(&path)?, &Default::default())?.value;
        let clip = mocap_formats::bvh::to_clip(&document, &Default::default())?.value;
        let body = Body::of(clip.skeleton())?;
        let clip = clip.with_skeleton(Arc::clone(body.skeleton()))?;
        Ok((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), clip))
    };
    paths.into_iter().filter(|path| path.extension().is_some_and(|end| end == "bvh")).map(read).collect()
}

/// Every joint in all frames.
fn places(clip: &Clip) -> Result<Vec<Vector3<f64>>, Error> {
    let mut kinematics = ForwardKinematics::new(clip);
    let mut all = Vec::new();
    for frame in 0..clip.frames() {
        kinematics.place(frame);
        all.extend(kinematics.pose().joints.iter().map(|joint| joint.translation.vector));
    }
    // Inner joints, in millimetres on a body of 1.7 m.
    let skeleton = clip.skeleton();
    let scale = 1700.0
        / (HEIGHT
            * (bones(skeleton, Role::Head, Role::Hips)
                + bones(skeleton, Role::LeftFoot, Role::LeftUpperLeg)));
    let joints: Vec<JointId> = INNER.iter().filter_map(|role| skeleton.with_role(*role)).collect();
    let count = skeleton.len();
    Ok((0..clip.frames())
        .flat_map(|frame| joints.iter().map(move |joint| frame * count + joint.index()))
        .map(|at| all[at] * scale)
        .collect())
}

/// The length of the bones from a joint up to another.
fn bones(skeleton: &Skeleton, from: Role, to: Role) -> f64 {
    let to = skeleton.with_role(to);
    let above = std::iter::successors(skeleton.with_role(from), |id| skeleton.joint(*id).parent);
    above.take_while(|id| Some(*id) != to).map(|id| skeleton.joint(id).offset.norm()).sum()
}

fn six_points(clip: &Clip, oriented: bool) -> Result<Goals, Error> {
    let skeleton = clip.skeleton();
    let joints: Vec<JointId> = GIVEN.iter().filter_map(|role| skeleton.with_role(*role)).collect();
    let names = joints.iter().map(|joint| skeleton.joint(*joint).name.clone()).collect();
    let mut kinematics = ForwardKinematics::new(clip);
    let (mut positions, mut orientations): (Vec<_>, Vec<Option<UnitQuaternion<f64>>>) = Default::default();
    for frame in 0..clip.frames() {
        kinematics.place(frame);
        for (place, joint) in joints.iter().enumerate() {
            let at = kinematics.at(*joint);
            positions.push(Some(at.translation.vector));
            orientations.push((oriented || place == 0).then_some(at.rotation));
        }
    }
    Ok(Goals { rate: clip.rate(), names, positions, orientations, unit: None })
}

#[derive(Default)]
struct Figures {
    sums: [f64; INNER.len()],
    frames: usize,
    jerk: f64,
    jerk_of_truth: f64,
    seconds: f64,
}

impl Figures {
    fn add(&mut self, truth: &[Vector3<f64>], found: &[Vector3<f64>]) {
        let count = INNER.len();
        for (at, (a, b)) in truth.iter().zip(found).enumerate() {
            self.sums[at % count] += (a - b).norm();
        }
        self.frames += truth.len() / count;
        self.jerk += jerk(found, count);
        self.jerk_of_truth += jerk(truth, count);
    }

    fn merge(&mut self, other: &Figures) {
        self.sums.iter_mut().zip(other.sums).for_each(|(sum, other)| *sum += other);
        self.frames += other.frames;
        self.jerk += other.jerk;
        self.jerk_of_truth += other.jerk_of_truth;
        self.seconds += other.seconds;
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let frames = self.frames.max(1) as f64;
        let mean = self.sums.iter().sum::<f64>() / frames / INNER.len() as f64;
        write!(f, "{mean:.1} mm (")?;
        self.sums.iter().try_for_each(|sum| write!(f, " {:.0}", sum / frames))?;
        write!(f, " ), jerk {:.2} of the truth", self.jerk / self.jerk_of_truth)?;
        if self.seconds > 0.0 { write!(f, ", {:.0} frames/s", frames / self.seconds) } else { Ok(()) }
    }
}

/// The sum of third differences.
fn jerk(places: &[Vector3<f64>], count: usize) -> f64 {
    let at = |frame: usize, joint: usize| places[frame * count + joint];
    let frames = places.len() / count;
    let third = |frame: usize, joint: usize| {
        (at(frame + 3, joint) - 3.0 * at(frame + 2, joint) + 3.0 * at(frame + 1, joint) - at(frame, joint))
            .norm()
    };
    (0..frames.saturating_sub(3)).flat_map(|frame| (0..count).map(move |joint| third(frame, joint))).sum()
}
