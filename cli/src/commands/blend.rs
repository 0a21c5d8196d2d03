//! `mocap blend`: motions by weight, or by their places in a blend space.

use std::path::{Path, PathBuf};

use mocap_edit::{BlendSpace, EditError, EditReport, SpaceKind, blend, blend_at, speed_and_turn};
use mocap_model::Clip;
use mocap_toml::{Text, TomlError, TomlProblem, find};

use super::several::one_of;
use crate::args::BlendArgs as Args;
use crate::console::Console;
use crate::diagnostic::{Diagnostic, read_toml};
use crate::exit::Exit;

/// The code of mistakes in a blend space.
const SPACE: TomlProblem = TomlProblem::Other("blend::space");

/// Runs the command.
pub(crate) fn run(args: &Args, console: &mut Console) -> Result<Exit, Diagnostic> {
    let options = args.options();
    let weights = args.weights()?;
    let Some(path) = &args.space else {
        return one_of(&args.one, &args.inputs, "blended.bvh", console, |clips| {
            let (clip, report) = blend(clips, &weights, &options)?;
            Ok((clip, vec![report]))
        });
    };
    let file = SpaceFile::of(&read_toml(path)?, path.parent().unwrap_or(Path::new("")))?;
    let place = file.place(&args.params)?;
    let speed = file.params.iter().position(|name| name == "speed");
    one_of(&args.one, &file.paths, "blended.bvh", console, |clips| {
        let space = BlendSpace::new(file.kind, file.samples(clips)?)?;
        let (clip, report) = blend_at(&space, clips, &place, speed, &options)?;
        Ok((clip, vec![at_place(report, &space, &file, &place)]))
    })
}

/// A blend space, as its file says it.
struct SpaceFile {
    kind: SpaceKind,
    params: Vec<String>,
    paths: Vec<PathBuf>,
    /// By clip, then by parameter; `None` is measured.
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

    /// The values that were asked for, in the order of the parameters.
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

    /// The place of each motion; what its clip does not state is measured.
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

/// The report with the weights at the place that was asked for.
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
