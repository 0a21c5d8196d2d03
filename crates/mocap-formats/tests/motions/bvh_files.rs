//! Real BVH files: positions against an independent reference, and values through a round trip.

use mocap_corpus::{fixtures, note};
use mocap_formats::{Limits, bvh};
use mocap_model::{Clip, EulerOrder, Pose, Vector3};
use std::collections::BTreeMap;

fn parse(bytes: &[u8]) -> bvh::Document {
    bvh::parse(bytes, &Limits::default()).unwrap().value
}

fn rewritten_is_the_same(name: &str, bytes: &[u8]) {
    let document = parse(bytes);
    let again = parse(&document.to_bytes());
    assert_eq!(document, again, "{name}");
    let bits = |document: &bvh::Document| -> Vec<u64> {
        document.motion().unwrap().values().iter().map(|value| value.to_bits()).collect()
    };
    assert_eq!(bits(&document), bits(&again), "{name}");
    // Rows that are kept as text are copied as their numbers are written.
    let shared = bvh::parse_shared(&bytes.to_vec().into(), &Limits::default()).unwrap().value;
    assert_eq!(bits(&shared), bits(&document), "{name}");
    assert!(shared.to_bytes() == document.to_bytes(), "{name}");
    let clip = |document| bvh::to_clip(document, &bvh::ClipOptions::default()).unwrap();
    assert!(clip(&shared) == clip(&document), "{name}");
}

pub(crate) fn writing_an_untouched_document_changes_no_value() {
    for (name, bytes) in mocap_corpus::files("bvh") {
        rewritten_is_the_same(&name, &bytes);
    }
}

pub(crate) fn writing_an_untouched_fixture_changes_no_value() {
    let clips = fixtures("clips", "bvh");
    assert_eq!(clips.len(), 8);
    for (name, bytes) in clips {
        rewritten_is_the_same(&name, &bytes);
    }
}

pub(crate) fn world_positions_are_those_of_the_reference() {
    let folder = mocap_corpus::folder();
    let golden = mocap_corpus::reference("bvh_world_positions.csv");
    let mut files: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
    for line in golden.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        files.entry(fields[0]).or_default().push(fields);
    }
    assert!(files.len() >= 6, "{}", files.len());
    for (name, rows) in files {
        let document = parse(&std::fs::read(folder.join(name)).unwrap());
        let clip = bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value;
        let (mut local, mut world) = (Pose::default(), Pose::default());
        let mut largest = 0.0f64;
        for row in &rows {
            let value = |column: usize| -> f64 { row[column].parse().unwrap() };
            clip.local_pose(row[2].parse().unwrap(), &mut local);
            local.to_object(clip.skeleton(), &mut world);
            let joint = clip.skeleton().find(row[3]).unwrap_or_else(|| panic!("{name}: no {}", row[3]));
            let found = world.joints[joint.index()].translation.vector;
            for axis in 0..3 {
                largest = largest.max((found[axis] - value(4 + axis)).abs());
            }
        }
        assert!(largest < 1e-4, "{name}: off by {largest}");
    }
}

/// World positions of all joints by name, frame after frame.
fn world_positions(clip: &Clip) -> BTreeMap<&str, Vec<Vector3<f64>>> {
    let mut positions: BTreeMap<&str, Vec<Vector3<f64>>> = BTreeMap::new();
    let (mut local, mut world) = (Pose::default(), Pose::default());
    for frame in 0..clip.frames() {
        clip.local_pose(frame, &mut local);
        local.to_object(clip.skeleton(), &mut world);
        for (joint, placed) in clip.skeleton().joints().iter().zip(&world.joints) {
            positions.entry(&joint.name).or_default().push(placed.translation.vector);
        }
    }
    positions
}

