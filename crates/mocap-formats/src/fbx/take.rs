//! The curves of a clip: one key per frame, angles that are continuous over time.

use std::rc::Rc;

use mocap_model::{Clip, EulerOrder, Joint, JointTracks, ScalarTrack, Track, UnitQuaternion, Vector3};

use super::TICKS;
use super::record::{Property, singles};

/// The order that FBX calls XYZ: X turns first, about fixed axes.
pub(super) const ORDER: EulerOrder = EulerOrder::ZYX;

/// The curves that move one property.
pub(super) struct Curves {
    pub(super) property: String,
    /// The name of the object that holds the curves.
    pub(super) node: String,
    /// By component: its name, its value in the first frame, and its values: one of a constant, else one per frame.
    pub(super) axes: Vec<(String, f64, Property)>,
    /// The number of keys.
    pub(super) keys: usize,
}

/// Whether tracks move, turn or scale a joint away from its rest.
pub(super) fn moves(joint: &Joint, tracks: &JointTracks) -> [bool; 3] {
    let moves = |track: &Option<Track<Vector3<f64>>>, rest: Vector3<f64>| {
        track.as_ref().is_some_and(|track| *track != Track::Constant(rest))
    };
    [
        moves(&tracks.translation, joint.offset),
        tracks.rotation != Track::Constant(joint.rest_rotation),
        moves(&tracks.scale, Vector3::repeat(1.0)),
    ]
}

/// The curves that move, turn and scale a joint, of those that are wanted. Angles are degrees about the axes of the
/// joint at rest.
pub(super) fn curves(joint: &Joint, tracks: &JointTracks, wanted: [bool; 3]) -> Vec<Curves> {
    let vectors = |track: &Option<Track<Vector3<f64>>>, rest: Vector3<f64>| {
        let rest = Track::Constant(rest);
        let values = track.as_ref().unwrap_or(&rest).values();
        values.iter().map(|v| [v.x, v.y, v.z]).collect::<Vec<_>>()
    };
    let mut all = Vec::new();
    if wanted[0] {
        all.push(three("Lcl Translation", "T", vectors(&tracks.translation, joint.offset)));
    }
    if wanted[1] {
        all.push(three("Lcl Rotation", "R", angles(joint.rest_rotation, tracks.rotation.values())));
    }
    if wanted[2] {
        all.push(three("Lcl Scaling", "S", vectors(&tracks.scale, Vector3::repeat(1.0))));
    }
    all
}

/// Rotations as angles about X, Y and Z \[degrees\], after the rotation at rest.
fn angles(rest: UnitQuaternion<f64>, rotations: &[UnitQuaternion<f64>]) -> Vec<[f64; 3]> {
    let mut before: Option<[f64; 3]> = None;
    let rotations = rotations.iter().map(|rotation| {
        let turn = rest.inverse() * rotation;
        let [z, y, x] = match before {
            Some(before) => ORDER.angles_near(&turn, before),
            None => ORDER.angles(&turn),
        };
        before = Some([z, y, x]);
        [x, y, z].map(f64::to_degrees)
    });
    rotations.collect()
}

/// Curves of a vector, of one value or one per frame.
pub(super) fn three(property: &str, node: &str, values: Vec<[f64; 3]>) -> Curves {
    let axis = |i: usize| singles(&values.iter().map(|value| value[i] as f32).collect::<Vec<f32>>());
    let axes = ["d|X", "d|Y", "d|Z"].into_iter().enumerate();
    Curves {
        property: property.to_owned(),
        node: node.to_owned(),
        axes: axes.map(|(i, name)| (name.to_owned(), values[0][i], axis(i))).collect(),
        keys: values.len(),
    }
}

/// The curve of a number over time, which is a component of a property.
pub(super) fn one(property: &str, component: &str, track: &ScalarTrack) -> Curves {
    let values: Vec<f32> = track.values.values().iter().map(|value| *value as f32).collect();
    Curves {
        property: property.to_owned(),
        node: property.to_owned(),
        axes: vec![(format!("d|{component}"), track.values.values()[0], singles(&values))],
        keys: values.len(),
    }
}

/// The times of the frames of a clip \[ticks\].
pub(super) fn times(clip: &Clip) -> Vec<i64> {
    (0..clip.frames()).map(|frame| (frame as f64 * TICKS as f64 / clip.rate().fps()).round() as i64).collect()
}

/// Times as a property that all curves of a clip share.
pub(super) fn shared(times: &[i64]) -> Property {
    let bytes: Rc<[u8]> = times.iter().flat_map(|time| time.to_le_bytes()).collect();
    Property::Array(b'l', times.len(), bytes)
}

/// The number by which FBX knows a frame rate, and the rate where it has none.
pub(super) fn time_mode(fps: f64) -> (i32, f64) {
    const MODES: [(f64, i32); 13] = [
        (120.0, 1),
        (100.0, 2),
        (60.0, 3),
        (50.0, 4),
        (48.0, 5),
        (30.0, 6),
        (30_000.0 / 1001.0, 9),
        (25.0, 10),
        (24.0, 11),
        (1000.0, 12),
        (24_000.0 / 1001.0, 13),
        (96.0, 15),
        (72.0, 16),
    ];
    let known = MODES.iter().find(|(rate, _)| (rate / fps - 1.0).abs() < 1e-6);
    known.map_or((14, fps), |(_, mode)| (*mode, -1.0))
}
