//! `mocap poses`, `mocap solve --poses`, `mocap info --poses`.

use crate::mocap::{Sandbox, fixture};
use serde_json::Value;
use std::sync::LazyLock;

fn clip(name: &str) -> String {
    fixture("clips").join(name).display().to_string()
}

const CLIPS: [&str; 4] = ["alex_walk.bvh", "alex_wave.bvh", "alex_turn.bvh", "alex_jump.bvh"];

/// What is learnt from the clips of one body, and from those none of which is the walk: each once for all tests.
static POSES: LazyLock<Vec<u8>> = LazyLock::new(|| learn_from(&CLIPS));
static POSES_WITHOUT_THE_WALK: LazyLock<Vec<u8>> = LazyLock::new(|| learn_from(&CLIPS[1..]));

/// A folder with `people.poses`.
fn learnt() -> Sandbox {
    with_poses(&POSES)
}

fn learnt_without_the_walk() -> Sandbox {
    with_poses(&POSES_WITHOUT_THE_WALK)
}

fn with_poses(poses: &[u8]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put("people.poses", poses);
    sandbox
}

fn learn_from(clips: &[&str]) -> Vec<u8> {
    let sandbox = Sandbox::new();
    let mut words = vec!["poses".to_owned()];
    words.extend(clips.iter().map(|name| clip(name)));
    words.extend(["-o", "people.poses", "--json"].map(str::to_owned));
    let row: Value =
        sandbox.run(words.iter().map(String::as_str).collect::<Vec<&str>>()).ok().rows()[0].clone();
    assert_eq!((row["clips"].as_u64(), row["retargeted"].as_u64()), (Some(clips.len() as u64), Some(0)));
    assert!(row["poses"].as_u64().unwrap() >= 100 && row["bytes"].as_u64().unwrap() < 1 << 20);
    assert!(row["distance_max"].as_f64().is_some_and(|most| most < 0.05), "{row}");
    sandbox.read("people.poses")
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
    let ran = sandbox.run([
        "solve",
        "points.csv",
        &skeleton,
        "--poses",
        "people.poses",
        "--subject",
        "Alice",
        "-o",
        "out.bvh",
    ]);
    assert!(ran.code != 0 && ran.stderr.contains("--subject chooses one of several"), "{}", ran.stderr);
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

/// A table of points as TRC: columns of positions, in millimetres, empty where a point is missing.
fn trc(table: &str, names: &[&str]) -> String {
    let mut frames: std::collections::BTreeMap<usize, Vec<String>> = std::collections::BTreeMap::new();
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let frame =
            frames.entry(cells[0].parse().unwrap()).or_insert_with(|| vec!["\t\t".into(); names.len()]);
        let at = names.iter().position(|name| *name == cells[2]).unwrap();
        let place = [3, 4, 5].map(|at| (cells[at].parse::<f64>().unwrap() * 10.0).to_string());
        frame[at] = place.join("\t");
    }
    let count = frames.len();
    let header: Vec<String> = (1..=names.len()).map(|at| format!("X{at}\tY{at}\tZ{at}")).collect();
    let mut text = format!(
        "PathFileType\t4\t(X/Y/Z)\tpoints.trc\n\
         DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n\
         120\t120\t{count}\t{}\tmm\t120\t1\t{count}\n\
         Frame#\tTime\t{}\n\t\t{}\n\n",
        names.len(),
        names.join("\t\t\t"),
        header.join("\t")
    );
    for (frame, cells) in frames {
        text += &format!("{}\t{:.5}\t{}\n", frame + 1, frame as f64 / 120.0, cells.join("\t"));
    }
    text
}

