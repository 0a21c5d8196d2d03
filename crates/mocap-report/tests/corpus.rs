//! Sizes on real motions, and that every one of them can be drawn.

#![allow(clippy::print_stdout, reason = "a test says what it measured, and what it skipped")]

mod support;

use mocap_analysis::{ContactOptions, quality};
use mocap_model::Clip;
use mocap_report::sheet::{SheetInput, SheetOptions, png, svg};
use mocap_report::view::{ViewInput, ViewOptions, html};
use std::path::PathBuf;
use std::sync::Arc;
use support::{corpus, fixture, read};

fn page(clip: &Clip) -> Vec<u8> {
    html(&[ViewInput { name: "clip", clip }], &ViewOptions::default())
}

fn sheet(clip: &Clip) -> String {
    svg(&[SheetInput { name: "clip", clip }], &SheetOptions::default())
}

fn files() -> Option<(PathBuf, Vec<PathBuf>)> {
    let Some(folder) = corpus() else {
        println!("skipped: there is no folder of real motions (MOCAP_CORPUS)");
        return None;
    };
    let mut files = Vec::new();
    for group in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
        if group.is_dir() {
            files.extend(std::fs::read_dir(group).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "bvh"));
    files.sort();
    Some((folder, files))
}

#[test]
fn pages_and_sheets_are_small() {
    let Some((folder, _)) = files() else { return };
    // 2.4 MB of text, 1,901 frames.
    let dance = read(&folder.join("bandai/dataset-1_dance-short_normal_001.bvh"));
    let (page_bytes, sheet_bytes) = (page(&dance).len(), sheet(&dance).len());
    println!("dance: page {page_bytes}, sheet {sheet_bytes} bytes");
    assert!(page_bytes <= 200_000 && sheet_bytes <= 20_000);
    // A hundred joints, drawn out to 1,400 frames by going back over the last ones.
    let short = read(&folder.join("iclone/001_14.bvh"));
    let last = short.frames() - 1;
    let frame = |i: usize| if i <= last { i } else { 2 * last - i };
    let tracks = short.tracks().iter().map(|tracks| {
        let mut longer = tracks.clone();
        longer.rotation =
            mocap_model::Track::Sampled((0..1400).map(|i| tracks.rotation.at(frame(i))).collect());
        longer.translation = tracks
            .translation
            .as_ref()
            .map(|places| mocap_model::Track::Sampled((0..1400).map(|i| places.at(frame(i))).collect()));
        longer
    });
    let long = Clip::new(short.skeleton().clone(), short.rate(), 1400, tracks.collect()).unwrap();
    let bytes = page(&long).len();
    println!("100 joints, 1,400 frames: page {bytes} bytes");
    assert!(bytes <= 420_000);
}

#[test]
fn every_motion_can_be_drawn() {
    let Some((_, files)) = files() else { return };
    assert!(!files.is_empty());
    for file in files {
        let clip = read(&file);
        assert!(page(&clip).len() > 20_000, "{}", file.display());
        assert!(sheet(&clip).contains("<path"), "{}", file.display());
        let options = SheetOptions { poses: 4, scale: 1.0, ..SheetOptions::default() };
        assert!(
            png(&[SheetInput { name: "clip", clip: &clip }], &options).len() > 2_000,
            "{}",
            file.display()
        );
    }
}

#[test]
fn the_t_pose_before_a_cmu_motion_is_an_artifact() {
    let Some((folder, _)) = files() else { return };
    for file in ["cmu/01_01.bvh", "cmu/12_01_walk.bvh", "iclone/007_12.bvh"] {
        let artifacts = quality(&read(&folder.join(file)), &ContactOptions::default()).artifacts;
        assert!(artifacts.iter().any(|artifact| artifact.frames == (1..2)), "{file}: {artifacts:?}");
    }
    let clean = quality(&read(&folder.join("misc/games105_walk60.bvh")), &ContactOptions::default());
    assert_eq!(clean.artifacts, []);
}

#[test]
fn fixtures_have_the_quality_they_were_made_with() {
    for (name, contacts) in
        [("alex_walk", [3, 2]), ("robin_walk", [3, 2]), ("alex_jump", [2, 2]), ("robin_wave", [1, 1])]
    {
        let quality = quality(&fixture(&format!("{name}.bvh")), &ContactOptions::default());
        let floor = quality.floor.unwrap();
        assert!((0.019..0.023).contains(&floor), "{name}: the balls of the feet are at {floor}");
        assert_eq!(quality.artifacts, [], "{name}");
        for (foot, contacts) in quality.feet.iter().zip(contacts) {
            assert_eq!(foot.contacts, contacts, "{name} {:?}", foot.side);
            assert!(foot.measure.skate < 1e-3 && foot.measure.penetration_max < 1e-6, "{name}: {foot:?}");
        }
    }
}

#[test]
fn two_motions_of_one_clip_share_a_sheet() {
    let clips = ["alex_walk.bvh", "robin_walk.bvh"].map(fixture);
    let inputs = [SheetInput { name: "a", clip: &clips[0] }, SheetInput { name: "b", clip: &clips[1] }];
    let sheet = svg(&inputs, &SheetOptions::default());
    assert!(sheet.contains("301 frames") && sheet.contains("151 frames"));
    // A skeleton whose unit nobody knows is drawn too.
    let unknown = Arc::new(clips[1].skeleton().scaled(4.0).unwrap());
    let unknown = clips[1].scaled(4.0).unwrap().with_skeleton(unknown).unwrap();
    let inputs = [inputs[0], SheetInput { name: "c", clip: &unknown }];
    assert!(svg(&inputs, &SheetOptions::default()).contains("units tall"));
}
