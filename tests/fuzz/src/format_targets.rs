//! Readers of files in memory: every format, maps, compressed clips.

use std::sync::Arc;

use mocap::compress::{Looping, OpenLimits, Profile};
use mocap::formats::ReadOptions;
use mocap::formats::{self, asf};
use mocap::model::{RobotMotion, RobotPose};
use mocap::retarget::map_roles;
use mocap::{
    Clip, CompressOptions, Compressed, FilesBeside, Format, FrameRate, Isometry3, Limits, Mapping, Parsed,
    ReadError, Skeleton, WriteOptions,
};

use crate::budget::SAMPLES;
use crate::corpus::{fixture, fixtures, has_extension};
use crate::sealed::sealed;
use crate::target::{Outcome, Target, checked};

/// Bytes of a decoded sample: ten numbers of a transform, and what the reader holds beside them.
const DECODED: u64 = 64;

/// One target for each format that can be read, one for maps, one for compressed clips.
pub(crate) fn targets() -> Vec<Target> {
    let readable = Format::ALL.into_iter().filter(|format| format.readable().is_ok());
    let mut targets: Vec<Target> = readable.map(of_format).collect();
    let skeletons = mapped();
    targets.push(Target {
        name: "map".into(),
        corpus: vec![map_of_fixtures(&skeletons)],
        words: &["\"joints\"", "\"limbs\"", "\"hips\"", "\"source\"", "\"target\"", "{}", "[]"],
        bytes_per_sample: 0,
        measured: true,
        run: Box::new(move |bytes| read_map(bytes, &skeletons)),
    });
    targets.push(Target {
        name: "mocz".into(),
        corpus: compressed_clips(),
        words: &[],
        bytes_per_sample: DECODED,
        measured: true,
        run: Box::new(|bytes| read_compressed(sealed(bytes.to_vec()))),
    });
    targets.push(Target {
        name: "meshopt".into(),
        corpus: packed_views(),
        words: &[],
        bytes_per_sample: 0,
        measured: true,
        run: Box::new(read_packed_view),
    });
    targets
}

/// Words by format.
const WORDS: &[(&[Format], &[&str])] = &[
    (
        &[Format::Bvh],
        &[
            "HIERARCHY",
            "ROOT ",
            "JOINT ",
            "End Site",
            "OFFSET ",
            "CHANNELS 6 ",
            "Xposition",
            "Zrotation",
            "MOTION",
            "Frames: ",
            "Frame Time: ",
            "{",
            "}",
        ],
    ),
    (
        &[Format::Asf, Format::Amc],
        &[
            ":version",
            ":name",
            ":units",
            ":root",
            ":bonedata",
            ":hierarchy",
            "begin",
            "end",
            "dof rx ry rz",
            "limits (-1 1)",
            "length ",
            "direction ",
            "axis 0 0 0 XYZ",
            "order TX TY TZ",
            ":DEGREES",
            ":FULLY-SPECIFIED",
            "root ",
        ],
    ),
    (
        &[Format::Glb, Format::Gltf, Format::Vrma],
        &[
            "\"nodes\"",
            "\"children\"",
            "\"skins\"",
            "\"accessors\"",
            "\"count\"",
            "\"byteOffset\"",
            "\"sparse\"",
            "\"matrix\"",
            "\"translation\"",
            "\"animations\"",
            "\"interpolation\"",
            "\"CUBICSPLINE\"",
            "\"bufferView\"",
            "\"componentType\"",
        ],
    ),
    (
        &[Format::Urdf, Format::Mjcf],
        &[
            "<link",
            "<joint",
            "<mimic",
            "<limit",
            "<body",
            "<geom",
            "<include file=\"a.xml\"/>",
            "<default",
            "<freejoint/>",
            "rpy=",
            "quat=",
            "range=",
            "/>",
            "</body>",
            "<!DOCTYPE",
            "&#0;",
        ],
    ),
    (
        &[Format::Npz, Format::Smpl, Format::MjlabNpz, Format::IsaacNpz, Format::GmrNpz],
        &["'descr': '<f8'", "'shape': (", "'fortran_order': True", "PK\u{1}\u{2}", ".npy", "|O", "<U8"],
    ),
    (
        &[Format::Skel, Format::Json],
        &["\"joints\"", "\"parent\"", "\"offset\"", "\"rotation\"", "null", "[[", "{}"],
    ),
    (&[Format::C3d], &["POINT", "SCALE", "FRAMES", "LABELS", "USED"]),
    (
        &[Format::Usda],
        &["def SkelRoot", "def Skeleton", "timeSamples", "matrix4d", "quatf", "inf", "[", "(", "@"],
    ),
    (&[Format::Fbx], &["Objects: {", "Connections: {", "AnimationCurve", "Model", "a: ", "*999999999"]),
];

