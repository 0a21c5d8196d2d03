//! Results that cannot be right are not written, and end with the exit code of a missed gate.

use crate::mocap::{Sandbox, fixture};

/// Joints of a body: name, number of the parent, offset [cm].
const BODY: [(&str, usize, [f64; 3]); 13] = [
    ("Hips", 0, [0.0, 95.0, 0.0]),
    ("LeftUpLeg", 0, [10.0, 0.0, 0.0]),
    ("LeftLeg", 1, [0.0, -45.0, 0.0]),
    ("LeftFoot", 2, [0.0, -43.0, 0.0]),
    ("RightUpLeg", 0, [-10.0, 0.0, 0.0]),
    ("RightLeg", 4, [0.0, -45.0, 0.0]),
    ("RightFoot", 5, [0.0, -43.0, 0.0]),
    ("Spine", 0, [0.0, 25.0, 0.0]),
    ("Head", 7, [0.0, 40.0, 0.0]),
    ("LeftArm", 7, [18.0, 25.0, 0.0]),
    ("LeftForeArm", 9, [28.0, 0.0, 0.0]),
    ("RightArm", 7, [-18.0, 25.0, 0.0]),
    ("RightForeArm", 11, [-28.0, 0.0, 0.0]),
];

/// A BVH with a place for every joint in every frame, whose offsets are those places times `size`.
fn bvh(size: f64) -> String {
    let mut text = String::from("HIERARCHY\n");
    fn add(text: &mut String, joint: usize, size: f64) {
        let (name, _, [x, y, z]) = BODY[joint];
        text.push_str(&format!(
            "{} {name}\n{{\nOFFSET {} {} {}\n",
            ["JOINT", "ROOT"][usize::from(joint == 0)],
            x * size,
            y * size,
            z * size
        ));
        text.push_str("CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n");
        let children: Vec<usize> = (1..BODY.len()).filter(|child| BODY[*child].1 == joint).collect();
        children.iter().for_each(|child| add(text, *child, size));
        if children.is_empty() {
            text.push_str("End Site\n{\nOFFSET 0 1 0\n}\n");
        }
        text.push_str("}\n");
    }
    add(&mut text, 0, size);
    // Depth first, as the joints were written.
    let order = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    text.push_str("MOTION\nFrames: 60\nFrame Time: 0.0333333\n");
    for frame in 0..60 {
        let row = order.map(|joint: usize| {
            let (_, _, [x, y, z]) = BODY[joint];
            format!("{x} {y} {z} 0 {} 0", if joint == 0 { 0.0 } else { f64::from(frame) * 0.2 })
        });
        text.push_str(&(row.join(" ") + "\n"));
    }
    text
}

#[test]
fn bones_of_two_lengths_are_refused_unless_forced() {
    let sandbox = Sandbox::new();
    sandbox.put("right.bvh", bvh(1.0));
    sandbox.put("wrong.bvh", bvh(0.01));
    let robin = fixture("clips/robin.skel").display().to_string();
    let replace = ["--position-channels", "replace", "--input-unit", "cm"];
    for command in [&["convert"][..], &["retarget"]] {
        let run = |source: &str, more: &[&str]| {
            let target = if command[0] == "retarget" { vec![robin.as_str()] } else { Vec::new() };
            let words = [
                command,
                &[source],
                &target,
                &["-o", "out.fbx", "--to", "fbx", "--overwrite"],
                &replace,
                more,
            ];
            sandbox.run(words.concat())
        };
        run("right.bvh", &[]).ok();
        std::fs::remove_file(sandbox.path("out.fbx")).unwrap();
        let refused = run("wrong.bvh", &[]);
        assert_eq!(refused.code, 3, "{}", refused.stderr);
        assert!(
            refused.stderr.contains("motion::two-lengths") && refused.stderr.contains("--force"),
            "{}",
            refused.stderr
        );
        assert!(!sandbox.path("out.fbx").exists());
        let forced = run("wrong.bvh", &["--force"]).ok();
        assert!(forced.stderr.contains("motion::two-lengths"), "{}", forced.stderr);
        assert!(sandbox.path("out.fbx").exists());
    }
    let info = sandbox.run([&["info", "wrong.bvh"], &replace[..2]].concat()).ok();
    assert!(info.stderr.contains("motion::two-lengths"), "{}", info.stderr);
}

