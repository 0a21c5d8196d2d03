//! Clips that an earlier run has completed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::line::{Entry, FileFact, Header};
use super::options::ManifestOptions;
use super::reader::Manifest;
use crate::error::BatchError;
use crate::plan::{Destination, Job};
use crate::portable::PathText;
use crate::root;

/// The clips that an earlier run with the same options has completed.
#[derive(Debug)]
pub struct Completed {
    clips: BTreeMap<PathText, Entry>,
    directory: PathBuf,
}

impl Completed {
    /// Reads the manifest without changing anything, for a dry run.
    ///
    /// # Errors
    /// If the manifest is damaged or records a different run.
    pub fn look_up(options: &ManifestOptions) -> Result<Completed, BatchError> {
        let directory = options.checked_directory()?.to_owned();
        if !options.resume || !options.path.exists() {
            return Ok(Completed { clips: BTreeMap::new(), directory });
        }
        let manifest = Manifest::open(&options.path)?;
        let header = options.header();
        options.check(&manifest, &header)?;
        Ok(Completed::of(manifest, directory, &header))
    }

    pub(super) fn of(manifest: Manifest, directory: PathBuf, header: &Header) -> Completed {
        let mut clips = manifest.clips;
        clips.retain(|_, entry| entry.is_ok() && entry.fingerprint == header.fingerprint);
        Completed { clips, directory }
    }

    /// The directory of the outputs.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Whether a job is completed: its inputs are unchanged, and its outputs have the content that was written.
    pub fn contains(&self, job: &Job) -> bool {
        let Destination::File { path: output, .. } = &job.destination else { return false };
        let Some(entry) = self.clips.get(&PathText::new(&job.input.relative)) else { return false };
        let (Some(input), Some(content)) = (job.input.path(), entry.input) else { return false };
        let inputs = directory_of_inputs(job);
        let as_planned = entry.outputs.iter().any(|file| self.directory.join(file.path.path()) == *output);
        let is_whole =
            |directory: &Path, file: &FileFact| file.content.is_of(&directory.join(file.path.path()));
        as_planned
            && entry.outputs.iter().all(|file| is_whole(&self.directory, file))
            && content.is_of(input)
            && entry.also.iter().all(|file| is_whole(&inputs, file))
    }
}

/// The directory that all inputs have in common.
pub(super) fn directory_of_inputs(job: &Job) -> PathBuf {
    let path = job.input.path().map(root::absolute).unwrap_or_default();
    path.ancestors().nth(job.input.relative.components().count()).map(Path::to_owned).unwrap_or_default()
}
