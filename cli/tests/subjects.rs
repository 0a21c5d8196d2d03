//! Several people in one file: who is in it, and one of them alone.

mod mocap;

use mocap::{Sandbox, fixture};

/// The walk of the fixtures twice in one BVH, as two people.
fn two_people() -> String {
    let walk = std::fs::read_to_string(fixture("clips/alex_walk.bvh")).unwrap();
    let (tree, motion) = walk.split_once("MOTION").unwrap();
    let tree = tree.trim_start().trim_start_matches("HIERARCHY").trim();
    let named = |name: &str| {
        tree.replace("ROOT ", &format!("ROOT {name}:")).replace("JOINT ", &format!("JOINT {name}:"))
    };
    let mut lines = motion.trim().lines();
    let head: Vec<&str> = lines.by_ref().take(2).collect();
    let frames: Vec<String> = lines.map(|frame| format!("{frame} {frame}")).collect();
    format!(
        "HIERARCHY\n{}\n{}\nMOTION\n{}\n{}\n",
        named("Alice"),
        named("Bob"),
        head.join("\n"),
        frames.join("\n")
    )
}

#[test]
fn info_lists_who_is_there_and_every_verb_can_take_one() {
    let sandbox = Sandbox::new();
    let robin = fixture("clips/robin.skel").display().to_string();
    sandbox.put("two.bvh", two_people());
    let info = sandbox.run(["info", "two.bvh", "--json"]).ok().rows().remove(0);
    assert_eq!(info["subjects"], serde_json::json!(["Alice", "Bob"]));
    let alone = sandbox.run(["info", "two.bvh", "--subject", "Bob", "--json"]).ok().rows().remove(0);
    assert_eq!((&alone["root"], &alone["joints"]), (&"Bob:Hips".into(), &24.into()));
    assert!(alone.get("subjects").is_none());
    sandbox.run(["convert", "two.bvh", "--subject", "Bob", "-o", "bob.bvh"]).ok();
    let bob = String::from_utf8(sandbox.read("bob.bvh")).unwrap();
    assert!(bob.contains("ROOT Bob:Hips") && !bob.contains("Alice"));
    // All of them is what is written without it: the file as it is.
    for subject in [&[][..], &["--subject", "all"]] {
        sandbox.run([&["convert", "two.bvh", "-o", "all.bvh", "--overwrite"], subject].concat()).ok();
        let all = String::from_utf8(sandbox.read("all.bvh")).unwrap();
        assert!(all.contains("ROOT Alice:Hips") && all.contains("ROOT Bob:Hips"));
    }
    let first = sandbox.run(["retarget", "two.bvh", &robin, "-o", "first.bvh", "--input-unit", "cm"]).ok();
    assert!(
        first.stderr.contains("subject::several") && first.stderr.contains("Alice, Bob"),
        "{}",
        first.stderr
    );
    for (subject, out) in [("Alice", "alice.bvh"), ("2", "second.bvh")] {
        let arguments =
            ["retarget", "two.bvh", &robin, "-o", out, "--subject", subject, "--input-unit", "cm"];
        let ran = sandbox.run(arguments).ok();
        assert!(!ran.stderr.contains("subject::"), "{}", ran.stderr);
    }
    // Both walk alike, so both are put on the target alike.
    assert_eq!(sandbox.read("alice.bvh"), sandbox.read("second.bvh"));
    let none = sandbox.run(["convert", "two.bvh", "--subject", "Carol", "-o", "carol.bvh"]);
    assert!(
        none.stderr.contains("subject::unknown") && none.stderr.contains("Alice, Bob"),
        "{}",
        none.stderr
    );
    assert!(!sandbox.path("carol.bvh").exists());
}

/// Places of joints as `frame,time,joint,x,y,z`, by person and joint, in one frame.
fn places(sandbox: &Sandbox, file: &str, frame: usize) -> Vec<(String, [f64; 3])> {
    sandbox.run(["convert", file, "-o", "places.csv", "--overwrite"]).ok();
    let table = String::from_utf8(sandbox.read("places.csv")).unwrap();
    let rows = table.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let of_frame = rows.filter(|row| row[0] == frame.to_string());
    of_frame.map(|row| (row[2].to_owned(), [3, 4, 5].map(|at| row[at].parse().unwrap()))).collect()
}

