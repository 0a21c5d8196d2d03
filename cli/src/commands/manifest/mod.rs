//! `mocap manifest`: the records of runs over many clips: shards put together, outputs checked, failures counted.

mod merge;
mod stats;
mod verify;

pub(crate) use merge::Row as MergeRow;
pub(crate) use stats::Row as StatsRow;
pub(crate) use verify::{Row as VerifyRow, Summary as VerifySummary};

use std::path::{Path, PathBuf};

use crate::args::{ManifestArgs as Args, ManifestWhat as What};
use crate::batch::manifest::{Book, default_name};
use crate::console::Console;
use crate::diagnostic::{Detail, Diagnostic};
use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run(args: &Args, console: &mut Console) -> Result<Exit, Diagnostic> {
    match &args.what {
        What::Merge(args) => merge::run(args, console),
        What::Verify(args) => verify::run(args, console),
        What::Stats(args) => stats::run(args, console),
    }
}

/// A manifest and where it was read.
struct Read {
    path: PathBuf,
    book: Book,
}

/// Reads the manifests that arguments name: files, or those in a folder of outputs, of which shards are taken where
/// there are some and `shards_first`, else the one of a whole run.
fn read(named: &[PathBuf], shards_first: bool, console: &Console) -> Result<Vec<Read>, Diagnostic> {
    let mut paths = Vec::new();
    for path in named {
        match path.is_dir() {
            true => paths.extend(in_folder(path, shards_first)?),
            false => paths.push(path.clone()),
        }
    }
    let read = |path: PathBuf| Ok(Read { book: Book::open(&path)?, path });
    let read = paths.into_iter().map(read).collect::<Result<Vec<Read>, Diagnostic>>()?;
    for Read { path, .. } in read.iter().filter(|read| read.book.header.is_none()) {
        let warning = Diagnostic::new("manifest::empty", "the manifest is empty: no clip has been begun");
        console.warnings(&path.display().to_string(), &[warning], Detail::Line);
    }
    Ok(read)
}

fn in_folder(folder: &Path, shards_first: bool) -> Result<Vec<PathBuf>, Diagnostic> {
    let entries = folder.read_dir().map_err(|error| Diagnostic::io("search", folder, &error))?;
    let is_shard = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        let shard = name.and_then(|name| name.strip_prefix(".mocap-manifest.")?.strip_suffix(".jsonl"));
        shard.is_some_and(|shard| shard.contains("-of-"))
    };
    let mut shards: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_shard).collect();
    shards.sort();
    let whole = folder.join(default_name(None));
    match (whole.is_file(), shards.is_empty()) {
        (true, _) if !shards_first || shards.is_empty() => Ok(vec![whole]),
        (_, false) => Ok(shards),
        _ => {
            Err(Diagnostic::new("manifest::none", format!("there is no manifest in '{}'", folder.display()))
                .help("runs keep one with --resume, or where --manifest says"))
        }
    }
}

/// Columns of text, the last of any width.
fn table(rows: &[Vec<String>]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).min(60);
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        format!("  {}", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}
