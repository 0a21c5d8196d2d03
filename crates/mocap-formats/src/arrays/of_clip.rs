//! A motion as arrays.

use super::array::push;
use super::features::{Heading, contacts, planar, velocity};
use super::parts::Parts;
use super::{Array, ArrayOptions, Arrays, Data, Precision, encoding, ulps};
use crate::skel;
use std::io;

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
    parts(clip, options).into_arrays()
}

/// As [`of_clip`]; arrays of all frames are made while they are written.
pub(crate) fn parts<'c>(clip: &'c Clip, options: &ArrayOptions) -> Parts<'c> {
    let skeleton = clip.skeleton();
    let joints: Vec<JointId> =
        skeleton.iter().filter(|(_, joint)| !joint.end_site).map(|(id, _)| id).collect();
    let unit = skeleton.space().metres();
    let mut arrays = Parts::default();
    let contacts = unit.and_then(|_| contacts(clip));
    motion(clip, &joints, options, &mut arrays);
    features(clip, &joints, options.precision, &mut arrays);
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
fn motion<'c>(clip: &'c Clip, joints: &[JointId], options: &ArrayOptions, arrays: &mut Parts<'c>) {
    let (frames, skeleton, precision) = (clip.frames(), clip.skeleton(), options.precision);
    let format = options.rotations;
    let mut shape = vec![frames, joints.len()];
    shape.extend(format.shape());
    let orders: Vec<EulerOrder> = joints.iter().map(|joint| skeleton.joint(*joint).dofs.order).collect();
    let names = orders.iter().map(EulerOrder::to_string).collect();
    let of = joints.to_vec();
    arrays.insert_floats("rotations", shape, precision, move |out| {
        let mut previous = vec![None; of.len()];
        for frame in 0..clip.frames() {
            for ((joint, order), previous) in of.iter().zip(&orders).zip(&mut previous) {
                let rotation = clip.track(*joint).rotation.at(frame);
                encoding::encode(format, &rotation, *order, previous, |row| out.push(row));
            }
            out.end_frame()?;
        }
        Ok(())
    });
    arrays.insert("rotation_format", Array::text(format.name()));
    arrays.insert("euler_orders", Array::texts(names));
    let root = [joints[0]];
    insert_lengths(clip, &root, "root_translation", vec![frames, 3], precision, arrays);
    if clip.has_scale() {
        let of = joints.to_vec();
        arrays.insert_floats("scales", [frames, joints.len(), 3], precision, move |out| {
            (0..clip.frames()).try_for_each(|frame| {
                of.iter().for_each(|joint| out.push(clip.scale(*joint, frame).as_slice()));
                out.end_frame()
            })
        });
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
        insert_lengths(clip, joints, "translations", shape, precision, arrays);
    }
}

/// Name, scalar tracks and events.
fn annotations<'c>(clip: &'c Clip, precision: Precision, arrays: &mut Parts<'c>) {
    let Annotations { name, scalars, events } = clip.annotations();
    if !name.is_empty() {
        arrays.insert("clip_name", Array::text(name));
    }
    if !scalars.is_empty() {
        arrays.insert_floats("scalars", [clip.frames(), scalars.len()], precision, |out| {
            (0..clip.frames()).try_for_each(|frame| {
                scalars.iter().for_each(|track| out.push(&[track.values.at(frame)]));
                out.end_frame()
            })
        });
        let names = scalars.iter().map(|track| track.name.clone()).collect();
        arrays.insert("scalar_names", Array::texts(names));
    }
    for (name, array) in of_events(events).into_iter().flatten() {
        arrays.insert(name, array);
    }
}

/// Moments with names; `None` where there are none.
pub(super) fn of_events(events: &[Event]) -> Option<[(&'static str, Array); 2]> {
    let times: Vec<f64> = events.iter().map(|event| event.time).collect();
    let names = events.iter().map(|event| event.name.clone()).collect();
    let times = Array::new([times.len()], Data::F64(times));
    (!events.is_empty()).then(|| [("event_times", times), ("event_names", Array::texts(names))])
}

/// The local translations of joints in metres, and the bits that the conversion back to the unit of the clip would
/// lose.
fn insert_lengths<'c>(
    clip: &'c Clip,
    joints: &[JointId],
    name: &str,
    shape: Vec<usize>,
    precision: Precision,
    arrays: &mut Parts<'c>,
) {
    let unit = clip.skeleton().space().metres();
    let of = joints.to_vec();
    arrays.insert_floats(name, shape.clone(), precision, move |out| {
        (0..clip.frames()).try_for_each(|frame| {
            for joint in &of {
                let translation = clip.local(*joint, frame).translation.vector;
                out.push((translation * unit.unwrap_or(1.0)).as_slice());
            }
            out.end_frame()
        })
    });
    let Some(unit) = unit.filter(|unit| precision == Precision::F64 && *unit != 1.0) else { return };
    let mut steps = Vec::with_capacity(shape.iter().product());
    for frame in 0..clip.frames() {
        for joint in joints {
            let translation = clip.local(*joint, frame).translation.vector;
            steps.extend(translation.iter().map(|length| ulps::steps(*length, unit).unwrap_or(0)));
        }
    }
    if steps.iter().any(|steps| *steps != 0) {
        arrays.insert(format!("{name}_ulps"), Array::new(shape, Data::I8(steps)));
    }
}

