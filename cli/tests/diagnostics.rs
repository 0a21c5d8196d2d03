//! What users see of every file in `fixtures/` that has something wrong with it. A new file gets its snapshot
//! by itself: `error-*` must fail, `warn-*` must pass with a warning, all others must pass without a word.

mod mocap;

use std::path::Path;

use mocap::{Ran, command, fixture};

/// The fixtures of a folder whose name starts with `kind`, sorted.
fn fixtures(folder: &str, kind: impl Fn(&str) -> bool) -> Vec<String> {
    let mut names: Vec<String> = fixture(folder)
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| kind(name))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "no fixtures in {folder}");
    names
}

fn validate(folder: &str, name: &str) -> Ran {
    let output =
        command(&fixture("")).args(["validate", "--json", &format!("{folder}/{name}")]).output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// What is printed for people.
fn shown(folder: &str, name: &str) -> String {
    let output = command(&fixture("")).args(["validate", &format!("{folder}/{name}")]).output().unwrap();
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
    for name in fixtures(folder, |name| name.starts_with("error-")) {
        let ran = validate(folder, &name);
        assert_eq!(ran.code, 1, "{name}: {ran:?}");
        let row = &ran.rows()[0];
        assert_eq!(row["valid"], false, "{row}");
        let [code, message] =
            ["code", "message"].map(|field| row["error"][field].as_str().unwrap().to_owned());
        assert!(code.contains("::") || code == "limit", "{name}: {code}");
        assert!(!message.is_empty() && !message.contains('\n'), "{name}: {message}");
        snapshot(folder, &name);
    }
    for name in fixtures(folder, |name| name.starts_with("warn-")) {
        let ran = validate(folder, &name);
        assert_eq!(ran.code, 0, "{name}: {ran:?}");
        let warnings = ran.rows()[0]["warnings"].as_array().unwrap().len();
        assert!(warnings > 0, "{name} was read without a warning");
        snapshot(folder, &name);
    }
    for name in fixtures(folder, |name| !name.starts_with("error-") && !name.starts_with("warn-")) {
        if name.ends_with(".asf")
            || name.ends_with(".amc")
            || name.ends_with(".bvh")
            || name.ends_with(".skel")
        {
            let ran = validate(folder, &name);
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{name}");
            assert_eq!(ran.rows()[0]["warnings"].as_array().map(Vec::len), Some(0), "{name}: {}", ran.stdout);
        }
    }
}

#[test]
fn bvh_files_show_what_is_wrong_with_them() {
    every_file("bvh");
}

#[test]
fn strict_turns_warnings_into_errors() {
    let name = &fixtures("bvh", |name| name.starts_with("warn-"))[0];
    let output = command(&fixture("bvh")).args(["validate", "--strict", name]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error["));
}
