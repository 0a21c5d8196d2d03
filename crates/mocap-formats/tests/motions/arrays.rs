//! Motions as arrays and back.

use mocap_formats::arrays::{ArrayOptions, Data, Precision, RotationFormat, of_clip, pack, unpack};
use mocap_formats::{Clip, ClipChoice, Format, Limits, ReadOptions, WriteOptions, npz, read, write};
use mocap_model::{
    Annotations, Event, Role, ScalarTrack, Space, Track, Unit, UnitSource, Vector3, angle_between,
};
use std::sync::Arc;

/// A clip with a unit, and with the roles of feet and hips where its joints have these names.
fn clip(bytes: &[u8]) -> Clip {
    let options = ReadOptions::default();
    let clip = read(bytes, &options).unwrap().value.into_clip(&options).unwrap().value;
    let unit = Some(Unit { metres: 0.0254 / 0.45, source: UnitSource::Guessed });
    let skeleton = clip.skeleton().with_space(Space { unit, ..*clip.skeleton().space() });
    let with_roles = skeleton.with_joints(|joint| {
        joint.role = joint.name.parse::<Role>().ok().filter(|_| !joint.end_site);
    });
    clip.with_skeleton(Arc::new(with_roles.unwrap())).unwrap()
}

fn back(clip: &Clip, format: Format, arrays: ArrayOptions) -> Clip {
    let options = WriteOptions { arrays, ..WriteOptions::default() };
    let bytes = write(clip, format, &options).unwrap().main.into_bytes();
    let options = ReadOptions::default();
    let document = read(&bytes, &options).unwrap();
    assert_eq!(document.value.format(), format, "the format is detected");
    assert!(document.warnings.is_empty(), "{:?}", document.warnings);
    document.value.into_clip(&options).unwrap().value
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(mocap_corpus::fixture(name)).unwrap()
}

fn check(shown: &str, bytes: &[u8]) {
    let clip = clip(bytes);
    let f64 = ArrayOptions { precision: Precision::F64, ..ArrayOptions::default() };
    for format in [Format::Npz, Format::Safetensors] {
        let same = back(&clip, format, f64);
        assert_eq!(same, clip, "{shown} as {format}");
        let bits = |clip: &Clip| -> Vec<u64> {
            let locals = (0..clip.skeleton().len())
                .flat_map(|joint| (0..clip.frames()).map(move |frame| clip.local(joint.into(), frame)));
            let numbers = locals.flat_map(|local| {
                let (t, q) = (local.translation.vector, local.rotation.into_inner().coords);
                [t.x, t.y, t.z, q.x, q.y, q.z, q.w].map(f64::to_bits)
            });
            numbers.collect()
        };
        assert!(bits(&same) == bits(&clip), "{shown}: every bit comes back");
    }
    for rotations in RotationFormat::ALL {
        for precision in [Precision::F32, Precision::F64] {
            let options = ArrayOptions { precision, rotations, window: None };
            let near = back(&clip, Format::Npz, options);
            let (turn, way) = worst(&clip, &near);
            let bound = if precision == Precision::F64 { 1e-9 } else { 1e-6 };
            assert!(turn < bound && way < bound, "{shown}, {rotations}: {turn} rad, {way} of the largest");
        }
    }
}

/// The largest difference of local rotations [rad], and of translations as a share of the largest.
fn worst(a: &Clip, b: &Clip) -> (f64, f64) {
    assert_eq!((a.frames(), a.rate(), a.skeleton()), (b.frames(), b.rate(), b.skeleton()));
    let (mut turn, mut way, mut size) = (0.0f64, 0.0f64, 0.0f64);
    for joint in 0..a.skeleton().len() {
        for frame in 0..a.frames() {
            let (a, b) = (a.local(joint.into(), frame), b.local(joint.into(), frame));
            turn = turn.max(angle_between(&a.rotation, &b.rotation));
            way = way.max((a.translation.vector - b.translation.vector).norm());
            size = size.max(a.translation.vector.norm());
        }
    }
    (turn, way / size)
}

pub(crate) fn fixtures_come_back_from_arrays() {
    for name in ["clips/alex_walk.bvh", "clips/alex_jump.bvh"] {
        check(name, &fixture(name));
    }
}

pub(crate) fn motions_come_back_from_arrays() {
    for (name, bytes) in mocap_corpus::files("bvh").into_iter().step_by(5) {
        check(&name, &bytes);
    }
}

