//! Flags of every command.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

use super::Invocation;

/// Flags of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Messages and settings")]
pub struct Global {
    /// JSON Lines on stdout: one object per input, in input order, errors included
    #[arg(long, global = true)]
    pub json: bool,
    /// Suppress warnings and notes; -qq: also results. Errors are still printed
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub quiet: u8,
    /// Print the full report of each of many inputs, not one line
    #[arg(long, global = true)]
    pub blocks: bool,
    /// Colour of messages: auto, always or never [default: auto]
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub color: ColorWhen,
    /// Progress on stderr: auto, always or never [default: auto]
    ///
    /// A bar on a terminal, elsewhere a line every ten seconds.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub progress: ProgressWhen,
    /// File with defaults [default: the nearest mocap.toml]; none: no file
    ///
    /// mocap.toml is looked for in the current directory and in those above it.
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print all options with their values and sources, and exit
    #[arg(long, global = true)]
    pub print_config: bool,
    /// Print help
    #[arg(short, long, global = true, action = ArgAction::HelpShort)]
    help: Option<bool>,
    /// The command and those of its options that outputs depend on.
    #[arg(skip)]
    pub invocation: Invocation,
}

impl Default for Global {
    fn default() -> Global {
        super::defaults()
    }
}

/// When to colour.
#[allow(missing_docs, reason = "help shows what is said of a word")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

/// When to show progress.
#[allow(missing_docs, reason = "help shows what is said of a word")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressWhen {
    /// On a terminal, for more than one input or a long one
    Auto,
    Always,
    Never,
}
