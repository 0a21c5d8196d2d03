//! Where a manifest is kept, and whether a run may continue an existing one.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use super::line::Header;
use super::reader::{Manifest, may_be_manifest};
use crate::error::BatchError;
use crate::plan::{Destination, Job};
use crate::portable::PathText;
use crate::shard::Shard;

/// Which manifest a run keeps.
#[derive(Clone, Debug, Default)]
pub struct ManifestOptions {
    /// The manifest.
    pub path: PathBuf,
    /// The directory of the outputs; without one, a run with a manifest is refused.
    pub directory: Option<PathBuf>,
    /// Continue the run that the manifest records.
    pub resume: bool,
    /// With `resume`, accept a manifest of a run with other options: its clips are done again.
    pub overwrite: bool,
    /// The shard of this run.
    pub shard: Option<Shard>,
    /// The command of this run.
    pub command: String,
    /// Everything that outputs depend on beside the inputs, by name; of files their name and hash.
    pub options: BTreeMap<String, String>,
}

/// The name of the manifest in the directory of the outputs.
pub fn default_name(shard: Option<Shard>) -> String {
    match shard {
        Some(shard) => format!(".mocap-manifest.{}.jsonl", shard.name()),
        None => ".mocap-manifest.jsonl".into(),
    }
}

/// The shard whose manifest has this name in the directory of the outputs.
pub(super) fn shard_of_name(name: &str) -> Option<Shard> {
    Shard::from_name(name.strip_prefix(".mocap-manifest.")?.strip_suffix(".jsonl")?)
}

impl ManifestOptions {
    /// The header of this run.
    pub(super) fn header(&self) -> Header {
        Header::new(&self.command, self.options.clone(), self.shard)
    }

    pub(super) fn checked_directory(&self) -> Result<&Path, BatchError> {
        self.directory.as_deref().ok_or(BatchError::ManifestWithoutDirectory)
    }

    /// Whether a run with this header may continue what a manifest records.
    pub(super) fn check(&self, manifest: &Manifest, now: &Header) -> Result<(), BatchError> {
        let Some(header) = &manifest.header else { return Ok(()) };
        let differences = header.differences(now);
        if differences.is_empty() || self.overwrite {
            return Ok(());
        }
        Err(BatchError::OtherRun { path: self.path.clone(), differences })
    }

    /// The completed clips of an existing manifest, given its bytes; an error if the run may not continue it.
    pub(super) fn accept(&self, bytes: &[u8], header: &Header, jobs: &[Job]) -> Result<Manifest, BatchError> {
        // A file that is not a manifest is never truncated.
        if !may_be_manifest(bytes) {
            return Err(BatchError::NotManifest(self.path.clone()));
        }
        let manifest = match (self.resume, self.overwrite) {
            (true, _) => Manifest::parse(&self.path, bytes)?,
            (false, false) if !bytes.is_empty() => {
                return Err(BatchError::ManifestExists(self.path.clone()));
            }
            (false, _) => Manifest::default(),
        };
        self.check(&manifest, header)?;
        if self.resume && !self.overwrite {
            refuse_unlisted(&manifest, jobs)?;
        }
        Ok(manifest)
    }

    /// Opens and locks the file for this process.
    pub(super) fn lock(&self) -> Result<File, BatchError> {
        let failed = |error: std::io::Error| BatchError::io("write", &self.path, &error);
        if let Some(directory) = self.path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
            std::fs::create_dir_all(directory).map_err(failed)?;
        }
        if self.path.metadata().is_ok_and(|data| !data.is_file()) {
            return Err(BatchError::ManifestNotFile(self.path.clone()));
        }
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.path);
        let file = file.map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(BatchError::ManifestBusy(self.path.clone())),
            // File systems without locks are accepted.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
        }
    }
}

/// Rejects existing outputs that no run of this manifest has started: they belong to someone else.
fn refuse_unlisted(manifest: &Manifest, jobs: &[Job]) -> Result<(), BatchError> {
    let unlisted = |job: &Job| {
        let Destination::File { path, .. } = &job.destination else { return None };
        let name = PathText::new(&job.input.relative);
        let listed = manifest.unfinished.contains(&name) || manifest.clips.contains_key(&name);
        let exists = path.symlink_metadata().is_ok_and(|data| !data.is_dir());
        (!listed && exists).then(|| path.clone())
    };
    let mut unlisted = jobs.iter().filter_map(unlisted);
    match unlisted.next() {
        None => Ok(()),
        Some(first) => Err(BatchError::UnlistedOutputs { count: 1 + unlisted.count(), first }),
    }
}