/// The walk of the fixtures at a frame time, with X of the hips moved by this much in one frame [cm].
fn walk(frame_time: &str, jump: f64) -> String {
    let text = std::fs::read_to_string(fixture("clips/alex_walk.bvh")).unwrap();
    let (head, motion) = text.split_once("Frame Time:").unwrap();
    let rows = motion.lines().skip(1).enumerate().map(|(frame, row)| match row.split_once(' ') {
        Some((x, rest)) if frame == 40 => format!("{} {rest}\n", x.parse::<f64>().unwrap() + jump),
        _ => format!("{row}\n"),
    });
    format!("{head}Frame Time: {frame_time}\n{}", rows.collect::<String>())
}

#[test]
fn rates_that_no_camera_has_are_said_and_a_rate_written_as_time_is_known() {
    let sandbox = Sandbox::new();
    let warning = |time: &str, more: &[&str]| {
        sandbox.put("walk.bvh", walk(time, 0.0));
        let ran = sandbox.run([&["info", "walk.bvh", "--json"], more].concat()).ok();
        let row = ran.rows().remove(0);
        let warnings = row["warnings"].as_array().unwrap().clone();
        warnings.into_iter().find(|warning| warning["code"] == "rate::unlikely")
    };
    for usual in ["0.0083333", "0.04", "1", "0.0005"] {
        assert_eq!(warning(usual, &[]), None, "{usual}");
    }
    let swapped = warning("30", &[]).unwrap();
    assert!(swapped["message"].as_str().unwrap().contains("30 looks like the rate"), "{swapped}");
    assert!(swapped["help"].as_str().unwrap().starts_with("--input-fps 30"), "{swapped}");
    assert_eq!(warning("30", &["--input-fps", "30"]), None);
    for strange in ["0.0001", "2.5", "1e-300"] {
        let said = warning(strange, &[]).unwrap();
        assert!(!said["message"].as_str().unwrap().contains("looks like"), "{said}");
    }
    let shown = sandbox.run(["info", "walk.bvh"]).ok();
    for text in [shown.stdout, shown.stderr] {
        assert!(text.lines().all(|line| line.len() < 200), "{text}");
    }
}

#[test]
fn hips_that_are_faster_than_any_body_are_said_with_their_place() {
    let sandbox = Sandbox::new();
    let robin = fixture("clips/robin.skel").display().to_string();
    let robot = fixture("robots/pip.xml").display().to_string();
    for (target, output) in [(&robin, "o.bvh"), (&robot, "o.csv")] {
        for (jump, wrong) in [(0.0, false), (20.0, false), (100.0, true)] {
            sandbox.put("walk.bvh", walk("0.0083333", jump));
            let words =
                ["retarget", "walk.bvh", target, "-o", output, "--overwrite", "--trim", "0:60", "--json"];
            let row = sandbox.run([&words[..], &["--input-unit", "cm"]].concat()).ok().rows().remove(0);
            let warnings = row["warnings"].as_array().unwrap();
            let found = warnings.iter().find(|warning| warning["code"] == "motion::too-fast");
            assert_eq!(found.is_some(), wrong, "{output} {jump}: {warnings:?}");
            let Some(found) = found else { continue };
            let message = found["message"].as_str().unwrap();
            assert!(message.contains("'Hips'") && message.contains("frame 40"), "{message}");
        }
    }
    // A rest pose in the first frame may be anywhere.
    let text = walk("0.0083333", 0.0);
    sandbox.put("walk.bvh", &text);
    assert!(!sandbox.run(["info", "walk.bvh"]).ok().stderr.contains("too-fast"));
}
