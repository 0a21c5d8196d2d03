//! The commands that draw: what they write, what they say, what they refuse.

mod mocap;

use mocap::{Ran, Sandbox, fixture};

/// A walk, the same walk a little off in one joint, and a jump of another skeleton.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let walk = std::fs::read_to_string(fixture("clips/alex_walk.bvh")).unwrap();
    sandbox.put("walk.bvh", &walk);
    let mut lines: Vec<String> = walk.lines().map(str::to_owned).collect();
    let row = lines.iter().position(|line| line.starts_with("Frame Time")).unwrap() + 1 + 100;
    let mut values: Vec<&str> = lines[row].split(' ').collect();
    values[4] = "9";
    lines[row] = values.join(" ");
    sandbox.put("off.bvh", lines.join("\n") + "\n");
    sandbox.put("jump.bvh", std::fs::read(fixture("clips/robin_jump.bvh")).unwrap());
    sandbox.put("robin.skel", std::fs::read(fixture("clips/robin.skel")).unwrap());
    sandbox
}

fn text(sandbox: &Sandbox, name: &str) -> String {
    String::from_utf8(sandbox.read(name)).unwrap()
}

#[track_caller]
fn refused(ran: &Ran, exit: i32, code: &str) {
    assert!(ran.code == exit && ran.stderr.contains(code), "{ran:?}");
}

#[test]
fn view_writes_a_page_named_after_the_first_motion() {
    let sandbox = sandbox();
    let said = sandbox.run(["view", "walk.bvh", "jump.bvh"]).ok().stdout;
    assert!(said.starts_with("walk.bvh and 1 more -> walk.html ("), "{said}");
    let page = text(&sandbox, "walk.html");
    assert!(page.starts_with("<!doctype html>") && page.contains("<title>walk.bvh, jump.bvh</title>"));
    assert!(!page.contains("://"), "nothing is fetched");
    refused(&sandbox.run(["view", "walk.bvh"]), 2, "usage::output-exists");
    let row = sandbox.run(["view", "walk.bvh", "--overwrite", "--json"]).ok().rows().remove(0);
    assert_eq!(
        (&row["path"], &row["output"], &row["frames"]),
        (&"walk.bvh".into(), &"walk.html".into(), &301.into())
    );
    assert_eq!(row["bytes"].as_u64(), Some(sandbox.read("walk.html").len() as u64));
    // A skeleton without motion is shown at rest; stdout takes the page.
    assert!(sandbox.run(["view", "robin.skel", "-o", "-"]).ok().stdout.contains("no frames: rest pose"));
}

#[test]
fn view_draws_the_mesh_of_a_file() {
    let sandbox = sandbox();
    sandbox.run(["convert", "walk.bvh", "-o", "walk.glb"]).ok();
    sandbox.run(["view", "walk.bvh", "jump.bvh", "--character", "walk.glb"]).ok();
    let page = text(&sandbox, "walk.html");
    // The jump is of another skeleton and keeps its body.
    assert!(page.contains("\"mesh\":\"Z2xURg") && page.matches("\"turns\":").count() == 1);
    let plain = sandbox.run(["view", "walk.bvh", "-o", "-"]).ok().stdout;
    assert!(!plain.contains("\"mesh\":") && !plain.contains("\"turns\":"));
    refused(&sandbox.run(["view", "jump.bvh", "--character", "walk.glb", "-o", "x.html"]), 1, "view::mesh");
    refused(
        &sandbox.run(["view", "walk.bvh", "--character", "walk.bvh", "-o", "x.html"]),
        2,
        "not a GLB file",
    );
    refused(&sandbox.run(["view", "walk.bvh", "--character", "none.glb", "-o", "x.html"]), 2, "view::mesh");
}

