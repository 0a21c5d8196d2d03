//! Snapshots of the messages for every faulty file in `fixtures/`. A new file gets its snapshot automatically:
//! `error-*` and `bad-*` must fail, `warn-*` must pass with a warning, all others must pass without a message.

mod mocap;

use std::path::Path;
use std::process::Command;

use mocap::{command, fixture};

/// The folders of `fixtures/` that hold bad files, sorted.
fn folders() -> Vec<String> {
    let mut folders = names(&fixture(""));
    folders
        .retain(|folder| fixture(folder).is_dir() && names(&fixture(folder)).iter().any(|name| is_bad(name)));
    assert!(folders.contains(&"bvh".to_owned()), "{folders:?}");
    folders
}

fn is_bad(name: &str) -> bool {
    name.starts_with("error-") || name.starts_with("bad-")
}

fn is_odd(name: &str) -> bool {
    name.starts_with("warn-")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The files of a folder whose name is of a kind.
fn fixtures(folder: &str, kind: impl Fn(&str) -> bool) -> Vec<String> {
    let names = names(&fixture(folder));
    let is_file = |name: &String| fixture(folder).join(name).is_file();
    names.into_iter().filter(|name| kind(name) && is_file(name)).collect()
}

/// The arguments that validate a fixture. Motions move the clean skeleton, but for those that come with theirs.
fn validate(folder: &str, name: &str) -> Command {
    let mut command = command(&fixture(""));
    command.args(["validate", &format!("{folder}/{name}")]);
    let own = fixture(folder).join(name).with_extension("asf");
    if name.ends_with(".amc") && !(name.starts_with("other-") && own.exists()) {
        command.args(["--skeleton", &format!("{folder}/clean.asf")]);
    }
    command
}

fn row(folder: &str, name: &str) -> (Option<i32>, serde_json::Value) {
    let output = validate(folder, name).arg("--json").output().unwrap();
    (output.status.code(), serde_json::from_slice(&output.stdout).expect("one row"))
}

/// What is printed for people.
fn shown(folder: &str, name: &str) -> String {
    let output = validate(folder, name).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    format!("{}\n{}", text(output.stdout), text(output.stderr))
}

fn snapshot(folder: &str, name: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new("snapshots").join(folder));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, shown(folder, name)));
}

fn every_file(folder: &str) {
    for name in fixtures(folder, is_bad) {
        let (code, row) = row(folder, &name);
        assert_eq!((code, &row["valid"]), (Some(1), &false.into()), "{name}: {row}");
        let [code, message] =
            ["code", "message"].map(|field| row["error"][field].as_str().unwrap().to_owned());
        assert!(code.contains("::") || code == "limit", "{name}: {code}");
        assert!(!message.is_empty() && !message.contains('\n'), "{name}: {message}");
        snapshot(folder, &name);
    }
    for name in fixtures(folder, is_odd) {
        let (code, row) = row(folder, &name);
        assert_eq!(code, Some(0), "{name}: {row}");
        assert_ne!(row["warnings"], serde_json::json!([]), "{name} was read without a warning");
        snapshot(folder, &name);
    }
    for name in fixtures(folder, |name| !is_bad(name) && !is_odd(name)) {
        let (code, row) = row(folder, &name);
        assert_eq!((code, &row["warnings"]), (Some(0), &serde_json::json!([])), "{name}: {row}");
    }
}

#[test]
fn bad_files_show_what_is_wrong_with_them() {
    folders().iter().for_each(|folder| every_file(folder));
}

#[test]
fn strict_turns_warnings_into_errors() {
    let name = &fixtures("bvh", is_odd)[0];
    let output = command(&fixture("bvh")).args(["validate", "--strict", name]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error["));
}
