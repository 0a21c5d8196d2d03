//! Edits and joins: each refusal of bad input says what is wrong and what helps; bodies are in balance.

use crate::mocap::{Ran, Sandbox, fixture};
use serde_json::Value;

/// A leg that swings and stays in place: no feet, no unit that fits.
const SWING: &str = "HIERARCHY\nROOT Base\n{\n OFFSET 0 0 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n JOINT Tip\n {\n  \
                     OFFSET 0 -5 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  End Site\n  {\n   OFFSET 0 -4 0\n  }\n }\n}\n\
                     MOTION\nFrames: 40\nFrame Time: 0.033333\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in ["alex_walk", "alex_turn", "robin_walk"] {
        sandbox.put(&format!("{name}.bvh"), std::fs::read(fixture(&format!("clips/{name}.bvh"))).unwrap());
    }
    let rows: String = (0..40).map(|i| format!("{} 0 0 {} 0 0\n", i, 40 - i)).collect();
    sandbox.put("swing.bvh", format!("{SWING}{rows}"));
    sandbox.run(["edit", "alex_walk.bvh", "--trim", "0:1", "-o", "pose.bvh"]).ok();
    sandbox.run(["edit", "alex_walk.bvh", "--trim", "0:60", "-o", "step.bvh"]).ok();
    sandbox
}

fn run(sandbox: &Sandbox, command: &str) -> Ran {
    sandbox.run(command.split(' ').collect::<Vec<_>>())
}

fn figure(row: &Value, name: &str) -> f64 {
    let figures = row["edits"][0]["figures"].as_array().unwrap();
    let found = figures.iter().find(|figure| figure["name"] == name);
    found.and_then(|figure| figure["value"].as_f64()).unwrap_or_else(|| panic!("{name} in {row}"))
}

#[test]
fn what_cannot_be_edited_is_refused_with_what_helps() {
    let sandbox = sandbox();
    sandbox.put("late.csv", "0,0\n1,90\n");
    sandbox.put("back.csv", "0,0\n1,0.5\n2,0.4\n");
    sandbox.put("nan.csv", "0,0\n1,nan\n");
    let cases: [(&str, &str, &[&str]); 17] = [
        // Without feet.
        ("swing.bvh --fix-feet", "edit::no-feet", &["no joint is recognised as a foot", "mocap skel IN"]),
        ("swing.bvh --ground", "edit::no-feet", &["no joint is recognised as a foot"]),
        ("swing.bvh --sync alex_walk.bvh", "edit::no-feet", &["no joint is recognised as a foot"]),
        // One frame.
        ("pose.bvh --loop", "edit::too-short", &["the motion has 1", "longer motion"]),
        ("pose.bvh --denoise auto", "edit::too-short", &["at least 8 frames", "the motion has 1"]),
        ("pose.bvh --drop-first-frame", "edit::no-frames", &["the motion has 1 frames"]),
        ("pose.bvh --duration 2s", "edit::too-short", &["the motion has 1"]),
        ("pose.bvh --sync alex_walk.bvh", "edit::sync", &["comes down", "--duration or --time-map"]),
        // A body that stays.
        ("swing.bvh --turn 90", "edit::still", &["does not travel", "--heading"]),
        // No cycle: the best, and how far it is from one.
        (
            "swing.bvh --loop",
            "edit::no-cycle",
            &["the most similar poses within 120 s, at ", "apart; a cycle needs", "--loop=30:92"],
        ),
        ("alex_walk.bvh --loop=3:5", "edit::option", &["frames of the range is 2", "at least 5"]),
        // Outside the clip.
        ("alex_walk.bvh --loop=900:1000", "edit::no-frames", &["loop leaves no frame", "mocap info"]),
        ("alex_walk.bvh --trim 90s:", "edit::no-frames", &["trim leaves no frame"]),
        ("alex_walk.bvh --time-map late.csv", "edit::time-map", &["90 s is outside the motion, which lasts"]),
        ("alex_walk.bvh --time-map back.csv", "edit::time-map", &["it runs backwards", "both increasing"]),
        ("alex_walk.bvh --time-map nan.csv", "edit::table", &["line 2", "'1,nan'"]),
        ("alex_walk.bvh --add alex_walk.bvh --mask Tail", "edit::mask", &["no joint matches 'Tail'", "glob"]),
    ];
    for (words, code, said) in cases {
        let command = format!("edit {words} -o x.bvh");
        let ran = run(&sandbox, &command);
        let reported = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(ran.code != 0 && reported.contains(code), "{command}: {ran:?}");
        assert!(said.iter().all(|part| reported.contains(part)), "{command}: {reported}");
        assert!(!sandbox.path("x.bvh").exists(), "{command}");
    }
    for words in
        ["--speed nan", "--speed 0", "--duration -1", "--turn nan", "--denoise butterworth:nan", "--loop=9:3"]
    {
        let command = format!("edit alex_walk.bvh {words} -o x.bvh");
        let ran = run(&sandbox, &command);
        assert!(ran.code == 2 && ran.stderr.contains("invalid value"), "{command}: {ran:?}");
    }
}