/// Scale, numbers over time, events and the name come back.
pub(crate) fn fixture_annotations_come_back() {
    let clip = clip(&fixture("clips/alex_walk.bvh"));
    let frames = clip.frames();
    let mut tracks = clip.tracks().to_vec();
    let grow = |frame: usize| Vector3::new(1.0, 1.0 + frame as f64 / 100.0, 0.1 + 0.2);
    tracks[2].scale = Some(Track::Sampled((0..frames).map(grow).collect()));
    tracks[4].scale = Some(Track::Constant(Vector3::repeat(1.0)));
    let smile = (0..frames).map(|frame| (frame as f64 * 0.1).sin()).collect();
    let annotations = Annotations {
        name: "a walk".into(),
        scalars: vec![
            ScalarTrack { name: "smile".into(), values: Track::Sampled(smile) },
            ScalarTrack { name: "blink".into(), values: Track::Constant(0.3) },
        ],
        events: vec![Event { time: 0.1, name: "step left".into() }],
    };
    let clip = Clip::new(clip.skeleton().clone(), clip.rate(), frames, tracks).unwrap();
    let clip = clip.with_annotations(annotations).unwrap();
    let options = ArrayOptions { precision: Precision::F64, ..ArrayOptions::default() };
    for format in [Format::Npz, Format::Safetensors] {
        assert_eq!(back(&clip, format, options), clip, "{format}");
    }
}

/// Clips that were packed come out again, bodies of other sizes as well.
pub(crate) fn fixtures_come_back_from_packs() {
    let options = ArrayOptions { precision: Precision::F64, ..ArrayOptions::default() };
    let alex = clip(&fixture("clips/alex_walk.bvh"));
    let small = clip(&fixture("clips/alex_turn.bvh")).scaled(0.5).unwrap().with_rate(alex.rate());
    let clips = [alex.clone(), small, alex.trimmed(3..9).unwrap()];
    let named = clips.iter().enumerate().map(|(i, clip)| (format!("clip{i}"), of_clip(clip, &options)));
    let packed = pack(named.collect()).unwrap();
    let bytes = npz::to_bytes(&packed);
    let read_again = npz::Archive::open(&bytes, &Limits::default()).unwrap().read(|_| true).unwrap();
    assert_eq!(read_again.get("offsets").unwrap().shape.len(), 3, "bodies differ");
    for (i, clip) in clips.iter().enumerate() {
        let one = npz::to_bytes(&unpack(&read_again, i).unwrap());
        let document = read(&one, &ReadOptions::default()).unwrap();
        assert_eq!(document.warnings, []);
        let same = document.value.into_clip(&ReadOptions::default()).unwrap().value;
        assert_eq!(same, clip.clone().with_name(format!("clip{i}")));
    }
    // The set as a file: its clips have names, and the first is read with a warning.
    let safetensors = mocap_formats::safetensors::to_bytes(&packed);
    for bytes in [bytes, safetensors] {
        let document = read(&bytes, &ReadOptions::default()).unwrap().value;
        assert_eq!(document.clip_names(), ["clip0", "clip1", "clip2"]);
        let first = document.to_clip(&ReadOptions::default()).unwrap();
        assert_eq!(first.warnings[0].code(), "clip::first-of-several");
        assert_eq!(first.value, clips[0].clone().with_name("clip0"));
        let choice = Some(ClipChoice("clip2".into()));
        let third = document.to_clip(&ReadOptions { clip: choice, ..ReadOptions::default() }).unwrap();
        assert_eq!((third.value, third.warnings), (clips[2].clone().with_name("clip2"), Vec::new()));
        let unknown = ReadOptions { clip: Some(ClipChoice("clip3".into())), ..ReadOptions::default() };
        assert_eq!(document.to_clip(&unknown).unwrap_err().error.code(), "clip::unknown");
    }
    let other = clip(&fixture("clips/alex_walk.bvh")).with_rate(mocap_model::FrameRate::new(7.0).unwrap());
    let mixed = vec![("a".into(), of_clip(&clips[0], &options)), ("b".into(), of_clip(&other, &options))];
    assert_eq!(pack(mixed).unwrap_err().code(), "arrays::of-another-set");
}

