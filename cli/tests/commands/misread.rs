//! Cases that are easily misread or overlooked: rest poses and axes in files of any format, which file an error
//! is about, arguments in another order, gates on figures that were not measured.

use crate::mocap::{Sandbox, fixture};

fn path(name: &str) -> String {
    fixture(name).display().to_string()
}

fn codes(row: &serde_json::Value) -> Vec<&str> {
    row["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].as_str().unwrap()).collect()
}

#[test]
fn a_rest_pose_before_a_motion_is_seen_in_every_format() {
    let sandbox = Sandbox::new();
    sandbox.run(["convert", &path("bvh/warn-rest-first-frame.bvh"), "-o", "a.json"]).ok();
    sandbox.run(["compress", "a.json", "-o", "a.mocz", "--input-unit", "cm"]).ok();
    for file in ["a.json", "a.mocz"] {
        let row = sandbox.run(["info", file, "--json"]).ok().rows().remove(0);
        assert!(codes(&row).contains(&"bvh::rest-first-frame"), "{row}");
        let row =
            sandbox.run(["convert", file, "-o", "b.bvh", "--overwrite", "--json", "--drop-first-frame"]).ok();
        assert!(!codes(&row.rows()[0]).contains(&"bvh::rest-first-frame"), "{}", row.stdout);
    }
}

#[test]
fn a_body_that_stands_along_another_axis_is_said_unless_the_user_states_one() {
    let sandbox = Sandbox::new();
    sandbox.run(["convert", &path("clips/alex_walk.bvh"), "-o", "z.bvh", "--up", "Z"]).ok();
    let warned = |flags: &[&str]| {
        let row = sandbox.run([&["validate", "z.bvh", "--json"], flags].concat()).ok().rows().remove(0);
        codes(&row).contains(&"space::up-detected")
    };
    assert!(warned(&[]) && !warned(&["--input-up", "Z"]) && !warned(&["--input-up", "Y"]));
    // Pictures turn a body upright unless the up axis is stated.
    let drawn = |flags: &[&str]| {
        let command = ["sheet", "z.bvh", "-o", "z.svg", "--overwrite"];
        sandbox.run([&command[..], flags].concat()).ok();
        sandbox.read("z.svg")
    };
    let (guessed, stated, lying) = (drawn(&[]), drawn(&["--input-up", "Z"]), drawn(&["--input-up", "Y"]));
    assert!(guessed == stated && guessed != lying);
    let ran = sandbox.run(["retarget", &path("clips/alex_walk.bvh"), "z.bvh", "-o", "o.bvh", "--json"]).ok();
    let row = ran.rows().remove(0);
    let of_target = row["warnings"].as_array().unwrap().iter().find(|w| w["code"] == "space::up-detected");
    let of_target = of_target.unwrap();
    assert_eq!(of_target["path"], "z.bvh");
    assert!(of_target["help"].as_str().unwrap().starts_with("--target-up Z"), "{of_target}");
}

/// A BVH file with every joint renamed, turned so that X, Y and Z become these axes.
fn turned(text: &str, axes: [(char, f64); 3]) -> String {
    let of = |axis: char| axes["XYZ".find(axis).unwrap()];
    let (mut signs, mut joints) = (Vec::new(), 0);
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first().copied() {
            Some(kind @ ("ROOT" | "JOINT")) => {
                joints += 1;
                format!("{kind} j{joints:03}")
            }
            Some("OFFSET") => {
                let mut offset = [0.0; 3];
                for (axis, value) in "XYZ".chars().zip(&words[1..]) {
                    let (to, sign) = of(axis);
                    offset["XYZ".find(to).unwrap()] = sign * value.parse::<f64>().unwrap();
                }
                format!("OFFSET {} {} {}", offset[0], offset[1], offset[2])
            }
            Some("CHANNELS") => {
                let channels = words[2..].iter().map(|word| {
                    let (axis, kind) = word.split_at(1);
                    let (to, sign) = of(axis.chars().next().unwrap());
                    signs.push(sign);
                    format!("{to}{kind}")
                });
                let channels: Vec<String> = channels.collect();
                format!("CHANNELS {} {}", words[1], channels.join(" "))
            }
            Some(word) if words.len() == signs.len() && word.parse::<f64>().is_ok() => {
                let values = words.iter().zip(&signs).map(|(word, sign)| word.parse::<f64>().unwrap() * sign);
                values.map(|value| value.to_string()).collect::<Vec<_>>().join(" ")
            }
            _ => line.to_string(),
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn a_body_without_known_names_is_found_along_every_axis_and_wherever_it_faces() {
    let sandbox = Sandbox::new();
    let walk = std::fs::read_to_string(fixture("clips/alex_walk.bvh")).unwrap();
    let along = [
        ("Y", [('X', 1.0), ('Y', 1.0), ('Z', 1.0)]),
        ("Y", [('Z', -1.0), ('Y', 1.0), ('X', 1.0)]),
        ("Z", [('X', 1.0), ('Z', 1.0), ('Y', -1.0)]),
        ("Z", [('Y', 1.0), ('Z', 1.0), ('X', 1.0)]),
        ("Z", [('Y', -1.0), ('Z', 1.0), ('X', -1.0)]),
        ("Z", [('X', -1.0), ('Z', 1.0), ('Y', 1.0)]),
        ("X", [('Z', 1.0), ('X', 1.0), ('Y', 1.0)]),
        ("X", [('Y', -1.0), ('X', 1.0), ('Z', 1.0)]),
    ];
    for (up, axes) in along {
        sandbox.put("t.bvh", turned(&walk, axes));
        let row = sandbox.run(["info", "t.bvh", "--json"]).ok().rows().remove(0);
        assert_eq!(row["up"], up, "{axes:?}");
        let row = sandbox.run(["skel", "t.bvh", "--json"]).ok().rows().remove(0);
        let left = |name: &str| row.to_string().contains(&format!("\"{name}\""));
        assert!(left("LeftUpperLeg") && left("RightHand"), "{axes:?}: {row}");
    }
}

#[test]
fn errors_about_the_target_name_its_file_and_count_its_joints() {
    let sandbox = Sandbox::new();
    sandbox.put("leg.bvh", crate::mocap::LEG);
    let ran =
        sandbox.run(["retarget", &path("clips/alex_walk.bvh"), "leg.bvh", "--json", "--target-unit", "m"]);
    let row = ran.rows().remove(0);
    assert_eq!((ran.code, &row["error"]["code"]), (1, &"retarget::missing-roles".into()), "{row}");
    assert_eq!(row["error"]["path"], "leg.bvh");
    let joints = crate::mocap::LEG.matches("JOINT").count() + crate::mocap::LEG.matches("ROOT").count();
    assert!(
        row["error"]["note"].as_str().unwrap().contains(&format!("the target has {joints} joints")),
        "{row}"
    );
}

#[test]
fn arguments_that_make_no_sense_are_told_so() {
    let sandbox = Sandbox::new();
    let (walk, robin) = (path("clips/alex_walk.bvh"), path("clips/robin.skel"));
    let said = |words: &[&str]| {
        let ran = sandbox.run([&["retarget"], words].concat());
        assert_ne!(ran.code, 0);
        ran.stderr
    };
    for words in [&["-", "-"][..], &["--map", "-", "-", &robin], &["--map", "-", &walk, "-"]] {
        assert!(said(words).contains("usage::stdin-twice"), "{words:?}");
    }
    assert!(said(&[&robin, &walk]).contains("the target comes last"));
    assert!(said(&[&walk, &path("clips")]).contains("usage::target"));
}

#[test]
fn a_gate_on_what_was_not_measured_is_missed() {
    let sandbox = Sandbox::new();
    let (walk, robin) = (path("clips/alex_walk.bvh"), path("clips/robin.skel"));
    let gates = |flags: &[&str]| {
        let command = ["retarget", &walk, &robin, "-o", "o.bvh", "--overwrite", "--json"];
        let ran = sandbox.run([&command[..], flags].concat());
        (ran.code, ran.rows().remove(0), ran.stderr)
    };
    let (code, row, stderr) = gates(&["--no-limits", "--fail-above", "violations=1e9,step=90"]);
    assert_eq!(code, 3, "{row}");
    assert_eq!(
        (&row["gates"][0]["value"], &row["gates"][0]["passed"]),
        (&serde_json::Value::Null, &false.into())
    );
    assert_eq!(row["gates"][1]["passed"], true);
    assert!(
        stderr.contains("gate::not-measured") && stderr.contains("violations was not measured"),
        "{stderr}"
    );
    assert_eq!(gates(&["--fail-above", "violations=0"]).0, 0);
}
