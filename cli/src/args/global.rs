//! Flags of every command.

use std::path::PathBuf;

use clap::{Args, Parser, ValueEnum};

use super::Invocation;

/// Flags of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output of messages")]
pub(crate) struct Global {
    /// Print one JSON object a line on stdout: one an input, in the order of the inputs, errors too
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Leave out warnings and notes; errors stay
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Colour messages
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorWhen,
    /// Show progress on stderr: a bar on a terminal, elsewhere a line every ten seconds
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: ProgressWhen,
    /// Read defaults of options from this file [default: mocap.toml in the current directory, or in the nearest
    /// one above it]; none reads no file
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print the options in force and where each comes from (flag, MOCAP_* variable, file, default), and do nothing
    #[arg(long, global = true)]
    pub(crate) print_config: bool,
    /// The command and those of its options that outputs depend on.
    #[arg(skip)]
    pub(crate) invocation: Invocation,
}

impl Default for Global {
    /// As where no flag is given.
    fn default() -> Global {
        #[derive(Parser)]
        struct Only {
            #[command(flatten)]
            global: Global,
        }
        Only::parse_from(["mocap"]).global
    }
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

/// When to show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressWhen {
    /// On a terminal, for more than one input or a long one
    Auto,
    Always,
    Never,
}
