//! `mocap info`: what a file contains.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clap::Args as ClapArgs;
use mocap::{CompressionFacts, FileFacts, MarkerFacts, ReadOptions, SurfaceFacts, grouped};
use mocap_analysis::{GateResult, QualitySummary};
use mocap_face::{FaceQuality, face_quality};
use mocap_model::{BoundBody, Clip, Markers};
use mocap_poses::{PosePrior, Unusual};
use mocap_retarget::SurfaceReport;
use serde::Serialize;

use super::info_made::{self, IndexRow, PosesRow};
use super::info_table::{Line, SortBy, table};
use super::poses::refused;
use super::quality::{Floors, Measured, people_of};
use super::solve::read_poses;
use crate::batch::{self, Failure, Job, JobContext, Report, RunOptions, Tally, json};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{Inputs, Invocation, QualitySettings, Reading};
use crate::output::Output;
use crate::read::{self, Loaded};
use crate::verb::{ERROR, RowSchema, SUMMARY, VerbArgs, of};

/// Show format, joints, frames, rate, unit, axes, channel orders and warnings
///
/// Of a directory, a table is printed with one line per clip: frames, rate, unit, height and the worst finding. Other
/// inputs get one block each.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap info walk.bvh\n\
    \x20 mocap info database/ --sort quality\n\
    \x20 mocap info database/ --json\n\
    \x20 mocap info walk.bvh --quality\n\
    \x20 mocap info takes/ --quality --poses people.poses --json\n\
    \x20 mocap info character.glb --surface")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) measures: QualitySettings,
    /// Measure the meshes of characters: vertices, influences, weights, holes, volume, and how far limbs collapse over
    /// the motion
    #[arg(long, help_heading = "Measures")]
    pub(crate) surface: bool,
    /// Measure how far each frame is from example poses, as `mocap poses` writes them: broken captures are far
    #[arg(long, value_name = "FILE", help_heading = "Measures")]
    pub(crate) poses: Option<PathBuf>,
    /// Print a table with one line per clip, the worst finding included; the default for directories
    #[arg(long, help_heading = "Text")]
    pub(crate) table: bool,
    /// Print a block per clip, for directories too
    #[arg(long, help_heading = "Text", conflicts_with = "table")]
    pub(crate) blocks: bool,
    /// Order of the table: path, quality (the worst first), frames or height (the most first) [default: path]
    #[arg(
        long,
        value_name = "COLUMN",
        help_heading = "Text",
        default_value = "path",
        hide_default_value = true,
        hide_possible_values = true
    )]
    sort: SortBy,
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    format: &'static str,
    #[serde(flatten)]
    facts: FileFacts,
    bytes: u64,
    /// Of one person; of several, `people` has that of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<Quality>,
    /// Measurements of each person, where a file has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    people: Vec<PersonRow>,
    /// With --surface; `null` of a file without a mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    surface: Option<Option<SurfaceFacts>>,
    /// With --poses; `null` of a motion that is not of a human body.
    #[serde(skip_serializing_if = "Option::is_none")]
    unusual: Option<Option<Unusual>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    gates: &'a [GateResult],
    #[serde(flatten)]
    compression: Option<CompressionFacts>,
    warnings: &'a [Diagnostic],
}

/// What is measured of a motion.
#[derive(Serialize, schemars::JsonSchema)]
struct Quality {
    #[serde(flatten)]
    summary: QualitySummary,
    /// What of arms and legs is inside of the rest of the body, measured on the mesh at 20 frames; left out where there is
    /// no mesh with arms.
    #[serde(skip_serializing_if = "Option::is_none")]
    surface: Option<SurfaceReport>,
    /// What is suspicious in the shapes of a face; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    face: Option<FaceQuality>,
}

/// Measurements of one person, where a file has several.
#[derive(Serialize, schemars::JsonSchema)]
struct PersonRow {
    name: String,
    quality: Quality,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gates: Vec<GateResult>,
}

/// Measurements of a motion: of its only person, or of each of several.
#[derive(Default)]
struct MeasuredPeople {
    /// One entry per person of a motion with several, with the name; otherwise one entry without a
    /// name.
    each: Vec<(Option<String>, Quality, Vec<GateResult>)>,
    /// The gates that were missed.
    missed: Vec<Diagnostic>,
    /// The person with the worst finding, for the table.
    worst: Option<Measured>,
}

/// The row of a recording of markers.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct MarkerRow<'a> {
    path: String,
    format: &'static str,
    #[serde(flatten)]
    facts: MarkerFacts,
    bytes: u64,
    warnings: &'a [Diagnostic],
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "info",
        about: "A line of mocap info --json",
        rows: &[of::<Row<'static>>, of::<MarkerRow<'static>>, of::<IndexRow>, of::<PosesRow>, ERROR, SUMMARY],
    }];

    fn run(self, _: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, console)
    }
}