/// What follows from the motion: positions, velocities, heading.
fn features<'c>(clip: &'c Clip, joints: &[JointId], precision: Precision, arrays: &mut Parts<'c>) {
    let (frames, width) = (clip.frames(), joints.len());
    let of = joints.to_vec();
    arrays.insert_floats("positions", [frames, width, 3], precision, move |out| {
        let mut places = Places::new(clip, &of);
        (0..clip.frames()).try_for_each(|frame| {
            places.place(frame).iter().for_each(|place| out.push(place.as_slice()));
            out.end_frame()
        })
    });
    let of = joints.to_vec();
    arrays.insert_floats("velocities", [frames, width, 3], precision, move |out| {
        each_velocity(clip, &of, |row| {
            row.iter().for_each(|moves| out.push(moves.as_slice()));
            out.end_frame()
        })
    });
    let (headings, planar) = heading_and_planar(clip, joints);
    let mut heading = precision.floats(frames);
    push(&mut heading, &headings);
    arrays.insert("heading", Array::new([frames], heading));
    let mut planar_velocity = precision.floats(frames * 2);
    push(&mut planar_velocity, planar.as_flattened());
    arrays.insert("planar_velocity", Array::new([frames, 2], planar_velocity));
}

/// Positions of joints in metres, else in the unit of the clip, frame by frame.
struct Places<'c> {
    kinematics: ForwardKinematics<'c>,
    joints: Vec<JointId>,
    unit: f64,
    row: Vec<Vector3<f64>>,
}

impl<'c> Places<'c> {
    fn new(clip: &'c Clip, joints: &[JointId]) -> Places<'c> {
        Places {
            kinematics: ForwardKinematics::of_joints(clip, joints),
            joints: joints.to_vec(),
            unit: clip.skeleton().space().metres().unwrap_or(1.0),
            row: Vec::new(),
        }
    }

    fn place(&mut self, frame: usize) -> &[Vector3<f64>] {
        self.kinematics.place(frame);
        let Places { kinematics, joints, unit, row } = self;
        row.clear();
        row.extend(joints.iter().map(|joint| kinematics.position(*joint) * *unit));
        row
    }
}

/// Gives the velocities of joints, frame by frame.
fn each_velocity(
    clip: &Clip,
    joints: &[JointId],
    mut each: impl FnMut(&[Vector3<f64>]) -> io::Result<()>,
) -> io::Result<()> {
    let (frames, fps) = (clip.frames(), clip.rate().fps());
    let mut places = Places::new(clip, joints);
    // Positions in the frame before, this one and the next.
    let mut rows: [Vec<Vector3<f64>>; 3] = Default::default();
    let mut row = Vec::with_capacity(joints.len());
    for frame in 0..frames + 1 {
        rows.rotate_left(1);
        if frame < frames {
            rows[2].clear();
            rows[2].extend_from_slice(places.place(frame));
        }
        let Some(here) = frame.checked_sub(1) else { continue };
        row.clear();
        row.extend((0..joints.len()).map(|joint| {
            let before = (here > 0).then(|| &rows[0][joint]);
            let next = (frame < frames).then(|| &rows[2][joint]);
            velocity(before, &rows[1][joint], next, fps)
        }));
        each(&row)?;
    }
    Ok(())
}

/// By frame: the heading, and the velocity of the first joint in the frame of the body.
fn heading_and_planar(clip: &Clip, joints: &[JointId]) -> (Vec<f64>, Vec<[f64; 2]>) {
    let pairs = clip.skeleton().lateral_pairs().into_iter().flatten();
    let needed: Vec<JointId> =
        joints[..1].iter().copied().chain(pairs.filter(|joint| joints.contains(joint))).collect();
    let mut heading = Heading::new(clip, &needed);
    let mut kinematics = ForwardKinematics::of_joints(clip, &needed);
    let mut row = Vec::new();
    for frame in 0..clip.frames() {
        kinematics.place(frame);
        row.clear();
        row.extend(needed.iter().map(|joint| kinematics.position(*joint)));
        heading.add(&row);
    }
    let headings = heading.finish();
    let mut planars = Vec::with_capacity(clip.frames());
    let found = each_velocity(clip, &joints[..1], |row| {
        planars.push(planar(clip, &row[0], headings[planars.len()]));
        Ok(())
    });
    found.expect("collecting does not fail");
    (headings, planars)
}

/// The skeleton at rest.
fn rest(skeleton: &Skeleton, joints: &[JointId], precision: Precision, arrays: &mut Parts<'_>) {
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
