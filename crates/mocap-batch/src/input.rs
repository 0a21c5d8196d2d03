//! One input of a run.

use std::path::{Path, PathBuf};

use crate::error::BatchError;

/// One input.
#[derive(Clone, Debug)]
pub struct Input {
    /// Where it comes from.
    pub source: Source,
    /// Its path below the directory that all inputs have in common.
    pub relative: PathBuf,
    /// Whether it was found in a directory or by a glob, rather than named.
    pub found: bool,
    /// Whether it belongs to another shard.
    pub other_shard: bool,
}

/// Where an input comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// The standard input of the process.
    Stdin,
    /// A file.
    File(PathBuf),
    /// A place that could not be searched.
    Unreadable(PathBuf, Box<BatchError>),
}

impl Input {
    /// One file, or stdin for `-`.
    pub fn named(path: &Path) -> Input {
        let source = match path.to_str() {
            Some("-") => Source::Stdin,
            _ => Source::File(path.to_owned()),
        };
        let relative = match &source {
            Source::Stdin => PathBuf::from("stdin"),
            _ => path.file_name().map_or_else(|| path.to_owned(), PathBuf::from),
        };
        Input { relative, ..Input::new(source, false) }
    }

    /// An input whose place in the tree is not known yet.
    pub(crate) fn new(source: Source, found: bool) -> Input {
        Input { source, relative: PathBuf::new(), found, other_shard: false }
    }

    /// The input as messages name it.
    pub fn shown(&self) -> String {
        match &self.source {
            Source::Stdin => "-".into(),
            Source::File(path) | Source::Unreadable(path, _) => path.display().to_string(),
        }
    }

    /// The path of a file; `None` for stdin and places that cannot be read.
    pub fn path(&self) -> Option<&Path> {
        match &self.source {
            Source::File(path) => Some(path),
            _ => None,
        }
    }
}
