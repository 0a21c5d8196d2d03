//! Sizes of pictures, and that every motion can be drawn: tested on the fixtures, and on captured
//! motion files if there are any.

#[path = "../support/mod.rs"]
mod support;

use mocap_analysis::{ContactOptions, quality};
use mocap_corpus::note;
use mocap_model::Clip;
use mocap_report::sheet::{SheetInput, SheetOptions, png, svg};
use mocap_report::view::{ViewInput, ViewOptions, html};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::{fixture, read};

fn page(clip: &Clip) -> Vec<u8> {
    html(&[ViewInput::new("clip", clip)], &ViewOptions::default())
}

fn sheet(clip: &Clip) -> String {
    svg(&[SheetInput::new("clip", clip)], &SheetOptions::default())
}

fn files() -> (PathBuf, Vec<PathBuf>) {
    let folder = mocap_corpus::folder();
    let mut files = Vec::new();
    for group in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
        if group.is_dir() {
            files.extend(std::fs::read_dir(group).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "bvh"));
    files.sort();
    (folder, files)
}

/// Bytes of a sheet: 24 poses with shaded bodies of about 7 kB each.
const SHEET: usize = 180_000;

fn pages_and_sheets_are_small() {
    let folder = mocap_corpus::folder();
    // 2.4 MB of text, 1,901 frames; the page holds a renderer of bodies and readers of BVH, GLB and .mocz.
    let dance = read(&folder.join("bandai/dataset-1_dance-short_normal_001.bvh"));
    let (page_bytes, sheet_bytes) = (page(&dance).len(), sheet(&dance).len());
    note!("dance: page {page_bytes}, sheet {sheet_bytes} bytes");
    assert!(page_bytes <= 275_000 && sheet_bytes <= SHEET);
    // A hundred joints, extended to 1,400 frames by playing frames backwards.
    let long = drawn_out(&read(&folder.join("iclone/001_14.bvh")), 1400);
    let bytes = page(&long).len();
    note!("100 joints, 1,400 frames: page {bytes} bytes");
    // Of them about 90,000 are the script: renderer, and readers of BVH, GLB and .mocz.
    assert!(bytes <= 465_000);
}

/// The clip extended to a number of frames: played backwards, then forwards again, and so on.
fn drawn_out(short: &Clip, frames: usize) -> Clip {
    let last = short.frames() - 1;
    let frame = |i: usize| if (i / last).is_multiple_of(2) { i % last } else { last - i % last };
    let tracks = short.tracks().iter().map(|tracks| {
        let mut longer = tracks.clone();
        longer.rotation =
            mocap_model::Track::Sampled((0..frames).map(|i| tracks.rotation.at(frame(i))).collect());
        longer.translation = tracks
            .translation
            .as_ref()
            .map(|places| mocap_model::Track::Sampled((0..frames).map(|i| places.at(frame(i))).collect()));
        longer
    });
    Clip::new(short.skeleton().clone(), short.rate(), frames, tracks.collect()).unwrap()
}

fn pages_and_sheets_of_fixtures_are_small() {
    // As long as a captured dance.
    let walk = drawn_out(&fixture("alex_walk.bvh"), 1901);
    let (page_bytes, sheet_bytes) = (page(&walk).len(), sheet(&walk).len());
    note!("walk: page {page_bytes}, sheet {sheet_bytes} bytes");
    assert!(page_bytes <= 275_000 && sheet_bytes <= SHEET);
}

fn every_motion_can_be_drawn() {
    let (_, files) = files();
    assert!(!files.is_empty());
    files.iter().for_each(|file| can_be_drawn(file));
}

fn every_fixture_can_be_drawn() {
    let files = mocap_corpus::fixtures("clips", "bvh");
    assert_eq!(files.len(), 8);
    files.iter().for_each(|(name, _)| can_be_drawn(&mocap_corpus::fixture("clips").join(name)));
}

fn can_be_drawn(file: &Path) {
    let clip = read(file);
    assert!(page(&clip).len() > 20_000, "{}", file.display());
    assert!(sheet(&clip).contains("<path"), "{}", file.display());
    let options = SheetOptions { poses: 4, scale: 1.0, ..SheetOptions::default() };
    assert!(png(&[SheetInput::new("clip", &clip)], &options).len() > 2_000, "{}", file.display());
}

