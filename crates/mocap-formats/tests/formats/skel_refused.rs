//! Every `.skel` file of the fixtures that is refused, with its messages.

use mocap_formats::{Limits, skel};
use std::path::Path;

#[test]
fn what_is_refused_is_told_with_its_path_and_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/skel");
    let clean = skel::parse(&std::fs::read(folder.join("clean.skel")).unwrap(), &Limits::default()).unwrap();
    assert_eq!(clean.warnings, []);
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.file_name().unwrap().to_string_lossy().starts_with("bad-"));
    files.sort();
    assert!(files.len() > 30, "{}", files.len());
    let mut all = String::new();
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let error = skel::parse(&std::fs::read(&path).unwrap(), &Limits::default());
        let error = error.map(|_| ()).expect_err(&name);
        all += &format!("{name}: {} - {error}\n", error.code());
    }
    insta::assert_snapshot!(all);
}

#[test]
fn limits_bound_what_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/skel");
    let clean = std::fs::read(folder.join("clean.skel")).unwrap();
    let few = Limits { joints: 4, ..Limits::default() };
    assert_eq!(
        skel::parse(&clean, &few).unwrap_err().to_string(),
        "the file has 5 joints, more than the limit of 4"
    );
    let short = Limits { bytes: 10, ..Limits::default() };
    assert_eq!(skel::parse(&clean, &short).unwrap_err().code(), "limit");
    // Nesting deeper than any skeleton is an error like any other.
    for key in ["format", "joints", "unit", "other"] {
        let deep = format!("{{\"{key}\": {}", "[".repeat(1_000_000));
        assert!(skel::parse(deep.as_bytes(), &Limits::default()).is_err());
    }
}
