//! Prints the tables of `docs/performance.md`: sizes, errors and speeds of every motion of some folders.
//!
//! ```text
//! cargo run --release -p mocap-compress --example table -- [TOLERANCE in m] [PROFILE...] [FOLDER...]
//! ```
//!
//! Without a folder: the clips among the fixtures, and the corpus if there is one (`MOCAP_CORPUS`).
//! In known folders, lengths are scaled so that thigh and shank are 83.5 cm together. Ratios are
//! against joints without end sites × frames × 40 bytes; speeds are of raw bytes, one thread, the
//! best of a few runs.
#![allow(clippy::print_stdout, reason = "it prints tables")]

#[path = "../tests/motion/mod.rs"]
mod motion;

use mocap_compress::{CompressOptions, Compressed, OpenLimits, Profile, compress};
use mocap_model::Clip;
use motion::files::{Entry, files};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Sizes of some clips compressed by the Animation Compression Library (ACL) with its default
/// settings, at 0.1 mm on a shell of 3 cm, without a skeleton \[bytes\].
const ACL: [(&str, u64); 9] = [
    ("iclone/001_14.bvh", 227_779),
    ("iclone/002_01.bvh", 34_996),
    ("iclone/002_05.bvh", 155_871),
    ("iclone/005_10.bvh", 77_617),
    ("iclone/007_12.bvh", 27_515),
    ("bandai/dataset-1_dance-short_normal_001.bvh", 189_141),
    ("bandai/dataset-1_kick_normal_001.bvh", 33_201),
    ("bandai/dataset-1_walk_normal_001.bvh", 20_127),
    ("misc/xia_neutral_01.bvh", 30_807),
];
/// The tolerance of those \[m\].
const ACL_TOLERANCE: f64 = 1e-4;
/// The name of the row with the totals of the clips in [`ACL`].
const NAMED: &str = "the clips ACL was run on";

/// Totals of several clips.
#[derive(Default)]
struct Sum {
    raw: f64,
    bytes: f64,
    max: f64,
    encode: f64,
    decode: f64,
    acl: u64,
}

impl Sum {
    fn add(&mut self, row: &Sum) {
        self.raw += row.raw;
        self.bytes += row.bytes;
        self.max = self.max.max(row.max);
        self.encode += row.encode;
        self.decode += row.decode;
        self.acl += row.acl;
    }

    fn print(&self, name: &str) {
        if self.raw > 0.0 {
            let speed = |seconds: f64| self.raw / 1e6 / seconds;
            println!(
                "| **{name}** | | | {} | {} | **{:.2}** | {} | {:.4} | | | | {:.1} | {:.0} |",
                self.raw,
                self.bytes,
                self.raw / self.bytes,
                times(self.raw, self.acl),
                self.max * 1e3,
                speed(self.encode),
                speed(self.decode),
            );
        }
    }
}

fn main() {
    let mut tolerance = ACL_TOLERANCE;
    let mut profiles: Vec<Profile> = Vec::new();
    let mut folders: Vec<PathBuf> = Vec::new();
    for argument in std::env::args().skip(1) {
        match (argument.parse(), argument.parse()) {
            (Ok(profile), _) => profiles.push(profile),
            (_, Ok(value)) => tolerance = value,
            _ => folders.push(argument.into()),
        }
    }
    if profiles.is_empty() {
        profiles.extend(Profile::ALL);
    }
    if folders.is_empty() {
        folders.push(mocap_corpus::fixture("clips"));
        folders.extend(mocap_corpus::find());
    }
    for profile in profiles {
        println!("\n{profile}, {} mm\n", tolerance * 1e3);
        println!(
            "| clip | joints | frames | raw bytes | bytes | ratio | ACL | max [mm] | p99 | rms | between | encode [MB/s] | decode [MB/s] |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
        for folder in &folders {
            print(folder, tolerance, profile);
        }
    }
}

/// The rows of a folder, and the sums of its own folders.
fn print(root: &Path, tolerance: f64, profile: Profile) {
    let mut sums: Vec<(String, Sum)> = Vec::new();
    let mut named = Sum::default();
    for file in files(root) {
        let sum = row(&file, tolerance, profile);
        let group = file.name.split_once('/').map_or("", |(group, _)| group);
        // Each clip of this folder is a kind by itself.
        let group = if group == "misc" { file.name.as_str() } else { group };
        if sums.last().is_none_or(|(last, _)| last != group) {
            sums.push((group.to_owned(), Sum::default()));
        }
        sums.last_mut().expect("one was pushed").1.add(&sum);
        if ACL.iter().any(|(name, _)| *name == file.name) {
            named.add(&sum);
        }
        sums.last_mut().expect("one was pushed").1.acl = 0;
    }
    let own = root.file_name().unwrap_or_default().to_string_lossy();
    for (group, sum) in sums.iter().filter(|(group, _)| !group.ends_with(".bvh")) {
        sum.print(if group.is_empty() { &own } else { group });
    }
    named.print(NAMED);
}

fn row(file: &Entry, tolerance: f64, profile: Profile) -> Sum {
    let clip = file.clip();
    let options = CompressOptions { profile, tolerance, ..CompressOptions::default() };
    let (encode, done) = best(2, || compress(&clip, &options));
    let name = file.name.rsplit_once('/').map_or(file.name.as_str(), |(_, name)| name);
    let done = match done {
        Ok(done) => done,
        Err(error) => {
            println!("| {name} | {error} |");
            return Sum::default();
        }
    };
    let bytes: std::sync::Arc<[u8]> = done.bytes.into();
    let (decode, _) = best(5, || play(&clip, &bytes));
    let report = done.report;
    let raw = report.raw_bytes as f64;
    let acl = ACL.iter().find(|(name, _)| tolerance == ACL_TOLERANCE && *name == file.name);
    let acl = acl.map_or(0, |(_, bytes)| *bytes);
    println!(
        "| {name} | {} | {} | {raw} | {} | {:.2} | {} | {:.4} | {:.4} | {:.4} | {:.3} | {:.1} | {:.0} |",
        report.joints.len(),
        clip.frames(),
        report.bytes,
        report.ratio(),
        times(raw, acl),
        report.max * 1e3,
        report.p99 * 1e3,
        report.rms * 1e3,
        report.between_frames_max * 1e3,
        raw / 1e6 / encode,
        raw / 1e6 / decode,
    );
    Sum { raw, bytes: report.bytes as f64, max: report.max, encode, decode, acl }
}

/// The compression ratio; empty if the size is not known.
fn times(raw: f64, bytes: u64) -> String {
    if bytes == 0 { String::new() } else { format!("{:.1}", raw / bytes as f64) }
}

/// Opens a file and samples all of its frames, in order.
fn play(clip: &Clip, bytes: &std::sync::Arc<[u8]>) -> f32 {
    let opened = Compressed::open(bytes.clone(), &OpenLimits::default()).expect("what was written");
    let mut sampler = opened.sampler();
    let mut pose = sampler.pose();
    let mut sum = 0.0;
    for frame in 0..clip.frames() {
        sampler.frame(frame, &mut pose);
        sum += pose[0].translation[0];
    }
    std::hint::black_box(sum)
}

/// The seconds of the fastest of some runs, and what the last one returned.
fn best<T>(runs: usize, mut work: impl FnMut() -> T) -> (f64, T) {
    let mut timed = || {
        let start = Instant::now();
        let result = work();
        (start.elapsed().as_secs_f64(), result)
    };
    let mut best = timed();
    for _ in 1..runs {
        let (seconds, result) = timed();
        best = (best.0.min(seconds), result);
    }
    best
}
