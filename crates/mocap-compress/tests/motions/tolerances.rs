//! A take of every motion of the corpus, at tolerances from a hundredth of a millimetre to ten
//! centimetres: the written bytes are decoded, and the error is measured in double precision,
//! independently of the encoder. `guarantee.rs` and the tests of the command line
//! (`cli/tests/motions`) test other tolerances and clips of any length.

use crate::motion::files::files;
use mocap_analysis::object_error;
use mocap_compress::{CompressError, CompressOptions, Compressed, OpenLimits, Profile, compress};
use mocap_model::Clip;
use std::path::Path;

/// Tolerances \[m\].
const TOLERANCES: [f64; 3] = [1e-5, 1e-3, 1e-1];
/// Frames of each clip.
const MOST_FRAMES: usize = 500;

/// Checks that compression keeps the tolerance, or that its error names the smallest one that it
/// keeps.
fn keeps(name: &str, clip: &Clip, profile: Profile, mut tolerance: f64) {
    let mut options = CompressOptions { profile, tolerance, ..CompressOptions::default() };
    let done = match compress(clip, &options) {
        Err(CompressError::TooFine { smallest, .. }) => {
            assert!(smallest > tolerance, "{name} {profile} {tolerance}: refused though {smallest} works");
            tolerance = smallest * 1.000_001;
            options.tolerance = tolerance;
            compress(clip, &options)
        }
        done => done,
    };
    let done = done.unwrap_or_else(|error| panic!("{name} {profile} {tolerance}: {error}"));
    let decoded =
        Compressed::open(done.bytes, &OpenLimits::default()).expect("what was written is read").to_clip();
    let error = object_error(clip, &decoded, options.shell).expect("the same skeleton").max;
    assert!(error <= tolerance, "{name} {profile} {tolerance}: {error}");
}

/// The name of a file without the number of its take (`walk_003.bvh`): takes of one motion compress alike.
fn motion(name: &str) -> &str {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    match stem.rsplit_once('_') {
        Some((motion, take)) if take.len() == 3 && take.bytes().all(|digit| digit.is_ascii_digit()) => motion,
        _ => name,
    }
}

fn all(folder: &Path, profile: Profile) {
    let mut files = files(folder);
    files.dedup_by(|one, other| motion(&one.name) == motion(&other.name));
    for file in files {
        let clip = file.clip();
        let clip = clip.trimmed(0..clip.frames().min(MOST_FRAMES)).expect("frames");
        for tolerance in TOLERANCES {
            keeps(&file.name, &clip, profile, tolerance);
        }
    }
}

pub(crate) fn runtime_keeps_every_bound() {
    all(&mocap_corpus::folder(), Profile::Runtime);
}

pub(crate) fn archive_keeps_every_bound() {
    all(&mocap_corpus::folder(), Profile::Archive);
}

pub(crate) fn keys_keep_every_bound() {
    all(&mocap_corpus::folder(), Profile::Keys);
}

pub(crate) fn runtime_keeps_every_bound_on_fixtures() {
    all(&mocap_corpus::fixture("clips"), Profile::Runtime);
}

pub(crate) fn archive_keeps_every_bound_on_fixtures() {
    all(&mocap_corpus::fixture("clips"), Profile::Archive);
}

pub(crate) fn keys_keep_every_bound_on_fixtures() {
    all(&mocap_corpus::fixture("clips"), Profile::Keys);
}
