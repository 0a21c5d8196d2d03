//! `mocap compare`: how far two motions of one skeleton are apart.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use mocap_analysis::{ErrorSummary, object_error};
use mocap_batch::write_file;
use mocap_model::{Clip, Space, Unit, UnitSource};
use mocap_report::heatmap::{self, HeatmapOptions};
use mocap_report::view::{self, ViewInput, ViewOptions};
use serde::Serialize;

use super::picture::with_roles;
use crate::args::CompareArgs as Args;
use crate::batch::{Input, JobContext, fail, json, read_files};
use crate::console::Console;
use crate::diagnostic::{Detail, Diagnostic};
use crate::edit::guessed;
use crate::exit::Exit;
use crate::facts::{UnitFact, short};
use crate::read::{self, Motion};

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    other: String,
    #[serde(flatten)]
    measures: Measures<'a>,
    fps: f64,
    /// Whether B was sampled at the rate of A.
    resampled: bool,
    unit: UnitFact,
    #[serde(skip_serializing_if = "Option::is_none")]
    fail_above: Option<f64>,
    passed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    heatmap: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
    warnings: &'a [Diagnostic],
}

/// How far two motions are apart. Lengths are metres.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Measures<'a> {
    max: f64,
    p99: f64,
    rms: f64,
    mean: f64,
    between_frames_max: f64,
    shell: f64,
    worst: Option<Worst<'a>>,
    joints: usize,
    frames: usize,
}

impl<'a> Measures<'a> {
    pub(crate) fn of(summary: &'a ErrorSummary) -> Measures<'a> {
        Measures {
            max: summary.max,
            p99: summary.p99,
            rms: summary.rms,
            mean: summary.mean,
            between_frames_max: summary.between_frames_max,
            shell: summary.shell,
            worst: summary.worst.as_ref().map(|worst| Worst { joint: &worst.name, frame: worst.frame }),
            joints: summary.joints,
            frames: summary.frames,
        }
    }

    /// The measure in one line.
    pub(crate) fn line(&self) -> String {
        let worst = self
            .worst
            .as_ref()
            .map_or(String::new(), |worst| format!(" (joint '{}', frame {})", worst.joint, worst.frame));
        format!("error at most {}{worst}, 99 % below {}", millimetres(self.max), millimetres(self.p99))
    }
}

#[derive(Serialize, schemars::JsonSchema)]
struct Worst<'a> {
    joint: &'a str,
    frame: usize,
}

/// Runs the command.
pub(crate) fn run(args: &Args, console: &mut Console) -> Result<Exit, Diagnostic> {
    let inputs = [&args.reference, &args.other].map(|path| Input::named(path));
    if args.reference == args.other && args.reference.as_os_str() == "-" {
        return Err(Diagnostic::new("usage::stdin-twice", "stdin (-) can be read only once"));
    }
    let pictures = args.heatmap.iter().chain(&args.html).map(PathBuf::as_path);
    read_files(&args.reading, None).refuse(&inputs, pictures)?;
    let mut told = Told { warnings: Vec::new(), once: args.reference == args.other };
    let mut clips = Vec::new();
    for input in &inputs {
        let (clip, warnings) =
            match read::motion(&JobContext::standalone(), input, &args.first.of(&args.reading)) {
                Ok(Motion { clip, warnings, .. }) => (Ok(clip), warnings),
                Err(failure) => (Err(failure.error), failure.warnings),
            };
        told.warn(input, warnings, console);
        match clip {
            Ok(clip) => clips.push(clip),
            Err(error) => return Ok(fail(&input.shown(), &error, &told.warnings, console)),
        }
    }
    let clips: [Clip; 2] = clips.try_into().expect("both inputs were read");
    let units = clips.each_ref().map(|clip| read::known_unit(clip.skeleton()));
    let mut clips = match in_one_unit([&clips[0], &clips[1]]) {
        Ok(clips) => clips.map(Cow::into_owned),
        Err(error) => return Ok(fail(&inputs[0].shown(), &error, &told.warnings, console)),
    };
    for (input, unit) in inputs.iter().zip(units) {
        let warning = match unit {
            Some(unit) if unit.source == UnitSource::Guessed => guessed(unit),
            Some(_) => continue,
            None => Diagnostic::new("unit::guessed", "the unit was taken to be that of the other motion"),
        };
        told.warn(input, vec![warning], console);
    }
    let resampled = match in_time(&mut clips, args.resample) {
        Ok(resampled) => resampled,
        Err(error) => return Ok(fail(&inputs[1].shown(), &error, &told.warnings, console)),
    };
    let [reference, other] = &clips;
    let summary = match object_error(reference, other, args.measure.shell.0) {
        Ok(summary) => summary,
        Err(error) => {
            let error = Diagnostic::new("compare::different", error.to_string());
            return Ok(fail(&inputs[1].shown(), &error, &told.warnings, console));
        }
    };
    let limit = args.measure.fail_above.map(|length| length.0);
    let passed = limit.is_none_or(|limit| summary.max <= limit);
    let row = Row {
        path: inputs[0].shown(),
        other: inputs[1].shown(),
        measures: Measures::of(&summary),
        fps: reference.rate().fps(),
        resampled,
        unit: UnitFact::of(reference.skeleton()),
        fail_above: limit,
        passed,
        heatmap: shown(&args.heatmap),
        html: shown(&args.html),
        warnings: &told.warnings,
    };
    let pictures = draw(args, [(&inputs[0], &clips[0]), (&inputs[1], &clips[1])]);
    if let Err(error) = pictures {
        return Ok(fail(&inputs[1].shown(), &error, &told.warnings, console));
    }
    let written: Vec<String> = row.heatmap.iter().chain(&row.html).map(|path| format!("-> {path}")).collect();
    let text = [vec![text(&summary)], written].concat().join("\n");
    console.row(&json(&row), &text);
    if passed {
        return Ok(Exit::Success);
    }
    console.error(Some(&inputs[1].shown()), &error_above(summary.max, limit.unwrap_or_default()));
    Ok(Exit::Gate)
}

