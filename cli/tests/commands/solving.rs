//! `mocap solve` on recordings of a body: whole ones, and such as people have.

use crate::mocap::{Ran, Sandbox, fixture};
use serde_json::Value;

fn clip(name: &str) -> String {
    fixture("clips").join(name).display().to_string()
}

/// Frames of a take in these tests: a second of a walk.
const FRAMES: usize = 120;

/// A recording as the cells of a TRC file: labels, and by frame and label x, y, z.
#[derive(Clone)]
struct Take {
    unit: String,
    labels: Vec<String>,
    frames: Vec<Vec<[String; 3]>>,
}

impl Take {
    /// The markers of a set on the body of a walk.
    fn of(sandbox: &Sandbox, walk: &str, set: &str) -> Take {
        sandbox.run(["convert", &clip(walk), "-o", "all.trc", "--marker-set", set, "--overwrite"]).ok();
        let text = String::from_utf8(sandbox.read("all.trc")).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
        let labels = lines[3][2..].iter().filter(|label| !label.is_empty()).map(|label| (*label).to_owned());
        let labels: Vec<String> = labels.collect();
        let frame = |cells: &Vec<&str>| -> Vec<[String; 3]> {
            (0..labels.len()).map(|at| [0, 1, 2].map(|axis| cells[2 + 3 * at + axis].to_owned())).collect()
        };
        let frames = lines[6..].iter().take(FRAMES).map(frame).collect();
        Take { unit: lines[2][4].to_owned(), frames, labels }
    }

    /// A metre in the unit of the file.
    fn metre(&self) -> f64 {
        match self.unit.as_str() {
            "mm" => 1000.0,
            "cm" => 100.0,
            "m" => 1.0,
            unit => panic!("{unit}"),
        }
    }

    fn at(&self, label: &str) -> usize {
        self.labels.iter().position(|other| other == label).expect(label)
    }

    /// Only these labels, renamed.
    fn with(&self, named: impl Fn(&str) -> Option<String>) -> Take {
        let kept: Vec<(usize, String)> =
            self.labels.iter().enumerate().filter_map(|(at, label)| Some((at, named(label)?))).collect();
        let frame = |cells: &Vec<[String; 3]>| kept.iter().map(|(at, _)| cells[*at].clone()).collect();
        Take {
            unit: self.unit.clone(),
            labels: kept.iter().map(|(_, label)| label.clone()).collect(),
            frames: self.frames.iter().map(frame).collect(),
        }
    }

    /// A marker elsewhere, by metres.
    fn moved(mut self, label: &str, by: [f64; 3]) -> Take {
        let (at, metre) = (self.at(label), self.metre());
        for frame in &mut self.frames {
            for (cell, by) in frame[at].iter_mut().zip(by) {
                *cell = (cell.parse::<f64>().unwrap() + by * metre).to_string();
            }
        }
        self
    }

    /// All positions times a factor.
    fn scaled(mut self, factor: f64) -> Take {
        for cell in self.frames.iter_mut().flatten().flatten().filter(|cell| !cell.is_empty()) {
            *cell = (cell.parse::<f64>().unwrap() * factor).to_string();
        }
        self
    }

    /// The columns of two takes.
    fn beside(mut self, other: &Take) -> Take {
        self.labels.extend(other.labels.iter().cloned());
        self.frames.iter_mut().zip(&other.frames).for_each(|(own, other)| own.extend(other.iter().cloned()));
        self
    }

    fn put(&self, sandbox: &Sandbox, name: &str) {
        let count = self.labels.len();
        let mut text = format!("PathFileType\t4\t(X/Y/Z)\t{name}\n");
        text += "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n";
        text += &format!("120\t120\t{0}\t{count}\t{1}\t120\t1\t{0}\n", self.frames.len(), self.unit);
        text += &format!("Frame#\tTime\t{}\n\t", self.labels.join("\t\t\t"));
        for number in 1..=count {
            text += &format!("\tX{number}\tY{number}\tZ{number}");
        }
        text += "\n\n";
        for (at, frame) in self.frames.iter().enumerate() {
            text += &format!("{}\t{}", at + 1, at as f64 / 120.0);
            frame.iter().for_each(|cells| text += &format!("\t{}", cells.join("\t")));
            text += "\n";
        }
        sandbox.put(name, text);
    }