/// Runs the command.
fn run(args: &Args, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    let inputs = batch::expand(&args.inputs, batch::ALL)?;
    args.reading.ask_peers(&inputs);
    // The table has no column for the distances from example poses.
    let has_room = !args.blocks && args.poses.is_none();
    let is_table = !console.is_json() && (args.table || (has_room && names_directory(args)));
    let measures = args.measures.measures() || args.poses.is_some() || is_table;
    let floors = match measures {
        true => Floors::of(&inputs, &args.reading, args.inputs.selection.jobs),
        false => Floors::default(),
    };
    let prior = args.poses.as_deref().map(|path| read_poses(path, &JobContext::standalone())).transpose()?;
    let jobs = batch::report_jobs(inputs);
    let options = RunOptions::reporting(&args.inputs.selection);
    let lines = Mutex::new(Vec::new());
    // Jobs are identified by their address.
    let address = |job: &Job| std::ptr::from_ref(job).addr();
    let places: HashMap<usize, usize> = jobs.iter().map(address).zip(0..).collect();
    let place = |job: &Job| places.get(&address(job)).copied();
    let exit = batch::run(console, options, &jobs, |job, context| {
        let done = info(job, context, args, (measures.then_some(&floors), prior.as_ref()));
        if !is_table {
            return done.map(|(report, _)| report);
        }
        let line = match &done {
            Ok((_, line)) => line.clone(),
            Err(failure) => Line::failed(job.input.shown(), failure.error.code),
        };
        lines.lock().unwrap_or_else(PoisonError::into_inner).push((place(job), line));
        done.map(|(report, _)| Report { text: String::new(), ..report })
    });
    let mut lines = lines.into_inner().unwrap_or_else(PoisonError::into_inner);
    if is_table && !lines.is_empty() {
        // Jobs end in any order.
        lines.sort_by_key(|(place, _)| *place);
        console.row("", &table(lines.into_iter().map(|(_, line)| line).collect(), args.sort));
    }
    Ok(exit)
}

fn names_directory(args: &Args) -> bool {
    args.inputs.inputs.iter().any(|input| input.is_dir())
}

fn info(
    job: &Job,
    context: &JobContext,
    args: &Args,
    (floors, prior): (Option<&Floors>, Option<&PosePrior>),
) -> Result<(Report, Line), Failure> {
    if let Some((made, path)) = info_made::made(&job.input).zip(job.input.path()) {
        return Ok((info_made::report(made, path, context)?, Line::of_database(job.input.shown())));
    }
    let bytes = read::motion_bytes(context, &job.input, &ReadOptions::from(&args.reading))?;
    let compression = match read::is_compressed(&bytes) {
        true => Some(CompressionFacts::of(&read::open_compressed_of(&bytes, &args.reading)?)),
        false => None,
    };
    let loaded = read::load_bytes(context, &job.input, bytes, &args.reading)?;
    let (format, bytes) = (loaded.format, loaded.size());
    if let Some((markers, warnings)) = loaded.markers(&args.reading)? {
        return Ok(of_markers(job.input.shown(), format.extension(), bytes, &markers, warnings));
    }
    let (facts, mut warnings) = loaded.facts(&args.reading)?;
    let surface = match args.surface {
        true => Some(surface_of(&loaded, &args.reading, &mut warnings)?),
        false => None,
    };
    let unusual = match prior.filter(|_| format.has_motion()) {
        Some(prior) => Some(unusual_of(prior, loaded.chosen(&args.reading)?.0, &mut warnings)),
        None => None,
    };
    let measured = match floors.filter(|_| format.has_motion()) {
        Some(floors) => {
            let body = loaded.document().map(|document| document.body(&args.reading.limits())).transpose();
            let body = match body {
                Ok(body) => body.flatten().map(|body| body.value),
                // Without measurements, a damaged mesh is not an error: the motion is what matters.
                Err(damaged) if !args.measures.measures() => {
                    warnings.push(Diagnostic::from(damaged));
                    None
                }
                Err(damaged) => return Err(Diagnostic::from(damaged).into()),
            };
            measured_people(loaded.into_motion(&args.reading)?.clip, body.as_ref(), floors, &args.measures)?
        }
        None => MeasuredPeople::default(),
    };
    let (path, format) = (job.input.shown(), format.extension());
    let MeasuredPeople { each, missed: errors, worst } = measured;
    let line = Line::of(&path, &facts, worst.as_ref(), &warnings);
    let (mut quality, mut gates, mut people) = (None, Vec::new(), Vec::new());
    for (name, measured, checked) in each {
        match name {
            Some(name) => people.push(PersonRow { name, quality: measured, gates: checked }),
            None => (quality, gates) = (Some(measured), checked),
        }
    }
    let row = Row {
        path,
        format,
        facts,
        bytes,
        quality,
        people,
        surface,
        unusual,
        gates: &gates,
        compression,
        warnings: &warnings,
    };
    let (json, text) = (json(&row), row.text());
    let tally = Tally { frames: row.facts.frames, bytes_in: bytes, bytes_out: 0 };
    Ok((Report { json, text, errors, warnings, tally, ..Report::default() }, line))
}