fn words(format: Format) -> &'static [&'static str] {
    let known = WORDS.iter().find(|(formats, _)| formats.contains(&format));
    known.map_or(&[",", "time", "frame", "\n"], |(_, words)| words)
}

fn of_format(format: Format) -> Target {
    let skeleton = format.skeleton_beside().map(|_| {
        let bytes = std::fs::read(fixture("clips/alex_walk.asf")).or_else(|_| first("asf"));
        asf::parse(&bytes.expect("an ASF"), &Limits::default()).expect("a good ASF").value
    });
    let robot = format.holds_robot().then(robot);
    let corpus: Vec<Vec<u8>> = match &robot {
        Some(robot) => motion_of(robot, format).into_iter().collect(),
        None => {
            let files = fixtures(|path| is_of(path, format));
            files.into_iter().chain(written(format)).collect()
        }
    };
    let body = robot.map(Arc::new);
    let options = ReadOptions {
        format: Some(format),
        skeleton,
        body,
        limits: Limits { samples: SAMPLES, ..Limits::default() },
        ..ReadOptions::default()
    };
    Target {
        name: format.extension().into(),
        corpus,
        words: words(format),
        bytes_per_sample: if format.is_packed() { DECODED } else { 0 },
        measured: true,
        run: Box::new(move |bytes| read_and_write(bytes, &options)),
    }
}

/// Whether a fixture is in a format, by its content, else by its extension.
fn is_of(path: &std::path::Path, format: Format) -> bool {
    let found = std::fs::read(path).ok().and_then(|bytes| Format::detect(&bytes));
    found.map_or_else(|| has_extension(path, format.file_extension()), |found| found == format)
}

fn first(extension: &str) -> std::io::Result<Vec<u8>> {
    fixtures(|path| has_extension(path, extension))
        .into_iter()
        .next()
        .ok_or_else(|| std::io::Error::other("no fixture"))
}

fn walk() -> Clip {
    let clip = mocap::read(fixture("clips/alex_walk.bvh")).expect("a good clip").value;
    clip.trimmed(0..40).expect("40 frames")
}

fn robot() -> Skeleton {
    let robots = fixtures(|path| has_extension(path, "urdf"));
    let options = ReadOptions { format: Some(Format::Urdf), ..ReadOptions::default() };
    let read = |bytes: &Vec<u8>| formats::read(bytes, &options).ok()?.value.to_skeleton(&options).ok();
    robots.iter().find_map(read).expect("a robot").value
}

/// A file of the format as this project writes it, where it does.
fn written(format: Format) -> Option<Vec<u8>> {
    let clip = walk();
    let clip = if format == Format::Smpl { smpl() } else { clip };
    Some(formats::write(&clip, format, &WriteOptions::default()).ok()?.main.into_bytes())
}

/// A body of the SMPL model at rest.
fn smpl() -> Clip {
    let body = mocap::formats::skel::preset("smpl").expect("a preset").skeleton();
    let tracks = body.joints().iter().map(mocap::JointTracks::at_rest).collect();
    Clip::new(Arc::new(body), FrameRate::new(30.0).expect("a rate"), 20, tracks).expect("a clip")
}

/// A motion of a robot in a format.
fn motion_of(robot: &Skeleton, format: Format) -> Option<Vec<u8>> {
    let robot = robot.robot()?;
    let rest = RobotPose { base: Isometry3::identity(), values: mocap::robot::rest_values(robot) };
    let motion = RobotMotion { fps: FrameRate::new(30.0)?, poses: vec![rest; 20] };
    let clip = motion.to_clip(robot).ok()?;
    Some(formats::write(&clip, format, &WriteOptions::default()).ok()?.main.into_bytes())
}

