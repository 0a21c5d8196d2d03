//! From clips of one skeleton to the records of a file.
//!
//! Centimetres and Y up, which game engines import without conversion. A joint is a limb node whose rotation property
//! is the complete local rotation: with a pre-rotation, assimp applies the translation of a moving joint twice. The
//! bind pose is the rest pose. A clip is an animation stack of one layer.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use mocap_model::{Body, Clip, Joint, JointId, ScalarTrack, Skeleton, Space, Unit, UnitSource};
use nalgebra::Matrix4;

use super::animation::{Take, UNNAMED, add_stack, kinds, last, takes_of};
use super::geometry::{Channel, DEFORM, add_body};
use super::record::{Property, Record, class, doubles, field, integer, number, properties, property, time};
use super::scene::Scene;
use super::take::{Curves, ORDER, curves, moves, one, time_mode};
use super::write::{CREATION_TIME, FILE_ID, to_bytes};
use super::{END_SITE, Problem};
use crate::body::{self, BoundBody};
use crate::keys::reach;
use crate::names::Unique;
use crate::same_joints::same_joints;
use crate::{Encoded, Finding, WriteOptions};

/// The colour of a body that is drawn.
const GREY: [f64; 4] = [0.8, 0.8, 0.8, 1.0];
/// Metres in the unit of the file.
const CENTIMETRE: f64 = 0.01;

/// The file of clips that share a skeleton: the joints, one animation stack per clip, and a body bound to the joints.
///
/// # Errors
/// If no clip is given, names or parents of joints differ between clips, or lengths overflow in centimetres.
pub fn from_clips(clips: &[Clip], options: &WriteOptions) -> Result<Encoded<'static>, Finding> {
    with_body(clips, None, options)
}

/// As [`from_clips`], with a body in place of a drawn one.
pub(super) fn with_body(
    clips: &[Clip],
    body: Option<&BoundBody>,
    options: &WriteOptions,
) -> Result<Encoded<'static>, Finding> {
    let mut warnings = Vec::new();
    let mut converted = Vec::with_capacity(clips.len());
    for clip in clips {
        converted.push(in_centimetres(clip, &mut warnings).map_err(Finding::new)?);
        crate::metres::check_single_precision(clip)?;
    }
    let first = converted.first().ok_or_else(|| Finding::new(crate::FormatProblem::NoMotion))?;
    let skeleton = first.skeleton();
    converted.iter().try_for_each(|clip| same_joints(skeleton.joints(), clip.skeleton().joints()))?;
    let body = match body {
        Some(bound) => Some(bound.on(skeleton)),
        None => body::drawn(skeleton, options.mesh.unwrap_or_default(), GREY),
    };
    let (scene, shapes) = at_rest(&converted, body.as_ref());
    let records = file(scene, &shapes, &converted);
    let mut encoded = Encoded::from(to_bytes(&records));
    warnings.dedup();
    encoded.warnings = warnings;
    Ok(encoded)
}

/// A clip in the space of the file.
fn in_centimetres(clip: &Clip, warnings: &mut Vec<Finding>) -> Result<Clip, Problem> {
    let space = clip.skeleton().space();
    let unit = Some(Unit { metres: CENTIMETRE, source: UnitSource::File });
    let stated = match space.unit {
        Some(_) => Cow::Borrowed(clip),
        None => {
            warnings.push(Finding::new(Problem::UnitUnknown));
            let skeleton = Arc::new(clip.skeleton().with_space(Space { unit, ..*space }));
            Cow::Owned(clip.clone().with_skeleton(skeleton)?)
        }
    };
    Ok(stated.in_space(Space { unit, ..Space::default() })?)
}

/// By joint, whether any clip moves, turns or scales it. When programs play one clip after another, properties without
/// curves in the second keep their last value of the first. So every clip has curves for all properties that any clip
/// moves.
fn moved(clips: &[Clip]) -> Vec<[bool; 3]> {
    let mut moved = vec![[false; 3]; clips[0].skeleton().len()];
    for clip in clips {
        for ((moved, joint), tracks) in moved.iter_mut().zip(clip.skeleton().joints()).zip(clip.tracks()) {
            let here = moves(joint, tracks);
            *moved = [0, 1, 2].map(|i| moved[i] || here[i]);
        }
    }
    moved
}

/// The joints at rest and the body, and the objects that hold the weights of its shapes.
fn at_rest(clips: &[Clip], body: Option<&Body>) -> (Scene, Vec<Channel>) {
    let skeleton = clips[0].skeleton();
    let mut scene = Scene::new();
    let shapes = body.into_iter().flat_map(|body| &body.meshes).flat_map(|mesh| &mesh.shapes);
    let shapes: HashSet<&str> = shapes.map(|shape| shape.name.as_str()).collect();
    for (id, joint) in skeleton.iter() {
        add_joint(&mut scene, joint, id, clips, &shapes);
    }
    let mut binds = bind_matrices(skeleton);
    let added = body.map(|body| add_body(&mut scene, skeleton, &mut binds, body)).unwrap_or_default();
    add_pose(&mut scene, &binds, &added.nodes);
    (scene, added.channels)
}

