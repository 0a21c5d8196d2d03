//! Files that a released version wrote decode to the same bits in all later releases, and the fixtures take as many
//! bytes as they did.
//!
//! `pins/VERSION/` holds files as that version of the crate wrote them, in every profile, and `values.txt`: what they
//! decode to. `UPDATE_PINS=1 cargo test -p mocap-compress --test pins` writes the folder of the present version and
//! `sizes.txt` anew. **The folder of a released version is never changed**: after a release the version of the crate
//! goes up, and this test then writes to a new folder only.

mod motion;

use mocap_compress::{CompressOptions, Compressed, Looping, OpenLimits, Profile, compress};
use mocap_model::{
    Annotations, Clip, Event, FrameRate, JointTracks, ScalarTrack, Skeleton, Track, Vector3, exp,
};
use motion::Character;
use motion::files::files;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// The version of this crate, whose folder may be written.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The bound of every pinned file \[m\].
const TOLERANCE: f64 = 1e-3;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pins")
}

fn updates() -> bool {
    std::env::var_os("UPDATE_PINS").is_some()
}

/// Compares a record with `found`. With `UPDATE_PINS`, writes the record first if `may_write`.
fn check(record: &Path, found: &str, may_write: bool) {
    if updates() && may_write {
        std::fs::write(record, found).unwrap();
    }
    let wanted = std::fs::read_to_string(record).unwrap();
    for (wanted, found) in wanted.lines().zip(found.lines()) {
        assert_eq!(wanted, found, "{}", record.display());
    }
    assert_eq!(wanted.lines().count(), found.lines().count(), "{}", record.display());
}

fn options(profile: Profile, tolerance: f64) -> CompressOptions {
    CompressOptions { profile, tolerance, ..CompressOptions::default() }
}

/// By name: motions that together use all that a file can hold.
fn motions() -> Vec<(&'static str, Clip)> {
    vec![
        ("calm", motion::clip(Character::Calm, 1, 40)),
        ("wild", motion::clip(Character::Wild, 1, 9)),
        ("sliding", motion::clip(Character::Sliding, 2, 33)),
        ("empty", motion::clip(Character::Still, 1, 0)),
        ("long", long()),
        ("rich", rich()),
    ]
}

/// More frames than a block has.
fn long() -> Clip {
    let frames = 8200;
    let skeleton = motion::skeleton(1);
    let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    let turn = |frame: usize| exp(&Vector3::new(0.0, 0.3 * (frame as f64 * 0.01).sin(), 0.0));
    tracks[1].rotation = Track::Sampled((0..frames).map(turn).collect());
    Clip::new(skeleton, FrameRate::new(240.0).unwrap(), frames, tracks).unwrap()
}

/// Rest rotations, limits, roles, scales, events and numbers over time.
fn rich() -> Clip {
    let jump = files(&mocap_corpus::fixture("clips")).into_iter().find(|file| file.name == "robin_jump.amc");
    let jump = jump.expect("a fixture").clip();
    let jump = jump.trimmed(0..30.min(jump.frames())).unwrap();
    let frames = jump.frames();
    let mut tracks = jump.tracks().to_vec();
    let growing = |frame: usize| Vector3::new(1.0 + 0.01 * frame as f64, 1.0, 1.1);
    tracks[0].scale = Some(Track::Sampled((0..frames).map(growing).collect()));
    tracks[2].scale = Some(Track::Constant(Vector3::new(0.5, 0.75, 1.25)));
    let smile = (0..frames).map(|frame| (frame as f64 * 0.37).sin()).collect();
    let scalars = vec![
        ScalarTrack { name: "smile".into(), values: Track::Sampled(smile) },
        ScalarTrack { name: "betas[0]".into(), values: Track::Constant(-1.25) },
    ];
    let events = vec![Event { time: 0.25, name: "lift-off".into() }];
    let clip = Clip::new(jump.skeleton().clone(), jump.rate(), frames, tracks).unwrap();
    clip.with_annotations(Annotations { name: "jump".into(), scalars, events }).unwrap()
}

/// Files of the present version, by name.
fn written() -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for profile in Profile::ALL {
        for (name, clip) in motions() {
            let bytes = compress(&clip, &options(profile, TOLERANCE)).unwrap().bytes;
            files.insert(format!("{profile}-{name}.mocz"), bytes);
        }
        let elsewhere = CompressOptions { external_skeleton: true, ..options(profile, TOLERANCE) };
        let bytes = compress(&motion::clip(Character::Calm, 1, 40), &elsewhere).unwrap().bytes;
        files.insert(format!("{profile}-elsewhere.mocz"), bytes);
    }
    files
}

fn hash(text: &str) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(text.as_bytes());
    hash.digest()
}

