//! `mocap generate`: what goes with an installation, made from the definition of the command line itself.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args as ClapArgs, Subcommand};
use clap_complete::Shell;

use crate::args::Cli;
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::schemas;

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
    /// JSON Schemas of all JSON and TOML that is read or written: one on stdout, or all into a directory
    Schema {
        /// The kind of file, or the command whose lines of --json are meant
        #[arg(value_name = "KIND", default_value = "skel", value_parser = schema_names())]
        kind: String,
        /// Directory for skel.schema.json, run.schema.json and so on; existing ones are replaced
        #[arg(short, long, value_name = "DIR", conflicts_with = "kind")]
        output: Option<PathBuf>,
    },
}

/// The names of all schemas.
fn schema_names() -> PossibleValuesParser {
    let value = |named: &schemas::Named| PossibleValue::new(named.name).help(named.about);
    PossibleValuesParser::new(schemas::ALL.iter().map(value))
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
        What::Schema { output: None, kind } => {
            let named = schemas::ALL.iter().find(|named| named.name == kind);
            console.stdout(named.expect("the name was checked").text().as_bytes());
        }
        What::Schema { output: Some(folder), .. } => {
            for named in schemas::ALL {
                let path = folder.join(format!("{}.schema.json", named.name));
                mocap_batch::write_file(&path, true, &|out| out.write_all(named.text().as_bytes()))?;
            }
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
