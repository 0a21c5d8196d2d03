//! A motion as arrays.

use super::array::push;
use super::features::{Heading, contacts, planar, velocity};
use super::{Array, ArrayOptions, Arrays, Data, Precision, encoding, ulps};
use crate::skel;
use mocap_model::{Annotations, Clip, EulerOrder, Event, ForwardKinematics, JointId, Skeleton, Vector3};

/// The arrays of a motion. Lengths are metres where the unit is known, else units of the clip.
///
/// Roles and the unit are those of the skeleton: heading and contacts need roles.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let arrays = mocap_formats::arrays::of_clip(&clip, &Default::default());
/// let rotations = arrays.get("rotations").unwrap();
/// assert_eq!(rotations.shape, [120, 13, 4]);
/// ```
pub fn of_clip(clip: &Clip, options: &ArrayOptions) -> Arrays {
    let skeleton = clip.skeleton();
    let joints: Vec<JointId> =
        skeleton.iter().filter(|(_, joint)| !joint.end_site).map(|(id, _)| id).collect();
    let unit = skeleton.space().metres();
    let mut arrays = Arrays::default();
    // Before the arrays take memory.
    let contacts = unit.and_then(|_| contacts(clip));
    motion(clip, &joints, options, &mut arrays);
    features(clip, &joints, options, &mut arrays);
    if let Some(contacts) = contacts {
        arrays.insert("contacts", Array::new([clip.frames(), 2], Data::Bool(contacts)));
    }
    rest(skeleton, &joints, options.precision, &mut arrays);
    let moves = joints.iter().map(|joint| clip.track(*joint).translation.is_some());
    arrays.insert("translated", Array::new([joints.len()], Data::Bool(moves.collect())));
    annotations(clip, options.precision, &mut arrays);
    arrays.insert("fps", Array::scalar(clip.rate().fps()));
    arrays.insert("metres_per_unit", Array::scalar(unit.unwrap_or(f64::NAN)));
    let text = String::from_utf8(skel::to_bytes(skeleton)).expect("JSON is UTF-8");
    arrays.insert("skeleton", Array::text(text));
    if let Some(window) = options.window {
        let starts: Vec<i64> = window.starts(clip.frames()).map(|start| start as i64).collect();
        arrays.insert("window_starts", Array::new([starts.len()], Data::I64(starts)));
        arrays.insert("window", Array::new([], Data::I64(vec![window.frames as i64])));
    }
    arrays
}

/// Local rotations and translations.
fn motion(clip: &Clip, joints: &[JointId], options: &ArrayOptions, arrays: &mut Arrays) {
    let (frames, skeleton, precision) = (clip.frames(), clip.skeleton(), options.precision);
    let format = options.rotations;
    let mut shape = vec![frames, joints.len()];
    shape.extend(format.shape());
    let mut rotations = precision.floats(shape.iter().product());
    let orders: Vec<EulerOrder> = joints.iter().map(|joint| skeleton.joint(*joint).dofs.order).collect();
    let mut previous = vec![None; joints.len()];
    for frame in 0..frames {
        for ((joint, order), previous) in joints.iter().zip(&orders).zip(&mut previous) {
            let rotation = clip.track(*joint).rotation.at(frame);
            encoding::encode(format, &rotation, *order, previous, |row| push(&mut rotations, row));
        }
    }
    arrays.insert("rotations", Array::new(shape, rotations));
    arrays.insert("rotation_format", Array::text(format.name()));
    let orders = orders.iter().map(EulerOrder::to_string).collect();
    arrays.insert("euler_orders", Array::texts(orders));
    let scale = skeleton.space().metres();
    let root = [joints[0]];
    insert_lengths(clip, &root, "root_translation", vec![frames, 3], scale, precision, arrays);
    if clip.has_scale() {
        let shape = [frames, joints.len(), 3];
        let mut scales = precision.floats(frames * joints.len() * 3);
        for frame in 0..frames {
            joints.iter().for_each(|joint| push(&mut scales, clip.scale(*joint, frame).as_slice()));
        }
        arrays.insert("scales", Array::new(shape, scales));
        let scaled = joints.iter().map(|joint| clip.track(*joint).scale.is_some()).collect();
        arrays.insert("scaled", Array::new([joints.len()], Data::Bool(scaled)));
    }
    let at_offset = |joint: &JointId| {
        let offset = skeleton.joint(*joint).offset;
        let track = &clip.track(*joint).translation;
        track.as_ref().is_none_or(|track| track.values().iter().all(|value| *value == offset))
    };
    if !joints[1..].iter().all(at_offset) {
        let shape = vec![frames, joints.len(), 3];
        insert_lengths(clip, joints, "translations", shape, scale, precision, arrays);
    }
}

/// Name, scalar tracks and events.
fn annotations(clip: &Clip, precision: Precision, arrays: &mut Arrays) {
    let Annotations { name, scalars, events } = clip.annotations();
    if !name.is_empty() {
        arrays.insert("clip_name", Array::text(name));
    }
    if !scalars.is_empty() {
        let (frames, count) = (clip.frames(), scalars.len());
        let mut values = precision.floats(frames * count);
        for frame in 0..frames {
            scalars.iter().for_each(|track| push(&mut values, &[track.values.at(frame)]));
        }
        arrays.insert("scalars", Array::new([frames, count], values));
        let names = scalars.iter().map(|track| track.name.clone()).collect();
        arrays.insert("scalar_names", Array::texts(names));
    }
    insert_events(events, arrays);
}

