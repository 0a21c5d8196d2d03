//! `mocap manifest stats`: how runs went: how much, how fast, what failed and why.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Read, table};
use crate::args::StatsArgs as Args;
use crate::batch::json;
use crate::batch::manifest::Entry;
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

#[derive(Default, Serialize, schemars::JsonSchema)]
pub(crate) struct Row {
    manifests: usize,
    command: String,
    clips: usize,
    ok: usize,
    failed: usize,
    unfinished: usize,
    outputs: usize,
    bytes_in: u64,
    bytes_out: u64,
    frames: usize,
    /// Time of work, of all threads together [s].
    seconds: f64,
    errors: Vec<Fault>,
    slowest: Vec<Slow>,
}

/// Clips that failed for one reason.
#[derive(Serialize, schemars::JsonSchema)]
struct Fault {
    code: String,
    count: usize,
    /// The first of them.
    path: String,
    message: String,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Slow {
    path: String,
    seconds: f64,
    frames: usize,
}

/// Runs the command.
pub(super) fn run(args: &Args, console: &mut Console) -> Result<Exit, Diagnostic> {
    let read = super::read(&args.manifests, false, console)?;
    let row = sum(&read, args.slowest);
    console.row(&json(&row), &text(&row));
    Ok(Exit::Success)
}

fn sum(read: &[Read], slowest: usize) -> Row {
    let mut row = Row { manifests: read.len(), ..Row::default() };
    let mut errors: BTreeMap<&str, Fault> = BTreeMap::new();
    let mut commands: Vec<&str> = read
        .iter()
        .filter_map(|read| read.book.header.as_ref())
        .map(|header| header.command.as_str())
        .collect();
    commands.dedup();
    row.command = commands.join(", ");
    let mut clips: Vec<&Entry> = Vec::new();
    for Read { book, .. } in read {
        clips.extend(book.clips.values());
        row.unfinished += book.unfinished.len();
    }
    for clip in &clips {
        row.clips += 1;
        *(if clip.is_ok() { &mut row.ok } else { &mut row.failed }) += 1;
        row.outputs += clip.outputs.len();
        row.bytes_in += clip.input.map_or(0, |input| input.bytes);
        row.bytes_out += clip.outputs.iter().map(|file| file.content.bytes).sum::<u64>();
        row.frames += clip.frames;
        row.seconds += clip.seconds;
        if let Some(error) = &clip.error {
            let first = || Fault {
                code: error.code.clone(),
                count: 0,
                path: clip.path.shown(),
                message: error.message.clone(),
            };
            errors.entry(error.code.as_str()).or_insert_with(first).count += 1;
        }
    }
    row.errors = errors.into_values().collect();
    // The most frequent first; equals by their code.
    row.errors.sort_by_key(|fault| std::cmp::Reverse(fault.count));
    clips.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then_with(|| a.path.cmp(&b.path)));
    let slow = |clip: &&Entry| Slow { path: clip.path.shown(), seconds: clip.seconds, frames: clip.frames };
    row.slowest = clips.iter().take(slowest).map(slow).collect();
    row
}

fn text(row: &Row) -> String {
    let rate = row.frames as f64 / row.seconds.max(1e-3);
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let mut lines = vec![
        format!(
            "{}{} clips, {} ok, {} failed, {} unfinished",
            if row.command.is_empty() { String::new() } else { format!("{}: ", row.command) },
            row.clips,
            row.ok,
            row.failed,
            row.unfinished
        ),
        format!(
            "  {:.1} MB in, {:.1} MB out in {} files, {} frames",
            megabytes(row.bytes_in),
            megabytes(row.bytes_out),
            row.outputs,
            row.frames
        ),
        format!("  {:.1} s of work, {rate:.0} frames/s a core", row.seconds),
    ];
    if !row.errors.is_empty() {
        let head = ["count", "error", "first", "message"].map(str::to_owned).to_vec();
        let cells = |fault: &Fault| {
            vec![fault.count.to_string(), fault.code.clone(), fault.path.clone(), fault.message.clone()]
        };
        let rows: Vec<Vec<String>> = std::iter::once(head).chain(row.errors.iter().map(cells)).collect();
        lines.extend(["failed".to_owned(), table(&rows)]);
    }
    if !row.slowest.is_empty() {
        let cells = |slow: &Slow| {
            vec![format!("{:.3} s", slow.seconds), format!("{} frames", slow.frames), slow.path.clone()]
        };
        lines.extend(["slowest".to_owned(), table(&row.slowest.iter().map(cells).collect::<Vec<_>>())]);
    }
    lines.join("\n")
}
