//! Bodies through files: what a reader gives of what a writer wrote stands where it stood, in every pose.

use std::sync::Arc;

use mocap_formats::body::BoundBody;
use mocap_formats::{Document, Format, Limits, ReadOptions, WriteOptions, read, write_kept, write_with_body};
use mocap_model::{
    Body, Bone, Clip, ForwardKinematics, FrameRate, Influence, Joint, JointId, JointTracks, Material, Mesh,
    ScalarTrack, Shape, Skeleton, Skin, Space, Track, Unit, UnitQuaternion, UnitSource, Vector3,
};

use nalgebra::Matrix4;

const FRAMES: usize = 5;

/// A chain of seven joints that turns; its unit is given.
fn clip(metres: f64) -> Clip {
    let turn = |x: f64| UnitQuaternion::from_euler_angles(x, 0.3 * x, -0.5 * x);
    let joints = (0..7u32).map(|at| Joint {
        rest_rotation: turn(0.2 * f64::from(at)),
        ..Joint::new(
            format!("joint {at}"),
            at.checked_sub(1).map(JointId),
            Vector3::new(0.1, 0.4, 0.05 * f64::from(at)) / metres,
        )
    });
    let unit = Some(Unit { metres, source: UnitSource::File });
    let space = Space { unit, ..Space::default() };
    let skeleton = Arc::new(Skeleton::new("", space, joints.collect()).unwrap());
    let tracks = skeleton.joints().iter().enumerate().map(|(at, joint)| JointTracks {
        rotation: Track::Sampled(
            (0..FRAMES).map(|frame| joint.rest_rotation * turn(0.1 * (frame * (at + 1)) as f64)).collect(),
        ),
        translation: None,
        scale: None,
    });
    let tracks = tracks.collect();
    let clip = Clip::new(skeleton, FrameRate::new(30.0).unwrap(), FRAMES, tracks).unwrap();
    let values = (0..FRAMES).map(|frame| 0.2 * frame as f64).collect();
    let mut annotations = clip.annotations().clone();
    annotations.scalars.push(ScalarTrack { name: "Surface.smile".into(), values: Track::Sampled(values) });
    clip.with_name("move").with_annotations(annotations).unwrap()
}

/// A strip of quads along the chain whose vertices follow six joints, with a seam, a shape and two materials; a second
/// mesh, bound elsewhere and in another unit; and one that hangs on one joint.
fn body(clip: &Clip) -> Body {
    let metres = clip.skeleton().space().metres().unwrap();
    let mut kinematics = ForwardKinematics::new(clip);
    kinematics.place(0);
    let bones = |ids: &[u32], scale: f64, shift: f64| -> Vec<Bone> {
        let bone = |id: &u32| {
            let joint = JointId(*id);
            let bind = kinematics.at(joint).inverse().to_homogeneous();
            let moved =
                Matrix4::new_translation(&Vector3::new(shift, 0.0, 0.0)) * Matrix4::new_scaling(scale);
            Bone { joint, inverse_bind: bind * moved }
        };
        ids.iter().map(bone).collect()
    };
    let strip = |size: f64| Mesh {
        positions: (0..8u32)
            .map(|at| Vector3::new(f64::from(at % 2), 0.3 * f64::from(at / 2), 0.1 * f64::from(at)) * size)
            .collect(),
        faces: vec![4; 3],
        corners: vec![0, 1, 3, 2, 2, 3, 5, 4, 4, 5, 7, 6],
        normals: (0..12).map(|at| Vector3::new(f64::from(at / 4), 0.5, 1.0).normalize()).collect(),
        uvs: (0..12u32).map(|at| [f64::from(at) / 16.0, f64::from(at / 2) / 8.0]).collect(),
        materials: vec![0, 1, 1],
        ..Mesh::default()
    };
    let skin = |bones: Vec<Bone>, of: &dyn Fn(usize) -> Vec<f64>| {
        let mut skin = Skin { bones, starts: vec![0], influences: Vec::new() };
        for vertex in 0..8 {
            let weights = of(vertex).into_iter().enumerate().filter(|(_, weight)| *weight > 0.0);
            skin.influences.extend(weights.map(|(bone, weight)| Influence { bone: bone as u32, weight }));
            skin.starts.push(skin.influences.len() as u32);
        }
        skin
    };
    let six = |vertex: usize| {
        let raw: Vec<f64> = (0..6).map(|bone| 1.0 + ((vertex + bone) % 4) as f64).collect();
        let sum: f64 = raw.iter().sum();
        raw.into_iter().map(|weight| weight / sum).collect()
    };
    let two = |vertex: usize| vec![vertex as f64 / 8.0, 1.0 - vertex as f64 / 8.0];
    let shape = Shape {
        name: "Surface.smile".into(),
        offsets: vec![(1, Vector3::new(0.1, 0.2, 0.3) / metres), (6, Vector3::new(0.0, 0.5, 0.0) / metres)],
        weight: 0.25,
    };
    let colour =
        |name: &str, r: f64| Material { name: name.into(), colour: [r, 0.5, 0.25, 1.0], image: None };
    Body {
        meshes: vec![
            Mesh {
                name: "Surface".into(),
                skin: skin(bones(&[6, 0, 1, 2, 3, 4], 1.0, 0.0), &six),
                shapes: vec![shape],
                ..strip(1.0 / metres)
            },
            // In tenths of the unit, bound beside the rest pose.
            Mesh {
                name: "Cloth".into(),
                skin: skin(bones(&[2, 5], 0.1, 0.2 / metres), &two),
                ..strip(10.0 / metres)
            },
            Mesh {
                name: "Hat".into(),
                skin: skin(bones(&[6], 1.0, 0.0), &|_| vec![1.0]),
                uvs: Vec::new(),
                ..strip(1.0 / metres)
            },
        ],
        materials: vec![colour("Skin", 0.75), colour("Shirt", 0.125)],
    }
}

