//! Unusual file systems: full, unreadable, case-folding, odd names. Each problem is reported clearly, and no
//! work is lost.

#[path = "../mocap/mod.rs"]
mod mocap;

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use mocap::{LEG, Sandbox, command};

const CONVERT: &[&str] = &["convert", "db", "--to", "csv", "-o", "out/", "--resume"];

/// A clip whose table is some 60 kB.
fn clip(i: usize) -> String {
    let rows = format!("0 1.2 0 0 {i} 0 0 0 0.5\n").repeat(400);
    LEG.replace("Frames: 4", "Frames: 404") + &rows
}

/// Runs a script in a mount namespace: disks that it mounts are gone after it. `"$0"` is the program, `"$@"` are `arguments`.
/// Gives its exit code and what it wrote to stderr, or nothing where no disk can be mounted.
fn with_disks(sandbox: &Sandbox, script: &str, arguments: &[&str]) -> Option<(i32, String)> {
    let program = command(&sandbox.path("")).get_program().to_owned();
    let mut unshare = Command::new("unshare");
    unshare.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]).arg(program).args(arguments);
    let output = unshare.current_dir(sandbox.path("")).output().ok()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let mounted = !said.contains("unshare:") && !said.contains("mount:");
    mounted.then(|| (output.status.code().expect("no signal"), said))
}

pub(crate) fn a_full_disk_ends_the_run_and_a_later_one_goes_on() {
    let sandbox = Sandbox::new();
    for i in 0..20 {
        sandbox.put(&format!("db/{i:02}.bvh"), clip(i));
    }
    sandbox.run(["convert", "db", "--to", "csv", "-o", "whole/"]).ok();
    std::fs::create_dir(sandbox.path("out")).unwrap();
    let script = r#"mount -t tmpfs -o size=400k none out || exit 99
        "$0" "$@"; code=$?
        "$0" "$@" 2>/dev/null; again=$?
        find out -name '.mocap-*.tmp' | grep . && exit 98
        cp -a out kept
        [ $code = 1 ] && [ $again = 1 ] || exit 97"#;
    let arguments = [CONVERT, &["-j", "2"]].concat();
    let Some((code, said)) = with_disks(&sandbox, script, &arguments) else {
        mocap_corpus::skip("need to mount a disk");
    };
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("error[io::disk-full]"), "{said}");
    assert!(said.contains("the run stopped: the disk is full"), "{said}");
    // It did not process all of them.
    assert!(said.matches("io::disk-full").count() <= 2, "{said}");
    let done = sandbox.files("kept").into_iter().filter(|name| !name.contains("manifest"));
    let done: Vec<String> = done.collect();
    assert!((1..20).contains(&done.len()), "{done:?}");
    for name in done {
        assert_eq!(sandbox.read(&format!("kept/{name}")), sandbox.read(&format!("whole/{name}")), "{name}");
    }
    // With room again.
    std::fs::remove_dir(sandbox.path("out")).unwrap();
    std::fs::rename(sandbox.path("kept"), sandbox.path("out")).unwrap();
    sandbox.run(CONVERT).ok();
    sandbox.run(["manifest", "verify", "out"]).ok();
}

pub(crate) fn a_manifest_that_finds_no_room_ends_the_run() {
    let sandbox = Sandbox::new();
    for i in 0..20 {
        sandbox.put(&format!("db/{i:02}.bvh"), LEG);
    }
    std::fs::create_dir(sandbox.path("small")).unwrap();
    let script = r#"mount -t tmpfs -o size=4k none small || exit 99
        "$0" "$@"; code=$?
        cp small/m.jsonl kept.jsonl
        exit $code"#;
    let arguments = [CONVERT, &["-j", "2", "--manifest", "small/m.jsonl"]].concat();
    let Some((code, said)) = with_disks(&sandbox, script, &arguments) else {
        mocap_corpus::skip("need to mount a disk");
    };
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("cannot write 'small/m.jsonl'"), "{said}");
    // The line that did not fit is gone whole, and outputs that were begun and have no line are done again.
    assert_eq!(sandbox.read("kept.jsonl").last(), Some(&b'\n'));
    let ran = sandbox.run([CONVERT, &["--json", "--manifest", "kept.jsonl"]].concat()).ok();
    let summary = ran.rows().remove(20);
    let (ok, known) = (summary["ok"].as_u64().unwrap(), summary["skipped"].as_u64().unwrap());
    assert!(ok + known == 20 && known > 1 && ok > 1, "{summary}");
    sandbox.run(["manifest", "verify", "kept.jsonl", "--outputs", "out"]).ok();
    // A device accepts what is written, but it cannot be read back.
    let ran = sandbox.run([CONVERT, &["--manifest", "/dev/null"]].concat());
    assert_eq!(ran.code, 2, "{ran:?}");
}

