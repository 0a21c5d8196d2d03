//! How fast a take is solved on one thread: `solve_speed TAKE [TARGET]`.
//!
//! The take is solved twice, the second time with the calibration of the first; the difference is the time of the
//! calibration.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::fs;
use std::sync::LazyLock;
use std::time::Instant;

use mocap::solve::{MarkerSets, SolveOptions};

/// Processor time of this thread where the system reports it (Linux), else elapsed time \[s\].
fn seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let used = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let used = used.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    used.map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds * 1e-9)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let take = words.next().ok_or("usage: solve_speed TAKE [TARGET]")?;
    let markers = mocap::read_markers(&take)?.value;
    let target = words.next().map(mocap::read_skeleton).transpose()?.map(|read| read.value);
    let sets = MarkerSets::built_in();
    let mut options = SolveOptions { sets: &sets, set: None, static_trial: None, calibration: None };
    let started = seconds();
    let first = mocap::solve_markers(&markers, target.as_ref(), &options, &mut Vec::new())?;
    let whole = seconds() - started;
    options.calibration = Some(&first.calibration);
    let started = seconds();
    let again = mocap::solve_markers(&markers, target.as_ref(), &options, &mut Vec::new())?;
    let poses = seconds() - started;
    println!(
        "{} frames, {} markers: {:.0} frames/s, calibration {:.2} s; residual {:.2} mm",
        markers.frames(),
        again.report.markers.len(),
        markers.frames() as f64 / poses,
        whole - poses,
        again.report.residual.mean.unwrap_or(f64::NAN) * 1e3
    );
    Ok(())
}
