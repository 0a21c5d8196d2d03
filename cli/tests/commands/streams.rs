//! stdin and stdout, closed pipes, colours, what goes where.

use std::process::Stdio;

use crate::mocap::{LEG, Sandbox, command};

#[test]
fn a_file_goes_through_a_pipe_unchanged_in_value() {
    let sandbox = Sandbox::new();
    let once =
        sandbox.run_with(["convert", "-", "--from", "bvh", "--to", "bvh", "-o", "-"], LEG.as_bytes()).ok();
    // Nothing but the file is on stdout.
    assert!(once.stdout.starts_with("HIERARCHY\n"), "{}", once.stdout);
    let twice = sandbox.run_with(["convert", "-", "--to", "bvh", "-o", "-"], once.stdout.as_bytes()).ok();
    assert_eq!(twice.stdout, once.stdout);
    assert!(once.stdout.contains("0.033333\n"));
}

#[test]
fn stdin_is_named_in_rows_and_messages() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run_with(["info", "-", "--json"], LEG.as_bytes()).ok();
    assert_eq!(ran.rows()[0]["path"], "-");
    let ran = sandbox.run_with(["info", "-"], b"what is this");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("--from"), "{}", ran.stderr);
    let ran = sandbox.run_with(["info", "-", "-"], LEG.as_bytes());
    assert_eq!(ran.code, 2);
}

#[test]
fn rows_and_a_file_do_not_share_stdout() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run_with(["convert", "-", "--to", "bvh", "-o", "-", "--json"], LEG.as_bytes());
    assert_eq!((ran.code, ran.rows().len()), (2, 1));
    assert_eq!(ran.rows()[0]["error"]["code"], "usage::stdout-twice");
}

#[test]
fn a_closed_pipe_is_success() {
    let sandbox = Sandbox::new();
    // More than a pipe holds.
    let rows = "0 1.2 0 0 0 0 0 0 0\n".repeat(100_000);
    let long = LEG.replace("Frames: 4", "Frames: 100004") + &rows;
    sandbox.put("long.bvh", long);
    let mut child = command(&sandbox.path(""))
        .args(["convert", "long.bvh", "--to", "bvh", "-o", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_lost_result_is_a_failure() {
    let sandbox = Sandbox::new();
    sandbox.put("leg.bvh", LEG);
    let runs: [&[&str]; 6] = [
        &["info", "leg.bvh", "--json"],
        &["validate", "leg.bvh"],
        &["compare", "leg.bvh", "leg.bvh"],
        &["skel", "leg.bvh"],
        &["generate", "schema"],
        &["convert", "leg.bvh", "-o", "x.csv"],
    ];
    for arguments in runs {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = command(&sandbox.path("")).args(arguments).stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("error[io::error]"), "{arguments:?}: {said}");
    }
}

#[test]
fn colour_is_for_terminals_or_on_request() {
    let sandbox = Sandbox::new();
    sandbox.put("bad.bvh", "HIERARCHY\nROOT\n");
    let plain = sandbox.run(["info", "bad.bvh"]);
    assert_eq!(plain.code, 1);
    assert!(!plain.stderr.contains('\u{1b}'));
    let colored = sandbox.run(["info", "bad.bvh", "--color", "always"]);
    assert!(colored.stderr.contains('\u{1b}'));
}

#[test]
fn quiet_leaves_errors_and_results() {
    let sandbox = Sandbox::new();
    sandbox.put("odd.bvh", LEG.replace("MOTION", "# a comment\nMOTION"));
    sandbox.put("bad.bvh", "HIERARCHY\nROOT\n");
    let ran = sandbox.run(["info", "odd.bvh", "bad.bvh", "-q"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("odd.bvh"));
    assert!(ran.stderr.starts_with("error["), "{}", ran.stderr);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
}
