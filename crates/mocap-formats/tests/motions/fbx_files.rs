//! FBX: joints are where ufbx places them, and clips survive round trips.

use crate::ufbx_places::largest_difference;
use mocap_formats::fbx::{Document, parse, to_clip};
use mocap_formats::{ClipChoice, Format, Kept, Limits, ReadOptions, WriteOptions, read, write};
use mocap_model::{Clip, ForwardKinematics, FrameRate, Space, Unit, UnitSource};
use std::sync::Arc;

fn document(name: &str, bytes: &[u8]) -> Document {
    parse(bytes, &Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}")).value
}

/// The largest distance [m] of a joint from where the library has it, over all stacks.
fn check_places(name: &str, bytes: &[u8]) -> f64 {
    let document = document(name, bytes);
    let mut worst: f64 = 0.0;
    for stack in 0..document.stacks().len() {
        let clip = to_clip(&document, stack, &ReadOptions::default()).unwrap().value;
        let off = largest_difference(bytes, stack, &clip) * clip.skeleton().space().metres().unwrap();
        mocap_corpus::note!("{name} #{}: {} frames, off by {off:.1e} m", clip.name(), clip.frames());
        worst = worst.max(off);
    }
    worst
}

pub(crate) fn joints_of_real_files_are_where_the_library_places_them() {
    for (name, bytes) in mocap_corpus::files("fbx") {
        let off = check_places(&name, &bytes);
        assert!(off < 1e-6, "{name}: off by {off} m");
    }
}

/// Writes clips and reads them again: skeleton, rate and places of joints stay.
fn check_round_trip(name: &str, clip: &Clip) -> f64 {
    let centimetres = Unit { metres: 0.01, source: UnitSource::Flag };
    let space = Space { unit: Some(centimetres), ..*clip.skeleton().space() };
    let clip = clip.clone().with_skeleton(Arc::new(clip.skeleton().with_space(space))).unwrap();
    let encoded = write(&clip, Format::Fbx, &WriteOptions::default()).unwrap();
    assert!(encoded.warnings.is_empty(), "{name}: {:?}", encoded.warnings);
    let bytes = encoded.main.into_bytes();
    let options = ReadOptions::default();
    let document = read(&bytes, &options).unwrap();
    assert_eq!((document.value.format(), document.warnings), (Format::Fbx, vec![]), "{name}");
    let again = document.value.to_clip(&options).unwrap();
    assert_eq!(again.warnings, [], "{name}");
    let again = again.value;
    let joints = |clip: &Clip| {
        let joints = clip.skeleton().joints().iter();
        joints.map(|joint| (joint.name.clone(), joint.parent, joint.end_site)).collect::<Vec<_>>()
    };
    assert_eq!(joints(&again), joints(&clip), "{name}");
    assert_eq!(again.frames(), clip.frames(), "{name}");
    assert!((again.rate().fps() / clip.rate().fps() - 1.0).abs() < 1e-4, "{name}");
    let rests = again.skeleton().joints().iter().zip(clip.skeleton().joints());
    for (rest, expected) in rests {
        assert!((rest.offset - expected.offset).norm() < 1e-9 * (1.0 + expected.offset.norm()), "{name}");
        assert!(mocap_model::angle_between(&rest.rest_rotation, &expected.rest_rotation) < 1e-6, "{name}");
    }
    let (mut ours, mut theirs) = (ForwardKinematics::new(&clip), ForwardKinematics::new(&again));
    let mut worst: f64 = 0.0;
    for frame in (0..clip.frames()).step_by(clip.frames() / 100 + 1) {
        ours.place(frame);
        theirs.place(frame);
        for (id, _) in clip.skeleton().iter() {
            worst = worst.max((ours.position(id) - theirs.position(id)).norm());
        }
    }
    mocap_corpus::note!("{name}: {} bytes, off by {:.1e} m", bytes.len(), worst * 0.01);
    worst * 0.01
}

