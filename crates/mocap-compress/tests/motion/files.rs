//! Every motion of a folder, with lengths so that thigh and shank are 83.5 cm together where a folder is known.

use super::{bvh, with_unit};
use mocap_analysis::guess_unit;
use mocap_formats::{Limits, amc, asf};
use mocap_model::Clip;
use std::path::{Path, PathBuf};

/// Folder, or the start of names in it, and metres in one unit of its BVH files.
const UNITS: [(&str, f64); 8] = [
    ("alex_", 0.01),
    ("robin_", 1.0),
    ("iclone", 0.0085648),
    ("bandai", 0.0104288),
    ("misc/xia", 0.0569998),
    ("misc/games105_walk", 1.0),
    ("misc/games105_motion", 0.01),
    ("cmu", 0.0564444),
];

/// A motion of a folder.
pub(crate) struct Entry {
    /// Below the folder.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

/// All motion files below a folder, sorted by name.
pub(crate) fn files(root: &Path) -> Vec<Entry> {
    let mut folders = vec![root.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable folder").path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if matches!(extension, Some("bvh" | "amc")) {
                let name =
                    path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
                found.push(Entry { name, path });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

impl Entry {
    /// Reads the motion.
    pub(crate) fn clip(&self) -> Clip {
        if self.path.extension().is_some_and(|extension| extension == "amc") {
            return acclaim(&self.path);
        }
        match UNITS.iter().find(|(start, _)| self.name.starts_with(start)) {
            Some((_, metres)) => bvh(&self.path, *metres),
            None => {
                let clip = bvh(&self.path, 1.0);
                let unit = guess_unit(clip.skeleton()).map_or(0.01, |unit| unit.metres);
                with_unit(clip, unit)
            }
        }
    }
}

/// An AMC file: `NN_MM.amc` has its skeleton in `NN.asf`, `name3.amc` in `name.asf`.
fn acclaim(path: &Path) -> Clip {
    let stem = path.file_stem().expect("a file").to_string_lossy();
    let skeleton =
        stem.split_once('_').map_or_else(|| stem.trim_end_matches(char::is_numeric), |split| split.0);
    let read = |path: &Path| std::fs::read(path).expect("a readable file");
    let limits = Limits::default();
    let asf =
        asf::parse(&read(&path.with_file_name(format!("{skeleton}.asf"))), &limits).expect("an ASF").value;
    let amc = amc::parse(&read(path), &limits).expect("an AMC").value;
    amc::to_clip(&asf, &amc, &amc::ClipOptions::default()).expect("a motion").value
}
