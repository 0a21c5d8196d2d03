//! Which joint moves which: shown, written, edited, given back; and the skeletons of common rigs.

use crate::mocap::{LEG, Sandbox, fixture};
use serde_json::Value;

fn clip(name: &str) -> String {
    fixture(&format!("clips/{name}")).to_str().unwrap().to_owned()
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put("leg.bvh", LEG);
    sandbox
}

#[test]
fn explain_shows_the_map_and_writes_nothing() {
    let sandbox = Sandbox::new();
    let (walk, robin) = (clip("alex_walk.bvh"), clip("robin.skel"));
    let ran = sandbox.run(["retarget", "--explain", &walk, &robin]).ok();
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    for line in [
        "names source: Mixamo / MotionBuilder; target: Unreal",
        "scale legs 1.188, arms 1.074",
        "LeftFoot LeftFoot name 1.00 foot_l stated 1.00 1.00",
        "Chest Spine place 0.90 - distributed",
        "trunk, left out: LHipJoint, RHipJoint",
    ] {
        assert!(ran.stdout.lines().any(|found| words(found) == line), "{line}\n{}", ran.stdout);
    }
    let row = sandbox.run(["retarget", "--explain", &walk, &robin, "--json"]).ok().rows().remove(0);
    let foot = row["map"].as_array().unwrap().iter().find(|pair| pair["role"] == "LeftFoot").unwrap().clone();
    let expected = serde_json::json!({
        "role": "LeftFoot",
        "source": { "joint": "LeftFoot", "reason": "name", "score": 1.0 },
        "target": { "joint": "foot_l", "reason": "stated", "score": 1.0 },
        "score": 1.0,
        "distributed": false,
    });
    assert_eq!(foot, expected);
    assert_eq!(row["source_others"][0]["becomes"], "left out");
    assert_eq!(sandbox.files(""), Vec::<String>::new());
    let ran = sandbox.run(["retarget", "--explain", &walk, &robin, "-o", "x.bvh"]);
    assert_eq!(ran.code, 2, "it would not write x.bvh");
    // Skeletons without motion can be shown, too.
    sandbox.run(["retarget", "--explain", &robin, &clip("alex.skel")]).ok();
}

#[test]
fn a_map_that_is_written_and_given_back_changes_nothing() {
    let sandbox = Sandbox::new();
    let (walk, robin) = (clip("alex_walk.bvh"), clip("robin_walk.bvh"));
    let ran = sandbox.run(["retarget", "--write-map", "m.json", &walk, &robin]).ok();
    assert!(ran.stdout.starts_with("m.json: "), "{}", ran.stdout);
    assert_eq!(sandbox.files(""), ["m.json"], "no motion is written");
    let again = sandbox.run(["retarget", "--write-map", "m.json", &walk, &robin]);
    assert!(again.code == 2 || again.code == 1, "{again:?}");
    assert!(again.stderr.contains("usage::output-exists"), "{}", again.stderr);
    sandbox.run(["retarget", &walk, &robin, "-o", "found.bvh"]).ok();
    sandbox.run(["retarget", &walk, &robin, "-o", "given.bvh", "--map", "m.json"]).ok();
    assert_eq!(sandbox.read("found.bvh"), sandbox.read("given.bvh"));
    // Roles that are removed from the map are not retargeted.
    let mut map: Value = serde_json::from_slice(&sandbox.read("m.json")).unwrap();
    map["roles"].as_array_mut().unwrap().retain(|row| row["role"] != "Head");
    sandbox.put("headless.json", map.to_string());
    let flags = ["retarget", &walk, &robin, "-o", "headless.bvh", "--map", "headless.json", "--json"];
    let row = sandbox.run(flags).ok().rows().remove(0);
    assert!(row["mapping"].as_array().unwrap().iter().all(|row| row["role"] != "Head"));
    assert_ne!(sandbox.read("found.bvh"), sandbox.read("headless.bvh"));
    // On stdout, and nothing else.
    let ran = sandbox.run(["retarget", "--write-map", "-", &walk, &robin]).ok();
    assert_eq!(ran.stdout.as_bytes(), sandbox.read("m.json"));
}

#[test]
fn faults_of_a_map_are_shown_in_its_text() {
    let sandbox = Sandbox::new();
    let (walk, robin) = (clip("alex_walk.bvh"), clip("robin.skel"));
    sandbox.put(
        "m.json",
        "{ \"format\": \"mocap-map\", \"version\": 1, \"roles\": [\n  { \"role\": \"Hips\", \"source\": \"Hip\" }\n] }\n",
    );
    let ran = sandbox.run(["retarget", &walk, &robin, "--map", "m.json", "-o", "x.bvh"]);
    assert_eq!(ran.code, 1);
    for part in [
        "error[map::unknown-joint]: roles[0].source: the source has no joint 'Hip'; did you mean 'Hips'?",
        "m.json:2:31",
        "{ \"role\": \"Hips\", \"source\": \"Hip\" }",
    ] {
        assert!(ran.stderr.contains(part), "{part}\n{}", ran.stderr);
    }
    let ran = sandbox.run(["retarget", &walk, &robin, "--map", "none.json", "-o", "x.bvh"]);
    assert!(ran.stderr.contains("io::not-found"), "{}", ran.stderr);
    assert_eq!(sandbox.files(""), ["m.json"]);
}

