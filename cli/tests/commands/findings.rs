//! All errors and warnings of a file are reported in one run, each with its place.

use crate::mocap::{LEG, Sandbox, fixture};
use serde_json::{Value, json};

/// A walk of `frames` rows; `row` makes each of its number.
fn bvh(frames: usize, row: impl Fn(usize) -> String) -> String {
    let (head, _) = LEG.split_once("Frames:").unwrap();
    let rows: String = (0..frames).map(|frame| row(frame) + "\n").collect();
    format!("{head}Frames: {frames}\nFrame Time: 0.033333\n{rows}")
}

const ROW: &str = "0 1.2 0 0 0 0 0 5 0";

fn validated(name: &str, text: impl AsRef<[u8]>, flags: &[&str]) -> (Value, String) {
    let sandbox = Sandbox::new();
    sandbox.put(name, text);
    let command = [&["validate", name], flags].concat();
    let rows = sandbox.run([&command[..], &["--json"]].concat()).rows();
    (rows[0].clone(), sandbox.run(command).stdout)
}

#[test]
fn every_bad_row_of_a_bvh_is_told_and_counted() {
    let text = bvh(6, |frame| match frame {
        1 => ROW.replacen("1.2", "1.2x", 1),
        3 => ROW.replacen("5", "nan", 1).replacen("1.2", "nan", 1),
        4 => "0 1.2 , 0 0 0 0 - 0".replace(',', "?"),
        _ => ROW.to_owned(),
    });
    // A warning before the errors stays.
    let text = text.replacen("End Site", "EndSite", 1);
    let (row, shown) = validated("a.bvh", &text, &[]);
    assert_eq!(row["warnings"][0]["code"], "bvh::end-site-spelling");
    let errors = row["errors"].as_array().unwrap();
    let reported: Vec<Value> = errors
        .iter()
        .map(|error| json!([error["code"], error["frame"], error["count"], error["line"]]))
        .collect();
    let expected = [
        json!(["bvh::value", 1, 1, 20]),
        json!(["bvh::not-a-number", 3, 2, 22]),
        json!(["bvh::value", 4, 2, 23]),
    ];
    assert_eq!(reported, expected);
    assert_eq!(errors[0]["channel"], "Yposition");
    assert_eq!((&row["error"], &row["valid"]), (&errors[0], &false.into()));
    assert!(shown.contains("a.bvh: 3 errors, 1 warning"), "{shown}");
    // --repair mends the values, so they are not errors.
    let (row, _) = validated("a.bvh", &text, &["--repair"]);
    assert_eq!(row["errors"].as_array().unwrap().len(), 2);
}

#[test]
fn many_errors_are_counted_beyond_a_hundred() {
    let nan = bvh(250, |_| ROW.replacen("5", "nan", 1));
    let word = bvh(250, |_| ROW.replacen("5", "five", 1));
    for (text, code) in [(&nan, "bvh::not-a-number"), (&word, "bvh::value")] {
        let (row, shown) = validated("a.bvh", text, &[]);
        let errors = row["errors"].as_array().unwrap();
        assert_eq!((errors.len(), &row["unlisted_errors"]), (100, &150.into()), "{code}");
        assert!(errors.iter().all(|error| error["code"] == code && error["line"].is_number()));
        assert!(shown.contains("250 errors, the first 100 listed"), "{shown}");
    }
    assert_eq!(validated("a.bvh", &nan, &["--repair"]).0["valid"], true);
}

#[test]
fn every_bad_frame_of_an_amc_is_reported() {
    let clean = std::fs::read_to_string(fixture("acclaim/clean.amc")).unwrap();
    let skeleton = std::fs::read(fixture("acclaim/clean.asf")).unwrap();
    let sandbox = Sandbox::new();
    sandbox.put("a.asf", skeleton);
    let mut lines: Vec<String> = clean.lines().map(str::to_owned).collect();
    let starts: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].parse::<u32>().is_ok()).collect();
    assert!(starts.len() >= 3);
    let spoil = |line: &mut String, by: &str| *line = line.rsplit_once(' ').unwrap().0.to_owned() + " " + by;
    spoil(&mut lines[starts[0] + 1], "up");
    spoil(&mut lines[starts[1] + 1], "nan");
    spoil(&mut lines[starts[2] + 1], "down");
    sandbox.put("a.amc", format!(":TELL ME\n{}\n", lines.join("\n")));
    let ran = sandbox.run(["validate", "a.amc", "--json"]);
    let row = ran.rows().remove(0);
    assert_eq!(row["warnings"][0]["code"], "amc::unknown-keyword");
    let errors = row["errors"].as_array().unwrap();
    let reported: Vec<Value> = errors.iter().map(|error| json!([error["code"], error["frame"]])).collect();
    assert_eq!(
        reported,
        [json!(["amc::number", 0]), json!(["amc::not-finite", 1]), json!(["amc::number", 2])]
    );
    assert!(errors.iter().all(|error| error["line"].is_number() && error["joint"].is_string()), "{row}");
}

