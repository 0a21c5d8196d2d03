//! `mocap manifest`: merge, check and sum up the manifests of runs.

mod merge;
mod stats;
mod verify;

pub(crate) use merge::Row as MergeRow;

use std::path::PathBuf;

use mocap_batch::manifest::{ManifestProblem, ManifestStats, NamedManifest, VerifySummary, read_manifests};

use crate::diagnostic::{Detail, Diagnostic};
use crate::exit::Exit;
use crate::options::{Invocation, ManifestArgs as Args, ManifestWhat as What};
use crate::output::Output;
use crate::verb::{ERROR, RowSchema, VerbArgs, of};

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[
        RowSchema {
            name: "manifest-merge",
            about: "A line of mocap manifest merge --json",
            rows: &[of::<MergeRow>, ERROR],
        },
        RowSchema {
            name: "manifest-verify",
            about: "A line of mocap manifest verify --json",
            rows: &[of::<ManifestProblem>, of::<VerifySummary>, ERROR],
        },
        RowSchema {
            name: "manifest-stats",
            about: "A line of mocap manifest stats --json",
            rows: &[of::<ManifestStats>, ERROR],
        },
    ];

    fn run(self, _: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, console)
    }
}

/// Runs the command.
fn run(args: &Args, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    match &args.what {
        What::Merge(args) => merge::run(args, console),
        What::Verify(args) => verify::run(args, console),
        What::Stats(args) => stats::run(args, console),
    }
}

/// Reads the manifests that arguments name, and warns about empty ones.
fn read(
    named: &[PathBuf],
    shards_first: bool,
    console: &dyn Output,
) -> Result<Vec<NamedManifest>, Diagnostic> {
    let manifests = read_manifests(named, shards_first)?;
    for NamedManifest { path, .. } in manifests.iter().filter(|named| named.manifest.header.is_none()) {
        let warning = Diagnostic::new("manifest::empty", "the manifest is empty: no clip was started");
        console.warnings(&path.display().to_string(), &[warning], Detail::Line);
    }
    Ok(manifests)
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
