//! `mocap generate`: what goes with an installation, made from the definition of the command line itself.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::args::Cli;
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Write man pages, shell completions and schemas
#[derive(Debug, ClapArgs)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

/// What is generated.
#[derive(Debug, Subcommand)]
enum What {
    /// Man pages: mocap(1) on stdout, or those of all commands into a directory
    Man {
        /// Directory for mocap.1, mocap-info.1 and so on; existing ones are replaced
        #[arg(short, long, value_name = "DIR")]
        output: Option<PathBuf>,
    },
    /// A completion script for a shell, on stdout
    Completions {
        /// The shell
        shell: Shell,
    },
    /// The JSON Schema of a kind of file, on stdout
    Schema {
        /// The kind of file
        #[arg(value_name = "KIND", default_value = "skel")]
        kind: SchemaArg,
    },
}

/// Files that people write.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SchemaArg {
    /// Skeletons (.skel)
    Skel,
    /// Joint maps of retarget --map
    Map,
}

/// Runs the command.
pub(crate) fn run(args: &Args, console: &mut Console) -> Result<Exit, Diagnostic> {
    let mut definition = Cli::definition();
    match &args.what {
        What::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut definition, "mocap", &mut script);
            console.stdout(&script);
        }
        What::Schema { kind } => {
            let schema = match kind {
                SchemaArg::Skel => mocap_formats::skel::json_schema(),
                SchemaArg::Map => mocap_formats::map::json_schema(),
            };
            console.stdout(schema.as_bytes());
        }
        What::Man { output: None } => {
            let mut page = Vec::new();
            let made = clap_mangen::Man::new(definition).render(&mut page);
            made.map_err(|error| Diagnostic::new("io::error", format!("cannot make a man page: {error}")))?;
            console.stdout(&page);
        }
        What::Man { output: Some(folder) } => {
            let written =
                std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(definition, folder));
            written.map_err(|error| Diagnostic::io("write man pages to", folder, &error))?;
        }
    }
    Ok(Exit::Success)
}