fn clip_of(name: &str, bytes: &[u8]) -> Clip {
    let options = ReadOptions::default();
    let document = read(bytes, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
    document.value.into_clip(&options).unwrap_or_else(|error| panic!("{name}: {error}")).value
}

pub(crate) fn real_clips_written_and_read_again_keep_their_places() {
    for (name, bytes) in mocap_corpus::files("bvh") {
        let off = check_round_trip(&name, &clip_of(&name, &bytes));
        assert!(off < 1e-5, "{name}: off by {off} m");
    }
}

pub(crate) fn fixtures_written_and_read_again_keep_their_places() {
    for (name, bytes) in mocap_corpus::fixtures("clips", "bvh") {
        let clip = clip_of(&name, &bytes);
        let off = check_round_trip(&name, &clip);
        assert!(off < 1e-5, "{name}: off by {off} m");
        let file = write(&clip, Format::Fbx, &WriteOptions::default()).unwrap().main.into_bytes();
        let off = check_places(&name, &file);
        assert!(off < 1e-6, "{name}: the library places a joint {off} m from where it is read");
    }
}

/// The largest distance [m] of a joint of a written file from the motion, in and between the frames.
fn check_between(name: &str, clip: &Clip) -> f64 {
    let file = write(clip, Format::Fbx, &WriteOptions::default()).unwrap().main.into_bytes();
    let space = Space { unit: Some(Unit { metres: 0.01, source: UnitSource::File }), ..Space::default() };
    let unit = clip.skeleton().space().unit.or(space.unit);
    let stated = Arc::new(clip.skeleton().with_space(Space { unit, ..*clip.skeleton().space() }));
    let moved = clip.clone().with_skeleton(stated).unwrap().in_space(space).unwrap();
    let finer = FrameRate::new(4.0 * clip.rate().fps()).unwrap();
    let off = largest_difference(&file, 0, &moved.resampled(finer).unwrap()) * 0.01;
    mocap_corpus::note!("{name}: between frames off by {off:.1e} m, {} bytes", file.len());
    // The rate of the file stays that of the clip, without a warning about keys between frames.
    let again = read(&file, &ReadOptions::default()).unwrap().value.to_clip(&ReadOptions::default()).unwrap();
    assert_eq!((again.warnings, again.value.frames()), (vec![], clip.frames()), "{name}");
    off
}

/// The clip with every joint turned at rest, so that angles pass the places where two axes are one.
fn turned_at_rest(clip: &Clip) -> Clip {
    let turn = mocap_model::UnitQuaternion::from_euler_angles(0.3, 1.5, -0.8);
    let mut skeleton = (**clip.skeleton()).clone();
    skeleton = skeleton
        .with_joints(|joint| {
            joint.rest_rotation = match joint.parent {
                Some(_) => turn.inverse() * joint.rest_rotation * turn,
                None => joint.rest_rotation * turn,
            };
            if joint.parent.is_some() {
                joint.offset = turn.inverse() * joint.offset;
            }
        })
        .unwrap();
    let tracks = clip.skeleton().joints().iter().zip(clip.tracks()).map(|(joint, tracks)| {
        let turned = |rotation: &mocap_model::UnitQuaternion<f64>| match joint.parent {
            Some(_) => turn.inverse() * rotation * turn,
            None => rotation * turn,
        };
        let moved = |place: &mocap_model::Vector3<f64>| match joint.parent {
            Some(_) => turn.inverse() * place,
            None => *place,
        };
        mocap_model::JointTracks {
            rotation: tracks.rotation.map(turned),
            translation: tracks.translation.as_ref().map(|track| track.map(moved)),
            scale: tracks.scale.clone(),
        }
    });
    let tracks = tracks.collect();
    Clip::new(Arc::new(skeleton), clip.rate(), clip.frames(), tracks).unwrap()
}

pub(crate) fn fixtures_stay_on_the_motion_between_frames() {
    for (name, bytes) in mocap_corpus::fixtures("clips", "bvh") {
        let clip = clip_of(&name, &bytes);
        for (what, clip) in [("as it is", clip.clone()), ("turned at rest", turned_at_rest(&clip))] {
            let off = check_between(&format!("{name}, {what}"), &clip);
            assert!(off < 1e-4, "{name}, {what}: off by {off} m between frames");
        }
    }
}

pub(crate) fn real_motions_stay_on_the_motion_between_frames() {
    for (name, bytes) in mocap_corpus::files("bvh").into_iter().filter(|(name, _)| !name.contains("bandai2"))
    {
        let clip = clip_of(&name, &bytes);
        let clip = clip.trimmed(0..clip.frames().min(200)).unwrap();
        let off = check_between(&name, &clip);
        assert!(off < 1e-4, "{name}: off by {off} m between frames");
    }
}

/// How many meshes, skins, materials and textures a file has.
fn contents(bytes: &[u8]) -> [usize; 4] {
    let scene =
        ufbx::load_memory(bytes, ufbx::LoadOpts::default()).unwrap_or_else(|_| panic!("ufbx reads it"));
    [scene.meshes.count, scene.skin_deformers.count, scene.materials.count, scene.textures.count]
}

/// Puts every clip of a file back into it, without its first frame; the worst distance of a joint [m].
fn check_kept(name: &str, bytes: &[u8]) -> f64 {
    let document = read(bytes, &ReadOptions::default()).unwrap().value;
    let mut worst: f64 = 0.0;
    for stack in document.clip_names() {
        let options = ReadOptions { clip: Some(ClipChoice(stack.clone())), ..ReadOptions::default() };
        let clip = document.to_clip(&options).unwrap().value;
        if clip.frames() < 2 || clip.has_scale() {
            continue;
        }
        let clip = clip.trimmed(1..clip.frames()).unwrap();
        let kept = document.with_clips(std::slice::from_ref(&clip), Format::Fbx, &WriteOptions::default());
        let kept = match kept.unwrap() {
            Kept::Written(kept) => kept,
            Kept::Not(because) => panic!("{name}: {because}"),
        };
        let written = kept.main.into_bytes();
        assert_eq!(contents(&written), contents(bytes), "{name}");
        let again = read(&written, &ReadOptions::default()).unwrap().value;
        assert_eq!(again.clip_names(), [stack], "{name}");
        let again = again.to_clip(&ReadOptions::default()).unwrap().value;
        assert_eq!(again.frames(), clip.frames(), "{name}");
        let metres = clip.skeleton().space().metres().unwrap();
        let (mut ours, mut theirs) = (ForwardKinematics::new(&clip), ForwardKinematics::new(&again));
        let mut off: f64 = 0.0;
        for frame in 0..clip.frames() {
            ours.place(frame);
            theirs.place(frame);
            for (id, _) in clip.skeleton().iter() {
                off = off.max((ours.position(id) - theirs.position(id)).norm() * metres);
            }
        }
        let library = largest_difference(&written, 0, &again) * metres;
        mocap_corpus::note!(
            "{name} #{}: kept within {off:.1e} m, {library:.1e} m of the library",
            clip.name()
        );
        worst = worst.max(off).max(library);
    }
    worst
}

pub(crate) fn real_files_keep_their_meshes_with_other_clips() {
    for (name, bytes) in mocap_corpus::files("fbx") {
        let off = check_kept(&name, &bytes);
        assert!(off < 1e-5, "{name}: off by {off} m");
    }
}

pub(crate) fn fixtures_keep_their_meshes_with_other_clips() {
    let clip = clip_of("walk", &std::fs::read(mocap_corpus::fixture("clips/alex_walk.bvh")).unwrap());
    let bytes = write(&clip, Format::Fbx, &WriteOptions::default()).unwrap().main.into_bytes();
    assert_eq!(contents(&bytes)[..3], [1, 1, 1]);
    let off = check_kept("walk", &bytes);
    assert!(off < 1e-5, "off by {off} m");
}
