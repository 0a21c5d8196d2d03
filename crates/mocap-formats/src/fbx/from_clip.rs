//! From clips of one skeleton to the records of a file.
//!
//! Centimetres and Y up, as game engines take a file without asking. A joint is a limb node whose rotation at rest is
//! its pre-rotation: at rest its angles are 0. A clip is an animation stack of one layer.

use std::borrow::Cow;
use std::sync::Arc;

use mocap_model::{Clip, Joint, JointId, Skeleton, Space, Unit, UnitQuaternion, UnitSource};
use nalgebra::Matrix4;

use super::geometry::skin;
use super::record::{
    Property, Record, class, doubles, field, integer, integers, number, properties, property, singles, time,
};
use super::take::{Curves, ORDER, curves, moves, shared, time_mode, times};
use super::write::{CREATION_TIME, FILE_ID, to_bytes};
use super::{END_SITE, Problem};
use crate::names::Unique;
use crate::{Encoded, Finding, WriteOptions};

/// Flags of a key: linear to the next one.
const LINEAR: i32 = 0x6104;
/// The data of a key that has no tangents of its own.
const NO_TANGENTS: [f32; 4] = [0.0, 0.0, 9.419_963e-30, 0.0];
/// Metres in the unit of the file.
const CENTIMETRE: f64 = 0.01;

/// The file of clips that share a skeleton: the joints, one animation stack per clip, and a body bound to the joints.
///
/// # Errors
/// Where there is no clip, skeletons differ in their joints, or lengths overflow in centimetres.
pub fn from_clips(clips: &[Clip], options: &WriteOptions) -> Result<Encoded<'static>, Finding> {
    let mut warnings = Vec::new();
    let mut converted = Vec::with_capacity(clips.len());
    for clip in clips {
        converted.push(in_centimetres(clip, &mut warnings).map_err(Finding::new)?);
    }
    let first = converted.first().ok_or_else(|| Finding::new(crate::FormatProblem::NoMotion))?;
    if let Some(other) = converted.iter().find(|clip| clip.skeleton().len() != first.skeleton().len()) {
        let (tracks, joints) = (other.skeleton().len(), first.skeleton().len());
        let error = mocap_model::ModelError::TrackCount { tracks, joints };
        return Err(Finding::new(Problem::Clip(error)));
    }
    let records = Scene::of(&converted, options).file(&converted);
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

/// The objects of a file while they are made.
pub(super) struct Scene {
    pub(super) objects: Vec<Record>,
    connections: Vec<Record>,
    last: i64,
    /// By joint, the number of its node.
    nodes: Vec<i64>,
    /// By joint, whether any clip moves, turns or scales it. Programs that play one clip after another keep what the
    /// second one has no curves for as the first one left it, so every clip has curves for all that any moves.
    moved: Vec<[bool; 3]>,
}

impl Scene {
    /// The joints at rest and the body.
    fn of(clips: &[Clip], options: &WriteOptions) -> Scene {
        let skeleton = clips[0].skeleton();
        let mut moved = vec![[false; 3]; skeleton.len()];
        for clip in clips {
            for ((moved, joint), tracks) in moved.iter_mut().zip(clip.skeleton().joints()).zip(clip.tracks())
            {
                let here = moves(joint, tracks);
                *moved = [0, 1, 2].map(|i| moved[i] || here[i]);
            }
        }
        let (objects, connections) = (Vec::new(), Vec::new());
        let mut scene = Scene { objects, connections, last: 1_000_000, nodes: Vec::new(), moved };
        for (id, joint) in skeleton.iter() {
            scene.add_joint(joint, id, clips);
        }
        let binds = bind_matrices(skeleton);
        let body = skin(&mut scene, skeleton, &binds, options);
        scene.add_pose(&binds, body);
        scene
    }

    /// A number for an object.
    pub(super) fn claim(&mut self) -> i64 {
        self.last += 1;
        self.last
    }

    /// The number of the node of a joint.
    pub(super) fn node(&self, joint: JointId) -> i64 {
        self.nodes[joint.index()]
    }

    /// Puts an object below another.
    pub(super) fn connect(&mut self, from: i64, to: i64) {
        self.connections.push(Record::new("C", vec!["OO".into(), from.into(), to.into()]));
    }

    /// Makes an object the source of a property of another.
    fn drive(&mut self, from: i64, to: i64, property: &str) {
        let values = vec!["OP".into(), from.into(), to.into(), property.into()];
        self.connections.push(Record::new("C", values));
    }

