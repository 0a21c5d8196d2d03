//! Retargets a walk to a body of other proportions and prints figures of quality.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use mocap::prelude::*;

fn main() -> Result<(), mocap::Error> {
    let walk = mocap::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/alex_walk.bvh"))?.value;
    let robin =
        mocap::read_skeleton(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/robin.skel"))?.value;
    let moved = mocap::retarget(&walk, &robin, &RetargetOptions::default())?;
    for warning in &moved.warnings {
        println!("{warning}");
    }
    println!("{} frames on {}", moved.clip.frames(), moved.clip.skeleton().name());
    println!("{:#?}", moved.report.feet.first());
    Ok(())
}
