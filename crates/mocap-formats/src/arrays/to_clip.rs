//! The motion that arrays hold.

use super::problem::index;
use super::{Array, Arrays, Data, Problem, RotationFormat, encoding, ulps};
use crate::names::Unique;
use crate::{Finding, LimitExceeded, Limits, Parsed, Warnings, skel};
use mocap_model::{
    Annotations, Clip, Dofs, EulerOrder, Event, FrameRate, Joint, JointId, JointTracks, ModelError, Role,
    ScalarTrack, SignedAxis, Skeleton, Space, Track, Unit, UnitQuaternion, UnitSource, Vector3,
};
use std::sync::Arc;

/// Lengths this close, as a share of the largest, are the same in 32 bits.
const ROUNDED: f64 = 1e-5;

/// The arrays of a file, and the suffix with which messages name them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) arrays: &'a Arrays,
    /// Appended to the name of an array in messages: `.npy` in an NPZ file.
    pub(crate) suffix: &'static str,
}

impl<'a> Source<'a> {
    pub(crate) fn path(&self, name: &str) -> String {
        format!("{name}{}", self.suffix)
    }

    pub(crate) fn error(&self, name: &str, problem: impl FnOnce(String) -> Problem) -> Finding {
        Finding::new(problem(self.path(name)))
    }

    pub(crate) fn need(&self, name: &str) -> Result<&'a Array, Finding> {
        self.arrays.get(name).ok_or_else(|| {
            let names: Vec<String> = self.arrays.iter().map(|(name, _)| self.path(name)).collect();
            let found = if names.is_empty() { "no array".into() } else { names.join(", ") };
            self.error(name, |path| Problem::Missing { path, found })
        })
    }

    /// The array of a name, if there is one; an error where its shape is another.
    pub(crate) fn shaped(&self, name: &str, shape: &[usize]) -> Result<Option<&'a Array>, Finding> {
        let Some(array) = self.arrays.get(name) else { return Ok(None) };
        if array.shape == shape {
            return Ok(Some(array));
        }
        let (found, expected) = (array.shape.clone(), super::problem::shape(shape));
        Err(self.error(name, |path| Problem::Shape { path, found, expected }))
    }

    /// A value of an array; an error where it is not finite.
    pub(crate) fn finite(&self, name: &str, array: &Array, at: usize) -> Result<f64, Finding> {
        let found = array.data.kind();
        let value = array
            .data
            .number(at)
            .ok_or_else(|| self.error(name, |path| Problem::Kind { path, found, expected: "numbers" }))?;
        if value.is_finite() {
            return Ok(value);
        }
        let index = index(at, &array.shape);
        Err(self.error(name, |path| Problem::NotFinite { path, index, value }))
    }

    /// The texts of a list.
    pub(crate) fn texts(&self, name: &str) -> Result<Option<&'a [String]>, Finding> {
        match self.arrays.get(name) {
            None => Ok(None),
            Some(Array { data: Data::Text(texts), .. }) => Ok(Some(texts)),
            Some(array) => {
                let found = array.data.kind();
                Err(self.error(name, |path| Problem::Kind { path, found, expected: "texts" }))
            }
        }
    }

    pub(crate) fn scalar(&self, name: &str) -> Result<Option<f64>, Finding> {
        let Some(array) = self.arrays.get(name) else { return Ok(None) };
        if array.data.len() != 1 {
            let (found, expected) = (array.shape.clone(), "one number".into());
            return Err(self.error(name, |path| Problem::Shape { path, found, expected }));
        }
        Ok(array.data.number(0))
    }

    pub(crate) fn value(&self, name: &str, at: String, message: impl Into<String>) -> Finding {
        let message = message.into();
        self.error(name, |path| Problem::Value { path, index: at, message })
    }

    pub(crate) fn model(&self, name: &str, error: ModelError) -> Finding {
        self.error(name, |path| Problem::Model { path, error })
    }
}

