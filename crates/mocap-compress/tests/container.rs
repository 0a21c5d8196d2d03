//! The container: damaged or truncated files, other formats and newer versions are errors; files of
//! released versions decode as before.

mod motion;

use mocap_compress::{
    CompressError, CompressOptions, Compressed, Looping, OpenLimits, Profile, Section, compress,
};
use mocap_model::{
    Annotations, Clip, Event, ForwardKinematics, FrameRate, Joint, JointId, JointTracks, Skeleton, Space,
    Track, Unit, UnitQuaternion, UnitSource, Vector3,
};
use motion::Character;
use motion::forge::forge;
use std::sync::Arc;

fn small(profile: Profile) -> Vec<u8> {
    let clip = motion::clip(Character::Calm, 2, 70);
    compress(&clip, &CompressOptions { profile, tolerance: 1e-3, ..CompressOptions::default() })
        .unwrap()
        .bytes
}

fn open(bytes: &[u8]) -> Result<Compressed, CompressError> {
    Compressed::open(bytes, &OpenLimits::default())
}

#[test]
fn a_changed_byte_is_an_error() {
    for profile in Profile::ALL {
        let bytes = small(profile);
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xFF] {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                assert!(open(&changed).is_err(), "{profile}, byte {at} of {}", bytes.len());
            }
        }
    }
}

