//! Errors and warnings of runs, with the flags that help.

use std::path::PathBuf;

use mocap::FileFormat;
use mocap_batch::manifest::MergeWarning;
use mocap_batch::{BatchError, InputOptions, PlanWarning, counted, find_inputs};
use mocap_formats::Format;

use super::Diagnostic;

impl From<BatchError> for Diagnostic {
    fn from(error: BatchError) -> Diagnostic {
        let mut diagnostic =
            Diagnostic { kind: error.kind(), ..Diagnostic::new(error.code(), error.to_string()) };
        // A write error is about the output file, not about the input of the row.
        if let BatchError::Io { operation: "write", path, .. } = &error {
            diagnostic = diagnostic.in_file(path);
        }
        match help(&error) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

/// Advice for an error.
fn help(error: &BatchError) -> Option<String> {
    use BatchError as E;
    let help = match error {
        E::StdinTwice { list: true } => "the list of --files-from and an input cannot both come from it",
        E::NoInput { left_out, .. } if *left_out > 0 => {
            return Some(format!("--include and --exclude leave out {}", counted(*left_out, "file")));
        }
        E::NoInput { extensions, searched, .. } => {
            let wanted: Vec<String> = extensions.iter().map(|extension| format!(".{extension}")).collect();
            let rule = format!("directories are searched for {}", wanted.join(", "));
            return Some(match others(searched) {
                Some(found) => format!("{found}; {rule}"),
                None => rule,
            });
        }
        E::ManyToStdout(_) => "name a directory with -o DIR/, or give one input",
        E::CompanionToStdout { .. } => "name a file with -o",
        E::ManyToOneFile { path, .. } => {
            return Some(format!("end it in / to name a directory: -o {}/", path.display()));
        }
        E::NoOutputDirectory => "name one with -o DIR/; it mirrors the tree of the inputs",
        E::NoOutput(_) => "leave it out with --exclude",
        E::OutputIsInput { by_manifest: false, .. } => "name another output with -o",
        E::OutputIsInput { by_manifest: true, .. } | E::ManifestIsOutput(_) => {
            "name another file with --manifest"
        }
        E::OutputCollision { .. } => "convert them in separate runs, or leave one out with --exclude",
        E::OutputsExist { .. } => "--overwrite replaces existing outputs, --skip-existing keeps them",
        E::UnlistedOutputs { .. } => {
            "--resume --overwrite replaces them; --skip-existing, without --resume, keeps them"
        }
        E::ManifestWithoutDirectory => "name a directory with -o DIR/",
        E::ManifestExists(_) => "--resume continues it, --overwrite starts a new one",
        E::OtherRun { .. } => {
            "use the options of the earlier run, process all clips again with --resume --overwrite, or name another \
             directory"
        }
        E::ManifestBusy(_) => "wait for it, or give each run a part of the inputs with --shard",
        E::ManifestDamaged { .. } => {
            "an incomplete last line is harmless; remove a damaged line, and its clip is processed again"
        }
        E::NoManifest(_) => "runs write one with --resume or --manifest",
        E::MergeConflict { .. } => {
            "its input has changed between the runs; run one of them again with --resume"
        }
        E::TimedOut(_) => "use a larger --timeout; a later run with --resume retries it",
        E::DiskFull(_) => "free space and run again: with --resume, completed clips are skipped",
        E::Stuck(_) => "leave them out with --exclude, or allow more time with --timeout",
        _ => return None,
    };
    Some(help.into())
}

/// Names files in the directories that this command, or any command, does not search for.
fn others(searched: &[PathBuf]) -> Option<String> {
    let all: Vec<&str> = FileFormat::all().map(FileFormat::extension).collect();
    let directories: Vec<PathBuf> = searched.iter().filter(|path| path.is_dir()).cloned().collect();
    let directory = directories.first()?.clone();
    let found = find_inputs(&InputOptions { inputs: directories, ..InputOptions::default() }, &all).ok()?;
    let format = found.iter().find_map(|input| FileFormat::of_path(&input.relative))?;
    let extension = found.first()?.relative.extension()?.to_string_lossy().into_owned();
    let count = found.iter().filter(|input| FileFormat::of_path(&input.relative) == Some(format)).count();
    let files = counted(count, &format!(".{extension} file"));
    if format.exchange().is_some_and(Format::holds_markers) {
        return Some(format!(
            "found {files} with markers, which `mocap info`, validate, plot, view and convert read"
        ));
    }
    let glob = directory.join("**").join(format!("*.{extension}"));
    Some(format!("found {files}: name them by a glob, '{}'", glob.display()))
}

impl From<&PlanWarning> for Diagnostic {
    fn from(warning: &PlanWarning) -> Diagnostic {
        Diagnostic::new(warning.code(), warning.to_string())
    }
}

impl From<&MergeWarning> for Diagnostic {
    fn from(warning: &MergeWarning) -> Diagnostic {
        let diagnostic = Diagnostic::new(warning.code(), warning.to_string());
        match warning {
            MergeWarning::Unfinished { .. } => diagnostic.help("run their shards again with --resume"),
            MergeWarning::MissingShards { .. } => diagnostic,
        }
    }
}
