//! Edits with the files that they name.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use mocap_edit::{
    Characteristic, Edit, EditError, Fourier, Keep, Layer, Path as PathOverGround, RootCurve, TimeMap,
};
use mocap_formats::{Limits, Remedy};
use mocap_model::Clip;

use super::{keys, surface};
use crate::args::{EditArg, EditList, Reading};
use crate::batch::{Input, JobContext};
use crate::diagnostic::{Diagnostic, Failure, read_toml};
use crate::read::{self, Motion};

/// An edit whose files are read, except those of which each input has its own.
#[derive(Clone, Debug)]
pub(crate) enum LoadedEdit {
    Ready(Edit),
    ExtractRoot { file: PathBuf, keep: Keep },
    ApplyRoot { file: PathBuf },
}

/// Reads the files that all inputs share.
pub(super) fn load(edits: &EditList, reading: &Reading) -> Result<Vec<LoadedEdit>, Diagnostic> {
    edits.0.iter().map(|edit| LoadedEdit::of(edit, reading)).collect()
}

/// The files that edits read.
pub(super) fn files(edits: &EditList) -> Vec<PathBuf> {
    edits.0.iter().flat_map(EditArg::files).filter(|file| !file.is_dir()).cloned().collect()
}

/// The motion in a file that an edit names, without a rest pose before it.
fn motion(file: &Path, reading: &Reading) -> Result<Box<Clip>, Diagnostic> {
    let found = read::motion(&JobContext::standalone(), &Input::named(file), reading);
    let Motion { clip, warnings, .. } = found.map_err(|Failure { error, .. }| match error.path {
        Some(_) => error,
        None => error.in_file(file),
    })?;
    let rest = warnings.iter().any(|warning| warning.remedy == Some(Remedy::DropFirstFrame));
    Ok(Box::new(match rest && clip.frames() > 1 {
        true => clip.trimmed(1..clip.frames()).unwrap_or(clip),
        false => clip,
    }))
}

/// What a table says.
fn table<T: FromStr<Err = EditError>>(file: &Path) -> Result<Box<T>, Diagnostic> {
    let text = text_of(file, &JobContext::standalone())?;
    text.parse().map(Box::new).map_err(|error: EditError| Diagnostic::from(error).in_file(file))
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
    /// Reads the file that all inputs share.
    pub(crate) fn of(edit: &EditArg, reading: &Reading) -> Result<LoadedEdit, Diagnostic> {
        Ok(LoadedEdit::Ready(match edit.clone() {
            EditArg::Ready(edit) => edit,
            EditArg::ExtractRoot { file, keep } => return Ok(LoadedEdit::ExtractRoot { file, keep }),
            EditArg::ApplyRoot { file } => return Ok(LoadedEdit::ApplyRoot { file }),
            EditArg::TimeMap { file } => Edit::TimeMap(table::<TimeMap>(&file)?),
            EditArg::Along { file } => Edit::Along(table::<PathOverGround>(&file)?),
            EditArg::Sync { file } => Edit::Sync(motion(&file, reading)?),
            EditArg::Add { file, weight, mask, space } => {
                let clip = *motion(&file, reading)?;
                Edit::Add(Box::new(Layer { clip, weight, mask, space }))
            }
            EditArg::Join { file, options } => Edit::Join(motion(&file, reading)?, options),
            EditArg::Blend { file, weight, options } => Edit::Blend(motion(&file, reading)?, weight, options),
            EditArg::Warp { file } => {
                let folder = file.parent().unwrap_or(Path::new(""));
                let pose = |name: &str| motion(&folder.join(name), reading);
                Edit::Warp(Box::new(keys::read(&read_toml(&file)?, &pose)?))
            }
            EditArg::Terrain(args) => Edit::Terrain(Box::new(surface::read(&args)?)),
            EditArg::Fourier { harmonics, style, gain, lock_feet } => {
                let characteristic = match style {
                    Some(files) => {
                        let [neutral, styled] = [&files.0, &files.1].map(|file| motion(file, reading));
                        Some(Characteristic { neutral: *neutral?, styled: *styled?, gain })
                    }
                    None => None,
                };
                let harmonics = harmonics.map(|count| count as usize);
                Edit::Fourier(Box::new(Fourier { harmonics, characteristic, lock_feet }))
            }
        }))
    }

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
    pub(crate) fn of_input(&self, input: &Input, context: &JobContext) -> Result<Edit, Diagnostic> {
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
    pub(crate) fn curve_file(&self, input: &Input) -> Option<PathBuf> {
        match self {
            LoadedEdit::ExtractRoot { file, .. } => Some(of_input(file, input)),
            _ => None,
        }
    }
}

/// A text file that an edit names.
pub(crate) fn text_of(file: &Path, context: &JobContext) -> Result<String, Diagnostic> {
    let bytes = context.read_file(file, Limits::default().bytes as u64)?;
    String::from_utf8(bytes)
        .map_err(|_| Diagnostic::new("edit::table", "the file is not UTF-8 text").in_file(file))
}