#[test]
fn a_cut_or_longer_file_is_an_error() {
    for profile in Profile::ALL {
        let bytes = small(profile);
        for length in 0..bytes.len() {
            assert!(open(&bytes[..length]).is_err(), "{profile}, {length} of {} bytes", bytes.len());
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(matches!(open(&longer), Err(CompressError::Length { found, .. }) if found == longer.len()));
    }
}

#[test]
fn errors_name_the_section_and_the_byte() {
    let bytes = small(Profile::Archive);
    let mut changed = bytes.clone();
    *changed.last_mut().unwrap() ^= 1;
    let error = open(&changed).unwrap_err();
    assert!(
        matches!(error, CompressError::Checksum { section: Section::Block(0), to, .. } if to == bytes.len())
    );
    assert!(error.to_string().starts_with("the block at frame 0 (bytes "), "{error}");
    let error = open(&bytes[..bytes.len() - 1]).unwrap_err();
    assert!(error.to_string().starts_with("the block at frame 0 should end at byte "), "{error}");
    assert_eq!(open(b"HIERARCHY").unwrap_err(), CompressError::Magic { found: b"HIER".to_vec() });
    let mut newer = bytes.clone();
    newer[4] = 3;
    let error = open(&newer).unwrap_err();
    assert_eq!(error.to_string(), "the file is of version 3, this program reads up to version 2");
    assert_eq!(error.code(), "mocz::version");
}

#[test]
fn contents_that_no_encoder_writes_neither_panic_nor_decode_to_nonsense() {
    for profile in Profile::ALL {
        let bytes = small(profile);
        for at in 60..bytes.len() {
            for flip in [0x01, 0x10, 0x80, 0xFF] {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                let Some(forged) = forge(&changed) else { continue };
                let Ok(clip) = Compressed::open(forged, &OpenLimits::default()) else { continue };
                // The values may be wrong, but they are finite.
                let decoded = clip.to_clip();
                assert_eq!(decoded.frames(), 70);
            }
        }
    }
}

#[test]
fn trusted_bytes_play_as_verified_ones_do() {
    let other = motion::clip(Character::Calm, 3, 70);
    let other = open(&compress(&other, &CompressOptions::default()).unwrap().bytes).unwrap();
    for profile in Profile::ALL {
        let bytes = small(profile);
        let verified = open(&bytes).unwrap();
        let poses = |clip: &Compressed| {
            let mut sampler = clip.sampler();
            let mut pose = sampler.pose();
            let times = (0..200).map(|i| f64::from(i) * 0.0171);
            times
                .map(|time| {
                    sampler.sample(time, Looping::Wrap, &mut pose);
                    pose.clone()
                })
                .collect::<Vec<_>>()
        };
        for like in [None, Some(&verified), Some(&other)] {
            let trusted = Compressed::open_trusted(&bytes[..], like, &OpenLimits::default()).unwrap();
            assert_eq!(trusted.skeleton(), verified.skeleton());
            assert_eq!(poses(&trusted), poses(&verified));
            // Only the same skeleton is shared.
            let shared = like.is_some_and(|like| Arc::ptr_eq(like.skeleton(), trusted.skeleton()));
            assert_eq!(shared, like.is_some_and(|like| like.skeleton() == verified.skeleton()));
        }
    }
}

/// Damage is not detected without checksums, but it must not do worse than another motion: no panic, finite poses.
#[test]
fn damaged_files_that_are_trusted_play_or_are_errors() {
    for profile in Profile::ALL {
        let bytes = small(profile);
        let like = open(&bytes).unwrap();
        let mut played = 0;
        for at in 0..bytes.len() {
            for flip in [0x01, 0x55, 0x80, 0xFF] {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                let opened = Compressed::open_trusted(changed, Some(&like), &OpenLimits::default());
                let Ok(clip) = opened else { continue };
                played += 1;
                let mut sampler = clip.sampler();
                let mut pose = sampler.pose();
                for time in [0.61, 0.0, f64::MAX] {
                    sampler.sample(time, Looping::Clamp, &mut pose);
                    let numbers = |it: &mocap_compress::Transform| -> Vec<f32> {
                        it.rotation.iter().chain(&it.translation).copied().collect()
                    };
                    assert!(pose.iter().flat_map(numbers).all(f32::is_finite), "{profile}, byte {at}");
                }
                clip.annotations();
            }
        }
        assert!(played > bytes.len(), "{profile}: {played}");
        for length in 0..bytes.len() {
            for like in [None, Some(&like)] {
                let cut = Compressed::open_trusted(&bytes[..length], like, &OpenLimits::default());
                assert!(cut.is_err(), "{profile}, {length} of {} bytes", bytes.len());
            }
        }
    }
}

#[test]
fn annotations_of_a_trusted_file_are_read_when_they_are_asked_for() {
    let event = Event { time: 0.5, name: "step".into() };
    let annotations = Annotations { name: "walk".into(), scalars: Vec::new(), events: vec![event] };
    let clip = motion::clip(Character::Calm, 2, 40).with_annotations(annotations.clone()).unwrap();
    let options = CompressOptions { profile: Profile::Direct, ..CompressOptions::default() };
    let bytes = compress(&clip, &options).unwrap().bytes;
    let trusted = |bytes: &[u8]| Compressed::open_trusted(bytes, None, &OpenLimits::default()).unwrap();
    assert_eq!(trusted(&bytes).annotations(), &annotations);
    assert_eq!(trusted(&bytes).to_clip(), open(&bytes).unwrap().to_clip());
    // The limits are those of opening.
    let few = OpenLimits { values: 1000, ..OpenLimits::default() };
    let limited = Compressed::open_trusted(&bytes[..], None, &few).unwrap();
    assert_eq!(limited.annotations(), &annotations);
}

/// Tables that are read fast, where single poses of many files are read; only that profile may have them.
#[test]
fn the_direct_profile_has_plain_tables() {
    const PLAIN: u8 = 8;
    for profile in Profile::ALL {
        let mut bytes = small(profile);
        let direct = profile == Profile::Direct;
        assert_eq!(bytes[7] & PLAIN != 0, direct, "{profile}");
        bytes[7] ^= PLAIN;
        let opened = open(&forge(&bytes).unwrap());
        if !direct {
            let header = matches!(opened, Err(CompressError::Malformed { section: Section::Header, expected, .. })
                if expected == "flags that are known");
            assert!(header, "{profile}");
        }
    }
}

#[test]
fn limits_bound_what_a_file_may_ask_for() {
    let bytes = small(Profile::Runtime);
    let few = |limits: OpenLimits| Compressed::open(&bytes[..], &limits).unwrap_err();
    let frames = few(OpenLimits { frames: 69, ..OpenLimits::default() });
    assert_eq!(frames, CompressError::Limit { what: "frames", found: 70, limit: 69 });
    let joints = few(OpenLimits { joints: 3, ..OpenLimits::default() });
    assert!(matches!(joints, CompressError::Malformed { section: Section::Skeleton, .. }));
    let values = few(OpenLimits { values: 10, ..OpenLimits::default() });
    assert!(matches!(values, CompressError::Limit { what: "values", .. }));
}

#[test]
fn a_skeleton_may_be_kept_elsewhere() {
    let clip = motion::clip(Character::Calm, 2, 40);
    let options = CompressOptions { external_skeleton: true, ..CompressOptions::default() };
    let bytes = compress(&clip, &options).unwrap().bytes;
    let whole = compress(&clip, &CompressOptions::default()).unwrap().bytes;
    assert!(bytes.len() < whole.len());
    assert_eq!(open(&bytes).unwrap_err(), CompressError::SkeletonElsewhere);
    let other = motion::skeleton(3);
    let wrong = Compressed::open_with(&bytes[..], other, &OpenLimits::default()).unwrap_err();
    assert_eq!(wrong, CompressError::WrongSkeleton);
    let opened = Compressed::open_with(&bytes[..], clip.skeleton().clone(), &OpenLimits::default()).unwrap();
    assert_eq!(opened.to_clip(), open(&whole).unwrap().to_clip());
    assert_eq!(opened.skeleton_size(), 0);
    // A file with its own skeleton needs no other.
    let own = Compressed::open_with(whole, motion::skeleton(3), &OpenLimits::default()).unwrap();
    assert_eq!(own.skeleton(), clip.skeleton());
}

#[test]
fn a_skeleton_elsewhere_is_read_in_the_unit_and_size_of_the_clip() {
    let clip = motion::clip(Character::Calm, 2, 40);
    let unit = Some(Unit { metres: 0.02, source: UnitSource::Flag });
    let space = Space { unit, ..*clip.skeleton().space() };
    let stated = clip.clone().with_skeleton(clip.skeleton().with_space(space).into()).unwrap();
    let grown = stated.scaled(1.1).unwrap();
    let options =
        CompressOptions { external_skeleton: true, external_scale: 1.1, ..CompressOptions::default() };
    let bytes = compress(&grown, &options).unwrap().bytes;
    let opened = Compressed::open_with(bytes, clip.skeleton().clone(), &OpenLimits::default()).unwrap();
    assert_eq!(opened.skeleton(), grown.skeleton());
    // Without the scale it is another skeleton.
    let options = CompressOptions { external_skeleton: true, ..CompressOptions::default() };
    let bytes = compress(&grown, &options).unwrap().bytes;
    let wrong = Compressed::open_with(bytes, clip.skeleton().clone(), &OpenLimits::default()).unwrap_err();
    assert_eq!(wrong, CompressError::WrongSkeleton);
}

#[test]
fn samples_are_the_frames_and_what_is_between_them() {
    for profile in Profile::ALL {
        let clip = open(&small(profile)).unwrap();
        let mut sampler = clip.sampler();
        let mut pose = sampler.pose();
        let mut frames = Vec::new();
        for frame in 0..70 {
            sampler.frame(frame, &mut pose);
            frames.push(pose.clone());
        }
        // Decoded as a whole, the poses have the same bits.
        let mut whole = clip.sampler_in_memory();
        for time in [0.0, 0.51, 0.333, 1.16, 7.7] {
            sampler.sample(time, Looping::Wrap, &mut pose);
            let mut other = pose.clone();
            other[0].translation[0] += 1.0;
            whole.sample(time, Looping::Wrap, &mut other);
            assert_eq!(pose, other, "{profile} {time}");
        }
        // The order of sampling does not change a bit.
        for frame in (0..70).rev().step_by(7).chain([3, 69, 0, 33, 32, 31, 64]) {
            sampler.sample(frame as f64 / 60.0, Looping::Clamp, &mut pose);
            let close = |a: f32, b: f32| (a - b).abs() < 1e-5;
            for (a, b) in pose.iter().zip(&frames[frame]) {
                assert!((0..4).all(|i| close(a.rotation[i].abs(), b.rotation[i].abs())));
                assert!((0..3).all(|i| close(a.translation[i], b.translation[i])));
            }
            sampler.frame(frame, &mut pose);
            assert_eq!(pose, frames[frame]);
        }
        // Half-way between two frames; beyond the end, looping blends the last frame with the
        // first.
        for (time, looping, from, to) in [
            (31.5, Looping::Clamp, 31, 32),
            (69.5, Looping::Wrap, 69, 0),
            (-0.5, Looping::Wrap, 69, 0),
            (70.0 * 3.0 + 12.5, Looping::Wrap, 12, 13),
            (1e9, Looping::Clamp, 69, 69),
            (-3.0, Looping::Clamp, 0, 0),
            (f64::NAN, Looping::Wrap, 0, 0),
        ] {
            sampler.sample(time / 60.0, looping, &mut pose);
            let (a, b) = (&frames[from], &frames[to]);
            for joint in 0..pose.len() {
                for axis in 0..3 {
                    let middle = (a[joint].translation[axis] + b[joint].translation[axis]) / 2.0;
                    assert!((pose[joint].translation[axis] - middle).abs() < 1e-4, "{profile} {time}");
                }
                let alone = sampler.sample_joint(time / 60.0, looping, JointId::from(joint));
                assert!(alone.rotation.iter().zip(pose[joint].rotation).all(|(a, b)| (a - b).abs() < 1e-5));
                assert!(
                    alone.translation.iter().zip(pose[joint].translation).all(|(a, b)| (a - b).abs() < 1e-5)
                );
            }
        }
    }
}

#[test]
fn some_joints_are_sampled_as_with_all_others_and_in_any_order() {
    for profile in Profile::ALL {
        let clip = open(&small(profile)).unwrap();
        let mut all = clip.sampler();
        let chosen = [clip.skeleton().find("limb1_1").unwrap(), JointId::from(0)];
        let mut some = clip.sampler_of(&chosen);
        let mut small = clip.small_sampler();
        let [rest, mut wanted, mut found] = [all.pose(), all.pose(), all.pose()];
        let mut moved = 0;
        // Forwards with all joints, anywhere with some.
        let times: Vec<f64> = (0..700).map(|at| f64::from(at) * 0.1 / 60.0).collect();
        let poses: Vec<_> = times
            .iter()
            .map(|time| {
                all.sample(*time, Looping::Wrap, &mut wanted);
                wanted.clone()
            })
            .collect();
        for at in (0..700).map(|at| at * 377 % 700) {
            some.sample(times[at], Looping::Wrap, &mut found);
            for joint in (0..found.len()).map(JointId::from) {
                let expected = if chosen.contains(&joint) { &poses[at] } else { &rest };
                assert_eq!(found[joint.index()], expected[joint.index()], "{profile} {at} {joint:?}");
                moved += usize::from(chosen.contains(&joint) && found[joint.index()] != rest[joint.index()]);
                assert_eq!(some.sample_joint(times[at], Looping::Wrap, joint), found[joint.index()]);
            }
            small.sample(times[at], Looping::Wrap, &mut found);
            assert_eq!(found, poses[at], "{profile} {at}");
            for (joint, wanted) in poses[at].iter().enumerate() {
                assert_eq!(small.sample_joint(times[at], Looping::Wrap, JointId::from(joint)), *wanted);
            }
            all.frame(at, &mut wanted);
            small.frame(at, &mut found);
            assert_eq!(found, wanted, "{profile} {at}");
        }
        assert!(moved > 1000, "{profile} {moved}");
    }
}

#[test]
fn keys_can_be_taken_out() {
    let clip = open(&small(Profile::Keys)).unwrap();
    let keys = clip.keys().unwrap();
    assert_eq!(keys.len(), clip.moving_tracks());
    for track in &keys {
        assert_eq!((track.frames[0], *track.frames.last().unwrap()), (0, 69));
        assert!(track.frames.is_sorted_by(|a, b| a < b));
    }
    assert!(open(&small(Profile::Runtime)).unwrap().keys().is_none());
}

#[test]
fn an_end_site_that_moves_keeps_its_place() {
    for profile in Profile::ALL {
        let clip = motion::clip(Character::Calm, 1, 40);
        let mut tracks = clip.tracks().to_vec();
        // The bone from here to its end site becomes longer.
        let growing = |frame: usize| Vector3::repeat(1.0 + 0.01 * frame as f64);
        tracks[1].scale = Some(Track::Sampled((0..clip.frames()).map(growing).collect()));
        let clip = Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks).unwrap();
        let options = CompressOptions { profile, tolerance: 1e-3, ..CompressOptions::default() };
        let decoded = open(&compress(&clip, &options).unwrap().bytes).unwrap().to_clip();
        let (wanted, found) = (clip.without_scale().unwrap(), decoded.without_scale().unwrap());
        let (mut was, mut is) = (ForwardKinematics::new(&wanted), ForwardKinematics::new(&found));
        for frame in 0..clip.frames() {
            was.place(frame);
            is.place(frame);
            let off = (was.position(JointId(2)) - is.position(JointId(2))).norm();
            assert!(off < 1e-3, "{profile}: frame {frame}: {off} m");
        }
        // It has moved along its bone.
        let length = (was.position(JointId(2)) - was.position(JointId(1))).norm();
        assert!(length > 0.13, "{length}");
    }
}