#[test]
fn sheets_of_many_motions_are_pages() {
    let sandbox = sandbox();
    let files = ["sheet", "walk.bvh", "jump.bvh", "off.bvh", "-o", "all.svg", "--page-height", "800"];
    let row = sandbox.run([&files[..], &["--json"]].concat()).ok().rows().remove(0);
    assert_eq!(row["outputs"], serde_json::json!(["all-1.svg", "all-2.svg"]));
    let pages = ["all-1.svg", "all-2.svg"].map(|name| text(&sandbox, name));
    assert!(pages[0].contains("<title>walk.bvh, jump.bvh</title>") && pages[1].contains("<title>off.bvh"));
    assert!(!sandbox.path("all.svg").exists());
    refused(&sandbox.run(files), 1, "io::exists");
    sandbox.run(["sheet", "walk.bvh", "jump.bvh", "off.bvh", "-o", "all.svg", "--page-height", "0"]).ok();
    assert_eq!(text(&sandbox, "all.svg").matches("  #").count(), 72);
    let one = sandbox.run(["sheet", "walk.bvh", "jump.bvh", "off.bvh", "-o", "-"]).ok().stdout;
    assert_eq!(one, text(&sandbox, "all.svg"));
}

#[test]
fn sheet_draws_svg_or_png() {
    let sandbox = sandbox();
    sandbox.run(["sheet", "walk.bvh", "-o", "a.png", "--count", "3"]).ok();
    assert!(sandbox.read("a.png").starts_with(b"\x89PNG"));
    sandbox.run(["sheet", "walk.bvh", "jump.bvh", "--view", "side", "--theme", "dark"]).ok();
    let sheet = text(&sandbox, "walk.svg");
    assert!(sheet.contains("157 frames") && sheet.contains("#14171c") && sheet.matches("  #").count() == 48);
    let some = sandbox.run(["sheet", "walk.bvh", "--at", "1.2s,30", "-o", "-"]).ok().stdout;
    assert!(some.contains("1.20 s  #144") && some.contains("0.25 s  #30"));
    refused(&sandbox.run(["sheet", "walk.bvh", "--at", "9s", "-o", "x.svg"]), 1, "sheet::no-pose");
    refused(&sandbox.run(["sheet", "walk.bvh", "-o", "x.gif"]), 2, "usage::format");
    refused(
        &sandbox.run(["sheet", "walk.bvh", "-o", "walk.bvh", "--to", "svg"]),
        2,
        "usage::output-is-input",
    );
    let missing = sandbox.run(["sheet", "walk.bvh", "none.bvh", "-o", "x.svg", "--json"]);
    assert_eq!((missing.code, missing.rows()[0]["error"]["code"].as_str()), (1, Some("io::not-found")));
    assert!(!sandbox.path("x.svg").exists());
}

#[test]
fn render_writes_films_frames_and_strobes() {
    let sandbox = sandbox();
    let small = ["--size", "120x90", "--picture-rate", "10", "--end", "0.5"];
    let render = |more: &[&str]| sandbox.run([&["render", "walk.bvh"][..], &small[..], more].concat());
    render(&[]).ok();
    assert!(sandbox.read("walk.gif").starts_with(b"GIF89a"));
    let first = sandbox.read("walk.gif");
    render(&["--overwrite", "--jobs", "1"]).ok();
    assert!(sandbox.read("walk.gif") == first, "the same bytes on one thread");
    render(&["jump.bvh", "-o", "both.apng", "--theme", "dark"]).ok();
    assert!(sandbox.read("both.apng").windows(4).any(|chunk| chunk == b"acTL"));
    render(&["--strobe", "4", "--view", "side", "-o", "walk.png"]).ok();
    assert!(sandbox.read("walk.png").starts_with(b"\x89PNG"));
    let row = render(&["--to", "frames", "-o", "frames", "--json"]).ok().rows().remove(0);
    let files: Vec<_> = std::fs::read_dir(sandbox.path("frames")).unwrap().collect();
    assert!(files.len() == 6 && row["bytes"].as_u64() > Some(1000), "{row}");
    refused(&render(&["--to", "frames", "-o", "frames"]), 2, "usage::output-exists");
    refused(&render(&["-o", "x.png"]), 2, "usage::format");
    refused(&render(&["-o", "x.avi"]), 2, "usage::format");
    refused(&render(&["--strobe", "3", "-o", "x.mp4"]), 2, "usage::format");
    // The tests run without a PATH.
    let without = render(&["-o", "x.mp4"]);
    refused(&without, 2, "render::no-ffmpeg");
    assert!(without.stderr.contains(".gif") && !sandbox.path("x.mp4").exists(), "{without:?}");
    refused(&render(&["--strobe", "3", "-o", "x.gif"]), 2, "usage::format");
    refused(&render(&["jump.bvh", "--strobe", "3", "-o", "x.png"]), 2, "usage::one-input");
    refused(&render(&["--start", "60", "-o", "x.gif"]), 2, "usage::range");
}

