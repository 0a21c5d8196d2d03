//! `mocap split`: takes into clips.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args as ClapArgs};
use mocap_edit::{EditError, SplitBy, split_scene};
use mocap_formats::{Format, Remedy};
use mocap_model::Scene;
use mocap_search::labels::{LabelExpression, Segment, label, side_name};
use schemars::JsonSchema;
use serde::Serialize;

use super::edit::text_of;
use super::find::refused;
use crate::batch::{self, Input, JobContext, fail, json};
use crate::diagnostic::{Detail, Diagnostic, Failure};
use crate::encode::{self, EncodeOptions, Origin};
use crate::exit::Exit;
use crate::options::formats::Written;
use crate::options::seconds::duration;
use crate::options::{FirstFrame, Inputs, Invocation, Reading, Selection};
use crate::output::Output;
use crate::read::{self, Motion};
use crate::verb::{ERROR, RowSchema, VerbArgs, of};

/// Cut takes into clips: by length, at pauses, at the ranges of a CSV, or by what happens
///
/// The clips of take.bvh are take_001.bvh, take_002.bvh and so on; the tree of directories is kept.
#[derive(Debug, ClapArgs)]
#[command(
    override_usage = "mocap split [OPTIONS] --output <DIR> <CUTS> <IN>...",
    group(ArgGroup::new("cuts").required(true).args(["every", "still", "ranges", "by_label"])),
    after_help = "\
    Examples:\n\
    \x20 mocap split take.bvh --every 5s -o clips/\n\
    \x20 mocap split take.bvh --still=1s -o clips/\n\
    \x20 mocap split take.bvh --ranges cuts.csv -o clips/\n\
    \x20 mocap split take.bvh --by-label='walk & speed>1' -o clips/"
)]
pub(crate) struct Args {
    /// Takes: files, directories (searched recursively), globs in quotes, or - for stdin
    #[arg(value_name = "IN", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Output directory
    #[arg(short, long, value_name = "DIR", required = true, help_heading = "Output")]
    pub(crate) output: PathBuf,
    /// Replace existing outputs
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,
    /// Clips of this length; the last one may be shorter [s, above 0]
    #[arg(long, value_name = "SECONDS", value_parser = duration, help_heading = "Cuts")]
    pub(crate) every: Option<f64>,
    /// Cut at pauses of at least this time; the pauses are left out [s, above 0; default 0.5]
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = duration,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "0.5",
        help_heading = "Cuts"
    )]
    pub(crate) still: Option<f64>,
    /// A CSV with rows 'start, end' [s], end excluded; ranges may overlap
    #[arg(long, value_name = "FILE", help_heading = "Cuts")]
    pub(crate) ranges: Option<PathBuf>,
    /// A clip of each range with a label, named by it; with a value, such as =kick or ='walk & speed>1', of each range
    /// in which that holds
    ///
    /// `mocap label` lists the ranges, which may overlap. Measures are speed [m/s] and turn [rad/s].
    #[arg(
        long,
        value_name = "LABELS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        help_heading = "Cuts"
    )]
    pub(crate) by_label: Option<String>,
    #[command(flatten)]
    pub(crate) written: Written,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) first: FirstFrame,
}

/// A row of `mocap split --json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    frames: usize,
    fps: f64,
    /// The characters of a take of several; all are cut at the same times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    subjects: Vec<String>,
    /// The clips, in the order of the cuts.
    clips: Vec<Part>,
    bytes: u64,
    warnings: &'a [Diagnostic],
}

/// A clip of a take.
#[derive(Serialize, JsonSchema)]
struct Part {
    output: String,
    /// With --by-label.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// The first frame in the take, from 0.
    start: usize,
    frames: usize,
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "split",
        about: "A line of mocap split --json",
        rows: &[of::<Row<'static>>, ERROR],
    }];

    fn run(self, _: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, console)
    }
}

