//! From clips to a glTF file: joints as nodes, a body bound to them, and one animation per clip.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use mocap_model::{Body, Clip, Skeleton, Track, UnitQuaternion, Vector3};
use nalgebra::Matrix4;
use serde_json::{Map, Value, json};

use super::build::{Builder, FLOAT, SHORT, Shape, bytes};
use super::document::Document;
use super::expressions::weight_nodes;
use super::from_body::{MorphNode, add_body};
use super::node_motion::stated_scales;
use super::node_targets::{rest_weight, stated_names, target_names};
use super::problem::Problem;
use super::resize::{factor, resized};
use super::skins;
use super::tree::{Source, Tree, tree};
use super::trs::Trs;
use crate::body::{self, BoundBody, Style};
use crate::keys::{JointKeys, reduce};
use crate::metres::in_metres;
use crate::same_joints::same_joints;
use crate::{Finding, Limits};

/// How clips are written as glTF.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WriteOptions {
    /// How the body is drawn. Default: capsules.
    pub mesh: Style,
    /// The largest error of interpolation between keys \[m\], at joints and at points 3 cm beside them. 0: every frame
    /// is a key. Default: 1e-5.
    pub error: f64,
    /// Whether rotations are 16-bit integers: half the size, off by up to 0.003°. Default: 32-bit floats.
    pub short_rotations: bool,
}

impl Default for WriteOptions {
    fn default() -> WriteOptions {
        WriteOptions { mesh: Style::default(), error: 1e-5, short_rotations: false }
    }
}

/// A file of clips of one skeleton with a body, or with a drawn one if `body` is `None`. Warns if
/// the unit of lengths is not known.
///
/// # Errors
/// If a length is not finite in metres, single precision cannot tell two times apart, or a clip is of another skeleton.
pub(super) fn built(
    clips: Vec<Cow<'_, Clip>>,
    body: Option<&BoundBody>,
    options: &WriteOptions,
) -> Result<(Builder, Vec<Finding>), Finding> {
    let mut warnings = Vec::new();
    let mut moved = Vec::with_capacity(clips.len());
    for clip in clips {
        times_differ(&clip)?;
        moved.push(in_metres(clip, &mut warnings)?);
    }
    let mut builder = Builder::new();
    let Some(first) = moved.first() else { return Ok((builder, warnings)) };
    let skeleton = first.skeleton().clone();
    moved.iter().try_for_each(|clip| same_joints(skeleton.joints(), clip.skeleton().joints()))?;
    let body = match body {
        Some(bound) => Some(bound.on(&skeleton)),
        None => body::drawn(&skeleton, options.mesh, body::COLOUR),
    };
    let (sources, morphs) = nodes(&mut builder, &skeleton, body.as_ref(), &mut warnings);
    let names: HashSet<String> = morphs.iter().flat_map(|node| node.names.iter().cloned()).collect();
    for clip in &moved {
        animation(&mut builder, clip, &sources, options, &names);
        weights(&mut builder, &morphs, clip);
    }
    Ok((builder, warnings))
}

