//! Prints sizes and speeds at every effort, for the clips that the Animation Compression Library
//! (ACL) was run on: the tables of `docs/compression.md`.
//!
//! ```text
//! cargo run --release -p mocap-compress --example efforts -- [PROFILE...] [EFFORT...] [FILE...]
//! ```
//!
//! Lengths are scaled as in the example `table`. Speeds are raw bytes per second of processor time,
//! or of wall-clock time where the system does not report it: the best of three rounds over all
//! efforts.
#![allow(clippy::print_stdout, reason = "it prints tables")]

#[path = "../tests/motion/mod.rs"]
mod motion;

use mocap_compress::{CompressOptions, Effort, Profile, compress};
use motion::files::files;
use std::time::Instant;

const NAMED: [&str; 9] = [
    "iclone/001_14.bvh",
    "iclone/002_01.bvh",
    "iclone/002_05.bvh",
    "iclone/005_10.bvh",
    "iclone/007_12.bvh",
    "bandai/dataset-1_dance-short_normal_001.bvh",
    "bandai/dataset-1_kick_normal_001.bvh",
    "bandai/dataset-1_walk_normal_001.bvh",
    "misc/xia_neutral_01.bvh",
];
const RUNS: usize = 3;

/// Processor time of this thread \[s\]; wall-clock time where the system does not report it.
fn now(start: &Instant) -> f64 {
    let reported = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = reported.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds * 1e-9)
}

fn main() {
    let (mut profiles, mut efforts, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for argument in std::env::args().skip(1) {
        match (argument.parse::<Profile>(), argument.parse::<Effort>()) {
            (Ok(profile), _) => profiles.push(profile),
            (_, Ok(effort)) => efforts.push(effort),
            _ => names.push(argument),
        }
    }
    if profiles.is_empty() {
        profiles.extend([Profile::Archive, Profile::Runtime]);
    }
    if efforts.is_empty() {
        efforts.extend(Effort::all());
    }
    if names.is_empty() {
        names.extend(NAMED.map(String::from));
    }
    let corpus = match mocap_corpus::find() {
        Ok(corpus) => corpus,
        Err(why) => {
            println!("skipped: {why}");
            return;
        }
    };
    let clips: Vec<_> = files(&corpus).into_iter().filter(|file| names.contains(&file.name)).collect();
    let clips: Vec<_> = clips.iter().map(|file| file.clip()).collect();
    let start = Instant::now();
    for profile in profiles {
        println!(
            "\n{profile}, {} clips\n\n| effort | bytes | ratio | max [mm] | encode [MB/s] |\n|---|---|---|---|---|",
            clips.len()
        );
        let mut sums = vec![(0.0, 0.0, 0.0f64, 0.0); efforts.len()];
        for clip in &clips {
            let mut best = vec![f64::INFINITY; efforts.len()];
            for run in 0..RUNS {
                for (at, effort) in efforts.iter().enumerate() {
                    let options = CompressOptions { profile, effort: *effort, ..CompressOptions::default() };
                    let begun = now(&start);
                    let done = compress(clip, &options).expect("a clip within its bound");
                    best[at] = best[at].min(now(&start) - begun);
                    if run == 0 {
                        let (raw, bytes, max, _) = &mut sums[at];
                        *raw += done.report.raw_bytes as f64;
                        *bytes += done.report.bytes as f64;
                        *max = max.max(done.report.max);
                    }
                }
            }
            sums.iter_mut().zip(best).for_each(|(sum, seconds)| sum.3 += seconds);
        }
        for (effort, (raw, bytes, max, seconds)) in efforts.iter().zip(sums) {
            println!(
                "| {effort} | {bytes} | {:.2} | {:.4} | {:.1} |",
                raw / bytes,
                max * 1e3,
                raw / 1e6 / seconds
            );
        }
    }
}
