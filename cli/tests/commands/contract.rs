//! Every command of the contract on small files: what it prints, what it writes, its fields, its exit codes.

use crate::mocap::{LEG, Sandbox, fixture, rest_first};
use serde_json::Value;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put("leg.bvh", LEG);
    sandbox
}

#[track_caller]
fn has_fields(row: &Value, fields: &[&str]) {
    for field in fields {
        assert!(row.get(field).is_some(), "no field '{field}' in {row}");
    }
}

#[test]
fn info_says_what_a_file_is() {
    let row = sandbox().run(["info", "leg.bvh", "--json"]).ok().rows().remove(0);
    let fields = [
        "path",
        "format",
        "joints",
        "end_sites",
        "channels",
        "frames",
        "frame_time",
        "fps",
        "duration",
        "unit",
        "up",
        "position_channels",
        "root",
        "bytes",
        "warnings",
    ];
    has_fields(&row, &fields);
    has_fields(&row["unit"], &["name", "metres", "source"]);
    assert_eq!(row["joints"], 2);
    assert_eq!(row["end_sites"], 1);
    assert_eq!(row["channels"], 9);
    assert_eq!(row["fps"], 30.0);
    assert_eq!(row["unit"]["source"], "guessed");
    assert_eq!(row["bytes"], LEG.len());
}

#[test]
fn flags_state_what_a_file_does_not() {
    let flags = ["info", "leg.bvh", "--json", "--input-unit", "cm", "--input-up", "Z", "--input-fps", "60"];
    let row = sandbox().run(flags).ok().rows().remove(0);
    assert_eq!(row["unit"], serde_json::json!({"name": "cm", "metres": 0.01, "source": "flag"}));
    assert_eq!(row["up"], "Z");
    assert_eq!(row["fps"], 60.0);
    let add =
        sandbox().run(["info", "leg.bvh", "--json", "--position-channels", "add"]).ok().rows().remove(0);
    assert_eq!(add["position_channels"], "add");
}

#[test]
fn a_file_that_is_not_there_is_a_failed_input() {
    let ran = sandbox().run(["info", "none.bvh", "leg.bvh", "--json"]);
    assert_eq!(ran.code, 1);
    let rows = ran.rows();
    assert_eq!(rows[0]["error"]["code"], "io::not-found");
    assert_eq!(rows[1]["path"], "leg.bvh");
    assert_eq!(rows[2]["failed"], 1);
}

#[test]
fn conversion_without_a_change_keeps_every_value() {
    let sandbox = sandbox();
    let ran = sandbox.run(["convert", "leg.bvh", "-o", "same.bvh", "--json"]).ok();
    assert_eq!(ran.rows()[0]["unchanged"], true);
    let text = String::from_utf8(sandbox.read("same.bvh")).unwrap();
    assert!(text.contains("Frame Time: 0.033333\n") && text.contains("0 1.2 0.2 0 20 0 0 10 0"), "{text}");
    // Requesting the rotation order that the file already has changes nothing.
    let info = sandbox.run(["info", "leg.bvh", "--json"]).ok().rows().remove(0);
    let order = info["rotation_orders"][0]["order"].as_str().unwrap();
    let ran = sandbox.run(["convert", "leg.bvh", "-o", "order.bvh", "--euler", order, "--json"]).ok();
    assert_eq!((&ran.rows()[0]["unchanged"], sandbox.read("order.bvh")), (&true.into(), text.into_bytes()));
    let ran = sandbox.run(["convert", "leg.bvh", "-o", "other.bvh", "--euler", "XYZ", "--json"]).ok();
    assert_eq!(ran.rows()[0]["unchanged"], false);
}

