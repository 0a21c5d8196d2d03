//! The plan of a run as rows.

use std::fmt;
use std::iter::once;

use schemars::JsonSchema;
use serde::Serialize;

use crate::manifest::{Completed, ManifestOptions};
use crate::{BatchError, Destination, Job};

/// What would be done with an output of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlanRow {
    /// The input.
    pub path: String,
    /// The output: `-` for stdout, empty where the job writes nothing.
    pub output: String,
    /// What would be done.
    pub action: PlanAction,
}

/// What would be done with an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanAction {
    /// The input is read, and nothing is written.
    Read,
    /// The output is new.
    Write,
    /// An existing output is replaced.
    Overwrite,
    /// The output is kept as it is.
    Skip,
}

impl fmt::Display for PlanAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PlanAction::Read => "read",
            PlanAction::Write => "write",
            PlanAction::Overwrite => "overwrite",
            PlanAction::Skip => "skip",
        })
    }
}

impl fmt::Display for PlanRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} -> {}", self.action, self.path, self.output)
    }
}

impl PlanRow {
    /// The row of a job that is skipped.
    pub fn skipped(job: &Job) -> Option<PlanRow> {
        let (Destination::Exists(output) | Destination::File { path: output, .. }) = &job.destination else {
            return None;
        };
        let output = output.display().to_string();
        Some(PlanRow { path: job.input.shown(), output, action: PlanAction::Skip })
    }
}

/// The plan of [`run`](crate::run()) for these jobs: one row per output, computed lazily.
///
/// ```
/// use mocap_batch::{Input, PlanAction, plan_rows, report_jobs};
///
/// let jobs = report_jobs(vec![Input::named("walk.bvh".as_ref())]);
/// let rows: Vec<_> = plan_rows(&jobs, None)?.collect();
/// assert_eq!((rows.len(), rows[0].action), (1, PlanAction::Read));
/// # Ok::<(), mocap_batch::BatchError>(())
/// ```
///
/// # Errors
/// If the manifest cannot be read.
pub fn plan_rows(
    jobs: &[Job],
    manifest: Option<&ManifestOptions>,
) -> Result<impl Iterator<Item = PlanRow>, BatchError> {
    let completed = manifest.map(Completed::look_up).transpose()?;
    Ok(jobs.iter().flat_map(move |job| rows_of(job, completed.as_ref())))
}

fn rows_of(job: &Job, completed: Option<&Completed>) -> Vec<PlanRow> {
    let (output, action) = match &job.destination {
        Destination::Nowhere => (String::new(), PlanAction::Read),
        Destination::Stdout => ("-".into(), PlanAction::Write),
        Destination::File { path, .. } => {
            let action = match completed {
                Some(completed) if completed.contains(job) => PlanAction::Skip,
                _ if path.exists() => PlanAction::Overwrite,
                _ => PlanAction::Write,
            };
            (path.display().to_string(), action)
        }
        Destination::Exists(path) => (path.display().to_string(), PlanAction::Skip),
    };
    let companions = job.companions.iter().map(|companion| {
        let replaced = action == PlanAction::Write && companion.exists();
        (companion.display().to_string(), if replaced { PlanAction::Overwrite } else { action })
    });
    let row = |(output, action)| PlanRow { path: job.input.shown(), output, action };
    once((output, action)).chain(companions).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Input;

    #[test]
    fn rows_are_found_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let job = |name: &str| Job {
            destination: Destination::File { path: folder.path().join(name), replace: true },
            ..Job::report(Input::named(name.as_ref()))
        };
        let jobs = [job("a"), job("b")];
        let mut rows = plan_rows(&jobs, None).unwrap();
        assert_eq!(rows.next().unwrap().action, PlanAction::Write);
        std::fs::write(folder.path().join("b"), "").unwrap();
        assert_eq!(rows.next().unwrap().action, PlanAction::Overwrite);
    }
}
