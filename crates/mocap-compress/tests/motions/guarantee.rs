//! The bound holds on the bytes that were written, at fine tolerances and between frames.

use crate::measured::error_of;
use crate::motion;
use mocap_analysis::object_error;
use mocap_compress::{CompressOptions, Compressed, OpenLimits, Profile, compress};
use mocap_corpus::fixture;
use mocap_model::Clip;

/// A fixture and metres in its unit.
const FIXTURES: [(&str, f64); 2] = [("alex_walk.bvh", 0.01), ("robin_jump.bvh", 1.0)];

fn keeps_every_bound(file: &str, clip: &Clip) {
    for profile in Profile::ALL {
        for tolerance in [3e-5, 1e-4, 1e-2, 1e-1] {
            let options = CompressOptions { profile, tolerance, ..CompressOptions::default() };
            let error = error_of(clip, &options);
            assert!(error <= tolerance, "{file} {profile} {tolerance}: {error}");
        }
    }
}

pub(crate) fn real_clips_keep_every_bound() {
    let folder = mocap_corpus::folder();
    let files = [
        ("bandai/dataset-1_walk_normal_001.bvh", 0.0104288),
        ("iclone/007_12.bvh", 0.0085648),
        ("misc/xia_neutral_01.bvh", 0.0569998),
    ];
    for (file, metres) in files {
        keeps_every_bound(file, &motion::bvh(&folder.join(file), metres));
    }
}

pub(crate) fn fixtures_keep_every_bound() {
    for (file, metres) in FIXTURES {
        keeps_every_bound(file, &motion::bvh(&fixture("clips").join(file), metres));
    }
}

fn the_printed_tolerance_works(file: &str, clip: &Clip) {
    let options = CompressOptions { tolerance: 1e-9, ..CompressOptions::default() };
    let refused = compress(clip, &options).unwrap_err().to_string();
    let printed = refused.rsplit_once("works is ").unwrap().1.trim_end_matches(" m");
    let options = CompressOptions { tolerance: printed.parse().unwrap(), ..options };
    for profile in Profile::ALL {
        let error = error_of(clip, &CompressOptions { profile, ..options.clone() });
        assert!(error <= options.tolerance, "{file} {profile} {printed}: {error}");
    }
}

pub(crate) fn the_smallest_tolerance_as_printed_works() {
    let folder = mocap_corpus::folder();
    for (file, metres) in [("iclone/001_14.bvh", 0.01), ("misc/xia_neutral_01.bvh", 0.0569998)] {
        the_printed_tolerance_works(file, &motion::bvh(&folder.join(file), metres));
    }
}

pub(crate) fn the_smallest_tolerance_as_printed_works_on_fixtures() {
    for (file, metres) in FIXTURES {
        the_printed_tolerance_works(file, &motion::bvh(&fixture("clips").join(file), metres));
    }
}

fn a_fine_bound_holds_between_frames(clip: &Clip) {
    let options = CompressOptions { tolerance: 1e-5, guard_between: true, ..CompressOptions::default() };
    let done = compress(clip, &options).unwrap();
    let decoded = Compressed::open(done.bytes, &OpenLimits::default()).unwrap().to_clip();
    let measured = object_error(clip, &decoded, options.shell).unwrap();
    assert!(measured.max <= 1e-5 && measured.between_frames_max <= 1e-5, "{measured:?}");
}

pub(crate) fn fine_bounds_hold_between_frames_too() {
    a_fine_bound_holds_between_frames(&motion::bvh(&mocap_corpus::folder().join("iclone/001_14.bvh"), 0.01));
}

pub(crate) fn fine_bounds_hold_between_frames_of_fixtures_too() {
    for (file, metres) in FIXTURES {
        a_fine_bound_holds_between_frames(&motion::bvh(&fixture("clips").join(file), metres));
    }
}