/// The motion of arrays as [`of_clip`](super::of_clip) makes them, or with only rotations, root translation,
/// parents, offsets and frame rate.
pub(super) fn to_clip(source: &Source, limits: &Limits, fps: Option<f64>) -> Result<Parsed<Clip>, Finding> {
    let mut warnings = Warnings::default();
    let rotations = source.need("rotations")?;
    let [frames, width, ..] = *rotations.shape.as_slice() else {
        let found = rotations.shape.clone();
        let expected = "(frames, joints, 4)".into();
        return Err(source.error("rotations", |path| Problem::Shape { path, found, expected }));
    };
    for (what, found, limit) in [("frames", frames, limits.frames), ("joints", width, limits.joints)] {
        if found > limit {
            return Err(Finding::new(LimitExceeded { what, found, limit }));
        }
    }
    limits.check_samples(frames, width).map_err(Finding::new)?;
    let stated = source.scalar("fps")?.or(source.scalar("mocap_framerate")?);
    let fps = fps.or(stated).ok_or_else(|| source.need("fps").expect_err("no rate"))?;
    let rate = FrameRate::new(fps)
        .ok_or_else(|| source.value("fps", String::new(), format!("{fps} is not a frame rate")))?;
    let skeleton = Arc::new(skeleton(source, width, limits, &mut warnings)?);
    let joints: Vec<JointId> =
        skeleton.iter().filter(|(_, joint)| !joint.end_site).map(|(id, _)| id).collect();
    let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    if frames > 0 {
        read_rotations(source, rotations, &skeleton, &joints, &mut tracks, &mut warnings)?;
        read_translations(source, frames, &skeleton, &joints, &mut tracks)?;
        read_scales(source, frames, &skeleton, &joints, &mut tracks)?;
    }
    let clip = Clip::new(skeleton, rate, frames, tracks).map_err(|error| source.model("rotations", error))?;
    let clip = clip
        .with_annotations(annotations(source, frames)?)
        .map_err(|error| source.model("scalars", error))?;
    Ok(Parsed { value: clip, warnings: warnings.into_vec() })
}

/// The encoding of rotations: as the file says, else by their shape.
fn rotation_format(source: &Source, shape: &[usize]) -> Result<RotationFormat, Finding> {
    let stated = source.texts("rotation_format")?.and_then(<[_]>::first);
    let format = match stated {
        Some(name) => {
            name.parse().map_err(|message: String| source.value("rotation_format", String::new(), message))?
        }
        None => match shape {
            [6] => RotationFormat::SixD,
            [3, 3] => RotationFormat::Matrix,
            [3] => RotationFormat::AxisAngle,
            _ => RotationFormat::Quaternion,
        },
    };
    Ok(format)
}

fn read_rotations(
    source: &Source,
    array: &Array,
    skeleton: &Skeleton,
    joints: &[JointId],
    tracks: &mut [JointTracks],
    warnings: &mut Warnings,
) -> Result<(), Finding> {
    let (name, frames) = ("rotations", array.shape[0]);
    let format = rotation_format(source, &array.shape[2..])?;
    let mut shape = vec![frames, joints.len()];
    shape.extend(format.shape());
    source.shaped(name, &shape)?;
    let step: usize = format.shape().iter().product();
    let mut row = [0.0; 9];
    for (j, joint) in joints.iter().enumerate() {
        let order = skeleton.joint(*joint).dofs.order;
        let mut samples = Vec::with_capacity(frames);
        for frame in 0..frames {
            let first = (frame * joints.len() + j) * step;
            let place = |finding: Finding| finding.in_joint(&skeleton.joint(*joint).name).in_frame(frame);
            for (i, value) in row[..step].iter_mut().enumerate() {
                *value = source.finite(name, array, first + i).map_err(place)?;
            }
            let at = || index(frame * joints.len() + j, &array.shape[..2]);
            let (rotation, length) = encoding::decode(format, &row[..step], order)
                .map_err(|message| place(source.value(name, at(), message)))?;
            if let Some(length) = length {
                let found = source.error(name, |path| Problem::RotationLength { path, index: at(), length });
                warnings.push(place(found));
            }
            samples.push(rotation);
        }
        tracks[joint.index()].rotation = Track::from_samples(samples).expect("there is a frame");
    }
    Ok(())
}

