//! Scenes through files: who is in them, where their joints and the vertices of their bodies are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mocap::model::{Body, Bone, BoundBody, Influence, Mesh, Shape, Skin};
use mocap::{
    Character, Clip, EditOptions, Format, FrameRate, JointId, JointTracks, KeptScene, Opening, Pose,
    ReadOptions, ScalarTrack, Scene, Skeleton, Track, Vector3, WriteOptions, apply_to_scene, edit_scene,
    read_scene, read_target, retarget_scene, write_scene,
};
use mocap_edit::ApplyOptions;
use mocap_edit::edits::{Mirror, Strip};
use mocap_formats::write_kept_scene;
use mocap_model::{Annotations, ForwardKinematics, Joint, Space, Unit, UnitSource};
use mocap_skin::{BoundMesh, SkinMethod};

fn fixture(name: &str) -> PathBuf {
    Path::new("../../fixtures").join(name)
}

fn reading() -> ReadOptions {
    ReadOptions { unit: Some(0.01), rate: FrameRate::new(120.0), ..ReadOptions::default() }
}

/// Every frame is a key: places are then those of the clip.
fn exact() -> WriteOptions {
    WriteOptions { key_error: Some(0.0), ..WriteOptions::default() }
}

/// A tetrahedron on every bone, whose last vertex follows the parent half; a shape with a weight at rest.
fn body(skeleton: &Arc<Skeleton>, name: &str) -> BoundBody {
    let mut object = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut object);
    let mut mesh = Mesh { name: format!("{name} surface"), ..Mesh::default() };
    mesh.skin.starts.push(0);
    let bones = skeleton.iter().map(|(joint, _)| Bone {
        joint,
        inverse_bind: object.joints[joint.index()].inverse().to_homogeneous(),
    });
    mesh.skin = Skin { bones: bones.collect(), ..mesh.skin };
    for (id, joint) in skeleton.iter().filter(|(_, joint)| !joint.end_site) {
        let at = object.joints[id.index()].translation.vector;
        let first = mesh.positions.len() as u32;
        let corners = [Vector3::zeros(), Vector3::x() * 4.0, Vector3::y() * 4.0, Vector3::z() * 4.0];
        mesh.positions.extend(corners.map(|corner| at + corner));
        for face in [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] {
            mesh.faces.push(3);
            mesh.corners.extend(face.map(|corner: u32| first + corner));
        }
        for corner in 0..4 {
            match joint.parent.filter(|_| corner == 3) {
                Some(parent) => mesh
                    .skin
                    .influences
                    .extend([id, parent].map(|joint| Influence { bone: joint.0, weight: 0.5 })),
                None => mesh.skin.influences.push(Influence { bone: id.0, weight: 1.0 }),
            }
            mesh.skin.starts.push(mesh.skin.influences.len() as u32);
        }
    }
    let offsets = vec![(0, Vector3::x() * 3.0), (5, Vector3::y())];
    mesh.shapes.push(Shape { name: "smile".into(), offsets, weight: 0.0 });
    BoundBody {
        body: Arc::new(Body { meshes: vec![mesh], materials: Vec::new() }),
        skeleton: skeleton.clone(),
    }
}

/// The motion of a fixture, moved aside, with a smile that grows to `smile`.
fn person(name: &str, file: &str, aside: f64, smile: f64) -> Character {
    let walk = mocap::read_with(fixture(file), &reading()).unwrap().value;
    let mut tracks = walk.tracks().to_vec();
    tracks[0].translation = Some(match &tracks[0].translation {
        Some(track) => track.map(|place| place + Vector3::new(aside, 0.0, 0.0)),
        None => Track::Constant(walk.skeleton().joint(JointId(0)).offset + Vector3::new(aside, 0.0, 0.0)),
    });
    let clip = Clip::new(walk.skeleton().clone(), walk.rate(), walk.frames(), tracks).unwrap();
    let last = (clip.frames() - 1) as f64;
    let values = (0..clip.frames()).map(|frame| smile * frame as f64 / last).collect();
    let mut annotations = walk.annotations().clone();
    annotations.scalars = vec![ScalarTrack { name: "smile".into(), values: Track::Sampled(values) }];
    let clip = clip.with_annotations(annotations).unwrap();
    let body = Some(body(clip.skeleton(), name));
    Character { name: name.into(), clip, body }
}