#[test]
fn other_commands_tell_the_first_error_how_many_there_are_and_the_warnings_before() {
    let sandbox = Sandbox::new();
    let text = bvh(4, |frame| if frame > 1 { ROW.replacen("5", "nan", 1) } else { ROW.to_owned() });
    sandbox.put("a.bvh", text.replacen("End Site", "EndSite", 1));
    for command in [&["info", "a.bvh"][..], &["convert", "a.bvh", "-o", "b.csv"]] {
        let ran = sandbox.run(command);
        assert_eq!(ran.code, 1);
        for text in
            ["warning[bvh::end-site-spelling]", "error[bvh::not-a-number]", "`mocap validate` shows both"]
        {
            assert!(ran.stderr.contains(text), "{text} in {}", ran.stderr);
        }
        let row = sandbox.run([command, &["--json"]].concat()).rows().remove(0);
        assert_eq!((&row["error"]["further"], &row["error"]["frame"]), (&1.into(), &2.into()));
        assert_eq!(row["warnings"][0]["code"], "bvh::end-site-spelling");
    }
}

#[test]
fn wrong_usage_is_a_row_as_well() {
    let sandbox = Sandbox::new();
    sandbox.put("leg.bvh", LEG);
    for (words, code) in [
        (&["info", "leg.bvh", "--strct", "--json"][..], "usage::arguments"),
        (&["convert", "leg.bvh", "--to", "obj", "--json"], "usage::arguments"),
        (&["convert", "leg.bvh", "--json"], "usage::format"),
        (&["info", "leg*.amc", "--json"], "usage::no-match"),
    ] {
        let ran = sandbox.run(words);
        assert_eq!((ran.code, ran.rows().len()), (2, 1), "{ran:?}");
        let error = &ran.rows()[0]["error"];
        assert_eq!(error["code"], code);
        assert!(!error["message"].as_str().unwrap().contains("error:") && !ran.stderr.is_empty(), "{ran:?}");
    }
    let ran = sandbox.run(["info", "leg.bvh", "--strct"]);
    assert!(!ran.stderr.contains("-- --strct") && ran.stderr.contains("'--strct'"), "{}", ran.stderr);
    assert!(ran.stderr.contains("'--strict'"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
    let ran = sandbox.run(["info", "leg.bvh", "--dropfirst"]);
    assert!(!ran.stderr.contains("similar"), "{}", ran.stderr);
    let help = sandbox.run(["info", "--json", "--help"]).ok();
    assert!(help.stdout.contains("Usage"), "{}", help.stdout);
}

#[test]
fn texts_say_what_to_do() {
    let sandbox = Sandbox::new();
    sandbox.put("leg.bvh", LEG);
    let says = |words: &[&str], code: i32, texts: &[&str]| {
        let ran = sandbox.run(words);
        assert_eq!(ran.code, code, "{words:?}: {}", ran.stderr);
        for text in texts {
            assert!(ran.stderr.contains(text), "{words:?} lacks '{text}': {}", ran.stderr);
        }
    };
    let convert = |flags: &[&'static str]| [&["convert", "leg.bvh", "-o", "x.bvh"], flags].concat();
    says(&convert(&["--fps", "1e30"]), 1, &["edit::too-many-frames", "--fps:", "more than"]);
    let unit = ["--scale", "1e10", "--input-unit", "m", "--unit", "mm"];
    says(&convert(&unit), 1, &["edit::too-far", "--unit:"]);
    sandbox.put("huge.bvh", LEG.replace("-0.6", "-60"));
    let huge = ["convert", "huge.bvh", "-o", "x.bvh", "--scale", "1e307"];
    says(&huge, 1, &["edit::not-finite", "--scale:"]);
    says(&convert(&["--trim", "20:10"]), 2, &["ends before it starts"]);
    says(&["convert", "leg.bvh", "-o", "x.obj"], 2, &["unsupported output format '.obj'", "bvh, asf, amc"]);
    says(&["retarget", "leg.bvh", "leg.bvh", "-o", "x.obj"], 2, &["unsupported output format '.obj'"]);
    says(&["decompress", "leg.bvh", "-o", "x.obj"], 2, &["unsupported output format '.obj'"]);
    says(&["skel", "leg.bvh", "-o", "x.obj"], 2, &["unsupported output format '.obj'"]);
    says(&["convert", "leg.bvh", "-o", "x.mocz"], 2, &["`mocap compress`"]);
    says(&["info", "-"], 1, &["stdin is empty"]);
    says(&["info", "-", "--files-from", "-"], 2, &["stdin (-) can be read only once", "--files-from"]);
    says(&["info", "leg.bvh", "--from", "csv"], 2, &["cannot be read"]);
    says(&["plot", "leg.bvh", "--joint", "kneee"], 1, &["did you mean 'Knee'?"]);
    says(&["plot", "leg.bvh", "--joint", "knee", "-o", "x.svg"], 0, &[]);
    says(&["plot", "leg.bvh", "--joint", "elbow"], 1, &["its joints are Hips, Knee"]);
}
