//! Motions compared, retargeted and read with what lies before or between their frames.

use crate::mocap::{LEG, Sandbox, fixture};

#[test]
fn motions_of_other_rates_are_compared_over_time_where_asked() {
    let sandbox = Sandbox::new();
    let walk = fixture("clips/alex_walk.bvh").display().to_string();
    sandbox.run(["convert", &walk, "-o", "half.bvh", "--fps", "60"]).ok();
    let ran = sandbox.run(["compare", &walk, "half.bvh", "--json"]);
    assert_eq!((ran.code, &ran.rows()[0]["error"]["code"]), (1, &"compare::rates".into()));
    assert!(ran.stderr.contains("--resample"), "{}", ran.stderr);
    let row = sandbox.run(["compare", &walk, "half.bvh", "--resample", "--json"]).ok().rows().remove(0);
    assert_eq!((&row["resampled"], &row["fps"]), (&true.into(), &120.0.into()));
    // Resampled from half the rate, the walk differs by more than rounding and by less than 2 cm.
    let max = row["max"].as_f64().unwrap();
    assert!((1e-5..0.02).contains(&max), "{row}");
    assert!(row["frames"].as_u64().unwrap() >= 300, "{row}");
    // An equal rate needs no resampling; a shorter motion is refused.
    let same = sandbox.run(["compare", &walk, &walk, "--resample", "--json"]).ok().rows().remove(0);
    assert_eq!((&same["resampled"], &same["max"]), (&false.into(), &0.0.into()));
    sandbox.run(["convert", &walk, "-o", "short.bvh", "--fps", "60", "--trim", "0s:1s"]).ok();
    let ran = sandbox.run(["compare", &walk, "short.bvh", "--resample", "--json"]);
    assert_eq!((ran.code, &ran.rows()[0]["error"]["code"]), (1, &"compare::different".into()));
    // One rate stated for both compares them frame by frame.
    sandbox.put("leg.bvh", LEG);
    sandbox.put("slow.bvh", LEG.replace("0.033333", "0.066666"));
    assert_eq!(sandbox.run(["compare", "leg.bvh", "slow.bvh"]).code, 1);
    sandbox.run(["compare", "leg.bvh", "slow.bvh", "--input-fps", "30"]).ok();
}

#[test]
fn warnings_of_compared_motions_are_told_once_and_in_the_row() {
    let sandbox = Sandbox::new();
    sandbox.put("leg.bvh", LEG);
    sandbox.put("copy.bvh", LEG);
    for (other, count) in [("leg.bvh", 1), ("copy.bvh", 2)] {
        let ran = sandbox.run(["compare", "leg.bvh", other]).ok();
        assert_eq!(ran.stderr.matches("warning[").count(), count, "{}", ran.stderr);
        let row = sandbox.run(["compare", "leg.bvh", other, "--json"]).ok().rows().remove(0);
        let warnings = row["warnings"].as_array().unwrap();
        assert_eq!(warnings.len(), count);
        assert_eq!(warnings[count - 1]["path"], other);
    }
}

/// A walk after a rest pose that is not part of it.
fn rest_first() -> String {
    let text = std::fs::read_to_string(fixture("clips/alex_walk.bvh")).unwrap();
    let (head, motion) = text.split_once("Frame Time:").unwrap();
    let (time, rows) = motion.split_once('\n').unwrap();
    let mut values: Vec<&str> = rows.lines().next().unwrap().split_whitespace().collect();
    values[3..].fill("0");
    values[0] = "300";
    let frames = rows.lines().filter(|row| !row.is_empty()).count();
    let head = head.replace(&format!("Frames: {frames}"), &format!("Frames: {}", frames + 1));
    format!("{head}Frame Time:{time}\n{}\n{rows}", values.join(" "))
}

