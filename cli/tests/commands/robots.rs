//! Robots: models as files, motions on them, and the files of trainers.

use crate::mocap::{Ran, Sandbox, fixture};

fn path(name: &str) -> String {
    fixture(name).display().to_string()
}

/// A walk on the robot of the fixtures.
fn retarget(sandbox: &Sandbox, output: &str, flags: &[&str]) -> Ran {
    let (walk, robot) = (path("clips/alex_walk.bvh"), path("robots/pip.xml"));
    sandbox.run([&["retarget", &walk, &robot, "-o", output, "--json"], flags].concat())
}

fn rows(bytes: &[u8]) -> Vec<Vec<f64>> {
    let text = std::str::from_utf8(bytes).unwrap();
    text.lines().map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect()
}

#[test]
fn a_walk_goes_onto_a_robot_without_a_flag() {
    let sandbox = Sandbox::new();
    let row = retarget(&sandbox, "walk.csv", &[]).ok().rows().remove(0);
    let motion = rows(&sandbox.read("walk.csv"));
    assert_eq!(motion.len() as u64, row["frames"].as_u64().unwrap());
    assert!(motion.iter().all(|row| row.len() == 7 + 21), "{}", motion[0].len());
    let robot = &row["robot"];
    assert_eq!(robot["limits"]["share"], 0.0, "{robot}");
    assert!(robot["velocity"].is_null(), "an MJCF states no speeds: {robot}");
    // The toes of this robot, a capsule without width, roll off after the contact of the source.
    assert!(robot["skate"]["mean"].as_f64().unwrap() < 0.1, "{robot}");
    assert_eq!(robot["penetration"]["share"], 0.0, "{robot}");
    // Its thighs are 40 mm inside its pelvis by design, as MuJoCo measures too.
    assert!(robot["self_added"]["max"].as_f64().unwrap() < 0.02, "{robot}");
    assert!((robot["path"].as_f64().unwrap() - 1.0).abs() < 0.05, "{robot}");
    for (limb, most) in [("thigh", 10.0), ("shank", 10.0), ("upper_arm", 12.0), ("forearm", 30.0)] {
        assert!(robot["follow"][limb].as_f64().unwrap() < most, "{limb}: {robot}");
    }
    let beside: serde_json::Value = serde_json::from_slice(&sandbox.read("walk.csv.joints.json")).unwrap();
    assert_eq!((beside["joints"][0].as_str(), beside["order"].as_str()), (Some("waist_yaw"), Some("dfs")));
}

#[test]
fn meshes_collide_as_their_hulls() {
    let sandbox = Sandbox::new();
    let (walk, robot) = (path("clips/alex_walk.bvh"), path("robots/pip-meshes.xml"));
    let on = |target: &str, flags: &[&str]| {
        let words = [&["retarget", &walk, target, "-o", "walk.csv", "--overwrite", "--json"], flags].concat();
        let row = sandbox.run(words).ok().rows().remove(0);
        // The only warning is about the guessed unit of the walk.
        assert_eq!(row["warnings"].as_array().unwrap().len(), 1, "{row}");
        row["robot"].clone()
    };
    let report = on(&robot, &["--trim", "0s:1s"]);
    assert_eq!((&report["limits"]["share"], &report["penetration"]["share"]), (&0.0.into(), &0.0.into()));
    assert!(report["skate"]["mean"].as_f64().unwrap() < 0.1, "{report}");
    // The rods of this model lie within the capsules of the other, so they penetrate each other
    // less deeply.
    let capsules = on(&path("robots/pip.xml"), &["--trim", "0s:1s"]);
    let deepest = |report: &serde_json::Value| report["self_penetration"]["max"].as_f64().unwrap();
    assert!(deepest(&report) > 0.0 && deepest(&report) < deepest(&capsules) + 0.01, "{report}, {capsules}");
    // The model written as one file contains the convex hulls of its meshes.
    sandbox.run(["skel", &robot, "-o", "pip.skel"]).ok();
    let again = on("pip.skel", &["--trim", "0s:1s"]);
    assert!((deepest(&report) - deepest(&again)).abs() < 1e-4, "{report}, {again}");
    sandbox.run(["view", &robot, "-o", "pip.html"]).ok();
}