/// Points of other joints in each part of the take give the same motion from every format that
/// holds points.
#[test]
fn points_come_from_any_format_and_change_over_time() {
    let sandbox = learnt();
    let all = points(&sandbox, &SIX);
    let mut lines = all.lines();
    let mut some = format!("{}\n", lines.next().unwrap());
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let (frame, joint): (usize, &str) = (cells[0].parse().unwrap(), cells[2]);
        // No hips in the first second, no left hand in the second, only hips, feet and head at the end.
        let lost = match frame {
            0..120 => joint == "Hips",
            120..240 => joint == "LeftHand",
            _ => joint.ends_with("Hand"),
        };
        if !lost {
            some += &format!("{line}\n");
        }
    }
    sandbox.put("points.csv", &some);
    sandbox.put("points.trc", trc(&some, &SIX));
    sandbox.run(["convert", "points.trc", "-o", "points.c3d"]).ok();
    sandbox.run(["convert", "points.trc", "-o", "points.npz"]).ok();
    let skeleton = clip("alex_walk.bvh");
    // A solver gets the same points from every format, so the slower one is run on two of them
    // only.
    let both: &[&str] = &["objective", "xpbd"];
    for (format, solvers) in [("csv", both), ("trc", both), ("c3d", &both[..1]), ("npz", &both[..1])] {
        for solver in solvers {
            let (points, out) = (format!("points.{format}"), format!("{format}_{solver}.bvh"));
            let words = [
                "solve",
                &points,
                &skeleton,
                "--poses",
                "people.poses",
                "--ik",
                *solver,
                "-o",
                &out,
                "--json",
            ];
            let row = sandbox.run(words).ok().rows()[0].clone();
            assert_eq!((row["frames"].as_u64(), row["sets"].as_u64()), (Some(301), Some(3)), "{format}");
            assert_eq!(
                row["hips_estimated"].as_u64(),
                Some(301),
                "places do not say how the hips are turned"
            );
            for goal in row["goals"].as_array().unwrap() {
                assert!(goal["max"].as_f64().is_some_and(|off| off < 1e-3), "{format} {solver}: {goal}");
            }
            // The numbers of TRC have fewer digits than those of CSV.
            let first = format!("csv_{solver}.bvh");
            let compared = sandbox.run(["compare", &first, &out, "--json"]).ok().rows()[0].clone();
            assert!(
                compared["max"].as_f64().is_some_and(|most| most < 1e-3),
                "{format} {solver}: {compared}"
            );
        }
    }
    let refused = sandbox.run([
        "solve",
        "points.csv",
        &skeleton,
        "--poses",
        "people.poses",
        "--ik",
        "ccd",
        "-o",
        "no.bvh",
    ]);
    assert!(refused.code != 0 && refused.stderr.contains("objective or xpbd"), "{}", refused.stderr);
    let words = [
        "solve",
        "points.csv",
        &skeleton,
        "--poses",
        "people.poses",
        "--static",
        "points.trc",
        "-o",
        "no.bvh",
    ];
    let refused = sandbox.run(words);
    assert!(refused.code != 0 && refused.stderr.contains("--static is for recordings"), "{}", refused.stderr);
}

/// Unnamed points whose positions fit a marker set are solved as optical markers, with and without
/// --poses.
#[test]
fn markers_without_labels_are_solved_beside_poses() {
    let sandbox = learnt();
    let skeleton = clip("alex_walk.bvh");
    sandbox
        .run(["convert", &skeleton, "--marker-set", "plug-in-gait", "-o", "take.trc", "--trim", "0s:1s"])
        .ok();
    let text = String::from_utf8(sandbox.read("take.trc")).unwrap();
    let mut number = 0;
    let unlabelled = |(at, line): (usize, &str)| match at {
        3 => {
            let mut name = |cell: (usize, &str)| match cell {
                (0 | 1, cell) => cell.to_owned(),
                (_, "") => String::new(),
                _ => {
                    number += 1;
                    format!("*{number}")
                }
            };
            line.split('\t').enumerate().map(&mut name).collect::<Vec<String>>().join("\t")
        }
        _ => line.to_owned(),
    };
    let text: Vec<String> = text.lines().enumerate().map(unlabelled).collect();
    sandbox.put("points.trc", text.join("\n") + "\n");
    for target in [Some(skeleton.as_str()), None] {
        let mut words = vec!["solve", "points.trc"];
        words.extend(target);
        words.extend(["--poses", "people.poses", "-o", "out.bvh", "--overwrite", "--json"]);
        let row = sandbox.run(words).ok().rows()[0].clone();
        assert!(row["warnings"].to_string().contains("solve::identified"), "{row}");
        assert!(row["residual"]["mean"].as_f64().is_some_and(|mean| mean < 0.01), "{}", row["residual"]);
    }
}

