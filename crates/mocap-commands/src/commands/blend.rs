//! `mocap blend`: motions by weight, or by their places in a blend space.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use mocap_edit::{
    BlendOptions, BlendSpace, EditError, EditReport, SpaceKind, Timing, blend, blend_at, speed_and_turn,
};
use mocap_model::Clip;
use mocap_toml::{Text, TomlError, TomlProblem, find};

use super::several::{Made, one_of, only_clips};
use crate::diagnostic::{Diagnostic, read_toml};
use crate::exit::Exit;
use crate::options::Invocation;
use crate::options::seconds::seconds;
use crate::options::several::OneOutput;
use crate::output::Output;
use crate::verb::VerbArgs;

/// Blend motions of one skeleton by weight, with synchronised strides and locked feet
///
/// Foot strikes mark the strides. The poses and the velocities of the root are blended, so a blend of a walk and a
/// run travels at a speed between theirs. A motion with fewer strides than the longest repeats its best cycle.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap blend walk.bvh run.bvh --weights 0.4 -o jog.bvh\n\
    \x20 mocap blend --space locomotion.toml --param speed=2.1 --duration 6s -o jog.bvh\n\
    \x20 mocap blend tired.bvh neutral.bvh happy.bvh --weights 1,2,1 -o mixed.bvh\n\
    \x20 mocap blend wave.bvh greet.bvh --timing stretch -o between.bvh")]
pub(crate) struct Args {
    /// Motions, in their order
    #[arg(value_name = "IN", required_unless_present = "space", num_args = 2..)]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) one: OneOutput,
    /// Weight of the second of two motions [0 to 1], or one weight for each motion, with commas; weights are normalised
    /// [default: equal weights]
    #[arg(
        long = "weights",
        value_name = "WEIGHTS",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Blend"
    )]
    weight: Vec<f64>,
    /// Blend space: a TOML file with kind = '1d', '2d', 'gradient' or 'polar', params = ['speed', 'turn'], and a
    /// [[clip]] with path and values for each motion; speed [m/s] and turn [deg/s] are measured where a clip states none
    #[arg(long, value_name = "FILE", conflicts_with_all = ["inputs", "weight"], help_heading = "Blend")]
    pub(crate) space: Option<PathBuf>,
    /// Value of a parameter of the blend space; repeatable. A speed is met within 2 % where the motions reach it
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = param, allow_negative_numbers = true, requires = "space", help_heading = "Blend")]
    pub(crate) params: Vec<(String, f64)>,
    /// Length of the blend, such as 6s: cycles are repeated to fill it [s, above 0; default: as long as the
    /// motion with the most strides]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Blend")]
    duration: Option<f64>,
    /// How frames are paired. phase: by foot strikes; registration: by time warping, poses that are alike belong
    /// together; stretch: from start to end; seconds: by the time since the start [default: phase]
    #[arg(long, value_name = "HOW", help_heading = "Blend")]
    timing: Option<Timing>,
    /// Do not repeat motions: the blend ends with the motion that has the fewest strides
    #[arg(long, help_heading = "Blend")]
    no_repeat: bool,
    /// Do not lock feet
    #[arg(long, help_heading = "Blend")]
    no_lock: bool,
}

impl Args {
    /// One weight for each motion.
    ///
    /// # Errors
    /// Where one weight of two motions is not from 0 to 1.
    pub(crate) fn weights(&self) -> Result<Vec<f64>, Diagnostic> {
        match (self.weight.as_slice(), self.inputs.len()) {
            ([], motions) => Ok(vec![1.0; motions]),
            ([weight], 2) if (0.0..=1.0).contains(weight) => Ok(vec![1.0 - weight, *weight]),
            ([weight], 2) => {
                let message = format!("--weights {weight}: the weight of the second motion must be 0 to 1");
                Err(Diagnostic::new("usage::weight", message).help(
                    "--weights 1,2 gives each motion a weight; `mocap fourier --style-gain` exaggerates a style",
                ))
            }
            (weights, _) => Ok(weights.to_vec()),
        }
    }

    /// The options of the library.
    pub(crate) fn options(&self) -> BlendOptions {
        BlendOptions {
            timing: self.timing.unwrap_or_default(),
            repeat: !self.no_repeat,
            lock_feet: !self.no_lock,
            duration: self.duration,
        }
    }
}

fn param(text: &str) -> Result<(String, f64), String> {
    let wrong = || "a parameter is NAME=VALUE, such as speed=2.1".to_owned();
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let value: f64 = value.trim().parse().map_err(|_| wrong())?;
    if value.is_finite() { Ok((name.trim().to_owned(), value)) } else { Err(wrong()) }
}

/// Code of errors in a blend space file.
const SPACE: TomlProblem = TomlProblem::Other("blend::space");

impl VerbArgs for Args {
    fn run(self, _: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, console)
    }
}

