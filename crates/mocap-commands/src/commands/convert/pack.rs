//! Converts a database to a data set: packs of arrays and an index of them.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mocap::{Dataset, DatasetClip, DatasetFile, DatasetOptions, FinishedDataset};
use mocap_batch::{Input, PathText, Split, counted};
use mocap_formats::Format;
use mocap_formats::arrays::{Arrays, check_common, of_clip, of_skeleton};

use super::{Row, only_joints};
use crate::batch::{self, Failure, Job, JobContext, Report, RunOptions, Tally, json};
use crate::diagnostic::{Behind, Detail, Diagnostic};
use crate::edit;
use crate::exit::Exit;
use crate::options::{ConvertArgs as Args, Reading};
use crate::output::Output;
use crate::read::{self, Motion};

const INDEX: &str = "dataset.json";

/// Packs all inputs into files of `pack` clips below the output directory.
pub(super) fn run(
    args: &Args,
    format: Format,
    pack: usize,
    console: &mut dyn Output,
) -> Result<Exit, Diagnostic> {
    let folder = folder(args)?;
    let inputs = batch::expand(&args.inputs, batch::ANY_MOTIONS)?;
    let jobs = batch::report_jobs(inputs);
    let common = common(&jobs, args);
    let numbers: HashMap<String, usize> =
        jobs.iter().enumerate().map(|(number, job)| (job.input.shown(), number)).collect();
    let normalise = args.arrays.normalise;
    let arrays = args.arrays.style.options();
    let (window, longest) = (arrays.window.map(|window| window.frames), AtomicUsize::new(0));
    let set = Set {
        dataset: Mutex::new(Dataset::new(DatasetOptions { pack, format, arrays, normalise })),
        failed: Mutex::new(None),
        filled: Mutex::new(BTreeSet::new()),
        writer: Writer { folder: &folder, format, replace: args.outputs.overwrite },
    };
    let exit = batch::run(console, RunOptions::reporting(&args.inputs.selection), &jobs, |job, context| {
        let number = numbers[&job.input.shown()];
        let done = clip(job, context, args, format, &common);
        let (clip, report) = match done {
            Ok((clip, report)) => {
                longest.fetch_max(report.tally.frames, Ordering::Relaxed);
                (Some(clip), Ok(report))
            }
            Err(failure) => (None, Err(failure)),
        };
        context.check().map_err(Diagnostic::from)?;
        set.put(number, clip);
        report
    });
    if matches!(exit, Exit::Interrupted) {
        return Ok(exit);
    }
    let longest = longest.into_inner();
    if let Some(window) = window.filter(|window| longest > 0 && longest < *window) {
        let message = format!("no clip is as long as a window of {window} frames: the longest has {longest}");
        return Err(Diagnostic::new("usage::window", message));
    }
    let empty = set.empty_parts(args.arrays.split);
    set.finish(console)?;
    if !empty.is_empty() {
        let message = format!(
            "no clip of the set is in {}: the part of a clip follows from its path, and shares hold for many clips only",
            empty.join(" or ")
        );
        let warning = Diagnostic::new("split::empty-part", message);
        console.warnings(&folder.display().to_string(), std::slice::from_ref(&warning), Detail::Line);
    }
    Ok(exit)
}

/// The directory of the data set; an error if it holds another set.
fn folder(args: &Args) -> Result<PathBuf, Diagnostic> {
    let outputs = &args.outputs;
    let refused = [
        ("--resume", outputs.resume),
        ("--skip-existing", outputs.skip_existing),
        ("--manifest", outputs.manifest.is_some()),
        ("--dry-run", outputs.dry_run),
        ("--timeout", args.inputs.selection.timeout.is_some()),
    ];
    if let Some((flag, _)) = refused.into_iter().find(|(_, given)| *given) {
        let message =
            format!("{flag} needs one output per input, but --pack writes several clips into a file");
        return Err(Diagnostic::new("usage::one-output", message));
    }
    let Some(folder) = outputs.output.clone().filter(|_| !outputs.to_stdout()) else {
        return Err(
            Diagnostic::new("usage::pack", "--pack needs a directory for the set").help("name it with -o")
        );
    };
    if mocap::FileFormat::of_path(&folder).is_some() && !batch::is_directory(&folder) {
        let message = format!("'{}' is the name of a file, and --pack writes a directory", folder.display());
        return Err(
            Diagnostic::new("usage::pack", message).help("name the directory of the set, such as -o set/")
        );
    }
    let index = folder.join(INDEX);
    if index.exists() {
        if !outputs.overwrite {
            let message = format!("'{}' exists already", index.display());
            return Err(Diagnostic::new("usage::output-exists", message).help("--overwrite replaces the set"));
        }
        remove(&folder, &index);
    }
    Ok(folder)
}

/// Removes the files of an earlier set, which may have had more files.
fn remove(folder: &Path, index: &Path) {
    let text = std::fs::read_to_string(index).unwrap_or_default();
    let _ = std::fs::remove_file(index);
    let earlier: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let files = earlier["files"].as_array().into_iter().flatten().filter_map(|file| file["path"].as_str());
    for file in files {
        // Only removes files with names that a data set uses.
        let (part, name) = file.split_once('/').unwrap_or(("", file));
        if (part.is_empty() || Split::PARTS.contains(&part))
            && name.starts_with("pack-")
            && !name.contains(['/', '\\'])
        {
            let _ = std::fs::remove_file(folder.join(file));
        }
    }
}

