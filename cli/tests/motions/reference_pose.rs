//! How feet stand on skeletons that `mocap skel` wrote of a motion.

use crate::mocap::{Sandbox, fixture};
use mocap_formats::{Limits, bvh};
use mocap_model::{Clip, JointId, JointTracks, UnitQuaternion, Vector3, rotation_between};
use std::sync::Arc;

/// By frame: how far down a foot points [deg], and how high its ankle is [m, for a file in centimetres].
fn feet(table: &str, ankle: &str, toe: &str) -> Vec<(f64, f64)> {
    let places = |joint: &str| -> Vec<[f64; 3]> {
        let rows = table.lines().map(|row| row.split(',').collect::<Vec<_>>()).filter(|row| row[2] == joint);
        rows.map(|row| [3, 4, 5].map(|column| row[column].parse().unwrap())).collect()
    };
    let (ankles, toes) = (places(ankle), places(toe));
    assert!(!ankles.is_empty());
    let foot = |(ankle, toe): (&[f64; 3], &[f64; 3])| {
        let level = (toe[0] - ankle[0]).hypot(toe[2] - ankle[2]);
        ((ankle[1] - toe[1]).atan2(level).to_degrees(), ankle[1] / 100.0)
    };
    ankles.iter().zip(&toes).map(foot).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

pub(crate) fn feet_are_flat_on_a_skel_of_a_rig_that_lies_about() {
    let folder = mocap_corpus::folder();
    let path = |name: &str| folder.join(name).display().to_string();
    let (walk, rig) = (path("cmu/12_01_walk.bvh"), path("iclone/007_12.bvh"));
    let sandbox = Sandbox::new();
    let run = |rest: &str| {
        sandbox.run(["skel", &rig, "-o", "cc.skel", "--rest", rest, "--overwrite"]).ok();
        let retarget = ["retarget", &walk, "cc.skel", "-o", "out.csv", "--overwrite", "--json"];
        let row = sandbox.run([&retarget[..], &["--drop-first-frame"]].concat()).ok().rows().remove(0);
        let table = String::from_utf8(sandbox.read("out.csv")).unwrap();
        let feet = feet(&table, "CC_Base_L_Foot", "CC_Base_L_ToeBase");
        let contacts = row["feet"][0]["contacts"].as_array().unwrap();
        let frame = |run: &serde_json::Value, end: usize| run[end].as_u64().unwrap() as usize;
        let standing = contacts.iter().flat_map(|run| frame(run, 0)..frame(run, 1));
        let pitch = median(standing.map(|frame| feet[frame].0).collect());
        (row, pitch)
    };
    let (row, pitch) = run("auto");
    assert!(!row["warnings"].to_string().contains("stance-made"), "{row}");
    // Feet that stand flat in the clips of this rig point down by 14°.
    assert!((pitch - 14.0).abs() < 5.0, "{pitch}°");
    // The offsets are not a reference pose: the estimate stands on tiptoe, and a warning says what helps.
    let (row, pitch) = run("offsets");
    let warnings = row["warnings"].as_array().unwrap();
    let made = warnings.iter().find(|warning| warning["code"] == "retarget::stance-made").expect("a warning");
    assert!(made["help"].as_str().unwrap().contains("`mocap skel`"), "{made}");
    assert!(pitch > 25.0, "{pitch}°");
}

/// A walk whose offsets are not a reference pose: the offsets of its legs and feet all point along X, as some exporters write
/// them. The motion is the same.
fn lying(clip: &Clip) -> Clip {
    let skeleton = clip.skeleton();
    let bones = ["UpLeg", "Leg", "Foot"];
    let frame = |id: JointId| match skeleton.children(id) {
        [next, ..] if bones.iter().any(|bone| skeleton.joint(id).name.ends_with(bone)) => {
            rotation_between(&Vector3::x(), &skeleton.joint(*next).offset)
        }
        _ => UnitQuaternion::identity(),
    };
    let above = |id: Option<JointId>| id.map_or(UnitQuaternion::identity(), frame);
    let turned = skeleton.with_joints(|joint| joint.offset = above(joint.parent).inverse() * joint.offset);
    let tracks = skeleton.iter().zip(clip.tracks()).map(|((id, joint), tracks)| JointTracks {
        rotation: tracks.rotation.map(|turn| above(joint.parent).inverse() * turn * frame(id)),
        translation: tracks.translation.clone(),
        scale: None,
    });
    let tracks = tracks.collect();
    Clip::new(Arc::new(turned.unwrap()), clip.rate(), clip.frames(), tracks).unwrap()
}

pub(crate) fn feet_are_flat_on_a_skel_of_a_fixture_that_lies_about() {
    let bytes = std::fs::read(fixture("clips/alex_walk.bvh")).unwrap();
    let document = bvh::parse(&bytes, &Limits::default()).unwrap().value;
    let walk = bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value;
    let sandbox = Sandbox::new();
    sandbox.put("rig.bvh", bvh::from_clip(&lying(&walk), &bvh::WriteOptions::default()).unwrap().to_bytes());
    let source = fixture("clips/robin_walk.bvh").display().to_string();
    let on = |target: &str| {
        let retarget = ["retarget", &source, target, "-o", "out.csv", "--overwrite", "--json"];
        let row = sandbox.run(retarget).ok().rows().remove(0);
        let table = String::from_utf8(sandbox.read("out.csv")).unwrap();
        let feet = feet(&table, "LeftFoot", "LeftToeBase");
        let pitch = median(feet.iter().map(|foot| foot.0).collect());
        let ankle = median(feet.iter().map(|foot| foot.1).collect());
        (row, pitch, ankle)
    };
    let run = |rest: &str| {
        sandbox.run(["skel", "rig.bvh", "-o", "rig.skel", "--rest", rest, "--overwrite"]).ok();
        on("rig.skel")
    };
    // The toes of this body are 5.45 cm below its ankles and 13.65 cm before them: 21.8° where a foot is flat.
    let (row, pitch, ankle) = run("auto");
    assert!(!row["warnings"].to_string().contains("stance-made"), "{row}");
    assert!((pitch - 21.8).abs() < 1.0, "{pitch}°");
    // As on the same body with a rest pose.
    let (_, posed_pitch, posed_ankle) = on(&fixture("clips/alex_walk.bvh").display().to_string());
    assert!(
        (pitch - posed_pitch).abs() < 1.0 && (ankle - posed_ankle).abs() < 0.003,
        "{ankle} {posed_ankle} m"
    );
    let (row, pitch, ankle) = run("offsets");
    let warnings = row["warnings"].as_array().unwrap();
    let made = warnings.iter().find(|warning| warning["code"] == "retarget::stance-made").expect("a warning");
    assert!(made["help"].as_str().unwrap().contains("`mocap skel`"), "{made}");
    assert!(pitch > 27.0 && ankle > 0.099, "{pitch}° {ankle} m");
}