fn bound(clip: &Clip, body: Body) -> BoundBody {
    BoundBody { body: Arc::new(body), skeleton: clip.skeleton().clone() }
}

/// By mesh: where the corners of its faces are in a frame [m].
fn places(clip: &Clip, body: &Body, frame: usize) -> Vec<Vec<Vector3<f64>>> {
    let metres = clip.skeleton().space().metres().unwrap();
    let mut kinematics = ForwardKinematics::new(clip);
    kinematics.place(frame);
    let scalars = &clip.annotations().scalars;
    let meshes = body.meshes.iter().map(|mesh| {
        let weight = |shape: &Shape| {
            scalars
                .iter()
                .find(|track| track.name == shape.name)
                .map_or(shape.weight, |track| track.values.at(frame))
        };
        let weights: Vec<f64> = mesh.shapes.iter().map(weight).collect();
        let posed = mesh.posed(kinematics.pose(), &weights);
        let mut from = 0;
        let mut places = Vec::new();
        for count in &mesh.faces {
            for triangle in mesh.triangles_of(from, *count as usize) {
                places.extend(
                    triangle.map(|corner| posed[mesh.corners[from + corner as usize] as usize] * metres),
                );
            }
            from += *count as usize;
        }
        places
    });
    meshes.collect()
}

