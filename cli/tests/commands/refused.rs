//! Flags that would have no effect and values beyond any use are refused, or told.

use crate::mocap::{Sandbox, fixture};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put("walk.bvh", std::fs::read(fixture("clips/alex_walk.bvh")).unwrap());
    sandbox
}

/// Runs a command that must end with a code, say some words, and write nothing.
#[track_caller]
fn refused(sandbox: &Sandbox, words: &[&str], code: i32, parts: &[&str]) {
    let before = sandbox.files(".");
    let ran = sandbox.run(words);
    assert_eq!(ran.code, code, "{words:?}: {ran:?}");
    for part in parts {
        assert!(ran.stderr.contains(part), "{words:?}: {part}: {}", ran.stderr);
    }
    assert_eq!(sandbox.files("."), before, "{words:?}");
}

#[test]
fn a_film_does_not_end_before_it_starts() {
    let sandbox = sandbox();
    let parts = ["usage::range", "the range ends before it starts"];
    for output in [&["-o", "a.gif"][..], &["--strobe", "5", "-o", "a.png"], &["--to", "frames", "-o", "f/"]] {
        let words = [&["render", "walk.bvh", "--start", "1s", "--end", "0.5s"], output].concat();
        refused(&sandbox, &words, 2, &parts);
    }
    sandbox
        .run(["render", "walk.bvh", "--start", "0.5", "--end", "0.5", "--size", "64x64", "-o", "still.gif"])
        .ok();
}

#[test]
fn formats_of_one_unit_and_one_up_axis_have_no_other() {
    let sandbox = sandbox();
    let cases = [("glb", "m", "Y"), ("gltf", "m", "Y"), ("fbx", "cm", "Y"), ("usda", "m", "Y")];
    for (to, unit, up) in cases {
        let output = format!("a.{to}");
        for words in [["--up", "Z"], ["--up", "-Y"], ["--unit", "mm"]] {
            let words = [&["convert", "walk.bvh", "--to", to, "-o", &output], &words[..]].concat();
            let said = format!("{} has no effect on", words[6]);
            refused(&sandbox, &words, 2, &["usage::format", &said, "with Y up"]);
        }
        // What every file has may be asked for.
        sandbox.run(["convert", "walk.bvh", "--to", to, "-o", &output, "--up", up, "--unit", unit]).ok();
    }
}

#[test]
fn a_preset_has_no_frame_in_which_it_stands() {
    let words = ["retarget", "walk.bvh", "preset:unreal", "--target-rest", "3", "-o", "a.glb"];
    refused(&sandbox(), &words, 2, &["usage::frame", "--target-rest: frame 3 does not exist"]);
}

#[test]
fn a_file_of_one_clip_has_no_other() {
    let sandbox = sandbox();
    sandbox.run(["compress", "walk.bvh", "--error", "1mm", "-o", "walk.mocz"]).ok();
    for input in ["walk.bvh", "walk.mocz"] {
        let words = ["convert", input, "--clip", "1", "-o", "b.bvh"];
        refused(&sandbox, &words, 1, &["clip::unknown", "the file has no clip '1'"]);
        refused(&sandbox, &["info", input, "--clip", "run"], 1, &["clip::unknown"]);
        let named = format!("{input}#run");
        refused(&sandbox, &["convert", &named, "-o", "b.bvh"], 1, &["clip::unknown"]);
    }
    for clip in ["0", "all"] {
        sandbox
            .run(["convert", "walk.bvh", "--clip", clip, "--to", "csv", "-o", "c.csv", "--overwrite"])
            .ok();
    }
}

#[test]
fn values_beyond_any_use_are_refused() {
    let sandbox = sandbox();
    let edit = |words: &[&str], code: i32, part: &str| {
        refused(&sandbox, &[&["edit", "walk.bvh", "-o", "e.bvh"], words].concat(), code, &[part]);
    };
    edit(&["--scale", "1e-300"], 2, "at least 1e-9");
    edit(&["--speed", "1e-300"], 2, "at least 1e-9");
    edit(&["--fps", "1e-12"], 2, "1e-12 frames per second is too low");
    edit(&["--turn", "1e30"], 1, "at most 36000 degrees");
    edit(&["--add", "walk.bvh", "--weight", "1e10"], 1, "from -1000 to 1000");
    refused(&sandbox, &["convert", "walk.bvh", "--scale", "1e-300", "-o", "e.bvh"], 2, &["at least 1e-9"]);
    let floor = ["retarget", "walk.bvh", "preset:unreal", "--floor", "1e9", "-o", "e.glb"];
    refused(&sandbox, &floor, 2, &["a floor is at most 1e6 m"]);
    let steps = ["terrain", "walk.bvh", "--steps", "0.15,0.001,6000", "-o", "e.bvh"];
    refused(&sandbox, &steps, 1, &["edit::surface", "more than the legs are long"]);
}

#[test]
fn misspelt_words_get_suggestions() {
    let sandbox = sandbox();
    for (words, part) in [
        (&["edit", "walk.bvh", "--mirorr", "-o", "e.bvh"][..], "a similar argument exists: '--mirror'"),
        (&["retarget", "--hlep"], "a similar argument exists: '--help'"),
    ] {
        refused(&sandbox, words, 2, &[part]);
    }
    let mask = ["edit", "walk.bvh", "--add", "walk.bvh", "--mask", "RigthArm/**", "-o", "e.bvh"];
    refused(&sandbox, &mask, 1, &["edit::mask", "did you mean 'RightArm'?"]);
    sandbox.put("takes/a.bvh", sandbox.read("walk.bvh"));
    sandbox.put("takes/b.bvh", sandbox.read("walk.bvh"));
    let filtered = ["convert", "takes", "--include", "*.fbx", "--to", "csv", "-o", "out/"];
    refused(&sandbox, &filtered, 2, &["usage::no-input", "--include and --exclude leave out 2 files"]);
}

#[test]
fn an_empty_part_of_a_data_set_is_told() {
    let sandbox = sandbox();
    // The part of a clip follows from its path: `walk.bvh` alone is in one of three.
    sandbox.put("takes/a.bvh", sandbox.read("walk.bvh"));
    let pack = ["convert", "takes", "--to", "npz", "--pack", "256", "--split"];
    let ran = sandbox.run([&pack[..], &["8:1:1", "-o", "set/"]].concat()).ok();
    assert!(ran.stderr.contains("split::empty-part"), "{}", ran.stderr);
    assert!(ran.stderr.contains("no clip of the set is in train or test"), "{}", ran.stderr);
    // A part that is to have nothing is not missed.
    let ran = sandbox.run([&pack[..], &["1:0:0", "-o", "all/"]].concat()).ok();
    assert!(!ran.stderr.contains("split::empty-part"), "{}", ran.stderr);
}
