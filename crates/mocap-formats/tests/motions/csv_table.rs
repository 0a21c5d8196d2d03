//! Tables of world positions.

use mocap_formats::{Limits, amc, asf, csv};

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