    fn add_joint(&mut self, joint: &Joint, id: JointId, clips: &[Clip]) {
        let node = self.claim();
        let attribute = self.claim();
        self.nodes.push(node);
        let vector = |name, kind: [&str; 3], [x, y, z]: [f64; 3]| {
            property(name, kind, &[x.into(), y.into(), z.into()])
        };
        let [z, y, x] = ORDER.angles(&joint.rest_rotation).map(f64::to_degrees);
        let offset = &joint.offset;
        let mut own = Vec::new();
        if joint.rest_rotation != UnitQuaternion::identity() {
            own.push(vector("PreRotation", ["Vector3D", "Vector", ""], [x, y, z]));
            own.push(property("RotationActive", ["bool", "", ""], &[1.into()]));
        }
        own.extend([
            property("InheritType", ["enum", "", ""], &[1.into()]),
            integer("DefaultAttributeIndex", 0),
            vector("Lcl Translation", ["Lcl Translation", "", "A"], [offset.x, offset.y, offset.z]),
            vector("Lcl Rotation", ["Lcl Rotation", "", "A"], [0.0; 3]),
            vector("Lcl Scaling", ["Lcl Scaling", "", "A"], [1.0; 3]),
        ]);
        if joint.end_site {
            own.push(property(END_SITE, ["int", "Integer", "U"], &[1.into()]));
        }
        // Numbers over time are properties of the first joint: engines take them as curves of the animation.
        if id.index() == 0 {
            let mut seen = std::collections::HashSet::new();
            let scalars = clips.iter().flat_map(|clip| &clip.annotations().scalars);
            for scalar in scalars.filter(|scalar| seen.insert(scalar.name.as_str())) {
                let first = scalar.values.values().first().copied().unwrap_or(0.0);
                own.push(property(&scalar.name, ["double", "Number", "A+U"], &[first.into()]));
            }
        }
        let model = vec![node.into(), class(&joint.name, "Model"), "LimbNode".into()];
        self.objects.push(Record::new("Model", model).with([
            field("Version", 232),
            properties(own),
            field("Shading", Property::Char(b'Y')),
            field("Culling", "CullingOff"),
        ]));
        let limb = vec![attribute.into(), class(&joint.name, "NodeAttribute"), "LimbNode".into()];
        self.objects.push(
            Record::new("NodeAttribute", limb)
                .with([properties([number("Size", 1.0)]), field("TypeFlags", "Skeleton")]),
        );
        let parent = joint.parent.map_or(0, |parent| self.node(parent));
        self.connect(node, parent);
        self.connect(attribute, node);
    }

    /// The bind pose: where joints and body are at rest.
    fn add_pose(&mut self, binds: &[Matrix4<f64>], body: Option<i64>) {
        let id = self.claim();
        let here = [(body, Matrix4::identity())];
        let here = here.iter().filter_map(|(node, matrix)| Some(((*node)?, *matrix)));
        let nodes = self.nodes.iter().copied().zip(binds.iter().copied()).chain(here);
        let nodes: Vec<Record> = nodes
            .map(|(node, bind)| {
                Record::new("PoseNode", Vec::new())
                    .with([field("Node", node), field("Matrix", doubles(bind.as_slice()))])
            })
            .collect();
        let count = i32::try_from(nodes.len()).unwrap_or(i32::MAX);
        let head = vec![id.into(), class("Pose", "Pose"), "BindPose".into()];
        let fields = [field("Type", "BindPose"), field("Version", 100), field("NbPoseNodes", count)];
        self.objects.push(Record::new("Pose", head).with(fields).with(nodes));
    }

    /// A clip as an animation stack.
    fn add_stack(&mut self, clip: &Clip, name: &str) {
        let (stack, layer) = (self.claim(), self.claim());
        let times = times(clip);
        let stop = times.last().copied().unwrap_or(0);
        let spans = [("LocalStart", 0), ("LocalStop", stop), ("ReferenceStart", 0), ("ReferenceStop", stop)];
        let head = vec![stack.into(), class(name, "AnimStack"), "".into()];
        let spans = spans.map(|(name, ticks)| time(name, ticks));
        self.objects.push(Record::new("AnimationStack", head).with([properties(spans)]));
        let head = vec![layer.into(), class("BaseLayer", "AnimLayer"), "".into()];
        self.objects.push(Record::new("AnimationLayer", head));
        self.connect(layer, stack);
        let [all, first] = [&times[..], &times[..1]].map(shared);
        let times = |keys: usize| if keys == 1 { first.clone() } else { all.clone() };
        for ((id, joint), tracks) in clip.skeleton().iter().zip(clip.tracks()) {
            let node = self.node(id);
            let moved = self.moved[id.index()];
            for Curves { property, node: short, values, first, keys } in curves(joint, tracks, moved) {
                let axes = ["d|X", "d|Y", "d|Z"].into_iter().zip(first).zip(values);
                let axes = axes.map(|((axis, first), values)| (axis.to_owned(), first, values)).collect();
                self.add_curves((node, property), layer, short, axes, (keys, times(keys)));
            }
        }
        for scalar in &clip.annotations().scalars {
            let values: Vec<f32> = scalar.values.values().iter().map(|value| *value as f32).collect();
            let (keys, first) = (values.len(), scalar.values.values()[0]);
            let axes = vec![(format!("d|{}", scalar.name), first, singles(&values))];
            self.add_curves((self.nodes[0], &scalar.name), layer, &scalar.name, axes, (keys, times(keys)));
        }
    }

