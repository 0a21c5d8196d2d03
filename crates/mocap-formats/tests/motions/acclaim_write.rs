//! Clips as ASF and AMC: read back, every joint is where it was.

use crate::pair::{greatest_distance, read_back};
use mocap_corpus::{fixture, fixtures, note};
use mocap_formats::{Limits, amc, asf, bvh};
use mocap_model::*;
use std::path::Path;

/// The documents of a pair of files and their clip.
struct Recording {
    skeleton: asf::Document,
    motion: amc::Document,
    clip: Clip,
}

fn recording(folder: &Path, asf: &str, amc: &str) -> Recording {
    let read = |name: String| std::fs::read(folder.join(name)).unwrap();
    let skeleton = asf::parse(&read(format!("{asf}.asf")), &Limits::default()).unwrap().value;
    let motion = amc::parse(&read(format!("{amc}.amc")), &Limits::default()).unwrap().value;
    let clip = amc::to_clip(&skeleton, &motion, &amc::ClipOptions::default()).unwrap().value;
    Recording { skeleton, motion, clip }
}

/// Every motion of the fixtures, with its skeleton.
fn fixture_recordings() -> Vec<(String, Recording)> {
    let motions = fixtures("clips", "amc");
    assert_eq!(motions.len(), 8);
    let read = |(name, _): (String, Vec<u8>)| {
        let amc = name.trim_end_matches(".amc");
        let body = amc.split('_').next().unwrap();
        (amc.to_owned(), recording(&fixture("clips"), body, amc))
    };
    motions.into_iter().map(read).collect()
}

fn comes_back_with_its_bones_and_channels(amc: &str, recording: &Recording) {
    let Recording { skeleton, motion, clip } = recording;
    let written = amc::from_clip(clip).unwrap();
    assert_eq!(written.warnings, []);
    let pair = written.value;
    let parts = |document: &asf::Document| -> Vec<_> {
        let mut parts: Vec<_> =
            document.bones.iter().map(|bone| (bone.name.clone(), bone.dofs.clone())).collect();
        parts.sort_by(|a, b| a.0.cmp(&b.0));
        parts
    };
    assert_eq!(parts(&pair.skeleton), parts(skeleton));
    let distance = greatest_distance(clip, &read_back(&pair)) * Unit::CMU;
    note!("{amc}: {distance:e} m");
    assert!(distance < 1e-9, "{amc}: off by {distance} m");
    // The numbers are those of the first file again, but for whole turns.
    let before = &motion.values[..6];
    let after = &pair.motion.values[..6];
    assert!(before.iter().zip(after).all(|(a, b)| (a - b).abs() < 1e-6), "{before:?} {after:?}");
}

pub(crate) fn files_of_the_database_come_back_with_their_bones_and_channels() {
    let folder = mocap_corpus::folder().join("cmu");
    for (asf, amc) in [("01", "01_01"), ("11", "11_01"), ("backflip", "backflip")] {
        comes_back_with_its_bones_and_channels(amc, &recording(&folder, asf, amc));
    }
}

pub(crate) fn fixtures_come_back_with_their_bones_and_channels() {
    for (amc, recording) in fixture_recordings() {
        comes_back_with_its_bones_and_channels(&amc, &recording);
    }
}

fn rig_comes_back(name: &str, bytes: &[u8]) {
    let document = bvh::parse(bytes, &Limits::default()).unwrap().value;
    let clip = bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value;
    let clip = clip.trimmed(0..clip.frames().min(300)).unwrap();
    let pair = amc::from_clip(&clip).unwrap().value;
    let distance = greatest_distance(&clip, &read_back(&pair));
    note!("{name}: {} joints, off by {distance:e}", clip.skeleton().len());
    assert!(distance < 1e-6, "{name}: off by {distance}");
}

pub(crate) fn rigs_of_bvh_files_come_back() {
    for (name, bytes) in mocap_corpus::files("bvh") {
        rig_comes_back(&name, &bytes);
    }
}

pub(crate) fn rigs_of_bvh_fixtures_come_back() {
    for (name, bytes) in fixtures("clips", "bvh") {
        rig_comes_back(&name, &bytes);
    }
}

fn every_bone_goes_into_bvh(amc: &str, clip: &Clip) {
    let text = bvh::from_clip(clip, &bvh::WriteOptions::default()).unwrap().to_bytes();
    let document = bvh::parse(&text, &Limits::default()).unwrap().value;
    let back = bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value;
    assert_eq!(back.skeleton().len(), clip.skeleton().len());
    let distance = greatest_distance(clip, &back) * Unit::CMU;
    note!("{amc}: {distance:e} m");
    assert!(distance < 1e-6, "{amc}: off by {distance} m");
    for joint in clip.skeleton().joints() {
        assert!(joint.end_site || back.skeleton().find(&joint.name).is_some(), "{amc}: {}", joint.name);
    }
}

/// The usual conversion of this database lost the thorax, and all above it was off by its length.
pub(crate) fn every_bone_of_the_database_goes_into_bvh() {
    let folder = mocap_corpus::folder().join("cmu");
    let pairs = [
        ("01", "01_01"),
        ("11", "11_01"),
        ("backflip", "backflip"),
        ("charleston", "charleston1"),
        ("charleston", "charleston2"),
    ];
    for (asf, amc) in pairs {
        let clip = recording(&folder, asf, amc).clip;
        assert!(clip.skeleton().find("thorax").is_some());
        every_bone_goes_into_bvh(amc, &clip);
    }
}

pub(crate) fn every_bone_of_the_fixtures_goes_into_bvh() {
    for (amc, recording) in fixture_recordings() {
        every_bone_goes_into_bvh(&amc, &recording.clip);
    }
}