pub(crate) fn a_device_that_is_full_is_said_to_be() {
    if !cfg!(target_os = "linux") {
        mocap_corpus::skip("need /dev/full");
    }
    let sandbox = Sandbox::new();
    sandbox.put("leg.bvh", LEG);
    let ran = sandbox.run(["convert", "leg.bvh", "--to", "csv", "-o", "/dev/full"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("error[io::disk-full]"), "{}", ran.stderr);
    assert!(!std::fs::metadata("/dev/full").unwrap().is_file());
}

pub(crate) fn a_folder_that_cannot_be_read_is_one_failure() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox.put("db/a/1.bvh", LEG);
    sandbox.put("db/closed/2.bvh", LEG);
    let open = |name: &str, mode| {
        std::fs::set_permissions(sandbox.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    open("", 0o777);
    open("db/closed", 0o000);
    let readable = std::fs::read_dir(sandbox.path("db/closed")).is_ok();
    let mocap = command(&sandbox.path(""));
    // Root may read every file, so the test runs as the user nobody.
    let mut run = match readable {
        true => {
            let mut run = Command::new("setpriv");
            run.args(["--reuid=65534", "--clear-groups"]).arg(mocap.get_program());
            run
        }
        false => Command::new(mocap.get_program()),
    };
    let output = run.args(CONVERT).arg("--json").current_dir(sandbox.path("")).output();
    open("db/closed", 0o755);
    let Ok(output) = output else { mocap_corpus::skip("need setpriv: root reads everything") };
    let (said, rows) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    if said.contains("setpriv:") {
        mocap_corpus::skip("need to run as another user");
    }
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("error[io::permission]: cannot search 'db/closed'"), "{said}");
    assert!(rows.contains(r#""ok":1,"failed":1"#), "{rows}");
    assert!(sandbox.path("out/a/1.csv").exists());
}

pub(crate) fn outputs_may_be_on_another_file_system() {
    let sandbox = Sandbox::new();
    sandbox.put("db/1.bvh", LEG);
    let Ok(other) = tempfile::tempdir_in("/dev/shm") else { mocap_corpus::skip("need /dev/shm") };
    let device = |path: &std::path::Path| path.metadata().unwrap().dev();
    if device(other.path()) == device(&sandbox.path("db")) {
        mocap_corpus::skip("need a second file system");
    }
    std::os::unix::fs::symlink(other.path(), sandbox.path("out")).unwrap();
    sandbox.run(CONVERT).ok();
    assert!(other.path().join("1.csv").exists());
    let ran = sandbox.run([CONVERT, &["--json"]].concat()).ok();
    assert_eq!(ran.rows()[0]["action"], "skip");
    sandbox.run(["manifest", "verify", "out"]).ok();
}

pub(crate) fn names_of_all_kinds_are_resumed_and_verified() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("db")).unwrap();
    // The second and third differ only in bytes that are not UTF-8, so they look the same as text.
    let names: [&[u8]; 6] = [
        b"with blank.bvh",
        b"odd\xff.bvh",
        b"odd\xfe.bvh",
        b"new\nline.bvh",
        b"\"quoted\"\\.bvh",
        "スキップ.bvh".as_bytes(),
    ];
    for name in names {
        let path = sandbox.path("db").join(OsString::from_vec(name.to_vec()));
        if std::fs::write(path, LEG).is_err() {
            mocap_corpus::skip("need a file system with names of any bytes");
        }
    }
    sandbox.run(CONVERT).ok();
    let written = sandbox.path("out").join(OsString::from_vec(b"odd\xfe.csv".to_vec()));
    std::fs::remove_file(&written).unwrap();
    let ran = sandbox.run(["manifest", "verify", "out", "--json"]);
    assert_eq!(ran.rows().last().unwrap()["missing"], 1, "{ran:?}");
    let ran = sandbox.run([CONVERT, &["--json"]].concat()).ok();
    let summary = ran.rows().remove(6);
    assert_eq!((&summary["ok"], &summary["skipped"]), (&1.into(), &5.into()));
    assert!(written.exists());
    sandbox.run(["manifest", "verify", "out"]).ok();
    let mut shards = 0;
    for shard in ["1/2", "2/2"] {
        let run =
            ["convert", "db", "--to", "csv", "-o", "shards/", "--resume", "-q", "--json", "--shard", shard];
        shards += sandbox.run(run).ok().rows().iter().filter(|row| row["format"] == "csv").count();
    }
    assert_eq!(shards, 6);
    sandbox.run(["manifest", "merge", "shards"]).ok();
    assert_eq!(sandbox.run(["manifest", "verify", "shards"]).ok().stdout, "6 clips: 6 whole\n");
}

pub(crate) fn links_in_a_circle_are_one_failure() {
    let sandbox = Sandbox::new();
    sandbox.put("db/a/1.bvh", LEG);
    std::os::unix::fs::symlink("..", sandbox.path("db/a/up")).unwrap();
    let ran = sandbox.run([CONVERT, &["--json"]].concat());
    assert_eq!(ran.code, 1);
    let rows = ran.rows();
    assert_eq!(rows[1]["error"]["code"], "io::link-loop", "{ran:?}");
    assert_eq!((&rows[2]["ok"], &rows[2]["failed"]), (&1.into(), &1.into()));
}

pub(crate) fn names_that_differ_in_letters_alone_are_kept_apart_with_a_warning() {
    let sandbox = Sandbox::new();
    sandbox.put("db/Walk.bvh", LEG);
    sandbox.put("db/walk.bvh", clip(1));
    if sandbox.files("db").len() == 1 {
        mocap_corpus::skip("need a file system that tells upper from lower case");
    }
    let ran = sandbox.run(CONVERT).ok();
    assert!(ran.stderr.contains("batch::case-twin"), "{}", ran.stderr);
    assert!(ran.stderr.contains("Windows and macOS treat both as one file"), "{}", ran.stderr);
    assert_ne!(sandbox.read("out/Walk.csv"), sandbox.read("out/walk.csv"));
}

pub(crate) fn a_manifest_that_cannot_be_written_is_said_before_any_work() {
    let sandbox = Sandbox::new();
    sandbox.put("db/1.bvh", LEG);
    sandbox.put("file", "");
    let ran = sandbox.run([CONVERT, &["--manifest", "file/m.jsonl"]].concat());
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("cannot write 'file/m.jsonl'"), "{}", ran.stderr);
    assert!(!sandbox.path("out/1.csv").exists());
}
