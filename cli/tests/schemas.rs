//! Everything that mocap prints and reads conforms to its schemas.

mod mocap;

use jsonschema::Validator;
use mocap::{LEG, Ran, Sandbox, fixture};
use serde_json::Value;

fn schema(sandbox: &Sandbox, name: &str) -> Validator {
    let text = sandbox.run(["generate", "schema", name]).ok().stdout;
    let schema: Value = serde_json::from_str(&text).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

#[track_caller]
fn check(validator: &Validator, value: &Value) {
    let errors: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{value}\n{}", errors.join("\n"));
}

/// A database with a good clip, a repaired one and a broken one, and a body.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put("db/leg.bvh", LEG);
    sandbox.put("db/odd.bvh", LEG.replace("MOTION", "# a comment\nMOTION"));
    sandbox.put("db/broken.bvh", "HIERARCHY\nROOT\n");
    // More than one error, behind a warning.
    let holes = LEG.replace("0 10 0", "0 nan 0").replace("0 20 0", "0 x 0").replace("0 30 0", "0 inf 0");
    sandbox.put("db/holes.bvh", holes.replace("Frames: 4", "Frames: 9"));
    for name in ["alex_walk.bvh", "robin.skel"] {
        sandbox.put(name, std::fs::read(fixture("clips").join(name)).unwrap());
    }
    sandbox
}

#[track_caller]
fn rows(sandbox: &Sandbox, name: &str, runs: &[&[&str]]) {
    let validator = schema(sandbox, name);
    for arguments in runs {
        let ran: Ran = sandbox.run([arguments, &["--json"][..]].concat());
        assert_ne!(ran.stdout, "", "{arguments:?}: {ran:?}");
        ran.rows().iter().for_each(|row| check(&validator, row));
    }
    // A schema that accepts any object would check nothing.
    assert!(!validator.is_valid(&serde_json::json!({ "path": "x" })), "{name}");
}

#[test]
fn rows_are_what_their_schemas_say() {
    let sandbox = sandbox();
    rows(
        &sandbox,
        "convert",
        &[
            &["convert", "db", "--to", "csv", "-o", "out/"],
            &["convert", "db", "--to", "csv", "-o", "out/", "--skip-existing"],
            &["convert", "db", "--to", "csv", "-o", "dry/", "--dry-run"],
        ],
    );
    let unit = ["--input-unit", "m"];
    rows(&sandbox, "compress", &[&["compress", "db", "-o", "small/", unit[0], unit[1]]]);
    rows(&sandbox, "decompress", &[&["decompress", "small", "-o", "back/"]]);
    rows(
        &sandbox,
        "info",
        &[&["info", "db", "small", "robin.skel"], &["info", "alex_walk.bvh", "--quality"]],
    );
    rows(&sandbox, "validate", &[&["validate", "db"], &["validate", "db", "--strict"]]);
    rows(
        &sandbox,
        "compare",
        &[
            &["compare", "db/leg.bvh", "db/odd.bvh", "--input-unit", "m", "--max-error", "1mm"],
            &["compare", "db/leg.bvh", "db/broken.bvh", "--input-unit", "m"],
        ],
    );
    rows(&sandbox, "skel-row", &[&["skel", "alex_walk.bvh"], &["skel", "db", "-o", "skeletons/"]]);
    rows(&sandbox, "skel-preset", &[&["skel", "--preset", "list"]]);
    rows(&sandbox, "retarget", &[&["retarget", "alex_walk.bvh", "db/leg.bvh", "robin.skel", "-o", "robin/"]]);
    let gates = "slide=0.05,step=0,violations=0";
    let retarget =
        ["retarget", "alex_walk.bvh", "robin.skel", "--overwrite", "-o", "gated.bvh", "--fail-above", gates];
    rows(
        &sandbox,
        "retarget",
        &[
            &retarget,
            &[&retarget[..], &["--no-limits", "--no-lock", "--contacts", "hands"]].concat(),
            &["retarget", "db/holes.bvh", "robin.skel", "-o", "x.bvh"],
            &["retarget", "alex_walk.bvh", "robin.skel", "--ik", "none"],
        ],
    );
    rows(&sandbox, "retarget-explain", &[&["retarget", "alex_walk.bvh", "robin.skel", "--explain"]]);
    rows(
        &sandbox,
        "picture",
        &[
            &["sheet", "alex_walk.bvh", "-o", "sheet.svg"],
            &["sheet", "db", "-o", "sheets/"],
            &["sheet", "db/broken.bvh", "-o", "broken.svg"],
            &["view", "alex_walk.bvh", "-o", "view.html"],
            &["plot", "alex_walk.bvh", "--joint", "Hips", "-o", "plot.svg"],
        ],
    );
    rows(&sandbox, "print-config", &[&["compress", "--print-config", "--include", "a", "--include", "b"]]);
}

