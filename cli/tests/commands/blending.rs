//! Blends, blend spaces, bands and the example of a state machine.

use crate::mocap::{Sandbox, fixture};
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
            "--weights",
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
    // The limit is checked before frames are computed.
    sandbox.put("long.csv", "time\n0\n1000000000\n");
    for (timeline, most) in [(&*timeline, "100"), ("long.csv", "1G")] {
        let ran =
            sandbox.run(["play", &graph, "--timeline", timeline, "-o", "c.json", "--max-samples", most]);
        assert!(ran.code != 0 && ran.stderr.contains("--max-samples"), "{}", ran.stderr);
    }
}

#[test]
fn a_timeline_of_rows_is_that_of_a_table() {
    let sandbox = Sandbox::new();
    clips(&sandbox);
    let graph = "[params]\nturning = 0\n[clip.walk]\npath = 'alex_walk.bvh'\nloop = true\n[clip.turn]\n\
                 path = 'alex_turn.bvh'\n[node.look]\ntype = 'layer'\nbase = 'walk'\nover = 'turn'\n\
                 weight = 'turning'\nmask = 'Spine/**~2'\nspace = 'mesh'\n[node.body]\ntype = 'lerp'\n\
                 nodes = ['walk', 'look']\nat = 'turning'\n";
    sandbox.put("graph.toml", graph);
    sandbox.put("a.csv", "time,turning\n0,0\n2,1\n3,\n");
    sandbox
        .put("a.toml", "[[row]]\ntime = 0\nturning = 0\n[[row]]\ntime = 2\nturning = 1\n[[row]]\ntime = 3\n");
    for name in ["a.csv", "a.toml"] {
        sandbox.run(["play", "graph.toml", "--timeline", name, "-o", &format!("{name}.bvh")]).ok();
    }
    assert_eq!(sandbox.read("a.csv.bvh"), sandbox.read("a.toml.bvh"));
    let said = sandbox.run(["play", "graph.toml", "--explain"]).ok().stdout;
    assert!(said.contains("lerp, between walk, look at turning") && said.contains("in mesh space"), "{said}");
    sandbox.put("bad.toml", graph.replace("'mesh'", "'meshh'"));
    let refused = sandbox.run(["play", "bad.toml", "--timeline", "a.csv", "-o", "x.bvh"]);
    assert!(
        refused.stderr.contains("bad.toml:14:9") && refused.stderr.contains("mesh"),
        "{}",
        refused.stderr
    );
}

#[test]
fn terrain_series_and_keys_are_commands_and_steps() {
    let sandbox = Sandbox::new();
    clips(&sandbox);
    let row = |args: &[&str]| sandbox.run(args).ok().rows().remove(0);
    let made = row(&["terrain", "alex_walk.bvh", "--steps", "0.15,0.6,6", "-o", "stairs.bvh", "--json"]);
    assert!(figure(&made, "terrain-penetration").as_f64().unwrap() < 1e-6, "{made}");
    assert!(figure(&made, "stance-error").as_f64().unwrap() < 1e-3, "{made}");
    sandbox.put("flat.csv", "0,0,0\n0,0,0\n0,0,0\n");
    let flat = ["terrain", "alex_walk.bvh", "--heights", "flat.csv", "--cell", "50", "-o", "flat.bvh"];
    let made = row(&[&flat[..], &["--json"]].concat());
    // Angles between equal rotations are measured to rounding.
    assert_eq!(made["edits"][0]["max_m"], 0.0, "{made}");
    assert!(made["edits"][0]["max_deg"].as_f64().unwrap() < 1e-12, "{made}");
    sandbox.put("ramp.obj", "v -50 0 -50\nv 50 0 -50\nv 50 10 50\nv -50 10 50\nf 1 2 3 4\n");
    let made = row(&["terrain", "alex_walk.bvh", "--terrain-mesh", "ramp.obj", "-o", "ramp.bvh", "--json"]);
    let slope = figure(&made, "slope").as_f64().unwrap();
    assert!((slope - 0.1f64.atan().to_degrees()).abs() < 1e-3, "{made}");
    // The same ramp as a mesh in glTF.
    sandbox.put("ramp.gltf", RAMP);
    let made = row(&["terrain", "alex_walk.bvh", "--terrain-mesh", "ramp.gltf", "-o", "same.bvh", "--json"]);
    assert!((figure(&made, "slope").as_f64().unwrap() - slope).abs() < 1e-5, "{made}");
    sandbox.put("hole.csv", "0,,0\n0,,0\n0,,0\n");
    let hole = ["terrain", "alex_walk.bvh", "--heights", "hole.csv", "--cell", "5", "-o", "x.bvh"];
    let refused = sandbox.run(hole);
    assert!(
        refused.stderr.contains("edit::terrain") && refused.stderr.contains("in frame"),
        "{}",
        refused.stderr
    );

    let made = row(&["fourier", "alex_walk.bvh", "--harmonics", "6", "-o", "smooth.bvh", "--json"]);
    assert!((0.0..0.01).contains(&made["edits"][0]["rms_m"].as_f64().unwrap()), "{made}");
    sandbox.put("keys.toml", "from = 0.2\nto = 2.0\n[[key]]\ntime = 1.0\npose = 'alex_turn.bvh'\n");
    sandbox.run(["warp", "alex_walk.bvh", "--keys", "keys.toml", "-o", "posed.bvh"]).ok();
    sandbox.put("nan.toml", "from = nan\nto = 2.0\n[[key]]\ntime = 1.0\njoint = 'Head'\nby = [0, 1, 0]\n");
    let refused = sandbox.run(["warp", "alex_walk.bvh", "--keys", "nan.toml", "-o", "x.bvh"]);
    assert!(refused.stderr.contains("found nan, which is not finite"), "{}", refused.stderr);
    let refused = sandbox.run(["blend", "alex_walk.bvh", "alex_turn.bvh", "--weights", "1.5", "-o", "x.bvh"]);
    assert!(refused.stderr.contains("usage::weight"), "{}", refused.stderr);

    let step = |text: &str| format!("[[step]]\n{text}\n");
    let steps = [
        "do = 'blend'\nwith = 'alex_turn.bvh'\nweight = 0.3\ntiming = 'registration'",
        "do = 'bands'\ngain = 'high=0.5'\nfail-above = 'max-deg=90'",
        "do = 'warp'\nkeys = 'late.toml'",
        "do = 'terrain'\nsteps = '0.1,0.6,3'\nfail-above = 'terrain-penetration=0.001'",
        "do = 'write'\nto = 'bvh'",
    ];
    sandbox
        .put("late.toml", "from = 0.1\nto = 0.9\n[[key]]\ntime = 0.5\njoint = 'Head'\nturn = [0, 20, 0]\n");
    sandbox.put("steps.toml", steps.map(step).concat());
    let row = row(&["run", "steps.toml", "alex_walk.bvh", "-o", "out/", "--json"]);
    let done: Vec<&str> =
        row["steps"].as_array().unwrap().iter().map(|step| step["do"].as_str().unwrap()).collect();
    assert_eq!(done, ["blend", "bands", "warp", "terrain"], "{row}");
    assert_eq!(row["passed"], true);
}

