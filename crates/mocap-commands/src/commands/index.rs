//! `mocap index`: a database in few bytes, for searches in milliseconds.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use mocap_batch::write_file;
use mocap_search::index::Index;
use schemars::JsonSchema;
use serde::Serialize;

use super::database::{check_output, interruptible, nothing_left};
use super::indexed::{Refreshed, Source, has_content, open, reading_options, refresh};
use crate::batch::json;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{FirstFrame, Inputs, Invocation, Reading};
use crate::output::Output;
use crate::verb::{ERROR, RowSchema, VerbArgs, of};

/// Make or update an index of a database, in which mocap find searches hours of motion in milliseconds
///
/// An index that exists is updated: only files that are new or have changed are read. Paths in it are those that are
/// given here: run mocap find in the same directory.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap index database/ -o database.index\n\
    \x20 mocap find kick.bvh database.index")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// The index, such as database.index; one that exists is updated
    #[arg(short, long, value_name = "INDEX", required = true, help_heading = "Output")]
    pub(crate) output: PathBuf,
    /// Read all files, and replace what is there, whatever it is
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) first: FirstFrame,
}

/// An index that was made or updated.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Index")]
pub(crate) struct Row {
    path: String,
    /// Clips that can be searched.
    clips: usize,
    /// Clips that cannot be searched: not a moving human body.
    left_out: usize,
    /// Clips that were read: new or changed ones.
    read: usize,
    /// Clips of the index as it was that are not there any more.
    gone: usize,
    /// The duration of all clips [s].
    seconds: f64,
    /// The size of the index.
    bytes: u64,
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] =
        &[RowSchema { name: "index", about: "A line of mocap index --json", rows: &[of::<Row>, ERROR] }];

    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        interruptible(console, |console| run(&self, invocation, console))
    }
}

fn run(args: &Args, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    let output = &args.output;
    let old = match output.exists() && !args.overwrite {
        true => open(output)?,
        false => Index::default(),
    };
    let (reading, selection) = (args.first.of(&args.reading), &args.inputs.selection);
    let options = reading_options(invocation);
    if !old.clips.is_empty() && old.options != options {
        console.note("the index was made with other options of reading: all files are read again");
    }
    let paths = match &selection.files_from {
        // The list of files may change later; the index stores the files themselves.
        Some(_) => super::database::inputs_of(&args.inputs.inputs, selection, &reading)?
            .iter()
            .filter_map(|input| input.path().map(PathBuf::from))
            .collect(),
        None => args.inputs.inputs.clone(),
    };
    let selection = without_list(selection);
    let source = Source { paths: &paths, selection: &selection, reading: &reading, options };
    let Refreshed { index, read, gone, failed, exit, .. } = refresh(old, &source, console, has_content)?;
    let clips = index.motions().count();
    check_output(output, &paths, &selection, &reading)?;
    if clips == 0 {
        return Err(nothing_left(index.clips.len(), failed));
    }
    let bytes = index.to_bytes();
    write_file(output, true, &|out| out.write_all(&bytes))?;
    let row = Row {
        path: output.display().to_string(),
        clips,
        left_out: index.clips.len() - clips,
        read,
        gone,
        seconds: index.duration(),
        bytes: bytes.len() as u64,
    };
    console.row(&json(&row), &row.text());
    Ok(exit)
}

/// The selection without the list of files, whose entries are already in the paths.
fn without_list(selection: &crate::options::Selection) -> crate::options::Selection {
    crate::options::Selection { files_from: None, ..selection.clone() }
}

impl Row {
    fn text(&self) -> String {
        format!(
            "{}: {}, {:.1} min, {} kB; {} read, {} gone, {} left out",
            self.path,
            mocap_batch::counted(self.clips, "clip"),
            self.seconds / 60.0,
            self.bytes.div_ceil(1000),
            self.read,
            self.gone,
            self.left_out
        )
    }
}
