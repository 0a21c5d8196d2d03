//! `mocap compare`: the error between two motions of one skeleton, or between the motions of two directories.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mocap::{
    FileFormat, MatchedClips, Problem, SurfaceError, UnitFacts, at_one_rate, face_alike, in_one_unit,
    match_characters, surface_error, with_roles,
};
use mocap_analysis::{BesideJoints, ErrorSummary, millimetres, object_error};
use mocap_batch::{pair_names, write_file};
use mocap_edit::{BetweenPeople, between_people};
use mocap_model::Clip;
use mocap_report::heatmap::{self, HeatmapOptions};
use mocap_report::view::{self, ViewInput, ViewOptions};
use serde::Serialize;

use crate::batch::{self, Failure, Figure, Input, JobContext, Report, RunOptions, Tally, json, read_files};
use crate::diagnostic::Diagnostic;
use crate::edit::guessed;
use crate::exit::Exit;
use crate::options::{CompareArgs as Args, Inputs, Invocation, Reading, Selection};
use crate::output::Output;
use crate::read::{self, Motion};
use crate::verb::{ERROR, RowSchema, SUMMARY, VerbArgs, of};

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    other: String,
    #[serde(flatten)]
    summary: ErrorSummary,
    /// Of motions of several characters: each with its counterpart. The figures of the row are those of all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    subjects: Vec<SubjectRow>,
    /// What is between two people, of scenes of several: contacts, distance and direction of B against A.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    between: Vec<BetweenRow>,
    /// With --surface: distances between vertices [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    surface: Option<SurfaceError>,
    fps: f64,
    /// Whether B was sampled at the rate of A.
    resampled: bool,
    unit: UnitFacts,
    #[serde(skip_serializing_if = "Option::is_none")]
    fail_above: Option<f64>,
    passed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    heatmap: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
    warnings: &'a [Diagnostic],
}

/// The error of one of several characters.
#[derive(Serialize, schemars::JsonSchema)]
struct SubjectRow {
    name: String,
    /// The name of its counterpart.
    other: String,
    #[serde(flatten)]
    summary: ErrorSummary,
}

/// What is between two of several characters.
#[derive(Serialize, schemars::JsonSchema)]
struct BetweenRow {
    /// Their names.
    people: [String; 2],
    #[serde(flatten)]
    between: BetweenPeople,
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "compare",
        about: "A line of mocap compare --json",
        rows: &[of::<Row<'static>>, ERROR, SUMMARY],
    }];

    fn run(self, _: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, console)
    }
}

/// Runs the command.
fn run(args: &Args, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    if args.reference == args.other && args.reference.as_os_str() == "-" {
        return Err(Diagnostic::new("usage::stdin-twice", "stdin (-) can be read only once"));
    }
    let (inputs, partners) = pairs(args)?;
    let pictures = args.heatmap.iter().chain(&args.html).map(PathBuf::as_path);
    let read: Vec<Input> = inputs.iter().chain(partners.values()).cloned().collect();
    read_files(&args.reading, None).refuse(&read, pictures)?;
    let jobs = batch::report_jobs(inputs);
    Ok(batch::run(console, RunOptions::default(), &jobs, |job, context| {
        let Some(other) = partners.get(&job.input.relative) else {
            let message = "the other directory has no motion of this name";
            return Err(Diagnostic::new("compare::no-pair", message).into());
        };
        compare(args, [&job.input, other], jobs.len() > 1, context)
    }))
}

/// The inputs, and the counterpart of each by its path: one pair of files, or all files of two directories.
fn pairs(args: &Args) -> Result<(Vec<Input>, BTreeMap<PathBuf, Input>), Diagnostic> {
    let paths = [&args.reference, &args.other];
    match paths.map(|path| path.is_dir()) {
        [true, false] | [false, true] if paths.iter().any(|path| !path.exists()) => {
            let missing = paths.into_iter().filter(|path| !path.exists()).cloned().collect();
            Err(expanded(missing).err().unwrap_or_else(|| Diagnostic::new("io::not-found", "not found")))
        }
        [false, false] => {
            let [reference, other] = paths.map(|path| Input::named(path));
            Ok((vec![reference.clone()], BTreeMap::from([(reference.relative, other)])))
        }
        [true, true] if args.heatmap.is_some() || args.html.is_some() => {
            let message = "--heatmap and --html show one pair of files, not two directories";
            Err(Diagnostic::new("usage::one-output", message))
        }
        [true, true] => Ok(paired(expanded(vec![paths[0].clone()])?, expanded(vec![paths[1].clone()])?)),
        _ => Err(Diagnostic::new("usage::compare", "a file and a directory cannot be compared")
            .help("name two files, or two directories, whose files are paired by their names")),
    }
}

