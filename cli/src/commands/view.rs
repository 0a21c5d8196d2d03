//! `mocap view`: motions as a page that plays them.

use mocap_report::view::{ViewInput, ViewOptions, html};

use super::picture::{self, Drawn};
use crate::args::{Invocation, ViewArgs as Args};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run(args: &Args, invocation: &Invocation, console: &mut Console) -> Result<Exit, Diagnostic> {
    let options = args.options();
    picture::run(&args.pictures, "html", (invocation, console), |drawn| Ok(page(drawn, &options)))
}

fn page(drawn: &[Drawn], options: &ViewOptions) -> Vec<u8> {
    let inputs: Vec<ViewInput<'_>> =
        drawn.iter().map(|drawn| ViewInput { name: &drawn.name, clip: &drawn.clip }).collect();
    html(&inputs, options)
}
