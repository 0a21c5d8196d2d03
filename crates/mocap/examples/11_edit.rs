//! Edits a motion: mirrors it, takes its root motion out, and prints what each edit changed.

#![allow(clippy::print_stdout, reason = "an example prints")]

use mocap::edit::edits::{InPlace, Mirror};
use mocap::edit::{ApplyOptions, Keep, apply, apply_root, root_curve};

fn main() -> Result<(), mocap::Error> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "fixtures/clips/alex_walk.bvh".into());
    let walk = mocap::read(path)?.value;
    let curve = root_curve(&walk, Keep::default());
    let edits = [InPlace::default().into(), Mirror::default().into()];
    let edited = apply(walk, &edits, &ApplyOptions::default())?;
    for report in &edited.reports {
        println!("{report}");
    }
    // The curve is a path over the ground: it moves any motion with as many frames.
    let (back, _) = apply_root(&edited.clip, &curve)?;
    println!("{} frames travel again", back.frames());
    Ok(())
}
