//! `mocap sheet`: poses of motions side by side.

use mocap_report::sheet::{SheetInput, SheetOptions, png, svg};

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
    let inputs: Vec<SheetInput<'_>> =
        drawn.iter().map(|drawn| SheetInput { name: &drawn.name, clip: &drawn.clip }).collect();
    let checked = options.check_moments(&inputs);
    checked.map_err(|error| Diagnostic::new("sheet::no-pose", format!("--at: {error}")))?;
    Ok(match format {
        ImageFormat::Svg => svg(&inputs, options).into_bytes(),
        ImageFormat::Png => png(&inputs, options),
    })
}
