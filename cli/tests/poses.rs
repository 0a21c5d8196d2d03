//! `mocap poses`, `mocap solve --poses`, `mocap info --poses`.

mod mocap;

use mocap::{Sandbox, fixture};
use serde_json::Value;

fn clip(name: &str) -> String {
    fixture("clips").join(name).display().to_string()
}

/// A folder with `people.poses`, learnt from the clips of one body.
fn learnt() -> Sandbox {
    let sandbox = Sandbox::new();
    let clips = ["alex_walk.bvh", "alex_wave.bvh", "alex_turn.bvh", "alex_jump.bvh"].map(clip);
    let mut words = vec!["poses".to_owned()];
    words.extend(clips);
    words.extend(["-o", "people.poses", "--json"].map(str::to_owned));
    let row: Value =
        sandbox.run(words.iter().map(String::as_str).collect::<Vec<&str>>()).ok().rows()[0].clone();
    assert_eq!((row["clips"].as_u64(), row["retargeted"].as_u64()), (Some(4), Some(0)));
    assert!(row["poses"].as_u64().unwrap() >= 100 && row["bytes"].as_u64().unwrap() < 1 << 20);
    assert!(row["distance_max"].as_f64().is_some_and(|most| most < 0.05), "{row}");
    sandbox
}

/// The positions of some joints of a clip, as `convert --to csv` writes them.
fn points(sandbox: &Sandbox, joints: &[&str]) -> String {
    sandbox.run(["convert", &clip("alex_walk.bvh"), "--to", "csv", "-o", "all.csv", "--overwrite"]).ok();
    let all = String::from_utf8(sandbox.read("all.csv")).unwrap();
    let mut lines = all.lines();
    let mut table = format!("{}\n", lines.next().unwrap());
    for line in lines.filter(|line| joints.contains(&line.split(',').nth(2).unwrap())) {
        table += &format!("{line}\n");
    }
    table
}

const SIX: [&str; 6] = ["Hips", "LeftHand", "RightHand", "LeftFoot", "RightFoot", "Head"];

#[test]
fn points_of_a_table_become_a_motion_that_meets_them() {
    let sandbox = learnt();
    sandbox.put("points.csv", points(&sandbox, &SIX));
    let skeleton = clip("alex_walk.bvh");
    let words = [
        "solve",
        "points.csv",
        &skeleton,
        "--poses",
        "people.poses",
        "-o",
        "out.bvh",
        "--unit",
        "m",
        "--json",
    ];
    let row = sandbox.run(words).ok().rows()[0].clone();
    assert_eq!((row["frames"].as_u64(), row["retargeted"].as_bool()), (Some(301), Some(false)));
    assert!((row["fps"].as_f64().unwrap() - 120.0).abs() < 0.1, "the times of the table: {}", row["fps"]);
    for goal in row["goals"].as_array().unwrap() {
        assert!(goal["max"].as_f64().is_some_and(|off| off < 1e-3), "{goal}");
    }
    let compared = sandbox.run(["compare", &skeleton, "out.bvh", "--json"]).ok();
    let first: Value = compared.rows()[0].clone();
    assert_eq!(first["frames"].as_u64().or(first["frames_a"].as_u64()).unwrap_or(301), 301);
}

#[test]
fn bad_tables_and_files_are_refused_with_what_helps() {
    let sandbox = learnt();
    let skeleton = clip("alex_walk.bvh");
    let solve = |points: &str, poses: &str| {
        let words = ["solve", points, &skeleton, "--poses", poses, "-o", "out.bvh", "--overwrite"];
        sandbox.run(words)
    };
    let head = "frame,joint,x,y,z,qw,qx,qy,qz\n";
    for (content, wanted) in [
        (format!("{head}0,Hips,nan,0,0,,,,\n"), "line 2: 'nan' is not finite"),
        (format!("{head}0,Hips,1,,0,,,,\n"), "line 2: a position has three numbers"),
        (format!("{head}0,nobody,1,0,0,,,,\n"), "none of the 1 points is a joint"),
        (head.to_owned(), "no rows"),
        (format!("{head}0,Hips,0,1,0,,,,\n4000000000,Hips,0,1,0,,,,\n"), "too many"),
    ] {
        sandbox.put("bad.csv", &content);
        let ran = solve("bad.csv", "people.poses");
        assert!(ran.code != 0 && ran.stderr.contains(wanted), "{content}: {} {}", ran.code, ran.stderr);
        assert!(!ran.stderr.contains("panicked"));
    }
    sandbox.put("points.csv", points(&sandbox, &SIX));
    let bytes = sandbox.read("people.poses");
    for (content, wanted) in [
        (Vec::new(), "does not start with MOCAPPOS"),
        (bytes[..bytes.len() / 2].to_vec(), "cut short or damaged"),
        (b"HIERARCHY".to_vec(), "does not start with MOCAPPOS"),
    ] {
        sandbox.put("bad.poses", content);
        let ran = solve("points.csv", "bad.poses");
        assert!(ran.code != 0 && ran.stderr.contains(wanted), "{} {}", ran.code, ran.stderr);
    }
    let ran = sandbox.run(["solve", "points.csv", "--poses", "people.poses", "-o", "out.bvh"]);
    assert!(ran.code != 0 && ran.stderr.contains("the skeleton comes last"), "{}", ran.stderr);
    let ran = sandbox.run(["poses", &clip("alex.skel"), "-o", "none.poses"]);
    assert!(ran.code != 0 && !ran.stderr.contains("panicked"), "{}", ran.stderr);
    let ran = sandbox.run(["poses", &clip("alex_walk.bvh"), "-o", "people.poses"]);
    assert!(ran.code != 0 && ran.stderr.contains("--overwrite"), "{}", ran.stderr);
}

#[test]
fn clips_of_other_skeletons_are_retargeted_and_others_left_out() {
    let sandbox = Sandbox::new();
    let words = [
        "poses",
        &clip("alex_walk.bvh"),
        &clip("robin_walk.bvh"),
        &fixture("faces").join("head.glb").display().to_string(),
        "-o",
        "both.poses",
        "--json",
    ];
    let ran = sandbox.run(words);
    let row = ran.rows().into_iter().find(|row| row.get("retargeted").is_some()).unwrap();
    assert_eq!((row["clips"].as_u64(), row["retargeted"].as_u64()), (Some(2), Some(1)));
    assert_eq!(row["files_left_out"].as_array().unwrap().len(), 1);
}

#[test]
fn frames_of_a_motion_are_measured_against_the_examples() {
    let sandbox = learnt();
    let row = sandbox.run(["info", &clip("alex_walk.bvh"), "--poses", "people.poses", "--json"]).ok().rows()
        [0]
    .clone();
    let unusual = &row["unusual"];
    assert_eq!(unusual["distances"].as_array().unwrap().len(), 301);
    assert!(unusual["max"].as_f64().is_some_and(|max| max < 0.03), "{}", unusual["max"]);
    assert!(unusual["far"].as_array().unwrap().is_empty());
}
