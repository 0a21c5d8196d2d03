//! `mocap retarget`: solvers, gates, floor and contacts from the command line.

use crate::mocap::{Ran, Sandbox, fixture};

/// Alex's walk on Robin's skeleton.
fn retarget(flags: &[&str]) -> (Ran, Vec<u8>) {
    let sandbox = Sandbox::new();
    let walk = fixture("clips/alex_walk.bvh").display().to_string();
    let robin = fixture("clips/robin.skel").display().to_string();
    let ran = sandbox.run([&["retarget", &walk, &robin, "-o", "out.bvh", "--json"], flags].concat());
    let out = if sandbox.path("out.bvh").exists() { sandbox.read("out.bvh") } else { Vec::new() };
    (ran, out)
}

#[test]
fn every_solver_says_what_it_took() {
    for solver in ["auto", "ccd", "fabrik", "two-bone", "dls", "objective"] {
        // Hands that copy rotations already reach their goals, so --hands scale gives the solvers
        // work.
        let (ran, _) = retarget(&["--ik", solver, "--hands", "scale"]);
        let row = &ran.ok().rows()[0];
        for effector in row["effectors"].as_array().unwrap() {
            assert_eq!(effector["reached_frames"], row["frames"], "{solver}: {effector}");
            assert_eq!(effector["wrong_bend_frames"], 0, "{solver}: {effector}");
            assert!(effector["iterations_mean"].as_f64().unwrap() > 0.0, "{solver}: {effector}");
        }
        assert!(row["largest_step"]["excess"].as_f64().unwrap() <= 5.0, "{solver}: {row}");
    }
    let (ran, _) = retarget(&["--ik", "newton"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("fabrik"), "{}", ran.stderr);
}

#[test]
fn gates_are_held_or_missed_one_by_one() {
    let (ran, _) = retarget(&["--fail-above", "slide=0.05,penetration=0.01,step=5"]);
    let row = &ran.ok().rows()[0];
    assert!(row["gates"].as_array().unwrap().iter().all(|gate| gate["passed"] == true), "{row}");
    let (ran, out) = retarget(&["--fail-above", "angle=0.1,penetration=0.01,jerk=0.01"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("error[gate::metric-above]").count(), 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("angle is ") && ran.stderr.contains("jerk is "), "{}", ran.stderr);
    assert!(out.is_empty(), "a motion that misses a gate is not written");
    let (ran, _) = retarget(&["--fail-above", "slides=1"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("metrics are effector, "), "{}", ran.stderr);
}

#[test]
fn feet_are_free_and_floors_elsewhere_where_asked_for() {
    let (planted, planted_bytes) = retarget(&[]);
    let (free, free_bytes) = retarget(&["--no-lock"]);
    let slide = |ran: Ran| ran.ok().rows()[0]["feet"][0]["slide"].as_f64().unwrap();
    let contacts = planted.rows()[0]["feet"][0]["contacts"].clone();
    assert!(contacts[0][0].as_u64() < contacts[0][1].as_u64(), "{contacts}");
    assert!(slide(planted) < slide(free) / 10.0);
    assert!(planted_bytes != free_bytes);
    let raised = retarget(&["--floor", "10cm"]);
    let off = retarget(&["--floor", "off"]);
    raised.0.ok();
    off.0.ok();
    assert!(raised.1 != planted_bytes && off.1 != planted_bytes);
    let (ran, _) = retarget(&["--floor", "deep"]);
    assert_eq!(ran.code, 2);
}

#[test]
fn errors_about_the_targets_of_characters_name_the_file_that_is_wrong() {
    let sandbox = Sandbox::new();
    sandbox.put("walk.bvh", std::fs::read(fixture("clips/alex_walk.bvh")).unwrap());
    sandbox.put("broken.bvh", "HIERARCHY\nnothing\n");
    let run = |map: &str| {
        sandbox.put("cast.json", map);
        let ran = sandbox.run(["retarget", "walk.bvh", "--characters", "cast.json", "-o", "o.bvh"]);
        assert_ne!(ran.code, 0);
        ran.stderr
    };
    let said = run(r#"{"Hips": "broken.bvh"}"#);
    assert!(said.contains("broken.bvh:2:1") && !said.contains("cast.json:"), "{said}");
    let said = run(r#"{"Hips": "walk.bvh", "Hips": "broken.bvh"}"#);
    assert!(said.contains("usage::characters") && said.contains("'Hips' has two targets"), "{said}");
}

#[cfg(unix)]
#[test]
fn pairs_take_paths_that_are_not_unicode() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::new();
    let pair = std::ffi::OsStr::from_bytes(b"wal\xff.bvh=b.skel");
    let folder = sandbox.path("");
    let words = ["retarget", "-o", "o.bvh", "--pair", "a.bvh=b.skel", "--pair"];
    let ran = crate::mocap::ran(crate::mocap::command(&folder).args(words).arg(pair).output().unwrap());
    assert!(!ran.stderr.contains("UTF-8") && ran.stderr.contains("io::not-found"), "{}", ran.stderr);
}