/// Runs the command.
fn run(args: &Args, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    if let Some(format) = args.written.to.filter(|format| !format.has_motion()) {
        return Err(Diagnostic::new("usage::format", format!("{format} files contain no motion"))
            .help(format!("split writes {}", encode::names(Format::has_motion))));
    }
    let by = match (args.every, args.still, &args.ranges, &args.by_label) {
        (Some(seconds), ..) => Cuts::By(SplitBy::Length(seconds)),
        (_, Some(seconds), ..) => Cuts::By(SplitBy::Stillness(seconds)),
        (_, _, Some(file), _) => {
            let text = text_of(file, &JobContext::standalone())?;
            let by = SplitBy::ranges(&text);
            Cuts::By(by.map_err(|error: EditError| Diagnostic::from(error).in_file(file))?)
        }
        (.., Some(text)) if text.trim().is_empty() => Cuts::Labels(None),
        (.., Some(text)) => Cuts::Labels(Some(text.parse().map_err(|error| refused(&error))?)),
        _ => {
            return Err(Diagnostic::new(
                "usage::edit",
                "no cut is asked for: give --every, --still, --ranges or --by-label",
            ));
        }
    };
    let takes = Inputs { inputs: args.inputs.clone(), selection: Selection::default() };
    let takes = batch::expand(&takes, batch::ANY_MOTIONS)?;
    // Clips of two takes with the same name would overwrite each other.
    let mut names: Vec<PathBuf> = takes.iter().map(|take| take.relative.with_extension("")).collect();
    names.sort();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        let message = format!("two takes are called '{}'", pair[0].display());
        return Err(Diagnostic::new("usage::edit", message).help("split each of them into another directory"));
    }
    let reading = args.first.of(&args.reading);
    reading.ask_peers(&takes);
    let mut exit = Exit::Success;
    for take in &takes {
        let mut warnings = Vec::new();
        match one(take, &by, args, &reading, &mut warnings) {
            Ok(mut row) => {
                if !console.is_json() {
                    console.warnings(&take.shown(), &warnings, Detail::Line);
                }
                row.warnings = &warnings;
                console.row(&json(&row), &row.text());
            }
            Err(error) => exit = fail(&take.shown(), &error, &warnings, console),
        }
    }
    Ok(exit)
}

/// Where takes are cut.
enum Cuts {
    By(SplitBy),
    /// At all labelled ranges, or at those in which an expression holds.
    Labels(Option<LabelExpression>),
}

/// The frames of a clip, and its label.
type Cut = (Range<usize>, Option<String>);

impl Cuts {
    fn of(&self, take: &Scene) -> Result<Vec<Cut>, Diagnostic> {
        let expression = match self {
            Cuts::By(by) => {
                let parts = split_scene(take, by)?;
                return Ok(parts.into_iter().map(|part| (part, None)).collect());
            }
            Cuts::Labels(expression) => expression,
        };
        // All characters are cut at the times of the first one.
        let Some(first) = take.characters.first() else { return Ok(Vec::new()) };
        let clip = &first.clip;
        let frame = |time: f64| ((time * clip.rate().fps()).round() as usize).min(clip.frames());
        let ranges: Vec<(Range<f64>, String)> = match expression {
            None => {
                let segments = label(clip).map_err(|error| refused(&error))?;
                let name = |segment: &Segment| {
                    let side = side_name(segment.side).map_or(String::new(), |side| format!("-{side}"));
                    format!("{}{side}", segment.label)
                };
                segments.iter().map(|segment| (segment.start..segment.end, name(segment))).collect()
            }
            Some(expression) => {
                let ranges = expression.ranges(clip).map_err(|error| refused(&error))?;
                ranges.into_iter().map(|range| (range, expression.to_string())).collect()
            }
        };
        let cuts = ranges.into_iter().map(|(range, name)| (frame(range.start)..frame(range.end), Some(name)));
        Ok(cuts.filter(|(range, _)| range.len() > 1).collect())
    }
}

/// A label as a part of a file name.
fn file_word(label: &str) -> String {
    let words = label.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.');
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}