    /// Solves it.
    fn solve(&self, sandbox: &Sandbox, more: &[&str]) -> Ran {
        self.put(sandbox, "take.trc");
        let words =
            ["solve", "take.trc"].iter().chain(more).chain(&["-o", "out.bvh", "--overwrite", "--json"]);
        sandbox.run(words.copied().collect::<Vec<&str>>())
    }
}

fn walk(sandbox: &Sandbox) -> Take {
    Take::of(sandbox, "alex_walk.bvh", "plug-in-gait")
}

/// The codes of the warnings of a row.
fn codes(row: &Value) -> Vec<&str> {
    row["warnings"].as_array().unwrap().iter().filter_map(|warning| warning["code"].as_str()).collect()
}

/// The warnings of a row with a code, as text.
fn said(row: &Value, code: &str) -> String {
    let all = row["warnings"].as_array().unwrap().iter().filter(|warning| warning["code"] == code);
    all.map(|warning| format!("{} ", warning["message"].as_str().unwrap())).collect()
}

#[test]
fn markers_that_were_put_on_a_body_are_solved_back_onto_it() {
    let sandbox = Sandbox::new();
    let row = walk(&sandbox).solve(&sandbox, &[&clip("alex_walk.bvh")]).ok().rows()[0].clone();
    let residual = row["residual"]["mean"].as_f64().unwrap();
    assert!(residual < 0.003 && row["solved"] == 1.0, "{residual} {}", row["frames"]);
    sandbox.run(["edit", &clip("alex_walk.bvh"), "--trim", "0:120", "-o", "truth.bvh"]).ok();
    let compared = sandbox.run(["compare", "truth.bvh", "out.bvh", "--json"]).ok().rows()[0].clone();
    let [mean, most] = ["mean", "max"].map(|figure| compared[figure].as_f64().unwrap());
    assert!(mean < 0.005 && most < 0.05, "{compared}");
}

#[test]
fn markers_without_noise_are_met_without_a_skeleton() {
    let sandbox = Sandbox::new();
    // Attachments of the table are so far from those of this body that some markers were taken for ghosts: 6.6 mm.
    sandbox.run(["convert", &clip("robin_walk.bvh"), "-o", "all.c3d", "--marker-set", "rajagopal"]).ok();
    let row = sandbox.run(["solve", "all.c3d", "-o", "made.bvh", "--json"]).ok().rows().remove(0);
    let rms = row["residual"]["rms"].as_f64().unwrap();
    assert!(rms < 0.002 && !codes(&row).contains(&"solve::ghosts"), "{rms} {:?}", codes(&row));
}

#[test]
fn a_marker_one_and_a_half_metres_off_is_named_and_left_out() {
    let sandbox = Sandbox::new();
    let take = walk(&sandbox).moved("LUPA", [0.9, 0.8, -0.9]);
    for target in [Some(clip("alex_walk.bvh")), None] {
        let target: Vec<&str> = target.iter().map(String::as_str).collect();
        let row = take.solve(&sandbox, &target).ok().rows()[0].clone();
        assert!(codes(&row).contains(&"solve::wrong-throughout"), "{row}");
        let left_out = row["markers"].as_array().unwrap().iter().filter(|marker| marker["used"] == false);
        let left_out: Vec<&Value> = left_out.map(|marker| &marker["name"]).collect();
        assert_eq!(left_out, ["LUPA"]);
        assert!(row["residual"]["p95"].as_f64().unwrap() < 0.012, "{}", row["residual"]);
    }
}