/// Arrays of the skeleton, which all clips share, from the first readable clip.
fn common(jobs: &[Job], args: &Args) -> Option<Arrays> {
    let context = JobContext::standalone();
    let first = jobs.iter().find_map(|job| arrays(&job.input, &context, args, Format::Npz).ok());
    first.map(|first| of_skeleton(&first.arrays))
}

/// The arrays of an input.
struct Packed {
    arrays: Arrays,
    /// The characters of a file of several.
    subjects: Vec<String>,
    warnings: Vec<Diagnostic>,
    /// Of the input.
    bytes: u64,
}

fn arrays(input: &Input, context: &JobContext, args: &Args, format: Format) -> Result<Packed, Failure> {
    let reading = Reading { rest_frame_dropped: args.edits.drop_first_frame, ..args.reading.clone() };
    let Motion { clip, mut warnings, bytes } = read::motion(context, input, &reading)?;
    let made = edit::apply(&args.edits, args.reading.limits(), clip, &mut warnings).and_then(|clip| {
        let clip = only_joints(clip, &args.arrays.style.joints)?;
        let mut found = Vec::new();
        let clip = mocap::prepare_whole(clip, format, &mut found)?;
        warnings.extend(found.into_iter().map(Diagnostic::from));
        let subjects = mocap::several_subjects(clip.skeleton());
        Ok((of_clip(&clip, &args.arrays.style.options()), subjects))
    });
    let (arrays, subjects) = made.behind(&mut warnings)?;
    Ok(Packed { arrays, subjects, warnings, bytes })
}

/// The clip of an input, and its row.
fn clip(
    job: &Job,
    context: &JobContext,
    args: &Args,
    format: Format,
    common: &Option<Arrays>,
) -> Result<(DatasetClip, Report), Failure> {
    let Packed { arrays, subjects, warnings, bytes: input_bytes } =
        arrays(&job.input, context, args, format)?;
    if let Some(common) = common
        && let Err(finding) = check_common(common, &arrays)
    {
        return Err(Failure { error: finding.into(), warnings });
    }
    let relative = &job.input.relative;
    let part = args.arrays.split.map_or("", |split| split.part(relative));
    let name = PathText::new(&relative.with_extension("")).shown();
    let number = |name: &str| arrays.get(name).map_or(0, |array| array.shape[0]);
    let (frames, joints) = (number("rotations"), number("parents"));
    let fps = arrays.get("fps").and_then(|array| array.data.number(0));
    let folder = args.outputs.output.clone().unwrap_or_default().join(part);
    let (path, output) = (job.input.shown(), folder.display().to_string());
    let bytes = arrays.iter().map(|(_, array)| array.data.bytes() as u64).sum();
    let text = format!("{path} -> {output}: {}, {}", counted(frames, "frame"), counted(joints, "joint"));
    let row = Row {
        path,
        output,
        format: format.extension(),
        frames,
        fps,
        joints,
        subjects,
        markers: None,
        unchanged: false,
        input_bytes,
        bytes,
        warnings: &warnings,
    };
    let tally = Tally { frames, bytes_in: input_bytes, bytes_out: bytes };
    let report = Report { json: json(&row), text, tally, ..Report::default() };
    let source = PathText::new(relative).shown();
    Ok((DatasetClip { name, source, part, arrays }, Report { warnings, ..report }))
}

/// The data set while it is written.
struct Set<'a> {
    dataset: Mutex<Dataset>,
    /// The first write error; the index is not written then.
    failed: Mutex<Option<Diagnostic>>,
    /// Parts that have a clip.
    filled: Mutex<BTreeSet<&'static str>>,
    writer: Writer<'a>,
}

/// Writes the files of a set.
#[derive(Clone, Copy)]
struct Writer<'a> {
    folder: &'a Path,
    format: Format,
    replace: bool,
}

impl Set<'_> {
    /// The parts that are to have a share and have no clip.
    fn empty_parts(&self, split: Option<Split>) -> Vec<&'static str> {
        let filled = lock(&self.filled);
        split.into_iter().flat_map(Split::wanted).filter(|part| !filled.contains(part)).collect()
    }

    fn put(&self, number: usize, clip: Option<DatasetClip>) {
        lock(&self.filled).extend(clip.as_ref().map(|clip| clip.part));
        let full = lock(&self.dataset).put(number, clip);
        // Files are written without holding the lock.
        let written = full
            .map_err(Diagnostic::from)
            .and_then(|files| files.into_iter().try_for_each(|file| self.writer.write(file)));
        if let Err(error) = written {
            lock(&self.failed).get_or_insert(error);
        }
    }

    fn finish(self, console: &dyn Output) -> Result<(), Diagnostic> {
        let Set { dataset, failed, writer, .. } = self;
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let dataset = dataset.into_inner().unwrap_or_else(PoisonError::into_inner);
        let FinishedDataset { files, index, clips, packs } = dataset.finish()?;
        files.into_iter().try_for_each(|file| writer.write(file))?;
        let path = writer.folder.join(INDEX);
        mocap_batch::write_file(&path, writer.replace, &|out| out.write_all(index.as_bytes()))?;
        let (clips, packs) = (counted(clips, "clip"), counted(packs, "file"));
        console.note(&format!("{clips} in {packs}, described by {}", path.display()));
        Ok(())
    }
}

impl Writer<'_> {
    fn write(&self, DatasetFile { path, arrays }: DatasetFile) -> Result<(), Diagnostic> {
        let content = self.format.of_arrays(arrays).expect("only formats of arrays are packed");
        mocap_batch::write_file(&self.folder.join(path), self.replace, &|out| content.write_to(out))?;
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
