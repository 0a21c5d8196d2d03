//! The error of this crate, and what a run needs to know about errors of its jobs.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::report::Tally;

/// The effect of an error on the rest of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailureKind {
    /// The job failed; others are not affected.
    #[default]
    Failed,
    /// The result is complete but worse than a quality gate allows: the job counts as failed, and
    /// outputs that it wrote are kept.
    GateMissed,
    /// The run was interrupted: the job counts as not started.
    Interrupted,
    /// The disk is full: the whole run ends.
    DiskFull,
}

/// The error of a job, as far as a run uses it.
pub trait JobError: From<BatchError> + Send {
    /// What the error means for the rest of the run.
    fn kind(&self) -> FailureKind;

    /// The stable code, as manifests record it, such as `io::not-found`.
    fn code(&self) -> &str;

    /// One sentence, as manifests record it.
    fn message(&self) -> String;

    /// What the job processed before it failed.
    fn tally(&self) -> Tally {
        Tally::default()
    }

    /// Memory that the error takes while it waits for its turn in the order of the jobs (bytes).
    fn size(&self) -> usize {
        0
    }
}

/// An error of this crate.
///
/// Messages name no command line flags; front ends add advice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// The operating system refused an operation on a file.
    #[error("cannot {operation} '{}': {reason}", .path.display())]
    Io {
        /// What was tried, such as `read`.
        operation: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The kind of the operating system's error.
        kind: io::ErrorKind,
        /// The operating system's message without its number.
        reason: String,
    },
    /// Stdin cannot be read.
    #[error("cannot read stdin: {0}")]
    Stdin(String),
    /// A file, or stdin (`-`), is larger than the reader allows.
    #[error("'{}' is larger than the limit of {}", .path.display(), binary_size(*.limit))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit (bytes).
        limit: u64,
    },
    /// A symbolic link leads to a directory above it.
    #[error("'{}' is a link to a directory above it; it was not followed", .0.display())]
    LinkLoop(PathBuf),
    /// The operating system gave no thread.
    #[error("the system cannot start a worker thread: {0}")]
    NoThread(String),

    /// A glob matched no file.
    #[error("no file matches '{}'", .0.display())]
    NoMatch(PathBuf),
    /// A glob is malformed.
    #[error("'{pattern}' is not a valid glob: {reason}")]
    Glob {
        /// The glob.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Stdin was named more than once.
    #[error("stdin (-) can be read only once")]
    StdinTwice {
        /// Whether one of them is the list of inputs.
        list: bool,
    },
    /// No input was found.
    #[error("no input was found{}", named_places(.searched))]
    NoInput {
        /// What was named.
        searched: Vec<PathBuf>,
        /// The extensions that directories were searched for.
        extensions: Vec<String>,
    },

    /// Several inputs have one stream as output.
    #[error("{0} inputs cannot all be written to stdout")]
    ManyToStdout(usize),
    /// An output consists of several files, and stdout takes one.
    #[error("an .{extension} file accompanies the output, but stdout takes one file")]
    CompanionToStdout {
        /// The extension of the other file.
        extension: String,
    },
    /// Several inputs have one file as output.
    #[error("{inputs} inputs cannot be written to one file '{}'", .path.display())]
    ManyToOneFile {
        /// The number of inputs.
        inputs: usize,
        /// The output.
        path: PathBuf,
    },
    /// Several inputs, and no directory for their outputs.
    #[error("several inputs need a directory for their outputs")]
    NoOutputDirectory,
    /// An input has no output, and others have one.
    #[error("nothing is written for '{0}', but other inputs have outputs")]
    NoOutput(String),
    /// A file to be written is one that is read.
    #[error("'{name}' is an input and would be overwritten")]
    OutputIsInput {
        /// The file, as the user named it.
        name: String,
        /// Whether the manifest would overwrite it.
        by_manifest: bool,
    },
    /// The manifest is one of the outputs.
    #[error("'{}' would be both the manifest and an output", .0.display())]
    ManifestIsOutput(PathBuf),
    /// Two inputs have the same output.
    #[error("'{one}' and '{two}' would both be written to '{}'{}", .path.display(), folding(*.folds_case))]
    OutputCollision {
        /// The first input.
        one: String,
        /// The second input.
        two: String,
        /// The output of the second.
        path: PathBuf,
        /// Whether they collide because the file system ignores case.
        folds_case: bool,
    },
    /// Outputs exist.
    #[error("{}", exist(*.count, *.of, .first))]
    OutputsExist {
        /// How many of them exist.
        count: usize,
        /// The number of outputs.
        of: usize,
        /// The first that exists.
        first: PathBuf,
    },

    /// A manifest needs an output directory.
    #[error("a manifest needs an output directory")]
    ManifestWithoutDirectory,
    /// The manifest is a directory or device.
    #[error("'{}' is not a regular file: a manifest cannot be written to it", .0.display())]
    ManifestNotFile(PathBuf),
    /// The manifest exists and the run does not resume.
    #[error("'{}' exists already", .0.display())]
    ManifestExists(PathBuf),
    /// The manifest records another run.
    #[error("'{}' records a different run: {}", .path.display(), .differences.join("; "))]
    OtherRun {
        /// The manifest.
        path: PathBuf,
        /// Each difference as one clause.
        differences: Vec<String>,
    },
    /// Another process writes the manifest.
    #[error("another run is writing '{}'", .0.display())]
    ManifestBusy(PathBuf),
    /// Outputs exist that the manifest does not list.
    #[error("{}", unlisted(*.count, .first))]
    UnlistedOutputs {
        /// How many.
        count: usize,
        /// The first of them.
        first: PathBuf,
    },
    /// A file is not a manifest.
    #[error("'{}' is not a manifest: it does not begin with a run", .0.display())]
    NotManifest(PathBuf),
    /// A line of a manifest is damaged.
    #[error("line {line} of '{}' is not a line of a manifest: {reason}", .path.display())]
    ManifestDamaged {
        /// The manifest.
        path: PathBuf,
        /// 1-based line.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A manifest of another version of the format.
    #[error("'{}' is a manifest of format version {found}; this version reads {supported}", .path.display())]
    ManifestForm {
        /// The manifest.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that is read.
        supported: u32,
    },
    /// A manifest with hashes of another kind.
    #[error("'{}' has hashes of kind '{found}'; this version reads {supported}", .path.display())]
    ManifestHash {
        /// The manifest.
        path: PathBuf,
        /// The kind of its hashes.
        found: String,
        /// The kind that is read.
        supported: &'static str,
    },
    /// A directory holds no manifest.
    #[error("'{}' has no manifest", .0.display())]
    NoManifest(PathBuf),
    /// Manifests to be merged record no run.
    #[error("no manifest records a run: nothing to merge")]
    NothingToMerge,
    /// Manifests to be merged are of different runs.
    #[error("'{}' and '{}' are of different runs: {}", .one.display(), .two.display(), .differences.join("; "))]
    DifferentRuns {
        /// The first manifest.
        one: PathBuf,
        /// The one that differs.
        two: PathBuf,
        /// Each difference as one clause.
        differences: Vec<String>,
    },
    /// Manifests to be merged record different outputs of one clip.
    #[error("'{}' records other outputs of '{clip}' than a manifest before it", .path.display())]
    MergeConflict {
        /// The second manifest.
        path: PathBuf,
        /// The input.
        clip: String,
    },

    /// The time limit of the job is over.
    #[error("not finished within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// The run was interrupted.
    #[error("the run was interrupted")]
    Interrupted,
    /// The work panicked.
    #[error("{}", panicked(.0.as_deref()))]
    Panicked(Option<String>),
    /// A job found the disk full, so the run ends.
    #[error("the run stopped: the disk is full: {0}")]
    DiskFull(String),
    /// Too many workers do not come back from jobs that timed out.
    #[error("the run stopped: {0} inputs exceeded the time limit and cannot be stopped")]
    Stuck(usize),
}

/// A size in the largest binary unit that holds it as a whole number.
fn binary_size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let whole = units.iter().find(|(shift, _)| bytes > 0 && bytes.is_multiple_of(1 << shift));
    whole.map_or_else(|| format!("{bytes} bytes"), |(shift, name)| format!("{} {name}", bytes >> shift))
}

