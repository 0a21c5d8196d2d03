//! Typical mistakes of first users: each command does what was meant, or says what is missing.

use crate::mocap::{LEG, Sandbox, command, fixture};

/// Alex's walk, Robin as target, and a folder with three short clips.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in ["alex_walk.bvh", "robin.skel", "alex.skel"] {
        sandbox.put(name, std::fs::read(fixture(&format!("clips/{name}"))).unwrap());
    }
    for name in ["a/1", "a/2", "b/3", "b/4", "b/5"] {
        sandbox.put(&format!("db/{name}.bvh"), LEG);
    }
    sandbox
}

#[test]
fn strict_counts_every_warning_and_writes_nothing() {
    let sandbox = sandbox();
    // The only warning is that of the retargeting: fingers have no source.
    let retarget = ["retarget", "alex_walk.bvh", "robin.skel", "--input-unit", "cm", "-o", "r.bvh"];
    sandbox.run(retarget).ok();
    let ran = sandbox.run([&retarget[..], &["--overwrite", "--strict", "--json"]].concat());
    assert_eq!((ran.code, &ran.rows()[0]["error"]["code"]), (1, &"retarget::left-out".into()), "{ran:?}");
    let ran = sandbox.run(["compress", "alex_walk.bvh", "--strict", "-o", "w.mocz"]);
    assert!(ran.code == 1 && ran.stderr.contains("unit::guessed"), "{ran:?}");
    assert!(!sandbox.path("w.mocz").exists());
    let ran = sandbox.run(["convert", "alex_walk.bvh", "--unit", "m", "--strict", "-o", "w.json"]);
    assert!(ran.code == 1 && ran.stderr.contains("unit::guessed"), "{ran:?}");
    assert!(!sandbox.path("w.json").exists());
}

#[cfg(unix)]
#[test]
fn a_missed_gate_follows_the_report_that_shows_it() {
    let sandbox = sandbox();
    let line = "exec \"$0\" retarget alex_walk.bvh robin.skel -o r.bvh --fail-above effector=0 2>&1";
    let exe = command(&sandbox.path("")).get_program().to_owned();
    let mut shell = std::process::Command::new("sh");
    let ran = shell.args(["-c", line]).arg(exe).current_dir(sandbox.path("")).output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    let [report, gate] = ["frames on robin.skel", "error[gate::"].map(|words| text.find(words).expect(&text));
    assert!(report < gate && ran.status.code() == Some(3), "{text}");
}

#[test]
fn what_is_not_what_a_command_reads_is_said() {
    let sandbox = sandbox();
    let ran = sandbox.run(["decompress", "alex_walk.bvh"]);
    assert!(
        ran.code == 1 && ran.stderr.contains("not a compressed clip: the content looks like bvh"),
        "{ran:?}"
    );
    let ran = sandbox.run(["retarget", "alex_walk.bvh"]);
    assert!(ran.code == 2 && ran.stderr.contains("the target skeleton is missing"), "{ran:?}");
    let ran = sandbox.run(["retarget", "alex_walk.bvh", "no.skel", "--json"]);
    assert_eq!((ran.code, &ran.rows()[0]["error"]["code"]), (2, &"io::not-found".into()), "{ran:?}");
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    let ran = sandbox.run(["info", "empty"]);
    assert!(ran.code == 2 && ran.stderr.contains("no input was found in 'empty'"), "{ran:?}");
    sandbox.put("note.txt", "root causes of foot skate\n");
    let ran = sandbox.run(["info", "note.txt"]);
    assert!(ran.stderr.contains("format::unknown"), "{ran:?}");
    sandbox.put("bare", LEG.replace("HIERARCHY\n", ""));
    assert!(sandbox.run(["info", "bare"]).stderr.contains("bvh::syntax"));
}

