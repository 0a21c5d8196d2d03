//! glTF: round trips, characters that keep their content, and hostile files that stay bounded.

use mocap_formats::gltf::{self, Problem};
use mocap_formats::{
    ClipChoice, Document, FilesBeside, Format, Kept, Limits, ReadOptions, WriteOptions, read, write,
    write_clips, write_kept,
};
use mocap_model::*;
use std::sync::Arc;

fn wave() -> Clip {
    let clip = include!("../../../../fixtures/wave.rs");
    clip.with_name("wave")
}

fn read_back(bytes: &[u8], clip: Option<&str>) -> Clip {
    let options = ReadOptions { clip: clip.map(|name| ClipChoice(name.into())), ..ReadOptions::default() };
    let document = read(bytes, &options).unwrap().value;
    document.to_clip(&options).unwrap().value
}

/// The largest distance of any joint in any frame.
fn apart(a: &Clip, b: &Clip) -> f64 {
    assert_eq!((a.frames(), a.rate()), (b.frames(), b.rate()));
    let (mut ka, mut kb) = (ForwardKinematics::new(a), ForwardKinematics::new(b));
    let mut worst = 0.0f64;
    for frame in 0..a.frames() {
        ka.place(frame);
        kb.place(frame);
        for (id, _) in a.skeleton().iter() {
            worst = worst.max((ka.position(id) - kb.position(id)).norm());
        }
    }
    worst
}

#[test]
fn clips_come_back_within_the_error() {
    let clip = wave();
    for (format, error) in [(Format::Glb, 1e-5), (Format::Gltf, 1e-5), (Format::Glb, 1e-3)] {
        let options = WriteOptions { key_error: Some(error), ..WriteOptions::default() };
        let bytes = write(&clip, format, &options).unwrap().main.into_bytes();
        assert_eq!(Format::detect(&bytes), Some(format));
        let back = read_back(&bytes, None);
        assert_eq!((back.name(), back.skeleton().len()), ("wave", clip.skeleton().len()));
        // Numbers of 32 bits add a little.
        assert!(apart(&back, &clip) < error + 2e-6, "{format}: {}", apart(&back, &clip));
        let roles = |clip: &Clip| clip.skeleton().joints().iter().map(|joint| joint.role).collect::<Vec<_>>();
        assert_eq!(roles(&back), roles(&clip));
    }
    let short = WriteOptions { short_rotations: true, ..WriteOptions::default() };
    let bytes = write(&clip, Format::Glb, &short).unwrap().main.into_bytes();
    assert!(apart(&read_back(&bytes, None), &clip) < 1e-3);
}

#[test]
fn times_that_single_precision_cannot_tell_apart_are_refused() {
    let clip = wave();
    let at = |fps: f64| {
        let rate = FrameRate::new(fps).unwrap();
        let clip = Clip::new(clip.skeleton().clone(), rate, clip.frames(), clip.tracks().to_vec()).unwrap();
        write(&clip, Format::Glb, &WriteOptions::default()).map(|_| ())
    };
    for fps in [1e-3, 60.0, 1e6] {
        assert!(at(fps).is_ok(), "{fps}");
    }
    for fps in [1e99, 1e-40] {
        let error = at(fps).unwrap_err();
        assert_eq!(error.code(), "gltf::times");
    }
}

