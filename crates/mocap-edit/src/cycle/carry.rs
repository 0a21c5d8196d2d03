//! Reduces foot skate of a loop by moving the root: it follows the drift of planted feet.
//!
//! No joint bends for this. Only what remains, where both feet are planted and drift apart, is left to the foot lock.

use mocap_model::{Clip, Isometry3, Vector3};
use nalgebra::Translation3;

use super::three_times;
use crate::EditError;
use crate::body::Body;
use crate::root_motion::RootMotionJoint;
use crate::samples::Samples;
use crate::smoothing::gaussian;

/// The time over which the weight moves from one planted foot to the other \[s\].
const TAKE_OVER: f64 = 0.03;

/// The loop with its root following the planted feet, and its stride.
pub(super) fn carried(
    looped: &Clip,
    body: &Body,
    stride: &Isometry3<f64>,
) -> Result<(Clip, Isometry3<f64>), EditError> {
    let root_motion = RootMotionJoint::of(looped, body);
    let length = looped.frames() - 1;
    let row = three_times(looped, &root_motion, stride).into_clip("loop")?;
    let Some(feet) = body.contacts(&row) else { return Ok((looped.clone(), *stride)) };
    let sigma = TAKE_OVER * looped.rate().fps();
    let weights: Vec<Vec<f64>> = feet
        .iter()
        .map(|(_, contacts)| {
            let flags: Vec<f64> = contacts.toe.iter().map(|on| f64::from(u8::from(*on))).collect();
            gaussian(&flags, sigma).into_iter().map(|weight| weight.clamp(0.0, 1.0)).collect()
        })
        .collect();
    // Steps of the second repetition, in the frame of the first.
    let back = stride.rotation.inverse();
    let mut samples = Samples::of(looped);
    let mut shift = Vector3::zeros();
    for frame in 0..length {
        let place = Translation3::from(shift) * root_motion.at(&samples, frame);
        root_motion.put(&mut samples, frame, &place);
        let at = length + frame;
        let (mut slide, mut total) = (Vector3::zeros(), 0.0);
        for ((motion, _), weights) in feet.iter().zip(&weights) {
            let weight = weights[at].min(weights[at + 1]);
            slide += body.on_ground(&(motion.toe[at + 1] - motion.toe[at])) * weight;
            total += weight;
        }
        shift -= back * slide / total.max(1.0);
    }
    let stride = Translation3::from(shift) * stride;
    let place = stride * root_motion.at(&samples, 0);
    root_motion.put(&mut samples, length, &place);
    Ok((samples.into_clip("loop")?, stride))
}
