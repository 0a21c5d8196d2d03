//! The project's own files as a corpus.

use std::path::{Path, PathBuf};

/// Larger files make every change rare \[bytes\].
const LARGEST: u64 = 200_000;

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All fixtures that `takes` says yes to, in the order of their paths.
pub(crate) fn fixtures(takes: impl Fn(&Path) -> bool) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    for folder in ["fixtures", "examples"] {
        collect(&root().join(folder), &mut paths);
    }
    paths.sort();
    paths.retain(|path| takes(path));
    paths.iter().map(|path| std::fs::read(path).expect("fixtures can be read")).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.metadata() {
            Ok(found) if found.is_dir() => collect(&path, paths),
            Ok(found) if found.len() <= LARGEST => paths.push(path),
            _ => {}
        }
    }
}

/// Whether the name of a file ends in `.extension`.
pub(crate) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// A fixture by its path below `fixtures`.
pub(crate) fn fixture(path: &str) -> PathBuf {
    root().join("fixtures").join(path)
}
