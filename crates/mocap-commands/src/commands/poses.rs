//! `mocap poses`: example poses from a database of motions.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args as ClapArgs;
use mocap_batch::write_file;
use mocap_poses::{LearnReport, PosesError, Sampled, learn};
use schemars::JsonSchema;
use serde::Serialize;

use super::database::{Database, check_output, read_all};
use crate::batch::json;
use crate::diagnostic::{Detail, Diagnostic};
use crate::encode;
use crate::exit::Exit;
use crate::options::{FirstFrame, Inputs, Invocation, Reading};
use crate::output::Output;
use crate::verb::{ERROR, RowSchema, VerbArgs, of};

/// Learn poses from a database of motions, for solve --poses
///
/// The file holds some thousand example poses of the most common skeleton: half of them evenly over all frames, half of
/// them as far from each other as possible. Motions of other skeletons are retargeted to it.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap poses database/ -o people.poses\n\
    \x20 mocap poses walks/ runs/ -o moves.poses --json")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// File of poses
    #[arg(short, long, value_name = "POSES", required = true, help_heading = "Output")]
    pub(crate) output: PathBuf,
    /// Replace an existing output
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) first: FirstFrame,
}

/// What was learnt, a row of `mocap poses --json`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Poses")]
pub(crate) struct Row {
    output: String,
    bytes: usize,
    seconds: f64,
    /// The skeleton of the examples is that of the most frames; it is called so.
    skeleton: String,
    #[serde(flatten)]
    report: LearnReport,
    /// Files that were not learnt from, and why.
    files_left_out: Vec<FileLeftOut>,
    warnings: Vec<Diagnostic>,
}

/// A file that was not learnt from.
#[derive(Serialize, JsonSchema)]
struct FileLeftOut {
    path: String,
    reason: String,
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] =
        &[RowSchema { name: "poses", about: "A line of mocap poses --json", rows: &[of::<Row>, ERROR] }];

    fn run(self, _: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        let started = Instant::now();
        encode::is_free(&self.output, self.overwrite)?;
        let reading = self.first.of(&self.reading);
        let paths = &self.inputs.inputs;
        check_output(&self.output, paths, &self.inputs.selection, &reading)?;
        let Database { clips, left_out, exit, .. } =
            read_all(paths, &self.inputs.selection, &reading, console, Sampled::of)?;
        let (inputs, sampled): (Vec<_>, Vec<Sampled>) = clips.into_iter().unzip();
        let (prior, mut report) = learn(&sampled).map_err(|error| refused(&error))?;
        let bytes = prior.to_bytes();
        write_file(&self.output, self.overwrite, &|out| out.write_all(&bytes))?;
        let mut files_left_out: Vec<FileLeftOut> =
            left_out.into_iter().map(|(path, reason)| FileLeftOut { path, reason }).collect();
        for clip in std::mem::take(&mut report.left_out) {
            let (path, reason) = (inputs[clip.clip].shown(), clip.reason);
            console.note(&format!("left out: {path}: {reason}"));
            files_left_out.push(FileLeftOut { path, reason });
        }
        let mut warnings = Vec::new();
        if report.clips == 1 {
            let message = "all poses are of one clip: other motions are far from them, and little is known of how people move";
            warnings.push(Diagnostic::new("poses::one-clip", message).help("name more motions of people"));
        }
        if !console.is_json() {
            console.warnings(&self.output.display().to_string(), &warnings, Detail::Line);
        }
        let row = Row {
            output: self.output.display().to_string(),
            bytes: bytes.len(),
            seconds: started.elapsed().as_secs_f64(),
            skeleton: prior.skeleton().name().to_owned(),
            report,
            files_left_out,
            warnings,
        };
        console.row(&json(&row), &row.text());
        Ok(exit)
    }
}

impl Row {
    fn text(&self) -> String {
        let report = &self.report;
        let millimetres = |value: Option<f64>| {
            value.map_or_else(|| "unknown".into(), |value| format!("{:.0} mm", value * 1e3))
        };
        let mut text = format!(
            "{}: {} poses of {} joints from {} in {}, {} kB\n  a frame is {} from the nearest example on average, {} at most",
            self.output,
            report.poses,
            report.joints,
            mocap_batch::counted(report.frames, "frame"),
            mocap_batch::counted(report.clips, "clip"),
            self.bytes.div_ceil(1024),
            millimetres(report.distance_mean),
            millimetres(report.distance_max),
        );
        if report.retargeted > 0 {
            text += &format!(
                "\n  {} of other skeletons: retargeted to '{}'",
                mocap_batch::counted(report.retargeted, "clip"),
                self.skeleton
            );
        }
        if !self.files_left_out.is_empty() {
            text += &format!("\n  left out: {}", mocap_batch::counted(self.files_left_out.len(), "file"));
        }
        text
    }
}

/// Adds advice to an error about example poses.
pub(super) fn refused(error: &PosesError) -> Diagnostic {
    let found = Diagnostic::new(error.code(), error.to_string());
    match error {
        PosesError::Unmapped { .. } => found.help("`mocap skel FILE` shows the roles of joints"),
        PosesError::File { .. } => found.help("`mocap poses DATABASE -o FILE` writes one"),
        PosesError::NoGoals { .. } => {
            found.help("name points as joints of the skeleton, or as their roles, such as LeftHand")
        }
        PosesError::TooFew { .. } => found.help("name more motions of people"),
        _ => found,
    }
}
