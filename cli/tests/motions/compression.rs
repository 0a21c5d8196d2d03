//! From outside the codec: what was compressed and decompressed is compared with its source. That each clip keeps each
//! bound in each profile is tested beside the codec (`mocap-compress`, `tests/motions/tolerances.rs`).

use crate::mocap::{Sandbox, fixture};
use std::path::{Path, PathBuf};

/// Motion files below a folder.
fn motions(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "bvh" || extension == "amc") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The clips of a folder, each in the next of some profiles.
fn clips_come_back(folder: &Path, profiles: &[&str]) {
    let files = motions(folder);
    assert!(files.len() > 10, "{files:?}");
    for (file, profile) in files.iter().zip(profiles.iter().cycle()) {
        let sandbox = Sandbox::new();
        let path = file.to_str().unwrap();
        // Bodies whose unit cannot be inferred from their size: the unit has to be stated.
        let in_centimetres = ["sinusoidal.bvh", "bow_active_001.bvh", "walk-turn-left_active_001.bvh"];
        let [input_unit, unit]: [&[&str]; 2] = match path {
            _ if in_centimetres.iter().any(|name| path.ends_with(name)) => {
                [&["--input-unit", "cm"], &["--unit", "cm"]]
            }
            _ if path.contains("robin_") && path.ends_with(".amc") => {
                [&[], &["--unit", "0.05644444444444445"]]
            }
            _ => [&[], &[]],
        };
        let to = ["compress", path, "-o", "clip.mocz", "--profile", profile];
        sandbox.run([&to[..], input_unit].concat()).ok();
        sandbox.run(["decompress", "clip.mocz", "-o", "back.bvh"]).ok();
        let gate = ["compare", path, "back.bvh", "--max-error", "0.1mm"];
        sandbox.run([&gate[..], unit].concat()).ok();
    }
}

pub(crate) fn clips_of_the_corpus_come_back() {
    clips_come_back(&mocap_corpus::folder(), &["runtime", "archive", "keys"]);
}

pub(crate) fn every_fixture_comes_back_from_runtime() {
    clips_come_back(&fixture("clips"), &["runtime"]);
}

pub(crate) fn every_fixture_comes_back_from_archive() {
    clips_come_back(&fixture("clips"), &["archive"]);
}

pub(crate) fn every_fixture_comes_back_from_keys() {
    clips_come_back(&fixture("clips"), &["keys"]);
}
