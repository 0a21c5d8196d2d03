//! Real motion files, where they are there: `MOCAP_CORPUS`, else `../shared/data` beside the checkout.

use std::path::{Path, PathBuf};

/// The folder of the files; says that the test is skipped where there is none.
pub(crate) fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("MOCAP_CORPUS").map_or(beside, PathBuf::from);
    let found = folder.is_dir();
    if !found {
        println!("skipped: no motion files at {} (set MOCAP_CORPUS)", folder.display());
    }
    found.then_some(folder)
}

#[allow(dead_code, reason = "some tests know their files")]
/// The files of an extension in the corpus, by their path below it, sorted.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for group in std::fs::read_dir(folder).expect("a readable corpus") {
        let group = group.expect("a readable corpus");
        let Ok(entries) = std::fs::read_dir(group.path()) else { continue };
        for entry in entries {
            let path = entry.expect("a readable corpus").path();
            if path.extension().is_some_and(|found| found == extension) {
                let name =
                    path.strip_prefix(folder).expect("below the corpus").to_string_lossy().into_owned();
                files.push((name, std::fs::read(&path).expect("a readable file")));
            }
        }
    }
    files.sort();
    files
}