#[test]
fn what_cannot_be_mapped_is_an_error_with_what_was_found() {
    let sandbox = sandbox();
    let walk = clip("alex_walk.bvh");
    let ran = sandbox.run(["retarget", &walk, "leg.bvh", "-o", "x.bvh"]);
    assert_eq!(ran.code, 1);
    for part in ["retarget::missing-roles", "LeftUpperLeg   -", "not found", "--write-map"] {
        assert!(ran.stderr.contains(part), "{part}\n{}", ran.stderr);
    }
    let row = sandbox.run(["retarget", &walk, "leg.bvh", "-o", "x.bvh", "--json"]).rows().remove(0);
    assert!(row["error"]["note"].as_str().unwrap().contains("no known naming scheme"), "{row}");
    assert_eq!(sandbox.run(["retarget", "--explain", &walk, "leg.bvh"]).code, 1);
    // The written map has a line for each missing role.
    sandbox.run(["retarget", "--write-map", "m.json", &walk, "leg.bvh"]).ok();
    let map: Value = serde_json::from_slice(&sandbox.read("m.json")).unwrap();
    let needed = map["roles"].as_array().unwrap().iter().filter(|row| {
        row["note"].as_str().unwrap().ends_with("target missing, needed") && row.get("target").is_none()
    });
    assert_eq!(needed.count(), 7);
}

#[test]
fn what_is_no_biped_moves_by_a_map_of_pairs() {
    let sandbox = sandbox();
    let walk = clip("alex_walk.bvh");
    sandbox.put(
        "m.json",
        r#"{ "format": "mocap-map", "version": 1, "pairs": [
            { "source": "LeftUpLeg", "target": "Hips" }, { "source": "LeftLeg", "target": "Knee" }
        ] }"#,
    );
    let flags = ["retarget", &walk, "leg.bvh", "--map", "m.json", "-o", "x.bvh", "--json"];
    let row = sandbox.run(flags).ok().rows().remove(0);
    assert_eq!((&row["frames"], row["feet"].as_array().unwrap().len()), (&Value::from(301), 0));
    assert!(row["warnings"].to_string().contains("retarget::no-body"), "{row}");
    let text = String::from_utf8(sandbox.read("x.bvh")).unwrap();
    assert!(text.contains("Frames: 301") && !text.contains("NaN"), "{text}");
}

#[test]
fn presets_are_listed_written_and_taken_as_targets() {
    let sandbox = Sandbox::new();
    let list = sandbox.run(["skel", "--preset", "list"]).ok().stdout;
    for (name, part) in
        [("unreal", "68 joints, cm, Z up"), ("smpl", "24 joints, m, Y up"), ("cmu", "31 joints, cmu")]
    {
        assert!(list.lines().any(|line| line.starts_with(name) && line.contains(part)), "{list}");
    }
    for name in ["unreal", "unity", "mixamo", "smpl", "cmu", "xsens", "bandai", "iclone", "rokoko", "biped"] {
        let file = format!("{name}.skel");
        sandbox.run(["skel", "--preset", name, "-o", &file]).ok();
        let out = format!("{name}.bvh");
        let flags = ["retarget", &clip("alex_walk.bvh"), &file, "-o", &out, "--json"];
        let row = sandbox.run(flags).ok().rows().remove(0);
        for foot in row["feet"].as_array().unwrap() {
            assert!(foot["slide"].as_f64().unwrap() < 1e-6, "{name}: {foot}");
            assert!(foot["penetration_max"].as_f64().unwrap() < 1e-4, "{name}: {foot}");
        }
    }
    let ran = sandbox.run(["skel", "--preset", "unreel", "-o", "x.skel"]);
    assert!(ran.code == 2 && ran.stderr.contains("unreal"), "{}", ran.stderr);
    assert_eq!(sandbox.run(["skel", "unity.skel", "--preset", "unity"]).code, 2, "one or the other");
    assert!(sandbox.run(["skel", "--preset", "unity"]).ok().stdout.contains("LeftUpperArm"));
}

#[test]
fn schemas_of_both_kinds_of_file_are_printed() {
    let published = std::fs::read_to_string(fixture("../docs/schema/map.schema.json")).unwrap();
    assert_eq!(sandbox().run(["generate", "schema", "map"]).ok().stdout, published);
    let plain = sandbox().run(["generate", "schema"]).ok().stdout;
    assert_eq!(sandbox().run(["generate", "schema", "skel"]).ok().stdout, plain);
}