fn two_people() -> Scene {
    let people = [("Alice", "clips/alex_walk.bvh", 0.0, 1.0), ("Bob", "clips/robin_walk.bvh", 150.0, 0.25)];
    let mut characters: Vec<Character> =
        people.into_iter().map(|(name, file, aside, smile)| person(name, file, aside, smile)).collect();
    let frames = characters.iter().map(|character| character.clip.frames()).min().unwrap();
    for character in &mut characters {
        character.clip = character.clip.trimmed(0..frames).unwrap();
    }
    Scene { characters, ..Scene::default() }
}

/// The scene with a ball that rolls beside them.
fn two_people_and_a_ball() -> Scene {
    let mut scene = two_people();
    let clip = &scene.characters[0].clip;
    let ball = vec![Joint::new("Ball", None, Vector3::zeros())];
    let ball = Arc::new(Skeleton::new("", *clip.skeleton().space(), ball).unwrap());
    let places = (0..clip.frames()).map(|frame| Vector3::new(-80.0, 11.0, frame as f64)).collect();
    let tracks = vec![JointTracks {
        translation: Some(Track::Sampled(places)),
        ..JointTracks::at_rest(ball.joint(JointId(0)))
    }];
    let clip = Clip::new(ball, clip.rate(), clip.frames(), tracks).unwrap();
    scene.props.push(Character { name: "Ball".into(), ..Character::from(clip) });
    scene
}

fn metres(clip: &Clip) -> f64 {
    clip.skeleton().space().metres().unwrap()
}

/// Where the joints are in a frame [m], by the last part of their names.
fn joints(clip: &Clip, frame: usize) -> Vec<(String, Vector3<f64>)> {
    let mut kinematics = ForwardKinematics::new(clip);
    kinematics.place(frame);
    let short = |name: &str| name.rsplit(':').next().unwrap_or(name).to_owned();
    let joints = clip.skeleton().iter().filter(|(_, joint)| !joint.end_site);
    joints.map(|(id, joint)| (short(&joint.name), kinematics.position(id) * metres(clip))).collect()
}

/// Where the corners of the faces of the body are in a frame [m], in the order of the faces.
fn corners(character: &Character, frame: usize) -> Vec<Vector3<f64>> {
    let clip = &character.clip;
    let mut kinematics = ForwardKinematics::new(clip);
    kinematics.place(frame);
    let body = character.body.as_ref().expect("it has a body").on(clip.skeleton());
    let scalars = &clip.annotations().scalars;
    let weight = |shape: &Shape| {
        let track = scalars.iter().find(|track| track.name == shape.name);
        track.map_or(shape.weight, |track| track.values.at(frame))
    };
    let mut places = Vec::new();
    for mesh in &body.meshes {
        let weights: Vec<f64> = mesh.shapes.iter().map(weight).collect();
        let bound = BoundMesh::new(mesh, clip.skeleton()).expect("its skin is complete");
        let posed = bound.posed(SkinMethod::Linear, |joint| kinematics.matrix(joint), &weights);
        places.extend(mesh.corners.iter().map(|corner| posed[*corner as usize] * metres(clip)));
    }
    places
}

/// How far the joints and vertices of two scenes are apart, in some frames [m].
fn furthest(a: &Scene, b: &Scene, with_bodies: bool) -> f64 {
    assert_eq!(a.names(), b.names());
    let mut most = 0.0f64;
    for (a, b) in a.characters.iter().zip(&b.characters) {
        assert_eq!(a.clip.frames(), b.clip.frames(), "{}", a.name);
        for frame in [0, a.clip.frames() / 3, a.clip.frames() - 1] {
            let (one, two) = (joints(&a.clip, frame), joints(&b.clip, frame));
            assert_eq!(one.len(), two.len(), "{}", a.name);
            for (name, place) in &one {
                let other = two.iter().find(|(other, _)| other == name);
                let (_, other) = other.unwrap_or_else(|| panic!("'{name}' of {} is missing", a.name));
                most = most.max((place - other).norm());
            }
            if with_bodies {
                let (one, two) = (corners(a, frame), corners(b, frame));
                assert_eq!(one.len(), two.len(), "vertices of {}", a.name);
                one.iter().zip(&two).for_each(|(a, b)| most = most.max((a - b).norm()));
            }
        }
    }
    most
}

