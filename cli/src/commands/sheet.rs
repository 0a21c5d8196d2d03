//! `mocap sheet`: poses of motions side by side.

use mocap_report::sheet::{Moment, SheetInput, SheetOptions, png, svg};

use super::picture::{self, Drawn};
use crate::args::{ImageFormat, Invocation, SheetArgs as Args};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run(args: &Args, invocation: &Invocation, console: &mut Console) -> Result<Exit, Diagnostic> {
    let format = picture::format(args.to, &args.pictures)?;
    let options = args.options();
    picture::run(&args.pictures, format.extension(), (invocation, console), |drawn| {
        sheet(drawn, &options, format)
    })
}

fn sheet(drawn: &[Drawn], options: &SheetOptions, format: ImageFormat) -> Result<Vec<u8>, Diagnostic> {
    let inside = |drawn: &Drawn| options.at.iter().any(|moment| moment.frame_in(&drawn.clip).is_some());
    if !options.at.is_empty()
        && let Some(outside) = drawn.iter().find(|drawn| !inside(drawn))
    {
        let (frames, seconds) = (outside.clip.frames(), outside.clip.duration());
        let message = format!(
            "none of the moments of --at lies in '{}': it has {frames} frames, {seconds:.2} s",
            outside.name
        );
        return Err(Diagnostic::new("sheet::no-pose", message));
    }
    let nowhere = |moment: &&Moment| drawn.iter().all(|drawn| moment.frame_in(&drawn.clip).is_none());
    if let Some(moment) = options.at.iter().find(nowhere) {
        let moment = match moment {
            Moment::Frame(frame) => format!("frame {frame}"),
            Moment::Seconds(seconds) => format!("{seconds} s"),
        };
        let longest = drawn.iter().max_by(|a, b| a.clip.duration().total_cmp(&b.clip.duration()));
        let (frames, seconds) =
            longest.map_or((0, 0.0), |drawn| (drawn.clip.frames(), drawn.clip.duration()));
        let message =
            format!("--at: {moment} lies behind the end: there are {frames} frames, {seconds:.2} s");
        return Err(Diagnostic::new("sheet::no-pose", message));
    }
    let inputs: Vec<SheetInput<'_>> =
        drawn.iter().map(|drawn| SheetInput { name: &drawn.name, clip: &drawn.clip }).collect();
    Ok(match format {
        ImageFormat::Svg => svg(&inputs, options).into_bytes(),
        ImageFormat::Png => png(&inputs, options),
    })
}
