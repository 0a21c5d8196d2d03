//! `mocap label`: what happens in motions, by measured rules.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use mocap_batch::write_file;
use mocap_edit::edits::with_labels;
use mocap_model::Clip;
use mocap_search::labels::{Segment, label, side_name};
use schemars::JsonSchema;
use serde::Serialize;

use super::database::{interruptible, read_database};
use super::find::segment_text;
use crate::batch::json;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{FirstFrame, Inputs, Invocation, Reading};
use crate::output::Output;
use crate::verb::{ERROR, RowSchema, VerbArgs, of};

/// Label motions by measured rules: idle, walk, run, turns, jump, kick, wave and others, with their numbers
///
/// Ranges may overlap: who walks may wave. Each row has the numbers of its rule, and speed, direction, turn and contacts.
/// `mocap edit --label-events` writes them into motions, as events.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap label database/ -o labels.csv\n\
    \x20 mocap label take.bvh")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Write a CSV with a row per range [default: rows on stdout]
    #[arg(short, long, value_name = "CSV", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing output
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) first: FirstFrame,
}

/// A range with a label.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Label")]
pub(crate) struct Row {
    path: String,
    #[serde(flatten)]
    segment: Segment,
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] =
        &[RowSchema { name: "label", about: "A line of mocap label --json", rows: &[of::<Row>, ERROR] }];

    fn run(self, _: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        interruptible(console, |console| self.label(console))
    }
}

impl Args {
    fn label(self, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        if let Some(output) = self.output.as_ref().filter(|output| output.exists() && !self.overwrite) {
            return Err(Diagnostic::new("io::exists", format!("'{}' exists", output.display()))
                .help("--overwrite replaces it"));
        }
        let reading = self.first.of(&self.reading);
        let paths = &self.inputs.inputs;
        let database = read_database(paths, &self.inputs.selection, &reading, console, label)?;
        let exit = database.exit;
        let mut table = String::from(
            "path,start_s,end_s,label,side,speed_m_per_s,direction_rad,turn_rad,left_contact,right_contact,measured\n",
        );
        for (input, segments) in database.clips {
            for segment in segments {
                table += &csv(&input.shown(), &segment);
                if self.output.is_none() || console.is_json() {
                    let row = Row { path: input.shown(), segment };
                    console.row(&json(&row), &segment_text(&row.path, &row.segment));
                }
            }
        }
        if let Some(output) = &self.output {
            write_file(output, self.overwrite, &|out| out.write_all(table.as_bytes()))?;
            console.note(&format!(
                "{}: {}",
                output.display(),
                mocap_batch::counted(table.lines().count() - 1, "range")
            ));
        }
        Ok(exit)
    }
}

/// A motion with its labels as events, for pages. A motion that is not a moving human body is returned
/// unchanged.
pub(crate) fn labelled(clip: Clip) -> Clip {
    with_labels(&clip).map_or(clip, |(labelled, _)| labelled)
}

/// A row of the table; a value that was not measured is empty.
fn csv(path: &str, segment: &Segment) -> String {
    let quoted = |text: &str| match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.4}"));
    let measured: Vec<String> =
        segment.measured.iter().map(|number| format!("{}={:.3}", number.name, number.value)).collect();
    format!(
        "{},{:.4},{:.4},{},{},{},{},{:.4},{:.3},{:.3},{}\n",
        quoted(path),
        segment.start,
        segment.end,
        segment.label,
        side_name(segment.side).unwrap_or_default(),
        number(segment.speed),
        number(segment.direction),
        segment.turn,
        segment.left_contact,
        segment.right_contact,
        quoted(&measured.join("; "))
    )
}