fn with_bodies(kept: KeptScene) -> Scene {
    let mut warnings = Vec::new();
    let scene = kept.with_bodies(&WriteOptions::default(), &mut warnings).scene;
    assert!(warnings.is_empty(), "{warnings:?}");
    scene
}

/// The height of a person: what 1e-5 counts in.
const HEIGHT: f64 = 1.7;

#[test]
fn files_of_two_people_keep_both_with_their_places_and_meshes() {
    let folder = tempfile::tempdir().unwrap();
    let scene = two_people_and_a_ball();
    for format in [Format::Glb, Format::Gltf, Format::Fbx, Format::Bvh] {
        let path = folder.path().join(format!("both.{format}"));
        let warnings = write_scene(&path, &KeptScene::from(scene.clone()), &exact()).unwrap();
        let options = if format == Format::Bvh { reading() } else { ReadOptions::default() };
        let again = read_scene(&path, &options).unwrap().value;
        assert_eq!(again.scene.names(), ["Alice", "Bob"], "{format}");
        let meshes = format.holds_meshes();
        let again = if meshes { with_bodies(again) } else { again.scene };
        let off = furthest(&scene, &again, meshes);
        assert!(off < 1e-5 * HEIGHT, "{format}: off by {off} m");
        let [ball] = &again.props[..] else { panic!("{format}: {} props", again.props.len()) };
        let place = joints(&ball.clip, 7)[0].1;
        assert!((place - Vector3::new(-0.8, 0.11, 0.07)).norm() < 1e-5, "{format}: {place}");
        // What is lost is said once for each who loses it, by name.
        let lost: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        match meshes {
            true => assert!(lost.iter().all(|text| !text.contains("left out")), "{format}: {lost:?}"),
            false => {
                let of = |name: &str| lost.iter().filter(|text| text.contains(&format!("'{name}'"))).count();
                assert_eq!((of("Alice"), of("Bob")), (1, 1), "{lost:?}");
            }
        }
    }
}

#[test]
fn one_of_two_people_has_only_its_own_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let scene = two_people();
    let path = folder.path().join("both.glb");
    write_scene(&path, &KeptScene::from(scene.clone()), &exact()).unwrap();
    for (name, to) in [("Bob", "bob.fbx"), ("Alice", "alice.glb")] {
        let options = ReadOptions { subject: Some(name.into()), ..ReadOptions::default() };
        let one = read_scene(&path, &options).unwrap().value;
        assert_eq!(one.scene.names(), [name]);
        let to = folder.path().join(to);
        write_scene(&to, &one, &exact()).unwrap();
        let again = with_bodies(read_scene(&to, &ReadOptions::default()).unwrap().value);
        let wanted = scene.clone().with_only(name).unwrap();
        let off = furthest(&wanted, &again, true);
        assert!(off < 1e-5 * HEIGHT, "{name}: off by {off} m");
    }
}

#[test]
fn a_scene_that_nobody_changed_is_written_value_for_value() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["clips/alex_walk.bvh", "gltf/clean.glb", "fbx/clean.fbx", "markers/knee.c3d"] {
        let read = read_scene(fixture(name), &ReadOptions::default()).unwrap().value;
        let path = folder.path().join(name.rsplit('/').next().unwrap());
        assert!(write_scene(&path, &read, &WriteOptions::default()).unwrap().is_empty());
        let document = read.document.clone().unwrap().write().main.into_bytes();
        assert_eq!(std::fs::read(&path).unwrap(), document, "{name}");
        // After an operation it is another file.
        if let Some(clip) = read.scene.clip() {
            let shorter = Scene::from(clip.trimmed(0..clip.frames() - 1).unwrap());
            write_scene(&path, &read.with_scene(shorter), &WriteOptions::default()).unwrap();
            assert_ne!(std::fs::read(&path).unwrap(), document, "{name}");
        }
    }
}