fn one(
    input: &Input,
    by: &Cuts,
    args: &Args,
    reading: &Reading,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Row<'static>, Diagnostic> {
    let found = read::load(&JobContext::standalone(), input, reading).and_then(|loaded| {
        let read_as = loaded.format.exchange();
        Ok((loaded.into_motion_and_document(reading)?, read_as))
    });
    let ((Motion { clip, warnings: odd, .. }, document), read_as) =
        found.map_err(|Failure { error, warnings: odd }| {
            warnings.extend(odd);
            error
        })?;
    // A rest pose before the motion is excluded.
    let lead_in = usize::from(odd.iter().any(|warning| warning.remedy == Some(Remedy::DropFirstFrame)));
    warnings.extend(odd.into_iter().map(|mut warning| {
        if warning.remedy == Some(Remedy::DropFirstFrame) {
            warning.help = Some("it is left out of the clips".into());
        }
        warning
    }));
    let shown = input.shown();
    let model = |error: mocap_model::ModelError| {
        Diagnostic::from(EditError::Split { reason: error.to_string() }).in_file(Path::new(&shown))
    };
    let (frames, fps) = (clip.frames(), clip.rate().fps());
    let take = mocap::scene_of(clip.trimmed(lead_in.min(frames.saturating_sub(1))..frames).map_err(model)?)
        .map_err(model)?;
    drop(clip);
    let parts = by.of(&take).map_err(|error| error.in_file(Path::new(&shown)))?;
    if parts.is_empty() {
        warnings.push(Diagnostic::new("split::no-label", "no range has the label: there are no clips"));
    }
    let named =
        input.relative.extension().and_then(|extension| extension.to_str()).and_then(Format::from_extension);
    let format = args.written.to.unwrap_or_else(|| {
        let same = named.filter(|format| format.is_writable() && format.has_motion());
        same.unwrap_or(Format::Bvh).as_read(read_as)
    });
    let digits = parts.len().to_string().len().max(3);
    let name = args.output.join(input.relative.with_extension(""));
    let mut row = Row {
        path: shown.clone(),
        frames,
        fps,
        subjects: crate::rows::several(&take),
        clips: Vec::new(),
        bytes: 0,
        warnings: &[],
    };
    let output = |number: usize| {
        let mut output = name.clone().into_os_string();
        let label =
            parts[number - 1].1.as_deref().map_or(String::new(), |label| format!("_{}", file_word(label)));
        output.push(format!("_{number:0digits$}{label}.{}", format.file_extension()));
        PathBuf::from(output)
    };
    // All outputs are checked before the first one is written.
    (1..=parts.len()).try_for_each(|number| encode::is_free(&output(number), args.overwrite))?;
    for (number, (range, label)) in parts.iter().enumerate() {
        let output = output(number + 1);
        let (start, frames) = (range.start + lead_in, range.len());
        let part = take.clone().try_map_all(|one| {
            // Each part has the name of its file: the name of the whole would name all of them alike.
            let clip = one.clip.trimmed(range.clone())?.with_name("");
            Ok(one.with_clip(clip))
        });
        let part = part.map_err(model)?;
        let name = encode::stem(&output);
        let options = EncodeOptions { name: &name, euler: args.written.euler, ..EncodeOptions::default() };
        let encoded = encode::scene_in(Origin::input(document.as_deref()), part, format, options)?;
        warnings.extend(
            encoded.warnings.iter().filter(|new| !warnings.contains(new)).cloned().collect::<Vec<_>>(),
        );
        row.bytes +=
            encode::deliver_to(&encoded, &output, args.overwrite).map_err(|failure| failure.error)?;
        let label = label.clone();
        row.clips.push(Part { output: output.display().to_string(), label, start, frames });
    }
    Ok(row)
}

impl Row<'_> {
    fn text(&self) -> String {
        let clips = self.clips.len();
        let of = match self.subjects.is_empty() {
            true => String::new(),
            false => format!(" of {}", self.subjects.join(", ")),
        };
        let mut text = format!("{} -> {clips} {}{of}", self.path, if clips == 1 { "clip" } else { "clips" });
        for Part { output, start, frames, .. } in &self.clips {
            let seconds = |frame: usize| frame as f64 / self.fps;
            text += &format!(
                "\n  {output}: {frames} frames, {:.2} s to {:.2} s",
                seconds(*start),
                seconds(start + frames)
            );
        }
        text
    }
}
