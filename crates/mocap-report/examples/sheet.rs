//! Writes a contact sheet: `cargo run -p mocap-report --example sheet -- IN.bvh... OUT.svg|OUT.png`.

#![allow(clippy::print_stderr, reason = "a program for developers")]

use mocap_formats::{Limits, bvh};
use mocap_model::Clip;
use mocap_report::sheet::{SheetInput, SheetOptions, png, svg};
use std::sync::Arc;

fn read(path: &str) -> Clip {
    let bytes = std::fs::read(path).expect("a file that can be read");
    let document = bvh::parse(&bytes, &Limits::default()).expect("a BVH file").value;
    let clip = bvh::to_clip(&document, &bvh::ClipOptions::default()).expect("a motion").value;
    let roles = mocap_retarget::map_roles(clip.skeleton());
    let skeleton = Arc::new(roles.apply(clip.skeleton()));
    clip.with_skeleton(skeleton).expect("the same joints")
}

fn main() {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    let out = paths.pop().expect("an output");
    let clips: Vec<Clip> = paths.iter().map(|path| read(path)).collect();
    let names: Vec<&str> = paths.iter().map(|path| path.rsplit('/').next().unwrap_or(path)).collect();
    let inputs: Vec<SheetInput<'_>> =
        clips.iter().zip(&names).map(|(clip, name)| SheetInput { name, clip }).collect();
    let bytes = if out.ends_with(".png") {
        png(&inputs, &SheetOptions::default())
    } else {
        svg(&inputs, &SheetOptions::default()).into_bytes()
    };
    eprintln!("{out}: {} bytes", bytes.len());
    std::fs::write(out, bytes).expect("a file that can be written");
}