/// Written with the orders it has and with another one, and read again: every joint is where it was.
fn keeps_world_positions(name: &str, bytes: &[u8], metres: f64) {
    let clip = bvh::to_clip(&parse(bytes), &bvh::ClipOptions::default()).unwrap().value;
    for euler in [None, Some(EulerOrder::XYZ)] {
        let options = bvh::WriteOptions { euler, ..Default::default() };
        let written = bvh::from_clip(&clip, &options).unwrap().to_bytes();
        let parsed = bvh::parse(&written, &Limits::default()).unwrap();
        assert_eq!(parsed.warnings, [], "{name}");
        let again = bvh::to_clip(&parsed.value, &bvh::ClipOptions::default()).unwrap();
        assert_eq!((again.value.rate(), again.value.frames()), (clip.rate(), clip.frames()), "{name}");
        let (before, after) = (world_positions(&clip), world_positions(&again.value));
        assert!(before.keys().eq(after.keys()), "{name}");
        let distances = before.values().flatten().zip(after.values().flatten()).map(|(a, b)| (a - b).norm());
        let largest = distances.fold(0.0, f64::max) * metres;
        note!("{name}: {largest:.1e} m, {} bytes of {}", written.len(), bytes.len());
        assert!(largest < 1e-6, "{name}: off by {largest} m");
    }
}

pub(crate) fn clips_written_and_read_again_keep_world_positions() {
    for (name, bytes) in mocap_corpus::files("bvh") {
        keeps_world_positions(&name, &bytes, metres(&name));
    }
}

pub(crate) fn fixtures_written_and_read_again_keep_world_positions() {
    for (name, bytes) in fixtures("clips", "bvh") {
        keeps_world_positions(&name, &bytes, if name.starts_with("alex") { 0.01 } else { 1.0 });
    }
}

/// Metres in a unit of a file of the corpus.
fn metres(name: &str) -> f64 {
    match name {
        "misc/games105_walk60.bvh" => 1.0,
        _ if name.starts_with("cmu/") || name.contains("xia") => mocap_model::Unit::CMU,
        _ => 0.01,
    }
}

/// Whether a rest pose before the motion is detected; the file must have no other findings.
fn has_rest_pose_first(name: &str, bytes: &[u8]) -> bool {
    let parsed = bvh::parse(bytes, &Limits::default()).unwrap();
    assert_eq!(parsed.warnings, [], "{name}");
    let warnings = bvh::to_clip(&parsed.value, &bvh::ClipOptions::default()).unwrap().warnings;
    let codes: Vec<&str> = warnings.iter().map(|warning| warning.code()).collect();
    if codes == ["bvh::rest-first-frame"] {
        let place = warnings[0].place.as_ref().unwrap();
        note!("{name}: {}", warnings[0]);
        assert!(bytes[..place.span.start].ends_with(b"\n") && warnings[0].context.frame == Some(0));
        return true;
    }
    // An actor climbs: the floor contradicts the median of the root.
    let expected: &[&str] = if name == "iclone/001_08.bvh" { &["bvh::position-mode"] } else { &[] };
    assert_eq!(codes, expected, "{name}");
    false
}

pub(crate) fn a_rest_pose_before_the_motion_is_noticed() {
    let mut noticed = Vec::new();
    for (name, bytes) in mocap_corpus::files("bvh") {
        if has_rest_pose_first(&name, &bytes) {
            noticed.push(name);
        }
    }
    // In the last one, too, the body stands at the origin in a T-pose first and is 2.5 m away in frame 1.
    assert_eq!(noticed, ["cmu/01_01.bvh", "cmu/12_01_walk.bvh", "iclone/007_12.bvh"]);
}

pub(crate) fn a_rest_pose_before_a_fixture_is_noticed() {
    let clips = fixtures("clips", "bvh").into_iter();
    let small = fixtures("bvh", "bvh").into_iter().filter(|(name, _)| name == "warn-rest-first-frame.bvh");
    let noticed: Vec<String> = clips
        .chain(small)
        .filter(|(name, bytes)| has_rest_pose_first(name, bytes))
        .map(|file| file.0)
        .collect();
    assert_eq!(noticed, ["warn-rest-first-frame.bvh"]);
}