#[test]
fn units_that_are_guessed_or_forgotten_are_said() {
    let sandbox = sandbox();
    let ran = sandbox.run(["convert", "alex_walk.bvh", "-o", "w.csv"]).ok();
    assert!(ran.stdout.contains(", unit cm (guessed from the size of the skeleton)"), "{ran:?}");
    let ran = sandbox.run(["compress", "alex_walk.bvh", "--error", "1", "-o", "w.mocz"]).ok();
    assert!(ran.stderr.contains("compress::loose-bound"), "{ran:?}");
    let ran = sandbox.run(["compress", "alex_walk.bvh", "--error", "1mm", "-o", "m.mocz"]).ok();
    assert!(!ran.stderr.contains("compress::loose-bound"), "{ran:?}");
}

#[test]
fn a_directory_becomes_a_directory_and_shards_share_one() {
    let sandbox = sandbox();
    sandbox.run(["convert", "db", "--to", "csv", "-o", "out"]).ok();
    assert_eq!(sandbox.files("out"), ["a/1.csv", "a/2.csv", "b/3.csv", "b/4.csv", "b/5.csv"]);
    let mistaken = sandbox.run(["convert", "db", "-o", "all.csv"]);
    assert_eq!((mistaken.code, sandbox.path("all.csv").exists()), (2, false));
    for shard in ["1/2", "2/2"] {
        sandbox.run(["convert", "db", "--to", "csv", "-o", "two/", "--shard", shard]).ok();
    }
    assert_eq!(sandbox.files("two"), sandbox.files("out"));
    let again = sandbox.run(["convert", "db", "--to", "csv", "-o", "two/", "--shard", "2/2"]);
    assert!(again.code == 2 && again.stderr.contains("usage::output-exists"), "{again:?}");
}

#[test]
fn presets_are_targets() {
    let sandbox = sandbox();
    let resume = ["retarget", "alex_walk.bvh", "preset:unreal", "-o", "out/", "--resume"];
    sandbox.run(resume).ok();
    let written = String::from_utf8(sandbox.read("out/alex_walk.unreal.bvh")).unwrap();
    assert!(written.contains("JOINT thigh_l"), "{written:.300}");
    let ran = sandbox.run(["retarget", "alex_walk.bvh", "preset:mixamo", "-o", "out/", "--resume"]);
    assert!(ran.stderr.contains("the target was 'preset:unreal', is 'preset:mixamo'"), "{ran:?}");
    let ran = sandbox.run(["retarget", "alex_walk.bvh", "preset:unrael"]);
    assert!(ran.code == 2 && ran.stderr.contains("presets are"), "{ran:?}");
}

#[test]
fn several_joints_share_a_plot_which_has_another_name_than_a_sheet() {
    let sandbox = sandbox();
    let plot = ["plot", "alex_walk.bvh", "--joint", "LeftFoot", "--joint", "RightFoot", "--channel", "speed"];
    sandbox.run(plot).ok();
    sandbox.run(["sheet", "alex_walk.bvh"]).ok();
    let drawn = String::from_utf8(sandbox.read("alex_walk.LeftFoot-RightFoot.svg")).unwrap();
    assert!(drawn.contains("alex_walk.bvh LeftFoot") && drawn.contains("alex_walk.bvh RightFoot"));
    assert!(sandbox.path("alex_walk.svg").exists());
}

#[test]
fn repeated_warnings_are_counted_and_quiet_has_two_levels() {
    let sandbox = sandbox();
    for i in 0..9 {
        sandbox.put(&format!("odd/{i}.bvh"), LEG.replace("Frames: 4", "Frames: 3"));
    }
    let ran = sandbox.run(["info", "odd"]).ok();
    assert_eq!(ran.stderr.matches("warning[").count(), 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("more warnings: 6 bvh::"), "{}", ran.stderr);
    let ran = sandbox.run(["info", "odd", "-q"]).ok();
    assert!(ran.stderr.is_empty() && ran.stdout.contains("odd/8.bvh"), "{ran:?}");
    let ran = sandbox.run(["info", "odd", "-qq"]).ok();
    assert!(ran.stderr.is_empty() && ran.stdout.is_empty(), "{ran:?}");
    assert_eq!(sandbox.run(["info", "odd", "-qq", "--json"]).ok().rows().len(), 10);
}