/// The error of a motion that is too far from another.
pub(crate) fn error_above(error: f64, limit: f64) -> Diagnostic {
    let (error, limit) = (millimetres(error), millimetres(limit));
    Diagnostic::gate("gate::error-above", format!("the largest error is {error}, above the limit of {limit}"))
}

fn shown(path: &Option<PathBuf>) -> Option<String> {
    path.as_ref().map(|path| path.display().to_string())
}

/// Writes the pictures that were asked for.
fn draw(args: &Args, motions: [(&Input, &Clip); 2]) -> Result<(), Diagnostic> {
    if args.heatmap.is_none() && args.html.is_none() {
        return Ok(());
    }
    let named = motions.map(|(input, clip)| (input.relative.display().to_string(), with_roles(clip.clone())));
    let put = |path: &PathBuf, bytes: &[u8]| {
        write_file(path, args.overwrite, &|out| out.write_all(bytes)).map(|_| ())
    };
    if let Some(path) = &args.heatmap {
        let options = HeatmapOptions { shell: args.measure.shell.0, ..HeatmapOptions::default() };
        let map = heatmap::png(&named[0].1, &named[1].1, &options)
            .map_err(|error| Diagnostic::new("compare::different", error.to_string()))?;
        put(path, &map)?;
    }
    if let Some(path) = &args.html {
        let named = named.map(|(name, clip)| (name, read::upright(clip, &args.reading)));
        let inputs = named.each_ref().map(|(name, clip)| ViewInput { name, clip });
        let options = ViewOptions { shell: args.measure.shell.0, ..ViewOptions::default() };
        put(path, &view::html(&inputs, &options))?;
    }
    Ok(())
}

/// What was said about the motions.
struct Told {
    warnings: Vec<Diagnostic>,
    /// Both are one file: what is said of it is said once.
    once: bool,
}

impl Told {
    fn warn(&mut self, input: &Input, warnings: Vec<Diagnostic>, console: &Console) {
        for warning in warnings {
            // The skeleton of an AMC has its own path.
            let warning = match warning.path {
                Some(_) => warning,
                None => warning.in_file(Path::new(&input.shown())),
            };
            if self.once && self.warnings.contains(&warning) {
                continue;
            }
            if !console.is_json() {
                console.warnings(&input.shown(), std::slice::from_ref(&warning), Detail::Line);
            }
            self.warnings.push(warning);
        }
    }
}

/// Rates that differ by less are one, in files that state a frame time of few digits.
const SAME_RATE: f64 = 5e-4;

