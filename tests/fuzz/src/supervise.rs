//! Runs a worker and reports what it found, also where it dies or never ends.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use crate::work::{Summary, current};

/// Time on one input after which a worker counts as stuck \[s\]: much more than the time allowed,
/// because other programs may delay it.
const STUCK: u64 = 300;

/// Runs one target, prints its line, and returns the number of different findings.
pub(crate) fn supervise(target: &str, seconds: u64, seed: u64, keep: &Path) -> usize {
    let program = std::env::current_exe().expect("this program");
    let numbers = [seconds, seed].map(|number| number.to_string());
    let mut child = Command::new(program)
        .args([target, "--worker", "--seconds", &numbers[0], "--seed", &numbers[1], "--keep"])
        .arg(keep)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a worker");
    let started = SystemTime::now();
    let ended = loop {
        match child.try_wait().expect("a worker") {
            Some(status) => break Some(status),
            None if is_stuck(&current(keep, target), started) => break None,
            None => std::thread::sleep(Duration::from_millis(100)),
        }
    };
    let Some(status) = ended else {
        child.kill().expect("a worker that can be ended");
        let _ = child.wait();
        return died(target, "does not end", keep);
    };
    let mut text = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut text).expect("text");
    match serde_json::from_str::<Summary>(text.lines().last().unwrap_or_default()) {
        Ok(summary) if status.success() => report(target, &summary, keep),
        _ => died(target, &format!("ends the process ({status})"), keep),
    }
}

/// Whether the worker began its present input too long ago. Where there is none, it is about to begin or to end.
fn is_stuck(input: &Path, started: SystemTime) -> bool {
    let written = std::fs::metadata(input).and_then(|data| data.modified());
    let age = written.ok().and_then(|written| written.max(started).elapsed().ok());
    age.is_some_and(|age| age > Duration::from_secs(STUCK))
}

fn report(target: &str, summary: &Summary, keep: &Path) -> usize {
    let memory = summary.largest.map_or("not measured".into(), |share| format!("{:.0} %", share * 100.0));
    println!(
        "{target:<14} {:>9} inputs, {:>4} outcomes, at most {:.0} % of the time and {memory} of the memory allowed",
        summary.inputs,
        summary.codes,
        summary.slowest * 100.0
    );
    for (what, count) in &summary.findings {
        println!("  {what} ({count} times; kept in {})", keep.display());
    }
    summary.findings.len()
}

fn died(target: &str, how: &str, keep: &Path) -> usize {
    let kept = keep.join(format!("{target}-died"));
    let _ = std::fs::rename(current(keep, target), &kept);
    println!("{target:<14} {how}; the input is {}", kept.display());
    1
}