/// A chain of joints, each the end site of the one before by its name.
fn chain(first: &str, joints: usize, suffix: &str) -> Clip {
    let mut name = first.to_owned();
    let mut list: Vec<Joint> = Vec::new();
    for at in 0..joints {
        let parent = at.checked_sub(1).map(JointId::from);
        list.push(Joint::new(name.clone(), parent, [0.0, 0.1, 0.0].into()));
        name.push_str(suffix);
    }
    let unit = Some(Unit { metres: 1.0, source: UnitSource::File });
    let skeleton = Skeleton::new("chain", Space { unit, ..Space::default() }, list).unwrap();
    let turns = vec![JointTracks::new(Track::Constant(UnitQuaternion::identity()), None); joints];
    Clip::new(skeleton.into(), FrameRate::new(30.0).unwrap(), 3, turns).unwrap()
}

#[test]
fn names_that_follow_from_others_are_read_back_however_many() {
    for joints in [2, 20, 400] {
        let clip = chain("hand", joints, "_End");
        let options = CompressOptions { tolerance: 1e-2, ..CompressOptions::default() };
        let bytes = compress(&clip, &options).unwrap().bytes;
        let back = open(&bytes).unwrap().to_clip();
        let names = |clip: &Clip| -> Vec<String> {
            clip.skeleton().joints().iter().map(|joint| joint.name.clone()).collect()
        };
        assert_eq!(names(&back), names(&clip));
    }
}

#[test]
fn a_joint_without_a_name_is_refused() {
    let clip = chain("", 1, "");
    let refused = compress(&clip, &CompressOptions::default()).unwrap_err();
    assert_eq!(refused, CompressError::NoName { joint: 0 });
}