#[test]
fn a_range_beyond_the_end_is_said_and_limits_of_lengths_take_units() {
    let sandbox = sandbox();
    let past = run(&sandbox, "edit step.bvh --trim 10:250 -o part.bvh");
    assert!(
        past.code == 0 && past.stderr.contains("edit::trim-past-end") && past.stderr.contains("60 frames"),
        "{past:?}"
    );
    for range in ["10:60", "10:", "0.1s:0.5s"] {
        let inside = run(&sandbox, &format!("edit step.bvh --trim {range} -o part.bvh --overwrite"));
        assert!(!inside.stderr.contains("edit::trim-past-end"), "{inside:?}");
    }
    for (limit, code) in [("max=200cm", 0), ("max=0.001mm", 3)] {
        let ran =
            run(&sandbox, &format!("edit step.bvh --mirror --fail-above {limit} -o part.bvh --overwrite"));
        assert_eq!(ran.code, code, "{ran:?}");
    }
    let ran =
        run(&sandbox, "retarget step.bvh step.bvh --fail-above foot-off-goal=10cm -o part.bvh --overwrite");
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn what_cannot_be_joined_is_refused_with_what_helps() {
    let sandbox = sandbox();
    let cases: [(&str, &str, &[&str]); 4] = [
        ("alex_walk.bvh robin_walk.bvh", "edit::skeletons", &["different skeletons", "mocap retarget"]),
        ("alex_walk.bvh pose.bvh", "edit::too-short", &["after the transition has 1 frames", "--transition"]),
        ("pose.bvh alex_walk.bvh", "edit::too-short", &["before the transition has 1 frames"]),
        ("alex_walk.bvh step.bvh --transition 9s", "edit::too-short", &["a transition of 9 s needs"]),
    ];
    for (words, code, said) in cases {
        let command = format!("join {words} -o x.bvh");
        let ran = run(&sandbox, &command);
        let reported = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(ran.code == 1 && reported.contains(code), "{command}: {ran:?}");
        assert!(said.iter().all(|part| reported.contains(part)), "{command}: {reported}");
        assert!(!sandbox.path("x.bvh").exists(), "{command}");
    }
    for words in ["--transition nan", "--search -1", "--kind fade"] {
        let command = format!("join alex_walk.bvh alex_turn.bvh {words} -o x.bvh");
        let ran = run(&sandbox, &command);
        assert!(ran.code == 2 && ran.stderr.contains("invalid value"), "{command}: {ran:?}");
    }
}

#[test]
fn feet_stand_in_a_transition_unless_they_are_left_free() {
    let sandbox = sandbox();
    let join = |more: &str| {
        let command = format!("join alex_walk.bvh alex_turn.bvh -o joined.bvh --overwrite --json{more}");
        run(&sandbox, &command).ok().rows().remove(0)
    };
    for kind in [" --kind blend", " --kind inertial"] {
        let (locked, free) = (join(kind), join(&format!("{kind} --no-lock")));
        let [tight, loose] = [&locked, &free].map(|row| figure(row, "transition-skate"));
        assert!(tight < 1e-6 && tight < loose, "{kind}: {tight} of {loose}");
        assert!(figure(&locked, "peak-acceleration") <= 1.2, "{kind}: {locked}");
    }
    run(&sandbox, "join alex_walk.bvh alex_turn.bvh -o gated.bvh --fail-above transition-skate=0.02").ok();
    let step =
        "[[step]]\ndo = 'join'\nwith = 'alex_turn.bvh'\nno-lock = true\n[[step]]\ndo = 'write'\nto = 'bvh'\n";
    sandbox.put("steps.toml", step);
    run(&sandbox, "run steps.toml alex_walk.bvh -o out/").ok();
}

/// A motion whose header promises three frames more than it has.
fn short_of_frames(sandbox: &Sandbox, of: &str, name: &str) {
    let text = String::from_utf8(sandbox.read(of)).unwrap();
    let frames: usize =
        text.lines().find_map(|line| line.strip_prefix("Frames:")).unwrap().trim().parse().unwrap();
    let said = text.replace(&format!("Frames: {frames}"), &format!("Frames: {}", frames + 3));
    assert_ne!(said, text);
    sandbox.put(name, said);
}

#[test]
fn warnings_about_files_that_an_edit_names_are_said_under_their_names() {
    let sandbox = sandbox();
    short_of_frames(&sandbox, "alex_walk.bvh", "short.bvh");
    short_of_frames(&sandbox, "swing.bvh", "stick.bvh");
    let code = "bvh::frame-count";
    let plain = run(&sandbox, "edit alex_walk.bvh --join alex_walk.bvh -o plain.bvh").ok();
    assert!(!plain.stderr.contains(code), "{plain:?}");
    for (words, json) in [
        ("--join short.bvh", false),
        ("--attach Base@Tip=Hips@RightHand --prop stick.bvh --prop-unit cm", false),
        ("--join short.bvh --join short.bvh", true),
    ] {
        let flag = if json { " --json" } else { "" };
        let ran = run(&sandbox, &format!("edit alex_walk.bvh {words} -o out.bvh --overwrite{flag}"));
        if json {
            let rows = ran.ok().rows();
            let warnings = rows[0]["warnings"].as_array().unwrap();
            let found: Vec<_> = warnings.iter().filter(|warning| warning["code"] == code).collect();
            assert!(found.len() == 1 && found[0]["path"] == "short.bvh", "{warnings:?}");
        } else {
            let file = words.split(' ').find(|word| word.ends_with(".bvh")).unwrap();
            assert!(ran.code == 0 && ran.stderr.contains(code), "{words}: {ran:?}");
            assert!(ran.stderr.contains(file), "{words}: {ran:?}");
        }
    }
    sandbox.put(
        "p.toml",
        "inputs = \"alex_walk.bvh\"\noutput = \"out\"\n[[step]]\ndo = \"join\"\nwith = \"short.bvh\"\n[[step]]\ndo = \"write\"\nto = \"bvh\"\n",
    );
    let ran = run(&sandbox, "run p.toml").ok();
    assert!(ran.stderr.contains(code) && ran.stderr.contains("short.bvh"), "{ran:?}");
    let rows = run(&sandbox, "run p.toml --json --overwrite").ok().rows();
    let warnings = rows[0]["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|warning| warning["code"] == code && warning["path"] == "short.bvh"));
}

/// The flags about inputs are about those that state less.
#[test]
fn a_prop_that_states_its_space_keeps_it() {
    let sandbox = sandbox();
    run(&sandbox, "convert swing.bvh --input-unit cm -o stick.glb").ok();
    let held = |words: &str| {
        let attach = "--attach Base@Tip=Hips@RightHand --hold snap --prop";
        run(&sandbox, &format!("edit alex_walk.bvh {attach} {words} -o out.bvh --overwrite")).ok();
        sandbox.read("out.bvh")
    };
    let plain = held("stick.glb");
    assert_eq!(held("stick.glb --input-unit cm --input-up Y"), plain);
    // A BVH file states no unit: the flag applies.
    assert_ne!(held("swing.bvh --input-unit cm"), held("swing.bvh --prop-unit m --input-unit cm"));
}

#[test]
fn props_are_called_as_inside_their_files() {
    let sandbox = sandbox();
    let attach = |words: &str| {
        let ran = run(&sandbox, &format!("edit alex_walk.bvh {words} --prop-unit cm -o out.bvh"));
        assert_eq!(ran.code, 1, "{ran:?}");
        ran.stderr
    };
    let said = attach("--attach sword@Tip=Hips@RightHand --prop swing.bvh");
    assert!(said.contains("nothing is called 'sword'; there is Base,"), "{said}");
    let said = attach("--attach Hips@Hips=Hips@RightHand --prop alex_walk.bvh");
    assert!(said.contains("the prop is called 'Hips'") && !said.contains("ground root"), "{said}");
}

#[test]
fn jumps_of_other_sizes_fall_and_stand_as_they_are_measured_afterwards() {
    let sandbox = Sandbox::new();
    sandbox.put("alex_jump.bvh", std::fs::read(fixture("clips/alex_jump.bvh")).unwrap());
    for (size, least_margin) in [("0.5", 0.0395), ("1.3", 0.04)] {
        sandbox.run(["edit", "alex_jump.bvh", "--scale", size, "-o", "scaled.bvh", "--overwrite"]).ok();
        sandbox.run(["edit", "scaled.bvh", "--balance", "-o", "balanced.bvh", "--overwrite"]).ok();
        let balance = |file: &str| {
            let row = sandbox.run(["info", "--quality", "--json", file]).ok().rows().remove(0);
            row["quality"]["balance"].clone()
        };
        let (before, after) = (balance("scaled.bvh"), balance("balanced.bvh"));
        let off = |balance: &Value| balance["off_fall"].as_f64().unwrap();
        assert!(off(&before) > 0.2 && off(&after) < 0.01, "{size}: {before} {after}");
        assert!(after["margin"].as_f64().unwrap() > least_margin, "{size}: {before} {after}");
    }
}