#[test]
fn markers_of_one_side_or_of_a_hand_are_no_body() {
    let sandbox = Sandbox::new();
    let whole = walk(&sandbox);
    let left = whole.with(|label| (!label.starts_with('R')).then(|| label.to_owned()));
    let refused = left.solve(&sandbox, &[]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stdout.contains("solve::one-side") && refused.stdout.contains("target"), "{refused:?}");
    let row = left.solve(&sandbox, &[&clip("alex_walk.bvh")]).ok().rows()[0].clone();
    assert!(said(&row, "solve::bare").contains("Right"), "{row}");
    let hand = whole.with(|label| ["LWRA", "LWRB", "LFIN"].contains(&label).then(|| label.to_owned()));
    let refused = hand.solve(&sandbox, &[]);
    assert!(refused.code == 1 && refused.stdout.contains("solve::labels"), "{refused:?}");
    assert!(refused.stdout.contains("left hand") && refused.stdout.contains("left lower arm"), "{refused:?}");
}

#[test]
fn limbs_without_markers_are_named() {
    let sandbox = Sandbox::new();
    let bare = ["LTIB", "LANK", "LHEE", "LTOE"];
    let take = walk(&sandbox).with(|label| (!bare.contains(&label)).then(|| label.to_owned()));
    let row = take.solve(&sandbox, &[&clip("alex_walk.bvh")]).ok().rows()[0].clone();
    let said = said(&row, "solve::bare");
    assert!(said.contains("LeftLeg") && said.contains("LeftFoot") && !said.contains("Right"), "{said}");
}

#[test]
fn a_static_trial_of_another_subject_is_named_with_how_far_it_differs() {
    let sandbox = Sandbox::new();
    let take = walk(&sandbox);
    take.clone().put(&sandbox, "own.trc");
    let skeleton = clip("alex_walk.bvh");
    let row = take.solve(&sandbox, &[&skeleton, "--static", "own.trc"]).ok().rows()[0].clone();
    assert!(!codes(&row).contains(&"solve::other-subject"), "{row}");
    take.clone().scaled(0.8).put(&sandbox, "child.trc");
    let row = take.solve(&sandbox, &[&skeleton, "--static", "child.trc"]).ok().rows()[0].clone();
    assert!(said(&row, "solve::other-subject").contains("25.0 %"), "{row}");
}

#[test]
fn a_unit_that_cannot_be_is_read_as_the_one_that_can() {
    let sandbox = Sandbox::new();
    let take = walk(&sandbox);
    let right = take.solve(&sandbox, &[]).ok().rows()[0].clone();
    let factor = 1000.0 / take.metre();
    let mut take = take.scaled(factor);
    take.unit = "m".to_owned();
    let row = take.solve(&sandbox, &[]).ok().rows()[0].clone();
    assert!(said(&row, "solve::unit").contains("millimetres"), "{row}");
    let [a, b] = [&right, &row].map(|row| row["residual"]["mean"].as_f64().unwrap());
    assert!((a - b).abs() < 1e-6, "{a} {b}");
}

#[test]
fn one_frame_and_frames_out_of_order_are_said() {
    let sandbox = Sandbox::new();
    let whole = walk(&sandbox);
    let mut one = whole.clone();
    one.frames.truncate(1);
    let row = one.solve(&sandbox, &[&clip("alex_walk.bvh")]).ok().rows()[0].clone();
    assert!(codes(&row).contains(&"solve::still"), "{row}");
    let mut mixed = whole.clone();
    mixed.frames = (0..FRAMES).map(|frame| whole.frames[frame * 49 % FRAMES].clone()).collect();
    let row = mixed.solve(&sandbox, &[&clip("alex_walk.bvh")]).ok().rows()[0].clone();
    assert!(said(&row, "solve::jumps").contains("out of order"), "{row}");
}

