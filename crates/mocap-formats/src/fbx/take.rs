//! The curves of a clip: one key per frame, and more where linear interpolation of angles would deviate from the
//! rotation; angles are continuous over time.

use std::rc::Rc;

use mocap_model::{
    Clip, EulerOrder, Joint, JointTracks, ScalarTrack, Track, UnitQuaternion, Vector3, angle_between, slerp,
};

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
    /// The times of the keys \[ticks\], where they are not those of the frames.
    pub(super) times: Option<Vec<i64>>,
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

/// The wanted curves among those that move, turn and scale a joint: complete local transforms, angles in degrees.
/// Between two frames of the clip at `fps`, rotations stay within `turn` \[rad\] of the shortest interpolation.
pub(super) fn curves(
    joint: &Joint,
    tracks: &JointTracks,
    wanted: [bool; 3],
    turn: f64,
    fps: f64,
) -> Vec<Curves> {
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
        let (angles, times) = angles(joint.rest_rotation, tracks.rotation.values(), turn);
        let ticks = |time: f64| (time * TICKS as f64 / fps).round() as i64;
        let times =
            (times.len() > tracks.rotation.values().len()).then(|| times.into_iter().map(ticks).collect());
        all.push(Curves { times, ..three("Lcl Rotation", "R", angles) });
    }
    if wanted[2] {
        all.push(three("Lcl Scaling", "S", vectors(&tracks.scale, Vector3::repeat(1.0))));
    }
    all
}

/// Keys between two frames at most: a power of two.
const BETWEEN: u32 = 64;

/// Rotations as angles about X, Y and Z \[degrees\], and their times \[frames\]. Linear interpolation of angles is not
/// the shortest path from one rotation to the next: keys are added where the two differ by more than `turn` \[rad\].
fn angles(
    rest: UnitQuaternion<f64>,
    rotations: &[UnitQuaternion<f64>],
    turn: f64,
) -> (Vec<[f64; 3]>, Vec<f64>) {
    let first = ORDER.angles_near(&rotations[0], ORDER.angles(&rest));
    let (mut keys, mut times) = (vec![first], vec![0.0]);
    for (at, pair) in rotations.windows(2).enumerate() {
        let from = *keys.last().expect("there is a first key");
        let mut steps = 1;
        let mut way = stepped(&pair[0], &pair[1], from, steps);
        while steps < BETWEEN && deviation(&pair[0], &pair[1], from, &way) > turn {
            steps *= 2;
            way = stepped(&pair[0], &pair[1], from, steps);
        }
        times.extend((1..=steps).map(|step| at as f64 + f64::from(step) / f64::from(steps)));
        keys.extend(way);
    }
    (keys.into_iter().map(|[z, y, x]| [x, y, z].map(f64::to_degrees)).collect(), times)
}

/// Angles at equal steps on the shortest path from `a`, whose angles are `from`, to `b`.
fn stepped(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>, from: [f64; 3], steps: u32) -> Vec<[f64; 3]> {
    let mut before = from;
    let all = (1..=steps).map(|step| {
        let turn = match step == steps {
            true => *b,
            false => slerp(a, b, f64::from(step) / f64::from(steps)),
        };
        before = ORDER.angles_near(&turn, before);
        before
    });
    all.collect()
}

/// The largest deviation of linear angles from the shortest path between two rotations \[rad\], sampled at three points
/// of every step.
fn deviation(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>, from: [f64; 3], way: &[[f64; 3]]) -> f64 {
    let mut before = from;
    let mut worst = 0.0f64;
    for (step, angles) in way.iter().enumerate() {
        for part in [0.25, 0.5, 0.75] {
            let mixed = [0, 1, 2].map(|i| before[i] + part * (angles[i] - before[i]));
            let true_one = slerp(a, b, (step as f64 + part) / way.len() as f64);
            worst = worst.max(angle_between(&ORDER.rotation(mixed), &true_one));
        }
        before = *angles;
    }
    worst
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
        times: None,
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
        times: None,
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

/// The `TimeMode` of a frame rate, and the custom rate where FBX has no mode for it.
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
