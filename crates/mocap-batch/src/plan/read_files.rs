//! All files that a run reads; outputs must not overwrite them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use super::places::Places;
use crate::error::BatchError;
use crate::input::Input;

/// Files that are read in addition to the inputs.
#[derive(Debug, Default)]
pub struct ReadFiles<'a> {
    /// Files that every job, or the planning of the run, reads.
    pub files: Vec<PathBuf>,
    /// A file that is read along with an input.
    pub companions: Option<Companions<'a>>,
}

type FindCompanion<'a> = Box<dyn Fn(&Input) -> Option<PathBuf> + 'a>;

/// A file that is read along with an input, such as the skeleton of a motion.
pub struct Companions<'a> {
    /// The extension of such files. The companion of an input is looked up only where an output of this extension lies
    /// in the same directory: no other could overwrite it.
    pub extension: &'a str,
    /// The companion of an input; `None` where it has none.
    pub of: FindCompanion<'a>,
}

impl fmt::Debug for Companions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Companions").field("extension", &self.extension).finish_non_exhaustive()
    }
}

impl ReadFiles<'_> {
    /// No further files.
    pub const NONE: ReadFiles<'static> = ReadFiles { files: Vec::new(), companions: None };

    /// Adds files.
    #[must_use]
    pub fn and<P: Into<PathBuf>>(mut self, files: impl IntoIterator<Item = P>) -> Self {
        self.files.extend(files.into_iter().map(Into::into));
        self
    }

    /// The places of all files that are read, with their names.
    pub(super) fn places(
        &self,
        inputs: &[Input],
        written: &[PathBuf],
        places: &mut Places,
    ) -> BTreeMap<PathBuf, String> {
        let companions = self.companions.as_ref();
        let is_companion = |path: &Path| {
            let extension = path.extension();
            companions
                .is_some_and(|of| extension.is_some_and(|found| found.eq_ignore_ascii_case(of.extension)))
        };
        let directories: BTreeSet<&Path> =
            written.iter().filter(|path| is_companion(path)).filter_map(|path| path.parent()).collect();
        let mut read = BTreeMap::new();
        for path in self.files.iter().filter(|path| path.as_path() != Path::new("-")) {
            read.insert(places.of(path), path.display().to_string());
        }
        for input in inputs {
            let Some(path) = input.path() else { continue };
            let place = places.of(path);
            if let Some(companions) = companions
                && place.parent().is_some_and(|directory| directories.contains(directory))
                && let Some(companion) = (companions.of)(input)
            {
                read.insert(places.of(&companion), companion.display().to_string());
            }
            read.insert(place, input.shown());
        }
        read
    }

    /// Checks that outputs overwrite nothing that is read; `-` stands for stdout.
    ///
    /// # Errors
    /// If one of these paths resolves to an input or another file that is read.
    pub fn refuse<'p>(
        &self,
        inputs: &[Input],
        paths: impl IntoIterator<Item = &'p Path>,
    ) -> Result<(), BatchError> {
        let mut places = Places::default();
        let written: Vec<PathBuf> =
            paths.into_iter().filter(|path| *path != Path::new("-")).map(|path| places.of(path)).collect();
        let read = self.places(inputs, &written, &mut places);
        match written.iter().find_map(|place| read.get(place)) {
            Some(name) => Err(BatchError::OutputIsInput { name: name.clone(), by_manifest: false }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_read_beside_inputs_are_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["01_01.amc", "01.asf", "02.asf", "map.json", "list"] {
            std::fs::write(at(name), "").unwrap();
        }
        let of = Box::new(|_: &Input| Some(at("01.asf")));
        let companions = Some(Companions { extension: "asf", of });
        let reads = ReadFiles { files: vec![at("list")], companions }.and([at("map.json")]);
        let inputs = [Input::named(&at("01_01.amc"))];
        let refused = |name: &str| reads.refuse(&inputs, [at(name).as_path()]).is_err();
        for name in ["01_01.amc", "01.asf", "./01.asf", "map.json", "list"] {
            assert!(refused(name), "{name}");
        }
        assert!(!refused("02.asf") && !refused("new.asf"));
        assert_eq!(reads.refuse(&inputs, [Path::new("-")]), Ok(()));
    }
}