fn read_translations(
    source: &Source,
    frames: usize,
    skeleton: &Skeleton,
    joints: &[JointId],
    tracks: &mut [JointTracks],
) -> Result<(), Finding> {
    let unit = skeleton.space().metres().unwrap_or(1.0);
    let all = source.shaped("translations", &[frames, joints.len(), 3])?;
    let root = source.shaped("root_translation", &[frames, 3])?;
    let translated = match source.shaped("translated", &[joints.len()])? {
        Some(Array { data: Data::Bool(translated), .. }) => Some(translated),
        _ => None,
    };
    for (j, joint) in joints.iter().enumerate() {
        let (name, array, width, at) = match (all, root) {
            (_, Some(root)) if j == 0 => ("root_translation", root, 1, 0),
            (Some(all), _) => ("translations", all, joints.len(), j),
            _ => continue,
        };
        if translated.is_some_and(|translated| !translated[j]) {
            continue;
        }
        let steps = match source.shaped(&format!("{name}_ulps"), &array.shape)? {
            Some(Array { data: Data::I8(steps), .. }) => Some(steps),
            _ => None,
        };
        let mut samples = Vec::with_capacity(frames);
        for frame in 0..frames {
            let mut translation = Vector3::zeros();
            for axis in 0..3 {
                let at = (frame * width + at) * 3 + axis;
                let metres = source
                    .finite(name, array, at)
                    .map_err(|finding| finding.in_joint(&skeleton.joint(*joint).name).in_frame(frame))?;
                translation[axis] = ulps::step(metres / unit, steps.map_or(0, |steps| steps[at]));
            }
            samples.push(translation);
        }
        let track = Track::from_samples(samples).expect("there is a frame");
        let offset = skeleton.joint(*joint).offset;
        let rests = |value: &Vector3<f64>| near(value, &offset, offset.norm());
        // A joint that stays at its offset gets no translation track, unless the file states one.
        tracks[joint.index()].translation = match &track {
            Track::Constant(value) if translated.is_none() && rests(value) => None,
            _ => Some(track),
        };
    }
    // `translated` names joints whose constant track equals the offset.
    if let Some(translated) = translated {
        for (joint, _) in joints.iter().zip(translated).filter(|(_, translated)| **translated) {
            let track = &mut tracks[joint.index()].translation;
            track.get_or_insert(Track::Constant(skeleton.joint(*joint).offset));
        }
    }
    Ok(())
}

fn read_scales(
    source: &Source,
    frames: usize,
    skeleton: &Skeleton,
    joints: &[JointId],
    tracks: &mut [JointTracks],
) -> Result<(), Finding> {
    let name = "scales";
    let Some(array) = source.shaped(name, &[frames, joints.len(), 3])? else { return Ok(()) };
    let scaled = match source.shaped("scaled", &[joints.len()])? {
        Some(Array { data: Data::Bool(scaled), .. }) => Some(scaled),
        _ => None,
    };
    for (j, joint) in joints.iter().enumerate() {
        let mut samples = Vec::with_capacity(frames);
        for frame in 0..frames {
            let scale = vector(source, name, array, frame * joints.len() + j);
            samples.push(
                scale.map_err(|finding| finding.in_joint(&skeleton.joint(*joint).name).in_frame(frame))?,
            );
        }
        let track = Track::from_samples(samples).expect("there is a frame");
        let has_track = scaled.map_or(track != Track::Constant(Vector3::repeat(1.0)), |scaled| scaled[j]);
        tracks[joint.index()].scale = has_track.then_some(track);
    }
    Ok(())
}

/// Name, scalar tracks and events.
fn annotations(source: &Source, frames: usize) -> Result<Annotations, Finding> {
    let name = source.texts("clip_name")?.and_then(<[_]>::first).cloned().unwrap_or_default();
    let mut annotations = Annotations { name, ..Annotations::default() };
    if let Some(names) = source.texts("scalar_names")? {
        let count = names.len();
        source.need("scalars")?;
        let array = source.shaped("scalars", &[frames, count])?.expect("it is there");
        for (i, name) in names.iter().enumerate() {
            let values: Result<Vec<f64>, Finding> = (0..frames)
                .map(|frame| {
                    source
                        .finite("scalars", array, frame * count + i)
                        .map_err(|finding| finding.in_frame(frame))
                })
                .collect();
            let values = Track::from_samples(values?).unwrap_or(Track::Constant(0.0));
            annotations.scalars.push(ScalarTrack { name: name.clone(), values });
        }
    }
    annotations.events = events(source)?;
    Ok(annotations)
}