#[test]
fn a_rest_pose_before_a_motion_is_kept_and_not_measured() {
    let sandbox = Sandbox::new();
    sandbox.put("walk.bvh", rest_first());
    let robin = fixture("clips/robin.skel").display().to_string();
    let run = |out: &str, flags: &[&str]| {
        let command =
            ["retarget", "walk.bvh", &robin, "-o", out, "--overwrite", "--json", "--input-unit", "cm"];
        sandbox.run([&command[..], flags].concat()).ok().rows().remove(0)
    };
    let (mut kept, dropped) = (run("kept.bvh", &[]), run("dropped.bvh", &["--drop-first-frame"]));
    // Frames in the report are those of the output, which has the rest pose as its first frame.
    for foot in kept["feet"].as_array_mut().unwrap() {
        let own = foot["own"]["contacts"].as_array_mut().unwrap().iter_mut();
        for frame in own.flat_map(|run| run.as_array_mut().unwrap()) {
            *frame = (frame.as_u64().unwrap() - 1).into();
        }
        for frame in
            foot["contacts"].as_array_mut().unwrap().iter_mut().flat_map(|run| run.as_array_mut().unwrap())
        {
            *frame = (frame.as_u64().unwrap() - 1).into();
        }
    }
    assert_eq!((&kept["unmeasured_frames"], &dropped["unmeasured_frames"]), (&1.into(), &0.into()));
    assert_eq!(kept["frames"].as_u64().unwrap(), dropped["frames"].as_u64().unwrap() + 1);
    for field in ["effectors", "feet", "angle_rms", "limits", "jerk_ratio"] {
        assert_eq!(kept[field], dropped[field], "{field}");
    }
    let step = |row: &serde_json::Value| row["largest_step"]["frame"].as_u64().unwrap();
    assert_eq!(step(&kept), step(&dropped) + 1);
    let warning = &kept["warnings"][0];
    assert_eq!(warning["code"], "bvh::rest-first-frame");
    assert!(
        warning["help"].as_str().unwrap().contains("it stays in the output and is not measured"),
        "{warning}"
    );
    // What follows the rest pose is the same motion, number by number.
    let rows = |name: &str| {
        let text = String::from_utf8(sandbox.read(name)).unwrap();
        let rows: Vec<String> =
            text.lines().skip_while(|line| !line.starts_with("Frame Time")).map(str::to_owned).collect();
        rows
    };
    let numbers = |row: &str| row.split(' ').map(|n| n.parse::<f64>().unwrap()).collect::<Vec<_>>();
    let (kept, dropped) = (rows("kept.bvh"), rows("dropped.bvh"));
    for (a, b) in kept[2..].iter().zip(&dropped[1..]) {
        for (a, b) in numbers(a).into_iter().zip(numbers(b)) {
            assert!((a - b).abs() % 360.0 < 1e-3 || (a - b).abs() % 360.0 > 359.999, "{a} {b}");
        }
    }
    // The rest pose keeps its place, scaled: three metres to the side.
    let x = numbers(&kept[1])[0];
    assert!((3.0..4.0).contains(&x), "{x}");
    // A range that starts after the rest pose has none; resampling keeps it as one frame.
    assert_eq!(run("x.bvh", &["--trim", "5:100"])["unmeasured_frames"], 0);
    assert_eq!(run("x.bvh", &["--fps", "30"])["unmeasured_frames"], 1);
    assert_eq!(run("x.bvh", &["--fps", "240"])["unmeasured_frames"], 1);
    // No frame between rest pose and motion is made up, so the file is read again as this one is.
    for (fps, command) in [("240", "convert"), ("30", "convert"), ("240", "edit"), ("30", "edit")] {
        sandbox.run([command, "walk.bvh", "-o", "r.bvh", "--fps", fps, "--overwrite"]).ok();
        sandbox
            .run([command, "walk.bvh", "-o", "m.bvh", "--drop-first-frame", "--fps", fps, "--overwrite"])
            .ok();
        let (whole, motion, own) = (rows("r.bvh"), rows("m.bvh"), rows("walk.bvh"));
        assert_eq!(whole.len(), motion.len() + 1, "{command} {fps}");
        for (a, b) in [(&whole[1], &own[1]), (&whole[2], &motion[1])] {
            for (a, b) in numbers(a).into_iter().zip(numbers(b)) {
                assert!((a - b).abs() < 1e-3, "{command} {fps}: {a} {b}");
            }
        }
        let ran = sandbox.run(["info", "r.bvh", "--json"]).ok();
        assert!(ran.stdout.contains("bvh::rest-first-frame"), "{command} {fps}: {}", ran.stdout);
    }
}

#[test]
fn the_first_frame_can_be_left_out_wherever_motions_are_read() {
    let sandbox = Sandbox::new();
    sandbox.put("walk.bvh", rest_first());
    sandbox.run(["convert", "walk.bvh", "-o", "cut.bvh", "--drop-first-frame"]).ok();
    sandbox.run(["convert", "walk.bvh", "-o", "all.bvh"]).ok();
    for flags in [
        &["compress", "walk.bvh", "-o", "a.mocz", "--input-unit", "cm"][..],
        &["sheet", "walk.bvh", "-o", "a.svg"],
        &["view", "walk.bvh", "-o", "a.html"],
        &["plot", "walk.bvh", "-o", "b.svg", "--joint", "Hips"],
        &["compare", "walk.bvh", "all.bvh"],
    ] {
        let ran = sandbox.run(flags).ok();
        assert!(ran.stderr.contains("rest-first-frame"), "{flags:?}: {}", ran.stderr);
        let out = [flags, &["--drop-first-frame"]].concat();
        let out: Vec<&str> =
            out.iter().map(|&word| if word.starts_with("a.") { "c" } else { word }).collect();
        let out: Vec<&str> =
            out.into_iter().map(|word| if word == "b.svg" { "d.svg" } else { word }).collect();
        let to = [&out[..], if flags[0] == "sheet" { &["--to", "svg"] } else { &[] }].concat();
        let _ = std::fs::remove_file(sandbox.path("c"));
        let ran = sandbox.run(to).ok();
        assert!(!ran.stderr.contains("rest-first-frame"), "{flags:?}: {}", ran.stderr);
    }
    sandbox.run(["compress", "walk.bvh", "-o", "w.mocz", "--drop-first-frame", "--input-unit", "cm"]).ok();
    let row = sandbox.run(["info", "w.mocz", "--json"]).ok().rows().remove(0);
    let cut = sandbox.run(["info", "cut.bvh", "--json"]).ok().rows().remove(0);
    assert_eq!(row["frames"], cut["frames"]);
}
