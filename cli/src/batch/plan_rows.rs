//! The rows of `--dry-run`: what would be done.

use mocap_batch::manifest::Completed;
use mocap_batch::{BatchError, Destination, Job};
use serde::Serialize;

use super::options::RunOptions;
use crate::console::Console;
use crate::rows::json;

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct PlanRow<'a> {
    pub(super) path: &'a str,
    pub(super) output: String,
    pub(super) action: &'static str,
}

/// Prints what would be done.
pub(super) fn print(console: &mut Console, options: &RunOptions, jobs: &[Job]) -> Result<(), BatchError> {
    let completed = options.engine.manifest.as_ref().map(Completed::look_up).transpose()?;
    for job in jobs {
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
        for (output, action) in std::iter::once((output, action)).chain(companions) {
            let text = format!("{action} {path} -> {output}");
            console.row(&json(&PlanRow { path: &path, output, action }), &text);
        }
    }
    Ok(())
}