fn add_joint(scene: &mut Scene, joint: &Joint, id: JointId, clips: &[Clip], shapes: &HashSet<&str>) {
    let node = scene.claim();
    let attribute = scene.claim();
    scene.nodes.push(node);
    let vector =
        |name, kind: [&str; 3], [x, y, z]: [f64; 3]| property(name, kind, &[x.into(), y.into(), z.into()]);
    let [z, y, x] = ORDER.angles(&joint.rest_rotation).map(f64::to_degrees);
    let offset = &joint.offset;
    let mut own = Vec::new();
    own.extend([
        property("InheritType", ["enum", "", ""], &[1.into()]),
        integer("DefaultAttributeIndex", 0),
        vector("Lcl Translation", ["Lcl Translation", "", "A"], [offset.x, offset.y, offset.z]),
        vector("Lcl Rotation", ["Lcl Rotation", "", "A"], [x, y, z]),
        vector("Lcl Scaling", ["Lcl Scaling", "", "A"], [1.0; 3]),
    ]);
    if joint.end_site {
        own.push(property(END_SITE, ["int", "Integer", "U"], &[1.into()]));
    }
    // Scalar tracks are properties of the first joint: engines import these as curves of the animation.
    if id.index() == 0 {
        let mut seen = shapes.clone();
        let scalars = clips.iter().flat_map(|clip| &clip.annotations().scalars);
        for scalar in scalars.filter(|scalar| seen.insert(scalar.name.as_str())) {
            let first = scalar.values.values().first().copied().unwrap_or(0.0);
            own.push(property(&scalar.name, ["double", "Number", "A+U"], &[first.into()]));
        }
    }
    let model = vec![node.into(), class(&joint.name, "Model"), "LimbNode".into()];
    scene.objects.push(Record::new("Model", model).with([
        field("Version", 232),
        properties(own),
        field("Shading", Property::Char(b'Y')),
        field("Culling", "CullingOff"),
    ]));
    let limb = vec![attribute.into(), class(&joint.name, "NodeAttribute"), "LimbNode".into()];
    scene.objects.push(
        Record::new("NodeAttribute", limb)
            .with([properties([number("Size", 1.0)]), field("TypeFlags", "Skeleton")]),
    );
    let parent = joint.parent.map_or(0, |parent| scene.node(parent));
    scene.connect(node, parent);
    scene.connect(attribute, node);
}

/// The bind pose: where joints and body are at rest.
fn add_pose(scene: &mut Scene, binds: &[Matrix4<f64>], body: &[i64]) {
    let id = scene.claim();
    let here = body.iter().map(|node| (*node, Matrix4::identity()));
    let nodes = scene.nodes.iter().copied().zip(binds.iter().copied()).chain(here);
    let nodes: Vec<Record> = nodes
        .map(|(node, bind)| {
            Record::new("PoseNode", Vec::new())
                .with([field("Node", node), field("Matrix", doubles(bind.as_slice()))])
        })
        .collect();
    let count = i32::try_from(nodes.len()).unwrap_or(i32::MAX);
    let head = vec![id.into(), class("Pose", "Pose"), "BindPose".into()];
    let fields = [field("Type", "BindPose"), field("Version", 100), field("NbPoseNodes", count)];
    scene.objects.push(Record::new("Pose", head).with(fields).with(nodes));
}

/// All records of the file.
fn file(mut scene: Scene, shapes: &[Channel], clips: &[Clip]) -> Vec<Record> {
    let mut names = Unique::default();
    let moved = moved(clips);
    let takes: Vec<Take> = clips
        .iter()
        .filter(|clip| clip.frames() > 0)
        .map(|clip| {
            let name = names.claim(if clip.name().is_empty() { UNNAMED } else { clip.name() });
            let turns = turns_between(clip);
            let fps = clip.rate().fps();
            let tracks = clip.skeleton().iter().zip(clip.tracks()).zip(&moved);
            let mut driven: Vec<(i64, Curves)> = Vec::new();
            for (((id, joint), tracks), moved) in tracks {
                let curves = curves(joint, tracks, *moved, turns[id.index()], fps);
                driven.extend(curves.into_iter().map(|curves| (scene.node(id), curves)));
            }
            let numbers = &clip.annotations().scalars;
            for track in numbers {
                let mut channels = shapes.iter().filter(|channel| channel.name == track.name).peekable();
                if channels.peek().is_none() {
                    driven.push((scene.nodes[0], one(&track.name, &track.name, track)));
                }
                // Weights of shapes are percents.
                let values = track.values.map(|value| 100.0 * value);
                let percents = ScalarTrack { values, ..track.clone() };
                driven.extend(channels.map(|found| (found.id, one(DEFORM, DEFORM, &percents))));
            }
            add_stack(&mut scene, clip, name, driven)
        })
        .collect();
    let settings = global_settings(clips[0].rate().fps(), last(&takes));
    let definitions = definitions(&scene.objects);
    vec![
        header(),
        field("FileId", Property::Bytes(&FILE_ID)),
        field("CreationTime", CREATION_TIME),
        field("Creator", CREATOR),
        settings,
        documents(takes.first().map_or("", |take| &take.name)),
        Record::new("References", Vec::new()),
        definitions,
        Record::new("Objects", Vec::new()).with(scene.objects),
        Record::new("Connections", Vec::new()).with(scene.connections),
        takes_of(&takes),
    ]
}