/// The codes of an error and of those behind it.
fn codes_of(failed: &ReadError) -> Outcome {
    let mut codes = Vec::new();
    for finding in std::iter::once(&*failed.error).chain(&failed.more).chain(&failed.warnings) {
        codes.extend(checked(finding.code(), &finding.to_string())?);
    }
    Ok(codes)
}

fn warned<T>(parsed: &Parsed<T>, codes: &mut Vec<String>) -> Result<(), String> {
    for finding in &parsed.warnings {
        codes.extend(checked(finding.code(), &finding.to_string())?);
    }
    Ok(())
}

fn read_and_write(bytes: &[u8], options: &ReadOptions) -> Outcome {
    let mut codes = Vec::new();
    let format = options.format.expect("a target has a format");
    // Files that it refers to are not there: a reader says so, or asks for none.
    if let Err(failed) = format.files_beside(bytes, &FilesBeside::default(), &options.limits) {
        codes.extend(codes_of(&failed)?);
    }
    let document = match formats::read(bytes, options) {
        Ok(document) => document,
        Err(failed) => {
            codes.extend(codes_of(&failed)?);
            return Ok(codes);
        }
    };
    warned(&document, &mut codes)?;
    codes.push("read".into());
    match document.value.to_skeleton(options) {
        Ok(skeleton) => {
            warned(&skeleton, &mut codes)?;
            codes.push("skeleton".into());
        }
        Err(failed) => codes.extend(codes_of(&failed)?),
    }
    let clip = match document.value.to_clip(options) {
        Ok(clip) => clip,
        Err(failed) => {
            codes.extend(codes_of(&failed)?);
            return Ok(codes);
        }
    };
    warned(&clip, &mut codes)?;
    codes.push("clip".into());
    for format in [format, Format::Json, Format::Bvh, Format::Glb] {
        codes.extend(written_is_read(&clip.value, format, options)?);
    }
    Ok(codes)
}

/// Reads each written file again, and compares the number of frames.
fn written_is_read(clip: &Clip, format: Format, options: &ReadOptions) -> Outcome {
    // A clip of many samples in few bytes takes long to write, which is not what is tested.
    if !format.is_writable() || clip.frames() * clip.skeleton().len() > SAMPLES / 10 {
        return Ok(Vec::new());
    }
    let written = match formats::write(clip, format, &WriteOptions::default()) {
        Ok(written) => written,
        Err(finding) => return checked(&format!("write {}", finding.code()), &finding.to_string()),
    };
    let beside = written.beside.map(|(_, content)| content.into_bytes());
    let bytes = written.main.into_bytes();
    let skeleton = match beside {
        Some(bytes) if format.skeleton_beside().is_some() => {
            let parsed = asf::parse(&bytes, &options.limits);
            Some(parsed.map_err(|failed| format!("the written ASF is refused: {failed}"))?.value)
        }
        _ => None,
    };
    let limits = Limits { samples: usize::MAX, ..options.limits };
    let again = ReadOptions { format: Some(format), skeleton, limits, repair: false, ..options.clone() };
    let read = formats::read(&bytes, &again).and_then(|document| document.value.to_clip(&again));
    let read = read.map_err(|failed| format!("the written {format} is refused: {failed}"))?.value;
    if read.frames() != clip.frames() {
        return Err(format!("the written {format} has {} frames, the clip {}", read.frames(), clip.frames()));
    }
    Ok(vec![format!("written {format}")])
}

fn mapped() -> [Skeleton; 2] {
    ["clips/alex_walk.bvh", "clips/robin.skel"]
        .map(|path| mocap::read_skeleton(fixture(path)).expect("a good skeleton").value)
}

fn map_of_fixtures([source, target]: &[Skeleton; 2]) -> Vec<u8> {
    let found = Mapping::found(map_roles(source), map_roles(target));
    found.to_bytes(source, target, &found.explain(source, target, None).explanation)
}

fn read_map(bytes: &[u8], [source, target]: &[Skeleton; 2]) -> Outcome {
    match Mapping::parse(bytes, source, target) {
        Ok(mapping) => {
            mapping.explain(source, target, None);
            Ok(vec!["map".into()])
        }
        Err(finding) => checked(finding.code(), &finding.to_string()),
    }
}

fn compressed_clips() -> Vec<Vec<u8>> {
    let clip = walk();
    let mut files = Vec::new();
    for profile in Profile::ALL {
        for external_skeleton in [false, true] {
            let options = CompressOptions { profile, external_skeleton, ..CompressOptions::default() };
            files.push(mocap::compress(&clip, &options).expect("a clip that can be compressed").value.bytes);
        }
    }
    files
}

