//! `compress`, `decompress`, and what other commands make of compressed clips.

use crate::mocap::{LEG, Sandbox, fixture};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put("leg.bvh", LEG);
    sandbox
}

#[test]
fn a_clip_goes_there_and_back_within_its_error() {
    for profile in ["runtime", "archive", "keys", "direct"] {
        let sandbox = sandbox();
        let flags =
            ["compress", "leg.bvh", "--json", "--input-unit", "m", "--profile", profile, "--error", "1mm"];
        let row = sandbox.run(flags).ok().rows().remove(0);
        for field in [
            "path",
            "output",
            "profile",
            "raw_bytes",
            "input_bytes",
            "bytes",
            "ratio",
            "error_limit",
            "max_error",
            "p99_error",
            "shell",
            "seconds",
        ] {
            assert!(row.get(field).is_some(), "no field '{field}' in {row}");
        }
        assert_eq!((row["output"].as_str(), row["profile"].as_str()), (Some("leg.mocz"), Some(profile)));
        assert_eq!(row["bytes"], sandbox.read("leg.mocz").len());
        assert!(row["max_error"].as_f64().unwrap() <= 0.001);
        sandbox.run(["decompress", "leg.mocz", "-o", "back.bvh"]).ok();
        sandbox.run(["compare", "leg.bvh", "back.bvh", "--input-unit", "m", "--max-error", "1mm"]).ok();
        // Commands that read motions read compressed clips, too.
        sandbox.run(["compare", "leg.bvh", "leg.mocz", "--input-unit", "m", "--max-error", "1mm"]).ok();
    }
}

#[test]
fn info_says_what_a_compressed_clip_is() {
    let sandbox = sandbox();
    sandbox.run(["compress", "leg.bvh", "--input-unit", "m"]).ok();
    let row = sandbox.run(["info", "leg.mocz", "--json"]).ok().rows().remove(0);
    assert_eq!((row["format"].as_str(), row["profile"].as_str()), (Some("mocz"), Some("runtime")));
    assert_eq!((&row["joints"], &row["end_sites"]), (&2.into(), &1.into()));
    assert_eq!(row["error_limit"], 0.0001);
}

#[test]
fn a_compressed_clip_is_not_json() {
    let sandbox = sandbox();
    sandbox.run(["compress", "leg.bvh", "--input-unit", "m"]).ok();
    let row = sandbox.run(["convert", "leg.mocz", "--to", "json", "--json"]).ok().rows().remove(0);
    assert_eq!((row["format"].as_str(), row["unchanged"].as_bool()), (Some("json"), Some(false)));
    let row = sandbox.run(["validate", "leg.mocz", "--json"]).ok().rows().remove(0);
    assert_eq!(row["format"], "mocz");
}

