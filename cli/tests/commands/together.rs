//! Several people: retargeted together, and measured and drawn each by name.

use crate::mocap::{Sandbox, fixture};

/// The walk of the fixtures as a person: joint names get the prefix `name:`, and the body is moved
/// sideways by `aside` [cm]. From frame 60 on, a forearm is turned by `turned` [degrees].
fn walker(name: &str, aside: f64, turned: f64) -> String {
    let walk = std::fs::read_to_string(fixture("clips/alex_walk.bvh")).unwrap();
    let (tree, motion) = walk.split_once("MOTION").unwrap();
    let tree = tree.replace("ROOT ", &format!("ROOT {name}:")).replace("JOINT ", &format!("JOINT {name}:"));
    let mut lines = motion.trim().lines();
    let head: Vec<&str> = lines.by_ref().take(2).collect();
    let frames = lines.enumerate().map(|(frame, line)| {
        let mut values: Vec<f64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
        values[0] += aside;
        // The last joint but one, in its own channels.
        let last = values.len() - 4;
        values[last] += if frame < 60 { 0.0 } else { turned };
        values.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
    });
    let frames: Vec<String> = frames.collect();
    format!("{tree}MOTION\n{}\n{}\n", head.join("\n"), frames.join("\n"))
}

/// Both in one file.
fn beside(one: &str, other: &str) -> String {
    let [(tree, motion), (others, other)] =
        [one, other].map(|text| text.split_once("MOTION").expect("a motion"));
    let others = others.trim_start().trim_start_matches("HIERARCHY").trim();
    let mut own = motion.trim().lines();
    let head: Vec<&str> = own.by_ref().take(2).collect();
    let frames: Vec<String> =
        own.zip(other.trim().lines().skip(2)).map(|(one, other)| format!("{one} {other}")).collect();
    format!("{tree}{others}\nMOTION\n{}\n{}\n", head.join("\n"), frames.join("\n"))
}

#[test]
fn people_side_by_side_keep_their_distance_and_say_how_far_each_was_moved() {
    let sandbox = Sandbox::new();
    sandbox.put("anna.bvh", walker("Anna", 0.0, 0.0));
    sandbox.put("bob.bvh", walker("Bob", 400.0, 0.0));
    let robin = fixture("clips/robin.skel").display().to_string();
    let alex = fixture("clips/alex.skel").display().to_string();
    let pairs = [format!("anna.bvh={robin}"), format!("bob.bvh={alex}")];
    let run = |more: &[&str]| {
        let words = ["retarget", "--pair", &pairs[0], "--pair", &pairs[1], "--input-unit", "cm", "--json"];
        sandbox.run([&words[..], more].concat())
    };
    let row = run(&["-o", "far/", "--overwrite"]).ok().rows().remove(0);
    // Four metres apart, the people are out of each other's reach, so neither is moved.
    assert_eq!(row["between"][0]["moved_each"], serde_json::json!([0.0, 0.0]), "{row}");
    sandbox.put("bob.bvh", walker("Bob", 150.0, 0.0));
    let row = run(&["-o", "near/", "--overwrite"]).ok().rows().remove(0);
    let moved = row["between"][0]["moved_each"].as_array().unwrap();
    assert!(moved.iter().all(|moved| moved.as_f64().unwrap() > 0.001), "{row}");
    let said = row["warnings"].to_string();
    assert!(said.contains("they keep their distance"), "{said}");
    let missed = run(&["-o", "none/", "--fail-above", "partner-moved=0.001"]);
    assert!(missed.code == 3 && missed.stderr.contains("partner-moved"), "{missed:?}");
    run(&["-o", "fine/", "--fail-above", "partner-moved=1"]).ok();
}

#[test]
fn people_who_are_inside_of_each_other_are_not_moved() {
    let sandbox = Sandbox::new();
    sandbox.put("anna.bvh", walker("Anna", 0.0, 0.0));
    sandbox.put("bob.bvh", walker("Bob", 5.0, 0.0));
    let alex = fixture("clips/alex.skel").display().to_string();
    let pairs = [format!("anna.bvh={alex}"), format!("bob.bvh={alex}")];
    let words =
        ["retarget", "--pair", &pairs[0], "--pair", &pairs[1], "--input-unit", "cm", "--json", "-o", "out/"];
    let row = sandbox.run(words).ok().rows().remove(0);
    let between = &row["between"][0];
    // The sources already penetrate each other: a warning says so, and nothing is moved.
    assert!(between["inside_source"].as_f64().unwrap() > 1.0 && between["through"].is_null(), "{row}");
    assert!(row["warnings"].to_string().contains("inside of each other"), "{row}");
}

#[test]
fn quality_of_several_people_is_that_of_each() {
    let sandbox = Sandbox::new();
    let [anna, bob] = [walker("Anna", 0.0, 0.0), walker("Bob", 150.0, 170.0)];
    sandbox.put("anna.bvh", &anna);
    sandbox.put("bob.bvh", &bob);
    sandbox.put("two.bvh", beside(&anna, &bob));
    for verb in ["info", "validate"] {
        let measured = |file: &str| {
            sandbox.run([verb, file, "--quality", "--input-unit", "cm", "--json"]).ok().rows().remove(0)
        };
        let row = measured("two.bvh");
        assert!(row.get("quality").is_none(), "{row}");
        let people = row["people"].as_array().unwrap();
        assert_eq!(people.len(), 2, "{row}");
        for (person, (name, file)) in people.iter().zip([("Anna", "anna.bvh"), ("Bob", "bob.bvh")]) {
            let alone = measured(file);
            assert_eq!(person["name"], name);
            assert_eq!(person["quality"], alone["quality"], "{name}");
            assert!(alone.get("people").is_none());
        }
        assert_ne!(people[0]["quality"], people[1]["quality"]);
    }
    let text = sandbox.run(["info", "two.bvh", "--quality", "--input-unit", "cm"]).ok().stdout;
    assert!(text.contains("person     Anna") && text.contains("person     Bob"), "{text}");
    // Gates are checked per person, and messages begin with the name.
    let gate = ["info", "two.bvh", "--quality", "--input-unit", "cm", "--fail-above", "findings=0"];
    let missed = sandbox.run(gate);
    assert!(missed.code == 3 && missed.stderr.contains("Bob: "), "{missed:?}");
}

#[test]
fn curves_of_several_people_have_their_names() {
    let sandbox = Sandbox::new();
    let [anna, bob] = [walker("Anna", 0.0, 0.0), walker("Bob", 150.0, 0.0)];
    sandbox.put("two.bvh", beside(&anna, &bob));
    let draw = |joint: &str, file: &str| {
        sandbox.run(["plot", "two.bvh", "--joint", joint, "--channel", "position", "-o", file]).ok();
        String::from_utf8(sandbox.read(file)).unwrap()
    };
    let both = draw("LeftFoot", "both.svg");
    assert!(both.contains("Anna") && both.contains("Bob"), "{both}");
    let one = draw("Bob:LeftFoot", "one.svg");
    assert!(one.contains("Bob") && !one.contains("Anna"), "{one}");
    let none = sandbox.run(["plot", "two.bvh", "--joint", "Tail", "-o", "none.svg"]);
    assert!(none.code == 1 && none.stderr.contains("plot::no-joint"), "{none:?}");
    sandbox.run(["plot", "two.bvh", "--centre-of-mass", "--input-unit", "cm", "-o", "mass.svg"]).ok();
    let mass = String::from_utf8(sandbox.read("mass.svg")).unwrap();
    assert!(mass.contains("Anna") && mass.contains("Bob"), "{mass}");
}
