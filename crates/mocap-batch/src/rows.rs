//! Rows of a run as data: what would be done, and the summary.

use schemars::JsonSchema;
use serde::Serialize;

use crate::manifest::{Completed, ManifestOptions};
use crate::{BatchError, Destination, Job, Summary};

/// What would be done with an output of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlanRow {
    /// The input.
    pub path: String,
    /// The output: `-` for stdout, empty where the job writes nothing.
    pub output: String,
    /// `read`, `write`, `overwrite` or `skip`.
    pub action: &'static str,
}

impl PlanRow {
    /// The row of a job that is skipped.
    pub fn skipped(job: &Job) -> Option<PlanRow> {
        let (Destination::Exists(output) | Destination::File { path: output, .. }) = &job.destination else {
            return None;
        };
        Some(PlanRow { path: job.input.shown(), output: output.display().to_string(), action: "skip" })
    }
}

/// What [`run`](crate::run()) would do with these jobs: one row per output.
///
/// # Errors
/// Where the manifest cannot be read.
pub fn plan_rows(jobs: &[Job], manifest: Option<&ManifestOptions>) -> Result<Vec<PlanRow>, BatchError> {
    let completed = manifest.map(Completed::look_up).transpose()?;
    let rows_of = |job: &Job| -> Vec<PlanRow> {
        let path = job.input.shown();
        let (output, action) = match &job.destination {
            Destination::Nowhere => (String::new(), "read"),
            Destination::Stdout => ("-".into(), "write"),
            Destination::File { path, .. } => {
                let action = match &completed {
                    Some(completed) if completed.contains(job) => "skip",
                    _ if path.exists() => "overwrite",
                    _ => "write",
                };
                (path.display().to_string(), action)
            }
            Destination::Exists(path) => (path.display().to_string(), "skip"),
        };
        let companions = job.companions.iter().map(|companion| {
            let action = if action == "write" && companion.exists() { "overwrite" } else { action };
            (companion.display().to_string(), action)
        });
        let outputs = std::iter::once((output, action)).chain(companions);
        outputs.map(|(output, action)| PlanRow { path: path.clone(), output, action }).collect()
    };
    Ok(jobs.iter().flat_map(rows_of).collect())
}

/// The last row of a run over several inputs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Summary")]
pub struct SummaryRow {
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

impl From<&Summary> for SummaryRow {
    fn from(summary: &Summary) -> SummaryRow {
        let Summary { jobs, ok, failed, skipped, not_started, tally, seconds, .. } = *summary;
        SummaryRow {
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
        }
    }
}

impl Summary {
    /// The counts in one line for people.
    pub fn text(&self) -> String {
        let counts = [(self.failed, "failed"), (self.skipped, "skipped"), (self.not_started, "not started")];
        let others = counts.into_iter().filter(|(count, _)| *count > 0);
        let others: String = others.map(|(count, name)| format!(", {count} {name}")).collect();
        let interrupted = if self.interrupted { "interrupted: " } else { "" };
        let Summary { jobs, ok, tally, seconds, .. } = self;
        format!("{interrupted}{jobs} inputs: {ok} ok{others}; {} frames in {seconds:.2} s", tally.frames)
    }
}