/// Moments with names.
pub(super) fn events(source: &Source) -> Result<Vec<Event>, Finding> {
    let Some(names) = source.texts("event_names")? else { return Ok(Vec::new()) };
    source.need("event_times")?;
    let times = source.shaped("event_times", &[names.len()])?.expect("it is there");
    let event = |(i, name): (usize, &String)| {
        Ok(Event { time: source.finite("event_times", times, i)?, name: name.clone() })
    };
    names.iter().enumerate().map(event).collect()
}

fn near(a: &Vector3<f64>, b: &Vector3<f64>, size: f64) -> bool {
    (a - b).amax() <= ROUNDED * size
}

/// The skeleton: from the full description in the file where the arrays agree with it, else from the arrays.
fn skeleton(
    source: &Source,
    width: usize,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<Skeleton, Finding> {
    let stated = skeleton_of_arrays(source, width, limits)?;
    let Some(text) = source.texts("skeleton")?.and_then(<[_]>::first) else { return Ok(stated) };
    let full = skel::parse(text.as_bytes(), limits).map_err(|failed| {
        let message = format!("it is not a description of a skeleton: {}", failed.error);
        source.value("skeleton", String::new(), message)
    })?;
    if agree(&full.value, &stated) {
        return Ok(full.value);
    }
    let with = "parents, names, offsets and metres_per_unit";
    warnings.push(source.error("skeleton", |path| Problem::Disagrees { path, with }));
    Ok(stated)
}

/// Whether two skeletons are the same up to what the arrays hold: the order of end sites, degrees of freedom and
/// rounding may differ.
fn agree(full: &Skeleton, stated: &Skeleton) -> bool {
    let joints = |skeleton: &Skeleton, end_site: bool| -> Vec<Joint> {
        skeleton.joints().iter().filter(|joint| joint.end_site == end_site).cloned().collect()
    };
    let size = stated.joints().iter().map(|joint| joint.offset.norm()).fold(0.0, f64::max);
    let name =
        |skeleton: &Skeleton, joint: &Joint| joint.parent.map(|parent| skeleton.joint(parent).name.clone());
    let same = |a: &Joint, b: &Joint| {
        near(&a.offset, &b.offset, size)
            && name(full, a) == name(stated, b)
            && a.rest_rotation.angle_to(&b.rest_rotation) < 1e-3
            && (a.end_site || (a.name == b.name && a.role == b.role))
    };
    let lists = |end_site: bool| {
        let (a, b) = (joints(full, end_site), joints(stated, end_site));
        a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| same(a, b))
    };
    let unit = match (full.space().metres(), stated.space().metres()) {
        (Some(a), Some(b)) => (a / b - 1.0).abs() < 1e-9,
        (None, None) => true,
        _ => false,
    };
    unit && full.space().up == stated.space().up && lists(false) && lists(true)
}

