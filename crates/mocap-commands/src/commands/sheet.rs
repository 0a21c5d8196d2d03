//! `mocap sheet`: poses of motions side by side.

use std::sync::atomic::{AtomicBool, Ordering};

use mocap_report::sheet::{Page, SheetInput, SheetOptions, pages};

use super::picture::{self, Drawn};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{BodyArgs, ImageFormat, Invocation, SheetArgs as Args, WeightArgs, extension};
use crate::output::Output;
use crate::verb::VerbArgs;

impl VerbArgs for Args {
    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, invocation, console)
    }
}

/// Runs the command.
fn run(args: &Args, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    let format = picture::format(args.to, &args.pictures, ImageFormat::Svg)?;
    let options = args.options();
    // Stdout takes one page only.
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
            Ok(sheet(drawn, (&args.bodies, &args.shown), height, &options)?.iter().map(write).collect())
        })?;
    if shrinks.into_inner() {
        console.note("a PNG has at most 16000 pixels a side: the sheet is drawn smaller; a lower --page-height or an .svg keeps its size");
    }
    Ok(exit)
}

fn sheet(
    drawn: &[Drawn],
    (bodies, shown): (&BodyArgs, &WeightArgs),
    height: f32,
    options: &SheetOptions,
) -> Result<Vec<Page>, Diagnostic> {
    drawn.iter().try_for_each(|drawn| drawn.check_seen(bodies))?;
    drawn.iter().try_for_each(|drawn| drawn.check_weights(bodies, shown))?;
    let titles: Vec<String> = drawn.iter().map(|drawn| drawn.title(shown)).collect();
    let inputs: Vec<SheetInput<'_>> = drawn
        .iter()
        .zip(&titles)
        .map(|(drawn, title)| SheetInput { body: drawn.body(bodies), ..SheetInput::new(title, &drawn.clip) })
        .collect();
    let checked = options.check_moments(&inputs);
    checked.map_err(|error| Diagnostic::new("sheet::no-pose", format!("--at: {error}")))?;
    Ok(pages(&inputs, height, options))
}
