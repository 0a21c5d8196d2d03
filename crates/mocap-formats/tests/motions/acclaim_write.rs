//! Clips as ASF and AMC: read back, every joint is where it was.

use crate::pair::{greatest_distance, read_back};
use mocap_corpus::note;
use mocap_formats::{Limits, amc, asf, bvh};
use mocap_model::*;

pub(crate) fn files_of_the_database_come_back_with_their_bones_and_channels() {
    let folder = mocap_corpus::folder();
    for (asf, amc) in [("01", "01_01"), ("11", "11_01"), ("backflip", "backflip")] {
        let read = |name: String| std::fs::read(folder.join("cmu").join(name)).unwrap();
        let skeleton = asf::parse(&read(format!("{asf}.asf")), &Limits::default()).unwrap().value;
        let motion = amc::parse(&read(format!("{amc}.amc")), &Limits::default()).unwrap().value;
        let clip = amc::to_clip(&skeleton, &motion, &amc::ClipOptions::default()).unwrap().value;
        let written = amc::from_clip(&clip).unwrap();
        assert_eq!(written.warnings, []);
        let pair = written.value;
        let parts = |document: &asf::Document| -> Vec<_> {
            let mut parts: Vec<_> =
                document.bones.iter().map(|bone| (bone.name.clone(), bone.dofs.clone())).collect();
            parts.sort_by(|a, b| a.0.cmp(&b.0));
            parts
        };
        assert_eq!(parts(&pair.skeleton), parts(&skeleton));
        let distance = greatest_distance(&clip, &read_back(&pair)) * Unit::CMU;
        note!("{amc}: {distance:e} m");
        assert!(distance < 1e-9, "{amc}: off by {distance} m");
        // The numbers are those of the first file again, but for whole turns.
        let before = &motion.values[..6];
        let after = &pair.motion.values[..6];
        assert!(before.iter().zip(after).all(|(a, b)| (a - b).abs() < 1e-6), "{before:?} {after:?}");
    }
}

pub(crate) fn rigs_of_bvh_files_come_back() {
    for (name, bytes) in mocap_corpus::files("bvh") {
        let document = bvh::parse(&bytes, &Limits::default()).unwrap().value;
        let clip = bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value;
        let clip = clip.trimmed(0..clip.frames().min(300)).unwrap();
        let pair = amc::from_clip(&clip).unwrap().value;
        let distance = greatest_distance(&clip, &read_back(&pair));
        note!("{name}: {} joints, off by {distance:e}", clip.skeleton().len());
        assert!(distance < 1e-6, "{name}: off by {distance}");
    }
}

/// The usual conversion of this database lost the thorax, and all above it was off by its length.
pub(crate) fn every_bone_of_the_database_goes_into_bvh() {
    let folder = mocap_corpus::folder();
    let pairs = [
        ("01", "01_01"),
        ("11", "11_01"),
        ("backflip", "backflip"),
        ("charleston", "charleston1"),
        ("charleston", "charleston2"),
    ];
    for (asf, amc) in pairs {
        let read = |name: String| std::fs::read(folder.join("cmu").join(name)).unwrap();
        let skeleton = asf::parse(&read(format!("{asf}.asf")), &Limits::default()).unwrap().value;
        let motion = amc::parse(&read(format!("{amc}.amc")), &Limits::default()).unwrap().value;
        let clip = amc::to_clip(&skeleton, &motion, &amc::ClipOptions::default()).unwrap().value;
        let text = bvh::from_clip(&clip, &bvh::WriteOptions::default()).to_bytes();
        let document = bvh::parse(&text, &Limits::default()).unwrap().value;
        let back = bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value;
        assert_eq!(back.skeleton().len(), clip.skeleton().len());
        assert!(back.skeleton().find("thorax").is_some());
        let distance = greatest_distance(&clip, &back) * Unit::CMU;
        note!("{amc}: {distance:e} m");
        assert!(distance < 1e-6, "{amc}: off by {distance} m");
    }
}
