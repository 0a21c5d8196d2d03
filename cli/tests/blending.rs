//! Blends, blend spaces, bands and the example of a state machine.

mod mocap;

use mocap::{Sandbox, fixture};
use serde_json::Value;

fn figure<'r>(row: &'r Value, name: &str) -> &'r Value {
    let figures = row["edits"][0]["figures"].as_array().unwrap();
    &figures.iter().find(|figure| figure["name"] == name).unwrap_or_else(|| panic!("{name} in {row}"))["value"]
}

fn clips(sandbox: &Sandbox) {
    for name in ["alex_walk", "alex_turn", "robin_walk"] {
        sandbox.put(&format!("{name}.bvh"), std::fs::read(fixture(&format!("clips/{name}.bvh"))).unwrap());
    }
}

#[test]
fn a_blend_travels_at_the_speed_of_its_weights() {
    let sandbox = Sandbox::new();
    clips(&sandbox);
    for weight in ["0", "0.3", "1"] {
        let args = [
            "blend",
            "alex_walk.bvh",
            "alex_turn.bvh",
            "--weight",
            weight,
            "-o",
            "b.bvh",
            "--overwrite",
            "--json",
        ];
        let row = sandbox.run(args).ok().rows().remove(0);
        let [found, wanted] = ["speed", "speed-of-weights"].map(|name| figure(&row, name).as_f64().unwrap());
        assert!((found / wanted - 1.0).abs() < 0.02, "{weight}: {row}");
        assert!(row["edits"][0]["contacts"]["skate"].as_f64().unwrap() < 0.03, "{weight}: {row}");
    }
}

#[test]
fn a_speed_that_no_motion_reaches_is_said() {
    let sandbox = Sandbox::new();
    clips(&sandbox);
    sandbox.put(
        "space.toml",
        "kind = '1d'\nparams = ['speed']\n[[clip]]\npath = 'alex_walk.bvh'\n[[clip]]\npath = 'alex_turn.bvh'\n",
    );
    let at = |speed: &str| {
        let param = format!("speed={speed}");
        sandbox.run([
            "blend",
            "--space",
            "space.toml",
            "--param",
            &param,
            "-o",
            "b.bvh",
            "--overwrite",
            "--json",
        ])
    };
    let row = at("9").ok().rows().remove(0);
    assert_eq!(row["warnings"].as_array().unwrap().last().unwrap()["code"], "edit::speed", "{row}");
    let unknown = sandbox.run(["blend", "--space", "space.toml", "--param", "sped=1", "-o", "c.bvh"]);
    assert!(unknown.stderr.contains("no parameter 'sped'"), "{}", unknown.stderr);
}

#[test]
fn the_example_plays_to_the_same_bytes_and_names_its_states() {
    let sandbox = Sandbox::new();
    let example =
        |name: &str| fixture(&format!("../examples/locomotion/{name}")).to_str().unwrap().to_owned();
    let (graph, timeline) = (example("character.toml"), example("inputs.csv"));
    for out in ["a.json", "b.json"] {
        let row =
            sandbox.run(["play", &graph, "--timeline", &timeline, "-o", out, "--json"]).ok().rows().remove(0);
        assert_eq!(figure(&row, "transitions"), 4.0, "{row}");
        assert!(figure(&row, "peak-acceleration").as_f64().unwrap() <= 1.2, "{row}");
        assert!(row["edits"][0]["warnings"].as_array().unwrap().is_empty(), "{row}");
    }
    assert_eq!(sandbox.read("a.json"), sandbox.read("b.json"));
    let take: Value = serde_json::from_slice(&sandbox.read("a.json")).unwrap();
    let events: Vec<&str> =
        take["events"].as_array().unwrap().iter().map(|event| event["name"].as_str().unwrap()).collect();
    assert_eq!(events, ["idle", "walk", "hurry", "walk", "idle"]);
}

#[test]
fn gains_of_one_keep_a_motion_and_other_skeletons_are_refused() {
    let sandbox = Sandbox::new();
    clips(&sandbox);
    sandbox.run(["bands", "alex_walk.bvh", "--gain", "high=1,mid=1,low=1", "-o", "same.bvh"]).ok();
    sandbox.run(["compare", "alex_walk.bvh", "same.bvh", "--fail-above", "0.001mm"]).ok();
    let refused = sandbox.run(["blend", "alex_walk.bvh", "robin_walk.bvh", "-o", "x.bvh"]);
    assert!(
        refused.stderr.contains("edit::skeletons") && refused.stderr.contains("retarget"),
        "{}",
        refused.stderr
    );
}