/// By joint: the largest rotation error between two frames \[rad\] that keeps all joints below within [`BETWEEN`] of
/// the shortest interpolation. Errors add up along a chain, so each joint gets a share.
fn turns_between(clip: &Clip) -> Vec<f64> {
    let depth = clip.skeleton().iter().fold(vec![1usize; clip.skeleton().len()], |mut depth, (id, joint)| {
        depth[id.index()] += joint.parent.map_or(0, |parent| depth[parent.index()]);
        depth
    });
    let deepest = depth.into_iter().max().unwrap_or(1) as f64;
    let reaches = reach(clip, SHELL / CENTIMETRE);
    let size = reaches.iter().copied().fold(0.0, f64::max);
    let between = (BETWEEN / CENTIMETRE).max(BETWEEN_OF_LARGE * size);
    // Errors of joints have independent directions, so they grow with the root of their number.
    let share = between / deepest.sqrt();
    reaches.into_iter().map(|reach| share / reach).collect()
}

/// Largest position error of a joint between two frames \[m\].
const BETWEEN: f64 = 5e-5;
/// The same for characters larger than a person, as a share of their reach: the number of keys does not grow with the
/// unit.
const BETWEEN_OF_LARGE: f64 = 3e-5;
/// Distance of the skin from a joint \[m\], added to its reach.
const SHELL: f64 = 0.03;

/// Has no version, so that files stay identical from release to release.
pub(super) const CREATOR: &str = "mocap";

/// By joint: its transform in the scene at rest.
fn bind_matrices(skeleton: &Skeleton) -> Vec<Matrix4<f64>> {
    let mut worlds: Vec<mocap_model::Isometry3<f64>> = Vec::with_capacity(skeleton.len());
    for joint in skeleton.joints() {
        let local = mocap_model::Isometry3::from_parts(joint.offset.into(), joint.rest_rotation);
        worlds.push(joint.parent.map_or(local, |parent| worlds[parent.index()] * local));
    }
    worlds.iter().map(mocap_model::Isometry3::to_homogeneous).collect()
}

fn header() -> Record {
    let date = ["Year", "Month", "Day", "Hour", "Minute", "Second", "Millisecond"];
    let stamp = date.into_iter().zip([1970, 1, 1, 10, 0, 0, 0]).map(|(name, value)| field(name, value));
    Record::new("FBXHeaderExtension", Vec::new()).with([
        field("FBXHeaderVersion", 1003),
        field("FBXVersion", 7400),
        field("EncryptionType", 0),
        Record::new("CreationTimeStamp", Vec::new()).with([field("Version", 1000)]).with(stamp),
        field("Creator", CREATOR),
    ])
}

fn global_settings(fps: f64, stop: i64) -> Record {
    let (mode, custom) = time_mode(fps);
    Record::new("GlobalSettings", Vec::new()).with([
        field("Version", 1000),
        properties([
            integer("UpAxis", 1),
            integer("UpAxisSign", 1),
            integer("FrontAxis", 2),
            integer("FrontAxisSign", 1),
            integer("CoordAxis", 0),
            integer("CoordAxisSign", 1),
            integer("OriginalUpAxis", 1),
            integer("OriginalUpAxisSign", 1),
            number("UnitScaleFactor", 1.0),
            number("OriginalUnitScaleFactor", 1.0),
            property("TimeMode", ["enum", "", ""], &[mode.into()]),
            time("TimeSpanStart", 0),
            time("TimeSpanStop", stop),
            number("CustomFrameRate", custom),
        ]),
    ])
}

fn documents(current: &str) -> Record {
    let document = vec![1_000_000i64.into(), "".into(), "Scene".into()];
    Record::new("Documents", Vec::new()).with([
        field("Count", 1),
        Record::new("Document", document).with([
            properties([
                property("SourceObject", ["object", "", ""], &[]),
                property("ActiveAnimStackName", ["KString", "", ""], &[current.into()]),
            ]),
            field("RootNode", 0i64),
        ]),
    ])
}

fn definitions(objects: &[Record]) -> Record {
    let mut kinds = kinds(objects);
    kinds.insert(0, ("GlobalSettings".into(), 1));
    let total = kinds.iter().map(|(_, count)| count).sum::<i32>();
    let kinds = kinds.iter().map(|(kind, count)| field("ObjectType", &**kind).with([field("Count", *count)]));
    Record::new("Definitions", Vec::new()).with([field("Version", 100), field("Count", total)]).with(kinds)
}
