//! Real ASF and AMC files: positions against an independent reference, and values through a round trip.

use mocap_corpus::{fixtures, note};
use mocap_formats::{Limits, amc, asf};
use mocap_model::{Clip, Pose, Unit};
use std::collections::BTreeMap;
use std::path::Path;

fn skeleton(bytes: &[u8]) -> asf::Document {
    let parsed = asf::parse(bytes, &Limits::default()).unwrap();
    assert_eq!(parsed.warnings, []);
    parsed.value
}

fn motion(bytes: &[u8]) -> amc::Document {
    let parsed = amc::parse(bytes, &Limits::default()).unwrap();
    assert_eq!(parsed.warnings, []);
    parsed.value
}

fn clip(folder: &Path, asf: &str, amc: &str) -> Clip {
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let parsed =
        amc::to_clip(&skeleton(&read(asf)), &motion(&read(amc)), &amc::ClipOptions::default()).unwrap();
    assert_eq!(parsed.warnings, [], "{amc}");
    parsed.value
}

pub(crate) fn the_ends_of_bones_are_where_the_reference_has_them() {
    let folder = mocap_corpus::folder();
    let golden = mocap_corpus::reference("amc_bone_tips.csv");
    let mut files: BTreeMap<(&str, &str), Vec<Vec<&str>>> = BTreeMap::new();
    for line in golden.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        files.entry((fields[0], fields[1])).or_default().push(fields);
    }
    assert_eq!(files.len(), 3);
    for ((asf, amc), rows) in files {
        let clip = clip(&folder, asf, amc);
        let skeleton = clip.skeleton();
        assert_eq!(skeleton.space().metres(), Some(Unit::CMU));
        let (mut local, mut world) = (Pose::default(), Pose::default());
        let mut largest = 0.0f64;
        for row in &rows {
            clip.local_pose(row[2].parse().unwrap(), &mut local);
            local.to_object(skeleton, &mut world);
            let joint = skeleton.find(row[3]).unwrap_or_else(|| panic!("{asf}: no {}", row[3]));
            // A bone ends where its children start; the root is a point.
            let end = if row[3] == "root" { joint } else { skeleton.children(joint)[0] };
            let found = world.joints[end.index()].translation.vector;
            for axis in 0..3 {
                let expected: f64 = row[4 + axis].parse().unwrap();
                largest = largest.max((found[axis] - expected).abs());
            }
        }
        note!("{amc}: off by {largest:e}");
        assert!(largest < 1e-4, "{amc}: off by {largest}");
    }
}

fn rewritten_skeleton_is_the_same(name: &str, bytes: &[u8]) {
    let document = skeleton(bytes);
    assert_eq!(document, skeleton(&document.to_bytes()), "{name}");
}

fn rewritten_motion_is_the_same(name: &str, bytes: &[u8]) {
    let document = motion(bytes);
    let mut again = motion(&document.to_bytes());
    let bits = |document: &amc::Document| -> Vec<u64> {
        document.values.iter().map(|value| value.to_bits()).collect()
    };
    assert_eq!(bits(&document), bits(&again), "{name}");
    // The lines of the new file may be of another length.
    for (bone, new) in document.bones.iter().zip(&mut again.bones) {
        new.place.clone_from(&bone.place);
    }
    assert_eq!(document, again, "{name}");
}

pub(crate) fn writing_an_untouched_document_changes_no_value() {
    for (name, bytes) in mocap_corpus::files("asf") {
        rewritten_skeleton_is_the_same(&name, &bytes);
    }
    for (name, bytes) in mocap_corpus::files("amc") {
        rewritten_motion_is_the_same(&name, &bytes);
    }
}

pub(crate) fn writing_an_untouched_fixture_changes_no_value() {
    let (skeletons, motions) = (fixtures("clips", "asf"), fixtures("clips", "amc"));
    assert_eq!((skeletons.len(), motions.len()), (2, 8));
    for (name, bytes) in skeletons {
        rewritten_skeleton_is_the_same(&name, &bytes);
    }
    for (name, bytes) in motions {
        rewritten_motion_is_the_same(&name, &bytes);
    }
}

pub(crate) fn every_fixture_is_read_as_it_is() {
    // Joints and end sites, then a bone of the spine.
    for (body, joints, spine) in [("alex", 29, "thorax"), ("robin", 40, "spine_01")] {
        let walk = if body == "alex" { (301, 120.0) } else { (151, 60.0) };
        for (motion, expected) in
            [("walk", walk), ("turn", (181, 60.0)), ("jump", (157, 60.0)), ("wave", (97, 30.0))]
        {
            let amc = format!("{body}_{motion}.amc");
            let clip = clip(&mocap_corpus::fixture("clips"), &format!("{body}.asf"), &amc);
            assert_eq!((clip.frames(), clip.rate().fps()), expected, "{amc}");
            assert_eq!(clip.skeleton().len(), joints, "{amc}");
            assert!(clip.skeleton().find(spine).is_some(), "{amc}");
        }
    }
}

pub(crate) fn every_file_of_the_database_is_read_as_it_is() {
    let folder = mocap_corpus::folder();
    let pairs = [
        ("01", "01_01", 2751),
        ("11", "11_01", 597),
        ("backflip", "backflip", 247),
        ("charleston", "charleston1", 506),
        ("charleston", "charleston2", 546),
    ];
    for (asf, amc, frames) in pairs {
        let clip = clip(&folder, &format!("cmu/{asf}.asf"), &format!("cmu/{amc}.amc"));
        note!("{amc}: {} frames", clip.frames());
        assert_eq!(clip.rate().fps(), 120.0);
        // The root and 30 bones, six of which have no child.
        assert_eq!(clip.skeleton().len(), 31 + 7);
        assert!(clip.skeleton().find("thorax").is_some());
        assert_eq!(clip.frames(), frames);
    }
}
