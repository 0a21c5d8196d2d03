//! `mocap generate`: what goes with an installation, made from the definition of the command line itself.

mod graphs;
mod schemas;
mod settings;

use crate::args::{GenerateArgs as Args, GenerateWhat as What, SCHEMAS};
use crate::config;
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run(args: &Args, console: &mut Console) -> Result<Exit, Diagnostic> {
    let mut definition = config::definition();
    match &args.what {
        What::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut definition, "mocap", &mut script);
            console.stdout(&script);
        }
        What::Schema { output: None, kind } => {
            let named = SCHEMAS.iter().find(|(name, _)| name == kind);
            let (name, about) = named.expect("the name was checked");
            console.stdout(schemas::text(name, about).as_bytes());
        }
        What::Schema { output: Some(folder), .. } => {
            for (name, about) in SCHEMAS {
                let path = folder.join(format!("{name}.schema.json"));
                let text = schemas::text(name, about);
                mocap_batch::write_file(&path, true, &|out| out.write_all(text.as_bytes()))?;
            }
        }
        What::Man { output: None } => {
            let mut page = Vec::new();
            let made = clap_mangen::Man::new(definition).render(&mut page);
            made.map_err(|error| Diagnostic::new("io::error", format!("cannot make a man page: {error}")))?;
            console.stdout(&page);
        }
        What::Man { output: Some(folder) } => {
            // `help` has no man page: each command has one.
            let definition = definition.mut_subcommand("help", |help| help.hide(true));
            let written =
                std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(definition, folder));
            written.map_err(|error| Diagnostic::io("write man pages to", folder, &error))?;
        }
    }
    Ok(Exit::Success)
}
