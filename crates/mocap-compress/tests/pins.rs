//! Files of every released version decode to the same bits for ever. The bytes below are never changed: a new
//! version gets new ones beside them.

use mocap_compress::{Compressed, OpenLimits, Profile};

include!("pins/version_1.rs");

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
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

#[test]
fn version_1_decodes_as_it_did() {
    for (profile, hex, wanted, first) in VERSION_1 {
        let clip = Compressed::open(bytes(hex), &OpenLimits::default()).unwrap();
        let info = clip.info();
        assert_eq!((info.profile, info.frames, info.rate.fps()), (profile, 40, 60.0));
        assert_eq!((info.tolerance, info.shell, info.metres_per_unit), (1e-3, 0.03, 1.0));
        let names: Vec<&str> = clip.skeleton().joints().iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!(names, ["root", "limb0_0", "limb0_end", "limb1_0", "limb1_end", "limb2_0", "limb2_end"]);
        let mut pose = clip.sampler().pose();
        clip.sampler().frame(20, &mut pose);
        assert_eq!(pose[1].rotation.map(f32::to_bits), first, "{profile}");
        assert_eq!(fingerprint(&clip), wanted, "{profile}: the decoder changed");
    }
}
