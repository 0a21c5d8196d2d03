//! Reads a motion file of any format and prints its warnings.
//!
//! `cargo run -p mocap --example 01_read -- walk.bvh`

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

fn main() -> Result<(), mocap::Error> {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/alex_walk.bvh");
    let path = std::env::args().nth(1).unwrap_or_else(|| fixture.into());
    let walk = mocap::read(path)?;
    for warning in &walk.warnings {
        println!("warning[{}]: {warning}", warning.code());
    }
    let clip = walk.value;
    println!("{} joints, {} frames at {} fps", clip.skeleton().len(), clip.frames(), clip.rate().fps());
    Ok(())
}
