//! Converts arguments to options of `mocap-batch`; no other module does.

use std::collections::BTreeSet;
use std::path::Path;

use mocap::FileFormat;
use mocap_batch::manifest::{ManifestOptions, default_name};
use mocap_batch::{
    BatchError, Companions, FileRecord, Input, InputOptions, Job, Naming, OutputOptions, ReadFiles,
    find_inputs, is_directory, plan_outputs,
};

use super::Reads;
use crate::options::{Inputs, Invocation, Outputs, Reading, Selection, named};
use crate::read::skeleton_of;
use mocap_formats::Format;

/// All inputs that the arguments name. Directories are searched for formats that the command reads.
pub(crate) fn expand(arguments: &Inputs, reads: Reads) -> Result<Vec<Input>, BatchError> {
    let searched = FileFormat::all().filter(|format| format.is_searched() && reads(*format));
    let extensions: Vec<&str> = searched.map(FileFormat::extension).collect();
    let Selection { include, exclude, files_from, shard, clip, .. } = arguments.selection.clone();
    let options = InputOptions { inputs: arguments.inputs.clone(), include, exclude, files_from, shard };
    let inputs = find_inputs(&options, &extensions)?;
    Ok(match clip.as_deref() {
        None => inputs,
        Some("all") => inputs.into_iter().flat_map(each_clip).collect(),
        Some(clip) => inputs.into_iter().map(|input| of_clip(input, clip)).collect(),
    })
}

/// One input per clip of its file. An input of a format with one clip per file, or one that cannot
/// be read, stays as it is; its job reports the error.
fn each_clip(input: Input) -> Vec<Input> {
    let names = clip_names(&input);
    match names.is_empty() {
        true => vec![input],
        false => names.into_iter().map(|name| input.clone().of_part(Some(name))).collect(),
    }
}

/// The input with one of its clips chosen; unchanged for formats that hold one clip per file.
fn of_clip(input: Input, clip: &str) -> Input {
    let several = input.path().and_then(FileFormat::of_path).and_then(FileFormat::exchange);
    let chosen = input.part.is_none() && several.is_some_and(Format::reads_several_clips);
    if chosen { input.of_part(Some(clip.to_owned())) } else { input }
}

fn clip_names(input: &Input) -> Vec<String> {
    let several = input.path().and_then(FileFormat::of_path).and_then(FileFormat::exchange);
    match (input.path(), several.is_some_and(Format::reads_several_clips) && input.part.is_none()) {
        (Some(path), true) => {
            let opened = mocap::open(path, &mocap::ReadOptions::default());
            opened.map(|file| file.value.clip_names()).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// Assigns an output to every input.
pub(crate) fn plan(
    inputs: Vec<Input>,
    outputs: &Outputs,
    naming: &Naming<'_>,
) -> Result<Vec<Job>, BatchError> {
    let Outputs { output, overwrite, skip_existing, resume, manifest, .. } = outputs.clone();
    plan_outputs(inputs, &OutputOptions { output, overwrite, skip_existing, resume, manifest }, naming)
}

/// Files that are read in addition to the inputs because flags name them: a list of inputs, skeletons of AMC
/// files.
pub(crate) fn read_files<'a>(reading: &'a Reading, selection: Option<&Selection>) -> ReadFiles<'a> {
    let list = selection.and_then(|selection| selection.files_from.clone());
    let of = |input: &Input| {
        let extension = input.path()?.extension()?;
        extension.eq_ignore_ascii_case("amc").then(|| skeleton_of(input, reading).ok())?
    };
    ReadFiles {
        files: reading.skeleton.iter().chain(&reading.skeleton_ref).cloned().chain(list).collect(),
        companions: Some(Companions { extension: "asf", of: Box::new(of) }),
    }
}

/// How jobs are run and reported.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunOptions {
    pub(super) engine: mocap_batch::RunOptions,
    /// Print the plan only.
    pub(super) dry_run: bool,
    /// Show every warning with its line of the file, also with many inputs.
    pub(super) full_warnings: bool,
    /// Whether the command shows the progress of its only input itself.
    pub(super) own_progress: bool,
    /// Whether the inputs are one shard of a run: then a summary is printed even for one input.
    pub(super) sharded: bool,
}

