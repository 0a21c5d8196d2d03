//! Writing the manifest of a run: a line when a job starts, and one when it ends.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use walkdir::WalkDir;

use super::completed::{Completed, directory_of_inputs};
use super::line::{ClipResult, Entry, Fault, FileFact, Line, Plan, Start, text};
use super::line_file::LineFile;
use super::options::ManifestOptions;
use super::reader::MOST_BYTES;
use crate::context::{FileRecord, JobFiles};
use crate::error::BatchError;
use crate::hash::Hash;
use crate::plan::{Destination, Job};
use crate::portable::PathText;
use crate::read::read_whole;
use crate::root;
use crate::write::is_temporary;

/// The manifest of the run in progress. Several threads write it.
pub(crate) struct ManifestWriter {
    file: Mutex<LineFile<File>>,
    path: PathBuf,
    completed: Completed,
    fingerprint: Hash,
    tag: String,
}

/// How a job ended, as the manifest records it.
pub(crate) struct JobRecord {
    pub(crate) error: Option<Fault>,
    pub(crate) frames: usize,
    /// Time that the work took [s].
    pub(crate) seconds: f64,
    pub(crate) files: JobFiles,
}

impl ManifestWriter {
    /// Opens the manifest: continues it with `resume`, else starts it.
    ///
    /// # Errors
    /// Where it records a different run, is in use or damaged, or where outputs exist that it does not list.
    pub(crate) fn open(options: &ManifestOptions, jobs: &[Job]) -> Result<ManifestWriter, BatchError> {
        let directory = options.checked_directory()?.to_owned();
        let header = options.header();
        // A run that is rejected creates no manifest.
        if options.path.symlink_metadata().is_err() {
            options.accept(b"", &header, jobs)?;
        }
        let mut file = options.lock()?;
        let bytes = read_whole(&file, &options.path, MOST_BYTES)?;
        let mut manifest = options.accept(&bytes, &header, jobs)?;
        drop(bytes);

        let tag = tag(&options.path);
        if !manifest.unfinished.is_empty() || !options.resume {
            remove_left_files(&directory, &tag);
        }
        // A torn line is cut off; its clip is done again.
        let end = if options.resume { manifest.whole as u64 } else { 0 };
        file.set_len(end)
            .and_then(|()| file.seek(SeekFrom::Start(end)))
            .map_err(|error| BatchError::io("write", &options.path, &error))?;
        let planned = manifest.planned;
        let same = manifest.header.take().is_some_and(|known| known.differences(&header).is_empty());
        let writer = ManifestWriter {
            file: Mutex::new(LineFile::new(file, end)),
            path: options.path.clone(),
            completed: Completed::of(manifest, directory, &header),
            fingerprint: header.fingerprint,
            tag,
        };
        if !same {
            writer.append(&Line::Run(header))?;
        }
        let clips = jobs.iter().filter(|job| matches!(job.destination, Destination::File { .. })).count();
        if !same || planned != Some(clips) {
            writer.append(&Line::Plan(Plan { clips }))?;
        }
        Ok(writer)
    }

    /// What an earlier run has completed.
    pub(crate) fn completed(&self) -> &Completed {
        &self.completed
    }

    /// Part of the names of temporary files of runs with this manifest.
    pub(crate) fn tag(&self) -> &str {
        &self.tag
    }

    /// Records that work on a job starts.
    pub(crate) fn start(&self, job: &Job) -> Result<(), BatchError> {
        self.append(&Line::Start(Start { path: PathText::new(&job.input.relative) }))
    }

    /// Records that a job is done or has failed.
    pub(crate) fn finish(&self, job: &Job, record: JobRecord) -> Result<(), BatchError> {
        let below = |directory: &Path, file: &FileRecord| FileFact {
            path: PathText::new(root::absolute(&file.path).strip_prefix(directory).unwrap_or(&file.path)),
            content: file.content,
        };
        let (inputs, outputs) = (directory_of_inputs(job), root::absolute(self.completed.directory()));
        let JobRecord { error, frames, seconds, files: JobFiles { mut read, written } } = record;
        let path = job.input.path().unwrap_or(Path::new("-"));
        let input = read.iter().position(|file| file.path == path);
        let input = input.map(|at| read.remove(at).content);
        self.append(&Line::Clip(Entry {
            path: PathText::new(&job.input.relative),
            result: if error.is_some() { ClipResult::Failed } else { ClipResult::Ok },
            input,
            also: read.iter().map(|file| below(&inputs, file)).collect(),
            outputs: written.iter().map(|file| below(&outputs, file)).collect(),
            error,
            frames,
            seconds,
            fingerprint: self.fingerprint,
            mocap: env!("CARGO_PKG_VERSION").to_owned(),
        }))
    }

    /// One write per line: a killed process leaves complete lines, and at most one torn one at the end.
    fn append(&self, line: &Line) -> Result<(), BatchError> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.append(&text(line)).map_err(|error| BatchError::io("write", &self.path, &error))
    }
}

/// Part of the names of temporary files. It differs between manifests, such as those of two shards in one directory.
fn tag(manifest: &Path) -> String {
    let place = manifest.canonicalize().unwrap_or_else(|_| root::absolute(manifest));
    Hash::of(place.as_os_str().as_encoded_bytes()).short()
}

/// Removes temporary files left by killed runs of this manifest.
fn remove_left_files(directory: &Path, tag: &str) {
    for entry in WalkDir::new(directory).into_iter().filter_map(Result::ok) {
        if entry.file_type().is_file() && is_temporary(entry.file_name(), tag) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_do_not_remove_each_other_s_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("sub")).unwrap();
        std::fs::write(at("sub/m"), "").unwrap();
        assert_ne!(tag(&at("m")), tag(&at("sub/m")));
        assert_eq!(tag(&at("sub/m")), tag(&at("sub/../sub/m")));
    }
}