/// All motions below the paths.
fn expanded(inputs: Vec<PathBuf>) -> Result<Vec<Input>, Diagnostic> {
    Ok(batch::expand(&Inputs { inputs, selection: Selection::default() }, batch::ANY_MOTIONS)?)
}

/// Pairs the files of two directories by name. Files of the second directory without a counterpart become
/// inputs as well, so they are reported.
fn paired(mut inputs: Vec<Input>, others: Vec<Input>) -> (Vec<Input>, BTreeMap<PathBuf, Input>) {
    let names = |all: &[Input]| all.iter().map(|input| input.relative.clone()).collect::<Vec<_>>();
    let (firsts, seconds) = (names(&inputs), names(&others));
    let is_format = |path: &Path| FileFormat::of_path(path).is_some();
    let partners = pair_names(&firsts, &seconds, is_format);
    let mut others: Vec<Option<Input>> = others.into_iter().map(Some).collect();
    let mut pairs = BTreeMap::new();
    for (name, at) in firsts.into_iter().zip(partners) {
        pairs.extend(at.and_then(|at| others[at].take()).map(|other| (name, other)));
    }
    inputs.extend(others.into_iter().flatten());
    (inputs, pairs)
}

/// Compares two inputs.
fn compare(
    args: &Args,
    inputs: [&Input; 2],
    in_one_line: bool,
    context: &JobContext,
) -> Result<Report, Failure> {
    let mut warnings = Vec::new();
    match measure(args, inputs, in_one_line, context, &mut warnings) {
        Ok(report) => Ok(Report { warnings, ..report }),
        Err((input, error)) => Err(Failure { error: about(error, inputs[input]), warnings }),
    }
}

