//! The map of a pair of skeletons: read from a file, shown, and written for a user to edit.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use mocap::{Error, ExplainedMapping, Mapping};
use mocap_batch::{BatchError, FileRecord, write_file};
use mocap_formats::{Limits, text};
use mocap_model::{Clip, Skeleton};
use mocap_retarget::{MapExplanation, MapFigures, RoleMap, map_roles, map_roles_in};
use mocap_robot::{RobotMap, RobotOptions};

use super::finding::{self, refused_on_robot};
use super::refusal::refused;
use super::row::{ExplainRobotRow, ExplainRow};
use super::target::Target;
use crate::batch::{self, Failure, Input, Job, JobContext, ReadFiles, Report, json};
use crate::diagnostic::{Behind, Diagnostic};
use crate::encode::put_stdout;
use crate::options::{MapSettings, Reading, RetargetArgs as Args};
use crate::output::Output;
use crate::read;

/// The file of a map.
#[derive(Debug)]
pub(crate) struct MapFile {
    path: PathBuf,
    bytes: Vec<u8>,
    files_read: Vec<FileRecord>,
}

impl MapFile {
    /// Reads the map file that the settings name.
    pub(crate) fn of(settings: &MapSettings) -> Result<Option<MapFile>, Diagnostic> {
        let read = |path: &PathBuf| {
            let context = JobContext::standalone();
            let bytes = read::bytes_of(&context, &Input::named(path), &Limits::default())?;
            Ok(MapFile { bytes, path: path.clone(), files_read: context.files_read() })
        };
        settings.map.as_ref().map(read).transpose()
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Record of the file; empty for stdin.
    pub(crate) fn files_read(&self) -> &[FileRecord] {
        &self.files_read
    }

    /// The map between a source and the target.
    pub(super) fn mapping(&self, source: &Skeleton, target: &Target) -> Result<Mapping, Diagnostic> {
        Mapping::parse(&self.bytes, source, &target.on.skeleton).map_err(|finding| {
            Diagnostic::from_finding(&finding, &text::decode(&self.bytes)).in_file(&self.path)
        })
    }
}

/// The jobs of a run that writes no motion.
pub(super) fn jobs(
    inputs: Vec<Input>,
    reads: &ReadFiles<'_>,
    args: &Args,
    console: &dyn Output,
) -> Result<Vec<Job>, Diagnostic> {
    if let Some(path) = &args.mapping.write_map {
        if inputs.len() != 1 {
            let message = format!("--write-map needs exactly one source, found {}", inputs.len());
            return Err(Diagnostic::new("usage::output", message)
                .help("sources with one skeleton share a map: name one of them"));
        }
        reads.refuse(&inputs, [path.as_path()])?;
        if is_stdout(path) && (console.is_json() || args.mapping.explain) {
            return Err(Diagnostic::new("usage::stdout-twice", "the map and rows both go to stdout")
                .help("name a file with --write-map"));
        }
    }
    Ok(batch::report_jobs(inputs))
}

/// Shows the map of an input and the target, and writes it if `--write-map` is given.
pub(super) fn show(
    job: &Job,
    context: &JobContext,
    args: &Args,
    target: &Target,
    map: Option<&MapFile>,
) -> Result<Report, Failure> {
    let (clip, found, mut warnings) = read_source(job, context, &args.reading)?;
    let source = clip.skeleton().as_ref();
    let mapping = match map {
        Some(map) => map.mapping(source, target),
        None => Ok(Mapping::found(found, target.on.roles.clone())),
    };
    let mapping = mapping.behind(&mut warnings)?;
    if args.mapping.write_map.is_none() {
        let given = map.map(|_| &mapping);
        let driven = mocap::robot_map(&clip, &target.on, given, RobotOptions::default().fps);
        let driven = driven.map_err(|error| match error {
            Error::Retarget(error) => refused(&error, given, &clip, target),
            Error::Robot(error) => refused_on_robot(&error, target),
            error => error.into(),
        });
        let driven = driven.behind(&mut warnings)?;
        if let Some(robot) = driven {
            return Ok(show_robot(&job.input.shown(), target, &robot, warnings));
        }
    }
    let explained = mapping.explain(source, &target.on.skeleton, target.on.rest.clone());
    let ExplainedMapping { explanation, warnings: found, error } = &explained;
    warnings.extend(found.iter().map(|warning| finding::warning(warning, target)));
    let mut errors: Vec<_> = error.iter().map(|error| finding::error(error, target)).collect();
    let path = &*job.input.shown();
    let figures = MapFigures::from(explanation);
    let row = ExplainRow { path, target: &target.path, figures, error: errors.first(), warnings: &warnings };
    let row = json(&row);
    let text = match args.mapping.explain {
        true => format!("{path} -> {}\n{explanation}\n{SCORES}", target.path),
        false => String::new(),
    };
    let Some(written) = &args.mapping.write_map else {
        return Ok(Report { json: row, text, warnings, errors, ..Report::default() });
    };
    let bytes = mapping.to_bytes(source, &target.on.skeleton, explanation);
    deliver(written, args.outputs.overwrite, &bytes).behind(&mut warnings)?;
    // The map is written with warnings instead of errors, so that the user can add the missing roles.
    warnings.append(&mut errors);
    let (json, text) = match is_stdout(written) {
        true => Default::default(),
        false if args.mapping.explain => (row, text),
        false => {
            (row, format!("{}: {}; edit it and give it with --map", written.display(), counts(explanation)))
        }
    };
    Ok(Report { json, text, warnings, ..Report::default() })
}

/// Shows what drives a robot.
fn show_robot(path: &str, target: &Target, robot: &RobotMap, warnings: Vec<Diagnostic>) -> Report {
    let row = json(&ExplainRobotRow { path, target: &target.path, robot, warnings: &warnings });
    let text = format!("{path} -> {}\n{robot}", target.path);
    Report { json: row, text, warnings, ..Report::default() }
}

/// Explains the scores.
const SCORES: &str = "  scores: 1 is certain; that of a pair is the lower of its two joints, less where the bodies divide \
     a limb otherwise";

/// The motion of an input and the roles of its joints; of a skeleton without a motion, its rest pose.
fn read_source(
    job: &Job,
    context: &JobContext,
    reading: &Reading,
) -> Result<(Clip, RoleMap, Vec<Diagnostic>), Failure> {
    let reading = Reading { rest_frame_dropped: true, ..reading.clone() };
    let loaded = read::load(context, &job.input, &reading)?;
    if loaded.format.has_motion() {
        let motion = loaded.into_motion(&reading)?;
        let roles = map_roles_in(&motion.clip);
        return Ok((motion.clip, roles, motion.warnings));
    }
    let (skeleton, warnings) = loaded.into_skeleton(&reading)?;
    let roles = map_roles(&skeleton);
    Ok((Clip::at_rest(skeleton.into(), RobotOptions::default().fps), roles, warnings))
}

/// `20 roles on both skeletons, 3 on one only`.
fn counts(explanation: &MapExplanation) -> String {
    match explanation.role_counts() {
        (both, 0) => format!("{both} roles on both skeletons"),
        (both, one) => format!("{both} roles on both skeletons, {one} on one only"),
    }
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

fn deliver(path: &Path, replace: bool, bytes: &[u8]) -> Result<(), Diagnostic> {
    if is_stdout(path) {
        return put_stdout(&|out: &mut dyn Write| out.write_all(bytes)).map(drop);
    }
    let written = write_file(path, replace, &|out: &mut dyn Write| out.write_all(bytes));
    written.map(drop).map_err(|error| match error {
        BatchError::Io { kind: ErrorKind::AlreadyExists, .. } => {
            Diagnostic::new("usage::output-exists", format!("'{}' exists already", path.display()))
                .help("--overwrite replaces it")
        }
        error => error.into(),
    })
}
