//! How jobs are run.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::manifest::{self, Place};
use super::{Input, is_directory};
use crate::args::{Outputs, Selection, named};

/// How jobs are run.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunOptions {
    /// Jobs at the same time; 0: one a core.
    pub(crate) threads: usize,
    pub(crate) fail_fast: bool,
    pub(crate) dry_run: bool,
    /// Show every warning with its line of the file, however many inputs there are.
    pub(crate) full_warnings: bool,
    /// The command shows how far it is with its only input.
    pub(crate) own_progress: bool,
    /// The time that a job may take.
    pub(crate) timeout: Option<Duration>,
    /// Where a record of the run is kept.
    pub(crate) manifest: Option<Place>,
    /// Whether these are a part of the inputs: then there is a summary, however few they are.
    pub(crate) sharded: bool,
    /// What all outputs depend on beside the arguments: files and what they hold.
    pub(crate) depends_on: BTreeMap<String, String>,
}

impl RunOptions {
    /// As the arguments say.
    pub(crate) fn new(selection: &Selection, outputs: Option<&Outputs>) -> RunOptions {
        RunOptions {
            threads: selection.jobs.map_or(0, usize::from),
            // A setting can ask for it, and the flag of the default take it back.
            fail_fast: selection.fail_fast && !selection.keep_going,
            dry_run: outputs.is_some_and(|outputs| outputs.dry_run),
            timeout: selection.timeout,
            sharded: selection.shard.is_some(),
            manifest: outputs.and_then(|outputs| place(selection, outputs)),
            ..RunOptions::default()
        }
    }

    /// The same for outputs that depend on another input as well, which has been read.
    pub(crate) fn depending_on(mut self, role: &str, input: &Input) -> RunOptions {
        let (read, _) = input.attempt.take();
        let files: Vec<String> = read.iter().map(|piece| named(&piece.path, piece.content)).collect();
        self.depends_on.insert(role.to_owned(), files.join(" "));
        self
    }
}

/// Where the manifest is that the arguments ask for.
fn place(selection: &Selection, outputs: &Outputs) -> Option<Place> {
    if !outputs.resume && outputs.manifest.is_none() {
        return None;
    }
    let output = outputs.output.as_deref();
    let folder = output.filter(|output| is_directory(output)).map(Path::to_owned);
    let default = || folder.clone().unwrap_or_default().join(manifest::default_name(selection.shard));
    Some(Place {
        path: outputs.manifest.clone().unwrap_or_else(default),
        folder,
        resume: outputs.resume,
        overwrite: outputs.overwrite,
        shard: selection.shard,
    })
}