fn the_t_pose_before_a_cmu_motion_is_suspicious() {
    let folder = mocap_corpus::folder();
    // "cmu/12_01_walk.bvh" is not tested: its arms move from the T-pose no faster than in a
    // somersault. The reader warns of it.
    for file in ["cmu/01_01.bvh", "iclone/007_12.bvh"] {
        let artifacts = quality(&read(&folder.join(file)), &ContactOptions::default()).artifacts;
        assert!(artifacts.iter().any(|suspect| suspect.frames == (1..2)), "{file}: {artifacts:?}");
    }
    let clean = quality(&read(&folder.join("misc/games105_walk60.bvh")), &ContactOptions::default());
    assert_eq!(clean.artifacts, []);
}

fn the_t_pose_before_a_fixture_is_suspicious() {
    for name in ["alex_walk.bvh", "robin_walk.bvh"] {
        let clip = fixture(name);
        assert_eq!(quality(&clip, &ContactOptions::default()).artifacts, [], "{name}");
        // The rest pose at the origin, then the motion a stride away from it.
        let far = mocap_model::Vector3::new(0.0, 0.0, 2.5 / mocap_analysis::metres_per_unit(clip.skeleton()));
        let tracks = clip.skeleton().joints().iter().zip(clip.tracks()).map(|(joint, tracks)| {
            let frames = clip.frames();
            let turns = (0..frames).map(|i| tracks.rotation.at(i));
            let rotation = std::iter::once(joint.rest_rotation).chain(turns).collect();
            let translation = tracks.translation.as_ref().map(|places| {
                let start = mocap_model::Vector3::new(0.0, places.at(0).y, 0.0);
                let moved = (0..frames).map(|i| places.at(i) + far);
                mocap_model::Track::Sampled(std::iter::once(start).chain(moved).collect())
            });
            mocap_model::JointTracks::new(mocap_model::Track::Sampled(rotation), translation)
        });
        let tracks = tracks.collect();
        let first = Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames() + 1, tracks).unwrap();
        let artifacts = quality(&first, &ContactOptions::default()).artifacts;
        assert!(artifacts.iter().any(|suspect| suspect.frames == (1..2)), "{name}: {artifacts:?}");
    }
}

fn fixtures_have_the_quality_they_were_made_with() {
    for (name, contacts) in
        [("alex_walk", [3, 2]), ("robin_walk", [3, 2]), ("alex_jump", [2, 2]), ("robin_wave", [1, 1])]
    {
        let quality = quality(&fixture(&format!("{name}.bvh")), &ContactOptions::default());
        let floor = quality.floor.unwrap();
        assert!((0.019..0.023).contains(&floor), "{name}: the balls of the feet are at {floor}");
        assert_eq!(quality.artifacts, [], "{name}");
        for (foot, contacts) in quality.feet.iter().zip(contacts) {
            // A foot that rolls may let go for a moment.
            assert!((contacts..=contacts + 1).contains(&foot.contacts), "{name} {:?}", foot.side);
            assert!(
                foot.measure.skate.unwrap() < 2e-3 && foot.measure.penetration_max.unwrap() < 1e-6,
                "{name}: {foot:?}"
            );
        }
    }
}

fn two_motions_of_one_clip_share_a_sheet() {
    let clips = ["alex_walk.bvh", "robin_walk.bvh"].map(fixture);
    let inputs = [SheetInput::new("a", &clips[0]), SheetInput::new("b", &clips[1])];
    let sheet = svg(&inputs, &SheetOptions::default());
    assert!(sheet.contains("301 frames") && sheet.contains("151 frames"));
    // A skeleton of unknown unit is drawn too.
    let unknown = Arc::new(clips[1].skeleton().scaled(4.0).unwrap());
    let unknown = clips[1].scaled(4.0).unwrap().with_skeleton(unknown).unwrap();
    let inputs = [inputs[0], SheetInput::new("c", &unknown)];
    assert!(svg(&inputs, &SheetOptions::default()).contains("units tall"));
}

mocap_corpus::tests! {
    pages_and_sheets_are_small,
    pages_and_sheets_of_fixtures_are_small,
    every_motion_can_be_drawn,
    every_fixture_can_be_drawn,
    the_t_pose_before_a_cmu_motion_is_suspicious,
    the_t_pose_before_a_fixture_is_suspicious,
    fixtures_have_the_quality_they_were_made_with,
    two_motions_of_one_clip_share_a_sheet,
}