#[test]
fn everyone_on_a_target_has_the_body_of_the_target() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("target.glb");
    let robin = Scene::from(person("Robin", "clips/robin_walk.bvh", 0.0, 0.5));
    write_scene(&target, &KeptScene::from(robin.clone()), &exact()).unwrap();
    let both = KeptScene::from(two_people());
    let alone = KeptScene::from(both.scene.clone().with_only("Alice").unwrap());
    let target = read_target(&target, &ReadOptions::default()).unwrap().value;
    let opening = Opening::default();
    let put = |kept: KeptScene| {
        let mut warnings = Vec::new();
        retarget_scene(kept, &opening, &target, None, &Default::default(), &mut warnings).unwrap()
    };
    let (one, _) = put(alone);
    let (two, reports) = put(both);
    assert_eq!(reports.iter().map(|done| done.name.as_str()).collect::<Vec<_>>(), ["Alice", "Bob"]);
    // Alice's motion is the same as without Bob, and files of both formats show both with the body
    // of the target.
    assert_eq!(one.scene.characters[0].clip, two.scene.characters[0].clip);
    let two_as_read = with_bodies(two.clone());
    let faces = robin.characters[0].body.as_ref().unwrap().body.meshes[0].faces.len();
    for name in ["two.glb", "two.fbx"] {
        let path = folder.path().join(name);
        write_scene(&path, &two, &exact()).unwrap();
        let again = with_bodies(read_scene(&path, &ReadOptions::default()).unwrap().value);
        let off = furthest(&two_as_read, &again, true);
        assert!(off < 1e-5 * HEIGHT, "{name}: off by {off} m");
        for character in &again.characters {
            let body = &character.body.as_ref().unwrap().body;
            assert_eq!(body.meshes.iter().map(|mesh| mesh.faces.len()).sum::<usize>(), faces);
        }
    }
    // A single character is written with the document of the target, and has the same vertices as
    // in the scene of two.
    let path = folder.path().join("one.glb");
    write_scene(&path, &one, &exact()).unwrap();
    let again = with_bodies(read_scene(&path, &ReadOptions::default()).unwrap().value);
    let alice = &two_as_read.characters[0];
    for frame in [0, 20] {
        let (a, b) = (corners(alice, frame), corners(&again.characters[0], frame));
        let off = a.iter().zip(&b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(a.len() == b.len() && off < 1e-5 * HEIGHT, "off by {off} m");
    }
}

/// A head of one joint has no bone whose length would show its size.
#[test]
fn a_head_of_one_joint_grows_with_its_shapes() {
    let space = *person("Alice", "clips/alex_walk.bvh", 0.0, 1.0).clip.skeleton().space();
    let unit = Some(Unit { metres: 0.01, source: UnitSource::Flag });
    let joints = vec![Joint::new("Head", None, Vector3::y() * 160.0)];
    let skeleton = Arc::new(Skeleton::new("", Space { unit, ..space }, joints).unwrap());
    let values = (0..10).map(|frame| f64::from(frame) / 9.0).collect();
    let annotations = Annotations {
        scalars: vec![ScalarTrack { name: "smile".into(), values: Track::Sampled(values) }],
        ..Annotations::default()
    };
    let still = vec![JointTracks::at_rest(skeleton.joint(JointId(0)))];
    let clip = Clip::new(skeleton.clone(), FrameRate::new(30.0).unwrap(), 10, still).unwrap();
    let clip = clip.with_annotations(annotations).unwrap();
    let mut bound = body(&skeleton, "head");
    let mut of_one = (*bound.body).clone();
    of_one.meshes[0].shapes[0].offsets = vec![(1, Vector3::x() * 3.0)];
    bound.body = Arc::new(of_one);
    let head = Character { name: "Head".into(), clip, body: Some(bound) };
    let folder = tempfile::tempdir().unwrap();
    let twice = EditOptions { scale: Some(2.0), ..EditOptions::default() };
    // From a file that is kept, and from none; to both formats of scenes.
    for from in [None, Some("own.glb"), Some("own.fbx")] {
        let kept = match from {
            None => KeptScene::from(Scene::from(head.clone())),
            Some(name) => {
                let own = folder.path().join(name);
                write_scene(&own, &KeptScene::from(Scene::from(head.clone())), &exact()).unwrap();
                read_scene(&own, &ReadOptions::default()).unwrap().value
            }
        };
        let larger = edit_scene(kept, &twice, &mut Vec::new()).unwrap();
        for to in ["two.glb", "two.gltf", "two.fbx"] {
            let path = folder.path().join(to);
            write_scene(&path, &larger, &exact()).unwrap();
            let again = with_bodies(read_scene(&path, &ReadOptions::default()).unwrap().value);
            for frame in [0, 9] {
                let (own, large) = (corners(&head, frame), corners(&again.characters[0], frame));
                assert_eq!(own.len(), large.len(), "{from:?} {to}");
                for (a, b) in own.iter().zip(&large) {
                    assert!((a * 2.0 - b).norm() < 1e-4, "{from:?} {to} {frame}: {a} {b}");
                }
            }
        }
    }
}

