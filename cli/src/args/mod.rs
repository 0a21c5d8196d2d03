//! The arguments as they are typed. Help texts here are the reference of the command line: every number
//! names its unit, range and default.

mod files;
mod global;
mod invocation;
mod misuse;
mod quantity;
mod reading;
mod start;
mod trim;

pub(crate) use files::{Inputs, Outputs, Selection};
pub(crate) use global::{ColorWhen, Global, ProgressWhen};
pub(crate) use invocation::{Invocation, named};
pub(crate) use quantity::{Length, UnitLength, above_zero, factor, fps, length, seconds, unit};
pub(crate) use reading::{AsfUnitsArg, FirstFrame, PositionChannelsArg, Reading};
pub(crate) use start::Start;
pub(crate) use trim::Trim;

use clap::{CommandFactory, Parser, Subcommand};

use crate::{commands, config};

/// A command-line toolchain for motion capture: reads BVH and Acclaim ASF/AMC, says what is in them, converts
/// them, and puts a motion on another skeleton; one clip or a whole database.
#[derive(Debug, Parser)]
#[command(
    name = "mocap",
    version,
    max_term_width = 100,
    after_help = "Exit codes: 0 all right, 1 a clip failed, 2 wrong usage, 3 a quality gate missed, 130 interrupted."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Info(commands::info::Args),
    Validate(commands::validate::Args),
    Convert(commands::convert::Args),
    Compare(commands::compare::Args),
    Compress(commands::compress::Args),
    Decompress(commands::decompress::Args),
    Skel(commands::skel::Args),
    Retarget(commands::retarget::Args),
    View(commands::view::Args),
    Sheet(commands::sheet::Args),
    Plot(commands::plot::Args),
    Run(commands::run::Args),
    Manifest(commands::manifest::Args),
    Generate(commands::generate::Args),
}

impl Cli {
    /// All commands and flags.
    pub(crate) fn definition() -> clap::Command {
        // Where nothing is written, `--unit` can only mean the unit of the inputs.
        let alias =
            |command: clap::Command| command.mut_arg("input_unit", |argument| argument.visible_alias("unit"));
        let definition = ["info", "validate", "compare", "compress", "skel", "view", "sheet", "plot"]
            .into_iter()
            .fold(Cli::command(), |all, name| all.mut_subcommand(name, alias));
        let definition = definition.mut_subcommand("run", |command| {
            command.mut_arg("output", |argument| {
                argument.value_name("DIR").help(
                    "Directory for all outputs; it mirrors the tree of the inputs [default: that of the pipeline]",
                )
            })
        });
        // A preset takes the place of inputs, which no other command has.
        let definition = definition.mut_subcommand("skel", |skel| {
            skel.mut_arg("inputs", |inputs| {
                inputs.required_unless_present_any(["files_from", "preset", "print_config"])
            })
        });
        config::with_environment(definition)
    }
}

impl Default for Reading {
    /// How inputs are read where no flag says otherwise.
    fn default() -> Reading {
        #[derive(Parser)]
        struct Only {
            #[command(flatten)]
            reading: Reading,
        }
        Only::parse_from(["mocap"]).reading
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_do_not_clash() {
        Cli::definition().debug_assert();
    }
}
