//! Runs that continue others: manifests, shards, which clips are done again and which are not.

use crate::mocap::{LEG, Ran, Sandbox};
use serde_json::Value;

/// Nine clips in three folders, each another motion.
fn database() -> Sandbox {
    let sandbox = Sandbox::new();
    for i in 0..9 {
        let motion = LEG.replace("0.1 0 10 0", &format!("0.1 0 {i} 0"));
        sandbox.put(&format!("db/{}/clip {i}.bvh", ["a", "b", "c/d"][i % 3]), motion);
    }
    sandbox
}

const CONVERT: &[&str] = &["convert", "db", "--to", "csv", "-o", "out/"];
const MANIFEST: &str = "out/.mocap-manifest.jsonl";

fn convert(sandbox: &Sandbox, more: &[&str]) -> Ran {
    sandbox.run([CONVERT, more].concat())
}

fn lines(sandbox: &Sandbox, manifest: &str) -> Vec<Value> {
    let text = String::from_utf8(sandbox.read(manifest)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// The clips that were finished, in that order.
fn finished(sandbox: &Sandbox, manifest: &str) -> Vec<String> {
    let clips = lines(sandbox, manifest).into_iter().filter(|line| line["type"] == "clip");
    clips.map(|line| line["path"].as_str().unwrap().to_owned()).collect()
}

/// The outputs, without manifests.
fn tree(sandbox: &Sandbox, folder: &str) -> Vec<(String, Vec<u8>)> {
    let files = sandbox.files(folder).into_iter().filter(|name| !name.contains(".mocap-manifest"));
    files.map(|name| (name.clone(), sandbox.read(&format!("{folder}/{name}")))).collect()
}

#[test]
fn a_manifest_says_what_was_done() {
    let sandbox = database();
    sandbox.put("db/a/clip 0.bvh", "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 zero 0\n");
    assert_eq!(convert(&sandbox, &["--resume"]).code, 1);
    let lines = lines(&sandbox, MANIFEST);
    assert_eq!((&lines[0]["type"], &lines[0]["command"]), (&"run".into(), &"convert".into()));
    assert_eq!(lines[0]["options"]["--to"], "csv");
    assert_eq!(lines.iter().filter(|line| line["type"] == "start").count(), 9);
    let clip = |path: &str| lines.iter().find(|line| line["type"] == "clip" && line["path"] == path).unwrap();
    let good = clip("a/clip 3.bvh");
    assert_eq!((&good["result"], &good["frames"]), (&"ok".into(), &4.into()));
    assert_eq!(good["input"]["bytes"], sandbox.read("db/a/clip 3.bvh").len());
    assert_eq!(good["outputs"][0]["path"], "a/clip 3.csv");
    assert_eq!(good["outputs"][0]["bytes"], sandbox.read("out/a/clip 3.csv").len());
    assert_eq!(good["outputs"][0]["hash"].as_str().unwrap().len(), 32);
    let bad = clip("a/clip 0.bvh");
    assert_eq!((&bad["result"], &bad["outputs"]), (&"failed".into(), &Value::Array(vec![])));
    assert_eq!(bad["error"]["code"], "bvh::syntax", "{bad}");
}

#[test]
fn without_being_asked_for_there_is_no_manifest() {
    let sandbox = database();
    convert(&sandbox, &[]).ok();
    assert!(!sandbox.path(MANIFEST).exists());
}

#[test]
fn what_is_done_is_not_done_again() {
    let sandbox = database();
    convert(&sandbox, &["--resume"]).ok();
    let before = sandbox.read(MANIFEST);
    let ran = convert(&sandbox, &["--resume", "--json"]).ok();
    assert_eq!(sandbox.read(MANIFEST), before);
    let rows = ran.rows();
    assert_eq!(rows.last().unwrap()["skipped"], 9);
    assert_eq!(rows[0]["action"], "skip");
    let ran = convert(&sandbox, &["--resume"]).ok();
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("9 inputs: 0 ok, 9 skipped"), "{}", ran.stderr);
}

#[test]
fn what_has_changed_or_failed_or_is_gone_is_done_again() {
    let sandbox = database();
    sandbox.put("db/a/clip 0.bvh", "");
    assert_eq!(convert(&sandbox, &["--resume"]).code, 1);
    sandbox.put("db/a/clip 0.bvh", LEG);
    sandbox.put("db/a/clip 3.bvh", LEG.replace("0.033333", "0.016667"));
    std::fs::remove_file(sandbox.path("out/b/clip 1.csv")).unwrap();
    // An output of the same size with other content.
    let mut output = sandbox.read("out/b/clip 4.csv");
    *output.last_mut().unwrap() = b'!';
    sandbox.put("out/b/clip 4.csv", output);
    sandbox.put("db/new.bvh", LEG);
    let before = finished(&sandbox, MANIFEST).len();
    let plan = convert(&sandbox, &["--resume", "--dry-run"]).ok().stdout;
    assert_eq!(plan.lines().filter(|line| line.starts_with("skip ")).count(), 5, "{plan}");
    let ran = convert(&sandbox, &["--resume", "--json"]).ok();
    assert_eq!(ran.rows().last().unwrap()["ok"], 5, "{ran:?}");
    let mut again = finished(&sandbox, MANIFEST)[before..].to_vec();
    again.sort();
    assert_eq!(again, ["a/clip 0.bvh", "a/clip 3.bvh", "b/clip 1.bvh", "b/clip 4.bvh", "new.bvh"]);
    let resumed = tree(&sandbox, "out");
    sandbox.run(["convert", "db", "--to", "csv", "-o", "whole/"]).ok();
    assert_eq!(resumed, tree(&sandbox, "whole"));
}

#[test]
fn the_skeleton_of_an_amc_and_the_target_count_as_inputs() {
    let sandbox = Sandbox::new();
    sandbox.put("leg.bvh", LEG);
    sandbox.run(["convert", "leg.bvh", "-o", "db/01/01_01.amc"]).ok();
    std::fs::rename(sandbox.path("db/01/01_01.asf"), sandbox.path("db/01/01.asf")).unwrap();
    convert(&sandbox, &["--resume"]).ok();
    assert_eq!(lines(&sandbox, MANIFEST)[3]["also"][0]["path"], "01/01.asf");
    assert_eq!(convert(&sandbox, &["--resume", "--json"]).ok().rows()[0]["action"], "skip");
    let skeleton = String::from_utf8(sandbox.read("db/01/01.asf")).unwrap();
    sandbox.put("db/01/01.asf", format!("# edited\n{skeleton}"));
    assert_eq!(convert(&sandbox, &["--resume", "--json"]).ok().rows()[0]["format"], "csv");

    let fixture = |name: &str| crate::mocap::fixture(name).display().to_string();
    sandbox.put("clips/walk.bvh", std::fs::read(fixture("clips/alex_walk.bvh")).unwrap());
    sandbox.put("robin.skel", std::fs::read(fixture("clips/robin.skel")).unwrap());
    let retarget = ["retarget", "clips/", "robin.skel", "-o", "robin/", "--resume"];
    sandbox.run(retarget).ok();
    let skel = String::from_utf8(sandbox.read("robin.skel")).unwrap();
    sandbox.put("robin.skel", format!("{skel}\n"));
    let ran = sandbox.run(retarget);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("the target was 'robin.skel ("), "{}", ran.stderr);
}