/// Positions and velocities agree, the heading turns with the body, and feet touch the floor.
pub(crate) fn fixture_features_follow_from_the_motion() {
    let clip = clip(&fixture("clips/alex_walk.bvh"));
    let arrays = mocap_formats::arrays::of_clip(&clip, &ArrayOptions::default());
    let floats = |name: &str| match &arrays.get(name).unwrap().data {
        Data::F32(values) => values.clone(),
        other => panic!("{name} is {}", other.kind()),
    };
    let (positions, velocities) = (floats("positions"), floats("velocities"));
    let width = 3 * arrays.get("names").unwrap().data.len();
    for frame in 1..clip.frames() - 1 {
        for i in 0..width {
            let central = (positions[(frame + 1) * width + i] - positions[(frame - 1) * width + i])
                * clip.rate().fps() as f32
                / 2.0;
            assert!((velocities[frame * width + i] - central).abs() < 2e-2, "frame {frame}, value {i}");
        }
    }
    // The body walks forward: its planar velocity points to where it looks.
    let planar = floats("planar_velocity");
    let forward: f32 = planar.chunks(2).map(|v| v[1]).sum();
    let aside: f32 = planar.chunks(2).map(|v| v[0].abs()).sum();
    assert!(forward > aside && forward > 0.0, "{forward} forward, {aside} aside");
    let Data::Bool(contacts) = &arrays.get("contacts").unwrap().data else { panic!("contacts are bool") };
    let touching = contacts.iter().filter(|touches| **touches).count();
    assert!(touching > clip.frames() / 2 && touching < contacts.len(), "{touching} of {}", contacts.len());
    // A body turned by a quarter has its heading turned by a quarter.
    let turned = mocap_model::exp(&(mocap_model::Vector3::y() * 0.5));
    let root = clip.skeleton().roots().next().unwrap();
    let mut tracks = clip.tracks().to_vec();
    let track = &mut tracks[root.index()];
    track.rotation = track.rotation.map(|q| turned * q);
    track.translation = track.translation.as_ref().map(|track| track.map(|v| turned * v));
    let other = Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks).unwrap();
    let other = mocap_formats::arrays::of_clip(&other, &ArrayOptions::default());
    for frame in 0..clip.frames() {
        let at = |arrays: &mocap_formats::arrays::Arrays| {
            arrays.get("heading").unwrap().data.number(frame).unwrap()
        };
        let turns = (at(&other) - at(&arrays) - 0.5) / std::f64::consts::TAU;
        assert!((turns - turns.round()).abs() < 1e-5, "frame {frame}: {turns} turns");
    }
}

/// Arrays of other programs need only what a motion needs.
pub(crate) fn fixture_arrays_of_others_are_read() {
    let clip = clip(&fixture("clips/alex_walk.bvh"));
    let mut arrays = mocap_formats::arrays::of_clip(&clip, &ArrayOptions::default());
    let names: Vec<String> = arrays.iter().map(|(name, _)| name.to_owned()).collect();
    for name in names {
        if !["rotations", "root_translation", "parents", "offsets", "fps"].contains(&name.as_str()) {
            arrays.remove(&name);
        }
    }
    let options = ReadOptions::default();
    let read_arrays = |arrays: &mocap_formats::arrays::Arrays| read(&npz::to_bytes(arrays), &options);
    let other = read_arrays(&arrays).unwrap().value.into_clip(&options).unwrap().value;
    assert_eq!((other.frames(), other.rate()), (clip.frames(), clip.rate()));
    assert_eq!(other.skeleton().space().metres(), Some(1.0));
    for (name, code) in
        [("rotations", "arrays::missing"), ("parents", "arrays::missing"), ("fps", "arrays::missing")]
    {
        let mut without = arrays.clone();
        without.remove(name);
        let error = read_arrays(&without).unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.to_string().starts_with(&format!("{name}.npy is missing")), "{error}");
    }
    let mut nan = arrays.clone();
    let Data::F32(values) = &mut nan.get_mut("rotations").unwrap().data else { panic!("floats") };
    values[4 * 7 + 2] = f32::NAN;
    let error = read_arrays(&nan).unwrap_err();
    assert_eq!(error.code(), "arrays::not-finite");
    assert!(error.to_string().starts_with("rotations.npy[0, 7, 2]: NaN"), "{error}");
    let small = Limits { frames: 3, ..Limits::default() };
    let error = read(&npz::to_bytes(&arrays), &ReadOptions { limits: small, ..options.clone() }).unwrap_err();
    assert_eq!(error.code(), "limit");
}
