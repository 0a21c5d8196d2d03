//! What is decided when a file is read: size, unit, up axis, position channels, names, and whether it is a
//! person.

use crate::mocap::{Sandbox, fixture};
use serde_json::Value;

fn path(name: &str) -> String {
    fixture(name).display().to_string()
}

fn text(sandbox: &Sandbox, name: &str) -> String {
    String::from_utf8(sandbox.read(name)).unwrap()
}

fn codes(row: &Value) -> Vec<&str> {
    row["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].as_str().unwrap()).collect()
}

/// The walk of a fixture as a BVH of another size.
fn sized(sandbox: &Sandbox, name: &str, scale: &str) {
    let walk = path("clips/robin_wave.bvh");
    sandbox.run(["convert", &walk, "-o", name, "--input-unit", "m", "--unit", "cm", "--scale", scale]).ok();
}

#[test]
fn inputs_with_one_skeleton_settle_the_unit_for_any_shards() {
    let sandbox = Sandbox::new();
    // A child of 77 cm may be an adult in inches.
    for (name, scale) in [("db/a/adult.bvh", "0.9"), ("db/b/adult.bvh", "1"), ("db/child.bvh", "0.4")] {
        std::fs::create_dir_all(sandbox.path(name).parent().unwrap()).unwrap();
        sized(&sandbox, name, scale);
    }
    let alone = sandbox.run(["info", "db/child.bvh", "--json"]).ok().rows().remove(0);
    assert_ne!(alone["unit"]["source"], "voted");
    let rows = sandbox.run(["info", "db", "--json"]).ok().rows();
    let child =
        rows.iter().find(|row| row["path"].as_str().is_some_and(|path| path.ends_with("child.bvh"))).unwrap();
    assert_eq!(
        (&child["unit"]["name"], &child["unit"]["source"]),
        (&"cm".into(), &"voted".into()),
        "{child}"
    );
    assert!(codes(child).contains(&"unit::voted"));
    sandbox.run(["compress", "db", "-o", "whole/"]).ok();
    for shard in ["1/2", "2/2"] {
        sandbox.run(["compress", "db", "-o", "parts/", "--shard", shard, "--resume"]).ok();
    }
    for name in ["a/adult.mocz", "b/adult.mocz", "child.mocz"] {
        let [whole, part] =
            ["whole", "parts"].map(|folder| std::fs::read(sandbox.path(&format!("{folder}/{name}"))));
        assert_eq!(whole.unwrap(), part.unwrap(), "{name}");
    }
    // The unit that was found from all inputs is one of the recorded options: without the adults
    // the unit changes, and --resume refuses to continue.
    sandbox.run(["compress", "db", "-o", "again/", "--resume"]).ok();
    std::fs::remove_file(sandbox.path("db/a/adult.bvh")).unwrap();
    std::fs::remove_file(sandbox.path("db/b/adult.bvh")).unwrap();
    let other = sandbox.run(["compress", "db", "-o", "again/", "--resume"]);
    assert!(other.code == 2 && other.stderr.contains("manifest::other-run"), "{}", other.stderr);
}

#[test]
fn an_open_unit_is_carried_through_a_retarget_and_asked_for_where_it_counts() {
    let sandbox = Sandbox::new();
    let (walk, target) = (path("clips/robin_wave.bvh"), path("clips/alex_walk.bvh"));
    // The body is 4.7 m tall in centimetres and 0.47 m in millimetres, so its unit cannot be
    // guessed.
    sandbox.run(["convert", &walk, "-o", "odd.bvh", "--input-unit", "m", "--scale", "245"]).ok();
    let row =
        sandbox.run(["retarget", "odd.bvh", &target, "-o", "odd.out.bvh", "--json"]).ok().rows().remove(0);
    assert!(codes(&row).contains(&"unit::report"), "{row}");
    sandbox.run(["retarget", &walk, &target, "-o", "walk.out.bvh", "--input-unit", "m"]).ok();
    let [odd, right] = ["odd.out.bvh", "walk.out.bvh"].map(|name| {
        sandbox.run(["convert", name, "-o", &format!("{name}.csv")]).ok();
        text(&sandbox, &format!("{name}.csv"))
    });
    let last = |table: &str| -> Vec<f64> {
        table.lines().last().unwrap().split(',').skip(3).map(|number| number.parse().unwrap()).collect()
    };
    for (odd, right) in last(&odd).into_iter().zip(last(&right)) {
        assert!((odd - right).abs() < 0.5, "{odd} {right}");
    }
    let refused = sandbox.run(["compress", "odd.bvh", "-o", "odd.mocz", "--json"]).rows().remove(0);
    assert_eq!(refused["error"]["code"], "unit::unknown");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("legs of") && message.contains("cm: 4."), "{message}");
}

#[test]
fn an_animal_with_the_joint_names_of_a_person_is_refused() {
    let sandbox = Sandbox::new();
    let (dog, walk) = (path("bodies/dog_trot.bvh"), path("clips/alex_walk.bvh"));
    for (source, target) in [(&dog, &walk), (&walk, &dog)] {
        let row = sandbox.run(["retarget", source, target, "-o", "o.bvh", "--json"]).rows().remove(0);
        assert_eq!(row["error"]["code"], "retarget::uncertain", "{row}");
        assert!(row["error"]["note"].as_str().unwrap().contains("stands on four legs"), "{row}");
    }
}

