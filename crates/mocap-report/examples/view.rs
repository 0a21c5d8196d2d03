//! Writes a viewer page: `cargo run -p mocap-report --example view -- IN.bvh... -o OUT.html`.

#![allow(clippy::print_stderr, reason = "a program for developers")]

use mocap_formats::{Limits, bvh};
use mocap_model::Clip;
use mocap_report::view::{ViewInput, ViewOptions, html};
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
    paths.retain(|path| path != "-o");
    let clips: Vec<Clip> = paths.iter().map(|path| read(path)).collect();
    let names: Vec<&str> = paths.iter().map(|path| path.rsplit('/').next().unwrap_or(path)).collect();
    let inputs: Vec<ViewInput<'_>> =
        clips.iter().zip(&names).map(|(clip, name)| ViewInput { name, clip }).collect();
    let start = std::time::Instant::now();
    let bytes = html(&inputs, &ViewOptions::default());
    eprintln!("{out}: {} bytes, {:.1} ms", bytes.len(), start.elapsed().as_secs_f64() * 1e3);
    std::fs::write(out, bytes).expect("a file that can be written");
}
