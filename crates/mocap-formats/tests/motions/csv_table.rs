//! Tables of world positions.

use mocap_formats::{Limits, amc, asf, bvh, csv};
use std::collections::BTreeMap;

pub(crate) fn tables_of_real_clips_hold_the_reference_positions() {
    let folder = mocap_corpus::folder();
    let golden = mocap_corpus::reference("amc_bone_tips.csv");
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let skeleton = asf::parse(&read("cmu/01.asf"), &Limits::default()).unwrap().value;
    let motion = amc::parse(&read("cmu/01_01.amc"), &Limits::default()).unwrap().value;
    let clip = amc::to_clip(&skeleton, &motion, &amc::ClipOptions::default()).unwrap().value;
    let mut table = Vec::new();
    csv::write(&clip, &mut table).unwrap();
    let table = String::from_utf8(table).unwrap();
    assert_eq!(table.lines().count(), 1 + clip.frames() * clip.skeleton().len());
    // A leaf's end is in the table under the bone's own name.
    let mut checked = 0;
    for line in golden.lines().filter(|line| line.contains("cmu/01_01.amc,0,head,")) {
        let fields: Vec<&str> = line.split(',').collect();
        let row = table.lines().find(|row| row.starts_with("0,0,head_End,")).unwrap();
        for (found, expected) in row.split(',').skip(3).zip(&fields[4..7]) {
            let (found, expected): (f64, f64) = (found.parse().unwrap(), expected.parse().unwrap());
            assert!((found - expected).abs() < 1e-4, "{row} {line}");
            checked += 1;
        }
    }
    assert_eq!(checked, 3);
}

pub(crate) fn tables_of_fixtures_hold_the_positions_they_were_made_with() {
    for (name, bytes) in mocap_corpus::fixtures("clips", "bvh") {
        let metres = if name.starts_with("alex") { 0.01 } else { 1.0 };
        let document = bvh::parse(&bytes, &Limits::default()).unwrap().value;
        let clip = bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value;
        let mut table = Vec::new();
        csv::write(&clip, &mut table).unwrap();
        let table = String::from_utf8(table).unwrap();
        assert_eq!(table.lines().count(), 1 + clip.frames() * clip.skeleton().len(), "{name}");
        let rows: BTreeMap<(&str, &str), Vec<&str>> = table
            .lines()
            .skip(1)
            .map(|line| line.split(',').collect::<Vec<_>>())
            .map(|fields| ((fields[0], fields[2]), fields[3..].to_vec()))
            .collect();
        let made = mocap_corpus::fixture("clips").join(name.replace(".bvh", ".positions.csv"));
        let made = std::fs::read_to_string(made).unwrap();
        let mut checked = 0;
        // frame,joint,bone,x,y,z
        for line in made.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let found = &rows[&(fields[0], fields[1])];
            for (found, expected) in found.iter().zip(&fields[3..]) {
                let (found, expected): (f64, f64) = (found.parse().unwrap(), expected.parse().unwrap());
                // Positions are printed to a micrometre.
                assert!((found * metres - expected).abs() < 2e-6, "{name}: {line}, found {found}");
                checked += 1;
            }
        }
        assert!(checked > 200, "{name}: {checked}");
    }
}