/// A limb without any marker is filled from the examples instead of being reported as bare; a
/// skeleton that the examples cannot be mapped to is solved without them.
#[test]
fn warnings_say_what_was_filled_and_what_was_not() {
    let sandbox = learnt();
    let skeleton = clip("alex_walk.bvh");
    sandbox.run(["convert", &skeleton, "--marker-set", "plug-in-gait", "-o", "take.trc"]).ok();
    let text = String::from_utf8(sandbox.read("take.trc")).unwrap();
    let kept = |name: &str, is_kept: &dyn Fn(&str) -> bool, lost: &[&str]| {
        let names: Vec<&str> = text.lines().nth(3).unwrap().split('\t').collect();
        let columns: Vec<usize> =
            (0..names.len()).filter(|at| *at < 2 || !names[at - (at - 2) % 3].is_empty()).collect();
        let columns: Vec<usize> =
            columns.into_iter().filter(|at| *at < 2 || is_kept(names[at - (at - 2) % 3])).collect();
        let count = (columns.len() - 2) / 3;
        let line = |(row, line): (usize, &str)| {
            let cells: Vec<&str> = line.split('\t').collect();
            match row {
                0 | 1 | 5 => line.to_owned(),
                2 => {
                    let mut cells: Vec<String> = cells.iter().map(|cell| (*cell).to_owned()).collect();
                    cells[3] = count.to_string();
                    cells.join("\t")
                }
                _ => {
                    let cell = |at: &usize| {
                        let is_lost =
                            *at > 1 && (96..216).contains(&row) && lost.contains(&names[at - (at - 2) % 3]);
                        if is_lost { "" } else { cells.get(*at).copied().unwrap_or("") }
                    };
                    columns.iter().map(cell).collect::<Vec<&str>>().join("\t")
                }
            }
        };
        let lines: Vec<String> = text.lines().enumerate().map(line).collect();
        sandbox.put(name, lines.join("\n") + "\n");
    };
    let arm = ["LUPA", "LELB", "LFRM", "LWRA", "LWRB", "LFIN"];
    kept("bare.trc", &|name| !arm.contains(&name), &[]);
    let solve = |words: &[&str]| {
        let end = ["-o", "out.bvh", "--overwrite", "--json"];
        sandbox.run(words.iter().chain(&end).copied().collect::<Vec<&str>>()).ok().rows()[0].clone()
    };
    let codes = |row: &Value| row["warnings"].to_string();
    let plain = solve(&["solve", "bare.trc", &skeleton]);
    assert!(codes(&plain).contains("solve::bare"), "{plain}");
    let filled = solve(&["solve", "bare.trc", &skeleton, "--poses", "people.poses"]);
    assert!(!codes(&filled).contains("solve::bare") && codes(&filled).contains("solve::filled"), "{filled}");
    // Only markers of the legs, one foot of which is missing for a second: a skeleton without arms
    // is made.
    let legs = ["ASI", "PSI", "THI", "KNE", "TIB", "ANK", "HEE", "TOE"];
    kept(
        "legs.trc",
        &|name| name.len() == 4 && legs.contains(&&name[1..]),
        &["LTIB", "LANK", "LHEE", "LTOE"],
    );
    let row = solve(&["solve", "legs.trc", "--poses", "people.poses"]);
    assert!(codes(&row).contains("solve::not-filled") && !codes(&row).contains("solve::filled"), "{row}");
    assert_eq!(row["residual"], solve(&["solve", "legs.trc"])["residual"]);
}