#[test]
fn a_manifest_of_another_run_is_an_error_that_says_what_differs() {
    let sandbox = database();
    convert(&sandbox, &["--resume"]).ok();
    let before = sandbox.read(MANIFEST);
    let ran = convert(&sandbox, &["--resume", "--fps", "60"]);
    assert_eq!((ran.code, sandbox.read(MANIFEST)), (2, before));
    assert!(ran.stderr.contains("--fps was not given, is '60'"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--resume --overwrite"), "{}", ran.stderr);
    // With --json, the error is the only row and names no input.
    let rows = convert(&sandbox, &["--resume", "--fps", "60", "--json"]).rows();
    assert_eq!((rows.len(), rows[0]["path"].is_null()), (1, true), "{rows:?}");
    assert!(rows[0]["error"]["message"].as_str().unwrap().contains("--fps was not given"), "{rows:?}");
    let ran = convert(&sandbox, &["--resume", "--overwrite", "--fps", "60", "--json"]).ok();
    assert_eq!(ran.rows().last().unwrap()["ok"], 9);
    // The manifest now records a run with this option.
    let ran = convert(&sandbox, &["--resume", "--fps", "60", "--json"]).ok();
    assert_eq!(ran.rows().last().unwrap()["skipped"], 9);
    assert_eq!(convert(&sandbox, &["--resume"]).code, 2);
}

#[test]
fn files_of_others_are_not_replaced() {
    let sandbox = database();
    sandbox.put("out/a/clip 0.csv", "mine");
    let ran = convert(&sandbox, &["--resume"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("the manifest does not list it"), "{}", ran.stderr);
    assert_eq!(sandbox.read("out/a/clip 0.csv"), b"mine");
    convert(&sandbox, &["--resume", "--overwrite"]).ok();
    assert_ne!(sandbox.read("out/a/clip 0.csv"), b"mine");
}

#[test]
fn a_torn_line_is_cut_off_and_what_a_killed_run_left_is_taken_away() {
    let sandbox = database();
    convert(&sandbox, &["--resume", "-j", "1"]).ok();
    let whole = tree(&sandbox, "out");
    let manifest = sandbox.read(MANIFEST);
    // The temporary file of a killed run, which has the hash of the manifest's path in its name.
    let tag = {
        sandbox.put("probe.bvh", LEG);
        let unfinished = manifest.len() - 40;
        sandbox.put(MANIFEST, &manifest[..unfinished]);
        let path = sandbox.path(MANIFEST).canonicalize().unwrap();
        &hash_of(path.to_str().unwrap())[..8]
    };
    sandbox.put(&format!("out/a/.mocap-{tag}-Xy12.tmp"), "half");
    sandbox.put("out/a/.mocap-01234567-Xy12.tmp", "of another run");
    let ran = convert(&sandbox, &["--resume", "--json"]).ok();
    assert_eq!(ran.rows().last().unwrap()["ok"], 1);
    assert!(!sandbox.path(&format!("out/a/.mocap-{tag}-Xy12.tmp")).exists());
    std::fs::remove_file(sandbox.path("out/a/.mocap-01234567-Xy12.tmp")).unwrap();
    assert_eq!(tree(&sandbox, "out"), whole);
    // All lines of the manifest are complete.
    assert_eq!(finished(&sandbox, MANIFEST).len(), 9);
}

fn hash_of(text: &str) -> String {
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(text.as_bytes()))
}

#[test]
fn a_manifest_needs_a_directory_and_is_written_by_one_run_at_a_time() {
    let sandbox = database();
    let ran = sandbox.run(["convert", "db/a/clip 0.bvh", "-o", "x.csv", "--resume"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("-o DIR/"), "{}", ran.stderr);
    let ran = sandbox.run(["skel", "db", "--resume"]);
    assert_eq!(ran.code, 2, "{ran:?}");

    sandbox.put(MANIFEST, "");
    let held = std::fs::File::open(sandbox.path(MANIFEST)).unwrap();
    held.lock().unwrap();
    let ran = convert(&sandbox, &["--resume"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("another run is writing"), "{}", ran.stderr);
    drop(held);

    convert(&sandbox, &["--manifest", "kept.jsonl"]).ok();
    assert_eq!(finished(&sandbox, "kept.jsonl").len(), 9);
    let ran = convert(&sandbox, &["--manifest", "kept.jsonl", "--skip-existing"]);
    assert!(ran.stderr.contains("'kept.jsonl' exists already"), "{}", ran.stderr);
    convert(&sandbox, &["--manifest", "kept.jsonl", "--resume"]).ok();
    convert(&sandbox, &["--manifest", "kept.jsonl", "--overwrite"]).ok();
    assert_eq!(finished(&sandbox, "kept.jsonl").len(), 9);
}

#[test]
fn shards_share_a_tree_and_make_the_whole_of_it() {
    let sandbox = database();
    convert(&sandbox, &[]).ok();
    let whole = tree(&sandbox, "out");
    let mut clips = 0;
    for shard in ["1/3", "2/3", "3/3"] {
        let run = ["convert", "db", "--to", "csv", "-o", "shards/", "--resume", "--shard", shard, "--json"];
        clips += sandbox
            .run(run)
            .ok()
            .rows()
            .iter()
            .filter(|row| row["frames"] == 4 && row["format"] == "csv")
            .count();
    }
    assert_eq!((clips, tree(&sandbox, "shards")), (9, whole));
    let manifests: Vec<String> =
        sandbox.files("shards").into_iter().filter(|name| name.contains("manifest")).collect();
    assert_eq!(manifests, ["1", "2", "3"].map(|i| format!(".mocap-manifest.{i}-of-3.jsonl")));
    // Every command accepts shards and prints a summary for each, even for a shard without clips.
    let info = |shard: &str| sandbox.run(["info", "db", "--json", "--shard", shard]).ok().rows();
    assert_eq!(info("1/2").len() + info("2/2").len(), 9 + 2);
    let empty =
        (1..=64).map(|i| format!("{i}/64")).map(|shard| info(&shard)).find(|rows| rows.len() == 1).unwrap();
    assert_eq!((&empty[0]["type"], &empty[0]["clips"]), (&"summary".into(), &0.into()));
}

#[test]
fn inputs_that_differ_in_their_extension_have_the_same_outputs_in_every_shard() {
    let sandbox = Sandbox::new();
    sandbox.put("db/x.bvh", LEG);
    // This input cannot be read, so the shard that contains it fails.
    sandbox.put("db/x.amc", "");
    let run = |shard| sandbox.run(["convert", "db", "--to", "csv", "-o", "out/", "--shard", shard]).code;
    let codes = ["1/5", "2/5", "3/5", "4/5", "5/5"].map(run);
    assert_eq!(codes.iter().filter(|code| **code == 1).count(), 1, "{codes:?}");
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 4, "{codes:?}");
    assert!(sandbox.path("out/x.bvh.csv").exists() && !sandbox.path("out/x.csv").exists());
    assert_eq!(sandbox.run(["info", "db", "--shard", "0/5"]).code, 2);
}

#[test]
fn a_target_from_stdin_counts_by_its_content() {
    let sandbox = Sandbox::new();
    let clip = |name: &str| std::fs::read(crate::mocap::fixture(&format!("clips/{name}"))).unwrap();
    sandbox.put("clips/walk.bvh", clip("alex_walk.bvh"));
    let retarget = ["retarget", "clips/", "-", "-o", "out/", "--resume"];
    sandbox.run_with(retarget, &clip("robin.skel")).ok();
    let ran = sandbox.run_with(retarget, &clip("robin.skel")).ok();
    assert!(ran.stderr.contains("1 skipped") || ran.stdout.is_empty(), "{ran:?}");
    let ran = sandbox.run_with(retarget, &clip("alex.skel"));
    assert!(ran.code == 2 && ran.stderr.contains("the target was '- ("), "{ran:?}");
}

#[test]
fn an_input_from_stdin_is_in_the_manifest() {
    let sandbox = Sandbox::new();
    sandbox.run_with(["convert", "-", "--to", "csv", "-o", "out/", "--resume"], LEG.as_bytes()).ok();
    let lines = lines(&sandbox, MANIFEST);
    let clip = lines.iter().find(|line| line["type"] == "clip").unwrap();
    assert_eq!((&clip["input"]["bytes"], &clip["also"]), (&LEG.len().into(), &Value::Null), "{clip}");
}