/// The file with these clips as its animations; all else stays. If the bones of the clips differ from those of the file
/// by one factor, the file is scaled by it.
///
/// # Errors
/// Where a length is not finite in metres, or single precision cannot tell two times apart. `Ok(Err(_))`: why the clips
/// cannot move the joints of the file.
pub(super) fn rebuilt(
    document: &Document,
    clips: &[Clip],
    options: &WriteOptions,
) -> Result<Result<(Builder, Vec<Finding>), &'static str>, Finding> {
    let mut warnings = Vec::new();
    let limits = Limits::default();
    let mut held = Vec::with_capacity(clips.len());
    for clip in clips {
        times_differ(clip)?;
        held.push(in_metres(Cow::Borrowed(clip), &mut warnings)?);
    }
    let mut of_file = tree(document, &limits, &mut Vec::new())?;
    let same =
        |tree: &Tree, clip: &Cow<Clip>| same_joints(tree.skeleton.joints(), clip.skeleton().joints()).is_ok();
    if !held.iter().all(|clip| same(&of_file, clip)) {
        return Ok(Err("the clip has other joints than the file"));
    }
    let sizes = held.iter().map(|clip| factor(&of_file.skeleton, clip.skeleton()));
    let mut document = Cow::Borrowed(document);
    if let Some(factor) = sizes.reduce(|one, other| if one == other { one } else { None }).flatten() {
        document = Cow::Owned(resized(&document, factor));
        of_file = tree(&document, &limits, &mut Vec::new())?;
        if !held.iter().all(|clip| same(&of_file, clip)) {
            return Ok(Err("without a skin, nothing in the file can be scaled but its nodes"));
        }
    }
    if of_file.uneven.is_some() {
        return Ok(Err("its nodes have scales that differ between axes or change over time"));
    }
    if document.root.skins.is_empty() {
        warnings.push(Finding::new(Problem::NoSkin));
    }
    let skins = skins::mended(&document, &limits);
    if !skins.is_empty() {
        // Repaired attributes are removed first, so that their old values are dropped.
        let mut owned = document.clone().into_owned();
        owned.json.as_object_mut().into_iter().for_each(|json| skins::take_out(json, &skins));
        document = Cow::Owned(owned);
    }
    let mut builder = Builder::without_animations(&document);
    skins::put_in(&mut builder, &skins);
    // The old animations, which stated these scales, are gone: the nodes get them.
    for (node, scale) in stated_scales(&document, &limits)? {
        builder.json["nodes"][node]["scale"] = vector(&scale);
    }
    let morphs = morph_nodes(&document);
    let faces = weight_nodes(&document.json);
    let names = morphs.iter().flat_map(|node| &node.names).chain(faces.values());
    let names: HashSet<String> = names.cloned().collect();
    for clip in &held {
        animation(&mut builder, clip, &of_file.sources, options, &names);
        weights(&mut builder, &morphs, clip);
        face(&mut builder, &faces, clip);
    }
    without_matrices(&mut builder);
    Ok(Ok((builder, warnings)))
}

/// States the parts of the transforms of animated nodes: glTF allows them no matrix, and some readers take it, not the
/// animation.
fn without_matrices(builder: &mut Builder) {
    let channels = builder.json.get("animations").and_then(Value::as_array).into_iter().flatten();
    let channels = channels.filter_map(|animation| animation["channels"].as_array()).flatten();
    let nodes: HashSet<u64> = channels.filter_map(|channel| channel["target"]["node"].as_u64()).collect();
    for node in nodes {
        let node = &mut builder.json["nodes"][node as usize];
        let numbers = node.get("matrix").and_then(Value::as_array);
        let Some(numbers) = numbers.filter(|numbers| numbers.len() == 16) else { continue };
        let values: Vec<f64> = numbers.iter().filter_map(Value::as_f64).collect();
        if values.len() != 16 {
            continue;
        }
        let local = Trs::of_matrix(&Matrix4::from_column_slice(&values));
        node["translation"] = vector(&local.translation);
        node["rotation"] = quaternion(&local.rotation);
        node["scale"] = vector(&local.scale);
        if let Some(node) = node.as_object_mut() {
            node.remove("matrix");
        }
    }
}