/// Optical markers, and the arm without markers for a second: it is filled from examples of other motions.
#[test]
fn a_limb_without_markers_is_filled_from_examples() {
    let sandbox = learnt_without_the_walk();
    let skeleton = clip("alex_walk.bvh");
    sandbox.run(["convert", &skeleton, "--marker-set", "plug-in-gait", "-o", "take.trc"]).ok();
    let whole = String::from_utf8(sandbox.read("take.trc")).unwrap();
    let names: Vec<&str> = whole.lines().nth(3).unwrap().split('\t').collect();
    let arm = ["LUPA", "LELB", "LFRM", "LWRA", "LWRB", "LFIN"];
    let mut lost = String::new();
    for (at, line) in whole.lines().enumerate() {
        let mut cells: Vec<&str> = line.split('\t').collect();
        if (6 + 90..6 + 210).contains(&at) {
            for name in arm {
                let column = names.iter().position(|own| *own == name).unwrap();
                (column..column + 3).for_each(|column| cells[column] = "");
            }
        }
        lost += &format!("{}\n", cells.join("\t"));
    }
    sandbox.put("lost.trc", &lost);
    let solve = |take: &str, out: &str, poses: bool| {
        let mut words = vec!["solve", take, skeleton.as_str(), "-o", out, "--json"];
        if poses {
            words.extend(["--poses", "people.poses"]);
        }
        sandbox.run(words).ok().rows()[0].clone()
    };
    solve("take.trc", "truth.bvh", false);
    solve("lost.trc", "plain.bvh", false);
    let row = solve("lost.trc", "filled.bvh", true);
    let filled: Vec<&str> =
        row["filled"].as_array().unwrap().iter().map(|own| own["joint"].as_str().unwrap()).collect();
    assert!(filled.iter().any(|joint| joint.contains("Arm")), "{filled:?}");
    assert!(
        row["filled"].as_array().unwrap().iter().any(|own| own["first"] == 90 && own["last"] == 209),
        "{row}"
    );
    let off = |name: &str| {
        let row = sandbox.run(["compare", "truth.bvh", name, "--json"]).ok().rows()[0].clone();
        row["max"].as_f64().or(row["error"]["max"].as_f64()).unwrap_or_else(|| panic!("{row}"))
    };
    assert!(off("filled.bvh") < 0.212 * off("plain.bvh"), "{} {}", off("filled.bvh"), off("plain.bvh"));
    let refused = sandbox.run([
        "solve",
        "lost.trc",
        &skeleton,
        "--poses",
        "people.poses",
        "--ik",
        "xpbd",
        "-o",
        "no.bvh",
    ]);
    assert!(refused.code != 0 && refused.stderr.contains("--ik is for points"), "{}", refused.stderr);
}

/// An arm whose rotations freeze for a second: denoise with poses finds and fills the gap, and
/// without poses leaves it.
#[test]
fn denoise_fills_a_lost_arm_by_poses() {
    let sandbox = learnt_without_the_walk();
    let walk = String::from_utf8(std::fs::read(clip("alex_walk.bvh")).unwrap()).unwrap();
    let (head, motion) = walk.split_at(walk.find("MOTION").unwrap());
    // The columns of the arm.
    let (mut channels, mut arm) = (0, Vec::new());
    let mut joint = "";
    for line in head.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first() {
            Some(&"ROOT" | &"JOINT") => joint = words[1],
            Some(&"CHANNELS") => {
                let count: usize = words[1].parse().unwrap();
                if ["LeftArm", "LeftUpperArm", "LeftForeArm", "LeftLowerArm"].contains(&joint) {
                    arm.extend(channels..channels + count);
                }
                channels += count;
            }
            _ => {}
        }
    }
    assert!(arm.len() >= 4, "{head}");
    let mut lines: Vec<String> = motion.lines().map(str::to_owned).collect();
    let held: Vec<String> = lines[3 + 90].split_whitespace().map(str::to_owned).collect();
    for line in &mut lines[3 + 90..3 + 210] {
        let mut cells: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        arm.iter().for_each(|at| cells[*at].clone_from(&held[*at]));
        *line = cells.join(" ");
    }
    sandbox.put("held.bvh", format!("{head}{}\n", lines.join("\n")));
    let walk = clip("alex_walk.bvh");
    let denoise = |out: &str, poses: bool| {
        let mut words = vec!["edit", "held.bvh", "--denoise", "auto"];
        if poses {
            words.extend(["--poses", "people.poses"]);
        }
        words.extend(["-o", out, "--json"]);
        sandbox.run(words).ok().rows()[0].clone()
    };
    let row = denoise("plain.bvh", false);
    assert!(
        row.to_string().contains("edit::stop") && row.to_string().contains("too long to interpolate"),
        "{row}"
    );
    let row = denoise("filled.bvh", true);
    assert!(!row.to_string().contains("edit::stop"), "{row}");
    assert!(row.to_string().contains("filled from the example poses"), "{row}");
    let off = |name: &str| {
        let row = sandbox.run(["compare", &walk, name, "--json"]).ok().rows()[0].clone();
        row["max"].as_f64().or(row["error"]["max"].as_f64()).unwrap_or_else(|| panic!("{row}"))
    };
    assert!(off("filled.bvh") < 0.28 * off("plain.bvh"), "{} {}", off("filled.bvh"), off("plain.bvh"));
    let refused =
        sandbox.run(["edit", "held.bvh", "--denoise", "savgol", "--poses", "people.poses", "-o", "no.bvh"]);
    assert!(refused.code != 0 && refused.stderr.contains("the method is savgol"), "{}", refused.stderr);
    let refused =
        sandbox.run(["edit", "held.bvh", "--denoise", "auto", "--poses", "held.bvh", "-o", "no.bvh"]);
    assert!(
        refused.code != 0 && refused.stderr.contains("does not start with MOCAPPOS"),
        "{}",
        refused.stderr
    );
}

