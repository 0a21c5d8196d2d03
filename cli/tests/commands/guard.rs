//! A run never overwrites its inputs or files of other programs, whatever its options.

use crate::mocap::{LEG, Sandbox, fixture};

fn fixtures(sandbox: &Sandbox, names: &[(&str, &str)]) {
    for (name, from) in names {
        sandbox.put(name, std::fs::read(fixture(from)).unwrap());
    }
}

/// A run must be refused as one that would write over an input, and change no file.
#[track_caller]
fn refused(sandbox: &Sandbox, arguments: &[&str]) {
    let before: Vec<_> = sandbox.files("").into_iter().map(|name| (sandbox.read(&name), name)).collect();
    let ran = sandbox.run(arguments);
    let after: Vec<_> = sandbox.files("").into_iter().map(|name| (sandbox.read(&name), name)).collect();
    assert_eq!(ran.code, 2, "{arguments:?}: {ran:?}");
    assert!(ran.stderr.contains("is an input and would be overwritten"), "{arguments:?}: {}", ran.stderr);
    assert!(before == after, "{arguments:?} has changed files");
}

#[test]
fn no_output_takes_the_place_of_a_file_that_is_read() {
    let sandbox = Sandbox::new();
    fixtures(&sandbox, &[("a.bvh", "clips/alex_walk.bvh"), ("t.skel", "clips/robin.skel")]);
    sandbox.run(["convert", "a.bvh", "-o", "01_01.amc"]).ok();
    std::fs::rename(sandbox.path("01_01.asf"), sandbox.path("01.asf")).unwrap();
    sandbox.run(["retarget", "a.bvh", "t.skel", "--write-map", "map.json"]).ok();
    sandbox.put("list", "a.bvh\n");
    let retarget = ["retarget", "a.bvh", "t.skel", "--to", "bvh", "--overwrite"];
    refused(&sandbox, &[&retarget[..], &["-o", "t.skel"]].concat());
    refused(&sandbox, &[&retarget[..], &["--map", "map.json", "-o", "./map.json"]].concat());
    for map in ["a.bvh", "t.skel"] {
        refused(&sandbox, &["retarget", "a.bvh", "t.skel", "--overwrite", "--write-map", map]);
    }
    refused(&sandbox, &["convert", "01_01.amc", "-o", "01.asf", "--overwrite"]);
    let named = ["convert", "01_01.amc", "--skeleton", "01.asf", "--to", "csv", "--overwrite"];
    refused(&sandbox, &[&named[..], &["-o", "01.asf"]].concat());
    refused(&sandbox, &["convert", "--files-from", "list", "--to", "csv", "-o", "list", "--overwrite"]);
    refused(
        &sandbox,
        &["convert", "a.bvh", "--to", "csv", "-o", "out/", "--manifest", "a.bvh", "--overwrite"],
    );
    for flag in ["--heatmap", "--html"] {
        for file in ["a.bvh", "01_01.amc"] {
            refused(&sandbox, &["compare", "a.bvh", "01_01.amc", flag, file, "--overwrite"]);
        }
    }
    refused(
        &sandbox,
        &["sheet", "01_01.amc", "--skeleton", "01.asf", "-o", "01.asf", "--to", "svg", "--overwrite"],
    );
}

#[test]
fn no_output_of_a_pipeline_takes_the_place_of_what_it_reads() {
    let sandbox = Sandbox::new();
    fixtures(&sandbox, &[("in/t.bvh", "clips/alex_walk.bvh"), ("out/t.skel", "clips/robin.skel")]);
    let step = "[[step]]\ndo = 'retarget'\ntarget = 'out/t.skel'\n[[step]]\ndo = 'write'\nto = 'skel'\n";
    sandbox.put("p.toml", step);
    refused(&sandbox, &["run", "p.toml", "in", "-o", "out", "--overwrite"]);
}

/// Files that no manifest is written over.
const STRANGE: [(&str, &[u8]); 3] =
    [("notes", b"one line without an end"), ("lines", b"a\nb\n"), ("json", b"{\"type\":\"clip\"}\n")];

