//! Inertial transitions: the offset to the first motion decays over the second.

use mocap_model::{UnitQuaternion, Vector3, exp, log};

use crate::inertia::Decaying;
use crate::samples::Samples;

/// The frames of `x` up to `leave`, then `y` from `enter` with the offset that decays.
pub(super) fn join(
    mut x: Samples,
    y: &Samples,
    (leave, enter): (usize, usize),
    steps: usize,
    no_overshoot: bool,
) -> Samples {
    let fps = x.rate.fps();
    let time = steps as f64 / fps;
    let mut rest = y.clone();
    rest.cut(enter..y.frames);
    // The decaying offset at the transition; `offset` gives it for a frame of either motion.
    let decaying = |offset: &dyn Fn(usize, usize) -> Vector3<f64>| {
        let before = offset(leave.saturating_sub(1), enter.saturating_sub(1));
        Decaying::new(offset(leave, enter), before, fps, time, no_overshoot)
    };
    for joint in 0..x.rotations.len() {
        let offset = |own: usize, other: usize| -> Vector3<f64> {
            log(&(y.rotations[joint][other].inverse() * x.rotations[joint][own]))
        };
        let offset = decaying(&offset);
        for (frame, rotation) in rest.rotations[joint].iter_mut().enumerate().take(steps + 1) {
            let turn: UnitQuaternion<f64> = exp(&offset.at(frame as f64 / fps));
            *rotation *= turn;
        }
        let rest_offset = x.skeleton.joints()[joint].offset;
        let place = |samples: &Samples, frame: usize| {
            samples.translations[joint].as_ref().map_or(rest_offset, |values| values[frame])
        };
        if x.translations[joint].is_none() && y.translations[joint].is_none() {
            continue;
        }
        let offset = |own: usize, other: usize| place(&x, own) - place(y, other);
        let offset = decaying(&offset);
        let frames = rest.frames;
        let values = rest.translations[joint].get_or_insert_with(|| vec![rest_offset; frames]);
        for (frame, value) in values.iter_mut().enumerate().take(steps + 1) {
            *value += offset.at(frame as f64 / fps);
        }
    }
    x.cut(0..leave);
    x.append(rest);
    x
}
