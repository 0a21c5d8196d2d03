//! Every file that a run reads: no output may take the place of one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::Input;
use super::collide::Places;
use crate::args::{Reading, Selection};
use crate::diagnostic::Diagnostic;
use crate::read::skeleton_of;

/// What is read beside the inputs.
#[derive(Clone, Debug)]
pub(crate) struct Reads<'a> {
    files: Vec<PathBuf>,
    /// How the skeletons of AMC inputs are found.
    reading: Option<&'a Reading>,
}

impl<'a> Reads<'a> {
    /// Nothing.
    pub(crate) const NONE: Reads<'static> = Reads { files: Vec::new(), reading: None };

    /// What flags about inputs name.
    pub(crate) fn new(reading: &'a Reading, selection: Option<&Selection>) -> Reads<'a> {
        let list = selection.and_then(|selection| selection.files_from.clone());
        Reads { files: reading.skeleton.iter().cloned().chain(list).collect(), reading: Some(reading) }
    }

    /// The same with more files.
    pub(crate) fn and<P: Into<PathBuf>>(mut self, files: impl IntoIterator<Item = P>) -> Reads<'a> {
        self.files.extend(files.into_iter().map(Into::into));
        self
    }

    /// Where all these and the inputs are, and how they are named. Skeletons beside AMC inputs are looked for where
    /// one of the places to be written could be one.
    pub(super) fn places(
        &self,
        inputs: &[Input],
        written: &[PathBuf],
        places: &mut Places,
    ) -> BTreeMap<PathBuf, String> {
        let is =
            |path: &Path, kind: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(kind));
        let folders: BTreeSet<&Path> =
            written.iter().filter(|path| is(path, "asf")).filter_map(|path| path.parent()).collect();
        let mut read = BTreeMap::new();
        for path in self.files.iter().filter(|path| path.as_path() != Path::new("-")) {
            read.insert(places.of(path), path.display().to_string());
        }
        for input in inputs {
            let Some(path) = input.path() else { continue };
            let place = places.of(path);
            if let Some(reading) = self.reading
                && is(path, "amc")
                && place.parent().is_some_and(|folder| folders.contains(folder))
                && let Ok(skeleton) = skeleton_of(input, reading)
            {
                read.insert(places.of(&skeleton), skeleton.display().to_string());
            }
            read.insert(place, input.shown());
        }
        read
    }

    /// Refuses to write over anything that is read.
    ///
    /// # Errors
    /// Where one of these paths leads to an input or another file that is read.
    pub(crate) fn refuse<'p>(
        &self,
        inputs: &[Input],
        paths: impl IntoIterator<Item = &'p Path>,
    ) -> Result<(), Diagnostic> {
        let mut places = Places::default();
        let written: Vec<PathBuf> =
            paths.into_iter().filter(|path| *path != Path::new("-")).map(|path| places.of(path)).collect();
        let read = self.places(inputs, &written, &mut places);
        written.iter().find_map(|place| read.get(place)).map_or(Ok(()), |name| Err(is_input(name)))
    }
}

/// The error of an output that would take the place of something that is read.
pub(super) fn is_input(name: &str) -> Diagnostic {
    let message = format!("'{name}' is an input and would be overwritten");
    Diagnostic::new("usage::output-is-input", message).help("name another output")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_beside_inputs_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["01_01.amc", "01.asf", "02.asf", "map.json", "list"] {
            std::fs::write(at(name), "").unwrap();
        }
        let reading = Reading::default();
        let selection = Selection { files_from: Some(at("list")), ..Selection::default() };
        let reads = Reads::new(&reading, Some(&selection)).and([at("map.json")]);
        let inputs = [Input::named(&at("01_01.amc"))];
        let refused = |name: &str| reads.refuse(&inputs, [at(name).as_path()]).is_err();
        for name in ["01_01.amc", "01.asf", "./01.asf", "map.json", "list"] {
            assert!(refused(name), "{name}");
        }
        assert!(!refused("02.asf") && !refused("new.asf"));
        assert_eq!(reads.refuse(&inputs, [Path::new("-")]), Ok(()));
    }
}
