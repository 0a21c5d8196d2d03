//! `mocap find`: motions like an example, the same capture again, by label.

mod duplicates;
mod example;
mod label;

use std::path::PathBuf;

use clap::Args as ClapArgs;
use mocap_model::FrameRange;
use mocap_search::SearchError;

pub(super) use label::segment_text;

use self::duplicates::{ClusterRow, duplicates};
use self::example::{HitRow, by_example};
use self::label::{LabelRow, by_label};
use super::database::interruptible;
use super::indexed::is_named_index;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{FirstFrame, Invocation, Reading, Selection};
use crate::output::Output;
use crate::verb::{ERROR, RowSchema, VerbArgs, of};

/// Find motions: like an example, the same capture again, or by label
///
/// With a query, the ranges of the database that are most like it come first, on any skeleton, faster or slower, also
/// in the mirror. Distances are root mean square distances of the body's points, and of their ways in a tenth of a
/// second, on a body with the legs of the query.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap find kick.bvh database/ --trim 1.2s:2s --html hits.html\n\
    \x20 mocap find kick.bvh database.index\n\
    \x20 mocap find --label kick,left-foot database/\n\
    \x20 mocap find --duplicates database/\n\
    \x20 mocap find --duplicates training/ --against test/")]
pub(crate) struct Args {
    /// The query, then files, directories and globs to search; with --label and --duplicates, only the latter
    #[arg(value_name = "QUERY|DATABASE", required_unless_present = "files_from")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Search an index of `mocap index`; it may also be named like a database; repeatable
    #[arg(long, value_name = "INDEX", help_heading = "Search", conflicts_with_all = ["label", "duplicates"])]
    pub(crate) index: Vec<PathBuf>,
    /// Range of the query: frames or seconds, such as 1.2s:2s [default: all]
    #[arg(long, value_name = "A:B", help_heading = "Search", conflicts_with_all = ["label", "duplicates"])]
    pub(crate) trim: Option<FrameRange>,
    /// Number of hits, at most
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Search")]
    pub(crate) top: u32,
    /// Count hits in the mirror like others; by default they count three times their distance
    #[arg(long, help_heading = "Search", conflicts_with_all = ["label", "duplicates"])]
    pub(crate) both_sides: bool,
    /// Write a page that plays the query and its hits in step, to this HTML file
    #[arg(long = "html", value_name = "HTML", help_heading = "Search", conflicts_with_all = ["label", "duplicates"])]
    pub(crate) view: Option<PathBuf>,
    /// Replace an existing file of --html
    #[arg(long, help_heading = "Search")]
    pub(crate) overwrite: bool,
    /// Find ranges with a label, and a side if it matters, such as walk or kick,left-foot
    #[arg(long, value_name = "LABEL", help_heading = "Search", conflicts_with = "duplicates")]
    pub(crate) label: Option<String>,
    /// Find clips that are the same capture: trimmed, mirrored, turned, resampled, faster, noisy, on another body
    #[arg(long, help_heading = "Search")]
    pub(crate) duplicates: bool,
    /// Only duplicates between the database and this one; exit code 3 where there are any
    #[arg(long, value_name = "DATABASE", help_heading = "Search", requires = "duplicates")]
    pub(crate) against: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) first: FirstFrame,
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "find",
        about: "A line of mocap find --json",
        rows: &[of::<HitRow>, of::<ClusterRow>, of::<LabelRow>, ERROR],
    }];

    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        let reading = self.first.of(&self.reading);
        if self.duplicates || self.label.is_some() {
            for path in self.inputs.iter().chain(&self.against) {
                refuse_index(path)?;
            }
        }
        interruptible(console, |console| match &self.label {
            Some(text) => by_label(&self, text, &reading, console),
            None if self.duplicates => duplicates(&self, &reading, console),
            None => by_example(&self, &reading, invocation, console),
        })
    }
}

/// Rejects an index: labels and duplicates need more data than an index holds.
fn refuse_index(path: &std::path::Path) -> Result<(), Diagnostic> {
    if is_named_index(path) {
        let message = "an index is only searched by example: it is no motion, and has no labels";
        return Err(Diagnostic::new("find::index", message)
            .help("name the files or the directory itself")
            .in_file(path));
    }
    Ok(())
}

pub(crate) fn refused(error: &SearchError) -> Diagnostic {
    let code = match error {
        SearchError::ShortQuery { .. } | SearchError::RangeOutside { .. } => "find::query",
        SearchError::UnknownLabel { .. }
        | SearchError::UnknownSide { .. }
        | SearchError::Expression { .. } => "usage::label",
        _ => "find::body",
    };
    Diagnostic::new(code, error.to_string())
}
