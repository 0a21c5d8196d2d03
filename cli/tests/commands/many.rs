//! Many inputs: directories, globs, mirrored outputs, order, failures, files that are never overwritten.

use crate::mocap::{LEG, Sandbox};

/// Twelve clips in three folders.
fn database() -> Sandbox {
    let sandbox = Sandbox::new();
    for i in 0..12 {
        let motion = LEG.replace("0.1 0 10 0", &format!("0.1 0 {i} 0"));
        sandbox.put(&format!("db/{}/clip {i}.bvh", ["a", "b", "c/d"][i % 3]), motion);
    }
    sandbox.put("db/readme.txt", "no motion");
    sandbox
}

fn paths(ran: &crate::mocap::Ran) -> Vec<String> {
    ran.rows().iter().filter_map(|row| row["path"].as_str().map(str::to_owned)).collect()
}

#[test]
fn a_directory_is_mirrored_whole() {
    let sandbox = database();
    let ran = sandbox.run(["convert", "db", "--to", "bvh", "-o", "out/", "--fps", "60"]).ok();
    assert_eq!(
        sandbox.files("out"),
        sandbox.files("db").into_iter().filter(|f| f.ends_with(".bvh")).collect::<Vec<_>>()
    );
    assert!(ran.stderr.contains("12 inputs: 12 ok"), "{}", ran.stderr);
}

#[test]
fn any_number_of_jobs_gives_the_same_bytes_in_the_same_order() {
    let sandbox = database();
    let run = |jobs: &str| {
        let out = format!("out{jobs}/");
        let arguments = ["convert", "db", "--to", "bvh", "-o", &out, "--fps", "60", "--json", "-j", jobs];
        let ran = sandbox.run(arguments).ok();
        let rows = ran.stdout.replace(&out, "out/");
        let bytes: Vec<_> =
            sandbox.files(&out).iter().map(|file| sandbox.read(&format!("{out}{file}"))).collect();
        let summary = rows.find("{\"type\":\"summary\"").unwrap();
        (rows[..summary].to_owned(), bytes)
    };
    let one = run("1");
    assert_eq!(one.1.len(), 12);
    assert_eq!(run("8"), one);
}