#[test]
fn a_database_goes_onto_a_robot() {
    let sandbox = Sandbox::new();
    for clip in ["alex_walk", "alex_turn", "robin_jump"] {
        sandbox.put(&format!("in/{clip}.bvh"), std::fs::read(fixture(&format!("clips/{clip}.bvh"))).unwrap());
    }
    let robot = path("robots/pip.xml");
    let how = ["--to", "unitree-csv", "--trim", "0s:1s"];
    sandbox.run([&["retarget", "in", &robot, "-o", "out/"], &how[..]].concat()).ok();
    let written = sandbox.files("out");
    assert_eq!(written.iter().filter(|name| name.ends_with(".csv")).count(), 3, "{written:?}");
    let once = sandbox.read("out/alex_walk.pip.csv");
    sandbox.run([&["retarget", "in", &robot, "-o", "again/", "-j", "1"], &how[..]].concat()).ok();
    assert!(once == sandbox.read("again/alex_walk.pip.csv"), "the same bytes for any number of threads");
}

#[test]
fn an_edited_motion_of_a_robot_stays_one() {
    let sandbox = Sandbox::new();
    let robot = path("robots/pip.xml");
    retarget(&sandbox, "in/walk.csv", &["--fps", "50"]).ok();
    let columns = rows(&sandbox.read("in/walk.csv"))[0].len();
    let flags = ["--skeleton", &robot, "--input-fps", "50"];
    let edits: [(&str, &[&str]); 7] = [
        ("dense.csv", &["edit", "in/walk.csv", "--fps", "120", "-o", "dense.csv"]),
        ("bent.csv", &["edit", "in/walk.csv", "--turn", "90", "-o", "bent.csv"]),
        ("cycle.csv", &["edit", "in/walk.csv", "--loop", "-o", "cycle.csv"]),
        ("later.csv", &["edit", "in/walk.csv", "--trim", "0.5s:", "--heading", "Y", "-o", "later.csv"]),
        ("out/walk.csv", &["edit", "in/walk.csv", "--speed", "2", "-o", "out/"]),
        ("x.csv", &["edit", "in/walk.csv", "--speed", "2", "-o", "x.csv"]),
        ("parts/walk_001.csv", &["split", "in/walk.csv", "--every", "1", "-o", "parts"]),
    ];
    for (output, command) in edits {
        sandbox.run([command, &flags[..]].concat()).ok();
        assert_eq!(rows(&sandbox.read(output))[0].len(), columns, "{command:?}");
    }
    // Feet cannot be locked, because hinges cannot turn about other axes.
    let ran = sandbox.run([&["edit", "in/walk.csv", "--loop", "-o", "again.csv"], &flags[..]].concat()).ok();
    assert!(ran.stderr.contains("edit::feet-free"), "{}", ran.stderr);
    let ran = sandbox.run([&["edit", "in/walk.csv", "--fix-feet", "-o", "fixed.csv"], &flags[..]].concat());
    assert!(ran.code == 1 && ran.stderr.contains("robot-motion::model"), "{}", ran.stderr);
    assert!(ran.stderr.contains("mocap retarget MOTION.glb"), "{}", ran.stderr);
    // This advice is not given for a table with wrong numbers.
    let far = String::from_utf8(sandbox.read("in/walk.csv")).unwrap();
    let far = far.split_once(',').map(|(_, rest)| format!("1e300,{rest}")).unwrap();
    sandbox.put("far.csv", &far);
    let ran = sandbox.run([&["info", "far.csv"], &flags[..]].concat());
    assert!(ran.code == 1 && ran.stderr.contains("robot-motion::model"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("mocap retarget"), "{}", ran.stderr);
    // Positions are written on request.
    let asked = ["edit", "in/walk.csv", "--speed", "2", "--to", "csv", "-o", "positions.csv"];
    sandbox.run([&asked[..], &flags].concat()).ok();
    assert!(sandbox.read("positions.csv").starts_with(b"frame,"));
}

#[test]
fn every_verb_writes_the_table_of_a_robot() {
    let sandbox = Sandbox::new();
    let robot = path("robots/pip.xml");
    retarget(&sandbox, "walk.csv", &[]).ok();
    let first = rows(&sandbox.read("walk.csv"));
    let with = ["--skeleton", &robot, "--input-fps", "30"];
    let row =
        sandbox.run([&["convert", "walk.csv", "-o", "a.csv", "--json"], &with[..]].concat()).ok().rows();
    assert_eq!(row[0]["format"], "unitree-csv");
    sandbox.run([&["edit", "walk.csv", "-o", "b.csv", "--trim", "0s:3s"], &with[..]].concat()).ok();
    sandbox
        .run([&["blend", "walk.csv", "walk.csv", "--weights", "1,1", "-o", "c.csv"], &with[..]].concat())
        .ok();
    sandbox.run([&["join", "walk.csv", "walk.csv", "-o", "d.csv"], &with[..]].concat()).ok();
    for (name, exact) in [("a.csv", true), ("b.csv", true), ("c.csv", true), ("d.csv", false)] {
        let found = rows(&sandbox.read(name));
        assert!(found.iter().all(|row| row.len() == 7 + 21), "{name}");
        for (a, b) in first.iter().flatten().zip(found.iter().flatten()).filter(|_| exact) {
            assert!((a - b).abs() < 1e-6, "{name}: {a} {b}");
        }
        // It is read as one.
        sandbox.run([&["info", name], &with[..]].concat()).ok();
    }
    // The table of positions is stated.
    sandbox.run([&["convert", "walk.csv", "-o", "e.csv", "--to", "csv"], &with[..]].concat()).ok();
    assert!(sandbox.read("e.csv").starts_with(b"frame,time,joint,"));
    // Motions of people have no other table.
    let walk = path("clips/alex_walk.bvh");
    sandbox.run(["convert", &walk, "-o", "f.csv"]).ok();
    assert!(sandbox.read("f.csv").starts_with(b"frame,time,joint,"));
}

#[test]
fn every_format_is_read_as_it_was_written() {
    let sandbox = Sandbox::new();
    let robot = path("robots/pip.xml");
    retarget(&sandbox, "walk.csv", &["--fps", "50"]).ok();
    let first = rows(&sandbox.read("walk.csv"));
    for (to, file) in [
        ("robot-csv", "a.csv"),
        ("mjlab-npz", "b.npz"),
        ("isaac-npz", "c.npz"),
        ("gmr-npz", "d.npz"),
        ("unitree-csv", "e.csv"),
    ] {
        let flags = ["--skeleton", &robot, "--input-fps", "50"];
        sandbox.run([&["convert", "walk.csv", "-o", file, "--to", to], &flags[..]].concat()).ok();
        let back = format!("{file}.back.csv");
        let flags = ["--skeleton", &robot, "--to", "unitree-csv"];
        sandbox.run([&["convert", file, "-o", &back], &flags[..]].concat()).ok();
        let again = rows(&sandbox.read(&back));
        assert_eq!(first.len(), again.len(), "{to}");
        for (a, b) in first.iter().flatten().zip(again.iter().flatten()) {
            assert!((a - b).abs() < 1e-6, "{to}: {a} {b}");
        }
    }
    // With another joint order the file differs, also in the same format, if the format allows
    // several orders.
    let flags = ["--skeleton", &robot, "--order", "bfs"];
    sandbox.run([&["convert", "a.csv", "-o", "a_bfs.csv", "--to", "robot-csv"], &flags[..]].concat()).ok();
    let header =
        |name: &str| String::from_utf8(sandbox.read(name)).unwrap().lines().next().unwrap().to_owned();
    assert_ne!(header("a.csv"), header("a_bfs.csv"));
    let ran =
        sandbox.run([&["convert", "walk.csv", "-o", "f.csv", "--to", "unitree-csv"], &flags[..]].concat());
    assert!(ran.code == 1 && ran.stderr.contains("robot-motion::order"), "{}", ran.stderr);
    // Breadth first, and read by the names in the file.
    let flags = ["--skeleton", &robot, "--order", "bfs", "--to", "isaac-npz"];
    sandbox.run([&["convert", "walk.csv", "-o", "bfs.npz"], &flags[..]].concat()).ok();
    let beside: serde_json::Value = serde_json::from_slice(&sandbox.read("bfs.npz.joints.json")).unwrap();
    let names: Vec<&str> =
        beside["joints"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(&names[..3], ["waist_yaw", "left_hip_pitch", "right_hip_pitch"]);
    sandbox.run(["convert", "bfs.npz", "-o", "flat.csv", "--to", "unitree-csv", "--skeleton", &robot]).ok();
    for (a, b) in first.iter().flatten().zip(rows(&sandbox.read("flat.csv")).iter().flatten()) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
    let ran = sandbox.run([
        "convert",
        "walk.csv",
        "-o",
        "x.npz",
        "--to",
        "gmr-npz",
        "--order",
        "bfs",
        "--skeleton",
        &robot,
    ]);
    assert!(ran.code == 1 && ran.stderr.contains("robot-motion::order"), "{}", ran.stderr);
}

#[test]
fn a_table_is_read_at_the_rate_that_is_stated_beside_it() {
    let sandbox = Sandbox::new();
    let robot = path("robots/pip.xml");
    let ran = retarget(&sandbox, "walk.csv", &["--fps", "50"]).ok();
    let row = ran.rows().remove(0);
    let warnings = row["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|warning| warning["code"] == "robot-motion::rate"), "{row}");
    let rate = || {
        let row = sandbox.run(["info", "--json", "walk.csv", "--skeleton", &robot]).ok().rows().remove(0);
        (row["fps"].as_f64(), row["warnings"][0]["code"].as_str().map(str::to_owned))
    };
    assert_eq!(rate(), (Some(50.0), None));
    // A sidecar of another motion is not used, and a warning says so.
    let text = String::from_utf8(sandbox.read("walk.csv")).unwrap();
    sandbox.put("walk.csv", text.lines().skip(1).collect::<Vec<_>>().join("\n"));
    assert_eq!(rate(), (Some(30.0), Some("robot-motion::sidecar".to_owned())));
    // Each file has its own sidecar.
    retarget(&sandbox, "walk.npz", &["--fps", "50"]).ok();
    assert!(sandbox.path("walk.npz.joints.json").exists());
}

#[test]
fn a_skeleton_file_carries_the_robot() {
    let sandbox = Sandbox::new();
    let (walk, robot) = (path("clips/alex_walk.bvh"), path("robots/pip.urdf"));
    sandbox.run(["skel", &robot, "-o", "pip.skel"]).ok();
    for (target, output) in [(&*robot, "a.csv"), ("pip.skel", "b.csv")] {
        sandbox.run(["retarget", &walk, target, "-o", output, "--trim", "0s:1s"]).ok();
    }
    assert!(sandbox.read("a.csv") == sandbox.read("b.csv"), "the same robot");
    sandbox.run(["skel", "pip.skel", "-o", "again.skel"]).ok();
    assert!(sandbox.read("pip.skel") == sandbox.read("again.skel"), "nothing is lost");
    // A limit that is edited in the skeleton holds on the robot.
    let text = String::from_utf8(sandbox.read("pip.skel")).unwrap();
    let knee = text.lines().find(|line| line.contains("\"left_knee\", \"parent\"")).expect("a joint a line");
    let start = knee.find("\"limits\": { \"X\": [").expect("a knee has limits");
    let end = start + knee[start..].find(']').unwrap();
    let edited = format!("{}\"limits\": {{ \"X\": [0, 11{}", &knee[..start], &knee[end..]);
    sandbox.put("stiff.skel", text.replace(knee, &edited));
    sandbox.run(["retarget", &walk, "stiff.skel", "-o", "c.csv", "--trim", "0s:1s"]).ok();
    let beside: serde_json::Value = serde_json::from_slice(&sandbox.read("c.csv.joints.json")).unwrap();
    let joints = beside["joints"].as_array().unwrap();
    let column = 7 + joints.iter().position(|joint| joint == "left_knee").unwrap();
    let most = rows(&sandbox.read("c.csv")).iter().map(|row| row[column]).fold(f64::MIN, f64::max);
    assert!(most <= 11f64.to_radians() + 1e-12, "{most}");
    sandbox.put("broken.skel", text.replacen("[0, 0, -0.26]", "[0, 0, -0.3]", 1));
    let ran = sandbox.run(["validate", "broken.skel"]);
    assert!(ran.code == 1 && ran.stdout.contains("robot") | ran.stderr.contains("robot"), "{}", ran.stderr);
}

#[test]
fn pickles_are_written_and_never_read() {
    let sandbox = Sandbox::new();
    retarget(&sandbox, "walk.pkl", &["--fps", "50"]).ok();
    let bytes = sandbox.read("walk.pkl");
    assert!(bytes.starts_with(b"\x80\x02}") && bytes.ends_with(b"."));
    let ran = sandbox.run(["info", "walk.pkl", "--skeleton", &path("robots/pip.xml")]);
    assert!(ran.code == 1 && ran.stderr.contains("never read"), "{}", ran.stderr);
}

#[test]
fn speeds_come_from_another_model_and_gates_are_held() {
    let sandbox = Sandbox::new();
    let limits = path("robots/pip.urdf");
    let gates = "limits=0,velocity=0,skate=0.1,penetration=0.005,thigh=10";
    let row = retarget(&sandbox, "walk.csv", &["--limits-from", &limits, "--fail-above", gates])
        .ok()
        .rows()
        .remove(0);
    assert_eq!(row["robot"]["velocity"]["share"], 0.0, "{row}");
    let ran = retarget(&sandbox, "b.csv", &["--fail-above", "thigh=0.001,velocity=0"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(!sandbox.path("b.csv").exists(), "a motion that misses a gate is not written");
    assert!(
        ran.stderr.contains("gate::metric-above") && ran.stderr.contains("gate::not-measured"),
        "{}",
        ran.stderr
    );
    let ran = retarget(&sandbox, "c.csv", &["--fail-above", "slide=1"]);
    assert!(ran.code == 2 && ran.stderr.contains("measured on bodies"), "{}", ran.stderr);
}

#[test]
fn a_table_with_too_few_columns_is_refused() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("short.csv"), "time,base_x,base_y\n0,1,2\n").unwrap();
    let ran =
        sandbox.run(["info", "short.csv", "--from", "robot-csv", "--skeleton", &path("robots/pip.xml")]);
    assert!(ran.code == 1 && ran.stderr.contains("robot-motion::columns"), "{}", ran.stderr);
}

#[test]
fn turning_a_clip_leaves_the_joints() {
    let sandbox = Sandbox::new();
    let robot = path("robots/pip.xml");
    let motion = |turned: bool| {
        let text = String::from_utf8(std::fs::read(fixture("clips/alex_walk.bvh")).unwrap()).unwrap();
        // Another root above the hips turns everything by 137 degrees.
        let text = if turned {
            let (hierarchy, rows) = text.split_once("MOTION").unwrap();
            let (head, motion) = rows.split_once("Frame Time").unwrap();
            let (time, lines) = motion.split_once('\n').unwrap();
            let inner = hierarchy.trim().strip_prefix("HIERARCHY").unwrap().replacen("ROOT", "JOINT", 1);
            let lines: Vec<String> = lines.lines().map(|line| format!("137 {line}")).collect();
            format!(
                "HIERARCHY\nROOT World\n{{\nOFFSET 0 0 0\nCHANNELS 1 Yrotation\n{inner}\n}}\nMOTION{head}Frame Time{time}\n{}\n",
                lines.join("\n")
            )
        } else {
            text
        };
        sandbox.put("walk.bvh", text);
        let how = ["--overwrite", "--input-unit", "cm", "--trim", "0s:1s"];
        sandbox.run([&["retarget", "walk.bvh", &robot, "-o", "walk.csv"], &how[..]].concat()).ok();
        rows(&sandbox.read("walk.csv"))
    };
    let (plain, turned) = (motion(false), motion(true));
    assert_eq!(plain.len(), turned.len());
    for (a, b) in plain.iter().zip(&turned) {
        for (a, b) in a[7..].iter().zip(&b[7..]) {
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
    }
}

#[test]
fn what_flies_falls_freely_if_it_is_balanced() {
    let sandbox = Sandbox::new();
    let robot = path("robots/pip.xml");
    for jump in ["clips/alex_jump.bvh", "clips/robin_jump.bvh"].map(path) {
        let report = |flags: &[&str]| {
            let words =
                [&["retarget", &jump, &robot, "-o", "jump.csv", "--overwrite", "--json"], flags].concat();
            sandbox.run(words).ok().rows().remove(0)["robot"].clone()
        };
        let off = |report: &serde_json::Value| report["balance"]["off_fall"].as_f64().unwrap();
        // Flights of the moved motion are others than those of the source: each frame stands all the same.
        let at_50 = report(&["--balance", "--fps", "50"]);
        assert!(off(&at_50) < 1e-9 && at_50["balance"]["within"] == 1.0, "{jump}: {at_50}");
        let (before, after) = (report(&[]), report(&["--balance"]));
        assert!(off(&before) > 0.02 && off(&after) < 1e-9, "{jump}: {} and {}", off(&before), off(&after));
        // What holds without it does so with it.
        assert_eq!((&after["limits"]["share"], &after["penetration"]["share"]), (&0.0.into(), &0.0.into()));
        assert!(after["skate"]["mean"].as_f64().unwrap() < 0.1, "{after}");
    }
}

#[test]
fn what_walks_stands_if_it_is_balanced() {
    let sandbox = Sandbox::new();
    let robot = path("robots/pip.xml");
    let mirrored = |clip: &str| {
        sandbox.run(["edit", clip, "--mirror", "-o", "mirrored.bvh", "--overwrite"]).ok();
        "mirrored.bvh".to_owned()
    };
    for clip in ["clips/alex_walk.bvh", "clips/robin_walk.bvh", "clips/alex_turn.bvh"].map(path) {
        for (clip, fps) in [(clip.clone(), "30"), (clip.clone(), "50"), (mirrored(&clip), "30")] {
            let report = |flags: &[&str]| {
                let words = ["retarget", &clip, &robot, "-o", "walk.csv", "--overwrite", "--json"];
                sandbox.run([&words[..], &["--fps", fps], flags].concat()).ok().rows().remove(0)
            };
            let within = |row: &serde_json::Value| row["robot"]["balance"]["within"].as_f64().unwrap();
            let (before, after) = (report(&[]), report(&["--balance"]));
            assert!(within(&before) < 0.6, "{clip} at {fps}: {}", within(&before));
            assert!(within(&after) > 0.92, "{clip} at {fps}: {}", within(&after));
        }
    }
}

#[test]
fn explain_shows_what_drives_a_robot() {
    let sandbox = Sandbox::new();
    let (walk, robot) = (path("clips/alex_walk.bvh"), path("robots/pip.xml"));
    let row = sandbox.run(["retarget", &walk, &robot, "--explain", "--json"]).ok().rows().remove(0);
    let map = &row["robot"];
    let part = |name: &str| {
        let parts = map["parts"].as_array().unwrap();
        parts.iter().find(|row| row["part"] == name).unwrap_or_else(|| panic!("{name}: {map}")).clone()
    };
    assert_eq!(part("pelvis")["robot"], serde_json::json!(["pelvis"]));
    assert_eq!(part("torso")["robot"], serde_json::json!(["waist_yaw"]));
    let thigh = ["left_hip_pitch", "left_hip_roll", "left_hip_yaw"];
    assert_eq!(part("left thigh")["robot"], serde_json::json!(thigh));
    let shank = part("right shank");
    assert_eq!((&shank["source"], &shank["follows"]), (&"RightLeg".into(), &"direction".into()));
    assert_eq!(shank["robot"], serde_json::json!(["right_knee"]));
    assert_eq!(part("left foot")["robot"], serde_json::json!(["left_ankle_pitch", "left_ankle_roll"]));
    assert_eq!((&map["others"], &row["warnings"]), (&serde_json::json!([]), &serde_json::json!([])));
    // Scale and limbs that cannot follow are those in the report of the retarget.
    let report = retarget(&sandbox, "walk.csv", &["--trim", "0s:1s"]).ok().rows().remove(0);
    let [told, used] =
        [&map["leg_ratio"], &report["robot"]["leg_ratio"]].map(|ratio| ratio.as_f64().unwrap());
    assert!((told - used).abs() < 1e-6, "{told} and {used}");
    assert_eq!(map["cannot_follow"], report["robot"]["cannot_follow"]);
    let shown = sandbox.run(["retarget", &walk, &robot, "--explain"]).ok().stdout;
    assert!(shown.contains("left_knee") && shown.contains("not followed: turns of the head"), "{shown}");
    let dog = path("bodies/dog_trot.bvh");
    let ran = sandbox.run(["retarget", &dog, &robot, "--explain"]);
    assert!(ran.code != 0 && ran.stderr.contains("role"), "{}", ran.stderr);
}

#[test]
fn what_is_no_humanoid_is_refused() {
    let sandbox = Sandbox::new();
    let walk = path("clips/alex_walk.bvh");
    let ran = sandbox.run(["retarget", &walk, &path("robots/arm.urdf"), "-o", "x.csv"]);
    assert!(ran.code == 2 && ran.stderr.contains("legs"), "{}", ran.stderr);
    let dog = path("bodies/dog_trot.bvh");
    let ran = sandbox.run(["retarget", &dog, &path("robots/pip.xml"), "-o", "x.csv"]);
    assert!(ran.code != 0 && !sandbox.path("x.csv").exists(), "{}", ran.stderr);
    let ran =
        sandbox.run(["retarget", &walk, &path("clips/robin.skel"), "-o", "x.csv", "--to", "unitree-csv"]);
    assert!(ran.code == 2 && ran.stderr.contains("not a robot"), "{}", ran.stderr);
}

#[test]
fn models_are_shown_like_skeletons() {
    let sandbox = Sandbox::new();
    let row = sandbox.run(["info", "--json", &path("robots/pip.xml")]).ok().rows().remove(0);
    assert_eq!(row["format"], "mjcf");
    assert_eq!(row["robot"]["joints"].as_array().unwrap().len(), 21);
    assert_eq!(row["robot"]["joints_bfs"][1], "left_hip_pitch");
    let row = sandbox.run(["info", "--json", &path("robots/pip.urdf")]).ok().rows().remove(0);
    assert_eq!(row["robot"]["with_speed"], 21);
    sandbox.run(["view", &path("robots/pip.xml"), "-o", "pip.html"]).ok();
    assert!(String::from_utf8(sandbox.read("pip.html")).unwrap().contains("[22,23,0.06,0.06,"));
    let row = sandbox.run(["info", "--json", &path("robots/included.xml")]).ok().rows().remove(0);
    assert_eq!(row["robot"]["joints"][0], "turn");
}

#[test]
fn balance_is_drawn_and_listed() {
    let sandbox = Sandbox::new();
    let row = retarget(&sandbox, "walk.csv", &[]).ok().rows().remove(0);
    let spans = row["robot"]["off_balance"].as_array().unwrap();
    // In a walk that was not balanced, the zero-moment point leaves the small soles.
    assert!(spans.iter().any(|span| span["kind"] == "zero-moment-point"), "{spans:?}");
    for span in spans {
        let [start, end, worst] = ["start", "end", "worst"].map(|key| span[key].as_f64().unwrap());
        assert!((start..=end).contains(&worst), "{span}");
    }
    let robot = path("robots/pip.xml");
    let shown = ["walk.csv", "--skeleton", &robot, "--balance"];
    let text = |name: &str| String::from_utf8(sandbox.read(name)).unwrap();
    sandbox.run([&["plot"], &shown[..], &["-o", "margins.svg"]].concat()).ok();
    assert!(text("margins.svg").contains("zero-moment point"), "{}", text("margins.svg"));
    sandbox.run([&["plot"], &shown[..], &["--channel", "position", "-o", "places.html"]].concat()).ok();
    assert!(
        text("places.html").contains("X extrapolated") && !text("places.html").contains("Z extrapolated")
    );
    let refused = sandbox.run([&["plot"], &shown[..], &["--channel", "speed", "-o", "no.svg"]].concat());
    assert!(refused.stderr.contains("usage::conflict"), "{}", refused.stderr);
    sandbox.run([&["view"], &shown[..], &["-o", "walk.html"]].concat()).ok();
    let page = text("walk.html");
    assert!(page.contains("\"zero_moment\":[[") && page.contains("zero-moment point outside the soles end"));
    // --balance works for a person, and is refused for a robot arm.
    sandbox.run(["plot", &path("clips/alex_jump.bvh"), "--balance", "-o", "jump.svg"]).ok();
    let refused = sandbox.run(["view", &path("robots/arm.urdf"), "--balance", "-o", "arm.html"]);
    assert!(refused.stderr.contains("picture::no-balance"), "{}", refused.stderr);
}

/// The walk as a table whose rows are changed.
fn changed(sandbox: &Sandbox, name: &str, change: impl Fn(usize, &mut Vec<f64>)) {
    let mut rows = rows(&sandbox.read("walk.csv"));
    rows.iter_mut().enumerate().for_each(|(frame, row)| change(frame, row));
    let line = |row: &Vec<f64>| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    sandbox.put(name, rows.iter().map(line).collect::<Vec<_>>().join("\n") + "\n");
}

#[test]
fn tables_with_numbers_that_no_robot_has_are_said() {
    let sandbox = Sandbox::new();
    let robot = path("robots/pip.xml");
    retarget(&sandbox, "walk.csv", &[]).ok();
    changed(&sandbox, "deg.csv", |_, row| row[7..].iter_mut().for_each(|value| *value = value.to_degrees()));
    changed(&sandbox, "lim.csv", |frame, row| row[9] = if frame == 11 { 99.0 } else { row[9] });
    changed(&sandbox, "first.csv", |_, row| row[3..7].rotate_right(1));
    changed(&sandbox, "zero.csv", |_, row| row[3..7].fill(0.0));
    changed(&sandbox, "nan.csv", |frame, row| row[1] = if frame == 5 { f64::NAN } else { row[1] });
    let read = |name: &str, more: &[&str]| {
        let ran = sandbox.run([&["validate", name, "--skeleton", &robot, "--json"], more].concat());
        (ran.code, ran.rows().remove(0))
    };
    let warned = |name: &str, more: &[&str]| {
        let (code, row) = read(name, more);
        assert_eq!(code, 0, "{row}");
        row["warnings"].as_array().unwrap().clone()
    };
    assert!(warned("walk.csv", &[]).is_empty());
    for (name, code, says) in [
        ("deg.csv", "robot-motion::beyond-limits", "seem to be degrees"),
        ("lim.csv", "robot-motion::beyond-limits", "with 99 rad"),
        ("first.csv", "robot-motion::quaternion-order", "upright with w first"),
    ] {
        let found = warned(name, &[]);
        let warning = found.iter().find(|warning| warning["code"] == code);
        let warning = warning.unwrap_or_else(|| panic!("{name}: {found:?}"));
        assert!(warning["message"].as_str().unwrap().contains(says), "{warning}");
        if name == "lim.csv" {
            assert_eq!((found.len(), &warning["frame"]), (1, &11.into()), "{warning}");
        }
    }
    // A table of numbers is read as a robot's motion even if its quaternions are wrong.
    let (code, row) = read("zero.csv", &[]);
    assert!(code == 1 && row.to_string().contains("robot-motion::quaternion"), "{row}");
    let (code, row) = read("nan.csv", &[]);
    assert!(code == 1 && row.to_string().contains("--repair"), "{row}");
    assert_eq!(warned("nan.csv", &["--repair"])[0]["code"], "robot-motion::repaired");
    let mend =
        ["convert", "nan.csv", "--skeleton", &robot, "--repair", "--to", "unitree-csv", "-o", "mended.csv"];
    sandbox.run(mend).ok();
    let [mended, walk] = ["mended.csv", "walk.csv"].map(|name| rows(&sandbox.read(name)));
    assert!((mended[5][1] - 0.5 * (walk[4][1] + walk[6][1])).abs() < 1e-9);
}

#[test]
fn a_robot_and_the_same_motion_in_a_file_without_axes_are_not_turned_against_each_other() {
    let sandbox = Sandbox::new();
    let robot = path("robots/pip.xml");
    retarget(&sandbox, "walk.csv", &[]).ok();
    sandbox.run(["convert", "walk.csv", "-o", "walk.bvh", "--skeleton", &robot]).ok();
    for (a, b) in [("walk.csv", "walk.bvh"), ("walk.bvh", "walk.csv")] {
        let words = ["compare", a, b, "--skeleton", &robot, "--input-up", "Z", "--json"];
        let row = sandbox.run(words).ok().rows().remove(0);
        assert!(row["max"].as_f64().unwrap() < 1e-3, "{a} {b}: {row}");
        // The hinges show which way the robot faces.
        let said = row["warnings"].to_string();
        assert!(!said.contains("space::forward-of-other"), "{said}");
    }
}