#[test]
fn edits_edit_everyone_or_say_that_they_take_one() {
    let sandbox = Sandbox::new();
    sandbox.put("two.bvh", two_people());
    sandbox.run(["convert", "two.bvh", "--subject", "Bob", "-o", "bob.bvh"]).ok();
    for (file, out) in [("two.bvh", "both.bvh"), ("bob.bvh", "alone.bvh")] {
        sandbox.run(["edit", file, "--mirror", "--speed", "1.25", "-o", out]).ok();
    }
    let alone = places(&sandbox, "alone.bvh", 60);
    let both = places(&sandbox, "both.bvh", 60);
    assert_eq!(both.len(), 2 * alone.len());
    for (name, place) in &alone {
        let found = both.iter().find(|(other, _)| other == name).unwrap();
        let off = found.1.iter().zip(place).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-3, "{name} is {off} cm off");
    }
    let rows = sandbox.run(["edit", "two.bvh", "--mirror", "-o", "row.bvh", "--json"]).ok().rows();
    assert_eq!(rows[0]["subjects"], serde_json::json!(["Alice", "Bob"]));
    assert_eq!((rows[0]["edits"].as_array().unwrap().len(), &rows[0]["joints"]), (2, &48.into()));
    let turned = sandbox.run(["edit", "two.bvh", "--turn", "90", "-o", "turned.bvh"]);
    assert!(
        turned.stderr.contains("edit::one-character") && turned.stderr.contains("Alice, Bob"),
        "{}",
        turned.stderr
    );
    assert!(!sandbox.path("turned.bvh").exists());
    sandbox.run(["edit", "two.bvh", "--turn", "90", "--subject", "Alice", "-o", "turned.bvh"]).ok();
}

#[test]
fn all_subjects_are_put_on_the_target_in_a_verb_and_in_a_pipeline() {
    let sandbox = Sandbox::new();
    let robin = fixture("clips/robin.skel").display().to_string();
    sandbox.put("two.bvh", two_people());
    let unit = ["--input-unit", "cm"];
    let all =
        [&["retarget", "two.bvh", &robin, "-o", "all.bvh", "--subject", "all", "--json"], &unit[..]].concat();
    let row = sandbox.run(all).ok().rows().remove(0);
    let names: Vec<&str> =
        row["subjects"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Alice", "Bob"]);
    let one = [&["retarget", "two.bvh", &robin, "-o", "one.bvh", "--subject", "Bob"], &unit[..]].concat();
    sandbox.run(one).ok();
    // The name of a subject says nothing about the target.
    let walk = fixture("clips/robin_walk.bvh").display().to_string();
    let onto = [&["retarget", "two.bvh", &walk, "-o", "onto.bvh", "--subject", "Bob"], &unit[..]].concat();
    sandbox.run(onto).ok();
    let info = sandbox.run(["info", "all.bvh", "--json"]).ok().rows().remove(0);
    assert_eq!(info["subjects"], serde_json::json!(["Alice", "Bob"]));
    let (all, one) = (places(&sandbox, "all.bvh", 100), places(&sandbox, "one.bvh", 100));
    assert_eq!(all.len(), 2 * one.len());
    for (name, place) in &one {
        let found = all.iter().find(|(other, _)| *other == format!("Bob:{name}")).unwrap();
        let off = found.1.iter().zip(place).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-3, "{name} is {off} off");
    }
    let pipeline = format!(
        "inputs = \"two.bvh\"\noutput = \"out\"\n[[step]]\ndo = \"read\"\nsubject = \"all\"\ninput-unit = \"cm\"\n\n[[step]]\ndo = \"mirror\"\n\n\
         [[step]]\ndo = \"retarget\"\ntarget = {robin:?}\n\n[[step]]\ndo = \"write\"\nto = \"bvh\"\n"
    );
    sandbox.put("both.toml", pipeline);
    sandbox.run(["run", "both.toml"]).ok();
    let info = sandbox.run(["info", "out/two.bvh", "--json"]).ok().rows().remove(0);
    assert_eq!(info["subjects"], serde_json::json!(["Alice", "Bob"]));
}
