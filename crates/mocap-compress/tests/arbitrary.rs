//! Arbitrary bytes: no panic, no more memory than the limits allow, and finite decoded values.
//!
//! Runs a few hundred cases; `PROPTEST_CASES=1000000 cargo test --release -p mocap-compress --test arbitrary` runs
//! for hours. Failures are shrunk and printed as bytes.

mod motion;

use allocation_counter::measure;
use mocap_compress::{CompressOptions, Compressed, Looping, OpenLimits, Profile, compress};
use motion::Character;
use motion::forge::forge;
use proptest::prelude::*;
use std::sync::LazyLock;

/// Small motions in all profiles, with one block and different numbers of segments.
static FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut files = Vec::new();
    for profile in Profile::ALL {
        for (character, frames) in [(Character::Calm, 70), (Character::Sliding, 33), (Character::Wild, 2)] {
            let options = CompressOptions { profile, tolerance: 1e-3, ..CompressOptions::default() };
            files.push(compress(&motion::clip(character, 2, frames), &options).unwrap().bytes);
        }
    }
    files
});

/// Small limits, so that allocations beyond them are detected.
const LIMITS: OpenLimits = OpenLimits { joints: 200, frames: 20_000, values: 200_000 };
/// Greatest memory in use while reading and sampling within these limits \[bytes\].
const MEMORY: u64 = 64 << 20;

/// Opens bytes and, where they open, plays them.
fn play(bytes: &[u8]) {
    play_if(|| Compressed::open(bytes, &LIMITS).ok());
    // Without checksums, the decoders must handle the damage.
    play_if(|| Compressed::open_trusted(bytes, None, &LIMITS).ok());
}

fn play_if(open: impl FnOnce() -> Option<Compressed>) {
    let used = measure(|| {
        let Some(clip) = open() else { return };
        let mut sampler = clip.sampler();
        let mut pose = sampler.pose();
        let duration = clip.info().frames as f64 / clip.info().rate.fps();
        for part in [0.0, 0.37, 0.99, 0.5, 1.0, -1.0, f64::NAN] {
            sampler.sample(part * duration, Looping::Wrap, &mut pose);
            for transform in &pose {
                let values = transform.rotation.iter().chain(&transform.translation);
                assert!(values.clone().all(|value| value.is_finite()), "{transform:?}");
            }
        }
        clip.keys();
        clip.to_clip();
    });
    assert!(used.bytes_max < MEMORY, "{} bytes at once", used.bytes_max);
}

proptest! {
    #[test]
    fn noise_is_no_clip(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        play(&bytes);
        // After the valid start of a file.
        play(&[b"MOCZ\x01\x00", &bytes[..]].concat());
    }

    #[test]
    fn changed_files_play_or_are_errors(
        file in 0..FILES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut bytes = FILES[file].clone();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        play(&bytes);
        if let Some(forged) = forge(&bytes) {
            play(&forged);
        }
    }

    #[test]
    fn sections_of_noise_play_or_are_errors(
        file in 0..FILES.len(),
        from in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 1..400),
    ) {
        let mut bytes = FILES[file].clone();
        // The header and its table stay valid, so the sections are decoded.
        let from = 100 + from.index(bytes.len() - 100);
        for (byte, value) in bytes[from..].iter_mut().zip(noise) {
            *byte = value;
        }
        if let Some(forged) = forge(&bytes) {
            play(&forged);
        }
    }
}
