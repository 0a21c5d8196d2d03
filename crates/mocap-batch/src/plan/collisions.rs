//! Checks outputs for collisions: with inputs, with each other, with the manifest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::places::{Places, folded};
use super::{Naming, PlanWarning};
use crate::error::BatchError;
use crate::input::Input;

/// An output path, and the place that it resolves to.
struct Output {
    place: PathBuf,
    path: PathBuf,
}

/// Rejects outputs that are inputs or equal to each other; warns about outputs that are equal if case is ignored.
pub(super) fn check_collisions(
    inputs: &[Input],
    paths: &[PathBuf],
    manifest: Option<&Path>,
    naming: &Naming<'_>,
    folds_case: impl Fn(&Path) -> bool,
) -> Result<BTreeMap<usize, PlanWarning>, BatchError> {
    let mut places = Places::default();
    let mut output = |path: PathBuf| Output { place: places.of(&path), path };
    let outputs: Vec<Vec<Output>> = paths
        .iter()
        .map(|path| {
            let all = std::iter::once(path.clone()).chain((naming.companions)(path));
            all.map(&mut output).collect()
        })
        .collect();
    let manifest = manifest.map(|path| output(path.to_owned()));
    let all: Vec<PathBuf> =
        outputs.iter().flatten().chain(&manifest).map(|output| output.place.clone()).collect();
    let read = naming.reads.places(inputs, &all, &mut places);
    if let Some(manifest) = &manifest {
        check_manifest(manifest, outputs.iter().flatten(), &read)?;
    }
    let mut written: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let mut letters: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    let mut warnings = BTreeMap::new();
    for (i, outputs) in outputs.into_iter().enumerate() {
        for Output { place, path } in outputs {
            if let Some(name) = read.get(&place) {
                return Err(BatchError::OutputIsInput { name: name.clone(), by_manifest: false });
            }
            let collision = |other: usize, folds_case: bool| {
                let (one, two) = (inputs[other].shown(), inputs[i].shown());
                BatchError::OutputCollision { one, two, path: path.clone(), folds_case }
            };
            let twin = letters.insert(folded(&place), i);
            // A companion that two inputs of one directory would both write is a collision as well.
            if let Some(other) = written.insert(place, i) {
                return Err(collision(other, false));
            }
            if let Some(other) = twin {
                if folds_case(&path) {
                    return Err(collision(other, true));
                }
                warnings.insert(i, PlanWarning::CaseTwin(inputs[other].shown()));
            }
        }
    }
    Ok(warnings)
}

/// The manifest is an output as well.
fn check_manifest<'a>(
    manifest: &Output,
    mut outputs: impl Iterator<Item = &'a Output>,
    read: &BTreeMap<PathBuf, String>,
) -> Result<(), BatchError> {
    if let Some(name) = read.get(&manifest.place) {
        return Err(BatchError::OutputIsInput { name: name.clone(), by_manifest: true });
    }
    if outputs.any(|output| output.place == manifest.place) {
        return Err(BatchError::ManifestIsOutput(manifest.path.clone()));
    }
    Ok(())
}
