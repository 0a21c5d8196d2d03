//! Round trips of bodies: vertices are at the same positions in every pose.

use std::sync::Arc;

use mocap_formats::body::BoundBody;
use mocap_formats::{
    Document, Format, Limits, ReadOptions, WriteOptions, read, write_clips, write_kept, write_with_body,
};
use mocap_model::{
    Body, Bone, Clip, ForwardKinematics, FrameRate, Influence, Joint, JointId, JointTracks, Material, Mesh,
    ScalarTrack, Shape, Skeleton, Skin, Space, Track, Unit, UnitQuaternion, UnitSource, Vector3,
};

use crate::gltf_parents::File;
use mocap_skin::{BoundMesh, SkinMethod};
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
pub(crate) fn places(clip: &Clip, body: &Body, frame: usize) -> Vec<Vec<Vector3<f64>>> {
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
        let bound = BoundMesh::new(mesh, clip.skeleton()).unwrap();
        let posed = bound.posed(SkinMethod::Linear, |joint| kinematics.matrix(joint), &weights);
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

pub(crate) fn furthest(a: &[Vec<Vector3<f64>>], b: &[Vec<Vector3<f64>>]) -> f64 {
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

/// Below nodes that mirror, vertices are where the matrices of the nodes put them.
#[test]
fn bodies_below_mirrors_are_mirrored_with_their_joints() {
    let clip = clip(1.0);
    let body = body(&clip);
    let options = WriteOptions { key_error: Some(0.0), ..WriteOptions::default() };
    let bound = bound(&clip, body.clone());
    let written = write_with_body(std::slice::from_ref(&clip), Some(&bound), Format::Glb, &options).unwrap();
    let glb = written.main.into_bytes();
    let turn = UnitQuaternion::from_euler_angles(0.3, -0.8, 1.9);
    let half = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    let none = UnitQuaternion::identity();
    // The node above, whether the roots undo its mirror, and what the whole does to a place.
    for (scale, rotation, undone) in [
        ([-1.0, 1.0, 1.0], none, false),
        ([1.0, 1.0, -1.0], turn, false),
        ([-2.0, -2.0, -2.0], turn, false),
        ([-1.0, -1.0, -1.0], none, true),
        ([-1.0, 1.0, 1.0], half, true),
    ] {
        let mut file = File::of_glb(&glb);
        let q = rotation.coords;
        let node = serde_json::json!({ "scale": scale, "rotation": [q.x, q.y, q.z, q.w] });
        let at = file.wrap(node);
        let above = rotation.to_homogeneous() * Matrix4::new_nonuniform_scaling(&Vector3::from(scale));
        let whole = if undone { Matrix4::identity() } else { above };
        if undone {
            // A point reflection above the roots, and one at them.
            assert!((above + Matrix4::identity()).fixed_view::<3, 3>(0, 0).amax() < 1e-12);
            for root in file.json["nodes"][at]["children"].as_array().unwrap().clone() {
                let root = &mut file.json["nodes"][root.as_u64().unwrap() as usize];
                root["scale"] = serde_json::json!([-1.0, -1.0, -1.0]);
                for value in root["translation"].as_array_mut().unwrap() {
                    *value = (-value.as_f64().unwrap()).into();
                }
            }
        }
        let (_, clip_again, body_again) = again(&file.glb());
        let point = |place: &Vector3<f64>| whole.transform_point(&(*place).into()).coords;
        for frame in 0..FRAMES {
            let expected: Vec<Vec<Vector3<f64>>> =
                places(&clip, &body, frame).iter().map(|mesh| mesh.iter().map(point).collect()).collect();
            let found = places(&clip_again, &body_again, frame);
            // A mirrored triangle has its corners in the other order.
            for (a, b) in found
                .iter()
                .flatten()
                .collect::<Vec<_>>()
                .chunks(3)
                .zip(expected.iter().flatten().collect::<Vec<_>>().chunks(3))
            {
                let off = a.iter().map(|at| b.iter().map(|to| (*at - *to).norm()).fold(9.0, f64::min));
                let off = off.fold(0.0, f64::max);
                assert!(off < 1e-5, "{scale:?} {rotation:?}, frame {frame}: off by {off} m");
                let face = |[a, b, c]: [&Vector3<f64>; 3]| (b - a).cross(&(c - a));
                let outside = face([b[0], b[1], b[2]]) * whole.determinant().signum();
                let cosine = face([a[0], a[1], a[2]]).dot(&outside) / outside.norm_squared();
                assert!((cosine - 1.0).abs() < 1e-3, "{scale:?}: corners run the other way, {cosine}");
            }
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
    let cut = |json: &mut serde_json::Value| {
        let positions = json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].as_u64().unwrap();
        json["accessors"][positions as usize]["count"] = 2.into();
    };
    let shape = found(&|json| cut(json));
    assert!(shape.contains("targets[0].POSITION: the shape 'Surface.smile' displaces"), "{shape}");
    let beyond = found(&|json| {
        cut(json);
        json["meshes"][0]["primitives"][0].as_object_mut().unwrap().remove("targets");
    });
    assert!(beyond.contains("meshes[0].primitives[0].indices["), "{beyond}");
    let joints = found(&|json| {
        let skins = json["skins"].as_array_mut().unwrap();
        skins.iter_mut().for_each(|skin| skin["joints"].as_array_mut().unwrap().truncate(1));
    });
    assert!(joints.contains("attributes.JOINTS_0["), "{joints}");
}

mod baked {
    use super::*;
    use mocap_formats::npz::Archive;
    use mocap_formats::vertex_cache::{BakeError, BakeOptions, CacheFormat, VertexSequence, files};
    use std::path::Path;

    fn sequence(metres: f64, change: impl Fn(&mut Body)) -> Result<(Clip, Body, VertexSequence), BakeError> {
        let clip = clip(metres);
        let mut body = body(&clip);
        change(&mut body);
        let bound = bound(&clip, body.clone());
        let baked = VertexSequence::new(&bound, &clip, &BakeOptions::default())?;
        Ok((clip, body, baked))
    }

    /// The places [m] and normals of all vertices in a frame, in 64 bits.
    fn expected(clip: &Clip, body: &Body, frame: usize) -> Vec<[f64; 3]> {
        let metres = clip.skeleton().space().metres().unwrap();
        let mut kinematics = ForwardKinematics::new(clip);
        kinematics.place(frame);
        let mut all = Vec::new();
        for mesh in body.meshes.iter().filter(|mesh| !mesh.stated.rigid) {
            let smile = 0.2 * frame as f64;
            let weights = vec![smile; mesh.shapes.len()];
            let mut places = mesh.positions.clone();
            for (shape, weight) in mesh.shapes.iter().zip(&weights) {
                shape
                    .offsets
                    .iter()
                    .for_each(|(vertex, offset)| places[*vertex as usize] += offset * *weight);
            }
            for (vertex, at) in places.iter().enumerate() {
                let mut sum = Vector3::zeros();
                for one in mesh.skin.of(vertex) {
                    let bone = mesh.skin.bones[one.bone as usize];
                    let matrix = kinematics.at(bone.joint).to_homogeneous() * bone.inverse_bind;
                    sum += (matrix * at.push(1.0)).xyz() * one.weight;
                }
                all.push((sum * metres).into());
            }
        }
        all
    }

    fn bytes_of(sequence: &VertexSequence, format: CacheFormat) -> Vec<(String, Vec<u8>)> {
        let path = Path::new("out").with_extension(format.extension());
        let found = files(sequence, format, &path).unwrap();
        let written = found.into_iter().map(|(name, file)| {
            let [first, second] = [(); 2].map(|()| {
                let mut bytes = Vec::new();
                file.write(&path, &mut bytes).unwrap();
                bytes
            });
            assert_eq!(first, second, "the same bytes on every call");
            (name.to_str().unwrap().to_owned(), first)
        });
        written.collect()
    }

    fn floats(bytes: &[u8]) -> Vec<f32> {
        bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
    }

    fn off(found: &[f32], expected: &[[f64; 3]]) -> f64 {
        assert_eq!(found.len(), 3 * expected.len());
        found.iter().zip(expected.as_flattened()).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn arrays_and_point_caches_hold_the_vertices_of_linear_blends_in_metres() {
        for metres in [1.0, 0.01] {
            let (clip, body, sequence) = sequence(metres, |_| ()).unwrap();
            assert_eq!((sequence.frames(), sequence.vertices()), (FRAMES, 24));
            let all: Vec<[f64; 3]> = (0..FRAMES).flat_map(|frame| expected(&clip, &body, frame)).collect();
            let caches = bytes_of(&sequence, CacheFormat::Pc2);
            let pc2 = &caches[0].1;
            assert_eq!(&pc2[..12], b"POINTCACHE2\0");
            assert_eq!(pc2[12..20], [[1, 0, 0, 0], [24, 0, 0, 0]].concat());
            assert_eq!(pc2[28..32], (FRAMES as i32).to_le_bytes());
            assert!(off(&floats(&pc2[32..]), &all) < 2e-6, "{}", off(&floats(&pc2[32..]), &all));
            let npz = &bytes_of(&sequence, CacheFormat::Npz)[0].1;
            let archive = Archive::open(npz, &Limits::default()).unwrap();
            let names: Vec<&str> = archive.names().collect();
            assert_eq!(names, ["vertices", "faces", "normals", "fps", "mesh_names", "mesh_starts"]);
            let arrays = archive.read(|_| true).unwrap();
            assert_eq!(arrays.get("vertices").unwrap().shape, [FRAMES, 24, 3]);
            assert_eq!(arrays.get("faces").unwrap().shape, [sequence.triangles(), 3]);
        }
    }

    #[test]
    fn textures_hold_the_vertices_within_their_stated_rounding() {
        let (clip, body, sequence) = sequence(1.0, |_| ()).unwrap();
        let files = bytes_of(&sequence, CacheFormat::Png);
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["out_normals.png", "out.json", "out.png"]);
        let about: serde_json::Value = serde_json::from_slice(&files[1].1).unwrap();
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        let rounding = number(&about["largest_rounding"]);
        assert!(rounding > 0.0 && rounding < 1e-4, "{rounding}");
        let decoder = png::Decoder::new(std::io::Cursor::new(&files[2].1));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (24, FRAMES as u32));
        for frame in 0..FRAMES {
            for (vertex, at) in expected(&clip, &body, frame).iter().enumerate() {
                let mut distance = 0.0f64;
                for axis in 0..3 {
                    let from = 6 * (frame * 24 + vertex) + 2 * axis;
                    let share = f64::from(u16::from_be_bytes([pixels[from], pixels[from + 1]])) / 65535.0;
                    let (low, high) = (number(&about["minimum"][axis]), number(&about["maximum"][axis]));
                    distance += (low + share * (high - low) - at[axis]).powi(2);
                }
                assert!(distance.sqrt() < rounding + 1e-6, "frame {frame}, vertex {vertex}");
            }
        }
    }

    #[test]
    fn usd_has_a_sample_of_points_for_each_frame_and_mesh() {
        let (clip, body, sequence) = sequence(1.0, |_| ()).unwrap();
        let text = String::from_utf8(bytes_of(&sequence, CacheFormat::Usda)[0].1.clone()).unwrap();
        let samples = |text: &str| {
            let numbers = text.split(|c: char| "(), ".contains(c)).filter(|word| !word.is_empty());
            numbers.map(|word| word.parse::<f32>().unwrap()).collect::<Vec<f32>>()
        };
        let points: Vec<&str> = text.split("point3f[] points.timeSamples = {").skip(1).collect();
        assert_eq!(points.len(), 3, "one block for each mesh");
        for frame in 0..FRAMES {
            let start = format!("{frame}: [");
            let found: Vec<f32> = points
                .iter()
                .flat_map(|block| {
                    let line = block.lines().find_map(|line| line.trim().strip_prefix(&start)).unwrap();
                    samples(line.trim_end_matches("],"))
                })
                .collect();
            assert!(off(&found, &expected(&clip, &body, frame)) < 2e-6);
        }
    }

    #[test]
    fn a_place_that_32_bits_cannot_hold_is_refused_in_any_frame() {
        let clip = clip(1.0);
        for frame in 0..FRAMES {
            let mut tracks = clip.tracks().to_vec();
            // Large vertices, and one frame in which they grow.
            let mut sizes = vec![Vector3::repeat(1.0); FRAMES];
            sizes[frame] = Vector3::repeat(1e12);
            tracks[0].scale = Some(Track::Sampled(sizes));
            let grown = Clip::new(clip.skeleton().clone(), clip.rate(), FRAMES, tracks).unwrap();
            let mut large = body(&clip);
            for mesh in &mut large.meshes {
                mesh.positions.iter_mut().for_each(|place| *place *= 1e30);
            }
            let found = VertexSequence::new(&bound(&clip, large), &grown, &BakeOptions::default());
            let error = found.map(|_| ()).unwrap_err();
            assert!(
                matches!(error, BakeError::Overflow { frame: at, .. } if at == frame),
                "{frame}: {error}"
            );
        }
    }

    #[test]
    fn meshes_without_a_skin_are_baked_only_if_asked() {
        let (_, body, without) = sequence(1.0, |body| body.meshes[2].stated.rigid = true).unwrap();
        assert_eq!(without.vertices(), 16);
        let clip = clip(1.0);
        let options = BakeOptions { rigid: true, ..BakeOptions::default() };
        let all = VertexSequence::new(&bound(&clip, body.clone()), &clip, &options).unwrap();
        assert_eq!(all.vertices(), 24);
        let none = sequence(1.0, |body| body.meshes.iter_mut().for_each(|mesh| mesh.stated.rigid = true));
        assert_eq!(none.map(|_| ()).unwrap_err(), BakeError::NoSkin { rigid: 3 });
        let broken = sequence(1.0, |body| body.meshes[1].positions[3].x = f64::NAN).map(|_| ()).unwrap_err();
        assert!(broken.to_string().contains("vertex 3 of mesh 'Cloth'"), "{broken}");
    }

    #[test]
    fn readers_say_which_meshes_have_no_skin() {
        let clip = clip(1.0);
        let body = body(&clip);
        for format in [Format::Glb, Format::Fbx] {
            let bytes = write_with_body(
                std::slice::from_ref(&clip),
                Some(&bound(&clip, body.clone())),
                format,
                &WriteOptions::default(),
            );
            let (_, _, again) = again(&bytes.unwrap().main.into_bytes());
            assert!(again.meshes[..2].iter().all(|mesh| !mesh.stated.rigid), "{format}");
        }
    }
}

/// A clip whose joints have other names or parents would move the wrong joints.
#[test]
fn clips_of_other_skeletons_are_refused() {
    let one = clip(1.0);
    let changed = |change: &dyn Fn(&mut Joint)| {
        let mut joints = one.skeleton().joints().to_vec();
        change(&mut joints[6]);
        let skeleton = Skeleton::new("", *one.skeleton().space(), joints).unwrap();
        one.clone().with_skeleton(Arc::new(skeleton)).unwrap()
    };
    let renamed = changed(&|joint| joint.name = "tail".into());
    let moved = changed(&|joint| joint.parent = Some(JointId(2)));
    let fewer = one.with_only_joints(|joint| joint.name != "joint 6").unwrap();
    for format in [Format::Glb, Format::Gltf, Format::Fbx, Format::Usda] {
        let write =
            |other: &Clip| write_clips(&[one.clone(), other.clone()], format, &WriteOptions::default());
        assert!(write(&one).is_ok(), "{format}");
        for (other, found) in [(&renamed, "'tail'"), (&moved, "'joint 6'"), (&fewer, "'(none)'")] {
            let error = write(other).unwrap_err();
            assert_eq!(error.code(), "format::other-skeleton", "{format}");
            assert!(error.to_string().contains(found), "{format}: {error}");
        }
    }
}