/// Adds a node per joint, and the body; returns the nodes, and those whose meshes have shapes.
fn nodes(
    builder: &mut Builder,
    skeleton: &Skeleton,
    body: Option<&Body>,
    warnings: &mut Vec<Finding>,
) -> (Vec<Source>, Vec<MorphNode>) {
    let mut sources = Vec::with_capacity(skeleton.len());
    for (id, joint) in skeleton.iter() {
        let scale = Vector3::repeat(1.0);
        let local = Trs { translation: joint.offset, rotation: joint.rest_rotation, scale };
        let mut node = json!({ "name": joint.name });
        if joint.offset != Vector3::zeros() {
            node["translation"] = vector(&joint.offset);
        }
        if joint.rest_rotation != UnitQuaternion::identity() {
            node["rotation"] = quaternion(&joint.rest_rotation);
        }
        let children = skeleton.children(id);
        if !children.is_empty() {
            node["children"] = children.iter().map(|child| child.0).collect();
        }
        // A leaf gets extras: validators report empty nodes.
        if joint.role.is_some() || children.is_empty() {
            let mut own = json!({});
            if children.is_empty() {
                own["endSite"] = joint.end_site.into();
            }
            if let Some(role) = joint.role {
                own["role"] = role.name().into();
            }
            node["extras"] = json!({ "mocap": own });
        }
        let node = builder.push("nodes", node);
        sources.push(Source::plain(node, local));
    }
    let mut top: Vec<u32> = skeleton.roots().map(|root| root.0).collect();
    if top.len() > 1 && body.is_some() {
        // The joints of a skin need a common ancestor.
        let name = if skeleton.name().is_empty() { "Skeleton" } else { skeleton.name() };
        let above = builder.push("nodes", json!({ "name": name, "children": top }));
        top = vec![above as u32];
    }
    let mut morphs = Vec::new();
    if let Some(body) = body {
        let (shown, with_shapes) = add_body(builder, skeleton, body, warnings);
        top.extend(shown.into_iter().map(|node| node as u32));
        morphs = with_shapes;
    }
    builder.push("scenes", json!({ "nodes": top }));
    builder.json.insert("scene".into(), 0.into());
    (sources, morphs)
}

/// What a channel animates, and its values by key.
struct Values {
    path: &'static str,
    bytes: Vec<u8>,
    shape: Shape,
}

/// Checks that times of frames are distinct in single precision, in which glTF stores them. It is coarsest at the end.
fn times_differ(clip: &Clip) -> Result<(), Finding> {
    let time = |frame: usize| (frame as f64 * clip.rate().frame_time()) as f32;
    let last = clip.frames().saturating_sub(1);
    if last > 0 && !(time(last).is_finite() && time(last) > time(last - 1)) {
        return Err(Finding::new(Problem::TimesTooFine { frame: last, fps: clip.rate().fps() }));
    }
    Ok(())
}

/// Adds the animation of a clip; numbers over time that are weights of `morphs` are left to them.
fn animation(
    builder: &mut Builder,
    clip: &Clip,
    sources: &[Source],
    options: &WriteOptions,
    morphs: &HashSet<String>,
) {
    if clip.frames() == 0 {
        return;
    }
    let mut keys = reduce(clip, Some(options.error));
    keep_length(clip, &mut keys);
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    let mut times: HashMap<Vec<u32>, usize> = HashMap::new();
    for ((keys, source), (joint, tracks)) in
        keys.into_iter().zip(sources).zip(clip.skeleton().joints().iter().zip(clip.tracks()))
    {
        let frame = source.frame;
        let mut add = |keys: Vec<u32>, values: Values| {
            let count = keys.len();
            let input = *times.entry(keys).or_insert_with_key(|keys| {
                let at = |key: &u32| (f64::from(*key) * clip.rate().frame_time()) as f32;
                let ends = [keys.first(), keys.last()].map(|key| vec![f64::from(key.map_or(0.0, at))]);
                let shape =
                    Shape { component: FLOAT, kind: "SCALAR", count, normalized: false, target: None };
                builder.accessor(&bytes(keys.iter().map(|key| f64::from(at(key)))), shape, Some(ends))
            });
            let output = builder.accessor(&values.bytes, values.shape, None);
            let mut sampler = json!({ "input": input, "output": output });
            if count == 1 {
                sampler["interpolation"] = "STEP".into();
            }
            channels.push(json!({
                "sampler": samplers.len(), "target": { "node": source.node, "path": values.path },
            }));
            samplers.push(sampler);
        };
        let constant = |keys: &[u32], same: bool| keys.len() == 1 && same;
        if let Some(keys) = keys.rotation {
            let turn = |frame_at: u32| source.rotation_back(&tracks.rotation.at(frame_at as usize));
            let same = mocap_model::angle_between(&turn(0), &source.node_rotation()) < 1e-9;
            if !constant(&keys, same) {
                let values =
                    rotations(keys.iter().map(|key| turn(*key)), keys.len(), options.short_rotations);
                add(keys, values);
            }
        }
        if let Some(keys) = keys.translation {
            let place = |frame_at: u32| {
                let place =
                    tracks.translation.as_ref().map_or(joint.offset, |track| track.at(frame_at as usize));
                frame.place_back(&place)
            };
            let size = 1e-9 * (1.0 + source.local.translation.norm());
            let same = (place(0) - source.local.translation).norm() <= size;
            if !constant(&keys, same) {
                let values = vectors("translation", keys.iter().map(|key| place(*key)), keys.len());
                add(keys, values);
            }
        }
        if let Some(keys) = keys.scale.filter(|_| !source.folds_scale) {
            let size = |frame_at: u32| {
                let size = tracks.scale.as_ref().map(|track| track.at(frame_at as usize));
                size.unwrap_or(Vector3::repeat(1.0)).component_mul(&source.signs)
            };
            if !constant(&keys, size(0) == source.local.scale.component_mul(&source.signs)) {
                let values = vectors("scale", keys.iter().map(|key| size(*key)), keys.len());
                add(keys, values);
            }
        }
    }
    let name = if clip.name().is_empty() { "motion" } else { clip.name() };
    let animation =
        json!({ "name": name, "channels": channels, "samplers": samplers, "extras": extras(clip, morphs) });
    builder.push("animations", animation);
}