fn named_places(places: &[PathBuf]) -> String {
    let named: Vec<String> = places.iter().take(3).map(|place| format!("'{}'", place.display())).collect();
    match (&named[..], places.len() - named.len()) {
        ([], _) => String::new(),
        (named, 0) => format!(" in {}", named.join(", ")),
        (named, more) => format!(" in {} and {more} more", named.join(", ")),
    }
}

fn folding(folds_case: bool) -> &'static str {
    if folds_case { ": this file system ignores case in file names" } else { "" }
}

fn exist(count: usize, of: usize, first: &Path) -> String {
    match count {
        1 => format!("'{}' exists already", first.display()),
        many => format!("{many} of {of} outputs exist already, the first is '{}'", first.display()),
    }
}

fn unlisted(count: usize, first: &Path) -> String {
    match count {
        1 => format!("'{}' exists, and the manifest does not list it", first.display()),
        many => format!(
            "{many} outputs exist that the manifest does not list, the first is '{}'",
            first.display()
        ),
    }
}

fn panicked(input: Option<&str>) -> String {
    match input {
        None => "internal error on this input; please report it".into(),
        Some(input) => format!("internal error on '{input}'; please report it"),
    }
}

impl BatchError {
    /// An error of the operating system about a file.
    pub fn io(operation: &'static str, path: &Path, error: &io::Error) -> BatchError {
        // The suffix "(os error 2)" does not help a user.
        let reason = error.to_string();
        let reason = reason.split(" (os error").next().unwrap_or_default().to_owned();
        BatchError::Io { operation, path: path.to_owned(), kind: error.kind(), reason }
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        use BatchError as E;
        match self {
            E::Io { kind: io::ErrorKind::NotFound, .. } => "io::not-found",
            E::Io { kind: io::ErrorKind::PermissionDenied, .. } => "io::permission",
            E::Io { kind: io::ErrorKind::AlreadyExists, .. } => "io::exists",
            E::Io { kind: io::ErrorKind::StorageFull, .. } => "io::disk-full",
            E::Io { .. } | E::Stdin(_) => "io::error",
            E::TooLarge { .. } => "io::too-large",
            E::LinkLoop(_) => "io::link-loop",
            E::NoThread(_) => "io::threads",
            E::NoMatch(_) => "usage::no-match",
            E::Glob { .. } => "usage::glob",
            E::StdinTwice { .. } => "usage::stdin-twice",
            E::NoInput { .. } => "usage::no-input",
            E::ManyToStdout(_)
            | E::CompanionToStdout { .. }
            | E::ManyToOneFile { .. }
            | E::NoOutputDirectory
            | E::NoOutput(_) => "usage::output",
            E::OutputIsInput { .. } => "usage::output-is-input",
            E::ManifestIsOutput(_) | E::OutputCollision { .. } => "usage::output-collision",
            E::OutputsExist { .. } | E::UnlistedOutputs { .. } => "usage::output-exists",
            E::ManifestWithoutDirectory | E::ManifestNotFile(_) => "usage::manifest",
            E::ManifestExists(_) => "usage::manifest-exists",
            E::OtherRun { .. } | E::DifferentRuns { .. } => "manifest::other-run",
            E::ManifestBusy(_) => "manifest::busy",
            E::NotManifest(_) | E::NothingToMerge => "manifest::no-header",
            E::ManifestDamaged { .. } => "manifest::damaged",
            E::ManifestForm { .. } | E::ManifestHash { .. } => "manifest::form",
            E::NoManifest(_) => "manifest::none",
            E::MergeConflict { .. } => "manifest::conflict",
            E::TimedOut(_) => "batch::timeout",
            E::Interrupted => "batch::interrupted",
            E::Panicked(_) => "internal::panic",
            E::DiskFull(_) => "batch::disk-full",
            E::Stuck(_) => "batch::stuck",
        }
    }

    /// What the error means for the rest of a run.
    pub fn kind(&self) -> FailureKind {
        match self {
            BatchError::Io { kind: io::ErrorKind::StorageFull, .. } => FailureKind::DiskFull,
            BatchError::Interrupted => FailureKind::Interrupted,
            _ => FailureKind::Failed,
        }
    }
}

impl JobError for BatchError {
    fn kind(&self) -> FailureKind {
        BatchError::kind(self)
    }

    fn code(&self) -> &str {
        BatchError::code(self)
    }

    fn message(&self) -> String {
        self.to_string()
    }
}
