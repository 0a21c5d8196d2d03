//! `mocap convert`: between formats, with the usual edits on the way.

use std::path::Path;

use clap::Args as ClapArgs;
use mocap_formats::Format;
use mocap_model::{EulerOrder, FrameRate, SignedAxis};
use serde::Serialize;

use crate::args::{
    AsfUnitsArg, Global, Inputs, Outputs, PositionChannelsArg, Reading, Trim, UnitLength, factor, fps, unit,
};
use crate::batch::{self, Failure, Input, Job, Names, Reads, Report, RunOptions, Tally, json};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::edit::Edits;
use crate::encode::{self, EncodeOptions, Encoded};
use crate::exit::Exit;
use crate::facts::{self, Facts, short};
use crate::read::{self, Loaded, Motion};

/// Convert between formats, and cut, resample, scale or turn motions on the way
///
/// A BVH written as BVH without any change keeps every value, name and channel order of the input. Edits are
/// made in this order: --drop-first-frame, --trim, --fps, --scale, --unit, --up.
#[derive(Debug, ClapArgs)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    outputs: Outputs,
    // The help comes from the table of formats.
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Writing",
        help = format!(
            "Format of the outputs: {} [default: by the extension of OUT]",
            encode::outputs(|_| true)
        )
    )]
    to: Option<Format>,
    /// Rotation order of every joint of a BVH, such as ZXY [default: that of the input]
    #[arg(long, value_name = "ORDER", help_heading = "Writing")]
    euler: Option<EulerOrder>,
    #[command(flatten)]
    edits: EditArgs,
    #[command(flatten)]
    reading: Reading,
}

/// Changes to a motion.
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Edits")]
pub(crate) struct EditArgs {
    /// Leave out the first frame: in BVH conversions of the CMU database it is a rest pose
    #[arg(long)]
    pub(crate) drop_first_frame: bool,
    /// Keep a range alone, its end not included: frames from 0 (10:250), seconds (0.5s:2s), or open (1:)
    #[arg(long, value_name = "A:B")]
    trim: Option<Trim>,
    /// Resample to a rate [frames per second, above 0; default: the rate of the input]; the duration stays
    #[arg(long, value_name = "FPS", value_parser = fps)]
    fps: Option<FrameRate>,
    /// Multiply every length [above 0, default 1]; the unit stays, so the character grows
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    scale: Option<f64>,
    /// Convert lengths to a unit: m, cm, mm, in, ft, cmu (1/0.45 in) or metres per unit [default: that of the
    /// input]; the character keeps its size
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    pub(crate) unit: Option<UnitLength>,
    /// Turn the axes so that this one points up: X, Y, Z, -X, -Y or -Z [default: that of the input]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    pub(crate) up: Option<SignedAxis>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    output: String,
    format: &'static str,
    frames: usize,
    fps: Option<f64>,
    joints: usize,
    /// Whether every value of the input was kept as it was.
    unchanged: bool,
    input_bytes: u64,
    bytes: u64,
    warnings: &'a [Diagnostic],
}

/// Runs the command.
pub(crate) fn run(args: &Args, global: &Global, console: &mut Console) -> Result<Exit, Diagnostic> {
    let format = output_format(args)?;
    if global.json && args.outputs.to_stdout() {
        return Err(Diagnostic::stdout_twice());
    }
    if let (Format::Amc | Format::Asf, Some(flag)) = (format, args.edits.of_space()) {
        return Err(Diagnostic::new("usage::format", format!("{flag} has no effect on {format} files"))
            .help("they have Y up, and the unit of the CMU database (1/0.45 in) where it is known"));
    }
    let inputs = batch::expand(&args.inputs, batch::ANY_MOTIONS)?;
    let derive = |input: &Input| Ok(encode::renamed(&input.relative, format));
    let names = Names {
        derive: &derive,
        beside: &|path: &Path| encode::beside(path, format).into_iter().collect(),
        reads: Reads::new(&args.reading, Some(&args.inputs.selection)),
    };
    let jobs = batch::plan(inputs, &args.outputs, &names)?;
    let options = RunOptions::new(&args.inputs.selection, Some(&args.outputs));
    Ok(batch::run(console, global, options, &jobs, |job| convert(job, args, format)))
}

/// The format that `--to` or the name of the output asks for.
fn output_format(args: &Args) -> Result<Format, Diagnostic> {
    encode::asked_format(args.to, args.outputs.output.as_deref())?.ok_or_else(|| {
        let names = encode::names(Format::is_writable);
        Diagnostic::new("usage::format", "nothing says which format to write")
            .help(format!("state it with --to, one of {names}, or by the extension of -o"))
    })
}

/// What became of one input.
struct Converted {
    encoded: Encoded,
    frames: usize,
    fps: Option<f64>,
    joints: usize,
    unchanged: bool,
    warnings: Vec<Diagnostic>,
}

