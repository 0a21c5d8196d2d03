//! One input of a run.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::error::BatchError;
use crate::names::base;

/// One input.
#[derive(Clone, Debug)]
pub struct Input {
    /// Where it comes from.
    pub source: Source,
    /// Its path below the directory that all inputs have in common.
    pub relative: PathBuf,
    /// The selected part of the file, as in `file#part`; `None`: the work decides.
    pub part: Option<String>,
    /// Whether it was found in a directory or by a glob, and not named itself.
    pub found: bool,
    /// Whether it belongs to another shard.
    pub other_shard: bool,
    /// Whether its outputs keep its extension in their names: another input of its folder differs only in its
    /// extension.
    pub keeps_extension: bool,
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
        if path.to_str() == Some("-") {
            return Input { relative: PathBuf::from("stdin"), ..Input::new(Source::Stdin, false) };
        }
        let (path, part) = split_part(path);
        let relative = path.file_name().map_or_else(|| path.clone(), PathBuf::from);
        Input { relative, ..Input::new(Source::File(path), false) }.of_part(part)
    }

    /// The input with a part selected; the name of the part is appended to its relative path.
    ///
    /// ```
    /// use mocap_batch::Input;
    /// use std::path::Path;
    ///
    /// let part = Input::named(Path::new("moves.glb")).of_part(Some("walk/slow".into()));
    /// assert_eq!((part.shown(), part.relative.as_path()), ("moves.glb#walk/slow".into(), Path::new("moves#walk_slow.glb")));
    /// ```
    #[must_use]
    pub fn of_part(mut self, part: Option<String>) -> Input {
        if let Some(part) = &part {
            self.relative = with_part(&self.relative, part);
        }
        Input { part, ..self }
    }

    /// An input whose relative path is not known yet.
    pub(crate) fn new(source: Source, found: bool) -> Input {
        let relative = PathBuf::new();
        Input { source, relative, part: None, found, other_shard: false, keeps_extension: false }
    }

    /// Base path for output names; a kept extension is doubled so that `with_extension` keeps one.
    ///
    /// ```
    /// use mocap_batch::Input;
    /// use std::path::Path;
    ///
    /// let input = Input { keeps_extension: true, ..Input::named(Path::new("01_01.amc")) };
    /// assert_eq!(input.output_name().with_extension("csv"), Path::new("01_01.amc.csv"));
    /// ```
    pub fn output_name(&self) -> Cow<'_, Path> {
        base(&self.relative, self.keeps_extension)
    }

    /// The input as messages name it.
    pub fn shown(&self) -> String {
        match &self.source {
            Source::Stdin => "-".into(),
            Source::File(path) | Source::Unreadable(path, _) => match &self.part {
                Some(part) => format!("{}#{part}", path.display()),
                None => path.display().to_string(),
            },
        }
    }

    /// The path of a file; `None` for stdin and for unreadable places.
    pub fn path(&self) -> Option<&Path> {
        match &self.source {
            Source::File(path) => Some(path),
            _ => None,
        }
    }
}

/// Splits `file#part` if there is such a file and no file of the whole name.
pub(crate) fn split_part(path: &Path) -> (PathBuf, Option<String>) {
    let whole = (path.to_owned(), None);
    let Some(text) = path.to_str().filter(|_| path.symlink_metadata().is_err()) else { return whole };
    let mut signs = text.rmatch_indices('#').map(|(at, _)| at);
    let split = signs.find(|at| Path::new(&text[..*at]).is_file());
    split.map_or(whole, |at| (text[..at].into(), Some(text[at + 1..].to_owned())))
}

/// The path with the name of a part appended: `moves#walk.glb`.
pub(crate) fn with_part(path: &Path, part: &str) -> PathBuf {
    let plain = |c: char| if c.is_control() || "/\\:*?\"<>|".contains(c) { '_' } else { c };
    let part: String = part.chars().map(plain).collect();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension =
        path.extension().map_or(String::new(), |extension| format!(".{}", extension.to_string_lossy()));
    path.with_file_name(format!("{stem}#{part}{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_of_files_that_exist() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a.glb"), "").unwrap();
        std::fs::write(at("b#c.glb"), "").unwrap();
        let split = |name: &str| {
            let (path, part) = split_part(&at(name));
            (path.file_name().unwrap().to_str().unwrap().to_owned(), part)
        };
        assert_eq!(split("a.glb#walk"), ("a.glb".into(), Some("walk".into())));
        assert_eq!(split("a.glb#x#y"), ("a.glb".into(), Some("x#y".into())));
        assert_eq!(split("b#c.glb"), ("b#c.glb".into(), None));
        assert_eq!(split("b#c.glb#0"), ("b#c.glb".into(), Some("0".into())));
        assert_eq!(split("none.glb#walk"), ("none.glb#walk".into(), None));
    }
}