#[test]
fn the_summary_of_compress_has_the_overall_ratio() {
    let sandbox = sandbox();
    let ran = sandbox.run(["compress", "db", "-o", "small/", "--input-unit", "m", "--json"]).ok();
    let rows = ran.rows();
    let sum = |field: &str| rows[..5].iter().map(|row| row[field].as_f64().unwrap()).sum::<f64>();
    assert_eq!(rows[5]["ratio"].as_f64().unwrap(), sum("raw_bytes") / sum("bytes"), "{}", rows[5]);
    let ran = sandbox.run(["compress", "db", "-o", "more/", "--input-unit", "m"]).ok();
    assert!(ran.stderr.contains("times smaller than raw"), "{}", ran.stderr);
    assert!(sandbox.run(["info", "db", "--json"]).ok().rows()[5]["ratio"].is_null());
}

#[test]
fn an_override_may_be_optional() {
    let sandbox = sandbox();
    let pipeline = "[[step]]\ndo = 'write'\nto = 'csv'\n[[override]]\nfiles = 'cmu*'\ncsv.folder = 'cmu'\n";
    sandbox.put("p.toml", pipeline);
    let ran = sandbox.run(["run", "p.toml", "db", "-o", "one/"]).ok();
    assert!(ran.stderr.contains("no input matches the files of this override"), "{ran:?}");
    sandbox.put("p.toml", pipeline.replace("csv.", "optional = true\ncsv."));
    let ran = sandbox.run(["run", "p.toml", "db", "-o", "two/"]).ok();
    assert!(!ran.stderr.contains("warning"), "{ran:?}");
}

#[test]
fn two_directories_are_compared_pair_by_pair() {
    let sandbox = sandbox();
    sandbox.run(["compress", "db", "-o", "small/", "--input-unit", "m", "--error", "1mm"]).ok();
    let compare = ["compare", "db", "small", "--input-unit", "m", "--json", "--max-error"];
    let rows = sandbox.run([&compare[..], &["1mm"]].concat()).ok().rows();
    assert_eq!((&rows[0]["path"], &rows[0]["other"]), (&"db/a/1.bvh".into(), &"small/a/1.mocz".into()));
    assert_eq!((rows.len(), &rows[5]["ok"]), (6, &5.into()), "{}", rows[5]);
    assert_eq!(sandbox.run([&compare[..], &["0"]].concat()).code, 3);
    sandbox.put("small/extra.bvh", LEG);
    std::fs::remove_file(sandbox.path("small/b/4.mocz")).unwrap();
    let ran = sandbox.run([&compare[..], &["1mm"]].concat());
    let unpaired: Vec<_> = ran.rows().into_iter().filter(|row| !row["error"].is_null()).collect();
    assert_eq!((ran.code, unpaired.len()), (1, 2), "{ran:?}");
    assert!(unpaired.iter().all(|row| row["error"]["code"] == "compare::no-pair"), "{unpaired:?}");
    assert_eq!(sandbox.run(["compare", "db", "alex_walk.bvh"]).code, 2);
}

#[test]
fn files_are_compared_with_the_file_of_their_name_before_that_of_their_stem() {
    let sandbox = sandbox();
    for folder in ["a", "b"] {
        sandbox.put(&format!("{folder}/walk.bvh"), LEG);
        sandbox.run(["convert", "db/a/1.bvh", "-o", &format!("{folder}/walk.csv"), "--overwrite"]).ok();
    }
    let rows = sandbox.run(["compare", "a", "b", "--input-unit", "m", "--json"]).ok().rows();
    for (row, name) in rows.iter().zip(["walk.bvh", "walk.csv"]) {
        assert_eq!((&row["path"], &row["other"]), (&format!("a/{name}").into(), &format!("b/{name}").into()));
    }
    let ran = sandbox.run(["compare", "a", "missing", "--json"]);
    assert_eq!((ran.code, &ran.rows()[0]["error"]["code"]), (2, &"io::not-found".into()), "{ran:?}");
}