#[test]
fn pipelines_and_manifests_are_what_their_schemas_say() {
    let sandbox = sandbox();
    let pipeline = "[variables]\nrate = 30\n[[step]]\ndo = 'edit'\nfps = '${rate}'\n\
         [[step]]\ndo = 'retarget'\ntarget = 'robin.skel'\nfail-above = ['float=0.01']\n\
         [[step]]\ndo = 'write'\nto = 'bvh'\n[[step]]\ndo = 'compress'\n\
         [[step]]\ndo = 'compare'\nmax-error = '1mm'\n[[override]]\nfiles = '*'\nbvh.enabled = true\n";
    sandbox.put("p.toml", pipeline);
    rows(
        &sandbox,
        "run",
        &[
            &["run", "p.toml", "alex_walk.bvh", "db/leg.bvh", "-o", "out/", "--resume"],
            &["run", "p.toml", "alex_walk.bvh", "db/leg.bvh", "-o", "out/", "--resume"],
            &["run", "p.toml", "alex_walk.bvh", "-o", "dry/", "--dry-run"],
        ],
    );
    rows(&sandbox, "run-explain", &[&["run", "p.toml", "alex_walk.bvh", "-o", "dry/", "--explain"]]);
    let lines = String::from_utf8(sandbox.read("out/.mocap-manifest.jsonl")).unwrap();
    let validator = schema(&sandbox, "manifest");
    lines.lines().for_each(|line| check(&validator, &serde_json::from_str(line).unwrap()));
    assert!(!validator.is_valid(&serde_json::json!({ "type": "clip", "path": "x" })));
    rows(&sandbox, "manifest-stats", &[&["manifest", "stats", "out"]]);
    rows(&sandbox, "manifest-verify", &[&["manifest", "verify", "out"]]);
    for shard in ["1/2", "2/2"] {
        sandbox.run([
            "run",
            "p.toml",
            "alex_walk.bvh",
            "db/leg.bvh",
            "-o",
            "parts/",
            "--resume",
            "--shard",
            shard,
        ]);
    }
    rows(&sandbox, "manifest-merge", &[&["manifest", "merge", "parts"]]);

    let validator = schema(&sandbox, "pipeline");
    check(&validator, &table(pipeline));
    for name in std::fs::read_dir(fixture("../examples/pipelines")).unwrap() {
        let path = name.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            check(&validator, &table(&std::fs::read_to_string(path).unwrap()));
        }
    }
    for wrong in
        ["", "[[step]]\ndo = 'edti'\n", "[[step]]\ndo = 'edit'\nfsp = 3\n", "[[step]]\ndo = 'write'\n"]
    {
        assert!(!validator.is_valid(&table(wrong)), "{wrong}");
    }
}

#[test]
fn files_are_what_their_schemas_say() {
    let sandbox = sandbox();
    let file = |name: &str| -> Value { serde_json::from_slice(&sandbox.read(name)).unwrap() };
    sandbox.run(["convert", "alex_walk.bvh", "-o", "walk.json"]).ok();
    check(&schema(&sandbox, "clip"), &file("walk.json"));
    check(&schema(&sandbox, "skel"), &file("robin.skel"));
    sandbox.run(["retarget", "alex_walk.bvh", "robin.skel", "--write-map", "map.json"]).ok();
    check(&schema(&sandbox, "map"), &file("map.json"));
    let validator = schema(&sandbox, "config");
    let config =
        "jobs = 4\ncolor = 'never'\ninput-unit = 0.01\n[compress]\nerror = '1mm'\nprofile = 'keys'\n";
    check(&validator, &table(config));
    sandbox.put("mocap.toml", config);
    sandbox.run(["info", "db/leg.bvh"]).ok();
    for wrong in ["jbos = 4\n", "color = 'pink'\n", "[compress]\nasf-units = 'x'\n", "overwrite = true\n"] {
        assert!(!validator.is_valid(&table(wrong)), "{wrong}");
    }
}

#[test]
fn the_schemas_are_the_published_ones() {
    let sandbox = Sandbox::new();
    let published = fixture("../docs/schema");
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        sandbox.run(["generate", "schema", "-o", published.to_str().unwrap()]).ok();
    }
    sandbox.run(["generate", "schema", "-o", "schema"]).ok();
    let there = std::fs::read_dir(&published).unwrap().count();
    assert_eq!(sandbox.files("schema").len(), there);
    for name in sandbox.files("schema") {
        let text = std::fs::read(published.join(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(text == sandbox.read(&format!("schema/{name}")), "{name}: UPDATE_SCHEMAS=1 writes it anew");
    }
}

fn table(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

#[test]
fn graphs_spaces_timelines_and_keys_are_what_their_schemas_say() {
    let sandbox = sandbox();
    let example = |name: &str| std::fs::read_to_string(fixture("../examples/locomotion").join(name)).unwrap();
    let keys = "from = 0\nto = 2\n[[key]]\ntime = 1\njoint = 'Head'\nturn = [0, 90, 0]\n\
                [[key]]\ntime = 1.5\npose = 'a.bvh'\n\
                [[key]]\ntime = 1.6\njoint = 'Head'\nlook-at = [0, 1, 2]\nuntil = 1.8\nshares = { Head = 2, Neck = 1 }\nlimits = { Head = 60 }\n";
    let rows = "[[row]]\ntime = 0\nspeed = 1\n[[row]]\ntime = 2\nevent = 'kick'\n";
    let lerp = "[clip.a]\npath = 'a.bvh'\n[node.b]\ntype = 'lerp'\nnodes = ['a', 'a']\nat = 0.5\n";
    for (name, right) in [
        ("graph", example("character.toml")),
        ("graph", lerp.to_owned()),
        ("space", example("space.toml")),
        ("keys", keys.to_owned()),
        ("timeline", rows.to_owned()),
    ] {
        let validator = schema(&sandbox, name);
        check(&validator, &table(&right));
        assert!(!validator.is_valid(&table(&format!("wrong = 1\n{right}"))), "{name}");
    }
    let graph = schema(&sandbox, "graph");
    for wrong in
        [lerp.replace("lerp", "lrep"), lerp.replace("at = 0.5", "weight = 1"), lerp.replace("path", "file")]
    {
        assert!(!graph.is_valid(&table(&wrong)), "{wrong}");
    }
}