/// All that is known of a skeleton, to the last bit.
fn skeleton_text(skeleton: &Skeleton) -> String {
    let mut text =
        format!("{} {:?}\n", skeleton.name(), skeleton.space().unit.map(|unit| unit.metres.to_bits()));
    for joint in skeleton.joints() {
        let parent = joint.parent.map(|parent| parent.index());
        let role = joint.role.map(|role| role.name());
        write!(text, "{} {parent:?} {role:?} {}", joint.name, joint.end_site).unwrap();
        let numbers = joint.offset.iter().chain(joint.rest_rotation.coords.iter());
        numbers
            .chain(joint.dofs.frame.coords.iter())
            .for_each(|x| write!(text, " {:x}", x.to_bits()).unwrap());
        let limits =
            joint.dofs.limits.map(|limit| limit.map(|limit| (limit.min.to_bits(), limit.max.to_bits())));
        writeln!(text, " {:?} {:?} {limits:?}", joint.dofs.rotation, joint.dofs.translation).unwrap();
    }
    text
}

/// Names, events, numbers over time and scales, to the last bit.
fn extras_text(clip: &Clip) -> String {
    let extras = clip.annotations();
    let mut text = format!("{}\n", extras.name);
    for event in &extras.events {
        writeln!(text, "{} {:x}", event.name, event.time.to_bits()).unwrap();
    }
    for scalar in &extras.scalars {
        write!(text, "{}", scalar.name).unwrap();
        (0..clip.frames()).for_each(|at| write!(text, " {:x}", scalar.values.at(at).to_bits()).unwrap());
        text.push('\n');
    }
    for (joint, track) in clip.tracks().iter().enumerate() {
        let Some(scale) = &track.scale else { continue };
        write!(text, "{joint}").unwrap();
        for at in 0..clip.frames() {
            scale.at(at).iter().for_each(|x| write!(text, " {:x}", x.to_bits()).unwrap());
        }
        text.push('\n');
    }
    text
}

/// The bits of every frame, and of poses between frames.
fn poses(clip: &Compressed) -> u64 {
    let mut sampler = clip.sampler();
    let mut pose = sampler.pose();
    let mut hash = Xxh3::new();
    let mut add = |pose: &[mocap_compress::Transform]| {
        for transform in pose {
            let values = transform.rotation.iter().chain(&transform.translation);
            values.for_each(|value| hash.update(&value.to_bits().to_le_bytes()));
        }
    };
    let (frames, frame_time) = (clip.info().frames, clip.info().rate.frame_time());
    for frame in 0..frames {
        sampler.frame(frame, &mut pose);
        add(&pose);
    }
    for step in (0..frames).step_by(7).rev() {
        sampler.sample((step as f64 + 0.375) * frame_time, Looping::Clamp, &mut pose);
        add(&pose);
    }
    hash.digest()
}

/// What a file decodes to, on one line: figures of its header, and fingerprints of the rest.
fn described(bytes: &[u8]) -> String {
    let limits = OpenLimits::default();
    let opened = Compressed::open(bytes, &limits)
        .or_else(|_| Compressed::open_with(bytes, motion::skeleton(1), &limits))
        .expect("a file of this or an earlier version");
    let info = opened.info();
    assert_eq!((info.tolerance, info.shell), (TOLERANCE, 0.03));
    let clip = opened.to_clip();
    let version = u16::from_le_bytes([bytes[4], bytes[5]]);
    format!(
        "version {version}, {}, {} frames at {}, poses {:016x}, skeleton {:016x}, extras {:016x}",
        info.profile,
        info.frames,
        info.rate.fps(),
        poses(&opened),
        hash(&skeleton_text(clip.skeleton())),
        hash(&extras_text(&clip)),
    )
}

/// The files of a folder, by name.
fn pinned(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.extension().is_some_and(|extension| extension == "mocz"));
    files
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(path).unwrap()))
        .collect()
}

/// The folders of all pinned versions.
fn versions() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_dir()).collect()
}

#[test]
fn files_of_every_version_decode_as_they_did() {
    if updates() {
        let folder = folder().join(VERSION);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        written().iter().for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes).unwrap());
    }
    let versions = versions();
    assert!(!versions.is_empty());
    for folder in versions {
        let files = pinned(&folder);
        let found: String =
            files.iter().map(|(name, bytes)| format!("{name}: {}\n", described(bytes))).collect();
        check(&folder.join("values.txt"), &found, folder.ends_with(VERSION));
    }
}

/// A profile, a version of the format or a kind of motion without pins is not released.
#[test]
fn what_is_written_now_is_pinned() {
    if updates() {
        return;
    }
    let kind = |(name, bytes): (&String, &Vec<u8>)| (name.clone(), bytes[..8].to_vec());
    let known: Vec<_> = versions().iter().flat_map(|folder| pinned(folder)).collect();
    let known: Vec<_> = known.iter().map(|(name, bytes)| kind((name, bytes))).collect();
    for file in &written() {
        assert!(known.contains(&kind(file)), "{}: run this with UPDATE_PINS=1 before a release", file.0);
    }
}

#[test]
fn fixtures_take_as_many_bytes_as_they_did() {
    let mut found = String::new();
    let fixtures = files(&mocap_corpus::fixture("clips"));
    for file in fixtures.iter().filter(|file| file.name.ends_with(".bvh")) {
        let clip = file.clip();
        for profile in Profile::ALL {
            for tolerance in [1e-4, 1e-2] {
                let bytes = compress(&clip, &options(profile, tolerance)).unwrap().bytes.len();
                writeln!(found, "{} {profile} {tolerance} {bytes}", file.name).unwrap();
            }
        }
    }
    check(&folder().join("sizes.txt"), &found, true);
}