/// A plane that rises by 0.1 per metre ahead.
const RAMP: &str = r#"{ "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
"meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }], "accessors": [
{ "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [-50, -5, -50], "max": [50, 5, 50] },
{ "bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR" }], "bufferViews": [
{ "buffer": 0, "byteOffset": 0, "byteLength": 48 }, { "buffer": 0, "byteOffset": 48, "byteLength": 12 }], "buffers": [
{ "byteLength": 60, "uri": "data:application/octet-stream;base64,AABIwgAAoMAAAEjCAABIQgAAoMAAAEjCAABIQgAAoEAAAEhCAABIwgAAoEAAAEhCAAACAAEAAAADAAIA" }] }"#;

#[test]
fn mistakes_have_a_code_and_a_place() {
    let sandbox = Sandbox::new();
    clips(&sandbox);
    sandbox.put("alex_wave.bvh", std::fs::read(fixture("clips/alex_wave.bvh")).unwrap());
    let refused = |args: &[&str], parts: &[&str]| {
        let ran = sandbox.run([args, &["-o", "x.bvh"]].concat());
        assert_ne!(ran.code, 0, "{args:?}");
        for part in parts {
            assert!(ran.stderr.contains(part), "{args:?}: no '{part}' in {}", ran.stderr);
        }
    };
    let three = ["blend", "alex_walk.bvh", "alex_turn.bvh", "robin_walk.bvh"];
    refused(&three, &["edit::skeletons", "motions 1 and 3", "retarget"]);
    let still = ["blend", "alex_walk.bvh", "alex_wave.bvh"];
    refused(&still, &["edit::phases", "motion 2: fewer than two foot strikes", "--timing"]);
    // Without foot strikes, frames can be paired in another way.
    sandbox.run([&still[..], &["--timing", "registration", "-o", "between.bvh"]].concat()).ok();
    let two = ["blend", "alex_walk.bvh", "alex_turn.bvh", "--weights"];
    for (weight, part) in [
        ("-0.1", "usage::weight"),
        ("1.01", "usage::weight"),
        ("-1,2", "a weight is -1"),
        ("0,0", "all weights are 0"),
        ("1,2,3", "2 motions have 3 weights"),
    ] {
        refused(&[&two[..], &[weight]].concat(), &[part]);
    }

    sandbox.put("tl.csv", "time,speed\n0,1\n2,\n");
    let play = ["play", "graph.toml", "--timeline", "tl.csv"];
    let graph = |text: &str| {
        let head = "[params]\nspeed = 0\n[clip.walk]\npath = 'alex_walk.bvh'\nloop = true\n";
        sandbox.put("graph.toml", head.to_owned() + text);
    };
    let layer =
        |name: &str, base: &str| format!("[node.{name}]\ntype = 'layer'\nbase = '{base}'\nover = 'walk'\n");
    graph(&(layer("a", "b") + &layer("b", "a")));
    refused(&play, &["play::graph", "graph.toml:6:7", "a → b → a"]);
    let states = "[clip.turn]\npath = 'alex_turn.bvh'\n[node.s]\ntype = 'states'\n[[node.s.state]]\nnode = 'walk'\n\
                  [[node.s.state]]\nnode = 'turn'\n[[node.s.transition]]\nfrom = 'walk'\nto = 'turn'\n";
    graph(&format!("{states}when = 'speed > 2 and speed < 1'\n"));
    refused(&play, &["play::graph", "graph.toml:17:8", "never fires"]);
    graph(&format!("{states}when = 'finished'\n"));
    refused(&play, &["graph.toml:17:8", "never finishes"]);
    graph(&format!("{states}when = 'speed > 2'\n"));
    let ran = sandbox.run([&play[..], &["-o", "take.bvh"]].concat()).ok();
    assert!(ran.stderr.contains("play::never") && ran.stderr.contains("from walk to turn"), "{}", ran.stderr);
    sandbox.put("bad.csv", "# a take\ntime,sped\n0,1\n2,\n");
    let bad = ["play", "graph.toml", "--timeline", "bad.csv"];
    refused(&bad, &["play::timeline", "bad.csv:2:6", "did you mean 'speed'"]);

    let keys = |text: &str, parts: &[&str]| {
        sandbox.put("keys.toml", "from = 0.5\nto = 2.5\n".to_owned() + text);
        refused(&["warp", "alex_wave.bvh", "--keys", "keys.toml"], parts);
    };
    let head = "joint = 'Head'\nturn = [0, 9, 0]\n";
    keys(&format!("[[key]]\ntime = 2.6\n{head}"), &["warp::keys", "keys.toml:4:8", "not between"]);
    keys(
        "[[time]]\nat = 1\nto = 2\n[[time]]\nat = 1.5\nto = 1.8\n",
        &["warp::keys", "keys.toml:6:1", "order"],
    );
    keys(&format!("mode = 'scale'\n[[key]]\ntime = 1\n{head}"), &["keys.toml:3:8", "offset or scale-offset"]);
    keys(
        "[[key]]\ntime = 1\njoint = 'LeftHand'\nby = [0, 900, 0]\n",
        &["edit::warp", "'LeftHand'", "at 1 s"],
    );

    let heights = |text: &str, parts: &[&str]| {
        sandbox.put("heights.csv", text);
        let terrain = ["terrain", "alex_walk.bvh", "--heights", "heights.csv", "--cell", "0.5"];
        refused(&terrain, parts);
    };
    heights("0,0\n0,0\n", &["edit::terrain", "ends before", "in frame", "--terrain-origin"]);
    heights("0\n", &["edit::surface", "at least 2 columns and 2 rows"]);
    heights("0,0\n0,x\n", &["terrain::file", "line 2, column 2"]);
}

