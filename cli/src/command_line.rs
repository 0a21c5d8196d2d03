//! The whole command line: the verbs, and the flags that all of them have.

use clap::{CommandFactory, Parser};

use crate::args::Global;
use crate::commands::Verb;

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
    pub(crate) command: Verb,
    #[command(flatten)]
    pub(crate) global: Global,
}

impl Cli {
    /// All commands and flags.
    pub(crate) fn definition() -> clap::Command {
        Verb::defined(Cli::command())
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
