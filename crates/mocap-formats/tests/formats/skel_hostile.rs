//! Hostile `.skel` files and JSON clips: for any bytes, reading ends, and accepted files survive a round trip.

use crate::mutation::mutated;
use mocap_formats::{Limits, json, skel};
use mocap_model::{Clip, FrameRate, JointTracks, Track, Vector3, exp};
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;

const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u0000",
    "null",
    "true",
    "[[[[",
    "\"name\"",
    "\"parent\"",
    "\"offset\"",
    "\"hip\"",
    "\"joints\"",
    "\"chains\"",
    "\"end_site\": true,",
    "\"rotation\"",
    "\"XYZ\"",
    "[1, 0, 0, 0]",
    "\n",
    "\0",
    "é",
    "1e999",
    "-0",
];

fn clean() -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/skel/clean.skel")).unwrap()
}

fn clip() -> Vec<u8> {
    let skeleton = skel::parse(&clean(), &Limits::default()).unwrap().value;
    let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    tracks[0].translation = Some(Track::Sampled(vec![Vector3::x(), Vector3::y(), Vector3::z()]));
    tracks[2].rotation = Track::Sampled((0..3).map(|i| exp(&Vector3::new(f64::from(i), 0.5, 0.0))).collect());
    tracks[3].rotation = Track::Constant(exp(&Vector3::z()));
    json::to_bytes(&Clip::new(Arc::new(skeleton), FrameRate::new(30.0).unwrap(), 3, tracks).unwrap())
}

fn survive(bytes: &[u8]) {
    if let Ok(parsed) = skel::parse(bytes, &Limits::default()) {
        let again = skel::parse(&skel::to_bytes(&parsed.value), &Limits::default()).unwrap();
        assert_eq!(again.value.len(), parsed.value.len());
        assert_eq!(again.warnings, []);
    }
    if let Ok(parsed) = json::parse(bytes, &Limits::default()) {
        let again = json::parse(&json::to_bytes(&parsed.value), &Limits::default()).unwrap();
        assert_eq!(again.value.frames(), parsed.value.frames());
        assert_eq!(again.warnings, []);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn mutated_files_are_read_or_refused(
        mutations in prop::collection::vec(crate::mutation::mutation(WORDS), 1..5),
    ) {
        survive(&mutated(&clean(), &mutations));
        survive(&mutated(&clip(), &mutations));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survive(&bytes);
        survive(&[b"{\"format\": \"mocap-skel\", \"version\": 1, \"joints\": ", &bytes[..]].concat());
    }
}
