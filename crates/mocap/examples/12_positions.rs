//! Times reading a file and finding the positions of its joints: prints the median of some runs \[s\].
//!
//! `cargo run --release -p mocap --example 12_positions -- walk.bvh 20`

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::time::Instant;

use mocap::JointId;
use mocap::model::ForwardKinematics;

fn main() -> Result<(), mocap::Error> {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/alex_walk.bvh");
    let path = std::env::args().nth(1).unwrap_or_else(|| fixture.into());
    let runs = std::env::args().nth(2).and_then(|runs| runs.parse().ok()).unwrap_or(3);
    let mut seconds = Vec::new();
    for _ in 0..runs {
        let start = Instant::now();
        let clip = mocap::read(&path)?.value;
        let skeleton = clip.skeleton();
        let joints: Vec<JointId> =
            skeleton.iter().filter(|(_, joint)| !joint.end_site).map(|(id, _)| id).collect();
        let mut kinematics = ForwardKinematics::of_joints(&clip, &joints);
        let mut positions = Vec::with_capacity(clip.frames() * joints.len());
        for frame in 0..clip.frames() {
            kinematics.place(frame);
            positions.extend(joints.iter().map(|joint| kinematics.position(*joint)));
        }
        assert_eq!(positions.len(), clip.frames() * joints.len());
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    println!("{}", seconds[seconds.len() / 2]);
    Ok(())
}
