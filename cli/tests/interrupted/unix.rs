//! Runs that are killed, signalled, or stuck.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::mocap::{LEG, Sandbox, command};

/// Clips of some hundred to some thousand frames, in two folders.
fn database(clips: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    for i in 0..clips {
        let rows = format!("0 1.2 0 0 {i} 0 0 0 0\n0 1.2 0 0 0 {i} 0 0 0.5\n").repeat(200 + 370 * (i % 7));
        let frames = 4 + rows.lines().count();
        let motion = LEG.replace("Frames: 4", &format!("Frames: {frames}")) + &rows;
        sandbox.put(&format!("db/{}/{i:02}.bvh", ["a", "b"][i % 2]), motion);
    }
    sandbox
}

/// A run to which signals are sent. A shell may start these tests with SIGINT ignored, and nohup with SIGHUP, which
/// children inherit.
fn spawn(sandbox: &Sandbox, arguments: &[&str]) -> Child {
    spawn_ignoring(sandbox, None, arguments)
}

/// As [`spawn`], with one signal ignored.
fn spawn_ignoring(sandbox: &Sandbox, ignored: Option<&str>, arguments: &[&str]) -> Child {
    let plain = command(&sandbox.path(""));
    let mut command = Command::new("env");
    // All other signals have their default effect, whatever these tests were started with.
    let usual = "--default-signal=INT,TERM,HUP".to_owned();
    let signals: Vec<String> =
        [usual].into_iter().chain(ignored.map(|name| format!("--ignore-signal={name}"))).collect();
    command.args(&signals).arg(plain.get_program()).current_dir(sandbox.path("")).env_clear();
    let can_set = Command::new("env").args(&signals).arg("true").output();
    if !can_set.is_ok_and(|output| output.status.success()) {
        if ignores_signals() || ignored.is_some() {
            mocap_corpus::skip("needs an `env` that can say which signals are ignored");
        }
        command = plain;
    }
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Whether this process ignores SIGHUP (1), SIGINT (2) or SIGTERM (15), where the system tells.
fn ignores_signals() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    ignored & (1 | 1 << 1 | 1 << 14) != 0
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([format!("-{name}"), child.id().to_string()]).status().unwrap();
    assert!(sent.success(), "the run was over before the signal");
}

/// The end of a run, which must come soon.
fn end(child: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60) {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    panic!("the run did not end");
}

fn until(child: &mut Child, what: impl Fn() -> bool) {
    while !what() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Reads what a run says until it says that it ends early: it has seen the signal then. What it says later, and what it
/// said.
fn until_signal_is_seen(child: &mut Child) -> (BufReader<ChildStderr>, String) {
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("interrupt again to stop at once") {
        assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "{said}");
    }
    (stderr, said)
}

type Tree = BTreeMap<String, Vec<u8>>;

/// The files below a folder, without manifests.
fn tree(sandbox: &Sandbox, folder: &str) -> Tree {
    if !sandbox.path(folder).exists() {
        return Tree::new();
    }
    let files = sandbox.files(folder).into_iter().filter(|name| !name.starts_with(".mocap-manifest"));
    files.map(|name| (name.clone(), sandbox.read(&format!("{folder}/{name}")))).collect()
}

fn is_temporary(name: &str) -> bool {
    Path::new(name).file_name().unwrap().to_str().unwrap().starts_with(".mocap-")
}

/// How often each clip was begun and finished.
fn counts(sandbox: &Sandbox, manifest: &str) -> BTreeMap<String, (usize, usize)> {
    let mut counts = BTreeMap::<String, (usize, usize)>::new();
    let bytes = sandbox.read(manifest);
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    for line in bytes[..whole].split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let line: serde_json::Value = serde_json::from_slice(line).expect("whole lines are JSON");
        let Some(path) = line["path"].as_str() else { continue };
        let count = counts.entry(path.to_owned()).or_default();
        match line["type"].as_str() {
            Some("start") => count.0 += 1,
            Some("clip") => count.1 += 1,
            other => panic!("{other:?}"),
        }
    }
    counts
}

/// Numbers that are the same in every run of the tests.
struct Random(u64);

