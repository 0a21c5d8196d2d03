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