#[test]
fn edits_do_what_they_say() {
    let sandbox = sandbox();
    let info = |flags: &[&str]| {
        let convert = [&["convert", "leg.bvh", "-o", "x.bvh", "--overwrite"], flags].concat();
        sandbox.run(convert).ok();
        sandbox.run(["info", "x.bvh", "--json"]).ok().rows().remove(0)
    };
    assert_eq!(info(&["--drop-first-frame"])["frames"], 3);
    assert_eq!(info(&["--trim", "1:3"])["frames"], 2);
    assert_eq!(info(&["--trim", "0.05s:"])["frames"], 2);
    let half = info(&["--fps", "15"]);
    assert_eq!((&half["frames"], &half["fps"]), (&2.into(), &15.0.into()));
    assert_eq!(info(&["--euler", "XYZ"])["rotation_orders"][0]["order"], "XYZ");
    let faster = info(&["--input-fps", "60"]);
    assert_eq!((&faster["frames"], &faster["fps"]), (&4.into(), &60.0.into()));
}

/// The world position of a joint in a frame, as the table has it.
fn place(sandbox: &Sandbox, file: &str, frame: &str, joint: &str) -> [f64; 3] {
    let table = sandbox.run(["convert", file, "--to", "csv", "-o", "-", "-q"]).ok().stdout;
    let row = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let row = row.into_iter().find(|row| row[0] == frame && row[2] == joint).expect(joint);
    [3, 4, 5].map(|column| row[column].parse().unwrap())
}

