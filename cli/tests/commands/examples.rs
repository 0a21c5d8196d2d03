//! The pipelines of `examples/`, on the fixtures; and a database that goes through one twice, to the same bytes.

use std::collections::BTreeMap;

use crate::mocap::{Sandbox, fixture};

fn example(name: &str) -> String {
    fixture(&format!("../examples/pipelines/{name}.toml")).to_str().unwrap().to_owned()
}

/// Fixtures in a folder.
fn copy(sandbox: &Sandbox, folder: &str, names: &[&str]) {
    for name in names {
        sandbox.put(&format!("{folder}/{name}"), std::fs::read(fixture("clips").join(name)).unwrap());
    }
}

/// All files below a folder but for manifests, which hold times.
fn tree(sandbox: &Sandbox, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let files = sandbox.files(folder).into_iter().filter(|file| !file.contains("manifest"));
    files.map(|file| (file.clone(), sandbox.read(&format!("{folder}/{file}")))).collect()
}

fn mixed() -> Sandbox {
    let sandbox = Sandbox::new();
    copy(&sandbox, "database/bvh", &["alex_walk.bvh", "alex_turn.bvh", "robin_jump.bvh"]);
    copy(&sandbox, "database/amc", &["alex.asf", "alex_walk.amc", "alex_wave.amc"]);
    copy(&sandbox, ".", &["robin.skel"]);
    sandbox
}

#[test]
fn a_tree_of_amc_becomes_bvh_and_mocz() {
    let sandbox = Sandbox::new();
    copy(&sandbox, "database/01", &["alex.asf", "alex_walk.amc", "alex_jump.amc"]);
    copy(&sandbox, "database/02", &["robin.asf", "robin_wave.amc"]);
    sandbox.run(["run", &example("cmu"), "--set", "error=1mm"]).ok();
    let expected = [
        "bvh/01/alex_jump.bvh",
        "bvh/01/alex_walk.bvh",
        "bvh/02/robin_wave.bvh",
        "mocz/01/alex_jump.mocz",
        "mocz/01/alex_walk.mocz",
        "mocz/02/robin_wave.mocz",
    ];
    assert_eq!(sandbox.files("converted"), expected);
    let info = sandbox.run(["info", "converted/bvh/01/alex_walk.bvh", "--json"]).ok().rows().remove(0);
    assert_eq!(info["fps"].as_f64().unwrap().round(), 60.0, "{info}");
    let files = ["converted/bvh/01/alex_walk.bvh", "converted/mocz/01/alex_walk.mocz"];
    sandbox.run(["compare", files[0], files[1], "--max-error", "1.1mm"]).ok();
}

#[test]
fn a_mixed_database_becomes_tables_of_one_skeleton() {
    let sandbox = mixed();
    let ran = sandbox.run(["run", &example("training"), "--set", "target=robin.skel"]).ok();
    assert!(ran.stderr.contains("5 inputs: 5 ok"), "{}", ran.stderr);
    let tables = tree(&sandbox, "training");
    assert_eq!(tables.len(), 5);
    let joints = |name: &str| {
        let text = String::from_utf8(tables[name].clone()).unwrap();
        let first = text.lines().skip(1).take_while(|line| line.starts_with("0,"));
        first.map(|line| line.split(',').nth(2).unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(joints("bvh/alex_walk.csv"), joints("amc/alex_wave.csv"));
    assert!(joints("bvh/alex_walk.csv").len() > 10);
}

#[test]
fn a_gate_passes_what_is_good_and_stops_what_is_not() {
    let sandbox = mixed();
    let gate = example("gate");
    let run = |error: &str, input: &str| {
        let set = format!("error={error}");
        sandbox.run(["run", &gate, input, "--set", "target=robin.skel", "--set", &set, "--json"])
    };
    let before = sandbox.files("");
    let ran = run("1mm", "database/amc");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.rows()[0]["gates"].as_array().unwrap().iter().all(|gate| gate["passed"] == true));
    sandbox.put("database/amc/broken.amc", "#!nothing\n");
    assert_eq!(run("1mm", "database/amc").code, 1);
    std::fs::remove_file(sandbox.path("database/amc/broken.amc")).unwrap();
    assert_eq!(sandbox.files(""), before);
}

#[test]
fn a_database_that_goes_through_a_pipeline_twice_gives_the_same_bytes() {
    let sandbox = mixed();
    let pipeline = std::fs::read_to_string(example("training")).unwrap()
        + "\n[[step]]\ndo = 'write'\nto = 'bvh'\n\n[[step]]\ndo = 'compress'\nerror = '1mm'\n";
    sandbox.put("all.toml", pipeline);
    let run = |out: &str, more: &[&str]| {
        let base = ["run", "all.toml", "--set", "target=robin.skel", "-o", out];
        sandbox.run([&base, more].concat()).ok();
        tree(&sandbox, out)
    };
    let once = run("once", &["-j", "1"]);
    assert_eq!(once.len(), 15);
    assert!(once == run("twice", &["-j", "8"]));
    // Over existing outputs, and with some of them removed.
    assert!(once == run("twice", &["--overwrite"]));
    assert!(once == run("resumed", &["--resume"]));
    std::fs::remove_file(sandbox.path("resumed/bvh/alex_walk.mocz")).unwrap();
    assert!(once == run("resumed", &["--resume"]));
}