#[test]
fn of_two_people_one_is_chosen_by_name() {
    let sandbox = Sandbox::new();
    let alice = walk(&sandbox).with(|label| Some(format!("Alice:{label}")));
    let robin = Take::of(&sandbox, "robin_walk.bvh", "plug-in-gait");
    let robin = robin.with(|label| Some(format!("Robin:{label}")));
    let both = alice.clone().beside(&robin);
    let refused = both.solve(&sandbox, &[]);
    assert!(refused.code == 1 && refused.stdout.contains("solve::subjects"), "{refused:?}");
    assert!(refused.stdout.contains("Alice") && refused.stdout.contains("--subject"), "{refused:?}");
    let chosen = both.solve(&sandbox, &["--subject", "Robin"]).ok().rows()[0].clone();
    let alone = robin.solve(&sandbox, &[]).ok().rows()[0].clone();
    assert_eq!(chosen["residual"], alone["residual"]);
}

#[test]
fn the_name_of_a_subject_ends_in_any_usual_separator() {
    let sandbox = Sandbox::new();
    let take = Take::of(&sandbox, "alex_walk.bvh", "optitrack");
    // Motive's list of 37 markers has one at the side of the head, and none on the inner side of limbs and on heels.
    let named = |name: &'static str, take: &Take| {
        take.with(move |label| match label {
            "LHeadSide" | "LKneeIn" | "RKneeIn" | "LHandIn" | "RHandIn" | "LAnkleIn" | "RAnkleIn"
            | "LHeel" | "RHeel" => None,
            "RHeadSide" => Some(format!("{name}HeadSide")),
            label => Some(format!("{name}{label}")),
        })
    };
    let solve =
        |name: &'static str, more: &[&str]| named(name, &take).solve(&sandbox, more).ok().rows().remove(0);
    let colon = solve("Bob:", &[]);
    assert!(
        !codes(&colon).iter().any(|code| ["solve::identified", "solve::unknown-labels"].contains(code)),
        "{colon}"
    );
    for (name, more) in [("Bob_", &["--subject", "Bob"]), ("Bob-", &["--marker-set", "optitrack"])] {
        let row = solve(name, more);
        assert_eq!(row["residual"], colon["residual"], "{name} {more:?}");
        assert_eq!(codes(&row), codes(&colon), "{name} {more:?}");
    }
    // Of two, one has to be chosen.
    let robin = named("Robin_", &Take::of(&sandbox, "robin_walk.bvh", "optitrack"));
    let both = named("Bob_", &take).beside(&robin);
    let refused = both.solve(&sandbox, &[]);
    assert!(refused.code == 1 && refused.stdout.contains("solve::subjects"), "{refused:?}");
    let chosen = both.solve(&sandbox, &["--subject", "Bob"]).ok().rows().remove(0);
    assert_eq!(chosen["residual"], colon["residual"]);
}

#[test]
fn a_set_that_was_found_by_places_alone_is_said_to_be_unproven() {
    let sandbox = Sandbox::new();
    let take = walk(&sandbox);
    let numbers = take.with(|label| Some(format!("*{}", take.at(label))));
    let row = numbers.solve(&sandbox, &[]).ok().rows().remove(0);
    assert!(said(&row, "solve::identified").contains("small residuals do not show"), "{row}");
    assert!(row["warnings"].to_string().contains("--marker-set NAME"), "{row}");
}

#[test]
fn a_thing_becomes_a_prop_of_the_scene() {
    let sandbox = Sandbox::new();
    let mut take = walk(&sandbox);
    let corners = [[0.0, 0.0, 0.0], [300.0, 0.0, 0.0], [0.0, 200.0, 0.0], [0.0, 0.0, 100.0]];
    let factor = take.metre() / 1000.0;
    for (at, corner) in corners.iter().enumerate() {
        take.labels.push(format!("Box:{at}"));
        for (frame, cells) in take.frames.iter_mut().enumerate() {
            let place = [1000.0 + corner[0], 500.0 + corner[1], corner[2] + 5.0 * frame as f64];
            cells.push(place.map(|value| (value * factor).to_string()));
        }
    }
    take.put(&sandbox, "take.trc");
    let row = sandbox.run(["solve", "take.trc", "-o", "out.glb", "--json"]).ok().rows()[0].clone();
    assert_eq!(row["props"][0]["name"], "Box");
    assert_eq!(row["props"][0]["markers"].as_array().map(Vec::len), Some(4));
    let info = sandbox.run(["info", "out.glb", "--json"]).ok().rows()[0].clone();
    assert_eq!((info["roots"].as_u64(), info["frames"].as_u64()), (Some(2), Some(FRAMES as u64)));
    sandbox.run(["convert", "out.glb", "-o", "out.csv"]).ok();
    assert!(String::from_utf8(sandbox.read("out.csv")).unwrap().contains("Box"));
}