#[test]
fn units_and_axes_are_converted() {
    let sandbox = sandbox();
    assert_eq!(place(&sandbox, "leg.bvh", "1", "Hips"), [0.0, 1.2, 0.1]);
    sandbox
        .run(["convert", "leg.bvh", "-o", "cm.bvh", "--input-unit", "m", "--unit", "cm", "--up", "Z"])
        .ok();
    assert_eq!(place(&sandbox, "cm.bvh", "1", "Hips"), [0.0, -10.0, 120.0]);
    sandbox.run(["convert", "leg.bvh", "-o", "big.bvh", "--scale", "2"]).ok();
    assert_eq!(place(&sandbox, "big.bvh", "1", "Hips"), [0.0, 2.4, 0.2]);

    // The leg is 12 units long, which is too long or too short for a person in every usual unit.
    sandbox.put("odd.bvh", LEG.replace("-0.6", "-6"));
    let ran = sandbox.run(["convert", "odd.bvh", "-o", "x.bvh", "--unit", "cm"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("--input-unit"), "{}", ran.stderr);
}

#[test]
fn a_guessed_unit_is_said() {
    let ran = sandbox().run(["convert", "leg.bvh", "-o", "x.bvh", "--unit", "cm"]).ok();
    assert!(ran.stderr.contains("warning[unit::guessed]"), "{}", ran.stderr);
}

#[test]
fn nothing_left_of_a_motion_is_an_error() {
    let ran = sandbox().run(["convert", "leg.bvh", "-o", "x.bvh", "--trim", "10:20", "--json"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.rows()[0]["error"]["code"], "edit::no-frames");
}

#[test]
fn every_format_leads_back() {
    let sandbox = sandbox();
    for (there, files) in [("json", vec!["leg.json"]), ("amc", vec!["leg.amc", "leg.asf"])] {
        sandbox.run(["convert", "leg.bvh", "--to", there, "--input-unit", "m"]).ok();
        for file in &files {
            sandbox.read(file);
        }
        sandbox.run(["convert", files[0], "-o", "back.bvh", "--unit", "m", "--overwrite"]).ok();
        let ran = sandbox.run(["compare", "leg.bvh", "back.bvh", "--input-unit", "m", "--json"]);
        // Acclaim calls the root 'root', so only the position of a joint below it is compared.
        if there == "json" {
            assert!(ran.ok().rows()[0]["max"].as_f64().unwrap() < 1e-6);
        } else {
            let [x, y, z] = place(&sandbox, "back.bvh", "3", "Knee");
            let [a, b, c] = place(&sandbox, "leg.bvh", "3", "Knee");
            assert!((x - a).abs() + (y - b).abs() + (z - c).abs() < 3e-6, "{x} {y} {z}");
        }
    }
    let skeleton = sandbox.run(["skel", "leg.bvh", "-o", "leg.skel"]).ok();
    assert!(skeleton.stdout.contains("Knee"), "{}", skeleton.stdout);
    sandbox.run(["validate", "leg.skel", "--strict"]).ok();
}

#[test]
fn an_amc_file_finds_its_skeleton_or_says_what_to_do() {
    let sandbox = sandbox();
    sandbox.run(["convert", "leg.bvh", "-o", "a/01_02.amc"]).ok();
    std::fs::rename(sandbox.path("a/01_02.asf"), sandbox.path("a/01.asf")).unwrap();
    sandbox.run(["info", "a/01_02.amc"]).ok();
    std::fs::rename(sandbox.path("a/01.asf"), sandbox.path("body.asf")).unwrap();
    let ran = sandbox.run(["info", "a/01_02.amc", "--json"]);
    assert_eq!(ran.rows()[0]["error"]["code"], "amc::no-skeleton");
    assert!(ran.stderr.contains("--skeleton"), "{}", ran.stderr);
    sandbox.run(["info", "a/01_02.amc", "--skeleton", "body.asf"]).ok();
}

#[test]
fn compare_measures_in_metres_and_gates() {
    let sandbox = sandbox();
    let compare = |flags: &[&str]| sandbox.run([&["compare", "leg.bvh"], flags].concat());
    let row = compare(&["leg.bvh", "--json", "--max-error", "0"]).ok().rows().remove(0);
    has_fields(
        &row,
        &["max", "p99", "rms", "mean", "shell", "worst", "joints", "frames", "between_frames_max"],
    );
    assert_eq!((&row["max"], &row["frames"], &row["shell"]), (&0.0.into(), &4.into(), &0.03.into()));

    // The hips are 1 cm higher in one frame.
    sandbox.put("high.bvh", LEG.replace("0 1.2 0.2 0 20", "0 1.21 0.2 0 20"));
    let row = compare(&["high.bvh", "--json", "--input-unit", "m"]).ok().rows().remove(0);
    assert!((row["max"].as_f64().unwrap() - 0.01).abs() < 1e-9, "{row}");
    assert_eq!(row["worst"]["frame"], 2);
    assert_eq!(compare(&["high.bvh", "--max-error", "11mm"]).code, 0);
    let missed = compare(&["high.bvh", "--max-error", "9mm", "--json"]);
    assert_eq!(missed.code, 3);
    assert_eq!(missed.rows()[0]["passed"], false);
    assert!(missed.stderr.contains("10 mm"), "{}", missed.stderr);

    sandbox.put("short.bvh", LEG.replace("Frames: 4", "Frames: 3"));
    let ran = compare(&["short.bvh", "--json"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.rows()[0]["error"]["code"], "compare::different");
}

#[test]
fn skel_shows_roles_and_what_is_missing() {
    let ran = sandbox().run(["skel", "leg.bvh", "--json"]).ok();
    let row = ran.rows().remove(0);
    has_fields(&row, &["path", "joints", "unit", "roles", "missing_roles", "chains"]);
    assert!(row["missing_roles"].as_array().unwrap().contains(&"LeftFoot".into()), "{row}");
}

#[test]
fn retarget_reports_what_became_of_a_motion() {
    let sandbox = Sandbox::new();
    let [walk, other] =
        ["clips/alex_walk.bvh", "clips/robin.skel"].map(|name| fixture(name).display().to_string());
    let ran = sandbox.run(["retarget", &walk, &other, "--json", "-o", "out.bvh"]).ok();
    let row = ran.rows().remove(0);
    let fields = [
        "path",
        "output",
        "target",
        "frames",
        "seconds",
        "scale",
        "mapping",
        "effectors",
        "feet",
        "limits",
        "angle_rms",
    ];
    has_fields(&row, &fields);
    has_fields(&row["scale"], &["leg"]);
    has_fields(&row["mapping"][0], &["role", "source", "target"]);
    has_fields(&row["effectors"][0], &["role", "mean", "p95", "max", "unreachable_frames"]);
    let foot = ["role", "contact_frames", "slide_source", "slide", "float", "penetration_max"];
    has_fields(&row["feet"][0], &foot);
    has_fields(&row["limits"], &["violations", "max_excess"]);
    sandbox.run(["validate", "out.bvh"]).ok();
    // Warnings about the target are in the row, once, with its path.
    let robin = fixture("clips/robin_walk.bvh").display().to_string();
    let row = sandbox.run(["retarget", &walk, &robin, "--json", "-o", "b.bvh"]).ok().rows().remove(0);
    let warnings = row["warnings"].as_array().unwrap();
    let of_target: Vec<_> = warnings.iter().filter(|warning| warning["path"] == robin.as_str()).collect();
    assert_eq!((of_target.len(), &of_target[0]["code"]), (1, &"unit::guessed".into()));
}

#[test]
fn a_motion_file_as_target_stands_as_its_offsets_or_a_frame_say() {
    let sandbox = Sandbox::new();
    let walk = fixture("clips/alex_walk.bvh").display().to_string();
    // The target has a rest pose before its motion. Its offsets, an A-pose, are its reference pose.
    sandbox.put("rest.bvh", rest_first());
    let warned = sandbox.run(["info", "rest.bvh", "--json"]).ok().stdout;
    assert!(warned.contains("bvh::rest-first-frame"), "{warned}");
    let units = ["--target-unit", "m", "--input-unit", "cm"];
    let run = |target: &str, out: &str, flags: &[&str]| {
        let ran = sandbox.run([&["retarget", &walk, target, "-o", out], &units[..], flags].concat()).ok();
        assert!(!ran.stderr.contains("rest-first-frame"), "{}", ran.stderr);
        sandbox.read(out)
    };
    let found = run("rest.bvh", "a.bvh", &[]);
    // With --strict the error is a warning about the source, not the rest pose of the target.
    let strict = ["retarget", &walk, "rest.bvh", "-o", "s.bvh", "--strict"];
    let ran = sandbox.run([&strict[..], &units[..]].concat());
    assert!(ran.stderr.contains("error[retarget::left-out]"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("rest-first-frame"), "{}", ran.stderr);
    // A named frame is used instead.
    assert!(found != run("rest.bvh", "b.bvh", &["--target-rest", "0"]));
    assert!(found != run("rest.bvh", "c.bvh", &["--target-rest", "9"]));
}

#[test]
fn what_is_stated_about_an_input_goes_into_a_file_that_says_it() {
    let sandbox = sandbox();
    sandbox.run(["convert", "leg.bvh", "-o", "leg.json"]).ok();
    let convert = ["convert", "leg.json", "-o", "cm.json", "--input-unit", "cm", "--json"];
    assert_eq!(sandbox.run(convert).ok().rows()[0]["unchanged"], false);
    let row = sandbox.run(["info", "cm.json", "--json"]).ok().rows().remove(0);
    assert_eq!(row["unit"]["name"], "cm");
    // A BVH does not state its unit, so the file does not change.
    let convert = ["convert", "leg.bvh", "-o", "same.bvh", "--input-unit", "cm", "--json"];
    assert_eq!(sandbox.run(convert).ok().rows()[0]["unchanged"], true);
}

#[test]
fn a_target_that_is_no_body_is_explained() {
    let ran = sandbox().run(["retarget", "leg.bvh", "leg.bvh", "-o", "x.bvh", "--json"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.rows()[0]["error"]["code"], "retarget::missing-roles");
    assert!(ran.stderr.contains("mocap skel"), "{}", ran.stderr);
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let sandbox = sandbox();
    let wrong: [&[&str]; 9] = [
        &[],
        &["info"],
        &["info", "leg.bvh", "--input-unit", "yards"],
        &["convert", "leg.bvh"],
        &["convert", "leg.bvh", "-o", "x.xyz"],
        &["convert", "leg.bvh", "-o", "x.amc", "--up", "Z"],
        &["convert", "leg.bvh", "--to", "bvh", "--trim", "5"],
        &["compare", "leg.bvh"],
        &["retarget", "leg.bvh"],
    ];
    for arguments in wrong {
        let ran = sandbox.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}: {}", ran.stderr);
        assert!(!ran.stderr.is_empty());
    }
}

#[test]
fn the_schema_is_the_published_one() {
    let schema = sandbox().run(["generate", "schema"]).ok().stdout;
    let published = fixture("../docs/schema/skel.schema.json");
    assert_eq!(schema, std::fs::read_to_string(published).unwrap());
}

#[test]
fn man_pages_and_completions_cover_all_commands() {
    let sandbox = sandbox();
    sandbox.run(["generate", "man", "-o", "man"]).ok();
    assert!(sandbox.files("man").contains(&"mocap-convert.1".to_owned()));
    for shell in ["bash", "zsh", "fish"] {
        let script = sandbox.run(["generate", "completions", shell]).ok().stdout;
        assert!(script.contains("drop-first-frame"), "{shell}");
    }
}

#[test]
fn skeletons_are_converted_without_motion_and_say_so() {
    let sandbox = sandbox();
    let ran = sandbox.run(["convert", "leg.bvh", "-o", "leg.skel", "--input-unit", "m", "--json"]).ok();
    assert_eq!((&ran.rows()[0]["frames"], &ran.rows()[0]["fps"]), (&0.into(), &Value::Null));
    let shown = sandbox.run(["convert", "leg.skel", "-o", "leg.asf"]).ok().stdout;
    assert!(shown.contains("the skeleton without motion"), "{shown}");
    let back = sandbox.run(["convert", "leg.asf", "-o", "back.skel", "--json"]).ok().rows().remove(0);
    assert_eq!((&back["format"], &back["frames"]), (&"skel".into(), &0.into()));
    assert_eq!(sandbox.run(["convert", "leg.skel", "-o", "x.asf", "--scale", "2"]).code, 1);
}

#[test]
fn a_unit_is_told_from_the_size_before_it_is_scaled() {
    let sandbox = Sandbox::new();
    let walk = fixture("clips/alex_walk.bvh").display().to_string();
    let height = |flags: &[&str]| {
        let convert = ["convert", &walk, "-o", "x.csv", "--overwrite", "--unit", "m"];
        sandbox.run([&convert[..], flags].concat()).ok();
        let table = String::from_utf8(sandbox.read("x.csv")).unwrap();
        let heights = table.lines().skip(1).map(|row| row.split(',').nth(4).unwrap().parse::<f64>().unwrap());
        heights.fold(f64::NEG_INFINITY, f64::max)
    };
    let (whole, half) = (height(&[]), height(&["--scale", "0.5"]));
    assert!((whole - 2.0 * half).abs() < 1e-6 && whole > 1.4, "{whole} m, scaled {half} m");
}

#[test]
fn a_moment_behind_the_end_of_all_motions_is_an_error() {
    let sandbox = sandbox();
    let ran = sandbox.run(["sheet", "leg.bvh", "--at", "0,9999", "-o", "x.svg"]);
    assert!(ran.code != 0 && ran.stderr.contains("frame 9999 is after the end"), "{}", ran.stderr);
}

/// A walk, and the same with its hips 30 cm ahead from frame 60 on, and 25 cm higher in all frames.
fn walks() -> Sandbox {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(std::fs::read(fixture("clips/alex_walk.bvh")).unwrap()).unwrap();
    let (head, rows) = text.split_at(text.find("Frame Time").unwrap());
    let (time, rows) = rows.split_once('\n').unwrap();
    let moved = |by: &dyn Fn(usize) -> [f64; 3]| {
        let row = |(i, row): (usize, &str)| {
            let mut numbers: Vec<String> = row.split_whitespace().map(str::to_owned).collect();
            for (number, by) in numbers.iter_mut().zip(by(i)) {
                *number = (number.parse::<f64>().unwrap() + by).to_string();
            }
            numbers.join(" ") + "\n"
        };
        format!("{head}{time}\n{}", rows.lines().enumerate().map(row).collect::<String>())
    };
    for (name, by) in
        [("a", [0.0; 3]), ("b", [0.1, 0.0, 0.0]), ("c", [0.0, 0.2, 0.1]), ("high", [0.0, 25.0, 0.0])]
    {
        sandbox.put(&format!("db/{name}.bvh"), moved(&|_| by));
    }
    sandbox.put("db/odd.bvh", moved(&|i| [0.0, 0.0, if i < 60 { 0.0 } else { 30.0 }]));
    sandbox
}

#[test]
fn a_directory_is_a_table_with_the_worst_finding() {
    let sandbox = walks();
    sandbox.put("db/broken.bvh", "HIERARCHY\nROOT\n");
    let ran = sandbox.run(["info", "db", "--sort", "quality"]);
    assert_eq!(ran.code, 1);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("frames  fps  unit  height  worst finding"), "{}", ran.stdout);
    assert!(lines[1].ends_with("db/broken.bvh") && lines[1].contains("error["), "{}", ran.stdout);
    assert!(lines[2].contains("float 0.25 m above the floor of the other clips"), "{}", ran.stdout);
    assert!(lines[3].contains("teleport of 0.3") && lines[3].ends_with("db/odd.bvh"), "{}", ran.stdout);
    assert_eq!(lines.len(), 7);
    // One file, or --blocks, gives a block per clip.
    assert!(sandbox.run(["info", "db/a.bvh"]).ok().stdout.contains("\n  format     BVH"));
    assert!(sandbox.run(["info", "db", "--blocks"]).stdout.contains("\n  format     BVH"));
    let row = sandbox.run(["info", "db/a.bvh", "--json"]).ok().rows().remove(0);
    assert!(row.get("quality").is_none() && row.get("gates").is_none());
}

#[test]
fn suspicious_frames_are_findings_and_gates() {
    let sandbox = walks();
    sandbox.run(["validate", "db", "--strict"]);
    let rows = sandbox.run(["validate", "db", "--quality", "--json", "--input-unit", "cm"]).ok().rows();
    let codes = |row: &Value| {
        let warnings = row["warnings"].as_array().unwrap();
        warnings.iter().map(|warning| warning["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&rows[0]), [] as [&str; 0]);
    assert_eq!(codes(&rows[3]), ["quality::float"]);
    let odd = &rows[4]["warnings"][0];
    assert_eq!((&odd["code"], &odd["frame"]), (&"quality::teleport".into(), &60.into()));
    assert_eq!(odd["joint"], "Hips");
    let strict = ["validate", "db/odd.bvh", "--quality", "--strict", "--input-unit", "cm"];
    assert_eq!(sandbox.run(strict).code, 1);
    for verb in ["info", "validate"] {
        let gate =
            |limit: &str| sandbox.run([verb, "db/odd.bvh", "--input-unit", "cm", "--fail-above", limit]);
        gate("teleport=0.5,turn=10,skate=0.5").ok();
        let ran = gate("findings=0");
        assert_eq!(ran.code, 3);
        assert!(ran.stderr.contains("findings is 1, above the limit of 0"), "{}", ran.stderr);
        let gates = ["--fail-above", "step=90", "--json"];
        let row = sandbox.run([&[verb, "db/a.bvh"], &gates[..]].concat()).ok().rows().remove(0);
        assert_eq!((&row["gates"][0]["metric"], &row["gates"][0]["passed"]), (&"step".into(), &true.into()));
        assert!(gate("skates=1").stderr.contains("metrics are findings, teleport, "));
    }
    // A clip without feet has no skate: its gate is missed, not passed.
    sandbox.put("leg.bvh", LEG);
    let ran = sandbox.run(["info", "leg.bvh", "--fail-above", "skate=1"]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.stderr.contains("skate was not measured") && ran.stderr.contains("gate::not-measured"),
        "{}",
        ran.stderr
    );
}