fn read_compressed(bytes: Vec<u8>) -> Outcome {
    let limits = OpenLimits { values: SAMPLES as u64, ..OpenLimits::default() };
    let compressed = match Compressed::open(bytes, &limits) {
        Ok(compressed) => compressed,
        Err(error) => return checked(error.code(), &error.to_string()),
    };
    let mut sampler = compressed.sampler();
    let mut pose = sampler.pose();
    for time in [0.0, 0.37, 1.0, 1e9, -1.0] {
        sampler.sample(time, Looping::Clamp, &mut pose);
        sampler.sample(time, Looping::Wrap, &mut pose);
    }
    compressed.to_clip();
    Ok(vec!["clip".into()])
}

/// How a buffer view is compressed, as the first bytes of an input of the target `meshopt` say.
const MODES: [&str; 3] = ["ATTRIBUTES", "TRIANGLES", "INDICES"];
const FILTERS: [&str; 4] = ["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"];

/// Compressed buffer views of every mode: mode and filter, stride, count in two bytes, data.
fn packed_views() -> Vec<Vec<u8>> {
    // Four triangles and six indices, as the decoders of the reference are tested with.
    let triangles = [
        0xe0, 0xf0, 0x10, 0xfe, 0xff, 0xf0, 0x0c, 0xff, 0x02, 0x02, 0x02, 0x00, 0x76, 0x87, 0x56, 0x67, 0x78,
        0xa9, 0x86, 0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0x00, 0x00,
    ];
    let indices = [0xd1, 0x00, 0x04, 0xcd, 0x01, 0x04, 0x07, 0x98, 0x1f, 0x00, 0x00, 0x00, 0x00];
    let mut views = vec![[&[1, 4, 12, 0][..], &triangles].concat(), [&[2, 2, 6, 0][..], &indices].concat()];
    let bytes = std::fs::read(fixture("gltf/other-meshopt.glb")).expect("a fixture");
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).expect("a good file");
    for view in json["bufferViews"].as_array().into_iter().flatten() {
        let packed = &view["extensions"]["EXT_meshopt_compression"];
        let number = |name: &str| packed[name].as_u64().expect("a number") as usize;
        let start = 28 + length + number("byteOffset");
        let filter = FILTERS.iter().position(|name| packed["filter"] == *name).unwrap_or(0) as u8;
        let head = [filter * 3, number("byteStride") as u8, number("count") as u8, 0];
        views.push([&head[..], &bytes[start..start + number("byteLength")]].concat());
    }
    views
}

/// Reads a file of one accessor whose view is compressed.
fn read_packed_view(bytes: &[u8]) -> Outcome {
    let Some((&[kind, stride, low, high], data)) = bytes.split_first_chunk() else { return Ok(Vec::new()) };
    let (mode, filter) = (MODES[usize::from(kind % 3)], FILTERS[usize::from(kind / 3 % 4)]);
    let (stride, count) = (usize::from(stride), usize::from(low) | usize::from(high) << 8);
    let size = stride * count;
    let values = size / 4;
    let json = serde_json::json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "name": "a" }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": values, "type": "SCALAR" },
            { "bufferView": 0, "componentType": 5126, "count": values / 4, "type": "VEC4" },
        ],
        "animations": [{
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }],
            "samplers": [{ "input": 0, "output": 1 }],
        }],
        "bufferViews": [{
            "buffer": 1,
            "byteLength": size,
            "extensions": { "EXT_meshopt_compression": {
                "buffer": 0, "byteLength": data.len(), "byteStride": stride, "count": count, "mode": mode, "filter": filter,
            } },
        }],
        "buffers": [
            { "byteLength": data.len() },
            { "byteLength": size, "extensions": { "EXT_meshopt_compression": { "fallback": true } } },
        ],
    });
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut file = b"glTF".to_vec();
    file.extend(2u32.to_le_bytes());
    file.extend(((28 + text.len() + data.len()) as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", text.as_slice()), (b"BIN\0", data)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    let limits = Limits { samples: SAMPLES, ..Limits::default() };
    let options = ReadOptions { format: Some(Format::Glb), limits, ..ReadOptions::default() };
    read_and_write(&file, &options)
}
