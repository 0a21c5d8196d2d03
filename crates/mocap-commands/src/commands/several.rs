//! Combines several motions into one: shared by `join`, `blend` and `play`.

use std::path::{Path, PathBuf};

use mocap_edit::{EditError, EditReport, JoinedCharacter, only_character};
use mocap_formats::{Document, Format, Remedy};
use mocap_model::{Clip, Scene};
use mocap_retarget::GateResult;
use schemars::JsonSchema;
use serde::Serialize;

use super::edit::{reports_of, warning};
use crate::batch::{Input, JobContext, check_stdout_path, fail, json};
use crate::diagnostic::{Detail, Diagnostic, Failure};
use crate::encode::{self, EncodeOptions, Origin};
use crate::exit::Exit;
use crate::options::{OneOutput, Reading};
use crate::output::Output;
use crate::read::{self, Motion};

/// A row of `mocap join`, `blend` and `play` with `--json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Row<'a> {
    /// The motions, in the order in which they were joined.
    inputs: &'a [String],
    /// Empty where a gate was missed: nothing was written then.
    output: String,
    frames: usize,
    fps: f64,
    /// The characters, where `join` joins several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    subjects: Vec<String>,
    /// One per transition of `join`, else one; of several characters, those of the first one, then those of the next.
    edits: &'a [EditReport],
    gates: &'a [GateResult],
    bytes: u64,
    warnings: &'a [Diagnostic],
}

/// The result of combining motions.
pub(super) struct Made {
    pub(super) scene: Scene,
    /// By character.
    pub(super) characters: Vec<JoinedCharacter>,
}

impl Made {
    /// The result for one character, with one report.
    pub(super) fn of(clip: Clip, report: EditReport) -> Made {
        let characters = vec![JoinedCharacter { name: String::new(), reports: vec![report] }];
        Made { scene: Scene::from(clip), characters }
    }
}

/// The clips of scenes with one character each; an error for an edit that takes only one.
pub(super) fn only_clips(scenes: Vec<Scene>, edit: &'static str) -> Result<Vec<Clip>, EditError> {
    let only = |scene: Scene| {
        only_character(&scene, edit)?;
        Ok(scene.into_one().map_err(|error| EditError::Model { edit, error })?.clip)
    };
    scenes.into_iter().map(only).collect()
}

/// Reads the motions, combines them, and writes the result.
pub(super) fn one_of(
    args: &OneOutput,
    inputs: &[PathBuf],
    usual_name: &str,
    console: &mut dyn Output,
    work: impl FnOnce(Vec<Scene>) -> Result<Made, EditError>,
) -> Result<Exit, Diagnostic> {
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from(usual_name));
    let format = encode::asked_format(args.written.to, Some(&output))?.unwrap_or(Format::Bvh);
    if !format.has_motion() {
        return Err(Diagnostic::new("usage::format", format!("{format} files contain no motion"))
            .help(format!("formats of motions: {}", encode::names(Format::has_motion))));
    }
    check_stdout_path(console, &output)?;
    if inputs.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Diagnostic::new("usage::stdin-twice", "stdin (-) can be read only once"));
    }
    let names: Vec<String> = inputs.iter().map(|path| path.display().to_string()).collect();
    let mut warnings = Vec::new();
    let reading = args.first.of(&args.reading);
    let Inputs { scenes, document } = match read_all(inputs, &reading, &mut warnings, console) {
        Ok(read) => read,
        Err(Unreadable { path, error }) => {
            return Ok(fail(&path.display().to_string(), &error, &warnings, console));
        }
    };
    let Made { scene, characters } = match work(scenes) {
        Ok(made) => made,
        Err(error) => return Ok(fail(&names.join(", "), &error.into(), &warnings, console)),
    };
    let several = characters.len() > 1;
    let subjects = characters.iter().filter(|_| several).map(|one| one.name.clone()).collect();
    let counts: Vec<usize> = characters.iter().map(|one| one.reports.len()).collect();
    let reports: Vec<EditReport> = characters.into_iter().flat_map(|one| one.reports).collect();
    let done: Vec<Diagnostic> = reports.iter().flat_map(|report| &report.warnings).map(warning).collect();
    if !console.is_json() {
        console.warnings(&output.display().to_string(), &done, Detail::Line);
    }
    warnings.extend(done);
    let (checked, missed) = args.gates.check(&reports);
    let first = &scene.characters[0].clip;
    let (frames, fps) = (first.frames(), first.rate().fps());
    let encoded = match missed.is_empty() {
        true => {
            // Made of several clips, it has the name of its file.
            let scene = if inputs.len() > 1 { unnamed(scene) } else { scene };
            let named = if output.as_os_str() == "-" { Path::new(usual_name) } else { &output };
            let name = encode::stem(named);
            let options =
                EncodeOptions { name: &name, euler: args.written.euler, ..EncodeOptions::default() };
            // The body is taken from the first motion with meshes.
            let origin = Origin { document: document.as_deref(), file: inputs.first().map(PathBuf::as_path) };
            let format = encode::format_of_scene(&scene, format, args.written.to.is_some());
            let encoded = encode::scene_in(origin, scene, format, options)?;
            warn(encoded.warnings.clone(), &output, &mut warnings, console);
            Some(encoded)
        }
        false => None,
    };
    let mut row = Row {
        inputs: &names,
        output: String::new(),
        frames,
        fps,
        subjects,
        edits: &reports,
        gates: &checked,
        bytes: 0,
        warnings: &warnings,
    };
    if let Some(encoded) = encoded {
        match encode::deliver_to(&encoded, &output, args.overwrite) {
            Ok(bytes) => (row.bytes, row.output) = (bytes, output.display().to_string()),
            Err(Failure { error, .. }) => {
                return Ok(fail(&row.inputs.join(", "), &error, &warnings, console));
            }
        }
    }
    let written = if row.output.is_empty() { "nothing" } else { &row.output };
    let done = reports_of(&row.subjects, &counts, &reports);
    let text = format!("{} -> {written}: {frames} frames{done}", names.join(" + "));
    if output.as_os_str() != "-" {
        console.row(&json(&row), &text);
    }
    for error in &missed {
        console.error(Some(&names.join(", ")), error);
    }
    Ok(if missed.is_empty() { Exit::Success } else { Exit::Gate })
}