#[test]
fn globs_and_lists_name_inputs_and_filters_take_away() {
    let sandbox = database();
    let ran = sandbox.run(["info", "--json", "db/*/clip ?.bvh"]).ok();
    assert_eq!(paths(&ran)[0], "db/a/clip 0.bvh");
    assert_eq!(paths(&ran).len(), 7);
    let ran = sandbox.run(["info", "--json", "db", "--include", "*1*", "--exclude", "c/**"]).ok();
    assert_eq!(paths(&ran), ["db/b/clip 1.bvh", "db/b/clip 10.bvh"]);
    let list = b"db/b/clip 4.bvh\r\ndb/a/clip 3.bvh\n\n";
    let ran = sandbox.run_with(["info", "--json", "--files-from", "-"], list).ok();
    assert_eq!(paths(&ran), ["db/b/clip 4.bvh", "db/a/clip 3.bvh"]);
    let ran = sandbox.run(["info", "db/*.fbx"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("no file matches 'db/*.fbx'"), "{}", ran.stderr);
}

#[test]
fn one_bad_clip_spoils_no_other() {
    let sandbox = database();
    sandbox.put("db/a/clip 3.bvh", "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 zero 0\n");
    let ran = sandbox.run(["convert", "db", "--to", "bvh", "-o", "out/", "--json"]);
    assert_eq!(ran.code, 1);
    assert_eq!(sandbox.files("out").len(), 11);
    let rows = ran.rows();
    let bad = rows.iter().find(|row| row["path"] == "db/a/clip 3.bvh").unwrap();
    assert_eq!(bad["error"]["line"], 4, "{bad}");
    assert_eq!(bad["error"]["column"], 12, "{bad}");
    let summary = rows.last().unwrap();
    assert_eq!(summary["type"], "summary");
    assert_eq!((&summary["ok"], &summary["failed"]), (&11.into(), &1.into()));
    assert!(ran.stderr.contains("OFFSET 0 zero 0"), "{}", ran.stderr);
}

#[test]
fn fail_fast_leaves_the_rest_alone() {
    let sandbox = database();
    // The largest input is started first, and fails.
    sandbox.put("db/a/clip 0.bvh", "no motion".repeat(1000));
    let ran = sandbox.run(["convert", "db", "--to", "bvh", "-o", "out/", "--json", "--fail-fast", "-j", "1"]);
    assert_eq!(ran.code, 1);
    assert!(!sandbox.path("out").exists());
    assert_eq!(ran.rows().last().unwrap()["not_begun"], 11);
}

#[test]
fn outputs_are_never_lost() {
    let sandbox = database();
    let convert = |more: &[&str]| {
        let base = ["convert", "db/a", "--to", "bvh", "-o", "out/"];
        sandbox.run([&base, more].concat())
    };
    convert(&[]).ok();
    sandbox.put("out/clip 0.bvh", "mine");
    let ran = convert(&[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("4 of 4 outputs exist already"), "{}", ran.stderr);
    let ran = convert(&["--skip-existing", "--json"]).ok();
    assert_eq!(ran.rows().last().unwrap()["skipped"], 4);
    assert_eq!(sandbox.read("out/clip 0.bvh"), b"mine");
    convert(&["--overwrite"]).ok();
    assert_ne!(sandbox.read("out/clip 0.bvh"), b"mine");

    let ran = sandbox.run(["convert", "db/a", "--to", "bvh", "-o", "db/a/", "--overwrite"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("is an input"), "{}", ran.stderr);
}

#[test]
fn inputs_of_one_name_collide_before_any_work() {
    let sandbox = Sandbox::new();
    sandbox.put("x.bvh", LEG);
    sandbox.put("x.BVH", LEG);
    let ran = sandbox.run(["convert", "x.bvh", "x.BVH", "--to", "bvh", "-o", "out/"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("would both be written to 'out/x.bvh'"), "{}", ran.stderr);
    assert!(!sandbox.path("out").exists());
}

#[test]
fn inputs_that_differ_in_their_extension_keep_it() {
    let sandbox = Sandbox::new();
    sandbox.put("db/x.bvh", LEG);
    sandbox.run(["compress", "db/x.bvh", "-o", "db/x.mocz"]).ok();
    let convert = || sandbox.run(["convert", "db", "--to", "csv", "-o", "out/", "--resume"]).ok();
    let ran = convert();
    assert_eq!(ran.stderr.matches("batch::same-name").count(), 2, "{}", ran.stderr);
    assert!(sandbox.path("out/x.bvh.csv").exists() && sandbox.path("out/x.mocz.csv").exists());
    let again = convert();
    assert!(again.stderr.contains("2 skipped"), "{}", again.stderr);
}

#[test]
fn names_that_outputs_were_given_are_understood_again() {
    let sandbox = Sandbox::new();
    for (name, from) in
        [("01_01.amc", "alex_walk.amc"), ("01.asf", "alex.asf"), ("01_01.bvh", "alex_turn.bvh")]
    {
        sandbox.put(&format!("db/{name}"), std::fs::read(crate::mocap::fixture("clips").join(from)).unwrap());
    }
    sandbox.run(["compress", "db", "-o", "small/", "-q"]).ok();
    assert_eq!(sandbox.files("small"), ["01_01.amc.mocz", "01_01.bvh.mocz"]);
    let pairs = |one: &str, two: &str| -> Vec<(String, String)> {
        let rows = sandbox.run(["compare", one, two, "--max-error", "0.2mm", "--json", "-q"]).ok().rows();
        let text = |row: &serde_json::Value, field: &str| row[field].as_str().unwrap().to_owned();
        let pairs = rows.iter().filter(|row| row["type"] != "summary");
        pairs.map(|row| (text(row, "path"), text(row, "other"))).collect()
    };
    let pair = |one: &str, two: &str| (one.to_owned(), two.to_owned());
    assert_eq!(
        pairs("db", "small"),
        [pair("db/01_01.amc", "small/01_01.amc.mocz"), pair("db/01_01.bvh", "small/01_01.bvh.mocz")]
    );
    // Decompressing to BVH restores the name of the BVH that was compressed.
    sandbox.run(["decompress", "small", "--to", "bvh", "-o", "back/", "-q"]).ok();
    assert_eq!(sandbox.files("back"), ["01_01.amc.bvh", "01_01.bvh"]);
    assert_eq!(
        pairs("db", "back"),
        [pair("db/01_01.amc", "back/01_01.amc.bvh"), pair("db/01_01.bvh", "back/01_01.bvh")]
    );
    assert_eq!(pairs("small", "back").len(), 2);
}

#[test]
fn many_inputs_need_a_directory() {
    let sandbox = database();
    for output in ["all.bvh", "-"] {
        let ran = sandbox.run(["convert", "db", "--to", "bvh", "-o", output]);
        assert_eq!(ran.code, 2, "{ran:?}");
    }
    let ran = sandbox.run(["convert", "db", "--to", "bvh"]);
    assert!(ran.stderr.contains("-o DIR/"), "{}", ran.stderr);
}

#[test]
fn a_dry_run_does_nothing_but_say() {
    let sandbox = database();
    let ran = sandbox.run(["convert", "db/a", "--to", "bvh", "-o", "out/", "--dry-run"]).ok();
    assert_eq!(ran.stdout.lines().next(), Some("write db/a/clip 0.bvh -> out/clip 0.bvh"));
    assert!(!sandbox.path("out").exists());
}

#[cfg(unix)]
#[test]
fn names_and_links_of_all_kinds_are_survived() {
    use std::os::unix::ffi::OsStringExt;
    let sandbox = Sandbox::new();
    let odd = std::ffi::OsString::from_vec(b"db/\xFFnew\nline.bvh".to_vec());
    std::fs::create_dir(sandbox.path("db")).unwrap();
    std::fs::write(sandbox.path("").join(odd), LEG).unwrap();
    std::os::unix::fs::symlink(".", sandbox.path("db/loop")).unwrap();
    let ran = sandbox.run(["convert", "db", "--to", "bvh", "-o", "out/", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let rows = ran.rows();
    assert_eq!(rows[0]["error"]["code"], "io::link-loop", "{}", rows[0]);
    assert!(rows[1]["output"].as_str().unwrap().contains("new\nline.bvh"), "{}", rows[1]);
    assert_eq!(sandbox.path("out").read_dir().unwrap().count(), 1);
}