#[test]
fn skeletons_can_be_shared() {
    let sandbox = sandbox();
    sandbox.run(["compress", "leg.bvh", "--input-unit", "m", "--no-skeleton"]).ok();
    let ran = sandbox.run(["decompress", "leg.mocz", "-o", "a.bvh", "--json"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.rows()[0]["error"]["code"], "mocz::skeleton-elsewhere");
    // The skeleton of the same file in the same unit.
    sandbox.run(["compress", "leg.bvh", "--input-unit", "m", "-o", "whole.mocz"]).ok();
    sandbox.run(["decompress", "leg.mocz", "-o", "b.bvh", "--skeleton-ref", "whole.mocz"]).ok();
    sandbox.run(["decompress", "whole.mocz", "-o", "c.bvh"]).ok();
    assert_eq!(sandbox.read("b.bvh"), sandbox.read("c.bvh"));
}

#[test]
fn the_other_command_is_named_where_it_is_meant() {
    let sandbox = sandbox();
    let ran = sandbox.run(["convert", "leg.bvh", "-o", "w.mocz"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("mocap compress"), "{}", ran.stderr);
    let ran = sandbox.run(["decompress", "leg.bvh", "-o", "w.bvh"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("looks like bvh") && ran.stderr.contains("mocap convert"), "{}", ran.stderr);
}

#[test]
fn damaged_files_and_wrong_bounds_are_errors() {
    let sandbox = sandbox();
    sandbox.run(["compress", "leg.bvh", "--input-unit", "m"]).ok();
    let mut bytes = sandbox.read("leg.mocz");
    *bytes.last_mut().unwrap() ^= 1;
    sandbox.put("damaged.mocz", &bytes);
    let ran = sandbox.run(["decompress", "damaged.mocz", "-o", "a.bvh", "--json"]);
    assert_eq!(ran.code, 1);
    let error = &ran.rows()[0]["error"];
    assert_eq!(error["code"], "mocz::checksum");
    assert!(error["message"].as_str().unwrap().starts_with("the block at frame 0 (bytes "), "{error}");
    let fine = sandbox.run([
        "compress",
        "leg.bvh",
        "--input-unit",
        "m",
        "--error",
        "1e-12",
        "-o",
        "x.mocz",
        "--json",
    ]);
    assert_eq!(fine.code, 1);
    assert_eq!(fine.rows()[0]["error"]["code"], "compress::too-fine");
    assert_eq!(sandbox.run(["compress", "leg.bvh", "--joint-error", "Finger", "-o", "x.mocz"]).code, 2);
}

#[test]
fn bounds_of_joints_are_reported_and_misspelt_globs_named() {
    let sandbox = sandbox();
    let flags = ["compress", "leg.bvh", "--input-unit", "m", "--error", "1cm", "--joint-error", "Knee=0.5mm"];
    let ran = sandbox.run(flags).ok();
    for bounds in [
        "; joint of 'Knee': error max 0.",
        " mm, limit 0.5 mm; other joints (1): error max ",
        " mm, limit 10 mm; between frames max 0.",
    ] {
        assert!(ran.stdout.contains(bounds), "no '{bounds}' in {}", ran.stdout);
    }
    let flags = ["compress", "leg.bvh", "--input-unit", "m", "--json", "-o", "b.mocz"];
    let row =
        sandbox.run([&flags[..], &["--joint-error", "Kne?=2mm", "--joint-error", "Hipps=1cm"]].concat()).ok();
    let row = &row.rows()[0];
    let bound = &row["bounds"][0];
    assert_eq!(
        (&bound["set"], &bound["joints"], &bound["error_limit"]),
        (&"Kne?".into(), &1.into(), &0.002.into())
    );
    assert!(bound["max_error"].as_f64().unwrap() <= 0.002);
    assert_eq!(
        (&row["bounds"][1]["set"], &row["bounds"][1]["joints"]),
        (&serde_json::Value::Null, &1.into())
    );
    assert_eq!(row["warnings"][0]["code"], "compress::no-such-joint");
    let help = row["warnings"][0]["help"].to_string();
    assert!(help.contains("Hips"), "{help}");
}

#[test]
fn a_compressed_clip_says_what_any_clip_says() {
    let sandbox = Sandbox::new();
    let walk = fixture("clips/alex_walk.bvh").display().to_string();
    sandbox.run(["compress", &walk, "-o", "a.mocz"]).ok();
    let [clip, row] =
        [walk.as_str(), "a.mocz"].map(|name| sandbox.run(["info", name, "--json"]).ok().rows().remove(0));
    for field in
        ["joints", "end_sites", "channels", "frames", "fps", "duration", "unit", "up", "root", "roots"]
    {
        assert_eq!(row[field], clip[field], "{field}");
    }
    assert_eq!((&row["format"], &row["unit"]["source"]), (&"mocz".into(), &"guessed".into()));
    for field in
        ["frame_time", "position_channels", "rotation_orders", "profile", "error_limit", "metres_per_unit"]
    {
        assert!(!row[field].is_null(), "{field} in {row}");
    }
    sandbox.run(["compress", &walk, "-o", "cm.mocz", "--input-unit", "cm"]).ok();
    let stated = sandbox.run(["info", "cm.mocz", "--json"]).ok().rows().remove(0);
    assert_eq!((&stated["unit"]["name"], &stated["unit"]["source"]), (&"cm".into(), &"file".into()));
    let stated = sandbox.run(["info", "a.mocz", "--json", "--input-unit", "0.02"]).ok().rows().remove(0);
    assert_eq!((&stated["unit"]["metres"], &stated["unit"]["source"]), (&0.02.into(), &"flag".into()));
    let shown = sandbox.run(["info", "a.mocz", "--from", "mocz"]).ok().stdout;
    assert!(shown.contains("unit       cm (guessed") && shown.contains("profile    runtime"), "{shown}");
    let ran = sandbox.run(["info", &walk, "--from", "mocz", "--json"]);
    assert_eq!((ran.code, &ran.rows()[0]["error"]["code"]), (1, &"mocz::magic".into()));
}

#[test]
fn compressed_clips_are_found_where_motions_are_converted_and_have_warnings() {
    let sandbox = Sandbox::new();
    let walk = fixture("clips/alex_walk.bvh").display().to_string();
    sandbox.run(["compress", &walk, "-o", "db/a.mocz"]).ok();
    sandbox.run(["convert", "db", "--to", "csv", "-o", "out/"]).ok();
    assert_eq!(sandbox.files("out"), ["a.csv"]);
    let row = sandbox.run(["decompress", "db", "-o", "back/", "--json"]).ok().rows().remove(0);
    assert!(row["warnings"].is_array(), "{row}");
    // Compressed clips are not inputs of `compress`.
    let ran = sandbox.run(["compress", "db", "-o", "again/"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}