#[test]
fn layers_are_added_in_local_and_in_mesh_space() {
    let sandbox = Sandbox::new();
    clips(&sandbox);
    sandbox.put("alex_wave.bvh", std::fs::read(fixture("clips/alex_wave.bvh")).unwrap());
    let add = ["edit", "alex_turn.bvh", "--add", "alex_wave.bvh", "--mask", "RightUpperArm/**"];
    sandbox.run([&add[..], &["-o", "local.bvh"]].concat()).ok();
    sandbox.run([&add[..], &["--add-space", "mesh", "-o", "mesh.bvh"]].concat()).ok();
    assert_ne!(sandbox.read("local.bvh"), sandbox.read("mesh.bvh"));
    let step = "[[step]]\ndo = 'add'\nfile = 'alex_wave.bvh'\nmask = 'RightUpperArm/**'\nspace = 'mesh'\n\
                [[step]]\ndo = 'write'\nto = 'bvh'\n";
    sandbox.put("steps.toml", step);
    sandbox.run(["run", "steps.toml", "alex_turn.bvh", "-o", "out/"]).ok();
    assert_eq!(sandbox.read("mesh.bvh"), sandbox.read("out/alex_turn.bvh"));
}

#[test]
fn gains_of_one_keep_a_motion_and_other_skeletons_are_refused() {
    let sandbox = Sandbox::new();
    clips(&sandbox);
    sandbox.run(["bands", "alex_walk.bvh", "--gain", "high=1,mid=1,low=1", "-o", "same.bvh"]).ok();
    sandbox.run(["compare", "alex_walk.bvh", "same.bvh", "--max-error", "0.001mm"]).ok();
    let refused = sandbox.run(["blend", "alex_walk.bvh", "robin_walk.bvh", "-o", "x.bvh"]);
    assert!(
        refused.stderr.contains("edit::skeletons") && refused.stderr.contains("retarget"),
        "{}",
        refused.stderr
    );
}