/// Measures the error. An error is returned with the index of the input that it is about.
fn measure(
    args: &Args,
    inputs: [&Input; 2],
    in_one_line: bool,
    context: &JobContext,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Report, (usize, Diagnostic)> {
    let mut warn = |input: usize, found: Vec<Diagnostic>| {
        for warning in found.into_iter().map(|warning| about(warning, inputs[input])) {
            // If both inputs are the same file, each warning is reported once.
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    };
    let reading = args.first.of(&args.reading);
    let mut bytes_in = 0;
    let mut states = [false; 2];
    let mut read = |input: usize| match read_of_format(context, inputs[input], &reading) {
        Ok((format, Motion { clip, warnings, bytes })) => {
            warn(input, warnings);
            bytes_in += bytes;
            states[input] = format.states_space();
            Ok(clip)
        }
        Err(Failure { error, warnings }) => {
            warn(input, warnings);
            Err((input, error))
        }
    };
    let read = [read(0)?, read(1)?];
    let MatchedClips { mut clips, characters, left_out } =
        match_characters(read).map_err(|error| (1, error.into()))?;
    if !left_out.is_empty() {
        let message = format!("props that only one motion has are not compared: {}", left_out.join(", "));
        warn(1, vec![Diagnostic::new("compare::props", message)]);
    }
    let assumed = clips.each_ref().map(|clip| match read::known_unit(clip.skeleton()) {
        Some(unit) => unit.source.is_guess().then(|| guessed(clip.skeleton(), unit)),
        None => Some(Problem::UnitOfOther.into()),
    });
    let one_unit = in_one_unit(clips.each_ref()).map_err(|error| (0, error.into()))?;
    clips = one_unit.map(Cow::into_owned);
    for (input, warning) in assumed.into_iter().enumerate() {
        warn(input, warning.into_iter().collect());
    }
    let resampled = at_one_rate(&mut clips, args.resample).map_err(|error| (1, error.into()))?;
    if let Some((input, forward)) = face_alike(&mut clips, states) {
        warn(input, vec![Problem::ForwardOfOther { forward }.into()]);
    }
    let [reference, other] = &clips;
    let summary = object_error(reference, other, args.measure.shell.0).map_err(|error| (1, error.into()))?;
    let subjects =
        of_each(&characters, [reference, other], args.measure.shell.0).map_err(|error| (1, error))?;
    let between = between(&characters, [reference, other]).map_err(|error| (1, error))?;
    let on_mesh = args.surface.then(|| on_surface(inputs, &reading, context, [reference, other]));
    let surface = on_mesh.transpose().map_err(|error| (0, error))?;
    let limit = args.measure.fail_above.map(|length| length.0);
    let missed = limit.and_then(|limit| error_above(largest(&summary, surface.as_ref()), limit));
    warn(1, not_measured(reference, other, surface.is_some()));
    draw(args, [(inputs[0], reference), (inputs[1], other)]).map_err(|error| (1, error))?;
    let shown = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let row = Row {
        path: inputs[0].shown(),
        other: inputs[1].shown(),
        summary,
        subjects,
        between,
        surface,
        fps: reference.rate().fps(),
        resampled,
        unit: UnitFacts::of(reference.skeleton()),
        fail_above: limit,
        passed: missed.is_none(),
        heatmap: shown(&args.heatmap),
        html: shown(&args.html),
        warnings,
    };
    let text = match in_one_line {
        true => format!("{} ~ {}: {}{}", row.path, row.other, row.summary.line(), row.subjects_text()),
        false => row.text(),
    };
    let figures = vec![Figure { name: "error", unit: "m", value: row.summary.max }];
    let errors = missed.into_iter().map(|error| about(error, inputs[1])).collect();
    let tally = Tally { frames: reference.frames(), bytes_in, bytes_out: 0 };
    Ok(Report { json: json(&row), text, figures, errors, tally, ..Report::default() })
}

/// A motion, and the format of its file.
fn read_of_format(
    context: &JobContext,
    input: &Input,
    reading: &Reading,
) -> Result<(FileFormat, Motion), Failure> {
    let loaded = read::load(context, input, reading)?;
    Ok((loaded.format, loaded.into_motion(reading)?))
}

/// The error of each of several characters.
fn of_each(characters: &[[String; 2]], clips: [&Clip; 2], shell: f64) -> Result<Vec<SubjectRow>, Diagnostic> {
    if characters.is_empty() {
        return Ok(Vec::new());
    }
    let scene = |clip: &Clip| mocap::scene_of(clip.clone()).map_err(mocap::Error::from);
    let each = mocap::compare_scenes(&scene(clips[0])?, &scene(clips[1])?, shell)?;
    let row = |((_, summary), [name, other]): ((String, ErrorSummary), &[String; 2])| SubjectRow {
        name: name.clone(),
        other: other.clone(),
        summary,
    };
    Ok(each.into_iter().zip(characters).map(row).collect())
}

/// Contacts, distance and direction between each two of several characters.
fn between(characters: &[[String; 2]], clips: [&Clip; 2]) -> Result<Vec<BetweenRow>, Diagnostic> {
    if characters.len() < 2 {
        return Ok(Vec::new());
    }
    let scene = |clip: &Clip| mocap::scene_of(clip.clone()).map_err(mocap::Error::from);
    let scenes = [scene(clips[0])?, scene(clips[1])?];
    let clip = |scene: usize, at: usize| &scenes[scene].characters[at].clip;
    let mut found = Vec::new();
    for a in 0..characters.len() {
        for b in a + 1..characters.len() {
            let pair = |scene: usize| [clip(scene, a), clip(scene, b)];
            let between = between_people(pair(0), pair(1))?;
            found.push(BetweenRow { people: [a, b].map(|at| characters[at][0].clone()), between });
        }
    }
    Ok(found)
}

/// The largest distance between joints or vertices; NaN where that between vertices is none.
fn largest(summary: &ErrorSummary, surface: Option<&SurfaceError>) -> f64 {
    match surface {
        Some(on) if on.max.is_nan() || on.max > summary.max => on.max,
        _ => summary.max,
    }
}

/// Warnings of differences that distances between joints do not show; those between vertices do.
fn not_measured(reference: &Clip, other: &Clip, on_surface: bool) -> Vec<Diagnostic> {
    if on_surface {
        return Vec::new();
    }
    let BesideJoints { scale, number } = BesideJoints::of(reference, other);
    let found = [("scales of", scale), ("numbers over time, as", number)];
    let warning = |(what, differs): (&str, Option<(String, f64)>)| {
        let (name, by) = differs?;
        let message =
            format!("{what} '{name}' differ by up to {by:.3}: distances between joints do not show it");
        Some(Diagnostic::new("compare::beside-joints", message).help("--surface measures on a mesh"))
    };
    found.into_iter().filter_map(warning).collect()
}

/// Distances between the vertices of a character in both motions. The mesh is that of A, or that of B if A has
/// none.
fn on_surface(
    inputs: [&Input; 2],
    reading: &Reading,
    context: &JobContext,
    clips: [&Clip; 2],
) -> Result<SurfaceError, Diagnostic> {
    for input in inputs {
        let loaded = read::load(context, input, reading).map_err(|failure| failure.error)?;
        let Some(document) = loaded.document() else { continue };
        let Some(body) = document.body(&reading.limits()).map_err(Diagnostic::from)? else { continue };
        let measured = surface_error(&body.value, clips)
            .map_err(|error| Diagnostic::from(error).in_file(Path::new(&input.shown())))?;
        if let Some(measured) = measured {
            return Ok(measured);
        }
    }
    Err(Diagnostic::new(
        "surface::no-mesh",
        "neither file has a mesh that joints move, or the motion has no frames",
    )
    .help("--surface needs a GLB, glTF or FBX with a mesh as A or B"))
}

/// A missed gate if the error exceeds the limit or is NaN.
pub(crate) fn error_above(error: f64, limit: f64) -> Option<Diagnostic> {
    if error <= limit {
        return None;
    }
    let (error, limit) = (millimetres(error), millimetres(limit));
    let message = format!("the largest error is {error}, above the limit of {limit}");
    Some(Diagnostic::gate("gate::error-above", message))
}

impl Row<'_> {
    fn text(&self) -> String {
        let measures = self.summary.lines().map(|(name, value)| format!("{name:<15} {value}"));
        let written = self.heatmap.iter().chain(&self.html).map(|path| format!("-> {path}"));
        let surface = self.surface.iter().map(|on| {
            let [mean, p95, max] = [on.mean, on.p95, on.max].map(millimetres);
            let place = format!("vertex {} in frame {}", on.max_vertex, on.max_frame);
            format!("{:<15} mean {mean}, p95 {p95}, max {max} ({place})", "surface")
        });
        let lines: Vec<String> = measures.into_iter().chain(surface).chain(written).collect();
        lines.join("\n") + &self.subjects_text()
    }

    /// A line for each of several characters.
    fn subjects_text(&self) -> String {
        let line = |SubjectRow { name, other, summary }: &SubjectRow| match name == other {
            true => format!("\n {name}: {}", summary.line()),
            false => format!("\n {name} ~ {other}: {}", summary.line()),
        };
        let between = self.between.iter().map(|BetweenRow { people: [a, b], between }| {
            let contact = match between.contact_p95 {
                Some(p95) => format!(
                    "{}, off by {} (95 %), {} at most",
                    mocap_batch::counted(between.contacts, "contact"),
                    millimetres(p95),
                    millimetres(between.contact_max.unwrap_or(p95))
                ),
                None => "no contact".to_owned(),
            };
            let distance = millimetres(between.distance_max);
            format!("\n {a} and {b}: {contact}; distance off by {distance} at most")
        });
        self.subjects.iter().map(line).chain(between).collect()
    }
}

/// Writes the requested pictures.
fn draw(args: &Args, motions: [(&Input, &Clip); 2]) -> Result<(), Diagnostic> {
    if args.heatmap.is_none() && args.html.is_none() {
        return Ok(());
    }
    let named = motions.map(|(input, clip)| (input.relative.display().to_string(), with_roles(clip.clone())));
    let write =
        |path: &Path, bytes: &[u8]| write_file(path, args.overwrite, &|out| out.write_all(bytes)).map(|_| ());
    if let Some(path) = &args.heatmap {
        let options = HeatmapOptions { shell: args.measure.shell.0, ..HeatmapOptions::default() };
        write(path, &heatmap::png(&named[0].1, &named[1].1, &options)?)?;
    }
    if let Some(path) = &args.html {
        let named = named.map(|(name, clip)| (name, read::upright(clip, &args.reading)));
        let inputs = named.each_ref().map(|(name, clip)| ViewInput::new(name, clip));
        let options = ViewOptions { shell: args.measure.shell.0, ..ViewOptions::default() };
        write(path, &view::html(&inputs, &options))?;
    }
    Ok(())
}

/// Sets the path of the input on a warning. A warning about the skeleton of an AMC already has its own path.
pub(super) fn about(warning: Diagnostic, input: &Input) -> Diagnostic {
    if warning.path.is_some() { warning } else { warning.in_file(Path::new(&input.shown())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_misses_the_gate() {
        assert!(error_above(1e-4, 1e-4).is_none());
        assert!(error_above(2e-4, 1e-4).is_some() && error_above(f64::NAN, 1e-4).is_some());
    }
}