fn convert(job: &Job, args: &Args, format: Format) -> Result<Report, Failure> {
    let loaded = read::load(&job.input, &args.reading)?;
    let input_bytes = loaded.size();
    let done = match loaded.format == format.into() && args.changes_nothing(format) {
        true => keep(loaded, args)?,
        false => change(loaded, args, format)?,
    };
    let (bytes, output) = encode::deliver(&done.encoded, job)?;
    let path = job.input.shown();
    let Converted { encoded, frames, fps, joints, unchanged, mut warnings } = done;
    warnings.extend(encoded.warnings);
    let rate = fps.map_or(String::new(), |fps| format!(" at {} fps", short(fps)));
    let motion = match format.has_motion() {
        true => format!("{frames} frames{rate}"),
        false => "the skeleton without motion".into(),
    };
    let text = format!("{path} -> {output}: {motion}, {joints} joints");
    let tally = Tally { frames, bytes_in: input_bytes, bytes_out: bytes };
    let format = format.extension();
    let row =
        Row { path, output, format, frames, fps, joints, unchanged, input_bytes, bytes, warnings: &warnings };
    Ok(Report { json: json(&row), text, warnings, tally, ..Report::default() })
}

/// The document written back as it is.
fn keep(loaded: Loaded, args: &Args) -> Result<Converted, Failure> {
    // What the file means is looked at all the same: a broken motion is not passed on.
    let (facts, warnings) = facts::of(&loaded, &args.reading)?;
    let Facts { frames, fps, joints, .. } = facts;
    let document = loaded.into_document().expect("only a compressed clip has no document");
    let encoded = document.write().into();
    Ok(Converted { encoded, frames, fps, joints, unchanged: true, warnings })
}

/// A skeleton from a file without motion, in another format of skeletons.
fn skeleton_alone(loaded: Loaded, args: &Args, format: Format) -> Result<Converted, Failure> {
    if args.edits() != Edits::default() {
        let message = "a skeleton without motion can be converted, and not edited";
        return Err(Diagnostic::new("usage::edit", message).help("leave out the edits").into());
    }
    let (skeleton, warnings) = loaded.into_skeleton(&args.reading)?;
    let joints = skeleton.joints().iter().filter(|joint| !joint.end_site).count();
    match encode::skeleton(&skeleton, format) {
        Ok(encoded) => Ok(Converted { encoded, frames: 0, fps: None, joints, unchanged: false, warnings }),
        Err(error) => Err(Failure { error, warnings }),
    }
}

fn change(loaded: Loaded, args: &Args, format: Format) -> Result<Converted, Failure> {
    if !format.has_motion() && !loaded.format.has_motion() {
        return skeleton_alone(loaded, args, format);
    }
    let reading = Reading { rest_frame_dropped: args.edits.drop_first_frame, ..args.reading.clone() };
    let Motion { clip, mut warnings, .. } = loaded.into_motion(&reading)?;
    let edited = args.edits().apply(clip, &mut warnings).and_then(|clip| {
        let skeleton = clip.skeleton();
        let joints = skeleton.joints().iter().filter(|joint| !joint.end_site).count();
        // A skeleton is what is left of a motion in a format that has none.
        let (frames, fps) = match format.has_motion() {
            true => (clip.frames(), Some(clip.rate().fps())),
            false => (0, None),
        };
        let encoded =
            encode::clip(clip, format, EncodeOptions { euler: args.euler, ..EncodeOptions::default() })?;
        Ok((encoded, frames, fps, joints))
    });
    match edited {
        Ok((encoded, frames, fps, joints)) => {
            Ok(Converted { encoded, frames, fps, joints, unchanged: false, warnings })
        }
        Err(error) => Err(Failure { error, warnings }),
    }
}

impl EditArgs {
    /// The flag that asks for another unit or axes.
    pub(crate) fn of_space(&self) -> Option<&'static str> {
        self.unit.map(|_| "--unit").or(self.up.map(|_| "--up"))
    }
}

impl From<&EditArgs> for Edits {
    fn from(edits: &EditArgs) -> Edits {
        let EditArgs { drop_first_frame, trim, fps, scale, unit, up } = *edits;
        Edits { drop_first_frame, trim, fps, scale, unit, up }
    }
}

impl Args {
    fn edits(&self) -> Edits {
        Edits::from(&self.edits)
    }

    /// Whether no flag asks for other values than those of the input.
    fn changes_nothing(&self, format: Format) -> bool {
        let reading = &self.reading;
        // A BVH has no place for its unit and axes: what is stated about them changes nothing in it.
        let space = reading.input_unit.is_some()
            || reading.input_up.is_some()
            || !matches!(reading.asf_units, AsfUnitsArg::Auto);
        self.edits() == Edits::default()
            && self.euler.is_none()
            && reading.input_fps.is_none()
            && reading.position_channels == PositionChannelsArg::Auto
            && !reading.repair
            && (format == Format::Bvh || !space)
    }
}