#[test]
fn databases_that_say_little_are_told_and_nothing_is_lost() {
    let sandbox = Sandbox::new();
    let learn = |inputs: &[&str], out: &str| {
        let mut words = vec!["poses"];
        words.extend(inputs);
        words.extend(["-o", out]);
        sandbox.run(words)
    };
    // One clip.
    sandbox.run(["edit", &clip("alex_wave.bvh"), "--speed", "0.5", "-o", "slow.bvh"]).ok();
    let one = learn(&["slow.bvh"], "one.poses").ok();
    assert!(one.stderr.contains("poses::one-clip"), "{}", one.stderr);
    // Robots and skeletons that cannot be mapped are listed, and the others are learnt from.
    let robot = fixture("robots").join("pip.xml").display().to_string();
    let face = fixture("faces").join("head.glb").display().to_string();
    let only = learn(&[&robot, &face], "none.poses");
    assert!(
        only.code != 0 && only.stderr.contains("pip.xml") && only.stderr.contains("head.glb"),
        "{}",
        only.stderr
    );
    assert!(!sandbox.path("none.poses").exists());
    let mixed = learn(&[&clip("alex_walk.bvh"), &clip("alex_wave.bvh"), &robot, &face], "mixed.poses");
    assert!(sandbox.path("mixed.poses").exists(), "{}", mixed.stderr);
    assert!(mixed.stderr.contains("pip.xml") && mixed.stderr.contains("head.glb"), "{}", mixed.stderr);
    // Fewer than 100 poses.
    sandbox.run(["edit", &clip("alex_walk.bvh"), "--trim", "0:60", "-o", "short.bvh"]).ok();
    let short = learn(&["short.bvh"], "short.poses");
    assert!(short.code != 0 && short.stderr.contains("at least 100 are needed"), "{}", short.stderr);
    assert!(!sandbox.path("short.poses").exists());
    // Poses of another skeleton, points without hips, and a point out of reach are solved with
    // warnings.
    let all = points(&sandbox, &["LeftHand", "RightHand", "LeftFoot", "RightFoot", "Head"]);
    let mut far = String::new();
    for (at, line) in all.lines().enumerate() {
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        if at > 50 && at < 100 && cells[2] == "LeftHand" {
            cells[3] = "900".into();
        }
        far += &format!("{}\n", cells.join(","));
    }
    sandbox.put("far.csv", far);
    learn(&[&clip("robin_walk.bvh"), &clip("robin_wave.bvh"), &clip("robin_turn.bvh")], "robin.poses").ok();
    let skeleton = clip("alex_walk.bvh");
    let words = ["solve", "far.csv", &skeleton, "--poses", "robin.poses", "-o", "far.bvh", "--json"];
    let row = sandbox.run(words).ok().rows()[0].clone();
    assert_eq!((row["retargeted"].as_bool(), row["hips_estimated"].as_u64()), (Some(true), Some(301)));
    let goals = row["goals"].as_array().unwrap();
    let hand = goals.iter().find(|goal| goal["name"] == "LeftHand").unwrap();
    assert!(hand["missed"].as_u64().is_some_and(|missed| missed > 0), "{hand}");
    assert!(row["warnings"].to_string().contains("poses::out-of-reach"), "{}", row["warnings"]);
    assert_eq!(row["unusual"].as_array().unwrap().len(), 301);
}
