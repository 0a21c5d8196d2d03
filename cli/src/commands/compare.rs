//! `mocap compare`: the error between two motions of one skeleton.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use mocap::{Problem, UnitFacts, at_one_rate, in_one_unit, with_roles};
use mocap_analysis::{ErrorSummary, millimetres, object_error};
use mocap_batch::write_file;
use mocap_model::{Clip, UnitSource};
use mocap_report::heatmap::{self, HeatmapOptions};
use mocap_report::view::{self, ViewInput, ViewOptions};
use serde::Serialize;

use crate::args::CompareArgs as Args;
use crate::batch::{Input, JobContext, fail, json, read_files};
use crate::console::Console;
use crate::diagnostic::{Detail, Diagnostic, Failure};
use crate::edit::guessed;
use crate::exit::Exit;
use crate::read::{self, Motion};

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    other: String,
    #[serde(flatten)]
    summary: ErrorSummary,
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

/// Runs the command.
pub(crate) fn run(args: &Args, console: &mut Console) -> Result<Exit, Diagnostic> {
    let inputs = [&args.reference, &args.other].map(|path| Input::named(path));
    if args.reference == args.other && args.reference.as_os_str() == "-" {
        return Err(Diagnostic::new("usage::stdin-twice", "stdin (-) can be read only once"));
    }
    let pictures = args.heatmap.iter().chain(&args.html).map(PathBuf::as_path);
    read_files(&args.reading, None).refuse(&inputs, pictures)?;
    let mut reported = Reported { warnings: Vec::new(), one_file: args.reference == args.other };
    Ok(compare(args, &inputs, &mut reported, console)
        .unwrap_or_else(|(input, error)| fail(&inputs[input].shown(), &error, &reported.warnings, console)))
}

/// Compares the inputs; an error comes with the number of the input that it is about.
fn compare(
    args: &Args,
    inputs: &[Input; 2],
    reported: &mut Reported,
    console: &mut Console,
) -> Result<Exit, (usize, Diagnostic)> {
    let of = |input: usize| move |error: Diagnostic| (input, error);
    let mut clips = [
        read(args, &inputs[0], reported, console).map_err(of(0))?,
        read(args, &inputs[1], reported, console).map_err(of(1))?,
    ];
    let units = clips.each_ref().map(|clip| read::known_unit(clip.skeleton()));
    let one_unit = in_one_unit(clips.each_ref()).map_err(|error| (0, error.into()))?;
    clips = one_unit.map(Cow::into_owned);
    for (input, unit) in inputs.iter().zip(units) {
        let warning = match unit {
            Some(unit) if unit.source == UnitSource::Guessed => guessed(unit),
            Some(_) => continue,
            None => Problem::UnitOfOther.into(),
        };
        reported.warn(input, vec![warning], console);
    }
    let resampled = at_one_rate(&mut clips, args.resample).map_err(|error| (1, error.into()))?;
    let [reference, other] = &clips;
    let summary = object_error(reference, other, args.measure.shell.0).map_err(|error| (1, error.into()))?;
    let limit = args.measure.fail_above.map(|length| length.0);
    let missed = limit.and_then(|limit| error_above(summary.max, limit));
    draw(args, [(&inputs[0], reference), (&inputs[1], other)]).map_err(of(1))?;
    let shown = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let row = Row {
        path: inputs[0].shown(),
        other: inputs[1].shown(),
        summary,
        fps: reference.rate().fps(),
        resampled,
        unit: UnitFacts::of(reference.skeleton()),
        fail_above: limit,
        passed: missed.is_none(),
        heatmap: shown(&args.heatmap),
        html: shown(&args.html),
        warnings: &reported.warnings,
    };
    console.row(&json(&row), &row.text());
    let Some(missed) = missed else { return Ok(Exit::Success) };
    console.error(Some(&inputs[1].shown()), &missed);
    Ok(Exit::Gate)
}

fn read(args: &Args, input: &Input, reported: &mut Reported, console: &Console) -> Result<Clip, Diagnostic> {
    let read = read::motion(&JobContext::standalone(), input, &args.first.of(&args.reading));
    let (clip, warnings) = match read {
        Ok(Motion { clip, warnings, .. }) => (Ok(clip), warnings),
        Err(Failure { error, warnings }) => (Err(error), warnings),
    };
    reported.warn(input, warnings, console);
    clip
}

/// The error of a motion that is too far from another; an error that is not a number is.
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
        measures.into_iter().chain(written).collect::<Vec<_>>().join("\n")
    }
}

/// Writes the pictures that were asked for.
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
        let inputs = named.each_ref().map(|(name, clip)| ViewInput { name, clip });
        let options = ViewOptions { shell: args.measure.shell.0, ..ViewOptions::default() };
        write(path, &view::html(&inputs, &options))?;
    }
    Ok(())
}

/// The warnings about the motions, which are printed when they are found.
struct Reported {
    warnings: Vec<Diagnostic>,
    /// Both inputs are one file: each warning is reported once.
    one_file: bool,
}

impl Reported {
    fn warn(&mut self, input: &Input, warnings: Vec<Diagnostic>, console: &Console) {
        for warning in warnings.into_iter().map(|warning| about(warning, input)) {
            if self.one_file && self.warnings.contains(&warning) {
                continue;
            }
            if !console.is_json() {
                console.warnings(&input.shown(), std::slice::from_ref(&warning), Detail::Line);
            }
            self.warnings.push(warning);
        }
    }
}

/// The warning with the path of the input. The skeleton of an AMC has its own path.
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