fn furthest(a: &[Vec<Vector3<f64>>], b: &[Vec<Vector3<f64>>]) -> f64 {
    assert_eq!(a.iter().map(Vec::len).collect::<Vec<_>>(), b.iter().map(Vec::len).collect::<Vec<_>>());
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

fn again(bytes: &[u8]) -> (Box<dyn Document>, Clip, Body) {
    let options = ReadOptions::default();
    let document = read(bytes, &options).unwrap().value;
    let clip = document.to_clip(&options).unwrap().value;
    let found = document.body(&Limits::default()).unwrap().expect("the file has a body");
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    assert_eq!(&*found.value.skeleton, &**clip.skeleton());
    let body = Body::clone(&found.value.body);
    (document, clip, body)
}

#[test]
fn bodies_stand_in_every_pose_as_they_were_written() {
    for metres in [1.0, 0.01] {
        let clip = clip(metres);
        let body = body(&clip);
        for format in [Format::Glb, Format::Gltf, Format::Fbx] {
            let written = write_with_body(
                std::slice::from_ref(&clip),
                Some(&bound(&clip, body.clone())),
                format,
                &WriteOptions { key_error: Some(0.0), ..WriteOptions::default() },
            );
            let written = written.unwrap();
            assert!(written.warnings.is_empty(), "{format}: {:?}", written.warnings);
            let (_, clip_again, body_again) = again(&written.main.into_bytes());
            let names = |body: &Body| body.meshes.iter().map(|mesh| mesh.name.clone()).collect::<Vec<_>>();
            assert_eq!(names(&body_again), names(&body), "{format}");
            for frame in 0..FRAMES {
                let (a, b) = (places(&clip, &body, frame), places(&clip_again, &body_again, frame));
                let off = furthest(&a, &b);
                assert!(off < 1e-5, "{format}, unit of {metres} m, frame {frame}: off by {off} m");
            }
            let [surface, again] = [&body, &body_again].map(|body| &body.meshes[0]);
            assert!((again.shapes[0].weight - 0.25).abs() < 1e-6 && again.shapes[0].name == "Surface.smile");
            if format == Format::Fbx {
                assert_eq!(
                    (&again.faces, &again.corners),
                    (&surface.faces, &surface.corners),
                    "polygons stay"
                );
                assert!(
                    again
                        .uvs
                        .iter()
                        .zip(&surface.uvs)
                        .all(|(a, b)| (a[0] - b[0]).abs() + (a[1] - b[1]).abs() < 1e-6)
                );
            }
            let colours = |body: &Body| {
                let mesh = &body.meshes[0];
                let mut seen: Vec<f64> =
                    mesh.materials.iter().map(|at| body.materials[*at as usize].colour[0]).collect();
                seen.dedup();
                seen
            };
            assert_eq!(colours(&body_again), colours(&body), "{format}");
        }
    }
}

#[test]
fn a_body_goes_from_one_format_to_the_other() {
    let clip = clip(1.0);
    let body = body(&clip);
    let options = WriteOptions { key_error: Some(0.0), ..WriteOptions::default() };
    for (from, to) in [(Format::Glb, Format::Fbx), (Format::Fbx, Format::Glb)] {
        let first =
            write_with_body(std::slice::from_ref(&clip), Some(&bound(&clip, body.clone())), from, &options);
        let (document, first, _) = again(&first.unwrap().main.into_bytes());
        let second = write_kept(Some(&*document), &[first], to, &options).unwrap();
        assert!(second.warnings.is_empty(), "{:?}", second.warnings);
        let (_, second, body_again) = again(&second.main.into_bytes());
        for frame in 0..FRAMES {
            let off = furthest(&places(&clip, &body, frame), &places(&second, &body_again, frame));
            assert!(off < 1e-5, "{from} to {to}, frame {frame}: off by {off} m");
        }
    }
}

#[test]
fn what_followed_a_joint_that_is_gone_follows_the_one_above() {
    let clip = clip(1.0);
    let body = body(&clip);
    let fewer = clip.with_only_joints(|joint| joint.name != "joint 6").unwrap();
    let on = body.on(clip.skeleton(), fewer.skeleton());
    let hat = &on.meshes[2].skin;
    assert_eq!(fewer.skeleton().joint(hat.bones[0].joint).name, "joint 5");
    let rest = |clip: &Clip, body: &Body| {
        let still = JointTracks::at_rest;
        let tracks = clip.skeleton().joints().iter().map(still).collect();
        let clip = Clip::new(clip.skeleton().clone(), clip.rate(), 1, tracks).unwrap();
        places(&clip, body, 0)
    };
    assert!(furthest(&rest(&clip, &body), &rest(&fewer, &on)) < 1e-12);
    let larger = clip.scaled(1.5).unwrap();
    let on = body.on(clip.skeleton(), larger.skeleton());
    let scaled: Vec<Vec<Vector3<f64>>> =
        places(&clip, &body, 3).iter().map(|mesh| mesh.iter().map(|place| place * 1.5).collect()).collect();
    // Shapes are in the space of the mesh, so they grow with it.
    assert!(furthest(&scaled, &places(&larger, &on, 3)) < 1e-12);
}

#[test]
fn wrong_indices_and_numbers_are_found_with_their_place() {
    let clip = clip(1.0);
    let written = write_with_body(
        std::slice::from_ref(&clip),
        Some(&bound(&clip, body(&clip))),
        Format::Gltf,
        &WriteOptions::default(),
    );
    let text = String::from_utf8(written.unwrap().main.into_bytes()).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let found = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut json = json.clone();
        change(&mut json);
        let document = read(json.to_string().as_bytes(), &ReadOptions::default()).unwrap().value;
        document.body(&Limits::default()).map(drop).unwrap_err().to_string()
    };
    let skin = found(&|json| {
        let nodes = json["nodes"].as_array_mut().unwrap();
        nodes.iter_mut().filter(|node| node.get("mesh").is_some()).for_each(|node| node["skin"] = 9.into());
    });
    assert!(skin.contains(".skin is 9"), "{skin}");
    let accessor = found(&|json| json["meshes"][0]["primitives"][0]["indices"] = 999.into());
    assert!(accessor.contains("meshes[0].primitives[0].indices is 999"), "{accessor}");
    let beyond = found(&|json| {
        let positions = json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].as_u64().unwrap();
        json["accessors"][positions as usize]["count"] = 2.into();
    });
    assert!(beyond.contains("meshes[0].primitives[0].indices["), "{beyond}");
    let joints = found(&|json| {
        let skins = json["skins"].as_array_mut().unwrap();
        skins.iter_mut().for_each(|skin| skin["joints"].as_array_mut().unwrap().truncate(1));
    });
    assert!(joints.contains("attributes.JOINTS_0["), "{joints}");
}
