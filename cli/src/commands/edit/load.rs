//! Edits with the files that they name.

use std::path::{Path, PathBuf};

use mocap_edit::{Edit, EditError, Keep, RootCurve, TimeMap};
use mocap_formats::Limits;

use crate::args::{EditArg, EditList};
use crate::batch::{Input, JobContext};
use crate::diagnostic::Diagnostic;

/// An edit whose files are read, except those of which each input has its own.
#[derive(Clone, Debug)]
pub(crate) enum LoadedEdit {
    Ready(Edit),
    ExtractRoot { file: PathBuf, keep: Keep },
    ApplyRoot { file: PathBuf },
}

/// Reads the files that all inputs share.
pub(crate) fn load(edits: &EditList) -> Result<Vec<LoadedEdit>, Diagnostic> {
    let one = |edit: &EditArg| match edit.clone() {
        EditArg::Ready(edit) => Ok(LoadedEdit::Ready(edit)),
        EditArg::ExtractRoot { file, keep } => Ok(LoadedEdit::ExtractRoot { file, keep }),
        EditArg::ApplyRoot { file } => Ok(LoadedEdit::ApplyRoot { file }),
        EditArg::TimeMap { file } => {
            let text = text_of(&file, &JobContext::standalone())?;
            let map = text.parse::<TimeMap>();
            let map = map.map_err(|error: EditError| Diagnostic::from(error).in_file(&file))?;
            Ok(LoadedEdit::Ready(Edit::TimeMap(Box::new(map))))
        }
    };
    edits.0.iter().map(one).collect()
}

/// The files that edits read.
pub(crate) fn files(edits: &EditList) -> Vec<PathBuf> {
    let read = |edit: &EditArg| match edit {
        EditArg::ApplyRoot { file } | EditArg::TimeMap { file } => Some(file.clone()),
        EditArg::Ready(_) | EditArg::ExtractRoot { .. } => None,
    };
    edits.0.iter().filter_map(read).filter(|file| !file.is_dir()).collect()
}

/// Whether a name stands for a directory: no curve has an extension like that.
fn is_folder(file: &Path) -> bool {
    let curve = |extension: &std::ffi::OsStr| {
        ["csv", "json"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    };
    file.is_dir() || !file.extension().is_some_and(curve)
}

/// The file of an input below a directory, with the name of the input.
fn of_input(file: &Path, input: &Input) -> PathBuf {
    match is_folder(file) {
        true => file.join(mocap::with_extension(&input.relative, "csv")),
        false => file.to_owned(),
    }
}

impl LoadedEdit {
    /// Many inputs cannot share one curve.
    pub(super) fn check_many(&self, edit: &EditArg, many: bool) -> Result<(), Diagnostic> {
        match (self, edit) {
            (LoadedEdit::ExtractRoot { file, .. }, _) if many && !is_folder(file) => {
                let message =
                    format!("--extract-root '{}' is one file, and there are many inputs", file.display());
                Err(Diagnostic::new("usage::edit", message)
                    .help("name a directory, which takes one curve per input"))
            }
            _ => Ok(()),
        }
    }

    /// The edit of an input.
    pub(super) fn of_input(&self, input: &Input, context: &JobContext) -> Result<Edit, Diagnostic> {
        Ok(match self {
            LoadedEdit::Ready(edit) => edit.clone(),
            LoadedEdit::ExtractRoot { keep, .. } => Edit::ExtractRoot(*keep),
            LoadedEdit::ApplyRoot { file } => {
                let file = of_input(file, input);
                let text = text_of(&file, context)?;
                let curve =
                    RootCurve::parse(&text).map_err(|error| Diagnostic::from(error).in_file(&file))?;
                Edit::ApplyRoot(Box::new(curve))
            }
        })
    }

    /// Where the curve of an input goes.
    pub(super) fn curve_file(&self, input: &Input) -> Option<PathBuf> {
        match self {
            LoadedEdit::ExtractRoot { file, .. } => Some(of_input(file, input)),
            _ => None,
        }
    }
}

/// A text file that an edit names.
fn text_of(file: &Path, context: &JobContext) -> Result<String, Diagnostic> {
    let bytes = context.read_file(file, Limits::default().bytes as u64)?;
    String::from_utf8(bytes)
        .map_err(|_| Diagnostic::new("edit::table", "the file is not UTF-8 text").in_file(file))
}