/// The film of a walk, encoded by the `ffmpeg` in a folder.
fn filmed(sandbox: &Sandbox, folder: &std::path::Path, more: &[&str]) -> Ran {
    let small =
        ["render", "walk.bvh", "--size", "121x91", "--picture-rate", "10", "--end", "0.5", "-o", "walk.mp4"];
    let root = sandbox.path("walk.bvh").parent().unwrap().to_owned();
    let output = mocap::command(&root).env("PATH", folder).args(small).args(more).output().unwrap();
    mocap::ran(output)
}

/// A stand-in for ffmpeg that copies its input to its output.
#[cfg(unix)]
#[test]
fn ffmpeg_gets_all_pictures_and_its_errors_are_reported() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox();
    let stub = |name: &str, script: &str| {
        let folder = sandbox.path(name);
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("ffmpeg");
        std::fs::write(&file, script).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        folder
    };
    let copies =
        "#!/bin/sh\nfor last; do :; done\necho \"$@\" > \"${0%/*}/arguments\"\nexec /bin/cat > \"$last\"\n";
    let copies = stub("copies", copies);
    let row = filmed(&sandbox, &copies, &["--json"]).ok().rows().remove(0);
    let film = sandbox.read("walk.mp4");
    assert_eq!(film.len(), 6 * 121 * 91 * 3, "{row}");
    assert_eq!(row["bytes"].as_u64(), Some(film.len() as u64));
    let (first, last) = (&film[..121 * 91 * 3], &film[5 * 121 * 91 * 3..]);
    assert!(first != last && first[..3] != [0, 0, 0], "pictures of somebody who moves");
    let arguments = text(&sandbox, "copies/arguments");
    for part in ["-f rawvideo -pixel_format rgb24 -video_size 121x91 -framerate 10 -i pipe:0", "yuv420p"] {
        assert!(arguments.contains(part), "{arguments}");
    }
    let fails = stub("fails", "#!/bin/sh\necho \"Unknown encoder 'h264'\" >&2\nexit 8\n");
    let failed = filmed(&sandbox, &fails, &["--overwrite"]);
    refused(&failed, 1, "render::ffmpeg");
    assert!(failed.stderr.contains("Unknown encoder 'h264'"), "{failed:?}");
    assert!(sandbox.read("walk.mp4") == film, "the film that was there stays");
    let nothing = stub("nothing", "#!/bin/sh\nexec /bin/cat > /dev/null\n");
    refused(&filmed(&sandbox, &nothing, &["--overwrite"]), 1, "render::ffmpeg");
}