#[test]
fn a_file_that_ends_within_a_number_loses_its_last_frame_only() {
    let sandbox = sandbox();
    let last = LEG.trim_end().rfind('\n').unwrap();
    for cut in ["1 2 -", "1 2 1e", "1 2 3.5e-", "-"] {
        sandbox.put("cut.bvh", format!("{}\n{cut}", &LEG[..last]));
        let rows = sandbox.run(["info", "cut.bvh", "--json"]).ok().rows();
        assert_eq!(rows[0]["frames"], 3, "{cut}: {rows:?}");
        assert!(rows[0]["warnings"][0]["code"].as_str().unwrap().starts_with("bvh::"), "{cut}: {rows:?}");
    }
    sandbox.put("wrong.bvh", format!("{}\n1 2 x-", &LEG[..last]));
    assert_eq!(sandbox.run(["info", "wrong.bvh"]).code, 1);
}

#[test]
fn a_stated_unit_that_makes_no_body_is_reported() {
    let sandbox = sandbox();
    let reported = |unit: &str| {
        let rows = sandbox.run(["info", "alex_walk.bvh", "--input-unit", unit, "--json"]).ok().rows();
        rows[0]["warnings"].as_array().unwrap().iter().any(|warning| warning["code"] == "unit::unlikely")
    };
    assert!(reported("m") && reported("mm") && reported("in") && !reported("cm"));
    let ran =
        sandbox.run(["retarget", "alex_walk.bvh", "robin.skel", "--input-unit", "m", "-o", "r.bvh"]).ok();
    assert!(
        ran.stderr.contains("unit::unlikely") && ran.stderr.contains("stature of about 160 m"),
        "{ran:?}"
    );
}

#[test]
fn directories_of_takes_are_split() {
    let sandbox = sandbox();
    sandbox.run(["split", "db", "--every", "0.02", "-o", "parts"]).ok();
    let parts = sandbox.files("parts");
    assert!(parts.contains(&"a/1_001.bvh".into()) && parts.contains(&"b/5_002.bvh".into()), "{parts:?}");
    // If one clip of a take would replace a file, no clip of the take is written.
    sandbox.put("again/1_002.bvh", "mine");
    let ran = sandbox.run(["split", "db/a/1.bvh", "--every", "0.02", "-o", "again"]);
    assert!(ran.code == 1 && ran.stderr.contains("output::exists"), "{ran:?}");
    assert_eq!(sandbox.files("again"), ["1_002.bvh"]);
}

#[test]
fn missed_gates_are_counted_apart_from_failures() {
    let sandbox = sandbox();
    let ran = sandbox.run(["validate", "alex_walk.bvh", "db", "--fail-above", "skate=0"]);
    assert!(ran.stderr.contains("0 ok, 6 missed a gate") && !ran.stderr.contains("failed"), "{ran:?}");
    assert!(
        ran.stdout.contains("alex_walk.bvh: readable") && ran.stdout.contains("missed 1 of 1 gate"),
        "{ran:?}"
    );
}

#[test]
fn advice_names_commands_that_have_the_flag() {
    let sandbox = sandbox();
    let ran = sandbox.run(["warp", "alex_walk.bvh", "-o", "w.bvh"]);
    assert!(ran.code == 2 && ran.stderr.contains("--keys"), "{ran:?}");
    let ran = sandbox.run(["terrain", "alex_walk.bvh", "-o", "t.bvh"]);
    assert!(ran.code == 2 && ["--steps", "--heights", "--mesh"].iter().all(|flag| ran.stderr.contains(flag)));
    sandbox.run(["terrain", "alex_walk.bvh", "--steps", "15cm,60cm,6", "-o", "t.bvh"]).ok();
}

