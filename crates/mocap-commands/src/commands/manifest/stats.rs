//! `mocap manifest stats`: statistics of runs: counts, speed, failures and their reasons.

use mocap_batch::counted;
use mocap_batch::manifest::{FaultCount, ManifestStats, SlowClip, stats};

use super::table;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::StatsArgs as Args;
use crate::output::Output;
use crate::rows::json;

/// Runs the command.
pub(super) fn run(args: &Args, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    let manifests = super::read(&args.manifests, false, console)?;
    let stats = stats(&manifests, args.slowest);
    console.row(&json(&stats), &text(&stats));
    Ok(Exit::Success)
}

fn text(row: &ManifestStats) -> String {
    let rate = row.frames as f64 / row.seconds.max(1e-3);
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let mut lines = vec![
        format!(
            "{}{}, {} ok, {} failed, {} unfinished{}",
            if row.command.is_empty() { String::new() } else { format!("{}: ", row.command) },
            counted(row.clips, "clip"),
            row.ok,
            row.failed,
            row.unfinished,
            match row.not_started {
                0 => String::new(),
                clips => format!(", {clips} not started"),
            }
        ),
        format!(
            "  {:.1} MB in, {:.1} MB out in {}, {}",
            megabytes(row.bytes_in),
            megabytes(row.bytes_out),
            counted(row.outputs, "file"),
            counted(row.frames, "frame")
        ),
        format!("  {:.1} s of work, {rate:.0} frames/s per core", row.seconds),
    ];
    if !row.errors.is_empty() {
        let head = ["count", "error", "first", "message"].map(str::to_owned).to_vec();
        let cells = |fault: &FaultCount| {
            vec![fault.count.to_string(), fault.code.clone(), fault.path.clone(), fault.message.clone()]
        };
        let rows: Vec<Vec<String>> = std::iter::once(head).chain(row.errors.iter().map(cells)).collect();
        lines.extend(["failed".to_owned(), table(&rows)]);
    }
    if !row.slowest.is_empty() {
        let cells = |slow: &SlowClip| {
            vec![format!("{:.3} s", slow.seconds), counted(slow.frames, "frame"), slow.path.clone()]
        };
        lines.extend(["slowest".to_owned(), table(&row.slowest.iter().map(cells).collect::<Vec<_>>())]);
    }
    lines.join("\n")
}
