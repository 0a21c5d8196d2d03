//! The definition of the command line: all verbs, `generate`, `help`, and the flags of every command.

use clap::{CommandFactory, Parser, Subcommand};
use mocap_commands::{Global, Verb};

use crate::generate;

/// A command-line toolchain for motion capture: converts, retargets, edits, compresses, compares and draws motions
/// in BVH, FBX, glTF, Acclaim ASF/AMC, NPZ and other formats; one clip or a whole database
#[derive(Debug, Parser)]
#[command(
    name = "mocap",
    version,
    max_term_width = 100,
    disable_help_subcommand = true,
    disable_help_flag = true,
    after_help = "Topics: mocap help inputs, reading or output explains the options that commands share.\n\
        Exit codes: 0 success, 1 a clip failed, 2 wrong usage, 3 a quality gate failed, 130 interrupted."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
}

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Verb(Box<Verb>),
    Generate(generate::Args),
    /// Show the help of a command, or of the options that commands share: inputs, reading, output
    Help {
        /// Command or topic
        #[arg(value_name = "COMMAND|TOPIC")]
        of: Vec<String>,
    },
}

impl Cli {
    /// All commands and flags.
    pub(crate) fn definition() -> clap::Command {
        let all = Verb::defined(Cli::command());
        all.mut_subcommand("generate", generate::Args::defined)
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
