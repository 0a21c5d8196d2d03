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

/// A BVH file whose hands are end sites, with all of its channels but those below the forearms.
fn without_hands(text: &str, hands: [&str; 2]) -> String {
    let (mut out, mut kept, mut depth, mut cut) = (Vec::new(), Vec::new(), 0, None);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["JOINT", name] if hands.contains(&name) => cut = Some(depth),
            ["CHANNELS", count, ..] => kept.extend(vec![cut.is_none(); count.parse().unwrap()]),
            _ => {}
        }
        depth = depth + usize::from(words == ["{"]) - usize::from(words == ["}"]);
        let line = match (cut, &words[..]) {
            (Some(at), ["OFFSET", ..]) if depth == at + 1 => format!("End Site\n{{\n{line}\n}}"),
            (Some(at), ["}"]) if depth == at => {
                cut = None;
                continue;
            }
            (Some(_), _) => continue,
            (None, [first, ..]) if words.len() == kept.len() && first.parse::<f64>().is_ok() => {
                let values = words.iter().zip(&kept).filter(|(_, kept)| **kept);
                values.map(|(word, _)| *word).collect::<Vec<_>>().join(" ")
            }
            _ => line.to_string(),
        };
        out.push(line);
    }
    out.join("\n") + "\n"
}

/// Positions of some joints over all frames of a CSV file.
fn positions(csv: &str, joints: &[&str]) -> Vec<[f64; 3]> {
    let rows = csv.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let rows = rows.filter(|row| joints.contains(&row[2]));
    rows.map(|row| [3, 4, 5].map(|at| row[at].parse().unwrap())).collect()
}

#[test]
fn arms_without_hand_joints_hang_as_those_with() {
    let sandbox = Sandbox::new();
    let read = |name: &str| std::fs::read_to_string(fixture(name)).unwrap();
    // The arms of one hang at rest, those of the other are held out.
    let (robin, alex) = (read("clips/robin_walk.bvh"), read("clips/alex_walk.bvh"));
    sandbox.put("robin_cut.bvh", without_hands(&robin, ["hand_l", "hand_r"]));
    sandbox.put("alex_cut.bvh", without_hands(&alex, ["LeftHand", "RightHand"]));
    sandbox.put("robin.bvh", robin);
    sandbox.put("alex.bvh", alex);
    let result = |source: &str, target: &str, joints: &[&str]| {
        sandbox.run(["retarget", source, target, "-o", "out.csv", "--overwrite", "-q"]).ok();
        positions(&String::from_utf8(sandbox.read("out.csv")).unwrap(), joints)
    };
    let off = |a: &[[f64; 3]], b: &[[f64; 3]]| {
        assert!(a.len() == b.len() && a.len() > 100, "{} {}", a.len(), b.len());
        let far = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max);
        a.iter().zip(b).map(far).fold(0.0, f64::max)
    };
    let elbows = ["LeftForeArm", "RightForeArm", "lowerarm_l", "lowerarm_r"];
    for (source, cut, target, target_cut) in [
        ("robin.bvh", "robin_cut.bvh", "alex.bvh", "alex_cut.bvh"),
        ("alex.bvh", "alex_cut.bvh", "robin.bvh", "robin_cut.bvh"),
    ] {
        let whole = result(source, target, &elbows);
        for (source, target) in [(cut, target), (source, target_cut), (cut, target_cut)] {
            let off = off(&whole, &result(source, target, &elbows));
            assert!(off < 0.01, "{source} on {target}: {off}");
        }
    }
}