impl Random {
    /// From 0 to below 1.
    fn next(&mut self) -> f64 {
        // Based on: G. Marsaglia, "Xorshift RNGs", 2003.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

const CONVERT: &[&str] = &["convert", "db", "--to", "csv", "-o", "out/", "--resume", "-q"];

pub(crate) fn runs_that_are_killed_twenty_times_make_what_one_run_makes() {
    let sandbox = database(42);
    sandbox.put("db/last.bvh", LEG);
    sandbox.run(["convert", "db", "--to", "csv", "-o", "whole/", "-j", "1"]).ok();
    let whole = tree(&sandbox, "whole");
    // No run comes to its end before it is killed: a pipe has no size, so it is the last to be read.
    std::fs::remove_file(sandbox.path("db/last.bvh")).unwrap();
    pipe(&sandbox, "db/last.bvh");
    let manifest = "out/.mocap-manifest.jsonl";
    let known = || if sandbox.path(manifest).exists() { counts(&sandbox, manifest) } else { BTreeMap::new() };
    let finished = || known().values().map(|(_, finished)| finished).sum::<usize>();
    // Clips that were started and not finished.
    let unfinished = || known().values().map(|(begun, finished)| begun - finished).sum::<usize>();
    let mut random = Random(0x5eed_0f7e_57ed);
    for kill in 0..20 {
        let jobs = ["1", "2", "8"][kill % 3];
        let (aim, before) = (finished() + (4.0 * random.next()) as usize, unfinished());
        let mut child = spawn(&sandbox, &[CONVERT, &["db/last.bvh", "-j", jobs]].concat());
        until(&mut child, || finished() >= aim.min(42) && unfinished() > before);
        assert_eq!(child.try_wait().unwrap(), None, "the run has ended");
        child.kill().unwrap();
        child.wait().unwrap();
        // Files under their final names are complete.
        for (name, bytes) in tree(&sandbox, "out").iter().filter(|(name, _)| !is_temporary(name)) {
            assert!(bytes == &whole[name], "kill {kill}: {name} is half written");
        }
        let counts = known();
        assert!(counts.values().all(|(_, finished)| *finished <= 1), "a clip was done twice: {counts:?}");
        let lost = unfinished() - before;
        assert!(lost <= jobs.parse().unwrap(), "kill {kill}: more was lost than was in flight");
    }
    assert!(unfinished() > 0, "no kill met a clip");
    std::fs::remove_file(sandbox.path("db/last.bvh")).unwrap();
    sandbox.put("db/last.bvh", LEG);
    sandbox.run(CONVERT).ok();
    assert!(tree(&sandbox, "out") == whole, "the tree differs");
    let counts = known();
    assert_eq!(counts.len(), 43);
    assert!(counts.values().all(|(_, finished)| *finished == 1), "{counts:?}");
    sandbox.run(["manifest", "verify", "out"]).ok();
}

pub(crate) fn any_number_of_jobs_and_shards_makes_the_same_tree() {
    let sandbox = database(20);
    sandbox.put("db/a/bad.bvh", "no motion");
    let run = |out: &str, more: &[&str]| {
        sandbox.run([&["convert", "db", "--to", "csv", "--resume", "-q", "-o", out], more].concat()).code
    };
    assert_eq!(run("one/", &["-j", "1"]), 1);
    assert_eq!(run("eight/", &["-j", "8"]), 1);
    let failed: i32 = ["1/3", "2/3", "3/3"].iter().map(|shard| run("three/", &["--shard", shard])).sum();
    assert_eq!(failed, 1, "the bad clip is in one shard");
    sandbox.run(["manifest", "merge", "three"]).ok();
    let one = tree(&sandbox, "one");
    assert_eq!(one.len(), 20);
    assert!(one == tree(&sandbox, "eight") && one == tree(&sandbox, "three"));
    let stats = |folder: &str| sandbox.run(["manifest", "stats", folder, "--json"]).ok().rows().remove(0);
    let (one, three) = (stats("one"), stats("three"));
    for field in ["clips", "ok", "failed", "bytes_in", "bytes_out", "frames", "errors"] {
        assert_eq!(one[field], three[field], "{field}");
    }
}

pub(crate) fn an_interrupted_run_ends_in_order_and_can_be_resumed() {
    for name in ["INT", "TERM"] {
        let sandbox = database(6);
        // They hold the run open: two are in progress when the signal comes, and the third has not started.
        let held = ["db/x.bvh", "db/y.bvh", "db/z.bvh"];
        held.iter().for_each(|path| pipe(&sandbox, path));
        // A search of directories finds only files.
        let convert = ["convert", "db", "--to", "csv", "-o", "out/", "--resume", "-j", "2"];
        let mut child = spawn(&sandbox, &[&convert[..], &held].concat());
        // Opened for writing where the run has opened them for reading.
        let open = |path: &str| std::fs::OpenOptions::new().write(true).open(sandbox.path(path)).unwrap();
        let pipes = [held[0], held[1]].map(open);
        until(&mut child, || tree(&sandbox, "out").len() == 6);
        signal(&child, name);
        let (mut stderr, mut said) = until_signal_is_seen(&mut child);
        for mut pipe in pipes {
            pipe.write_all(LEG.as_bytes()).unwrap();
        }
        assert_eq!(end(&mut child).code(), Some(130));
        stderr.read_to_string(&mut said).unwrap();
        assert!(said.contains("interrupted: 9 inputs: 6 ok, 3 not started"), "{said}");
        // The last line of the manifest is complete, and no output is half written.
        assert_eq!(sandbox.read("out/.mocap-manifest.jsonl").last(), Some(&b'\n'));
        let counts = counts(&sandbox, "out/.mocap-manifest.jsonl");
        assert_eq!((counts.len(), counts["x.bvh"], counts["y.bvh"]), (8, (1, 0), (1, 0)));
        assert_eq!(tree(&sandbox, "out").len(), 6);
        for path in held {
            std::fs::remove_file(sandbox.path(path)).unwrap();
            sandbox.put(path, LEG);
        }
        let ran = sandbox.run([CONVERT, &["--json"]].concat()).ok();
        let summary = ran.rows().pop().unwrap();
        assert_eq!((&summary["skipped"], &summary["not_begun"]), (&6.into(), &0.into()));
        sandbox.run(["convert", "db", "--to", "csv", "-o", "whole/"]).ok();
        assert!(tree(&sandbox, "out") == tree(&sandbox, "whole"));
    }
}

/// An input that is never read to its end.
fn pipe(sandbox: &Sandbox, name: &str) {
    let made = Command::new("mkfifo").arg(sandbox.path(name)).status().unwrap();
    assert!(made.success());
}

pub(crate) fn a_second_signal_ends_a_run_that_is_stuck() {
    let sandbox = Sandbox::new();
    sandbox.put("leg.bvh", LEG);
    pipe(&sandbox, "stuck.bvh");
    let arguments = ["convert", "stuck.bvh", "leg.bvh", "--to", "csv", "-o", "out/", "--resume", "-j", "2"];
    let mut child = spawn(&sandbox, &arguments);
    // A clip is done when the manifest says so, after its file is there.
    let manifest = "out/.mocap-manifest.jsonl";
    until(&mut child, || {
        sandbox.path(manifest).exists() && counts(&sandbox, manifest).get("leg.bvh") == Some(&(1, 1))
    });
    signal(&child, "INT");
    let (_stderr, _) = until_signal_is_seen(&mut child);
    assert_eq!(child.try_wait().unwrap(), None);
    signal(&child, "INT");
    assert_eq!(end(&mut child).code(), Some(130));
    assert_eq!(counts(&sandbox, "out/.mocap-manifest.jsonl")["leg.bvh"], (1, 1));
}

pub(crate) fn a_clip_that_takes_too_long_is_given_up_and_holds_up_no_other() {
    let sandbox = Sandbox::new();
    sandbox.put("leg.bvh", LEG);
    for name in ["1.bvh", "2.bvh"] {
        pipe(&sandbox, name);
    }
    // With one thread, both stuck clips have to be taken from it. A pipe has no size, so a file
    // without bytes is started after both.
    sandbox.put("none.bvh", "");
    let inputs = ["convert", "1.bvh", "leg.bvh", "2.bvh", "none.bvh", "--to", "csv", "-o", "out/"];
    // The time limit applies to the good clip as well: 4 s are enough for it on a busy machine.
    let ran = sandbox.run([&inputs[..], &["--resume", "--json", "-j", "1", "--timeout", "4"]].concat());
    assert_eq!(ran.code, 1);
    let rows = ran.rows();
    for at in [0, 2] {
        assert_eq!(rows[at]["error"]["code"], "batch::timeout", "{}", rows[at]);
    }
    assert_eq!(rows[1]["output"], "out/leg.csv");
    assert_eq!(rows[3]["error"]["code"], "text::empty", "{}", rows[3]);
    assert_eq!(rows[4]["failed"], 3);
    assert_eq!(counts(&sandbox, "out/.mocap-manifest.jsonl")["1.bvh"], (1, 1));
    assert_eq!(tree(&sandbox, "out").len(), 1);
}

pub(crate) fn a_run_whose_inputs_are_all_stuck_comes_to_an_end() {
    let sandbox = Sandbox::new();
    for i in 0..10 {
        sandbox.put("db/note.txt", "");
        pipe(&sandbox, &format!("db/{i}.bvh"));
    }
    let inputs: Vec<String> = (0..10).map(|i| format!("db/{i}.bvh")).collect();
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let more = ["--to", "csv", "-o", "out/", "--json", "-j", "1", "--timeout", "0.1"];
    let ran = sandbox.run([&["convert"], &inputs[..], &more].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("batch::stuck"), "{}", ran.stderr);
    // The run ends when four threads per worker are stuck.
    let summary = ran.rows().pop().unwrap();
    assert_eq!((&summary["failed"], &summary["not_begun"]), (&4.into(), &6.into()), "{summary}");
}

pub(crate) fn an_interrupted_command_leaves_nothing_half_written() {
    // Shells start what runs in the background without SIGINT, and `nohup` without SIGHUP.
    for (ignored, sent) in [(None, "INT"), (Some("INT"), "TERM"), (Some("HUP"), "INT")] {
        let sandbox = Sandbox::new();
        sandbox.put("leg.bvh", LEG);
        std::fs::create_dir(sandbox.path("out")).unwrap();
        // Nobody reads the pipe, so the command waits there, after it has written the skeleton beside it.
        pipe(&sandbox, "out/leg.amc");
        let convert = ["convert", "leg.bvh", "-o", "out/leg.amc", "--overwrite"];
        let mut child = spawn_ignoring(&sandbox, ignored, &convert);
        until(&mut child, || sandbox.path("out").read_dir().unwrap().count() == 2);
        signal(&child, sent);
        assert_eq!(end(&mut child).code(), Some(130), "{ignored:?}");
        assert_eq!(sandbox.path("out").read_dir().unwrap().count(), 1, "{ignored:?}");
    }
}

pub(crate) fn searches_end_before_the_next_file() {
    for search in
        [&["find", "--duplicates"][..], &["find", "--label", "walk"], &["label"], &["index", "-o", "x.index"]]
    {
        let sandbox = Sandbox::new();
        // The second is never opened by a run that ends in order.
        let held = ["a.bvh", "b.bvh"];
        held.iter().for_each(|path| pipe(&sandbox, path));
        let mut child = spawn(&sandbox, &[search, &held, &["-j", "1"]].concat());
        // Opened for writing where the run has opened it for reading.
        let mut pipe = std::fs::OpenOptions::new().write(true).open(sandbox.path(held[0])).unwrap();
        signal(&child, "INT");
        let (mut stderr, mut said) = until_signal_is_seen(&mut child);
        pipe.write_all(LEG.as_bytes()).unwrap();
        drop(pipe);
        assert_eq!(end(&mut child).code(), Some(130), "{search:?}");
        said.clear();
        stderr.read_to_string(&mut said).unwrap();
        assert!(said.contains("interrupted") && !sandbox.path("x.index").exists(), "{said}");
    }
}
