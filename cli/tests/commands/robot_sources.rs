//! Motions of robots as sources: in formats that do not say what robot it is, and back on the robot itself.

use crate::mocap::{Sandbox, fixture};

fn path(name: &str) -> String {
    fixture(name).display().to_string()
}

/// A walk on the robot of the fixtures, as each of these files.
fn walks(sandbox: &Sandbox, outputs: &[&str]) {
    let (walk, robot) = (path("clips/alex_walk.bvh"), path("robots/pip.xml"));
    for output in outputs {
        sandbox.run(["retarget", &walk, &robot, "-o", output]).ok();
    }
}

fn table(sandbox: &Sandbox, name: &str) -> Vec<Vec<f64>> {
    let text = String::from_utf8(sandbox.read(name)).unwrap();
    let rows = text.lines().map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect());
    let mut rows: Vec<Vec<f64>> = rows.collect();
    // A quaternion and its negative are one rotation.
    for row in &mut rows {
        let sign = row[6].signum();
        row[3..7].iter_mut().for_each(|part| *part *= sign);
    }
    rows
}

/// The angles of all joints but the root of a BVH file [°], by frame.
fn angles(sandbox: &Sandbox, name: &str) -> Vec<Vec<f64>> {
    let text = String::from_utf8(sandbox.read(name)).unwrap();
    let rows = text.lines().skip_while(|line| !line.starts_with("Frame Time")).skip(1);
    let numbers = |line: &str| line.split_whitespace().skip(6).map(|cell| cell.parse().unwrap()).collect();
    rows.map(numbers).collect()
}

/// The rotation of the root of a BVH file about the vertical [°], by frame.
fn headings(sandbox: &Sandbox, name: &str) -> Vec<Vec<f64>> {
    let text = String::from_utf8(sandbox.read(name)).unwrap();
    let channels = text.lines().find(|line| line.trim_start().starts_with("CHANNELS 6")).unwrap();
    let yaw = channels.split_whitespace().skip(2).position(|channel| channel == "Yrotation").unwrap();
    let rows = text.lines().skip_while(|line| !line.starts_with("Frame Time")).skip(1);
    rows.map(|line| vec![line.split_whitespace().nth(yaw).unwrap().parse().unwrap()]).collect()
}

/// The greatest difference of two tables, of angles in degrees by whole turns.
fn furthest(a: &[Vec<f64>], b: &[Vec<f64>], turn: f64) -> f64 {
    assert_eq!((a.len(), a[0].len()), (b.len(), b[0].len()));
    let off = |(a, b): (&f64, &f64)| ((a - b + turn / 2.0).rem_euclid(turn) - turn / 2.0).abs();
    a.iter().zip(b).flat_map(|(a, b)| a.iter().zip(b).map(off)).fold(0.0, f64::max)
}

/// A BVH file whose joints have names that say nothing.
fn renamed(sandbox: &Sandbox, from: &str, to: &str) {
    let text = String::from_utf8(sandbox.read(from)).unwrap();
    let mut count = 0;
    let line = |line: &str| match line.trim_start().split_once(' ') {
        Some((kind @ ("ROOT" | "JOINT"), _)) => {
            count += 1;
            format!("{kind} n{count}\n")
        }
        _ => format!("{line}\n"),
    };
    let text: String = text.lines().map(line).collect();
    sandbox.put(to, text);
}

#[test]
fn a_robot_in_a_bvh_drives_a_person_as_its_glb_does() {
    let sandbox = Sandbox::new();
    walks(&sandbox, &["walk.glb", "walk.bvh"]);
    renamed(&sandbox, "walk.bvh", "renamed.bvh");
    let robin = path("clips/robin.skel");
    let on_robin = |source: &str| {
        sandbox.run(["retarget", source, &robin, "-o", "robin.bvh", "--overwrite"]).ok();
        (angles(&sandbox, "robin.bvh"), headings(&sandbox, "robin.bvh"))
    };
    let expected = on_robin("walk.glb");
    for (source, warns) in [("walk.bvh", false), ("renamed.bvh", true)] {
        let warned = sandbox.run(["validate", source]).stderr.contains("robot::joints");
        assert_eq!(warned, warns, "{source}");
        let (angles, headings) = on_robin(source);
        let off = furthest(&expected.0, &angles, 360.0).max(furthest(&expected.1, &headings, 360.0));
        assert!(off < 1.0, "{source}: {off}°");
    }
}