/// Adds keys for tracks that differ from their node, and one at the last frame so that the animation keeps its length.
fn keep_length(clip: &Clip, keys: &mut [JointKeys]) {
    let last = (clip.frames() - 1) as u32;
    for (keys, tracks) in keys.iter_mut().zip(clip.tracks()) {
        // The rest pose of the nodes may differ from that of the skeleton, so constant tracks are compared with the
        // nodes.
        keys.rotation.get_or_insert_with(|| vec![0]);
        keys.translation.get_or_insert_with(|| vec![0]);
        if tracks.scale.is_some() {
            keys.scale.get_or_insert_with(|| vec![0]);
        }
    }
    let reaches = |keys: &Option<Vec<u32>>| keys.as_ref().is_some_and(|keys| keys.len() > 1);
    if !keys.iter().any(|keys| reaches(&keys.rotation) || reaches(&keys.translation)) {
        keys[0].rotation = Some(if last == 0 { vec![0] } else { vec![0, last] });
    }
}

/// The parts of a clip that glTF cannot express, as extras.
fn extras(clip: &Clip, morphs: &HashSet<String>) -> Value {
    let mut own = json!({ "fps": clip.rate().fps(), "frames": clip.frames() });
    let annotations = clip.annotations();
    if !annotations.events.is_empty() {
        let events = annotations.events.iter();
        own["events"] = events.map(|event| json!({ "time": event.time, "name": event.name })).collect();
    }
    let scalars = annotations.scalars.iter().filter(|track| !morphs.contains(&track.name));
    let scalars: Map<String, Value> =
        scalars.map(|track| (track.name.clone(), track.values.values().into())).collect();
    if !scalars.is_empty() {
        own["scalars"] = Value::Object(scalars);
    }
    json!({ "mocap": own })
}

/// The nodes of a file whose meshes have morph targets.
fn morph_nodes(document: &Document) -> Vec<MorphNode> {
    let nodes = document.root.nodes.iter().enumerate();
    let nodes = nodes.map(|(node, _)| {
        let names = target_names(document, node);
        let rest = (0..names.len()).map(|target| rest_weight(document, node, target)).collect();
        let stated = stated_names(document, node);
        MorphNode { node, rest, names, stated }
    });
    nodes.filter(|node| !node.names.is_empty()).collect()
}

/// Puts numbers over time that are the weights of morph targets into the animation added last.
fn weights(builder: &mut Builder, morphs: &[MorphNode], clip: &Clip) {
    for MorphNode { node: at, names, stated, rest } in morphs {
        let count = names.len();
        if clip.frames() == 0 {
            continue;
        }
        let scalars = &clip.annotations().scalars;
        let find =
            |name: &String| scalars.iter().find(|track| track.name == *name).map(|track| &track.values);
        let tracks: Vec<Option<&Track<f64>>> =
            names.iter().zip(stated).map(|(name, stated)| find(name).or_else(|| find(stated))).collect();
        if tracks.iter().all(Option::is_none) {
            continue;
        }
        let frames = clip.frames();
        let input = all_times(builder, clip);
        let shape = Shape {
            component: FLOAT,
            kind: "SCALAR",
            count: frames * count,
            normalized: false,
            target: None,
        };
        let values = (0..frames).flat_map(|frame| {
            tracks.iter().enumerate().map(move |(i, track)| track.map_or(rest[i], |track| track.at(frame)))
        });
        let output = builder.accessor(&bytes(values), shape, None);
        add_channel(builder, (input, output), *at, "weights");
    }
}