#[test]
fn sets_and_reports_are_directories_and_windows_fit() {
    let sandbox = sandbox();
    let pack = ["convert", "db", "--to", "npz", "--pack", "5", "--input-unit", "m", "-o"];
    let ran = sandbox.run([&pack[..], &["set.npz"]].concat());
    assert!(ran.code == 2 && !sandbox.path("set.npz").exists(), "{ran:?}");
    let ran = sandbox.run([&pack[..], &["set", "--window", "1000000"]].concat());
    assert!(ran.code == 2 && ran.stderr.contains("the longest has 4"), "{ran:?}");
    let ran = sandbox.run([&pack[..], &["set", "--overwrite", "--window", "3"]].concat()).ok();
    assert!(ran.stderr.contains("5 clips in 1 file,"), "{ran:?}");
    sandbox.put("p.toml", "[[step]]\ndo = 'write'\nto = 'csv'\n");
    let ran = sandbox.run(["run", "p.toml", "db", "-o", "out", "--report", "site.html"]);
    assert!(ran.code == 2 && !sandbox.path("site.html").exists(), "{ran:?}");
}

#[test]
fn what_is_typed_wrong_is_said_in_plain_words() {
    let sandbox = sandbox();
    for (words, said) in [
        (&["edit", "a", "--repeat", "2.5"][..], "expected a whole number"),
        (&["edit", "a", "--repeat", "-2"], "-2 is not in 1.."),
        (&["sheet", "a", "--page-height", "-5"], "-5 is not in 0.."),
        (&["edit", "a", "--duration", "-3s"], "--duration=-3s"),
        (&["blend", "a", "b", "--weights", "50%"], "expected a number"),
        (&["edit", "a", "--add-space", "mesh"], "belongs to the --add before it\n"),
    ] {
        let ran = sandbox.run(words);
        assert!(ran.code == 2 && ran.stderr.contains(said), "{words:?}: {ran:?}");
    }
    sandbox.put("mocap.toml", "jobs = x\n");
    let ran = sandbox.run(["info", "alex_walk.bvh"]);
    assert!(ran.stderr.contains("put text in quotes"), "{ran:?}");
}

#[test]
fn completion_offers_words_where_an_option_takes_words() {
    let script = sandbox().run(["generate", "completions", "bash"]).ok().stdout;
    for words in ["runtime archive keys", "local mesh", "bvh"] {
        assert!(script.contains(words), "{words}");
    }
}

#[test]
fn motions_of_robots_ask_for_their_robot() {
    let sandbox = sandbox();
    let robot = |name: &str| fixture(&format!("robots/{name}")).to_str().unwrap().to_owned();
    sandbox.run(["retarget", "alex_walk.bvh", &robot("pip.xml"), "--to", "mjlab-npz", "-o", "m.npz"]).ok();
    assert!(sandbox.run(["info", "m.npz"]).stderr.contains("--skeleton"));
    let ran = sandbox.run(["info", "m.npz", "--skeleton", &robot("arm.urdf")]);
    assert!(ran.stderr.contains("robot-motion::other-robot") && ran.stderr.contains("21 joints"), "{ran:?}");
}

#[test]
fn files_without_a_skeleton_take_it_from_the_source_whatever_changed_unit_and_size() {
    let sandbox = sandbox();
    for change in [&["--input-unit", "m"][..], &["--scale", "1.5"], &["--input-unit", "in", "--scale", "0.2"]]
    {
        let compress = ["compress", "alex_walk.bvh", "--overwrite", "--error", "1mm"];
        sandbox.run([&compress[..], &["-o", "whole.mocz"], change].concat()).ok();
        sandbox.run([&compress[..], &["-o", "bare.mocz", "--no-skeleton"], change].concat()).ok();
        let reference = ["--skeleton-ref", "alex_walk.bvh"];
        sandbox.run([&["info", "bare.mocz"][..], &reference].concat()).ok();
        // The file that holds its skeleton has rounded offsets, so both are within the error by their own values.
        let compare = ["compare", "whole.mocz", "bare.mocz", "--max-error", "2mm"];
        sandbox.run([&compare[..], &reference].concat()).ok();
    }
}

