//! The last row of a run over several inputs.

use serde::Serialize;

use crate::console::Console;
use crate::exit::Exit;
use crate::rows::json;

/// The last row where there was more than one input.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Summary {
    r#type: &'static str,
    clips: usize,
    ok: usize,
    failed: usize,
    skipped: usize,
    /// Those that the run did not come to before it ended, or had to drop: a later run begins them.
    not_begun: usize,
    frames: usize,
    bytes_in: u64,
    bytes_out: u64,
    seconds: f64,
}

/// How the process ends after a run.
pub(super) fn exit(summary: &mocap_batch::Summary) -> Exit {
    match summary.failed {
        _ if summary.interrupted => Exit::Interrupted,
        _ if summary.fatal.is_some() => Exit::ClipFailed,
        0 => Exit::Success,
        failed if failed == summary.gate_missed => Exit::Gate,
        _ => Exit::ClipFailed,
    }
}

/// Prints the summary.
pub(super) fn print(summary: &mocap_batch::Summary, console: &mut Console) {
    let mocap_batch::Summary { jobs, ok, failed, skipped, not_started, tally, seconds, .. } = *summary;
    if console.is_json() {
        let row = Summary {
            r#type: "summary",
            clips: jobs,
            ok,
            failed,
            skipped,
            not_begun: not_started,
            frames: tally.frames,
            bytes_in: tally.bytes_in,
            bytes_out: tally.bytes_out,
            seconds,
        };
        return console.row(&json(&row), "");
    }
    let counts = [(failed, "failed"), (skipped, "skipped"), (not_started, "not started")];
    let others = counts.into_iter().filter(|(count, _)| *count > 0);
    let others: String = others.map(|(count, name)| format!(", {count} {name}")).collect();
    let interrupted = if summary.interrupted { "interrupted: " } else { "" };
    let frames = tally.frames;
    console.note(&format!("{interrupted}{jobs} inputs: {ok} ok{others}; {frames} frames in {seconds:.2} s"));
}
