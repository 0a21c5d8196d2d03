//! Hostile FBX files: mutations of good ones, wrong sizes, cycles, values that are not finite.
//!
//! Reading runs C code: for any bytes, it ends with a document or an error, in bounded time and memory; documents
//! convert to clips, and written files can be read again. `PROPTEST_CASES=100000` runs more cases.
#![cfg(feature = "fbx")]

use crate::mutation::{mutated, mutation};
use crate::text_fbx::{File, vector};
use mocap_formats::fbx::{Problem, from_clips, parse, to_clip};
use mocap_formats::{Document, Finding, LimitExceeded, Limits, ReadError, ReadOptions, WriteOptions};
use mocap_model::*;
use proptest::prelude::*;
use std::sync::{Arc, LazyLock};

/// A walk of three joints over ten frames: so short that no array is packed.
static SHORT: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let joint = |name: &str, parent: Option<u32>| Joint::new(name, parent.map(JointId), Vector3::y());
    let joints = vec![joint("hips", None), joint("chest", Some(0)), joint("head", Some(1))];
    let unit = Some(Unit { metres: 0.01, source: UnitSource::File });
    let skeleton = Skeleton::new("", Space { unit, ..Space::default() }, joints).unwrap();
    let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    let turn = |frame: i32| exp(&Vector3::new(0.0, 0.1 * f64::from(frame), 0.05));
    tracks[1].rotation = Track::Sampled((0..10).map(turn).collect());
    let clip = Clip::new(Arc::new(skeleton), FrameRate::new(30.0).unwrap(), 10, tracks).unwrap();
    let clips = [clip.clone().with_name("walk"), clip.trimmed(2..9).unwrap().with_name("run")];
    from_clips(&clips, &WriteOptions::default()).unwrap().main.into_bytes()
});

/// A file as text.
static TEXT: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut file = File::default();
    let hips = file.bone("hips", 0, &[vector("Lcl Translation", [0.0, 90.0, 0.0])]);
    let chest = file.bone("chest", hips, &[vector("Lcl Translation", [0.0, 30.0, 0.0])]);
    let layer = file.stack("walk", 0.0, 1.0);
    file.curve(layer, chest, "Lcl Rotation", "X", &[(0.0, 0.0), (1.0, 30.0)]);
    file.curve(layer, hips, "Lcl Scaling", "X", &[(0.0, 1.0), (1.0, 2.0)]);
    file.bytes()
});

/// Runs all operations on a file.
fn survive(bytes: &[u8]) -> Result<(), Finding> {
    let limits = Limits { frames: 20_000, ..Limits::default() };
    let document = parse(bytes, &limits)?.value;
    let options = ReadOptions { repair: true, limits, ..ReadOptions::default() };
    document.to_skeleton(&options)?;
    document.stated(&options);
    for stack in 0..document.stacks().len().min(8) {
        let clip = to_clip(&document, stack, &options)?.value;
        // Numbers near the end of what 64 bits hold are not written in 32.
        if let Ok(written) = from_clips(std::slice::from_ref(&clip), &WriteOptions::default()) {
            let written = written.main.into_bytes();
            let again = parse(&written, &Limits::default()).unwrap_or_else(|error| panic!("{error}")).value;
            assert_eq!(again.to_skeleton(&options).unwrap().value.len(), clip.skeleton().len());
        }
    }
    Ok(())
}

const WORDS: &[&str] = &[
    "\0",
    "\u{1}",
    "{",
    "}",
    "P: ",
    ",",
    "*9999999999",
    "Objects",
    "Model",
    "KeyTime",
    "C: \"OO\",1001,1001\n",
    "nan",
    "\u{1}Model",
    "Lcl Rotation",
    "d|X",
    "InheritType",
    "-1",
    "a: ",
    "\"",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_binary_files_are_read_or_refused(changes in prop::collection::vec(mutation(WORDS), 1..4)) {
        let _ = survive(&mutated(&SHORT, &changes));
    }

    #[test]
    fn mutated_text_files_are_read_or_refused(changes in prop::collection::vec(mutation(WORDS), 1..4)) {
        let _ = survive(&mutated(&TEXT, &changes));
    }
}

fn refused(bytes: &[u8]) -> ReadError {
    parse(bytes, &Limits::default()).map(|_| ()).expect_err("the file is wrong")
}

/// The offset of the first byte after a word in the short file.
fn behind(word: &str) -> usize {
    SHORT.windows(word.len()).position(|found| found == word.as_bytes()).unwrap() + word.len()
}

