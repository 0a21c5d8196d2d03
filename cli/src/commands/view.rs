//! `mocap view`: motions as a page that plays them.

use clap::Args as ClapArgs;
use mocap_report::view::{ViewInput, ViewOptions, html};

use super::picture::{self, Drawn, Pictures};
use crate::args::{FirstFrame, Invocation, Length, Reading, length};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Write a page that plays motions: one HTML file that needs no network
///
/// Several motions are shown over each other or side by side; each is compared with the first input: by object-space
/// error where the skeletons are the same, else by the distance between joints of the same role or name.
#[derive(Debug, ClapArgs)]
pub(crate) struct Args {
    #[command(flatten)]
    pictures: Pictures,
    /// Longer motions are thinned to every second, third, ... frame until they have no more [frames, 2 to 1000000]
    #[arg(long, value_name = "N", default_value = "6000", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    most_frames: u32,
    /// Distance from the joints of the points that the error is measured on [m, or with a unit, such as 3cm; 0
    /// or more]
    #[arg(long, value_name = "LENGTH", value_parser = length, default_value = "0.03")]
    shell: Length,
    #[command(flatten)]
    first: FirstFrame,
    #[command(flatten)]
    reading: Reading,
}

/// Runs the command.
pub(crate) fn run(args: &Args, invocation: &Invocation, console: &mut Console) -> Result<Exit, Diagnostic> {
    let options = ViewOptions { most_frames: args.most_frames as usize, shell: args.shell.0 };
    let reading = args.first.of(&args.reading);
    picture::run(&args.pictures, &reading, "html", (invocation, console), |drawn| Ok(page(drawn, &options)))
}

fn page(drawn: &[Drawn], options: &ViewOptions) -> Vec<u8> {
    let inputs: Vec<ViewInput<'_>> =
        drawn.iter().map(|drawn| ViewInput { name: &drawn.name, clip: &drawn.clip }).collect();
    html(&inputs, options)
}
