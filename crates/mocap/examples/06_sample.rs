//! Plays a compressed clip: poses at any time, without decoding the whole.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use mocap::compress::{Looping, OpenLimits};
use mocap::prelude::*;

fn main() -> Result<(), mocap::Error> {
    let walk = mocap::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/alex_walk.bvh"))?.value;
    let bytes = mocap::compress(&walk, &CompressOptions::default())?.value.bytes;
    let compressed = Compressed::open(bytes, &OpenLimits::default())?;
    let mut sampler = compressed.sampler();
    let mut pose = sampler.pose();
    for time in [0.0, 0.25, 0.5] {
        sampler.sample(time, Looping::Clamp, &mut pose);
        println!("{time} s: the root is at {:?}", pose[0].translation);
    }
    Ok(())
}
