//! `mocap info`: what a file contains.

use mocap::{CompressionFacts, FileFacts, MarkerFacts, grouped, with_roles};
use mocap_analysis::{ContactOptions, QualitySummary, quality};
use mocap_model::Markers;
use serde::Serialize;

use crate::args::InfoArgs as Args;
use crate::batch::{self, Failure, Job, JobContext, Report, RunOptions, Tally, json};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::read;

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    format: &'static str,
    #[serde(flatten)]
    facts: FileFacts,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<QualitySummary>,
    #[serde(flatten)]
    compression: Option<CompressionFacts>,
    warnings: &'a [Diagnostic],
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

/// Runs the command.
pub(crate) fn run(args: &Args, console: &mut Console) -> Result<Exit, Diagnostic> {
    let inputs = batch::expand(&args.inputs, batch::ALL)?;
    let jobs = batch::report_jobs(inputs);
    let options = RunOptions::reporting(&args.inputs.selection);
    Ok(batch::run(console, options, &jobs, |job, context| info(job, context, args)))
}

fn info(job: &Job, context: &JobContext, args: &Args) -> Result<Report, Failure> {
    let bytes = read::bytes_of(context, &job.input)?;
    let compression = match read::is_compressed(&bytes) {
        true => Some(CompressionFacts::of(&read::open_compressed(&bytes, None)?)),
        false => None,
    };
    let loaded = read::load_bytes(context, &job.input, bytes, &args.reading)?;
    let (format, bytes) = (loaded.format, loaded.size());
    if let Some((markers, warnings)) = loaded.markers(&args.reading)? {
        return Ok(of_markers(job.input.shown(), format.extension(), bytes, &markers, warnings));
    }
    let (facts, warnings) = loaded.facts(&args.reading)?;
    let quality = match args.quality && format.has_motion() {
        true => {
            let clip = with_roles(loaded.into_motion(&args.reading)?.clip);
            Some(quality(&clip, &ContactOptions::default()).summary(clip.skeleton()))
        }
        false => None,
    };
    let (path, format) = (job.input.shown(), format.extension());
    let row = Row { path, format, facts, bytes, quality, compression, warnings: &warnings };
    let (json, text) = (json(&row), row.text());
    let tally = Tally { frames: row.facts.frames, bytes_in: bytes, bytes_out: 0 };
    Ok(Report { json, text, warnings, tally, ..Report::default() })
}

/// The report on a recording of markers.
fn of_markers(
    path: String,
    format: &'static str,
    bytes: u64,
    markers: &Markers,
    warnings: Vec<Diagnostic>,
) -> Report {
    let row = MarkerRow { path, format, facts: MarkerFacts::of(markers), bytes, warnings: &warnings };
    let text = block(&row.path, format, bytes, row.facts.lines(), &warnings);
    let tally = Tally { frames: row.facts.frames, bytes_in: bytes, bytes_out: 0 };
    let json = json(&row);
    Report { json, text, warnings, tally, ..Report::default() }
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
        if let Some(quality) = &self.quality {
            quality.lines().iter().for_each(|(name, value)| line(name, value));
        }
        text
    }
}