    /// Curves that move the components of one property of a node.
    fn add_curves(
        &mut self,
        (node, driven): (i64, &str),
        layer: i64,
        short: &str,
        axes: Vec<(String, f64, Property)>,
        (keys, times): (usize, Property),
    ) {
        let holder = self.claim();
        let defaults =
            axes.iter().map(|(axis, first, _)| property(axis, ["Number", "", "A"], &[(*first).into()]));
        let head = vec![holder.into(), class(short, "AnimCurveNode"), "".into()];
        self.objects.push(Record::new("AnimationCurveNode", head).with([properties(defaults)]));
        self.connect(holder, layer);
        self.drive(holder, node, driven);
        for (axis, first, values) in axes {
            let curve = self.claim();
            let head = vec![curve.into(), class("", "AnimCurve"), "".into()];
            self.objects.push(Record::new("AnimationCurve", head).with([
                field("Default", first),
                field("KeyVer", 4008),
                field("KeyTime", times.clone()),
                field("KeyValueFloat", values),
                field("KeyAttrFlags", integers(&[LINEAR])),
                field("KeyAttrDataFloat", singles(&NO_TANGENTS)),
                field("KeyAttrRefCount", integers(&[i32::try_from(keys).unwrap_or(i32::MAX)])),
            ]));
            self.drive(curve, holder, &axis);
        }
    }

    /// All records of the file.
    fn file(mut self, clips: &[Clip]) -> Vec<Record> {
        let mut names = Unique::default();
        let moving = clips.iter().filter(|clip| clip.frames() > 0);
        let takes: Vec<(String, i64)> = moving
            .map(|clip| {
                let name = names.claim(if clip.name().is_empty() { "Take 001" } else { clip.name() });
                self.add_stack(clip, &name);
                (name, times(clip).last().copied().unwrap_or(0))
            })
            .collect();
        let current = takes.first().map_or("", |(name, _)| name.as_str());
        let stop = takes.iter().map(|(_, stop)| *stop).max().unwrap_or(0);
        let header = header();
        let settings = global_settings(clips[0].rate().fps(), stop);
        let documents = documents(current);
        let definitions = definitions(&self.objects);
        let takes = takes_of(&takes, current);
        vec![
            header,
            field("FileId", Property::Bytes(&FILE_ID)),
            field("CreationTime", CREATION_TIME),
            field("Creator", CREATOR),
            settings,
            documents,
            Record::new("References", Vec::new()),
            definitions,
            Record::new("Objects", Vec::new()).with(self.objects),
            Record::new("Connections", Vec::new()).with(self.connections),
            takes,
        ]
    }
}

const CREATOR: &str = concat!("mocap ", env!("CARGO_PKG_VERSION"));

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

/// How many objects of each kind there are.
fn definitions(objects: &[Record]) -> Record {
    let mut kinds: Vec<(&'static str, i32)> = vec![("GlobalSettings", 1)];
    for object in objects {
        match kinds.iter_mut().find(|(kind, _)| *kind == object.name) {
            Some((_, count)) => *count += 1,
            None => kinds.push((object.name, 1)),
        }
    }
    let total = kinds.iter().map(|(_, count)| count).sum::<i32>();
    let kinds =
        kinds.into_iter().map(|(kind, count)| field("ObjectType", kind).with([field("Count", count)]));
    Record::new("Definitions", Vec::new()).with([field("Version", 100), field("Count", total)]).with(kinds)
}

fn takes_of(takes: &[(String, i64)], current: &str) -> Record {
    let span = |name, stop: i64| Record::new(name, vec![0i64.into(), stop.into()]);
    let takes = takes.iter().map(|(name, stop)| {
        let file = format!("{name}.tak");
        field("Take", name.as_str()).with([
            field("FileName", file.as_str()),
            span("LocalTime", *stop),
            span("ReferenceTime", *stop),
        ])
    });
    Record::new("Takes", Vec::new()).with([field("Current", current)]).with(takes)
}