/// Measures the person of a motion, or each of several.
fn measured_people(
    clip: Clip,
    body: Option<&BoundBody>,
    floors: &Floors,
    measures: &QualitySettings,
) -> Result<MeasuredPeople, Diagnostic> {
    let mut found = MeasuredPeople::default();
    for (name, clip) in people_of(clip)? {
        let own = match &name {
            Some(_) => body.and_then(|body| body.part_on(clip.skeleton())),
            None => body.cloned(),
        };
        // The table has no column for it.
        let seen = own.as_ref().filter(|_| measures.measures());
        let surface = seen.and_then(|body| mocap::surface_report(body, &clip));
        let face = face_quality(clip.annotations(), clip.frames(), clip.rate().fps());
        let on = own.map(|body| body.on(clip.skeleton()));
        let mut measured = Measured::of(clip, on.as_ref(), floors, measures);
        if let Some(name) = &name {
            measured = measured.of_person(name);
        }
        found.missed.append(&mut measured.missed);
        let gates = std::mem::take(&mut measured.gates);
        found.each.push((name, Quality { summary: measured.summary.clone(), surface, face }, gates));
        if found.worst.as_ref().is_none_or(|worst| measured.severity > worst.severity) {
            found.worst = Some(measured);
        }
    }
    Ok(found)
}

/// The surface of a character; `None` with a warning of a file without a mesh.
fn surface_of(
    loaded: &Loaded,
    reading: &Reading,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Option<SurfaceFacts>, Failure> {
    let body = match loaded.document() {
        Some(document) => document.body(&reading.limits()).map_err(Diagnostic::from)?,
        None => None,
    };
    let Some(body) = body.filter(|body| !body.value.body.meshes.is_empty()) else {
        let warning = Diagnostic::new("surface::no-mesh", "the file has no mesh that joints move");
        warnings.push(warning.help("`mocap rig` binds a mesh without a skin to a skeleton"));
        return Ok(None);
    };
    // Warnings about weights that were repaired, and meshes that no joint moves.
    warnings.extend(body.warnings.into_iter().map(Diagnostic::from));
    let clip = match loaded.format.has_motion() {
        true => Some(loaded.chosen(reading)?.0),
        false => None,
    };
    let facts = SurfaceFacts::of(&body.value, clip.as_ref());
    Ok(Some(facts.map_err(|error| Diagnostic::new("surface::damaged", error.to_string()))?))
}

/// How far the frames are from examples; `None` with a warning of what is not a human body.
fn unusual_of(prior: &PosePrior, clip: Clip, warnings: &mut Vec<Diagnostic>) -> Option<Unusual> {
    let clip = mocap::with_roles(clip);
    let measured = mocap_poses::unusual(prior, &clip, mocap_analysis::metres_per_unit(clip.skeleton()));
    measured.map_err(|error| warnings.push(refused(&error))).ok()
}

/// The report on a recording of markers.
fn of_markers(
    path: String,
    format: &'static str,
    bytes: u64,
    markers: &Markers,
    warnings: Vec<Diagnostic>,
) -> (Report, Line) {
    let row = MarkerRow { path, format, facts: MarkerFacts::of(markers), bytes, warnings: &warnings };
    let text = block(&row.path, format, bytes, row.facts.lines(), &warnings);
    let tally = Tally { frames: row.facts.frames, bytes_in: bytes, bytes_out: 0 };
    let json = json(&row);
    let line = Line::of_markers(&row.path, &row.facts, row.warnings);
    (Report { json, text, warnings, tally, ..Report::default() }, line)
}

/// One block per file, one fact per line.
fn block(
    path: &str,
    format: &str,
    bytes: u64,
    facts: Vec<(&'static str, String)>,
    warnings: &[Diagnostic],
) -> String {
    let mut text = path.to_owned();
    let mut line = |name: &str, value: &str| text.push_str(&format!("\n  {name:<10} {value}"));
    line("format", &format!("{} ({} bytes)", format.to_uppercase(), grouped(bytes)));
    facts.iter().for_each(|(name, value)| line(name, value));
    if !warnings.is_empty() {
        let codes: Vec<&str> = warnings.iter().map(|warning| warning.code).collect();
        line("warnings", &format!("{}: {}", codes.len(), codes.join(", ")));
    }
    text
}

impl Row<'_> {
    fn text(&self) -> String {
        let mut text = block(&self.path, self.format, self.bytes, self.facts.lines(), self.warnings);
        let mut line = |name: &str, value: &str| text.push_str(&format!("\n  {name:<10} {value}"));
        if let Some(compression) = &self.compression {
            compression.lines(self.bytes).iter().for_each(|(name, value)| line(name, value));
        }
        let people = self.people.iter().map(|person| (Some(&person.name), &person.quality));
        for (name, quality) in self.quality.iter().map(|quality| (None, quality)).chain(people) {
            if let Some(name) = name {
                line("person", name);
            }
            quality.summary.lines().iter().for_each(|(name, value)| line(name, value));
            if let Some(surface) = &quality.surface {
                line("inside", &surface.text());
            }
            if let Some(face) = &quality.face {
                line("face", &face.text());
            }
        }
        if let Some(Some(unusual)) = &self.unusual {
            line("unusual", &unusual.text());
        }
        if let Some(Some(surface)) = &self.surface {
            surface.lines().iter().for_each(|(name, value)| line(name, value));
        }
        text
    }
}