/// The scene with clips without names.
fn unnamed(scene: Scene) -> Scene {
    scene.map(|character| {
        let clip = character.clip.clone().with_name("");
        character.with_clip(clip)
    })
}

/// Motions that were read.
struct Inputs {
    scenes: Vec<Scene>,
    /// The document of the first motion, whose skeleton the result has.
    document: Option<Box<dyn Document>>,
}

/// An input that cannot be read.
struct Unreadable<'p> {
    path: &'p Path,
    error: Diagnostic,
}

fn read_all<'p>(
    inputs: &'p [PathBuf],
    reading: &Reading,
    warnings: &mut Vec<Diagnostic>,
    console: &dyn Output,
) -> Result<Inputs, Unreadable<'p>> {
    let (mut scenes, mut document) = (Vec::new(), None);
    for path in inputs {
        let loaded = read::load(&JobContext::standalone(), &Input::named(path), reading);
        match loaded.and_then(|loaded| loaded.into_motion_and_document(reading)) {
            Ok((Motion { clip, warnings: found, .. }, of_file)) => {
                document = document.or(of_file.filter(|_| scenes.is_empty()));
                let scene = mocap::scene_of(without_rest(clip, &found));
                scenes.push(
                    scene.map_err(|error| Unreadable { path, error: mocap::Error::from(error).into() })?,
                );
                warn(found, path, warnings, console);
            }
            Err(Failure { error, warnings: found }) => {
                warn(found, path, warnings, console);
                return Err(Unreadable { path, error });
            }
        }
    }
    Ok(Inputs { scenes, document })
}

/// Drops a rest pose before the motion.
fn without_rest(clip: Clip, warnings: &[Diagnostic]) -> Clip {
    let rest = warnings.iter().any(|warning| warning.remedy == Some(Remedy::DropFirstFrame));
    match rest && clip.frames() > 1 {
        true => clip.trimmed(1..clip.frames()).unwrap_or(clip),
        false => clip,
    }
}

fn warn(found: Vec<Diagnostic>, path: &Path, all: &mut Vec<Diagnostic>, console: &dyn Output) {
    for mut warning in found {
        if warning.remedy == Some(Remedy::DropFirstFrame) {
            warning.help = Some("it is left out".into());
        }
        let warning = if warning.path.is_some() { warning } else { warning.in_file(path) };
        if !console.is_json() {
            console.warnings(&path.display().to_string(), std::slice::from_ref(&warning), Detail::Line);
        }
        all.push(warning);
    }
}
