//! Results that cannot be right are not written, and end with the exit code of a missed gate.

use crate::mocap::{Sandbox, fixture};

/// Joints of a body: name, number of the parent, offset [cm].
const BODY: [(&str, usize, [f64; 3]); 13] = [
    ("Hips", 0, [0.0, 95.0, 0.0]),
    ("LeftUpLeg", 0, [10.0, 0.0, 0.0]),
    ("LeftLeg", 1, [0.0, -45.0, 0.0]),
    ("LeftFoot", 2, [0.0, -43.0, 0.0]),
    ("RightUpLeg", 0, [-10.0, 0.0, 0.0]),
    ("RightLeg", 4, [0.0, -45.0, 0.0]),
    ("RightFoot", 5, [0.0, -43.0, 0.0]),
    ("Spine", 0, [0.0, 25.0, 0.0]),
    ("Head", 7, [0.0, 40.0, 0.0]),
    ("LeftArm", 7, [18.0, 25.0, 0.0]),
    ("LeftForeArm", 9, [28.0, 0.0, 0.0]),
    ("RightArm", 7, [-18.0, 25.0, 0.0]),
    ("RightForeArm", 11, [-28.0, 0.0, 0.0]),
];

/// A BVH with a place for every joint in every frame, whose offsets are those places times `size`.
fn bvh(size: f64) -> String {
    let mut text = String::from("HIERARCHY\n");
    fn add(text: &mut String, joint: usize, size: f64) {
        let (name, _, [x, y, z]) = BODY[joint];
        text.push_str(&format!(
            "{} {name}\n{{\nOFFSET {} {} {}\n",
            ["JOINT", "ROOT"][usize::from(joint == 0)],
            x * size,
            y * size,
            z * size
        ));
        text.push_str("CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n");
        let children: Vec<usize> = (1..BODY.len()).filter(|child| BODY[*child].1 == joint).collect();
        children.iter().for_each(|child| add(text, *child, size));
        if children.is_empty() {
            text.push_str("End Site\n{\nOFFSET 0 1 0\n}\n");
        }
        text.push_str("}\n");
    }
    add(&mut text, 0, size);
    // Depth first, as the joints were written.
    let order = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    text.push_str("MOTION\nFrames: 60\nFrame Time: 0.0333333\n");
    for frame in 0..60 {
        let row = order.map(|joint: usize| {
            let (_, _, [x, y, z]) = BODY[joint];
            format!("{x} {y} {z} 0 {} 0", if joint == 0 { 0.0 } else { f64::from(frame) * 0.2 })
        });
        text.push_str(&(row.join(" ") + "\n"));
    }
    text
}

#[test]
fn bones_of_two_lengths_are_refused_unless_forced() {
    let sandbox = Sandbox::new();
    sandbox.put("right.bvh", bvh(1.0));
    sandbox.put("wrong.bvh", bvh(0.01));
    let robin = fixture("clips/robin.skel").display().to_string();
    let replace = ["--position-channels", "replace", "--input-unit", "cm"];
    for command in [&["convert"][..], &["retarget"]] {
        let run = |source: &str, more: &[&str]| {
            let target = if command[0] == "retarget" { vec![robin.as_str()] } else { Vec::new() };
            let words = [
                command,
                &[source],
                &target,
                &["-o", "out.fbx", "--to", "fbx", "--overwrite"],
                &replace,
                more,
            ];
            sandbox.run(words.concat())
        };
        run("right.bvh", &[]).ok();
        std::fs::remove_file(sandbox.path("out.fbx")).unwrap();
        let refused = run("wrong.bvh", &[]);
        assert_eq!(refused.code, 3, "{}", refused.stderr);
        assert!(
            refused.stderr.contains("motion::two-lengths") && refused.stderr.contains("--force"),
            "{}",
            refused.stderr
        );
        assert!(!sandbox.path("out.fbx").exists());
        let forced = run("wrong.bvh", &["--force"]).ok();
        assert!(forced.stderr.contains("motion::two-lengths"), "{}", forced.stderr);
        assert!(sandbox.path("out.fbx").exists());
    }
    let info = sandbox.run([&["info", "wrong.bvh"], &replace[..2]].concat()).ok();
    assert!(info.stderr.contains("motion::two-lengths"), "{}", info.stderr);
}