#[test]
fn bodies_follow_edits_that_change_size_axes_and_joints() {
    let scene = two_people();
    let kept = KeptScene::from(scene.clone());
    let edited = |options: EditOptions| edit_scene(kept.clone(), &options, &mut Vec::new()).unwrap().scene;
    let larger = edited(EditOptions { scale: Some(1.5), ..EditOptions::default() });
    let in_metres = edited(EditOptions { unit: Some(1.0), ..EditOptions::default() });
    let z_up = edited(EditOptions { up: "z".parse().ok(), ..EditOptions::default() });
    let turned = |p: &Vector3<f64>, from: &Space, to: &Space| {
        let axes = |space: &Space| {
            let (up, forward) = (space.up.vector(), space.forward.vector());
            [up.cross(&forward), up, forward]
        };
        axes(from).iter().zip(axes(to)).map(|(a, b)| b * p.dot(a)).sum::<Vector3<f64>>()
    };
    for (at, character) in scene.characters.iter().enumerate() {
        let frame = 11;
        let own = corners(character, frame);
        let other = |scene: &Scene| corners(&scene.characters[at], frame);
        let spaces = [character, &z_up.characters[at]].map(|one| *one.clip.skeleton().space());
        for ((place, large), (metric, z)) in
            own.iter().zip(other(&larger)).zip(other(&in_metres).into_iter().zip(other(&z_up)))
        {
            assert!((place * 1.5 - large).norm() < 1e-9);
            assert!((place - metric).norm() < 1e-9);
            assert!((turned(place, &spaces[0], &spaces[1]) - z).norm() < 1e-9);
        }
    }
    // A mirror shows the motion of the other side on the same body; joints that are gone leave their faces to those above.
    let edits = [Mirror::default().into(), Strip { strip: "fingers".parse().unwrap() }.into()];
    let (mirrored, reports) = apply_to_scene(kept, &edits, &ApplyOptions::default()).unwrap();
    assert_eq!((mirrored.scene.names(), reports.len()), (vec!["Alice", "Bob"], 2));
    for (character, before) in mirrored.scene.characters.iter().zip(&scene.characters) {
        assert_eq!(corners(character, 3).len(), corners(before, 3).len());
    }
}

#[test]
fn what_differs_in_time_or_unit_is_not_written_as_one() {
    let mut scene = two_people();
    let bob = &mut scene.characters[1];
    bob.clip = bob.clip.trimmed(1..bob.clip.frames()).unwrap();
    let error = write_kept_scene(&scene.clone().into(), Format::Glb, &exact()).unwrap_err();
    assert_eq!(error.code(), "scene::apart");
    assert!(error.to_string().contains("'Bob' has") && error.to_string().contains("frames"), "{error}");
    let alone = scene.with_only("2").unwrap();
    assert_eq!(alone.names(), ["Bob"]);
    assert!(write_kept_scene(&alone.into(), Format::Glb, &exact()).is_ok());
}

#[test]
fn a_clip_is_a_scene_of_one_without_copying() {
    let walk = mocap::read(fixture("clips/alex_walk.bvh")).unwrap().value;
    let tracks = walk.tracks().as_ptr();
    let scene = mocap::scene_of(walk).unwrap();
    assert_eq!(scene.clip().unwrap().tracks().as_ptr(), tracks);
    let one = scene.into_one().unwrap();
    assert_eq!(one.clip.tracks().as_ptr(), tracks);
}