/// A file of another program, which does not state its rate, moves as this one's at any time.
#[test]
fn equally_spaced_keys_of_any_rate_are_frames() {
    let clip = wave();
    for fps in [36.89, 53.87, 29.97, 30_000.0 / 1001.0, 65.0, 143.9] {
        let rate = FrameRate::new(fps).unwrap();
        let odd = Clip::new(clip.skeleton().clone(), rate, clip.frames(), clip.tracks().to_vec()).unwrap();
        for error in [0.0, 1e-5] {
            let options = WriteOptions { key_error: Some(error), ..WriteOptions::default() };
            let mut bytes = write(&odd, Format::Glb, &options).unwrap().main.into_bytes();
            let key = br#""fps":"#;
            let at = bytes.windows(key.len()).position(|part| part == key).expect("it states its rate");
            bytes[at..at + key.len()].copy_from_slice(br#""xxx":"#);
            let options = ReadOptions::default();
            let parsed = read(&bytes, &options).unwrap().value.to_clip(&options).unwrap();
            let codes: Vec<&str> = parsed.warnings.iter().map(|warning| warning.code()).collect();
            assert!(!codes.contains(&"gltf::resampled"), "{fps}: {codes:?}");
            let back = parsed.value;
            // The same times, or several frames for one.
            let times = (back.rate().fps() / fps).round();
            assert!((back.rate().fps() / fps / times - 1.0).abs() < 1e-4, "{fps}: {}", back.rate().fps());
            let (mut here, mut there) = (ForwardKinematics::new(&odd), ForwardKinematics::new(&back));
            for frame in 0..odd.frames() {
                here.place(frame);
                there.place(frame * times as usize);
                for (id, _) in odd.skeleton().iter() {
                    let off = (here.position(id) - there.position(id)).norm();
                    assert!(off < error + 5e-6, "{fps}, {error}: {off} in frame {frame}");
                }
            }
        }
    }
}

#[test]
fn larger_errors_make_smaller_files_and_every_mesh_is_there() {
    let clip = wave();
    let size = |options: WriteOptions| write(&clip, Format::Glb, &options).unwrap().main.into_bytes().len();
    let plain = WriteOptions::default();
    assert!(size(WriteOptions { key_error: Some(1e-3), ..plain }) < size(plain));
    assert!(
        size(WriteOptions { key_error: Some(1e-3), ..plain })
            < size(WriteOptions { key_error: Some(0.0), ..plain })
    );
    let mesh = |mesh| size(WriteOptions { mesh: Some(mesh), ..plain });
    use mocap_formats::body::Style;
    assert!(mesh(Style::None) < mesh(Style::Sticks) && mesh(Style::Sticks) < mesh(Style::Capsules));
}

#[test]
fn several_clips_are_named_and_keep_everything() {
    let clip = wave();
    let start = clip.trimmed(0..10).unwrap().with_name("start");
    let event = Event { time: 0.05, name: "left".into() };
    let smile =
        ScalarTrack { name: "smile".into(), values: Track::Sampled((0..10).map(f64::from).collect()) };
    let annotations = Annotations { name: "start".into(), scalars: vec![smile], events: vec![event] };
    let start = start.with_annotations(annotations).unwrap();
    let bytes = write_clips(&[clip.clone(), start.clone()], Format::Glb, &WriteOptions::default());
    let bytes = bytes.unwrap().main.into_bytes();
    let document = read(&bytes, &ReadOptions::default()).unwrap().value;
    assert_eq!(document.clip_names(), ["wave", "start"]);
    let back = read_back(&bytes, Some("start"));
    assert_eq!(back.annotations(), start.annotations());
    assert_eq!(read_back(&bytes, Some("1")), back);
    let first = document.to_clip(&ReadOptions::default()).unwrap();
    assert_eq!((first.value.frames(), first.warnings[0].code()), (120, "clip::first-of-several"));
    let none = ReadOptions { clip: Some(ClipChoice("walk".into())), ..ReadOptions::default() };
    assert_eq!(document.to_clip(&none).unwrap_err().code(), "clip::unknown");
    let bvh = write_clips(&[clip, start], Format::Bvh, &WriteOptions::default()).unwrap_err();
    assert_eq!(bvh.code(), "format::one-clip");
}

#[test]
fn scales_of_joints_are_kept() {
    let clip = wave();
    let mut tracks = clip.tracks().to_vec();
    tracks[9].scale =
        Some(Track::Sampled((0..120).map(|i| Vector3::repeat(1.0 + 0.01 * f64::from(i))).collect()));
    let clip = Clip::new(clip.skeleton().clone(), clip.rate(), 120, tracks).unwrap();
    let bytes = write(&clip, Format::Glb, &WriteOptions::default()).unwrap().main.into_bytes();
    let back = read_back(&bytes, None);
    assert!(back.has_scale() && apart(&back, &clip) < 2e-6);
}

/// A character whose armature is in centimetres and turned, as exporters write it, with a material and an image.
fn character() -> serde_json::Value {
    let bytes = write(&wave(), Format::Gltf, &WriteOptions::default()).unwrap().main.into_bytes();
    let mut json: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let nodes = json["nodes"].as_array_mut().unwrap();
    let body = nodes.len() - 1;
    for node in nodes.iter_mut().take(body) {
        if let Some(place) = node.get_mut("translation") {
            place.as_array_mut().unwrap().iter_mut().for_each(|v| *v = (v.as_f64().unwrap() * 100.0).into());
        }
    }
    nodes.push(serde_json::json!({ "name": "Armature", "children": [0], "scale": [0.01, 0.01, 0.01],
        "rotation": [0.0, std::f64::consts::FRAC_1_SQRT_2, 0.0, std::f64::consts::FRAC_1_SQRT_2] }));
    json["scenes"] = serde_json::json!([{ "nodes": [body, body + 1] }]);
    json["extras"] = serde_json::json!({ "author": "nobody" });
    json["asset"]["generator"] = "Modeller".into();
    json["materials"][0]["name"] = "Cloth".into();
    json.as_object_mut().unwrap().remove("animations");
    // The rest pose is that of the nodes.
    json["skins"][0].as_object_mut().unwrap().remove("inverseBindMatrices");
    json
}

/// The same file whose nodes below the armature state their transforms as matrices.
fn with_matrices(mut json: serde_json::Value) -> Vec<u8> {
    for node in json["nodes"].as_array_mut().unwrap().iter_mut().filter(|node| node["name"] != "Armature") {
        let numbers = |key: &str, default: &[f64]| -> Vec<f64> {
            let given = node.get(key).and_then(|value| value.as_array());
            given.map_or(default.to_vec(), |values| values.iter().filter_map(|v| v.as_f64()).collect())
        };
        let (place, turn) = (numbers("translation", &[0.0; 3]), numbers("rotation", &[0.0, 0.0, 0.0, 1.0]));
        let turn = nalgebra::Quaternion::new(turn[3], turn[0], turn[1], turn[2]);
        let place = Vector3::new(place[0], place[1], place[2]).into();
        let matrix = Isometry3::from_parts(place, UnitQuaternion::from_quaternion(turn)).to_homogeneous();
        node["matrix"] = matrix.as_slice().into();
        let node = node.as_object_mut().unwrap();
        node.remove("translation");
        node.remove("rotation");
    }
    serde_json::to_vec(&json).unwrap()
}

#[test]
fn armatures_are_folded_and_characters_keep_what_they_hold() {
    let json = character();
    let bytes = serde_json::to_vec(&json).unwrap();
    let options = ReadOptions::default();
    let document = read(&bytes, &options).unwrap().value;
    let skeleton = document.to_skeleton(&options).unwrap().value;
    assert_eq!((skeleton.len(), skeleton.joints()[0].name.as_str()), (wave().skeleton().len(), "Hips"));
    // Offsets are metres again, and the quarter turn about Y is in the root.
    assert!((skeleton.joints()[0].offset.y - 0.96).abs() < 1e-6);
    assert!((skeleton.joints()[2].offset - Vector3::new(0.0, -0.45, 0.0)).norm() < 1e-6);
    let clip = wave().with_skeleton(Arc::new(skeleton)).unwrap();
    let with_clips = |document: &dyn Document, clip: &Clip, format: Format| match document
        .with_clips(std::slice::from_ref(clip), format, &WriteOptions::default())
        .unwrap()
    {
        Kept::Written(written) => Ok(written.main.into_bytes()),
        Kept::Not(because) => Err(because),
    };
    let bytes = with_clips(&*document, &clip, Format::Gltf).unwrap();
    let again: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    for part in ["nodes", "scenes", "skins", "meshes", "materials", "extras"] {
        assert_eq!(again[part], json[part], "{part}");
    }
    let back = read_back(&bytes, Some("wave"));
    assert!(apart(&back, &clip) < 1.3e-5, "{}", apart(&back, &clip));
    // An animated node has no matrix: readers may take it instead of the animation.
    let as_matrices = with_matrices(json.clone());
    let document_of_matrices = read(&as_matrices, &options).unwrap().value;
    let bytes_of_matrices = with_clips(&*document_of_matrices, &clip, Format::Gltf).unwrap();
    let written: serde_json::Value = serde_json::from_slice(&bytes_of_matrices).unwrap();
    let channels = written["animations"][0]["channels"].as_array().unwrap();
    for channel in channels {
        let node = channel["target"]["node"].as_u64().unwrap() as usize;
        assert!(written["nodes"][node].get("matrix").is_none(), "{node}");
    }
    assert!(channels.len() > 3 && apart(&read_back(&bytes_of_matrices, Some("wave")), &back) < 1e-6);
    // As GLB it holds the same; other formats do not hold a mesh of others.
    let binary = with_clips(&*document, &clip, Format::Glb).unwrap();
    assert!(apart(&read_back(&binary, None), &back) < 1e-9);
    assert!(with_clips(&*document, &clip, Format::Bvh).is_err());
    // A body of another size takes its mesh along.
    let large = clip.scaled(2.0).unwrap();
    let bytes_of_large = with_clips(&*document, &large, Format::Gltf).unwrap();
    let larger: serde_json::Value = serde_json::from_slice(&bytes_of_large).unwrap();
    for part in ["skins", "meshes", "materials"] {
        assert_eq!(larger[part], json[part], "{part}");
    }
    assert_eq!(larger["nodes"].as_array().unwrap().len(), json["nodes"].as_array().unwrap().len() + 1);
    let back_of_large = read_back(&bytes_of_large, Some("wave"));
    assert!(apart(&back_of_large, &large) < 2.6e-5, "{}", apart(&back_of_large, &large));
    // Writing other clips again does not accumulate data.
    let document = read(&bytes, &options).unwrap().value;
    let twice = with_clips(&*document, &back, Format::Gltf).unwrap();
    let twice: serde_json::Value = serde_json::from_slice(&twice).unwrap();
    assert!(twice["accessors"].as_array().unwrap().len() <= again["accessors"].as_array().unwrap().len());
    // A clip of another skeleton cannot be put into the file.
    let other = Clip::at_rest(
        Arc::new(Skeleton::new("", Space::default(), vec![Joint::new("a", None, Vector3::zeros())]).unwrap()),
        FrameRate::new(30.0).unwrap(),
    );
    assert!(with_clips(&*document, &other, Format::Glb).unwrap_err().contains("other joints"));
    // Then only the motion is written, and a warning says so.
    let alone = write_kept(Some(&*document), &[other], Format::Glb, &WriteOptions::default()).unwrap();
    assert!(alone.warnings.iter().any(|warning| warning.code() == "document::meshes-left-out"));
}

#[test]
fn skins_may_share_joints_and_lack_binds() {
    let options = ReadOptions::default();
    let skeleton = |json: &serde_json::Value| {
        let document = read(&serde_json::to_vec(json).unwrap(), &options).unwrap();
        (document.value.to_skeleton(&options).unwrap().value, document.value.meshes())
    };
    // Joints without inverse binds rest where their nodes are.
    let plain = character();
    assert!(plain["skins"][0].get("inverseBindMatrices").is_none());
    let (expected, meshes) = skeleton(&plain);
    assert_eq!(meshes, 1);
    // A second skin over some of the same joints, in another order, adds none.
    let mut shared = plain.clone();
    let joints = shared["skins"][0]["joints"].as_array().unwrap().clone();
    let some: Vec<_> = joints.iter().rev().take(2).cloned().collect();
    shared["skins"].as_array_mut().unwrap().push(serde_json::json!({ "joints": some }));
    assert_eq!(skeleton(&shared).0, expected);
    // Too few inverse binds, and a stride below 0, are errors with their place.
    let refused = |json: &serde_json::Value| {
        let error = gltf::parse(&serde_json::to_vec(json).unwrap(), &FilesBeside::new(), &Limits::default());
        let error = error.and_then(|document| gltf::to_clip(&document.value, None, None, &Limits::default()));
        let error = error.unwrap_err();
        (error.code(), error.to_string())
    };
    let mut few = plain.clone();
    few["skins"][0]["inverseBindMatrices"] = 0.into();
    let (code, text) = refused(&few);
    assert!(code.starts_with("gltf::") && text.contains("skins[0].inverseBindMatrices"), "{code} {text}");
    let mut negative = plain;
    negative["bufferViews"][0]["byteStride"] = (-4).into();
    let (code, text) = refused(&negative);
    assert!(code == "gltf::json" && text.contains("bufferViews[0].byteStride"), "{code} {text}");
}

/// The JSON and the binary part of a fixture.
fn parts(name: &str) -> (serde_json::Value, Vec<u8>) {
    let path = format!("{}/../../fixtures/gltf/{name}.glb", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&bytes[20..20 + length]).unwrap(), bytes[28 + length..].to_vec())
}