#[test]
fn only_a_manifest_is_written_over_by_one() {
    let sandbox = Sandbox::new();
    sandbox.put("db/leg.bvh", LEG);
    let convert = |more: &[&str]| {
        sandbox.run([&["convert", "db", "--to", "csv", "-o", "out/", "--json"], more].concat())
    };
    for (name, content) in STRANGE {
        sandbox.put(name, content);
        for how in [&["--overwrite"][..], &["--resume"], &["--resume", "--overwrite"]] {
            let ran = convert(&[how, &["--manifest", name]].concat());
            assert_eq!(ran.code, 2, "{name} {how:?}: {ran:?}");
            assert!(ran.stderr.contains("is not a manifest"), "{}", ran.stderr);
            assert_eq!(sandbox.read(name), content, "{how:?}");
        }
    }
    assert!(!sandbox.path("out").exists());
    // Empty, and cut off in the first line: before and after the start by which manifests are
    // recognised.
    for start in ["", "{\"ty", "{\"type\":\"run\",\"manif"] {
        sandbox.put("m.jsonl", start);
        convert(&["--resume", "--overwrite", "--manifest", "m.jsonl"]).ok();
        convert(&["--overwrite", "--manifest", "m.jsonl"]).ok();
        sandbox.run(["manifest", "verify", "m.jsonl", "--outputs", "out"]).ok();
    }
}

#[test]
fn a_run_that_is_refused_leaves_no_manifest() {
    let sandbox = Sandbox::new();
    sandbox.put("db/leg.bvh", LEG);
    sandbox.put("out/leg.csv", "mine");
    let ran = sandbox.run(["convert", "db", "--to", "csv", "-o", "out/", "--resume"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert_eq!(sandbox.files("out"), ["leg.csv"]);
    // An empty manifest, which an earlier version wrote, or a process that was killed at its start.
    sandbox.put("out/.mocap-manifest.jsonl", "");
    for what in [&["stats"][..], &["verify"], &["merge", "-o", "merged.jsonl"]] {
        let ran = sandbox.run([&["manifest"], what, &["out"]].concat());
        assert!(ran.stderr.contains("no clip was started"), "{what:?}: {ran:?}");
        assert_eq!(ran.code, if what[0] == "merge" { 2 } else { 0 }, "{ran:?}");
    }
}

#[test]
fn a_file_that_is_given_twice_is_taken_once_and_it_is_said() {
    let sandbox = Sandbox::new();
    fixtures(&sandbox, &[("walk.bvh", "clips/alex_walk.bvh")]);
    let ran = sandbox.run(["compress", "walk.bvh", "./walk.bvh", "-o", "q/"]).ok();
    assert_eq!(sandbox.files("q"), ["walk.mocz"]);
    assert!(ran.stderr.contains("given more than once"), "{}", ran.stderr);
}

/// A file system that is full: half a line of the manifest fits.
#[cfg(unix)]
#[test]
fn a_manifest_that_cannot_be_written_ends_in_a_whole_line() {
    let sandbox = Sandbox::new();
    for i in 0..24 {
        sandbox.put(&format!("db/{i:02}.bvh"), LEG);
    }
    let limited = "ulimit -f 6; trap '' XFSZ; exec \"$0\" convert db --to csv -o out/ --resume -j 8";
    let ran = std::process::Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_mocap")])
        .current_dir(sandbox.path(""))
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let manifest = String::from_utf8(sandbox.read("out/.mocap-manifest.jsonl")).unwrap();
    assert!(manifest.ends_with('\n'), "{manifest}");
    for line in manifest.lines() {
        serde_json::from_str::<serde_json::Value>(line).expect(line);
    }
    let ran = sandbox.run(["convert", "db", "--to", "csv", "-o", "out/", "--resume"]).ok();
    assert!(ran.stderr.contains("24 inputs: "), "{ran:?}");
    sandbox.run(["manifest", "verify", "out"]).ok();
}