#[test]
fn a_motion_of_the_robot_stays_as_it_is_on_the_robot() {
    let sandbox = Sandbox::new();
    let robot = path("robots/pip.xml");
    walks(&sandbox, &["walk.csv", "walk.glb", "walk.bvh"]);
    let expected = table(&sandbox, "walk.csv");
    for source in ["walk.csv", "walk.glb", "walk.bvh"] {
        let words = ["retarget", source, &robot, "-o", "again.csv", "--overwrite", "--json"];
        let skeleton = ["--skeleton", &robot];
        let row = sandbox.run([&words[..], &skeleton[..if source == "walk.csv" { 2 } else { 0 }]].concat());
        let row = row.ok().rows().remove(0);
        let ratio = row["robot"]["leg_ratio"].as_f64().unwrap();
        assert!((ratio - 1.0).abs() < 1e-9, "{source}: {ratio}");
        let off = furthest(&expected, &table(&sandbox, "again.csv"), 1e9);
        assert!(off < 1e-3, "{source}: {off} rad or m");
    }
    // What a plan would not make stand better is not planned again.
    let balanced = |source: &str, output: &str| {
        let words = ["retarget", source, &robot, "--balance", "-o", output, "--json"];
        let skeleton = ["--skeleton", &robot];
        let own = if source.ends_with("csv") { 2 } else { 0 };
        let row = sandbox.run([&words[..], &skeleton[..own]].concat()).ok().rows().remove(0);
        (table(&sandbox, output), row["robot"]["balance"]["within"].as_f64().unwrap())
    };
    let (mut last, mut within) = balanced(&path("clips/alex_walk.bvh"), "1.csv");
    for time in 1..5 {
        let (next, now) = balanced(&format!("{time}.csv"), &format!("{}.csv", time + 1));
        let off = furthest(&last, &next, 1e9);
        assert!(off < 1e-3 || now > within + 0.02, "{off} rad or m, {within} and {now} stand");
        (last, within) = (next, now);
    }
}

#[test]
fn a_compressed_motion_of_the_robot_keeps_its_values_within_the_error_of_the_archive() {
    let sandbox = Sandbox::new();
    let robot = path("robots/pip.xml");
    walks(&sandbox, &["walk.csv"]);
    let expected = table(&sandbox, "walk.csv");
    let values = |rows: &[Vec<f64>]| rows.iter().map(|row| row[7..].to_vec()).collect::<Vec<_>>();
    let through = |error: &[&str]| {
        let words = ["compress", "walk.csv", "--skeleton", &robot, "-o", "walk.mocz", "--overwrite"];
        sandbox.run([&words[..], error].concat()).ok();
        let ran = sandbox.run(["retarget", "walk.mocz", &robot, "-o", "again.csv", "--overwrite", "--json"]);
        let row = ran.ok().rows().remove(0);
        let off = furthest(&values(&expected), &values(&table(&sandbox, "again.csv")), 1e9);
        (off, row["robot"]["off_hinge"].clone(), row["warnings"].to_string())
    };
    // Points at 3 cm stay within 0.1 mm, so a joint turns by at most four times that ratio against its parent.
    let (off, why, said) = through(&[]);
    assert!(off < 4.0 * 0.1 / 30.0, "{off} rad");
    assert!(why.is_null() && !said.contains("robot::fitted-anew"), "{why}: {said}");
    // Further off, turns are not those of hinges: who gets other values is told so.
    let (_, why, said) = through(&["--error", "3mm"]);
    assert!(why["angle"].as_f64().unwrap() > 1.0, "{why}");
    assert!(said.contains("robot::fitted-anew"), "{said}");
}

#[test]
fn the_soles_of_a_robot_come_to_the_floor() {
    let sandbox = Sandbox::new();
    let robot = path("robots/pip.xml");
    walks(&sandbox, &["walk.csv"]);
    let expected = table(&sandbox, "walk.csv");
    let raised: String = expected
        .iter()
        .map(|row| {
            let cells = row.iter().enumerate().map(|(i, cell)| if i == 2 { cell + 0.3 } else { *cell });
            cells.map(|cell| cell.to_string()).collect::<Vec<_>>().join(",") + "\n"
        })
        .collect();
    sandbox.put("raised.csv", raised);
    sandbox.run(["edit", "raised.csv", "--skeleton", &robot, "--ground", "-o", "ground.csv"]).ok();
    let off = furthest(&expected, &table(&sandbox, "ground.csv"), 1e9);
    assert!(off < 2e-3, "{off} m");
}
