//! Reference poses: `mocap skel` writes the one that a retarget takes.

use crate::mocap::{Sandbox, fixture, rest_first};

fn walk() -> String {
    fixture("clips/alex_walk.bvh").display().to_string()
}

#[test]
fn a_skel_stands_as_the_motion_it_was_written_of() {
    let sandbox = Sandbox::new();
    sandbox.put("first.bvh", rest_first());
    sandbox.put("moving.bvh", std::fs::read(fixture("clips/robin_walk.bvh")).unwrap());
    let walk = walk();
    let run = |target: &str| {
        sandbox.run(["retarget", &walk, target, "-o", "out.bvh", "--overwrite", "-q"]).ok();
        sandbox.read("out.bvh")
    };
    // Both rest poses are A-poses and are used as they are, whatever the motion shows.
    for file in ["first.bvh", "moving.bvh"] {
        let rest = serde_json::json!({"pose": "offsets"});
        let row = sandbox.run(["skel", file, "-o", "auto.skel", "--overwrite", "--strict", "--json"]).ok();
        assert_eq!(row.rows()[0]["rest"], rest);
        assert!(run("auto.skel") == run(file), "{file}");
        let row =
            sandbox.run(["skel", file, "-o", "file.skel", "--overwrite", "--rest", "offsets", "--json"]);
        assert_eq!(row.ok().rows()[0]["rest"]["pose"], "offsets");
        assert!(run("auto.skel") == run("file.skel"), "{file}");
        sandbox.run(["skel", file, "-o", "9.skel", "--overwrite", "--rest", "9"]).ok();
        sandbox.run(["retarget", &walk, file, "--target-rest", "9", "-o", "out9.bvh", "--overwrite"]).ok();
        assert!(run("9.skel") == sandbox.read("out9.bvh"), "{file}");
    }
    let ran = sandbox.run(["skel", "first.bvh", "--rest", "100000", "--json"]);
    assert_eq!((ran.code, &ran.rows()[0]["error"]["code"]), (1, &"usage::frame".into()));
    let shown = sandbox.run(["skel", "first.bvh", "--rest", "0"]).ok().stdout;
    assert!(shown.contains("  rest pose: frame 0\n"), "{shown}");
}

#[test]
fn skeletons_without_a_motion_rest_as_they_are_and_limits_keep_their_zero() {
    let sandbox = Sandbox::new();
    let robin = fixture("clips/robin.skel").display().to_string();
    let row = sandbox.run(["skel", &robin, "-o", "same.skel", "--json"]).ok().rows().remove(0);
    assert_eq!(row["rest"]["pose"], "offsets");
    sandbox.put("moving.bvh", std::fs::read(fixture("clips/robin_walk.bvh")).unwrap());
    // An ASF keeps its offsets, so it still fits AMC files that were written before.
    sandbox.run(["skel", "moving.bvh", "-o", "a.asf", "-q"]).ok();
    sandbox.run(["skel", "moving.bvh", "-o", "b.asf", "-q", "--rest", "offsets"]).ok();
    assert!(sandbox.read("a.asf") == sandbox.read("b.asf"));
}

#[test]
fn a_motion_on_its_own_skeleton_comes_out_unchanged() {
    let sandbox = Sandbox::new();
    sandbox.put("first.bvh", rest_first());
    sandbox.run(["skel", "first.bvh", "-o", "first.skel"]).ok();
    for target in ["first.bvh", "first.skel"] {
        sandbox.run(["retarget", "first.bvh", target, "-o", "again.bvh", "--overwrite"]).ok();
        let row = sandbox.run(["compare", "first.bvh", "again.bvh", "--json"]).ok().rows().remove(0);
        assert!(row["max"].as_f64().unwrap() < 1e-5, "{target}: {row}");
    }
}
