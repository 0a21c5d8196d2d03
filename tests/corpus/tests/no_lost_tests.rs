//! In a test target that is run by `mocap_corpus::tests!`, `#[test]` means nothing: a function that has it would
//! never run, and nobody would be told.

use std::path::{Path, PathBuf};

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn targets_of_the_harness_have_no_test_attributes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut packages = vec![root.join("cli")];
    packages.extend(std::fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path()));
    let mut targets = 0;
    for package in packages {
        let tests = package.join("tests");
        let mut files = Vec::new();
        if tests.is_dir() {
            rust_files(&tests, &mut files);
        }
        for main in &files {
            let text = std::fs::read_to_string(main).unwrap();
            if !text.contains("mocap_corpus::tests!") {
                continue;
            }
            targets += 1;
            // `main.rs` brings the files beside it, `x.rs` those of the folder `x`.
            let is_folder = main.file_name().is_some_and(|name| name == "main.rs");
            let folder = if is_folder { main.parent().unwrap().to_owned() } else { main.with_extension("") };
            let parts = files.iter().filter(|file| *file == main || file.starts_with(&folder));
            for part in parts {
                let text = std::fs::read_to_string(part).unwrap();
                assert!(!text.contains("#[test]"), "{}: add the test to the list instead", part.display());
            }
        }
    }
    assert!(targets >= 5, "{targets} targets");
}