pub(crate) fn glb(json: &serde_json::Value, data: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend(((28 + text.len() + data.len()) as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", text.as_slice()), (b"BIN\0", data)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}

#[test]
fn compressed_buffer_views_are_the_plain_ones() {
    let (json, data) = parts("other-meshopt");
    let (plain_json, plain_data) = parts("clean");
    let compressed = read_back(&glb(&json, &data), None);
    let plain = read_back(&glb(&plain_json, &plain_data), None);
    assert_eq!(compressed.skeleton().joints(), plain.skeleton().joints());
    assert!(apart(&compressed, &plain) < 2e-5, "{}", apart(&compressed, &plain));
    // What is written back names no compression.
    let document = read(&glb(&json, &data), &ReadOptions::default()).unwrap().value;
    let clip = document.to_clip(&ReadOptions::default()).unwrap().value;
    let kept = document.with_clips(std::slice::from_ref(&clip), Format::Glb, &WriteOptions::default());
    let Kept::Written(written) = kept.unwrap() else { panic!("the file takes its own clip") };
    let written = written.main.into_bytes();
    assert!(!written.windows(7).any(|word| word == b"meshopt"));
    assert!(apart(&read_back(&written, None), &plain) < 3e-5);
}

#[test]
fn compressed_buffer_views_are_bounded_by_their_bytes() {
    let (json, data) = parts("other-meshopt");
    let refused = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut json = json.clone();
        change(&mut json);
        let error = *read(&glb(&json, &data), &ReadOptions::default()).unwrap_err().error;
        (error.code(), error.to_string())
    };
    let packed = "/bufferViews/0/extensions/EXT_meshopt_compression";
    let set = |json: &mut serde_json::Value, path: &str, value: serde_json::Value| {
        *json.pointer_mut(path).unwrap() = value;
    };
    // As many items as no bytes hold, in a buffer that would have to be as large.
    let (code, text) = refused(&|json| {
        set(json, &format!("{packed}/count"), 200_000_000.into());
        set(json, "/bufferViews/0/byteLength", 800_000_000.into());
        set(json, "/buffers/1/byteLength", 800_000_252.into());
    });
    assert!(code == "gltf::value" && text.contains("buffers[1].byteLength"), "{code} {text}");
    let (_, text) = refused(&|json| set(json, &format!("{packed}/count"), 4.into()));
    assert!(text.contains("bufferViews[0].byteLength"), "{text}");
    let (_, text) = refused(&|json| set(json, &format!("{packed}/byteLength"), 9.into()));
    assert!(text.contains("damaged") || text.contains("cut off"), "{text}");
    let (_, text) = refused(&|json| set(json, &format!("{packed}/mode"), "x".repeat(100_000).into()));
    assert!(text.contains("ATTRIBUTES, TRIANGLES or INDICES") && text.len() < 1000, "{text}");
    let (_, text) = refused(&|json| {
        set(json, &format!("{packed}/buffer"), 7.into());
    });
    assert!(text.contains("buffers"), "{text}");
}

#[test]
fn small_files_cannot_ask_for_much() {
    let clean = include_bytes!("../../../../fixtures/gltf/clean.glb");
    let parse = |bytes: &[u8], limits: &Limits| {
        let document = gltf::parse(bytes, &FilesBeside::new(), limits)?.value;
        gltf::to_clip(&document, None, None, limits).map(|clip| clip.value)
    };
    assert_eq!(parse(clean, &Limits::default()).unwrap().frames(), 25);
    for limits in [
        Limits { bytes: 100, ..Limits::default() },
        Limits { joints: 2, ..Limits::default() },
        Limits { depth: 2, ..Limits::default() },
        Limits { frames: 10, ..Limits::default() },
    ] {
        assert_eq!(parse(clean, &limits).unwrap_err().code(), "limit");
    }
    let absurd = include_bytes!("../../../../fixtures/gltf/error-count.glb");
    let error = parse(absurd, &Limits::default()).unwrap_err();
    assert!(
        matches!(error.error.problem_as(), Some(Problem::Range { path, .. }) if path == "animations[0].samplers[0].output: accessors[1]"),
        "{error}"
    );
}

#[test]
fn damaged_files_never_panic() {
    let clean = include_bytes!("../../../../fixtures/gltf/clean.glb");
    let limits = Limits { frames: 100_000, ..Limits::default() };
    let mut accepted = 0;
    for at in 0..clean.len() {
        for by in [0x00, 0xFF, b'9', b'-'] {
            let mut bytes = clean.to_vec();
            bytes[at] = by;
            if let Ok(document) = gltf::parse(&bytes, &FilesBeside::new(), &limits) {
                accepted += usize::from(gltf::to_clip(&document.value, None, None, &limits).is_ok());
            }
        }
    }
    assert!(accepted > 100, "most bytes are numbers: {accepted}");
}

/// A triangle with two morph targets that are both called `smile`: their weights go to 1 and to 0.5.
fn two_smiles() -> String {
    let data = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAADNzMw9AAAAAAAAAADNzMw9AAAAAAAAAADNzMw9AAAAAAAAgD8AAAAAAAAAAAAAgD8AAAA/";
    serde_json::json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": [{ "name": "face", "mesh": 0 }],
        "meshes": [{
            "primitives": [{ "attributes": { "POSITION": 0 }, "targets": [{ "POSITION": 1 }, { "POSITION": 1 }] }],
            "extras": { "targetNames": ["smile", "smile"] }
        }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3" },
            { "bufferView": 2, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] },
            { "bufferView": 3, "componentType": 5126, "count": 4, "type": "SCALAR" }
        ],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 36 }, { "buffer": 0, "byteOffset": 36, "byteLength": 36 },
            { "buffer": 0, "byteOffset": 72, "byteLength": 8 }, { "buffer": 0, "byteOffset": 80, "byteLength": 16 }
        ],
        "buffers": [{ "byteLength": 96, "uri": format!("data:application/octet-stream;base64,{data}") }],
        "animations": [{
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }],
            "samplers": [{ "input": 2, "output": 3 }]
        }]
    })
    .to_string()
}

