//! Files of every released version decode to the same bits in all later releases, and the fixtures take as many bytes
//! as they did. `UPDATE_PINS=1 cargo test -p mocap-compress --test pins` writes both anew, before a release.

mod motion;

use mocap_compress::{CompressOptions, Compressed, OpenLimits, Profile, compress};
use mocap_model::Clip;
use motion::Character;
use motion::files::files;
use std::fmt::Write;

/// By profile: its name, the fingerprint of all poses, and the bytes in hexadecimal digits.
const VERSION_2: &str = include_str!("pins/version_2.txt");
/// By clip, profile and tolerance \[m\]: bytes.
const SIZES: &str = include_str!("pins/sizes.txt");

fn update(file: &str, wanted: &str, found: &str) {
    if std::env::var_os("UPDATE_PINS").is_some() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pins");
        std::fs::write(format!("{folder}/{file}"), found).unwrap();
    } else {
        assert_eq!(wanted, found);
    }
}

/// The sum of all bits of all poses, such that no two of them can be swapped.
fn fingerprint(clip: &Compressed) -> u64 {
    let mut sampler = clip.sampler();
    let mut pose = sampler.pose();
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    for frame in 0..clip.info().frames {
        sampler.frame(frame, &mut pose);
        for transform in &pose {
            let values = transform.rotation.iter().chain(&transform.translation);
            values.for_each(|value| hash.update(&value.to_bits().to_le_bytes()));
        }
    }
    hash.digest()
}

fn bytes_of(clip: &Clip, profile: Profile, tolerance: f64) -> Vec<u8> {
    compress(clip, &CompressOptions { profile, tolerance, ..CompressOptions::default() }).unwrap().bytes
}

#[test]
fn version_2_decodes_as_it_did() {
    let mut found = String::new();
    for (at, profile) in Profile::ALL.into_iter().enumerate() {
        let bytes = match std::env::var_os("UPDATE_PINS") {
            Some(_) => bytes_of(&motion::clip(Character::Calm, 1, 40), profile, 1e-3),
            None => {
                let hex = VERSION_2.lines().nth(at).unwrap().split(' ').nth(2).unwrap();
                let digit = |at: usize| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap();
                (0..hex.len() / 2).map(digit).collect()
            }
        };
        let clip = Compressed::open(&bytes[..], &OpenLimits::default()).unwrap();
        let info = clip.info();
        assert_eq!((info.profile, info.frames, info.rate.fps()), (profile, 40, 60.0));
        assert_eq!((info.tolerance, info.shell, info.metres_per_unit), (1e-3, 0.03, 1.0));
        let names: Vec<&str> = clip.skeleton().joints().iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!(names, ["root", "limb0_0", "limb0_end", "limb1_0", "limb1_end", "limb2_0", "limb2_end"]);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(found, "{profile} {:016x} {hex}", fingerprint(&clip)).unwrap();
    }
    update("version_2.txt", VERSION_2, &found);
}

#[test]
fn fixtures_take_as_many_bytes_as_they_did() {
    let mut found = String::new();
    let fixtures = files(&mocap_corpus::fixture("clips"));
    for file in fixtures.iter().filter(|file| file.name.ends_with(".bvh")) {
        let clip = file.clip();
        for profile in Profile::ALL {
            for tolerance in [1e-4, 1e-2] {
                let bytes = bytes_of(&clip, profile, tolerance).len();
                writeln!(found, "{} {profile} {tolerance} {bytes}", file.name).unwrap();
            }
        }
    }
    update("sizes.txt", SIZES, &found);
}
