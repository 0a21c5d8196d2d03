//! `mocap info`: what a file contains.

use mocap::{CompressionFacts, FileFacts, MarkerFacts, grouped, with_roles};
use mocap_analysis::{ContactOptions, QualitySummary, quality};
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
    facts: Option<FileFacts>,
    /// Of a recording of markers.
    #[serde(flatten)]
    markers: Option<MarkerFacts>,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<QualitySummary>,
    #[serde(flatten)]
    compression: Option<CompressionFacts>,
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
    let (facts, markers, warnings) = match loaded.markers(&args.reading)? {
        Some((markers, warnings)) => (None, Some(MarkerFacts::of(&markers)), warnings),
        None => {
            let (facts, warnings) = loaded.facts(&args.reading)?;
            (Some(facts), None, warnings)
        }
    };
    let quality = match args.quality && format.has_motion() && markers.is_none() {
        true => {
            let clip = with_roles(loaded.into_motion(&args.reading)?.clip);
            Some(quality(&clip, &ContactOptions::default()).summary(clip.skeleton()))
        }
        false => None,
    };
    let (path, format) = (job.input.shown(), format.extension());
    let frames = facts.as_ref().map(|facts| facts.frames).or(markers.as_ref().map(|markers| markers.frames));
    let row = Row { path, format, facts, markers, bytes, quality, compression, warnings: &warnings };
    let (json, text) = (json(&row), row.text());
    let tally = Tally { frames: frames.unwrap_or(0), bytes_in: bytes, bytes_out: 0 };
    Ok(Report { json, text, warnings, tally, ..Report::default() })
}

impl Row<'_> {
    /// One block per file, one fact per line.
    fn text(&self) -> String {
        let mut text = self.path.clone();
        let mut line = |name: &str, value: &str| text.push_str(&format!("\n  {name:<10} {value}"));
        line("format", &format!("{} ({} bytes)", self.format.to_uppercase(), grouped(self.bytes)));
        let lines = self.facts.iter().flat_map(FileFacts::lines);
        let lines = lines.chain(self.markers.iter().flat_map(MarkerFacts::lines));
        lines.for_each(|(name, value)| line(name, &value));
        if !self.warnings.is_empty() {
            let codes: Vec<&str> = self.warnings.iter().map(|warning| warning.code).collect();
            line("warnings", &format!("{}: {}", codes.len(), codes.join(", ")));
        }
        if let Some(compression) = &self.compression {
            compression.lines(self.bytes).iter().for_each(|(name, value)| line(name, value));
        }
        if let Some(quality) = &self.quality {
            quality.lines().iter().for_each(|(name, value)| line(name, value));
        }
        text
    }
}