/// Brings two motions to one rate; says whether the second had to be sampled for it.
fn in_time(clips: &mut [Clip; 2], resample: bool) -> Result<bool, Diagnostic> {
    let [a, b] = &*clips;
    let (rate, other) = (a.rate(), b.rate());
    if (rate.fps() / other.fps() - 1.0).abs() < SAME_RATE {
        return Ok(false);
    }
    if !resample {
        let message = format!(
            "its rate is {} frames per second and that of the other motion is {}",
            short(other.fps()),
            short(rate.fps())
        );
        return Err(Diagnostic::new("compare::rates", message).help(
            "--resample compares them over time; --input-fps states one rate for both, if a file has it wrong",
        ));
    }
    let sampled = b.resampled(rate).map_err(|error| Diagnostic::new("compare::rates", error.to_string()))?;
    // What the coarser one does not have behind its last frame is less than one frame of it.
    let coarse = rate.frame_time().max(other.frame_time());
    let apart = (a.duration() - b.duration()).abs();
    if apart >= coarse {
        let message = format!(
            "it takes {} s and the other motion {} s: they cannot be compared over time",
            short(b.duration()),
            short(a.duration())
        );
        return Err(
            Diagnostic::new("compare::different", message).help("`mocap convert --trim` cuts motions")
        );
    }
    let frames = a.frames().min(sampled.frames());
    let cut = |clip: &Clip| clip.trimmed(0..frames).expect("both have as many frames");
    *clips = [cut(a), cut(&sampled)];
    Ok(true)
}

fn unknown_unit() -> Diagnostic {
    let message = "errors are measured in metres, and neither the files nor their sizes say what the unit is";
    Diagnostic::new("unit::unknown", message).help("state it with --unit, such as --unit cm")
}

/// Both motions with a unit. Motions of one skeleton are mostly in one unit: where the size of one tells none, the
/// other's holds.
pub(crate) fn in_one_unit([a, b]: [&Clip; 2]) -> Result<[Cow<'_, Clip>; 2], Diagnostic> {
    let [of_a, of_b] = [a, b].map(|clip| read::known_unit(clip.skeleton()));
    if of_a.or(of_b).is_none() {
        return Err(unknown_unit());
    }
    Ok([stated(a, of_a.or(of_b)), stated(b, of_b.or(of_a))])
}

/// The clip with its unit, so that both motions are brought to one.
fn stated(clip: &Clip, unit: Option<Unit>) -> Cow<'_, Clip> {
    let space = *clip.skeleton().space();
    if space.unit == unit {
        return Cow::Borrowed(clip);
    }
    let skeleton = clip.skeleton().with_space(Space { unit, ..space });
    let clip = clip.clone().with_skeleton(skeleton.into());
    Cow::Owned(clip.expect("the skeleton has as many joints as before"))
}

fn text(summary: &ErrorSummary) -> String {
    let worst = summary
        .worst
        .as_ref()
        .map_or(String::new(), |worst| format!(" (joint '{}', frame {})", worst.name, worst.frame));
    let rows = [
        ("largest", format!("{}{worst}", millimetres(summary.max))),
        ("99 % below", millimetres(summary.p99)),
        ("rms", millimetres(summary.rms)),
        ("mean", millimetres(summary.mean)),
        ("between frames", format!("{} at most", millimetres(summary.between_frames_max))),
        (
            "measured on",
            format!(
                "{} joints, {} frames, {} from each joint",
                summary.joints,
                summary.frames,
                millimetres(summary.shell)
            ),
        ),
    ];
    rows.map(|(name, value)| format!("{name:<15} {value}")).join("\n")
}

/// A length [m] as people read it.
fn millimetres(metres: f64) -> String {
    let value = metres * 1000.0;
    if value != 0.0 && value.abs() < 1e-4 {
        format!("{value:.1e} mm")
    } else {
        format!("{} mm", trimmed(value))
    }
}

fn trimmed(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_shown_in_millimetres() {
        assert_eq!(millimetres(0.0), "0 mm");
        assert_eq!(millimetres(0.03), "30 mm");
        assert_eq!(millimetres(0.0012345), "1.2345 mm");
        assert_eq!(millimetres(3.2e-9), "3.2e-6 mm");
    }
}