#[test]
fn a_calibration_of_one_take_solves_another() {
    let sandbox = Sandbox::new();
    let take = walk(&sandbox);
    let first = take.solve(&sandbox, &["--write-calibration", "alex.json"]).ok().rows()[0].clone();
    let mut short = take.clone();
    short.frames.truncate(40);
    let row = short.solve(&sandbox, &["--calibration", "alex.json"]).ok().rows()[0].clone();
    let [whole, part] = [&first, &row].map(|row| row["residual"]["mean"].as_f64().unwrap());
    assert!(part < 1.5 * whole + 1e-3, "{whole} {part}");
    let stray = short.with(|label| Some(label.replace("LKNE", "LKNM")));
    let row = stray.solve(&sandbox, &["--calibration", "alex.json"]).ok().rows()[0].clone();
    assert!(said(&row, "solve::not-calibrated").contains("LKNM"), "{row}");
    let written = String::from_utf8(sandbox.read("alex.json")).unwrap();
    let older = written.replacen("\"version\": 2", "\"version\": 1", 1);
    assert_ne!(older, written);
    sandbox.put("older.json", older);
    sandbox.put("broken.json", "{\"version\": 2}");
    for (file, said) in [("older.json", "has version 1"), ("broken.json", "is not a calibration")] {
        let refused = short.solve(&sandbox, &["--calibration", file]);
        let output = &refused.stdout;
        assert!(refused.code != 0 && output.contains("solve::calibration"), "{refused:?}");
        assert!(output.contains(said), "{refused:?}");
    }
}

#[test]
fn a_gate_that_is_missed_writes_nothing() {
    let sandbox = Sandbox::new();
    let take = walk(&sandbox);
    let missed = take.solve(&sandbox, &["--fail-above", "residual=0.001mm"]);
    assert_eq!(missed.code, 3, "{missed:?}");
    assert!(!sandbox.files("").contains(&"out.bvh".to_owned()));
    take.solve(&sandbox, &["--fail-above", "residual=20mm,doubtful=0.5"]).ok();
    assert!(sandbox.files("").contains(&"out.bvh".to_owned()));
}

