//! Converts a motion: AMC with its skeleton to BVH in metres, Z up.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use mocap::prelude::*;

fn main() -> Result<(), mocap::Error> {
    // The ASF in the same folder is found by its name.
    let clip = mocap::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/alex_walk.amc"))?.value;
    let space = mocap::with_up(clip.skeleton().space(), "Z".parse().expect("an axis"));
    let metres = Unit { metres: 1.0, source: UnitSource::File };
    let turned = clip.in_space(Space { unit: Some(metres), ..space })?;
    let output = std::env::temp_dir().join("mocap_03_convert.bvh");
    for warning in mocap::write(&output, &turned)? {
        println!("{warning}");
    }
    println!("wrote {}", output.display());
    Ok(())
}