#[test]
fn skel_names_the_axes_on_which_knees_and_elbows_bend() {
    let sandbox = sandbox();
    sandbox.run(["skel", "alex_walk.bvh", "-o", "limited.skel", "--hinge-limits"]).ok();
    let text = std::fs::read_to_string(sandbox.path("limited.skel")).unwrap();
    let limited: Vec<&str> = text.lines().filter(|line| line.contains("\"limits\"")).collect();
    assert_eq!(limited.len(), 4, "{text}");
    assert!(limited.iter().all(|line| line.contains("155") && line.contains("Lower")), "{limited:?}");
    sandbox.run(["retarget", "alex_walk.bvh", "limited.skel", "-o", "r.bvh"]).ok();
    sandbox.put("prop.bvh", LEG);
    let ran = sandbox.run(["skel", "prop.bvh", "--hinge-limits"]);
    assert!(ran.code == 1 && ran.stderr.contains("retarget::missing-roles"), "{ran:?}");
}

#[test]
fn edits_count_in_their_order_when_a_run_is_continued() {
    let sandbox = sandbox();
    let edit =
        |edits: &[&str]| sandbox.run([&["edit", "alex_walk.bvh", "-o", "out/", "--resume"], edits].concat());
    edit(&["--trim", "10:90", "--fps", "30"]).ok();
    let again = edit(&["--trim", "10:90", "--fps", "30"]).ok();
    assert!(again.stdout.is_empty() || !again.stdout.contains("alex_walk.bvh -> "), "{again:?}");
    let other = edit(&["--fps", "30", "--trim", "10:90"]);
    assert!(other.code == 2 && other.stderr.contains("fps trim"), "{other:?}");
}

#[test]
fn edits_say_what_is_missing_and_what_to_do() {
    let sandbox = sandbox();
    let refused = |arguments: &[&str], code: &str, help: &str| {
        let ran = sandbox.run([&["edit", "alex_walk.bvh", "-o", "x.bvh"], arguments].concat());
        assert!(ran.code != 0 && ran.stderr.contains(code) && ran.stderr.contains(help), "{ran:?}");
    };
    sandbox.put("path.csv", "x,y,z\n0,0,0\n0,nan,5\n");
    refused(&["--add", "alex_walk.bvh", "--mask", "Tail/**"], "edit::mask", "mocap skel IN");
    refused(&["--along", "path.csv"], "edit::table", "line 3");
    refused(&["--loop=9000:9100"], "edit::no-frames", "mocap info");
    refused(&["--mask", "Head"], "--mask belongs to the --add", "before it");
    refused(&["--denoise", "butterworth:500"], "edit::option", "half the frame rate");
}

#[test]
fn a_forgotten_flag_or_prefix_is_named() {
    let sandbox = sandbox();
    let said = |words: &[&str], expected: &str| {
        let ran = sandbox.run(words);
        assert!(ran.code == 2 && ran.stderr.contains(expected), "{words:?}: {expected}\n{ran:?}");
    };
    said(&["convert", "alex_walk.bvh", "out.fbx"], "did you mean -o out.fbx?");
    said(&["compress", "alex_walk.bvh", "small.mocz"], "did you mean -o small.mocz?");
    said(&["retarget", "alex_walk.bvh", "unreal"], "preset:unreal is the skeleton of that name");
    said(
        &["retarget", "alex_walk.bvh", "unitree_g1"],
        "a robot (URDF, MJCF), or preset:NAME with one of unreal",
    );
    said(
        &["convert", "alex_walk.bvh", "-o", "walk.ma"],
        "Blender, Maya, MotionBuilder, Unity and Unreal import fbx",
    );
    said(&["edit", "alex_walk.bvh", "--mirror"], "name another output with -o");
    said(&["preview", "alex_walk.bvh"], "`mocap view IN -o OUT.html` plays motions");
    said(&["convert", "alex_walk.bvh", "--to"], "--to: Output format: bvh, ");
    said(&["info", "alex_walk.bvh", "--color"], "[possible values: auto, always, never]");
    said(&["edit", "alex_walk.bvh", "-o", "b.bvh", "--denoise"], "butterworth:HZ");
    let ran = sandbox.run(["convert", "alex_walk.bvh", "--to", "smpl-npz", "-o", "poses.npz"]);
    assert!(
        ran.code == 1 && ran.stderr.contains("`mocap retarget SOURCE preset:smpl --to smpl-npz -o"),
        "{ran:?}"
    );
    // A missing input with an unknown extension gets no suggestion; a glob without matches has another
    // message.
    let ran = sandbox.run(["convert", "alex_walk.bvh", "none.xyz", "--to", "csv", "-o", "out/"]);
    assert!(ran.code == 1 && !ran.stderr.contains("did you mean"), "{ran:?}");
    said(&["convert", "alex_walk.bvh", "db/none*.bvh", "--to", "csv"], "no file matches 'db/none*.bvh'");
}

