//! Compresses a walk so that no point on the skin moves by more than 0.1 mm.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use mocap::prelude::*;

fn main() -> Result<(), mocap::Error> {
    let walk = mocap::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/alex_walk.bvh"))?.value;
    let options = CompressOptions { tolerance: 1e-4, ..CompressOptions::default() };
    let done = mocap::compress(&walk, &options)?;
    // BVH states no unit: it is guessed from the size of the body.
    for warning in &done.warnings {
        println!("{warning}");
    }
    let raw = mocap::compress::raw_bytes(walk.skeleton(), walk.frames());
    let (small, error) = (done.value.bytes.len(), done.value.report.max);
    println!("{raw} -> {small} bytes, greatest error {:.3} mm", error * 1e3);
    Ok(())
}