#[test]
fn a_gallery_has_an_index_and_a_script_per_clip_and_resumes() {
    let sandbox = sandbox();
    std::fs::create_dir_all(sandbox.path("db/sub")).unwrap();
    for (from, to) in [("walk.bvh", "db/walk.bvh"), ("jump.bvh", "db/sub/jump.bvh")] {
        std::fs::copy(sandbox.path(from), sandbox.path(to)).unwrap();
    }
    sandbox.put("db/broken.bvh", "HIERARCHY\n");
    let ran = sandbox.run(["gallery", "db", "-o", "site", "--resume"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for name in ["index.html", "view.html", "data/index.js", "data/strips-0.js", "clips/walk.bvh.js"] {
        assert!(sandbox.path("site").join(name).exists(), "{name}");
    }
    let script = text(&sandbox, "site/clips/sub/jump.bvh.js");
    assert!(script.contains("jump.bvh\"") && script.contains("mocapClip({"));
    let index = text(&sandbox, "site/data/index.js");
    // Nothing is drawn again, and the index still has what the first run drew.
    let written = std::fs::metadata(sandbox.path("site/clips/walk.bvh.js")).unwrap().modified().unwrap();
    std::fs::remove_file(sandbox.path("site/data/index.js")).unwrap();
    sandbox.run(["gallery", "db", "-o", "site", "--resume"]);
    assert_eq!(text(&sandbox, "site/data/index.js"), index);
    let now = std::fs::metadata(sandbox.path("site/clips/walk.bvh.js")).unwrap().modified().unwrap();
    assert_eq!(now, written);
    refused(&sandbox.run(["gallery", "db"]), 2, "usage::output");
    refused(&sandbox.run(["gallery", "db", "-o", "walk.bvh"]), 2, "usage::output");
}

#[test]
fn plot_finds_joints_by_name_or_role() {
    let sandbox = sandbox();
    for (joint, channel, unit) in
        [("LeftLowerLeg", "rotation", "[degrees]"), ("Hips", "position", "[m]"), ("Head", "speed", "[m/s]")]
    {
        let files = ["plot", "walk.bvh", "jump.bvh", "--joint", joint, "--channel", channel, "-o", "-"];
        let chart = sandbox.run(files).ok().stdout;
        assert!(chart.contains(unit) && chart.contains("jump.bvh") && chart.contains("time [s]"), "{chart}");
    }
    sandbox.run(["plot", "walk.bvh", "--joint", "LeftFoot", "-o", "foot.html"]).ok();
    assert!(
        text(&sandbox, "foot.html").contains("LeftFoot: rotation")
            && !text(&sandbox, "foot.html").contains("://")
    );
    let missing = sandbox.run(["plot", "walk.bvh", "--joint", "Nose"]);
    refused(&missing, 1, "plot::no-joint");
    assert!(missing.stderr.contains("its joints are Hips, "), "{}", missing.stderr);
    // The error is about the file that has none.
    sandbox.put("nose.bvh", text(&sandbox, "walk.bvh").replace("JOINT Head", "JOINT Nose"));
    let other = sandbox.run(["plot", "nose.bvh", "walk.bvh", "--joint", "Nose"]);
    refused(&other, 1, "plot::no-joint");
    assert!(other.stderr.contains("--> walk.bvh"), "{}", other.stderr);
}

#[test]
fn compare_draws_its_error() {
    let sandbox = sandbox();
    let files = ["compare", "walk.bvh", "off.bvh", "--heatmap", "e.png", "--html", "e.html"];
    let said = sandbox.run(files).ok().stdout;
    assert!(said.contains("frame 100)") && said.ends_with("-> e.png\n-> e.html\n"), "{said}");
    assert!(sandbox.read("e.png").starts_with(b"\x89PNG"));
    assert!(text(&sandbox, "e.html").contains("in frame 100"));
    refused(&sandbox.run(files), 1, "io::exists");
    let row = sandbox.run([&files[..], &["--overwrite", "--json"]].concat()).ok().rows().remove(0);
    assert_eq!((&row["heatmap"], &row["html"]), (&"e.png".into(), &"e.html".into()));
}

#[test]
fn info_measures_a_motion_where_asked() {
    let sandbox = sandbox();
    assert!(!sandbox.run(["info", "walk.bvh"]).ok().stdout.contains("jerk"));
    let said = sandbox.run(["info", "walk.bvh", "--quality"]).ok().stdout;
    for fact in [
        "floor      at 0.022 m",
        "left foot  contact 70 % of frames",
        "3 contacts",
        "jerk",
        "suspicious none",
    ] {
        assert!(said.contains(fact), "no '{fact}' in {said}");
    }
    let row = sandbox.run(["info", "jump.bvh", "--quality", "--json"]).ok().rows().remove(0);
    let quality = &row["quality"];
    assert_eq!((&quality["lengths"], &quality["feet"][1]["contacts"]), (&"m".into(), &2.into()));
    // A skeleton has no motion to measure.
    let row = sandbox.run(["info", "robin.skel", "--quality", "--json"]).ok().rows().remove(0);
    assert!(row.get("quality").is_none());
}

/// The lines of the gallery that are commands.
fn gallery() -> Vec<String> {
    let page = std::fs::read_to_string(fixture("../docs/gallery.md")).unwrap();
    page.lines().filter_map(|line| line.strip_prefix("mocap ")).map(str::to_owned).collect()
}

/// The pictures of the documents are what the commands of the gallery write.
#[test]
fn the_pictures_of_the_documents_are_up_to_date() {
    let sandbox = Sandbox::new();
    for name in
        ["alex_walk.bvh", "alex_turn.bvh", "alex_wave.bvh", "robin_jump.bvh", "robin_wave.bvh", "robin.skel"]
    {
        sandbox.put(name, std::fs::read(fixture("clips").join(name)).unwrap());
    }
    sandbox.put("pip.xml", std::fs::read(fixture("robots/pip.xml")).unwrap());
    std::fs::create_dir(sandbox.path("database")).unwrap();
    sandbox.put("database/walk.bvh", std::fs::read(fixture("clips/alex_walk.bvh")).unwrap());
    for command in gallery() {
        sandbox.run(command.split(' ').collect::<Vec<_>>()).ok();
    }
    let names = [
        "sheet.svg",
        "strobe.png",
        "retarget.svg",
        "fbx.svg",
        "robot.svg",
        "plot.svg",
        "heatmap.png",
        "edits.svg",
        "loop.svg",
        "join.svg",
        "blend.svg",
        "terrain.svg",
        "bands.svg",
    ];
    for name in names {
        let place = fixture("../docs").join(name);
        let drawn = sandbox.read(name);
        if std::env::var_os("UPDATE_PICTURES").is_some() {
            std::fs::write(&place, &drawn).unwrap();
        }
        let kept = std::fs::read(&place).unwrap_or_default();
        assert!(
            kept == drawn,
            "docs/{name} is not what mocap draws: look at it, then UPDATE_PICTURES=1 cargo test --test pictures"
        );
    }
    assert!(text(&sandbox, "walk.html").contains("alex_walk.robin.bvh"));
}

#[test]
fn each_input_can_have_a_picture_of_its_own() {
    let sandbox = sandbox();
    for name in ["walk.bvh", "jump.bvh"] {
        std::fs::create_dir_all(sandbox.path("db/a")).unwrap();
        std::fs::copy(sandbox.path(name), sandbox.path(&format!("db/a/{name}"))).unwrap();
    }
    sandbox.put("db/bad.bvh", "no motion");
    for (command, extension, more) in [
        ("view", "html", &[][..]),
        ("sheet", "svg", &["--count", "2"]),
        ("plot", "Hips.png", &["--joint", "Hips", "--to", "png"]),
    ] {
        let out = format!("{command}/");
        let run = [&[command, "db", "--each", "-o", &out, "--resume", "--json"], more].concat();
        let ran = sandbox.run(&run[..]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let rows = ran.rows();
        let (walk, summary) = (&rows[1], rows.last().unwrap());
        assert_eq!(walk["output"], format!("{command}/a/walk.{extension}"), "{walk}");
        assert_eq!(walk["frames"], 301);
        assert_eq!((&summary["ok"], &summary["failed"]), (&2.into(), &1.into()));
        assert_eq!(sandbox.run(&run[..]).rows().last().unwrap()["skipped"], 2);
    }
    // The same as without the other inputs.
    sandbox.run(["view", "db/a/walk.bvh", "-o", "one.html"]).ok();
    assert!(
        !text(&sandbox, "view/a/walk.html").contains("jump.bvh")
            && text(&sandbox, "one.html").contains("walk.bvh")
    );
    refused(&sandbox.run(["view", "db", "--each"]), 2, "usage::output");
    refused(&sandbox.run(["sheet", "db", "--resume"]), 2, "usage::one-output");
    refused(&sandbox.run(["sheet", "walk.bvh", "--shard", "1/2"]), 2, "--each");
}

#[test]
fn markers_are_turned_onto_the_body_that_they_belong_to() {
    let sandbox = Sandbox::new();
    sandbox.put("walk.bvh", std::fs::read(mocap::fixture("clips/alex_walk.bvh")).unwrap());
    sandbox.run(["convert", "walk.bvh", "-o", "walk.c3d", "--marker-set", "plug-in-gait"]).ok();
    let words = "about the vertical onto the body";
    for (heading, said) in [("+Z", None), ("+X", Some("turned by ")), ("-Z", Some("turned by 180°"))] {
        let turned = ["edit", "walk.bvh", "--heading", heading, "-o", "turned.bvh", "--overwrite"];
        sandbox.run(turned).ok();
        sandbox.run(["view", "turned.bvh", "walk.c3d", "-o", "page.html", "--overwrite"]).ok();
        let page = String::from_utf8(sandbox.read("page.html")).unwrap();
        match said {
            None => assert!(!page.contains(words), "{heading}"),
            Some(said) => assert!(page.contains(words) && page.contains(said), "{heading}"),
        }
    }
}