#[test]
fn morph_targets_of_one_name_keep_their_own_weights() {
    let options = ReadOptions::default();
    let weights = |bytes: &[u8]| {
        let document = mocap_formats::read(bytes, &options).unwrap().value;
        let clip = document.to_clip(&options).unwrap();
        let codes: Vec<&str> = clip.warnings.iter().map(|warning| warning.code()).collect();
        assert!(codes.contains(&"gltf::duplicate-target"), "{codes:?}");
        let last = clip.value.frames() - 1;
        let scalars = clip.value.annotations().scalars.iter();
        let all: Vec<(String, f64)> =
            scalars.map(|track| (track.name.clone(), track.values.at(last))).collect();
        (document, clip.value, all)
    };
    let expected = vec![("face.smile".to_owned(), 1.0), ("face.smile_2".to_owned(), 0.5)];
    let (document, clip, read) = weights(two_smiles().as_bytes());
    assert_eq!(read, expected);
    // With the other content of the file, and with the body as this program draws it.
    let slow = clip.with_rate(mocap_model::FrameRate::new(12.0).unwrap());
    let body = document.body(&mocap_formats::Limits::default()).unwrap().unwrap().value;
    let character = mocap_model::Character { body: Some(body), ..slow.clone().into() };
    let anew = mocap_model::Scene { characters: vec![character], ..mocap_model::Scene::default() };
    let anew = mocap_formats::write_scene(&anew, Format::Glb, &WriteOptions::default()).unwrap();
    assert_eq!(
        weights(&anew.main.into_bytes()).2.iter().map(|(_, value)| *value).collect::<Vec<_>>(),
        [1.0, 0.5]
    );
    let scene = mocap_model::Scene::from(slow);
    let kept =
        mocap_formats::write_scene_beside(Some(&*document), &scene, Format::Glb, &WriteOptions::default());
    assert_eq!(weights(&kept.unwrap().main.into_bytes()).2, expected);
}
