//! `mocap generate`: man pages, completions and schemas, made from the definition of the command line.

mod args;

use std::io::{self, Write};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, Command, ValueHint};
use mocap::{FileFormat, Format};
use mocap_commands::{Diagnostic, Exit, Output, schemas};
use mocap_compress::Profile;

pub(crate) use args::Args;
use args::What;

/// The definition with hints for completion: keywords for options with a fixed list, paths only for options
/// that take files.
fn completed(command: Command) -> Command {
    let words = |argument: &Arg| -> Option<Vec<&'static str>> {
        Some(match argument.get_id().as_str() {
            "to" => {
                Format::ALL.into_iter().filter(|format| format.is_writable()).map(Format::extension).collect()
            }
            "from" => FileFormat::all()
                .filter(|format| format.readable().is_ok())
                .map(FileFormat::extension)
                .collect(),
            "profile" => Profile::ALL.map(Profile::name).into(),
            "add-space" => vec!["local", "mesh"],
            "mirror" => vec!["rotations", "retarget"],
            _ => return None,
        })
    };
    let of_option = |argument: Arg| match argument.get_possible_values().is_empty() {
        true => match words(&argument) {
            Some(words) => argument.value_parser(PossibleValuesParser::new(words)),
            None if argument.get_value_hint() == ValueHint::AnyPath => argument,
            None => argument.value_hint(ValueHint::Other),
        },
        false => argument,
    };
    let takes = |argument: &Arg| argument.get_long().is_some() && argument.get_action().takes_values();
    command
        .mut_args(|argument| if takes(&argument) { of_option(argument) } else { argument })
        .mut_subcommands(completed)
}

impl Args {
    /// Adds the kinds of schemas to the definition of its flags.
    pub(crate) fn defined(command: Command) -> Command {
        let names = schemas::all().map(|(name, about)| PossibleValue::new(name).help(about));
        let names = PossibleValuesParser::new(names);
        command.mut_subcommand("schema", |schema| schema.mut_arg("kind", |kind| kind.value_parser(names)))
    }

    /// Generates what is requested from the definition of the command line, and writes it.
    pub(crate) fn run(&self, definition: Command, output: &mut dyn Output) -> Result<Exit, Diagnostic> {
        let bytes = made(self, definition)?;
        let mut stdout = io::stdout().lock();
        match stdout.write_all(&bytes).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                output.error(None, &Diagnostic::new("io::error", format!("cannot write to stdout: {error}")));
                Ok(Exit::ClipFailed)
            }
            _ => Ok(Exit::Success),
        }
    }
}

/// Bytes for stdout; none if files are written.
fn made(args: &Args, definition: Command) -> Result<Vec<u8>, Diagnostic> {
    match &args.what {
        What::Completions { shell } => {
            let mut definition = completed(definition);
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut definition, "mocap", &mut script);
            return Ok(script);
        }
        What::Schema { output: None, kind } => {
            let named = schemas::all().find(|(name, _)| name == kind);
            let (name, about) = named.expect("the name was checked");
            return Ok(schemas::text(name, about, &definition).into_bytes());
        }
        What::Schema { output: Some(folder), .. } => {
            for (name, about) in schemas::all() {
                let path = folder.join(format!("{name}.schema.json"));
                let text = schemas::text(name, about, &definition);
                mocap_batch::write_file(&path, true, &|out| out.write_all(text.as_bytes()))?;
            }
        }
        What::Man { output: None } => {
            let mut page = Vec::new();
            let made = clap_mangen::Man::new(definition).render(&mut page);
            made.map_err(|error| Diagnostic::new("io::error", format!("cannot make a man page: {error}")))?;
            return Ok(page);
        }
        What::Man { output: Some(folder) } => {
            // `help` has no man page: each command has one.
            let definition = definition.mut_subcommand("help", |help| help.hide(true));
            let written =
                std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(definition, folder));
            written.map_err(|error| Diagnostic::io("write man pages to", folder, &error))?;
        }
    }
    Ok(Vec::new())
}
