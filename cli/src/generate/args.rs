//! `mocap generate`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use clap_complete::Shell;

/// Write man pages, shell completions and schemas
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap generate man -o man/\n\
    \x20 mocap generate completions bash > mocap.bash\n\
    \x20 mocap generate schema pipeline > pipeline.schema.json")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) what: What,
}

/// What is generated.
#[derive(Debug, Subcommand)]
pub(crate) enum What {
    /// Man pages: mocap(1) on stdout, or those of all commands into a directory
    Man {
        /// Directory for mocap.1, mocap-info.1 and so on; existing ones are replaced
        #[arg(short, long, value_name = "DIR", help_heading = "Generation")]
        output: Option<PathBuf>,
    },
    /// Completion script for a shell, on stdout
    Completions {
        /// Shell
        shell: Shell,
    },
    /// JSON Schemas of all JSON and TOML that is read or written: one on stdout, or all into a directory
    Schema {
        /// Kind of file, or command whose lines of --json are described
        #[arg(value_name = "KIND", default_value = "skel")]
        kind: String,
        /// Directory for skel.schema.json, run.schema.json and so on; existing ones are replaced
        #[arg(short, long, value_name = "DIR", conflicts_with = "kind", help_heading = "Generation")]
        output: Option<PathBuf>,
    },
}
