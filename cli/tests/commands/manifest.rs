//! `mocap manifest`: shards merged, outputs checked, failures counted.

use crate::mocap::{LEG, Ran, Sandbox};

/// Twelve clips in three shards, one of them bad.
fn shards() -> Sandbox {
    let sandbox = Sandbox::new();
    for i in 0..12 {
        sandbox.put(&format!("db/{}/{i}.bvh", i % 3), LEG.replace("0.1 0 10 0", &format!("0.1 0 {i} 0")));
    }
    sandbox.put("db/1/4.bvh", "no motion");
    for shard in ["1/3", "2/3", "3/3"] {
        convert(&sandbox, "out/", &["--shard", shard]);
    }
    sandbox
}

fn convert(sandbox: &Sandbox, out: &str, more: &[&str]) -> Ran {
    sandbox.run([&["convert", "db", "--to", "csv", "--resume", "--json", "-o", out], more].concat())
}

/// The lines of a manifest but for what they measure.
fn clips(sandbox: &Sandbox, manifest: &str) -> Vec<serde_json::Value> {
    let text = String::from_utf8(sandbox.read(manifest)).unwrap();
    let mut clips: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|line| line["type"] != "start")
        .collect();
    clips.iter_mut().for_each(|clip| clip["seconds"] = 0.into());
    clips.sort_by_key(|clip| clip["path"].to_string());
    clips
}

#[test]
fn merged_shards_are_the_whole_run() {
    let sandbox = shards();
    convert(&sandbox, "whole/", &[]);
    let row = sandbox.run(["manifest", "merge", "out", "--json"]).ok().rows().remove(0);
    assert_eq!((&row["manifests"], &row["clips"], &row["failed"]), (&3.into(), &12.into(), &1.into()));
    let merged = clips(&sandbox, "out/.mocap-manifest.jsonl");
    assert_eq!(merged, clips(&sandbox, "whole/.mocap-manifest.jsonl"));
    // The run continues without shards: only the bad clip is processed again.
    let ran = convert(&sandbox, "out/", &[]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.rows().last().unwrap()["skipped"], 11);
    assert_eq!(sandbox.run(["manifest", "merge", "out"]).code, 2);
    sandbox.run(["manifest", "merge", "out", "--overwrite"]).ok();
    sandbox.run(["manifest", "merge", "out", "-o", "elsewhere.jsonl"]).ok();
    assert_eq!(clips(&sandbox, "elsewhere.jsonl"), merged);
}

