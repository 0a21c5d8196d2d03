//! Flags of every command.

use clap::{Args, ValueEnum};

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
    /// The command and those of its options that outputs depend on.
    #[arg(skip)]
    pub(crate) invocation: Invocation,
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
    /// On a terminal, for more than one input
    Auto,
    Always,
    Never,
}