/// A folder of takes through one pipeline: solved, then on a robot and on another body, with gates at each step.
#[test]
fn a_pipeline_solves_takes_and_retargets_them() {
    let sandbox = Sandbox::new();
    walk(&sandbox).put(&sandbox, "takes/walk.trc");
    let robot = fixture("robots/pip.xml").display().to_string();
    let (other, subject) = (clip("robin.skel"), clip("alex_walk.bvh"));
    let pipeline = |solve: &str, retarget: &str| {
        format!(
            "inputs = \"takes\"\noutput = \"out\"\n[[step]]\ndo = \"solve\"\n{solve}\n\
             [[step]]\ndo = \"write\"\nto = \"bvh\"\nfolder = \"solved\"\n\
             [[step]]\ndo = \"retarget\"\n{retarget}\n"
        )
    };
    let on_body = format!(
        "target = \"{other}\"\nfail-above = \"violations=0,slide=0.05\"\n[[step]]\ndo = \"write\"\nname = \"body\"\n\
         to = \"bvh\"\nfolder = \"robin\"\n"
    );
    let gates = "fail-above = \"residual=20mm,doubtful=0.05\"";
    sandbox.put("made.toml", pipeline(gates, &on_body));
    let row = sandbox.run(["run", "made.toml", "--json"]).ok().rows()[0].clone();
    assert_eq!(
        (row["passed"].as_bool(), row["gates"].as_array().map(Vec::len)),
        (Some(true), Some(4)),
        "{row}"
    );
    let measured = &row["steps"][0];
    assert!(measured["residual"]["mean"].as_f64().is_some_and(|mean| mean < 0.01), "{measured}");
    // The same motion as by the command.
    walk(&sandbox).solve(&sandbox, &[]).ok();
    let same = sandbox.run(["compare", "out.bvh", "out/solved/walk.bvh", "--json"]).ok().rows()[0].clone();
    assert!(same["max"].as_f64().is_some_and(|most| most < 1e-6), "{same}");
    let on_robot = format!(
        "target = \"{robot}\"\n[[step]]\ndo = \"write\"\nname = \"robot\"\nto = \"unitree-csv\"\nfolder = \"pip\"\n"
    );
    sandbox.put("robot.toml", pipeline(&format!("target = \"{subject}\"\n{gates}"), &on_robot));
    sandbox.run(["run", "robot.toml", "--overwrite"]).ok();
    assert!(sandbox.path("out/pip/walk.csv").exists() && sandbox.path("out/robin/walk.bvh").exists());
    // A gate that is missed writes nothing; a motion is no take; solving is the first step.
    sandbox.put("missed.toml", pipeline("fail-above = \"residual=0.001mm\"", &on_body));
    let missed = sandbox.run(["run", "missed.toml", "-o", "missed", "--json"]);
    let row = &missed.rows()[0];
    assert_eq!((missed.code, row["passed"].as_bool()), (3, Some(false)), "{row}");
    assert_eq!(
        (row["gates"][0]["step"].as_str(), row["gates"][0]["passed"].as_bool()),
        (Some("solve"), Some(false))
    );
    assert!(!sandbox.path("missed/solved/walk.bvh").exists());
    let motion = sandbox.run(["run", "made.toml", &subject, "-o", "none"]);
    assert!(motion.code != 0 && motion.stderr.contains("holds no markers"), "{motion:?}");
    let late = pipeline(gates, &on_body).replacen("[[step]]", "[[step]]\ndo = \"mirror\"\n[[step]]", 1);
    sandbox.put("late.toml", late);
    let late = sandbox.run(["run", "late.toml"]);
    assert!(late.code != 0 && late.stderr.contains("must be the first"), "{late:?}");
}

#[test]
fn a_solved_take_goes_on_to_a_robot_and_to_another_body_behind_gates() {
    let sandbox = Sandbox::new();
    walk(&sandbox).solve(&sandbox, &["--fail-above", "residual=20mm,doubtful=0.05"]).ok();
    let robot = fixture("robots/pip.xml").display().to_string();
    sandbox.run(["retarget", "out.bvh", &robot, "-o", "pip.csv"]).ok();
    let other = clip("robin.skel");
    let gates = "violations=0,slide=0.05";
    sandbox.run(["retarget", "out.bvh", &other, "-o", "robin.bvh", "--fail-above", gates]).ok();
    let written = sandbox.files("");
    assert!(written.contains(&"pip.csv".to_owned()) && written.contains(&"robin.bvh".to_owned()));
}

#[test]
fn a_range_of_a_take_is_solved() {
    let sandbox = Sandbox::new();
    let row = walk(&sandbox).solve(&sandbox, &["--trim", "20:60", "--fail-above", "residual=20mm"]).ok();
    let row = row.rows()[0].clone();
    let info = sandbox.run(["info", "out.bvh", "--json"]).ok().rows()[0].clone();
    assert_eq!(info["frames"], 40, "{row}");
    let refused = walk(&sandbox).solve(&sandbox, &["--trim", "900:999"]);
    assert!(refused.code == 1 && refused.stderr.contains("--trim"), "{refused:?}");
}