impl RunOptions {
    /// For jobs that only report.
    pub(crate) fn reporting(selection: &Selection) -> RunOptions {
        RunOptions {
            engine: mocap_batch::RunOptions {
                jobs: selection.jobs.map_or(0, usize::from),
                // A settings file can turn it on; the flag of the default value overrides that.
                fail_fast: selection.fail_fast && !selection.keep_going,
                timeout: selection.timeout,
                manifest: None,
            },
            sharded: selection.shard.is_some(),
            ..RunOptions::default()
        }
    }

    /// For jobs that write.
    pub(crate) fn writing(selection: &Selection, outputs: &Outputs, invocation: &Invocation) -> RunOptions {
        let mut options = RunOptions { dry_run: outputs.dry_run, ..RunOptions::reporting(selection) };
        options.engine.manifest = manifest(selection, outputs, invocation);
        options
    }

    /// Shows every warning with its line of the file, also with many inputs.
    pub(crate) fn with_full_warnings(self) -> RunOptions {
        RunOptions { full_warnings: true, ..self }
    }

    /// Sets whether the command may show its own progress.
    pub(crate) fn with_own_progress(self, own_progress: bool) -> RunOptions {
        RunOptions { own_progress, ..self }
    }

    /// Adds a dependency of the outputs on decisions that were made from all inputs together (unit, axes).
    pub(crate) fn with_peers<'r>(mut self, readings: impl IntoIterator<Item = &'r Reading>) -> RunOptions {
        if let Some(manifest) = &mut self.engine.manifest {
            let decided =
                readings.into_iter().filter_map(|reading| reading.peers.outcome()).collect::<BTreeSet<_>>();
            if !decided.is_empty() {
                let decided = decided.into_iter().collect::<Vec<_>>().join(" ");
                manifest.options.insert("decided from all inputs".to_owned(), decided);
            }
        }
        self
    }

    /// Adds a dependency of the outputs on other files that were read, or on a name if there are no files.
    pub(crate) fn depending_on(mut self, role: &str, name: &str, files: &[FileRecord]) -> RunOptions {
        if let Some(manifest) = &mut self.engine.manifest {
            let files: Vec<String> = files.iter().map(|file| named(&file.path, file.content)).collect();
            let on = if files.is_empty() { name.to_owned() } else { files.join(" ") };
            manifest.options.insert(role.to_owned(), on);
        }
        self
    }
}

/// The manifest that the arguments request.
fn manifest(selection: &Selection, outputs: &Outputs, invocation: &Invocation) -> Option<ManifestOptions> {
    if !outputs.resume && outputs.manifest.is_none() {
        return None;
    }
    let directory = outputs.output.as_deref().filter(|output| is_directory(output)).map(Path::to_owned);
    let default = || directory.clone().unwrap_or_default().join(default_name(selection.shard));
    Some(ManifestOptions {
        path: outputs.manifest.clone().unwrap_or_else(default),
        directory,
        resume: outputs.resume,
        overwrite: outputs.overwrite,
        shard: selection.shard,
        command: invocation.command.clone(),
        options: invocation.options(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skeletons_beside_inputs_and_lists_are_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["01_01.amc", "01.asf", "02.asf", "map.json", "list"] {
            std::fs::write(at(name), "").unwrap();
        }
        let reading = Reading::default();
        let selection = Selection { files_from: Some(at("list")), ..Selection::default() };
        let reads = read_files(&reading, Some(&selection)).and([at("map.json")]);
        let inputs = [Input::named(&at("01_01.amc"))];
        let refused = |name: &str| reads.refuse(&inputs, [at(name).as_path()]).is_err();
        for name in ["01_01.amc", "01.asf", "./01.asf", "map.json", "list"] {
            assert!(refused(name), "{name}");
        }
        assert!(!refused("02.asf") && !refused("new.asf"));
        assert_eq!(reads.refuse(&inputs, [Path::new("-")]), Ok(()));
    }
}