#[test]
fn the_size_of_inputs_and_outputs_is_bounded() {
    let sandbox = Sandbox::new();
    let walk = path("clips/alex_walk.bvh");
    let code = |args: &[&str]| {
        let row = sandbox.run([args, &["--json"]].concat()).rows().remove(0);
        row["error"]["code"].as_str().unwrap_or("ok").to_owned()
    };
    assert_eq!(code(&["info", &walk, "--max-bytes", "10kB"]), "io::too-large");
    assert_eq!(code(&["info", &walk, "--max-bytes", "1MiB"]), "ok");
    assert_eq!(code(&["convert", &walk, "-o", "o.csv", "--max-samples", "100"]), "limit");
    assert_eq!(code(&["convert", &walk, "-o", "o.csv", "--fps", "100000", "--max-samples", "1M"]), "limit");
    assert!(!sandbox.path("o.csv").exists());
    #[cfg(unix)]
    assert_eq!(code(&["info", "/dev/zero", "--from", "bvh"]), "text::zeros");
    // A small file can state a long motion.
    sandbox.run(["convert", &walk, "-o", "still.json", "--trim", "0:1"]).ok();
    let mut clip: Value = serde_json::from_str(&text(&sandbox, "still.json")).unwrap();
    clip["frames"] = 10_000_000.into();
    sandbox.put("still.json", clip.to_string());
    assert_eq!(code(&["convert", "still.json", "-o", "o.csv"]), "limit");
}

#[test]
fn a_message_is_short_whatever_a_file_holds() {
    let sandbox = Sandbox::new();
    let name = "n".repeat(1_000_000);
    let text = crate::mocap::LEG.replacen("ROOT", &format!("ROOT {name}"), 1).replace("0.0", "nan");
    sandbox.put("long.bvh", text);
    let ran = sandbox.run(["info", "long.bvh"]);
    assert!(ran.stderr.len() <= 4096, "{} bytes", ran.stderr.len());
}

const ADDS: &str = "HIERARCHY\nROOT Bip01 Pelvis\n{\nOFFSET 0 105.2 0\nCHANNELS 6 Xposition Yposition Zposition \
     Zrotation Xrotation Yrotation\nJOINT arm\n{\nOFFSET 20 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd \
     Site\n{\nOFFSET 8 0 0\n}\n}\nJOINT leg\n{\nOFFSET 0 -100 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd \
     Site\n{\nOFFSET 0 0 12\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.0166667\n1.5 -2.25 3 4 5 6 7 8 9 1 2 3\n1.5 -2.5 \
     3 4 5 6 7 8 9 1 2 3\n";

#[test]
fn positions_that_add_are_rewritten_for_the_next_program_and_nothing_else() {
    let sandbox = Sandbox::new();
    sandbox.put("adds.bvh", ADDS);
    let row = sandbox.run(["convert", "adds.bvh", "-o", "all.bvh", "--json"]).ok().rows().remove(0);
    assert_eq!((&row["unchanged"], codes(&row)), (&false.into(), vec!["bvh::normalised"]));
    let expected =
        ADDS.replace("OFFSET 0 105.2 0", "OFFSET 0 0 0").replace("-2.25", "102.95").replace("-2.5", "102.7");
    let lines = |text: &str| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    assert_eq!(lines(&text(&sandbox, "all.bvh")), lines(&expected));
    // A normalised file is not changed again, and --verbatim prevents any change.
    let row = sandbox.run(["convert", "all.bvh", "-o", "again.bvh", "--json"]).ok().rows().remove(0);
    assert_eq!(row["unchanged"], true);
    let row =
        sandbox.run(["convert", "adds.bvh", "-o", "same.bvh", "--verbatim", "--json"]).ok().rows().remove(0);
    assert_eq!((&row["unchanged"], lines(&text(&sandbox, "same.bvh"))), (&true.into(), lines(ADDS)));
    let info = sandbox.run(["info", "adds.bvh", "--json"]).ok().rows().remove(0);
    assert_eq!(info["position_votes"]["joints_add"], 1);
    assert!(info["position_votes"]["floor_replace"].as_f64().unwrap() < -90.0, "{info}");
}

#[test]
fn names_are_written_as_they_are_or_refused() {
    let sandbox = Sandbox::new();
    sandbox.put("adds.bvh", ADDS);
    sandbox.run(["convert", "adds.bvh", "-o", "kept.bvh", "--fps", "30"]).ok();
    assert!(text(&sandbox, "kept.bvh").contains("ROOT Bip01 Pelvis\n"));
    sandbox.run(["convert", "adds.bvh", "-o", "safe.bvh", "--names", "safe"]).ok();
    assert!(text(&sandbox, "safe.bvh").contains("ROOT Bip01_Pelvis\n"));
    sandbox.run(["convert", "adds.bvh", "-o", "odd.json"]).ok();
    sandbox.put("odd.json", text(&sandbox, "odd.json").replace("Bip01 Pelvis", "a{b\\u0000"));
    let row = sandbox.run(["convert", "odd.json", "-o", "odd.bvh", "--json"]).rows().remove(0);
    assert_eq!(row["error"]["code"], "bvh::name");
    sandbox.run(["convert", "odd.json", "-o", "odd.bvh", "--names", "safe"]).ok();
    assert!(text(&sandbox, "odd.bvh").contains("ROOT a_b_\n"));
}