#[test]
fn errors_of_the_command_line_look_like_all_others() {
    let sandbox = sandbox();
    let ran = sandbox.run(["info", "alex_walk.bvh", "--strct"]);
    let expected = "error[usage::arguments]: unexpected argument '--strct' found\n |\n = help: a similar argument exists: '--strict'\n\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (2, expected));
    let ran = sandbox.run(["compare", "alex_walk.bvh", "--json"]);
    let error = &ran.rows()[0]["error"];
    assert_eq!((ran.code, error["code"].as_str()), (2, Some("usage::arguments")));
    assert_eq!(error["help"], "usage: mocap compare [OPTIONS] <A> <B>");
}

#[test]
fn an_error_of_writing_names_the_output() {
    let sandbox = sandbox();
    let ran = sandbox.run(["convert", "alex_walk.bvh", "-o", "robin.skel/x.csv", "-q"]);
    assert!(ran.code == 1 && ran.stderr.contains("--> robin.skel/x.csv"), "{ran:?}");
    assert!(!ran.stderr.contains("--> alex_walk.bvh"), "{ran:?}");
    let ran = sandbox.run(["convert", "alex_walk.bvh", "-o", "robin.skel/x.csv", "--json"]);
    let row = &ran.rows()[0];
    assert_eq!((&row["path"], &row["error"]["path"]), (&"alex_walk.bvh".into(), &"robin.skel/x.csv".into()));
}

#[test]
fn a_folder_without_what_is_searched_says_what_to_add() {
    let sandbox = sandbox();
    sandbox.run(["convert", "db", "--to", "npz", "-o", "arrays/", "-q"]).ok();
    let ran = sandbox.run(["compress", "arrays", "-o", "small/"]);
    let expected = "found 5 .npz files: name them by a glob, 'arrays/**/*.npz'";
    assert!(ran.code == 2 && ran.stderr.contains(expected), "{ran:?}");
    sandbox.run(["compress", "arrays/**/*.npz", "-o", "small/", "-q"]).ok();
    sandbox.put("takes/a.c3d", "");
    let ran = sandbox.run(["retarget", "takes", "robin.skel", "-o", "out/"]);
    assert!(ran.code == 2 && ran.stderr.contains("found 1 .c3d file with markers"), "{ran:?}");
}

