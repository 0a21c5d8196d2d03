//! The program of the README: it is compiled as it stands there, and what it prints is sensible.

use mocap::prelude::*;

/// The lines between the first fence of the README and the next.
fn program() -> String {
    let readme = include_str!("../../README.md");
    let code = readme.split("```rust,no_run\n").nth(1).and_then(|rest| rest.split("```").next());
    code.expect("the README has a program").to_owned()
}

#[test]
fn the_program_of_the_readme_is_short_and_needs_only_this_crate() {
    let program = program();
    assert!(program.lines().count() <= 10, "{program}");
    assert!(!program.contains("use ") && !program.contains("mocap_"), "{program}");
}

#[test]
fn what_it_does_shrinks_a_walk_within_a_tenth_of_a_millimetre() -> Result<(), Error> {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips");
    let walk = mocap::read(format!("{fixtures}/alex_walk.bvh"))?.value;
    let robin = mocap::read_skeleton(format!("{fixtures}/robin.skel"))?.value;
    let moved = mocap::retarget(&walk, &robin, &RetargetOptions::default())?.clip;
    let options = CompressOptions { tolerance: 1e-4, ..CompressOptions::default() };
    let small = mocap::compress(&moved, &options)?.value;
    let raw = mocap::compress::raw_bytes(&robin, moved.frames());
    assert!(small.report.max <= 1e-4);
    assert!(raw as f64 > 4.0 * small.bytes.len() as f64, "{raw} {}", small.bytes.len());
    Ok(())
}
