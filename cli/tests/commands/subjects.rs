//! Several people in one file: who is in it, and one of them alone.

use crate::mocap::{Sandbox, fixture};

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
    // --subject all gives the same as no --subject: all people of the file.
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
    let walk = fixture("clips/alex_walk.bvh").display().to_string();
    let onto = sandbox.run(["retarget", &walk, "two.bvh", "-o", "onto.bvh"]);
    assert!(onto.stderr.contains("target::several") && onto.stderr.contains("Alice, Bob"), "{}", onto.stderr);
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
    // --subject does not apply to the target.
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

/// The two people in another order and further on: the walk of Bob comes first, and all is moved.
fn swapped(by: [f64; 3]) -> String {
    let two = two_people();
    let (tree, motion) = two.split_once("MOTION").unwrap();
    let tree = tree.replace("Alice:", "Carol:").replace("Bob:", "Alice:").replace("Carol:", "Bob:");
    let mut lines = motion.trim().lines();
    let head: Vec<&str> = lines.by_ref().take(2).collect();
    let moved = |line: &str| {
        let mut numbers: Vec<f64> = line.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let half = numbers.len() / 2;
        for (axis, by) in by.into_iter().enumerate() {
            numbers[axis] += by;
            numbers[half + axis] += by;
        }
        numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
    };
    let frames: Vec<String> = lines.map(moved).collect();
    format!("{tree}MOTION\n{}\n{}\n", head.join("\n"), frames.join("\n"))
}