#[test]
fn a_file_that_is_cut_off_is_refused_with_the_path_of_its_last_record() {
    let end = behind("Takes");
    for length in (30..end).step_by(37) {
        let error = refused(&SHORT[..length]);
        assert!(matches!(error.code(), "fbx::truncated" | "fbx::record"), "{length}: {error}");
    }
    let middle = behind("KeyAttrFlags");
    let text = refused(&SHORT[..middle]).to_string();
    assert_eq!(text.split(": ").next().unwrap(), "Objects", "{text}");
}

#[test]
fn absurd_counts_are_refused_with_their_path() {
    let mut bytes = SHORT.clone();
    let count = behind("KeyTime") + 1;
    bytes[count..count + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    let error = refused(&bytes);
    assert_eq!(error.code(), "fbx::array-length");
    assert!(error.to_string().starts_with("Objects/AnimationCurve/KeyTime: 4294967295 values"), "{error}");
    let second = SHORT[count..].windows(7).position(|found| found == b"KeyTime").unwrap() + count + 8;
    let mut bytes = SHORT.clone();
    bytes[second..second + 4].copy_from_slice(&1_000_000u32.to_le_bytes());
    let error = refused(&bytes);
    assert!(error.to_string().starts_with("Objects/AnimationCurve[1]/KeyTime: 1000000"), "{error}");
}

#[test]
fn nodes_in_a_circle_are_refused() {
    let mut file = File::default();
    let a = file.bone("a", 1002, &[]);
    assert_eq!(a, 1001);
    file.bone("b", a, &[]);
    let error = refused(&file.bytes());
    assert!(matches!(error.code(), "fbx::cycle" | "fbx::no-joints"), "{error}");
}

#[test]
fn deep_trees_are_read_or_refused_by_the_limit() {
    let mut file = File::default();
    let mut above = 0;
    for i in 0..3000 {
        above = file.bone(&format!("b{i}"), above, &[vector("Lcl Translation", [0.0, 1.0, 0.0])]);
    }
    file.stack("walk", 0.0, 0.1);
    let bytes = file.bytes();
    survive(&bytes).unwrap();
    let limits = Limits { depth: 100, ..Limits::default() };
    let error = parse(&bytes, &limits).unwrap_err();
    let exceeded = error.error.problem_as::<LimitExceeded>();
    assert_eq!(exceeded.map(|exceeded| exceeded.limit), Some(100), "{error}");
    let limits = Limits { joints: 500, ..Limits::default() };
    assert_eq!(parse(&bytes, &limits).unwrap_err().code(), "limit");
}

#[test]
fn values_that_are_not_finite_are_an_error_with_their_path_or_are_interpolated() {
    let mut bytes = SHORT.clone();
    // Kind, count, encoding and length stand before the values; the fourth is spoilt.
    let value = behind("KeyValueFloat") + 13 + 4 * 4;
    bytes[value..value + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    let document = parse(&bytes, &Limits::default()).unwrap().value;
    let options = ReadOptions::default();
    let error = to_clip(&document, 0, &options).unwrap_err();
    let Some(Problem::NotFinite { path }) = error.error.problem_as() else { panic!("{error}") };
    assert!(path.starts_with("AnimationStack[walk]/Model[chest]/Lcl Rotation.X/KeyValueFloat[4]"), "{path}");
    assert_eq!(error.error.context.joint.as_deref(), Some("chest"));
    let mended = to_clip(&document, 0, &ReadOptions { repair: true, ..options }).unwrap();
    assert_eq!(mended.warnings[0].code(), "fbx::interpolated");
    assert_eq!(mended.value.frames(), 10);
}

#[test]
fn a_stack_that_never_ends_is_refused() {
    let mut file = File::default();
    let hips = file.bone("hips", 0, &[]);
    let layer = file.stack("walk", 0.0, 1e8);
    file.curve(layer, hips, "Lcl Rotation", "X", &[(0.0, 0.0), (1.0, 30.0)]);
    let document = parse(&file.bytes(), &Limits::default()).unwrap().value;
    let error = document.to_clip(&ReadOptions::default()).unwrap_err();
    assert!(error.error.problem_as::<LimitExceeded>().is_some(), "{error}");
}

#[test]
fn what_is_no_fbx_is_refused() {
    assert_eq!(refused(b" \n").code(), "text::empty");
    assert_eq!(refused(b"Kaydara FBX Binary  \0\x1a\0").code(), "fbx::truncated");
    // The library would take this for another of its formats.
    assert_eq!(refused(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").code(), "fbx::unreadable");
}