fn skeleton_of_arrays(source: &Source, width: usize, limits: &Limits) -> Result<Skeleton, Finding> {
    let space = space(source)?;
    let unit = space.metres().unwrap_or(1.0);
    let parents = source.need("parents")?;
    source.shaped("parents", &[width])?;
    source.need("offsets")?;
    let offsets = source.shaped("offsets", &[width, 3])?.expect("it is there");
    let rest = source.shaped("rest_rotations", &[width, 4])?;
    let list = |name: &str| source.shaped(name, &[width]).and_then(|_| source.texts(name));
    let (names, roles, orders) = (list("names")?, list("roles")?, list("euler_orders")?);
    let moves = source.arrays.get("translations").is_some();
    let mut unique = Unique::default();
    let mut joints: Vec<Joint> = Vec::with_capacity(width);
    let mut levels: Vec<usize> = Vec::with_capacity(width);
    for i in 0..width {
        let at = || index(i, &[width]);
        let parent = parent(source, "parents", parents, i)?;
        let level = match parent {
            Some(parent) if parent.index() >= i => {
                let message = "the parent of a joint comes before it, and -1 stands for a root";
                return Err(source.value("parents", at(), message));
            }
            Some(parent) => levels[parent.index()] + 1,
            None => 1,
        };
        if level > limits.depth {
            return Err(Finding::new(LimitExceeded { what: "levels", found: level, limit: limits.depth }));
        }
        levels.push(level);
        let named = names.map(|names| names[i].clone()).filter(|name| !name.is_empty());
        let name = unique.claim(&named.unwrap_or_else(|| format!("joint_{i}")));
        let mut joint = Joint::new(name, parent, vector(source, "offsets", offsets, i)? / unit);
        if let Some(order) = orders.map(|orders| &orders[i]) {
            let order = order.parse::<EulerOrder>();
            joint.dofs = Dofs::ball(order.map_err(|message| source.value("euler_orders", at(), message))?);
        }
        joint.dofs.translation = [moves || i == 0; 3];
        if let Some(role) = roles.map(|roles| &roles[i]).filter(|role| !role.is_empty()) {
            let role: Role = role.parse().map_err(|message: String| source.value("roles", at(), message))?;
            joint.role = Some(role);
        }
        if let Some(rest) = rest {
            joint.rest_rotation = rest_rotation(source, rest, i)?;
        }
        joints.push(joint);
    }
    let ends = source.arrays.get("end_site_parents").map_or(0, |array| array.data.len());
    if let Some(parents) = source.shaped("end_site_parents", &[ends])? {
        source.need("end_site_offsets")?;
        let offsets = source.shaped("end_site_offsets", &[ends, 3])?.expect("it is there");
        if ends + width > limits.joints {
            let (found, limit) = (ends + width, limits.joints);
            return Err(Finding::new(LimitExceeded { what: "joints", found, limit }));
        }
        for i in 0..ends {
            let parent = parent(source, "end_site_parents", parents, i)?;
            let Some(parent) = parent.filter(|parent| parent.index() < width) else {
                let message = format!("an end site belongs to one of the {width} joints");
                return Err(source.value("end_site_parents", index(i, &[ends]), message));
            };
            let name = unique.claim(&format!("{}_End", joints[parent.index()].name));
            let offset = vector(source, "end_site_offsets", offsets, i)? / unit;
            let end = Joint::new(name, Some(parent), offset);
            joints.push(Joint { dofs: Dofs::locked(EulerOrder::ZXY), end_site: true, ..end });
        }
    }
    Skeleton::new("", space, joints).map_err(|error| source.model("parents", error))
}

fn rest_rotation(source: &Source, rest: &Array, i: usize) -> Result<UnitQuaternion<f64>, Finding> {
    let mut q = [0.0; 4];
    for (k, value) in q.iter_mut().enumerate() {
        *value = source.finite("rest_rotations", rest, 4 * i + k)?;
    }
    let found = encoding::quaternion(q).map(|(rotation, _)| rotation);
    found.ok_or_else(|| source.value("rest_rotations", format!("[{i}]"), "four zeros are not a rotation"))
}

fn parent(source: &Source, name: &str, array: &Array, at: usize) -> Result<Option<JointId>, Finding> {
    let value = source.finite(name, array, at)?;
    match value {
        -1.0 => Ok(None),
        _ if value >= 0.0 && value.fract() == 0.0 && value < f64::from(u32::MAX) => {
            Ok(Some(JointId(value as u32)))
        }
        _ => Err(source.value(name, format!("[{at}]"), format!("{value} is not the index of a joint"))),
    }
}

fn vector(source: &Source, name: &str, array: &Array, at: usize) -> Result<Vector3<f64>, Finding> {
    let mut vector = Vector3::zeros();
    for axis in 0..3 {
        vector[axis] = source.finite(name, array, 3 * at + axis)?;
    }
    Ok(vector)
}

/// The axes and the unit of the file.
pub(crate) fn space(source: &Source) -> Result<Space, Finding> {
    let mut space = Space::default();
    if let Some(up) = source.texts("up")?.and_then(<[_]>::first) {
        let up: SignedAxis =
            up.parse().map_err(|message: String| source.value("up", String::new(), message))?;
        if up.axis == space.forward.axis {
            space.forward = SignedAxis { axis: mocap_model::Axis::Y, negative: !up.negative };
        }
        space.up = up;
    }
    match source.scalar("metres_per_unit")? {
        Some(metres) if metres.is_nan() => {}
        Some(metres) if metres.is_finite() && metres > 0.0 => {
            space.unit = Some(Unit { metres, source: UnitSource::File });
        }
        Some(metres) => {
            let message = format!("{metres} is not the length of a unit");
            return Err(source.value("metres_per_unit", String::new(), message));
        }
        // Lengths are metres.
        None => space.unit = Some(Unit { metres: 1.0, source: UnitSource::File }),
    }
    Ok(space)
}