/// Moments with names.
pub(super) fn insert_events(events: &[Event], arrays: &mut Arrays) {
    if !events.is_empty() {
        let times: Vec<f64> = events.iter().map(|event| event.time).collect();
        arrays.insert("event_times", Array::new([times.len()], Data::F64(times)));
        let names = events.iter().map(|event| event.name.clone()).collect();
        arrays.insert("event_names", Array::texts(names));
    }
}

/// The local translations of joints in metres, and the bits that the conversion back to the unit of the clip would
/// lose.
fn insert_lengths(
    clip: &Clip,
    joints: &[JointId],
    name: &str,
    shape: Vec<usize>,
    unit: Option<f64>,
    precision: Precision,
    arrays: &mut Arrays,
) {
    let values = shape.iter().product();
    let mut lengths = precision.floats(values);
    let mut steps = Vec::new();
    let exact = precision == Precision::F64 && unit.is_some_and(|unit| unit != 1.0);
    for frame in 0..clip.frames() {
        for joint in joints {
            let translation = clip.local(*joint, frame).translation.vector;
            push(&mut lengths, (translation * unit.unwrap_or(1.0)).as_slice());
            if let Some(unit) = unit.filter(|_| exact) {
                steps.extend(translation.iter().map(|length| ulps::steps(*length, unit).unwrap_or(0)));
            }
        }
    }
    arrays.insert(name, Array::new(shape.clone(), lengths));
    if steps.iter().any(|steps| *steps != 0) {
        arrays.insert(format!("{name}_ulps"), Array::new(shape, Data::I8(steps)));
    }
}

/// What follows from the motion: positions, velocities, heading.
fn features(clip: &Clip, joints: &[JointId], options: &ArrayOptions, arrays: &mut Arrays) {
    let (frames, width, precision) = (clip.frames(), joints.len(), options.precision);
    let fps = clip.rate().fps();
    let unit = clip.skeleton().space().metres();
    let mut position = precision.floats(frames * width * 3);
    let mut velocities = precision.floats(frames * width * 3);
    let mut of_root = Vec::with_capacity(frames);
    let mut heading = Heading::new(clip, joints);
    let mut kinematics = ForwardKinematics::of_joints(clip, joints);
    // Positions in the frame before, this one and the next.
    let mut rows: [Vec<Vector3<f64>>; 3] = Default::default();
    for frame in 0..frames + 1 {
        rows.rotate_left(1);
        if frame < frames {
            kinematics.place(frame);
            rows[2].clear();
            rows[2].extend(joints.iter().map(|joint| kinematics.position(*joint)));
            heading.add(&rows[2]);
            rows[2].iter_mut().for_each(|place| *place *= unit.unwrap_or(1.0));
            rows[2].iter().for_each(|place| push(&mut position, place.as_slice()));
        }
        let Some(here) = frame.checked_sub(1) else { continue };
        for joint in 0..width {
            let before = (here > 0).then(|| &rows[0][joint]);
            let next = (frame < frames).then(|| &rows[2][joint]);
            let moves = velocity(before, &rows[1][joint], next, fps);
            push(&mut velocities, moves.as_slice());
            if joint == 0 {
                of_root.push(moves);
            }
        }
    }
    let headings = heading.finish();
    let mut planar_velocity = precision.floats(frames * 2);
    for (moves, heading) in of_root.iter().zip(&headings) {
        push(&mut planar_velocity, &planar(clip, moves, *heading));
    }
    let mut heading = precision.floats(frames);
    push(&mut heading, &headings);
    arrays.insert("positions", Array::new([frames, width, 3], position));
    arrays.insert("velocities", Array::new([frames, width, 3], velocities));
    arrays.insert("heading", Array::new([frames], heading));
    arrays.insert("planar_velocity", Array::new([frames, 2], planar_velocity));
}

/// The skeleton at rest.
fn rest(skeleton: &Skeleton, joints: &[JointId], precision: Precision, arrays: &mut Arrays) {
    let place = |id: JointId| joints.iter().position(|joint| *joint == id).expect("a joint, not an end site");
    let index = |id: Option<JointId>| id.map_or(-1, |id| place(id) as i32);
    let of = |id: &JointId| skeleton.joint(*id);
    let parents = joints.iter().map(|joint| index(of(joint).parent)).collect();
    arrays.insert("parents", Array::new([joints.len()], Data::I32(parents)));
    arrays.insert("names", Array::texts(joints.iter().map(|joint| of(joint).name.clone()).collect()));
    let role = |joint: &JointId| of(joint).role.map_or(String::new(), |role| role.name().to_owned());
    arrays.insert("roles", Array::texts(joints.iter().map(role).collect()));
    let metres = skeleton.space().metres().unwrap_or(1.0);
    let mut offsets = precision.floats(joints.len() * 3);
    let mut rotations = precision.floats(joints.len() * 4);
    for joint in joints.iter().map(of) {
        push(&mut offsets, (joint.offset * metres).as_slice());
        let q = &joint.rest_rotation;
        push(&mut rotations, &[q.w, q.i, q.j, q.k]);
    }
    arrays.insert("offsets", Array::new([joints.len(), 3], offsets));
    arrays.insert("rest_rotations", Array::new([joints.len(), 4], rotations));
    let ends = || skeleton.joints().iter().filter(|joint| joint.end_site);
    let parents: Vec<i32> = ends().map(|end| index(end.parent)).collect();
    let mut offsets = precision.floats(parents.len() * 3);
    ends().for_each(|end| push(&mut offsets, (end.offset * metres).as_slice()));
    arrays.insert("end_site_offsets", Array::new([parents.len(), 3], offsets));
    arrays.insert("end_site_parents", Array::new([parents.len()], Data::I32(parents)));
    arrays.insert("up", Array::text(skeleton.space().up.to_string()));
}
