//! `mocap render`: films and strobe pictures.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use mocap_edit::OnTerrain;
use mocap_report::render::{RenderInput, RenderOptions, apng, frames, gif, strobe};

use super::picture::{self, Drawn};
use super::video;
use crate::batch;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{FilmFormat, Invocation, RenderArgs as Args};
use crate::output::Output;
use crate::verb::VerbArgs;

impl VerbArgs for Args {
    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, invocation, console)
    }
}

/// Runs the command.
fn run(args: &Args, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    let format = format(args)?;
    if let (Some(start), Some(end)) = (args.start, args.end)
        && end < start
    {
        let message = format!("--start {start} s and --end {end} s: the range ends before it starts");
        return Err(Diagnostic::new("usage::range", message));
    }
    let terrain = picture::terrain(&args.ground)?;
    if format == FilmFormat::Frames {
        return write_frames(args, terrain.as_ref(), console);
    }
    let ffmpeg = (format == FilmFormat::Mp4).then(video::ffmpeg).transpose()?;
    let several = args.strobe.is_some() && !args.pictures.each;
    let largest = AtomicUsize::new(0);
    let exit = picture::run(&args.pictures, format.extension(), (invocation, &mut *console), |drawn| {
        let inputs = inputs(args, drawn)?;
        if several && inputs.len() > 1 {
            let message = "a strobe picture shows one motion";
            return Err(Diagnostic::new("usage::one-input", message).help("--each writes one file per input"));
        }
        let options = RenderOptions { ground: picture::ground(terrain.as_ref(), drawn)?, ..args.options() };
        if let Some(ffmpeg) = &ffmpeg {
            return video::mp4(ffmpeg, &inputs, &options);
        }
        let film = match (args.strobe, format) {
            (Some(poses), _) => Ok(strobe(inputs[0], usize::from(poses), &options)),
            (None, FilmFormat::Apng) => apng(&inputs, &options).map_err(video::too_long),
            (None, _) => gif(&inputs, &options).map_err(video::too_long),
        }?;
        largest.fetch_max(film.len(), Ordering::Relaxed);
        Ok(film)
    })?;
    let largest = largest.into_inner();
    if largest > LARGE {
        let megabytes = largest / 1_000_000;
        console.note(&format!(
            "a film of {megabytes} MB loads slowly: --start and --end choose a part, --picture-rate and --size make it smaller; `mocap view` makes a page of the whole motion"
        ));
    }
    Ok(exit)
}

/// A film with more bytes gets a note about its size.
const LARGE: usize = 20_000_000;

/// The motions to be drawn.
///
/// # Errors
/// If all end before the film starts.
fn inputs<'a>(args: &Args, drawn: &'a [Drawn]) -> Result<Vec<RenderInput<'a>>, Diagnostic> {
    drawn.iter().try_for_each(|drawn| drawn.check_seen(&args.bodies))?;
    let last = drawn.iter().map(|drawn| drawn.clip.duration()).fold(0.0, f64::max);
    match args.start.filter(|start| *start > last) {
        Some(start) => {
            let message = format!("the motion ends at {last:.2} s, before the start at {start} s");
            Err(Diagnostic::new("render::start", message).help("--start is a time within the motion [s]"))
        }
        None => Ok(drawn
            .iter()
            .map(|drawn| RenderInput { clip: &drawn.clip, body: drawn.body(&args.bodies) })
            .collect()),
    }
}

/// The requested format, else by the extension of the output.
fn format(args: &Args) -> Result<FilmFormat, Diagnostic> {
    let output = args.pictures.outputs.output.as_ref().filter(|path| !batch::is_directory(path));
    let extension = output.and_then(|path| path.extension()?.to_str()).map(str::to_ascii_lowercase);
    let format = match (args.to, extension.as_deref()) {
        (Some(format), _) => format,
        (None, None) if args.strobe.is_some() => FilmFormat::Png,
        (None, None | Some("gif")) => FilmFormat::Gif,
        (None, Some("apng")) => FilmFormat::Apng,
        (None, Some("mp4")) => FilmFormat::Mp4,
        (None, Some("png")) => FilmFormat::Png,
        (None, Some(extension)) => {
            let message = format!("'.{extension}' is not a supported film format");
            return Err(Diagnostic::new("usage::format", message)
                .help("name the output .gif, .apng, .mp4 or .png, or state the format with --to"));
        }
    };
    match (format, args.strobe) {
        (FilmFormat::Png, None) => Err(Diagnostic::new("usage::format", "a single PNG cannot hold a film")
            .help("--strobe draws several poses in one picture; --to frames writes a PNG per frame; .apng is animated")),
        (FilmFormat::Gif | FilmFormat::Apng | FilmFormat::Mp4 | FilmFormat::Frames, Some(_)) => {
            Err(Diagnostic::new("usage::format", "--strobe draws one picture").help("name the output .png"))
        }
        (format, _) => Ok(format),
    }
}

/// Writes a PNG per picture into the directory of the output.
fn write_frames(
    args: &Args,
    terrain: Option<&OnTerrain>,
    console: &mut dyn Output,
) -> Result<Exit, Diagnostic> {
    let outputs = &args.pictures.outputs;
    let folder = outputs.output.as_deref().filter(|path| *path != Path::new("-") && !path.is_file());
    let folder = folder.ok_or_else(|| {
        Diagnostic::new("usage::output", "-o names the directory of the frames, such as frames/")
    })?;
    if !outputs.overwrite && folder.join(name(0)).exists() {
        let message = format!("'{}' exists already", folder.join(name(0)).display());
        return Err(Diagnostic::new("usage::output-exists", message).help("--overwrite replaces the frames"));
    }
    picture::together_with(&args.pictures, folder, console, |drawn: &[Drawn]| {
        let inputs = inputs(args, drawn)?;
        let options = RenderOptions { ground: picture::ground(terrain, drawn)?, ..args.options() };
        let (mut count, mut bytes, mut failed) = (0, 0, None);
        frames(&inputs, &options, |file| {
            if failed.is_none() {
                let path = folder.join(name(count));
                match mocap_batch::write_file(&path, outputs.overwrite, &|out| out.write_all(&file)) {
                    Ok(written) => (count, bytes) = (count + 1, bytes + written),
                    Err(error) => failed = Some(error),
                }
            }
        })
        .map_err(video::too_long)?;
        failed.map_or(Ok(bytes), |error| Err(error.into()))
    })
}

fn name(frame: usize) -> String {
    format!("{frame:05}.png")
}
