//! Reads the files that edits name.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use mocap_edit::edits::HeightOptions;
use mocap_edit::{Edit, EditError, Files, HeightField, TerrainMesh, Warp};
use mocap_formats::{Limits, Remedy};
use mocap_model::{Character, Clip};
use mocap_poses::PosePrior;

use super::{keys, surface};
use crate::batch::{Input, JobContext};
use crate::commands::solve::read_poses;
use crate::diagnostic::{Detail, Diagnostic, Failure, read_toml};
use crate::options::Reading;
use crate::output::Output;
use crate::read::{self, Motion};

/// Reads the files that edits name.
pub(crate) struct EditFiles<'a> {
    /// How motions are read.
    reading: &'a Reading,
    /// The input whose files are loaded; `None` for files that all inputs share.
    input: Option<(&'a Input, &'a JobContext)>,
    /// About the files read so far.
    warnings: RefCell<Vec<Diagnostic>>,
}

impl<'a> EditFiles<'a> {
    /// The files that all inputs share.
    pub(crate) fn shared(reading: &'a Reading) -> EditFiles<'a> {
        EditFiles { reading, input: None, warnings: RefCell::default() }
    }

    /// The files of one input.
    pub(crate) fn of_input(reading: &'a Reading, input: &'a Input, context: &'a JobContext) -> EditFiles<'a> {
        EditFiles { reading, input: Some((input, context)), warnings: RefCell::default() }
    }

    /// Warnings about the files that were read, each with its file.
    pub(crate) fn into_warnings(self) -> Vec<Diagnostic> {
        self.warnings.into_inner()
    }

    /// A motion of a file, without the rest pose before it. Other warnings are kept.
    fn read(&self, file: &Path, motion: Motion) -> Clip {
        let Motion { clip, warnings, .. } = motion;
        let is_rest = |warning: &Diagnostic| warning.remedy == Some(Remedy::DropFirstFrame);
        let rest = warnings.iter().any(is_rest);
        let others = warnings.into_iter().filter(|warning| !is_rest(warning));
        let mut kept = self.warnings.borrow_mut();
        for warning in others.map(|warning| warning.in_file(file)) {
            // A file may be named twice.
            if !kept.contains(&warning) {
                kept.push(warning);
            }
        }
        match rest && clip.frames() > 1 {
            true => clip.trimmed(1..clip.frames()).unwrap_or(clip),
            false => clip,
        }
    }
}

impl Files for EditFiles<'_> {
    type Error = Diagnostic;

    fn text(&self, file: &Path) -> Result<String, Diagnostic> {
        match self.input {
            Some((_, context)) => text_of(file, context),
            None => text_of(file, &JobContext::standalone()),
        }
    }

    fn in_file(&self, error: EditError, file: &Path) -> Diagnostic {
        Diagnostic::from(error).in_file(file)
    }

    fn motion(&self, file: &Path) -> Result<Clip, Diagnostic> {
        let found = read::motion(&JobContext::standalone(), &Input::named(file), self.reading);
        Ok(self.read(file, found.map_err(|failure| in_file(failure, file))?))
    }

    fn prop(&self, file: &Path) -> Result<Character, Diagnostic> {
        let failed = |failure| in_file(failure, file);
        let reading = self.reading.beside(file);
        let loaded = read::load(&JobContext::standalone(), &Input::named(file), &reading).map_err(failed)?;
        let body = match loaded.document().map(|document| document.body(&reading.limits())) {
            Some(Ok(body)) => body.map(|parsed| parsed.value),
            Some(Err(damaged)) => return Err(Diagnostic::from(damaged).in_file(file)),
            None => None,
        };
        let clip = self.read(file, loaded.into_motion(&reading).map_err(failed)?);
        Ok(Character { body, ..Character::from(clip) })
    }

    fn warp(&self, file: &Path) -> Result<Warp, Diagnostic> {
        let folder = file.parent().unwrap_or(Path::new(""));
        let poses = |name: &str| read_poses(&folder.join(name), &JobContext::standalone());
        keys::read(&read_toml(file)?, &|name: &str| self.motion(&folder.join(name)), &poses)
    }

    fn poses(&self, file: &Path) -> Result<PosePrior, Diagnostic> {
        read_poses(file, &JobContext::standalone())
    }

    fn heights(&self, file: &Path, options: HeightOptions) -> Result<HeightField, Diagnostic> {
        surface::heights(file, options).map_err(|error| error.in_file(file))
    }

    fn mesh(&self, file: &Path) -> Result<TerrainMesh, Diagnostic> {
        surface::mesh(file).map_err(|error| error.in_file(file))
    }

    fn curve_file(&self, file: &Path) -> Option<PathBuf> {
        self.input.map(|(input, _)| of_input(file, input))
    }
}

/// The error of a file that an edit names.
fn in_file(Failure { error, .. }: Failure, file: &Path) -> Diagnostic {
    match error.path {
        Some(_) => error,
        None => error.in_file(file),
    }
}

/// Reads the files that all inputs share; with the warnings about them.
pub(super) fn load(edits: &[Edit], reading: &Reading) -> Result<(Vec<Edit>, Vec<Diagnostic>), Diagnostic> {
    let files = EditFiles::shared(reading);
    let mut edits = edits.to_vec();
    edits.iter_mut().try_for_each(|edit| edit.read(&files))?;
    Ok((edits, files.into_warnings()))
}

/// Shows warnings about files that edits name, once, each under its file; returns those that belong into JSON rows
/// instead.
pub(crate) fn tell(warnings: Vec<Diagnostic>, console: &dyn Output) -> Vec<Diagnostic> {
    if console.is_json() {
        return warnings;
    }
    for warning in &warnings {
        let file = warning.path.as_deref().unwrap_or_default();
        console.warnings(file, std::slice::from_ref(warning), Detail::Line);
    }
    Vec::new()
}

/// The files that edits read.
pub(super) fn files(edits: &[Edit]) -> Vec<PathBuf> {
    edits.iter().flat_map(Edit::files).filter(|file| !file.is_dir()).collect()
}

/// Whether a path stands for a directory: curve files always have an extension.
fn is_folder(file: &Path) -> bool {
    let curve = |extension: &std::ffi::OsStr| {
        ["csv", "json"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    };
    file.is_dir() || !file.extension().is_some_and(curve)
}

/// The file of an input in a directory, under the name of the input.
fn of_input(file: &Path, input: &Input) -> PathBuf {
    match is_folder(file) {
        true => file.join(mocap::with_extension(&input.relative, "csv")),
        false => file.to_owned(),
    }
}

/// Rejects one curve file for many inputs.
pub(super) fn check_many(edit: &Edit, many: bool) -> Result<(), Diagnostic> {
    match edit {
        Edit::ExtractRoot(extract) if many && !is_folder(&extract.file) => {
            let file = extract.file.display();
            let message = format!("--extract-root '{file}' is one file, and there are many inputs");
            Err(Diagnostic::new("usage::edit", message)
                .help("name a directory, which takes one curve per input"))
        }
        _ => Ok(()),
    }
}

/// The output path for the curve of an input.
pub(crate) fn curve_file(edit: &Edit, input: &Input) -> Option<PathBuf> {
    match edit {
        Edit::ExtractRoot(extract) => Some(of_input(&extract.file, input)),
        _ => None,
    }
}

/// A text file that an edit names.
pub(crate) fn text_of(file: &Path, context: &JobContext) -> Result<String, Diagnostic> {
    let bytes = context.read_file(file, Limits::default().bytes as u64)?;
    String::from_utf8(bytes)
        .map_err(|_| Diagnostic::new("edit::table", "the file is not UTF-8 text").in_file(file))
}