/// Runs the command.
fn run(args: &Args, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    let options = args.options();
    let weights = args.weights()?;
    let Some(path) = &args.space else {
        return one_of(&args.one, &args.inputs, "blended.bvh", console, |scenes| {
            let (clip, report) = blend(&only_clips(scenes, "blend")?, &weights, &options)?;
            Ok(Made::of(clip, report))
        });
    };
    let file = SpaceFile::of(&read_toml(path)?, path.parent().unwrap_or(Path::new("")))?;
    let place = file.place(&args.params)?;
    let speed = file.params.iter().position(|name| name == "speed");
    one_of(&args.one, &file.paths, "blended.bvh", console, |scenes| {
        let clips = only_clips(scenes, "blend")?;
        let space = BlendSpace::new(file.kind, file.samples(&clips)?)?;
        let (clip, report) = blend_at(&space, &clips, &place, speed, &options)?;
        Ok(Made::of(clip, at_place(report, &space, &file, &place)))
    })
}

/// A blend space file as written.
struct SpaceFile {
    kind: SpaceKind,
    params: Vec<String>,
    paths: Vec<PathBuf>,
    /// By clip, then by parameter; `None`: measured from the motion.
    values: Vec<Vec<Option<f64>>>,
}

impl SpaceFile {
    fn of(text: &Text, folder: &Path) -> Result<SpaceFile, TomlError> {
        let table = text.parse()?;
        text.check_keys(&table, "a blend space", &["kind", "params", "clip"])?;
        let entry = |key: &str| find(&table, key);
        let missing = |key: &str, example: &str| {
            text.error(SPACE, 0..0, format!("the blend space has no {key}")).help(example.to_owned())
        };
        let kind =
            entry("kind").ok_or_else(|| missing("kind", "kind = '1d', '2d', 'gradient' or 'polar'"))?;
        let kind =
            kind.text(text)?.parse().map_err(|why: String| text.error(SPACE, kind.cell.span.clone(), why))?;
        let params = entry("params").ok_or_else(|| missing("params", "params = ['speed']"))?.texts(text)?;
        let clips = entry("clip")
            .ok_or_else(|| missing("clips", "each motion is a table [[clip]] with path = '...'"))?;
        let (mut paths, mut values) = (Vec::new(), Vec::new());
        for (clip, span) in clips.tables(text)? {
            let keys: Vec<&str> = params.iter().map(String::as_str).chain(["path"]).collect();
            text.check_keys(clip, "a clip of this space", &keys)?;
            let Some(path) = find(clip, "path") else {
                return Err(text.error(SPACE, span, "the clip has no path"));
            };
            paths.push(folder.join(path.text(text)?));
            let value = |name: &String| match find(clip, name) {
                Some(entry) => entry.number(text).map(Some),
                None if MEASURED.contains(&name.as_str()) => Ok(None),
                None => Err(text
                    .error(SPACE, span.clone(), format!("the clip has no {name}"))
                    .help("speed and turn are measured; other parameters are stated")),
            };
            values.push(params.iter().map(value).collect::<Result<_, _>>()?);
        }
        Ok(SpaceFile { kind, params, paths, values })
    }

    /// The requested values, in the order of the parameters.
    fn place(&self, asked: &[(String, f64)]) -> Result<Vec<f64>, Diagnostic> {
        let names = self.params.join(", ");
        if let Some((name, _)) = asked.iter().find(|(name, _)| !self.params.contains(name)) {
            let error = Diagnostic::new("blend::param", format!("the blend space has no parameter '{name}'"));
            return Err(error.help(format!("its parameters are {names}")));
        }
        let value = |name: &String| {
            let found = asked.iter().rev().find(|(asked, _)| asked == name).map(|(_, value)| *value);
            found.ok_or_else(|| {
                Diagnostic::new("blend::param", format!("no value of the parameter '{name}' is given"))
                    .help(format!("--param {name}=VALUE"))
            })
        };
        self.params.iter().map(value).collect()
    }

    /// The position of each motion in the blend space; values that its clip does not state are measured.
    fn samples(&self, clips: &[Clip]) -> Result<Vec<Vec<f64>>, EditError> {
        let sample = |(clip, values): (&Clip, &Vec<Option<f64>>)| {
            let measured = values.iter().any(Option::is_none).then(|| speed_and_turn(clip)).flatten();
            let value = |(name, value): (&String, &Option<f64>)| {
                let own = MEASURED.iter().position(|measured| measured == name);
                let found = value.or_else(|| Some(measured?[own?]));
                found.ok_or(EditError::NoUnit { edit: "blend" })
            };
            self.params.iter().zip(values).map(value).collect()
        };
        clips.iter().zip(&self.values).map(sample).collect()
    }
}

/// Parameters that are measured where a clip does not state them.
const MEASURED: [&str; 2] = ["speed", "turn"];

/// The report, with the weights at the requested position.
fn at_place(report: EditReport, space: &BlendSpace, file: &SpaceFile, place: &[f64]) -> EditReport {
    let weights = space.weights(place);
    let named = file.paths.iter().zip(&weights).filter(|(_, weight)| **weight > 0.0);
    let named: Vec<String> = named
        .map(|(path, weight)| format!("{} {weight:.3}", path.file_name().unwrap_or_default().display()))
        .collect();
    let mut report = report;
    report.notes.push(format!("weights: {}", named.join(", ")));
    report
}