/// Puts the weights of the expressions of a VRM animation into the animation added last: as translations of their nodes.
pub(super) fn face(builder: &mut Builder, nodes: &BTreeMap<usize, String>, clip: &Clip) {
    let scalars = &clip.annotations().scalars;
    let frames = clip.frames();
    if frames == 0 {
        return;
    }
    let mut times = None;
    for (node, name) in nodes {
        let Some(track) = scalars.iter().find(|track| track.name == *name) else { continue };
        let input = *times.get_or_insert_with(|| all_times(builder, clip));
        let places = (0..frames).map(|frame| Vector3::new(track.values.at(frame), 0.0, 0.0));
        let Values { path, bytes, shape } = vectors("translation", places, frames);
        let output = builder.accessor(&bytes, shape, None);
        add_channel(builder, (input, output), *node, path);
    }
}

/// The times of all frames, as an accessor.
fn all_times(builder: &mut Builder, clip: &Clip) -> usize {
    let count = clip.frames();
    let times: Vec<f64> =
        (0..count).map(|i| f64::from((i as f64 * clip.rate().frame_time()) as f32)).collect();
    let ends = [vec![times[0]], vec![times[count - 1]]];
    let shape = Shape { component: FLOAT, kind: "SCALAR", count, normalized: false, target: None };
    builder.accessor(&bytes(times.into_iter()), shape, Some(ends))
}

/// Adds a channel of a node to the animation added last, by the accessors of its times and values. It replaces one with
/// the same target, because glTF allows only one.
fn add_channel(builder: &mut Builder, (input, output): (usize, usize), node: usize, path: &str) {
    let animation =
        builder.json.get_mut("animations").and_then(Value::as_array_mut).and_then(|all| all.last_mut());
    let Some(animation) = animation else { return };
    let Some(samplers) = animation["samplers"].as_array_mut() else { return };
    samplers.push(json!({ "input": input, "output": output }));
    let target = json!({ "node": node, "path": path });
    let channel = json!({ "sampler": samplers.len() - 1, "target": target });
    if let Some(channels) = animation["channels"].as_array_mut() {
        channels.retain(|known| known["target"] != target);
        channels.push(channel);
    }
}

/// Quaternions with continuous signs.
fn rotations(values: impl Iterator<Item = UnitQuaternion<f64>>, count: usize, short: bool) -> Values {
    let mut bytes = Vec::with_capacity(count * 16);
    let mut before = None;
    for rotation in values {
        let mut q = rotation.coords;
        if before.is_some_and(|before: nalgebra::Vector4<f64>| before.dot(&q) < 0.0) {
            q = -q;
        }
        before = Some(q);
        for value in &q {
            match short {
                true => bytes.extend(((value * 32767.0).round() as i16).to_le_bytes()),
                false => bytes.extend((*value as f32).to_le_bytes()),
            }
        }
    }
    let component = if short { SHORT } else { FLOAT };
    let shape = Shape { component, kind: "VEC4", count, normalized: short, target: None };
    Values { path: "rotation", bytes, shape }
}

fn vectors(path: &'static str, values: impl Iterator<Item = Vector3<f64>>, count: usize) -> Values {
    let bytes = bytes(values.flat_map(|v| [v.x, v.y, v.z]));
    let shape = Shape { component: FLOAT, kind: "VEC3", count, normalized: false, target: None };
    Values { path, bytes, shape }
}

fn vector(v: &Vector3<f64>) -> Value {
    json!([v.x, v.y, v.z])
}

fn quaternion(q: &UnitQuaternion<f64>) -> Value {
    json!([q.i, q.j, q.k, q.w])
}