#[test]
fn many_inputs_have_a_line_each_and_a_table_of_the_worst() {
    let sandbox = sandbox();
    for name in ["alex_turn.bvh", "alex_walk.bvh"] {
        sandbox.put(&format!("takes/{name}"), std::fs::read(fixture(&format!("clips/{name}"))).unwrap());
    }
    let retarget = ["retarget", "takes", "robin.skel", "-q", "--input-unit", "cm", "-o"];
    let ran = sandbox.run([&retarget[..], &["out/"]].concat()).ok();
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(
        lines[0].starts_with("takes/alex_turn.bvh -> out/alex_turn.robin.bvh: 181 frames, goal error p95 "),
        "{ran:?}"
    );
    assert!(lines[1].starts_with("takes/alex_walk.bvh -> out/alex_walk.robin.bvh: 301 frames, "), "{ran:?}");
    assert_eq!(lines[2], "the worst of 2 clips:");
    let row = |name: &str| lines[3..].iter().find(|line| line.trim_start().starts_with(name)).unwrap();
    assert!(row("slide ").contains(" mm/s  ") && row("slide ").ends_with(".bvh"), "{ran:?}");
    // The figures are those of the rows.
    let rows = sandbox.run([&retarget[..], &["json/", "--json"]].concat()).ok().rows();
    let step = |row: &serde_json::Value| row["largest_step"]["excess"].as_f64().unwrap();
    let worst = if step(&rows[0]) >= step(&rows[1]) { "takes/alex_turn.bvh" } else { "takes/alex_walk.bvh" };
    assert!(row("step ").ends_with(worst), "{ran:?}");
    // The full report is printed for one input, and with --blocks.
    let ran = sandbox.run([&retarget[..], &["blocks/", "--blocks"]].concat()).ok();
    assert_eq!(ran.stdout.matches("  left foot ").count(), 2, "{ran:?}");
    let one = ["retarget", "takes/alex_walk.bvh", "robin.skel", "-q", "--input-unit", "cm", "-o", "one.bvh"];
    let ran = sandbox.run(one).ok();
    assert!(ran.stdout.contains("  left foot ") && !ran.stdout.contains("the worst"), "{ran:?}");
    let ran = sandbox.run(["edit", "takes", "--mirror", "-q", "-o", "mirrored/"]).ok();
    assert_eq!(ran.stdout.lines().filter(|line| line.contains(" -> mirrored/")).count(), 2, "{ran:?}");
    assert!(
        ran.stdout.contains("the worst of 2 clips:\n") && ran.stdout.contains("mirror-residual"),
        "{ran:?}"
    );
}

#[test]
fn old_names_of_options_work_and_are_told_in_every_layer() {
    let sandbox = sandbox();
    let compare =
        |more: &[&str]| sandbox.run([&["compare", "alex_walk.bvh", "alex_walk.bvh"], more].concat());
    let ran = compare(&["--fail-above", "1mm", "--unit", "cm"]).ok();
    for expected in ["'--fail-above' is now called '--max-error'", "'--unit' is now called '--input-unit'"] {
        assert!(ran.stderr.contains("warning[usage::old-name]") && ran.stderr.contains(expected), "{ran:?}");
    }
    assert!(!ran.stderr.contains("unit::guessed"), "{ran:?}");
    assert!(compare(&["--max-error", "1mm", "--input-unit", "cm"]).ok().stderr.is_empty());
    sandbox.put("mocap.toml", "[compare]\nfail-above = '1mm'\n");
    let ran = compare(&["--input-unit", "cm", "--json"]).ok();
    assert_eq!(ran.rows()[0]["fail_above"], 0.001);
    assert!(ran.stderr.contains("'fail-above' is now called 'max-error'"), "{ran:?}");
    std::fs::remove_file(sandbox.path("mocap.toml")).unwrap();
    let steps =
        "[[step]]\ndo = 'compress'\nset = ['*:error=1mm']\n[[step]]\ndo = 'compare'\nfail-above = '1mm'\n";
    sandbox.put("p.toml", steps);
    let ran = sandbox.run(["run", "p.toml", "alex_walk.bvh", "-o", "out/"]).ok();
    assert!(
        ran.stderr.contains("'set' is now called 'joint-error'") && ran.stderr.contains("--> p.toml:3:1"),
        "{ran:?}"
    );
}

#[cfg(unix)]
#[test]
fn an_old_variable_works_and_is_reported() {
    let sandbox = sandbox();
    let mut command = command(&sandbox.path(""));
    let words = ["compare", "alex_walk.bvh", "alex_walk.bvh", "--input-unit", "cm", "--json"];
    let output = command.args(words).env("MOCAP_FAIL_ABOVE", "2mm").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("'MOCAP_FAIL_ABOVE' is now called 'MOCAP_MAX_ERROR'"), "{said}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("\"fail_above\":0.002"), "{said}");
}
