//! Prints the table of `docs/compression.md`: sizes, errors and speeds of all BVH files of a corpus.
//!
//! ```text
//! MOCAP_CORPUS=data cargo run --release -p mocap-compress --example table -- [TOLERANCE in m] [PROFILE...]
//! ```
//!
//! Lengths are scaled so that thigh and shank are 83.5 cm together. Sizes are given with the skeleton and (after
//! the slash) without it; ratios are against joints without end sites × frames × 40 bytes.

use mocap_compress::{Compressed, Limits, Options, Profile, compress};
use mocap_formats::bvh;
use mocap_model::Clip;
use std::path::Path;
use std::time::Instant;

/// Folder or file, and metres in one unit of its numbers.
const UNITS: [(&str, f64); 6] = [
    ("iclone", 0.0085648),
    ("bandai", 0.0104288),
    ("misc/xia", 0.0569998),
    ("misc/games105_walk", 1.0),
    ("misc/games105_motion", 0.01),
    ("cmu", 0.0564444),
];

#[derive(Default)]
struct Sum {
    raw: f64,
    bytes: f64,
    without_skeleton: f64,
    max: f64,
}

#[allow(clippy::print_stdout, reason = "it prints a table")]
fn main() {
    let root = std::env::var("MOCAP_CORPUS")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into());
    let mut tolerance = 1e-4;
    let mut profiles = Vec::new();
    for argument in std::env::args().skip(1) {
        match (argument.parse(), argument.parse()) {
            (Ok(profile), _) => profiles.push(profile),
            (_, Ok(value)) => tolerance = value,
            _ => return println!("'{argument}' is neither a tolerance nor a profile"),
        }
    }
    if profiles.is_empty() {
        profiles.extend(Profile::ALL);
    }
    for profile in profiles {
        println!("\n{profile}, {tolerance} m\n");
        println!(
            "| clip | raw | bytes / without skeleton | ratio | max | p99 | rms | between [mm] | local [°] | encode | decode [MB/s] |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|---|");
        for (group, metres) in UNITS {
            let mut sum = Sum::default();
            for path in files(Path::new(&root), group) {
                row(&path, metres, tolerance, profile, &mut sum);
            }
            if sum.raw > 0.0 {
                let (ratio, without) = (sum.raw / sum.bytes, sum.raw / sum.without_skeleton);
                println!("| **{group}** | | | **{ratio:.2} / {without:.2}** | {:.5} |", sum.max * 1e3);
            }
        }
    }
}

fn files(root: &Path, group: &str) -> Vec<std::path::PathBuf> {
    let (folder, start) = group.split_once('/').unwrap_or((group, ""));
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else { return Vec::new() };
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".bvh") && name.starts_with(start)
    });
    files.sort();
    files
}

fn read(path: &Path) -> Clip {
    let bytes = std::fs::read(path).expect("the file was listed");
    let document = bvh::parse(&bytes, &mocap_formats::Limits::default()).expect("a BVH file").value;
    bvh::to_clip(&document, &bvh::ClipOptions::default()).expect("a motion").value
}

#[allow(clippy::print_stdout, reason = "it prints a table")]
fn row(path: &Path, metres: f64, tolerance: f64, profile: Profile, sum: &mut Sum) {
    let clip = read(path);
    let options = Options { profile, tolerance, metres_per_unit: Some(metres), ..Options::default() };
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let start = Instant::now();
    let done = match compress(&clip, &options) {
        Ok(done) => done,
        Err(error) => return println!("| {name} | {error} |"),
    };
    let encoded = start.elapsed().as_secs_f64();
    let bytes: std::sync::Arc<[u8]> = done.bytes.into();
    let start = Instant::now();
    let opened = Compressed::open(bytes, &Limits::default()).expect("what was written");
    let mut sampler = opened.sampler();
    let mut pose = sampler.pose();
    for frame in 0..clip.frames() {
        sampler.frame(frame, &mut pose);
    }
    let decoded = start.elapsed().as_secs_f64();
    let report = done.report;
    let raw = report.raw_bytes as f64;
    println!(
        "| {name} | {raw} | {} / {} | {:.2} | {:.5} | {:.5} | {:.5} | {:.4} | {:.3} | {:.1} | {:.0} |",
        report.bytes,
        report.bytes - report.skeleton_bytes,
        report.ratio(),
        report.max * 1e3,
        report.p99 * 1e3,
        report.rms * 1e3,
        report.between_frames_max * 1e3,
        report.local_rotation_max.to_degrees(),
        raw / 1e6 / encoded,
        raw / 1e6 / decoded,
    );
    sum.raw += raw;
    sum.bytes += report.bytes as f64;
    sum.without_skeleton += (report.bytes - report.skeleton_bytes) as f64;
    sum.max = sum.max.max(report.max);
}