#[test]
fn what_does_not_belong_together_or_is_missing_is_said() {
    let sandbox = shards();
    let shard = |i: u32| format!("out/.mocap-manifest.{i}-of-3.jsonl");
    let merge = |names: &[&str]| {
        sandbox.run([&["manifest", "merge", "-o", "m.jsonl", "--overwrite"], names].concat())
    };
    let ran = merge(&[&shard(1), &shard(3)]).ok();
    assert!(ran.stderr.contains("the manifests lack shard 2/3"), "{}", ran.stderr);

    // The largest number of shards that a manifest can state.
    let one = String::from_utf8(sandbox.read(&shard(1))).unwrap();
    sandbox.put("huge.jsonl", one.replace("\"shard\":\"1/3\"", "\"shard\":\"1/4294967295\""));
    let ran = merge(&["huge.jsonl"]).ok();
    assert!(ran.stderr.contains("11/4294967295 and 4294967284 more"), "{}", ran.stderr);

    // A clip that was started and not finished.
    let two = String::from_utf8(sandbox.read(&shard(2))).unwrap();
    sandbox.put(&shard(2), format!("{two}{{\"type\":\"start\",\"path\":\"9/9.bvh\"}}\n{{\"type\":\"cl"));
    let ran = merge(&[&shard(1), &shard(2), &shard(3)]).ok();
    assert!(ran.stderr.contains("1 clip was started and not finished, such as '9/9.bvh'"), "{}", ran.stderr);

    convert(&sandbox, "other/", &["--fps", "60", "--shard", "2/3"]);
    let ran = merge(&[&shard(1), "other/.mocap-manifest.2-of-3.jsonl"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--fps was not given, is '60'"), "{}", ran.stderr);

    let three = String::from_utf8(sandbox.read(&shard(3))).unwrap();
    let altered = sandbox.put("altered.jsonl", three.replace(".csv\",\"bytes\":", ".csv\",\"bytes\":1"));
    let ran = merge(&[&shard(3), altered.to_str().unwrap()]);
    assert!(ran.stderr.contains("records other outputs"), "{}", ran.stderr);

    let ran = sandbox.run(["manifest", "stats", "db"]);
    assert!(ran.stderr.contains("'db' has no manifest"), "{}", ran.stderr);
    assert_eq!(sandbox.run(["manifest", "verify", "none.jsonl"]).code, 2);
    sandbox.put("odd.jsonl", "{}\n");
    let ran = sandbox.run(["manifest", "stats", "odd.jsonl"]);
    assert!(ran.stderr.contains("line 1 of 'odd.jsonl'"), "{}", ran.stderr);
}

#[test]
fn outputs_are_checked_against_their_hashes() {
    let sandbox = shards();
    let ran = sandbox.run(["manifest", "verify", "out"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("failed  1/4.bvh  "), "{}", ran.stdout);
    assert!(ran.stdout.contains("12 clips: 11 whole, 1 failed"), "{}", ran.stdout);
    sandbox.put("db/1/4.bvh", LEG);
    for shard in ["1/3", "2/3", "3/3"] {
        convert(&sandbox, "out/", &["--shard", shard]).ok();
    }
    let ran = sandbox.run(["manifest", "verify", "out"]).ok();
    assert_eq!(ran.stdout, "12 clips: 12 whole\n");
    std::fs::remove_file(sandbox.path("out/0/3.csv")).unwrap();
    let mut bytes = sandbox.read("out/2/5.csv");
    bytes[3] ^= 1;
    sandbox.put("out/2/5.csv", bytes);
    let ran = sandbox.run(["manifest", "verify", "out", "--json"]);
    assert_eq!(ran.code, 1);
    let rows = ran.rows();
    let mut problems: Vec<_> =
        rows[..2].iter().map(|row| format!("{} {}", row["problem"], row["path"])).collect();
    problems.sort();
    assert_eq!(problems, ["\"changed\" \"2/5.bvh\"", "\"missing\" \"0/3.bvh\""]);
    assert_eq!((&rows[2]["ok"], &rows[2]["outputs"]), (&10.into(), &12.into()));
    // The directory of outputs may have been moved.
    std::fs::rename(sandbox.path("out"), sandbox.path("moved")).unwrap();
    assert_eq!(sandbox.run(["manifest", "verify", "moved"]).stdout.lines().count(), 3);
    std::fs::rename(sandbox.path("moved/.mocap-manifest.1-of-3.jsonl"), sandbox.path("1.jsonl")).unwrap();
    let ran = sandbox.run(["manifest", "verify", "1.jsonl", "--outputs", "moved", "-j", "1"]);
    assert!(!ran.stdout.contains("11 outputs missing"), "{}", ran.stdout);
}

#[test]
fn a_run_that_was_interrupted_is_not_whole() {
    let sandbox = shards();
    sandbox.put("db/1/4.bvh", LEG);
    convert(&sandbox, "whole/", &["-j", "1"]).ok();
    sandbox.run(["manifest", "verify", "whole"]).ok();
    let text = String::from_utf8(sandbox.read("whole/.mocap-manifest.jsonl")).unwrap();
    // A run that was killed between two clips: clips that it did not start have no line.
    let third = text.match_indices("{\"type\":\"start\"").nth(3).unwrap().0;
    sandbox.put("whole/.mocap-manifest.jsonl", &text[..third]);
    let ran = sandbox.run(["manifest", "verify", "whole"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("3 clips: 3 whole, 9 not started"), "{}", ran.stdout);
    let row = sandbox.run(["manifest", "verify", "whole", "--json"]).rows().remove(0);
    assert_eq!((&row["ok"], &row["not_started"]), (&3.into(), &9.into()));
    assert!(sandbox.run(["manifest", "stats", "whole"]).ok().stdout.contains(", 9 not started"));
    convert(&sandbox, "whole/", &["--overwrite"]).ok();
    sandbox.run(["manifest", "verify", "whole"]).ok();
}

#[test]
fn stats_say_what_failed_and_why() {
    let sandbox = shards();
    let ran = sandbox.run(["manifest", "stats", "out"]).ok();
    assert!(ran.stdout.starts_with("convert: 12 clips, 11 ok, 1 failed, 0 unfinished\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("1/4.bvh"), "{}", ran.stdout);
    let row = sandbox.run(["manifest", "stats", "out", "--json", "--slowest", "2"]).ok().rows().remove(0);
    assert_eq!((&row["frames"], &row["outputs"]), (&44.into(), &11.into()));
    assert_eq!(row["errors"][0]["count"], 1);
    assert_eq!(row["slowest"].as_array().unwrap().len(), 2);
}

#[test]
fn verify_needs_no_more_threads_than_the_system_gives() {
    let sandbox = Sandbox::new();
    for i in 0..20 {
        sandbox.put(&format!("db/{i}.bvh"), LEG);
    }
    sandbox.run(["convert", "db", "--to", "csv", "-o", "out/", "--resume", "-q"]).ok();
    // No system can give a thread a stack of this size, so no thread can be started.
    let mut verify = crate::mocap::command(&sandbox.path(""));
    verify.args(["manifest", "verify", "out", "-j", "8"]).env("RUST_MIN_STACK", (1u64 << 60).to_string());
    let ran = verify.output().unwrap();
    let (said, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && said.contains("20 clips: 20 whole"), "{said} {errors}");
}
