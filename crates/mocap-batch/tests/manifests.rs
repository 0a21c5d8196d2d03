//! Manifests as files: which are refused, and which records count.

use std::path::Path;

use mocap_batch::manifest::{Manifest, NamedManifest, merge, stats, verify};

const HASH: &str = "00000000000000000000000000000000";

/// A manifest of a run with these lines after its header.
fn manifest(shard: Option<&str>, lines: &[String]) -> NamedManifest {
    let shard = shard.map_or(String::new(), |shard| format!(r#","shard":"{shard}""#));
    let text = format!(
        r#"{{"type":"run","manifest":1,"mocap":"0.1.0","command":"convert","options":{{}},"fingerprint":"{HASH}"{shard},"hash":"xxh3-128"}}"#
    );
    let text = text + "\n" + &lines.concat();
    let manifest = Manifest::parse(Path::new("m.jsonl"), text.as_bytes()).unwrap();
    NamedManifest { path: "m.jsonl".into(), manifest }
}

fn start(clip: &str) -> String {
    format!(r#"{{"type":"start","path":"{clip}"}}"#) + "\n"
}

fn done(clip: &str, bytes: u64) -> String {
    format!(
        r#"{{"type":"clip","path":"{clip}","result":"ok","input":{{"bytes":{bytes},"hash":"{HASH}"}},"outputs":[{{"path":"{clip}","bytes":{bytes},"hash":"{HASH}"}}],"frames":{bytes},"seconds":1.0,"fingerprint":"{HASH}","mocap":"0.1.0"}}"#
    ) + "\n"
}

#[test]
fn hashes_of_another_kind_are_refused() {
    let text = format!(
        r#"{{"type":"run","manifest":1,"mocap":"0.1.0","command":"convert","options":{{}},"fingerprint":"{HASH}","hash":"sha-1"}}"#
    ) + "\n";
    let error = Manifest::parse(Path::new("m.jsonl"), text.as_bytes()).unwrap_err();
    assert_eq!(
        (error.code(), error.to_string().as_str()),
        ("manifest::form", "'m.jsonl' has hashes of kind 'sha-1'; this version reads xxh3-128")
    );
}

#[test]
fn shards_of_different_divisions_are_not_merged() {
    let manifests = [manifest(Some("1/3"), &[]), manifest(Some("2/4"), &[])];
    let error = merge(&manifests).unwrap_err();
    assert!(error.to_string().contains("the number of shards was 3, is 4"), "{error}");
    let manifests = [manifest(None, &[]), manifest(Some("1/3"), &[]), manifest(Some("3/3"), &[])];
    let warnings = merge(&manifests).unwrap().warnings;
    assert_eq!(warnings[0].to_string(), "the manifests lack shard 2/3");
}

#[test]
fn a_clip_that_was_done_and_started_again_counts_alike_everywhere() {
    let lines = [start("a"), done("a", 7), start("a"), start("b")];
    let manifests = [manifest(None, &lines)];
    let merged = merge(&manifests).unwrap();
    assert_eq!(merged.summary.unfinished, 1);
    assert_eq!(merged.warnings[0].to_string(), "1 clip was started and not finished, such as 'b'");
    assert_eq!(stats(&manifests, 0).unfinished, 1);
    assert_eq!(verify(&manifests, None, 1).summary.unfinished, 1);
}

#[test]
fn sums_of_any_sizes_do_not_overflow() {
    let manifests = [manifest(None, &[done("a", u64::MAX), done("b", 3)])];
    let stats = stats(&manifests, 0);
    assert_eq!((stats.bytes_in, stats.bytes_out, stats.frames), (u64::MAX, u64::MAX, usize::MAX));
    assert_eq!(verify(&manifests, None, 2).summary.bytes, u64::MAX);
}