/// The largest distance between places of the same names.
fn apart(one: &[(String, [f64; 3])], other: &[(String, [f64; 3])]) -> f64 {
    assert_eq!(one.len(), other.len());
    let distance = |(name, place): &(String, [f64; 3])| {
        let found = other.iter().find(|(found, _)| found == name).unwrap_or_else(|| panic!("{name} is lost"));
        found.1.iter().zip(place).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    one.iter().map(distance).fold(0.0, f64::max)
}

/// Makes a file look like one of another program: bodies in files that mocap wrote count as drawn,
/// not as meshes.
fn foreign(sandbox: &Sandbox, file: &str) {
    let mut bytes = sandbox.read(file);
    for (old, new) in [("mocap ", "other "), ("Body", "Suit")] {
        for at in 0..=bytes.len() - old.len() {
            if bytes[at..].starts_with(old.as_bytes()) {
                bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
            }
        }
    }
    sandbox.put(file, bytes);
}

/// The vertices of a file over time, as `bake` writes them [m].
fn vertices(sandbox: &Sandbox, file: &str) -> Vec<f32> {
    sandbox.run(["bake", file, "-o", "vertices.pc2", "--unit", "m", "--overwrite"]).ok();
    let cache = sandbox.read("vertices.pc2");
    assert_eq!(&cache[..12], b"POINTCACHE2\0");
    cache[32..].chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect()
}

#[test]
fn two_people_keep_names_places_and_meshes_through_formats() {
    let sandbox = Sandbox::new();
    sandbox.put("two.bvh", two_people());
    sandbox.run(["convert", "two.bvh", "-o", "start.bvh", "--unit", "m"]).ok();
    let wanted = places(&sandbox, "start.bvh", 100);
    let mut mesh = Vec::new();
    let mut before = "start.bvh";
    for file in ["a.glb", "b.fbx", "c.gltf", "d.glb", "e.bvh"] {
        let row =
            sandbox.run(["convert", before, "-o", file, "--error", "0", "--json"]).ok().rows().remove(0);
        assert_eq!(row["subjects"], serde_json::json!(["Alice", "Bob"]), "{file}");
        if file == "a.glb" {
            foreign(&sandbox, file);
        }
        sandbox.run(["convert", file, "-o", "metres.bvh", "--unit", "m", "--overwrite"]).ok();
        let off = apart(&wanted, &places(&sandbox, "metres.bvh", 100));
        assert!(off < 1e-5, "{file}: {off} m");
        if file != "e.bvh" {
            let found = vertices(&sandbox, file);
            if mesh.is_empty() {
                mesh.clone_from(&found);
            }
            assert_eq!(found.len(), mesh.len(), "{file}");
            let off = found.iter().zip(&mesh).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(off < 1e-5, "{file}: vertices are {off} m off");
        }
        before = file;
    }
}

#[test]
fn formats_of_one_character_get_the_first_one_and_say_who_is_left_out() {
    let sandbox = Sandbox::new();
    sandbox.put("two.bvh", two_people());
    sandbox.run(["skel", "--preset", "smpl", "-o", "body.skel"]).ok();
    let onto =
        ["retarget", "two.bvh", "body.skel", "--subject", "all", "--input-unit", "cm", "-o", "both.bvh"];
    sandbox.run(onto).ok();
    let ran =
        sandbox.run(["convert", "both.bvh", "--to", "smpl-npz", "--input-unit", "m", "-o", "first.npz"]).ok();
    assert!(
        ran.stderr.contains("scene::characters-left-out") && ran.stderr.contains(": Bob"),
        "{}",
        ran.stderr
    );
    let ran = sandbox.run(["convert", "two.bvh", "-o", "two.npz"]).ok();
    assert!(
        ran.stderr.contains("arrays::first-character") && ran.stderr.contains("'Alice'"),
        "{}",
        ran.stderr
    );
    let roles = sandbox.run(["convert", "two.npz", "-o", "again.bvh", "--json"]).ok().rows().remove(0);
    assert_eq!(roles["subjects"], serde_json::json!(["Alice", "Bob"]));
}

#[test]
fn who_is_together_stays_together_when_motions_are_joined() {
    let sandbox = Sandbox::new();
    sandbox.put("two.bvh", two_people());
    sandbox.put("other.bvh", swapped([250.0, 0.0, -80.0]));
    let row = sandbox.run(["join", "two.bvh", "other.bvh", "-o", "long.bvh", "--json"]).ok().rows().remove(0);
    assert_eq!(row["subjects"], serde_json::json!(["Alice", "Bob"]));
    assert_eq!(row["edits"].as_array().unwrap().len(), 2);
    let last = row["frames"].as_u64().unwrap() as usize - 1;
    for frame in [10, last] {
        // Both walk in one place, before and after the transition.
        let (alice, bob): (Vec<_>, Vec<_>) =
            places(&sandbox, "long.bvh", frame).into_iter().partition(|(name, _)| name.starts_with("Alice"));
        let bob: Vec<_> =
            bob.into_iter().map(|(name, place)| (name.replace("Bob", "Alice"), place)).collect();
        let off = apart(&alice, &bob);
        assert!(off < 1e-3, "frame {frame}: {off} cm");
    }
    sandbox.run(["convert", "two.bvh", "--subject", "Alice", "-o", "alone.bvh"]).ok();
    for (arguments, code) in [
        (["join", "two.bvh", "alone.bvh"], "edit::characters"),
        (["blend", "two.bvh", "other.bvh"], "edit::one-character"),
    ] {
        let ran = sandbox.run([&arguments[..], &["-o", "none.bvh"]].concat());
        assert!(ran.code == 1 && ran.stderr.contains(code) && ran.stderr.contains("Bob"), "{}", ran.stderr);
        assert!(!sandbox.path("none.bvh").exists());
    }
    sandbox.run(["blend", "two.bvh", "other.bvh", "--subject", "Bob", "-o", "bob.bvh"]).ok();
    sandbox.run(["join", "two.bvh", "alone.bvh", "--subject", "1", "-o", "one.bvh"]).ok();
}

#[test]
fn all_are_cut_at_the_same_times() {
    let sandbox = Sandbox::new();
    sandbox.put("two.bvh", two_people());
    let row =
        sandbox.run(["split", "two.bvh", "--every", "1s", "-o", "clips", "--json"]).ok().rows().remove(0);
    assert_eq!(row["subjects"], serde_json::json!(["Alice", "Bob"]));
    let second = &row["clips"][1];
    let start = second["start"].as_u64().unwrap() as usize;
    let cut = places(&sandbox, second["output"].as_str().unwrap(), 5);
    assert!(apart(&places(&sandbox, "two.bvh", start + 5), &cut) < 1e-3);
}

#[test]
fn each_character_is_compared_with_its_counterpart() {
    let sandbox = Sandbox::new();
    sandbox.put("two.bvh", two_people());
    sandbox.put("same.bvh", swapped([0.0; 3]));
    let same = sandbox.run(["compare", "two.bvh", "same.bvh", "--json"]).ok().rows().remove(0);
    assert_eq!((&same["max"], &same["joints"]), (&0.0.into(), &48.into()));
    // Only Bob moves away, by 2 cm.
    let two = two_people();
    let (head, frames) = two.split_once("Frame Time").unwrap();
    let (time, frames) = frames.split_once('\n').unwrap();
    let moved = |line: &str| {
        let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let half = words.len() / 2;
        words[half] = (words[half].parse::<f64>().unwrap() + 2.0).to_string();
        words.join(" ")
    };
    let frames: Vec<String> = frames.trim().lines().map(moved).collect();
    sandbox.put("moved.bvh", format!("{head}Frame Time{time}\n{}\n", frames.join("\n")));
    let row = sandbox
        .run(["compare", "same.bvh", "moved.bvh", "--json", "--input-unit", "cm"])
        .ok()
        .rows()
        .remove(0);
    let of = |name: &str| {
        let one = row["subjects"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap();
        assert_eq!(one["other"], name);
        one["max"].as_f64().unwrap()
    };
    assert!(of("Alice") < 1e-9 && (of("Bob") - 0.02).abs() < 1e-6, "{row}");
    assert!((row["max"].as_f64().unwrap() - 0.02).abs() < 1e-6);
    let gate = sandbox.run(["compare", "two.bvh", "moved.bvh", "--fail-above", "1mm", "--input-unit", "cm"]);
    assert!(gate.code == 3 && gate.stdout.contains("Bob: error max 20 mm"), "{}", gate.stdout);
    let alone =
        sandbox.run(["compare", "two.bvh", "moved.bvh", "--input-unit", "cm", "--subject", "Alice"]).ok();
    assert!(alone.stdout.contains("0 mm"), "{}", alone.stdout);
    sandbox.run(["convert", "two.bvh", "--subject", "Bob", "-o", "bob.bvh"]).ok();
    let fewer = sandbox.run(["compare", "two.bvh", "bob.bvh"]);
    assert!(
        fewer.stderr.contains("compare::characters") && fewer.stderr.contains("Alice, Bob"),
        "{}",
        fewer.stderr
    );
}
