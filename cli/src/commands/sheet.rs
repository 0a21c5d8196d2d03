//! `mocap sheet`: poses of motions side by side.

use std::sync::atomic::{AtomicBool, Ordering};

use mocap_model::Body;
use mocap_report::sheet::{Page, SheetInput, SheetOptions, pages};

use super::picture::{self, Drawn};
use crate::args::{ImageFormat, Invocation, SheetArgs as Args, extension};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run(args: &Args, invocation: &Invocation, console: &mut Console) -> Result<Exit, Diagnostic> {
    let format = picture::format(args.to, &args.pictures, ImageFormat::Svg)?;
    let options = args.options();
    // Stdout takes one page.
    let height = if args.pictures.outputs.to_stdout() { f32::INFINITY } else { args.page_height() };
    let shrinks = AtomicBool::new(false);
    let write = |page: &Page| match format {
        ImageFormat::Svg => page.svg().into_bytes(),
        ImageFormat::Png => {
            shrinks.fetch_or(page.shrinks(), Ordering::Relaxed);
            page.png()
        }
    };
    let exit =
        picture::run_pages(&args.pictures, &extension(&format), (invocation, &mut *console), |drawn| {
            let bodies = picture::bodies(drawn, &args.bodies);
            Ok(sheet(drawn, &bodies, height, &options)?.iter().map(write).collect())
        })?;
    if shrinks.into_inner() {
        console.note("a PNG has at most 16000 pixels a side: the sheet is drawn smaller; a lower --page-height or an .svg keeps its size");
    }
    Ok(exit)
}

fn sheet(
    drawn: &[Drawn],
    bodies: &[Option<Body>],
    height: f32,
    options: &SheetOptions,
) -> Result<Vec<Page>, Diagnostic> {
    let inputs: Vec<SheetInput<'_>> = drawn
        .iter()
        .zip(bodies)
        .map(|(drawn, body)| SheetInput { body: body.as_ref(), ..SheetInput::new(&drawn.name, &drawn.clip) })
        .collect();
    let checked = options.check_moments(&inputs);
    checked.map_err(|error| Diagnostic::new("sheet::no-pose", format!("--at: {error}")))?;
    Ok(pages(&inputs, height, options))
}
