//! Measures the difference between two versions of a motion in object space.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

fn main() -> Result<(), mocap::Error> {
    let walk = mocap::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/alex_walk.bvh"))?.value;
    let rate = mocap::FrameRate::new(walk.rate().fps() / 4.0).expect("a rate");
    let thinned = walk.resampled(rate)?.resampled(walk.rate())?;
    let frames = walk.frames().min(thinned.frames());
    // On points 3 cm from each joint.
    let error = mocap::analysis::object_error(&walk.trimmed(0..frames)?, &thinned.trimmed(0..frames)?, 0.03)?;
    println!("{error:#?}");
    Ok(())
}
