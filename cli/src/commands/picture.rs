//! What commands share that draw several motions into one file: motions with roles, one output.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use mocap_model::{Clip, FrameRate, JointTracks};
use mocap_retarget::map_roles_in;
use serde::Serialize;

use crate::args::{Global, Inputs, Reading, Selection};
use crate::batch::{self, Failure, Input, json};
use crate::console::{Console, put_stdout};
use crate::diagnostic::{Detail, Diagnostic};
use crate::exit::Exit;
use crate::{read, write};

/// Where the one result goes.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Writing")]
pub(crate) struct Output {
    /// File to write, or - for stdout [default: named after the first input, in the current directory]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace an output that exists
    #[arg(long)]
    overwrite: bool,
}

/// A motion to be drawn; its joints have roles.
pub(crate) struct Drawn {
    /// What captions call it.
    pub(crate) name: String,
    pub(crate) clip: Clip,
    path: String,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Row<'a> {
    path: &'a str,
    inputs: Vec<&'a str>,
    output: &'a str,
    bytes: u64,
    frames: usize,
}

#[derive(Serialize, schemars::JsonSchema)]
struct ErrorRow<'a> {
    path: &'a str,
    error: &'a Diagnostic,
}

impl Output {
    /// The extension of the output, where one is named.
    pub(crate) fn extension(&self) -> Option<&str> {
        self.output.as_ref()?.extension()?.to_str()
    }

    /// The file to write; `None` for stdout.
    fn place(&self, inputs: &[Input], extension: &str) -> Result<Option<PathBuf>, Diagnostic> {
        let derived = || {
            let name = inputs[0].relative.file_stem().unwrap_or_default();
            let mut name = name.to_owned();
            name.push(".");
            name.push(extension);
            PathBuf::from(name)
        };
        let path = match &self.output {
            Some(path) if path == Path::new("-") => return Ok(None),
            Some(path) if batch::is_directory(path) => path.join(derived()),
            Some(path) => path.clone(),
            None => derived(),
        };
        let same = |input: &Input| {
            let one = input.path().and_then(|input| input.canonicalize().ok());
            one.is_some() && one == path.canonicalize().ok()
        };
        if inputs.iter().any(same) {
            let message = format!("'{}' is an input and would be overwritten", path.display());
            return Err(
                Diagnostic::new("usage::output-is-input", message).help("name another output with -o")
            );
        }
        if !self.overwrite && path.symlink_metadata().is_ok_and(|data| data.is_file() || data.is_symlink()) {
            let message = format!("'{}' exists already", path.display());
            return Err(Diagnostic::new("usage::output-exists", message).help("--overwrite replaces it"));
        }
        Ok(Some(path))
    }
}

/// Reads all inputs, lets `draw` make the bytes of the one output, and writes it.
pub(crate) fn run(
    (inputs, reading, output): (&[PathBuf], &Reading, &Output),
    extension: &str,
    (global, console): (&Global, &mut Console),
    draw: impl FnOnce(&[Drawn]) -> Result<Vec<u8>, Diagnostic>,
) -> Result<Exit, Diagnostic> {
    let named = Inputs { inputs: inputs.to_vec(), selection: Selection::default() };
    let inputs = batch::expand(&named, batch::ALL)?;
    let place = output.place(&inputs, extension)?;
    if place.is_none() && global.json {
        return Err(Diagnostic::stdout_twice());
    }
    let mut drawn = Vec::with_capacity(inputs.len());
    for input in &inputs {
        match motion(input, reading) {
            Ok((clip, warnings)) => {
                console.warnings(&input.shown(), &warnings, Detail::Line);
                drawn.push(Drawn { name: input.relative.display().to_string(), clip, path: input.shown() });
            }
            Err(Failure { error, warnings }) => {
                console.warnings(&input.shown(), &warnings, Detail::Line);
                return Ok(fail(&input.shown(), &error, global, console));
            }
        }
    }
    let bytes = match draw(&drawn) {
        Ok(bytes) => bytes,
        Err(error) => return Ok(fail(&drawn[0].path, &error, global, console)),
    };
    let Some(path) = place else {
        put_stdout(&|out| out.write_all(&bytes))?;
        return Ok(Exit::Success);
    };
    if let Err(error) = write::atomically(&path, output.overwrite, &|out| out.write_all(&bytes)) {
        return Ok(fail(&drawn[0].path, &error, global, console));
    }
    let shown = path.display().to_string();
    let row = Row {
        path: &drawn[0].path,
        inputs: drawn.iter().map(|drawn| drawn.path.as_str()).collect(),
        output: &shown,
        bytes: bytes.len() as u64,
        frames: drawn.iter().map(|drawn| drawn.clip.frames()).sum(),
    };
    let more = if drawn.len() > 1 { format!(" and {} more", drawn.len() - 1) } else { String::new() };
    let text = format!("{}{more} -> {shown} ({} kB)", row.path, (row.bytes as f64 / 1000.0).ceil());
    console.row(global, &json(&row), &text);
    Ok(Exit::Success)
}

fn fail(path: &str, error: &Diagnostic, global: &Global, console: &mut Console) -> Exit {
    if global.json {
        console.row(global, &json(&ErrorRow { path, error }), "");
    }
    console.error(Some(path), error);
    Exit::ClipFailed
}

/// A motion, or a skeleton at rest, with the roles that its names and its tree give away.
fn motion(input: &Input, reading: &Reading) -> Result<(Clip, Vec<Diagnostic>), Failure> {
    let loaded = read::load(input, reading)?;
    let (clip, warnings) = if loaded.format.has_motion() {
        let motion = loaded.into_motion(reading)?;
        (motion.clip, motion.warnings)
    } else {
        let (skeleton, warnings) = loaded.into_skeleton(reading)?;
        let tracks = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        let rate = FrameRate::new(30.0).expect("30 is a rate");
        (Clip::new(skeleton.into(), rate, 0, tracks).expect("a rest pose is a clip of no frames"), warnings)
    };
    Ok((with_roles(clip), warnings))
}

/// The clip with the roles of its joints.
pub(crate) fn with_roles(clip: Clip) -> Clip {
    let skeleton = map_roles_in(&clip).certain().apply(clip.skeleton());
    clip.with_skeleton(skeleton.into()).expect("the skeleton has as many joints as before")
}
