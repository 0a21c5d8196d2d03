//! Where tests find motion files, and how they say that they were skipped.
//!
//! Two sets of files: the fixtures, which are part of the project, and a corpus of real motion files, which is not.
//! The corpus is the folder that `MOCAP_CORPUS` names. If the variable is not set, it is `../shared/data` beside the
//! checkout. If the variable is set, only that folder counts: `MOCAP_CORPUS=none` is a run without a corpus.
//!
//! A test target with `harness = false` hands its tests to [`tests!`]. There a test that calls [`skip`], or asks for
//! files that are not there, is reported as *ignored*, and the run ends with the count and the reason:
//!
//! ```text
//! test result: ok. 4 passed; 0 failed; 7 ignored; 0 measured; 0 filtered out; finished in 0.31s
//! skipped: 7 tests (need real motion files; set MOCAP_CORPUS to their folder)
//! ```
//!
//! ```no_run
//! fn a_fixture_can_be_read() {
//!     assert!(std::fs::read(mocap_corpus::fixture("clips/alex_walk.bvh")).is_ok());
//! }
//!
//! fn real_files_can_be_read() {
//!     for (name, bytes) in mocap_corpus::files("bvh") {
//!         assert!(bytes.starts_with(b"HIERARCHY"), "{name}");
//!     }
//! }
//!
//! mocap_corpus::tests! { a_fixture_can_be_read, real_files_can_be_read }
//! ```

mod harness;

pub use harness::{Test, print_note, run, shows_notes, skip};

use std::env::var_os;
use std::path::{Path, PathBuf};

/// A file or folder below `fixtures/` of the project.
#[must_use]
pub fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(path)
}

/// The fixtures below a folder of `fixtures/`, by their path below it, sorted.
///
/// # Panics
/// Panics where the folder cannot be read.
#[must_use]
pub fn fixtures(folder: &str, extension: &str) -> Vec<(String, Vec<u8>)> {
    files_below(&fixture(folder), extension)
}

/// The folder of real motion files, or what a test without it lacks.
///
/// # Errors
/// The text names what is missing, as the end of "skipped: 7 tests …".
pub fn find() -> Result<PathBuf, String> {
    let named = var_os("MOCAP_CORPUS").map(PathBuf::from);
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    match named {
        Some(folder) if folder.is_dir() => Ok(folder),
        Some(folder) => {
            Err(format!("need real motion files; MOCAP_CORPUS is '{}', not a folder", folder.display()))
        }
        None if beside().is_dir() => Ok(beside()),
        None => Err("need real motion files; set MOCAP_CORPUS to their folder".to_owned()),
    }
}

/// The folder of real motion files. Without one, the test that calls this is skipped.
#[must_use]
pub fn folder() -> PathBuf {
    find().unwrap_or_else(|missing| skip(missing))
}

/// The real motion files with an extension, by their path below the corpus, sorted. The test that calls this is
/// skipped without a corpus.
///
/// # Panics
/// Panics where a file cannot be read, and where the corpus has no such file.
#[must_use]
pub fn files(extension: &str) -> Vec<(String, Vec<u8>)> {
    let files = files_below(&folder(), extension);
    assert!(!files.is_empty(), "the corpus has no file .{extension}");
    files
}

/// A table of positions that another program made of the real motion files: `../golden` beside them. The test that
/// calls this is skipped without one.
#[must_use]
pub fn reference(name: &str) -> String {
    let path = folder().join("../golden").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|_| skip(format!("need {}", path.display())))
}

/// The files with an extension below a folder, by their path below it, sorted.
fn files_below(root: &Path, extension: &str) -> Vec<(String, Vec<u8>)> {
    let mut folders = vec![root.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                let name = path.strip_prefix(root).expect("below the root").to_string_lossy();
                let name = name.replace('\\', "/");
                found.push((name, std::fs::read(&path).expect("a readable file")));
            }
        }
    }
    found.sort();
    found
}
