//! Real BVH files: positions against an independent reference, and values through a round trip.
#![allow(clippy::print_stdout, reason = "a skipped test says so")]

mod corpus;

use mocap_formats::{Limits, bvh};
use mocap_model::Pose;
use std::collections::BTreeMap;

fn parse(bytes: &[u8]) -> bvh::Document {
    bvh::parse(bytes, &Limits::default()).unwrap().value
}

#[test]
fn writing_an_untouched_document_changes_no_value() {
    let Some(folder) = corpus::folder() else { return };
    for (name, bytes) in corpus::files(&folder, "bvh") {
        let document = parse(&bytes);
        let again = parse(&document.to_bytes());
        assert_eq!(document, again, "{name}");
        let bits = |document: &bvh::Document| -> Vec<u64> {
            document.motion().unwrap().values.iter().map(|value| value.to_bits()).collect()
        };
        assert_eq!(bits(&document), bits(&again), "{name}");
    }
}

#[test]
fn world_positions_are_those_of_the_reference() {
    let Some(folder) = corpus::folder() else { return };
    let golden = folder.join("../golden/bvh_world_positions.csv");
    let Ok(golden) = std::fs::read_to_string(&golden) else {
        println!("skipped: no reference at {}", golden.display());
        return;
    };
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
