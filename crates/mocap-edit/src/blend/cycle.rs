//! Cycles, repeated to match longer motions.

use mocap_model::{Clip, Isometry3, swing_twist};
use nalgebra::Translation3;

use crate::body::Body;
use crate::pose_cloud::{align, clouds};
use crate::root_motion::RootMotionJoint;
use crate::samples::Samples;
use crate::{EditError, LoopOptions, make_loop};

/// The most frames of a repeated cycle.
const MOST_FRAMES: usize = 10_000_000;

/// The best cycle of a motion, `times` over; each repetition begins where the one before ends.
///
/// # Errors
/// As [`make_loop`], and [`EditError::Option`] for too many repetitions.
pub(crate) fn repeated(clip: &Clip, times: usize) -> Result<Clip, EditError> {
    let looped = closed(clip)?;
    let length = looped.frames() - 1;
    if length.saturating_mul(times) > MOST_FRAMES {
        let expected = "less: the repeated cycle would have more than 10 million frames";
        return Err(EditError::Option {
            edit: "blend",
            name: "the number of strides",
            value: times as f64,
            expected,
        });
    }
    let body = Body::of(&looped);
    let root_motion = RootMotionJoint::hips(&looped, &body);
    let all = Samples::of(&looped);
    let stride = along_ground(&body, &(root_motion.at(&all, length) * root_motion.at(&all, 0).inverse()));
    let mut one = all.clone();
    one.cut(0..length);
    let (mut row, mut placement) = (one.clone(), Isometry3::identity());
    for _ in 1..times {
        placement = stride * placement;
        let mut next = one.clone();
        next.place(&vec![placement; length]);
        row.append(next);
    }
    row.into_clip("blend")
}

/// The best cycle of a motion: the whole motion if it ends in its first pose.
///
/// # Errors
/// As [`make_loop`].
pub(crate) fn closed(clip: &Clip) -> Result<Clip, EditError> {
    let range = ends_alike(clip).then(|| "0:".parse().expect("a range"));
    let (looped, _) = make_loop(clip, &LoopOptions { range, ..LoopOptions::default() })?;
    Ok(looped)
}

/// The rotation about the up axis and the translation along the ground of a placement.
pub(crate) fn along_ground(body: &Body, placement: &Isometry3<f64>) -> Isometry3<f64> {
    let (_, twist) = swing_twist(&placement.rotation, &body.up);
    Isometry3::from_parts(Translation3::from(body.on_ground(&placement.translation.vector)), twist)
}

/// Whether a motion ends in its first pose: their distance is less than that of neighbouring frames.
fn ends_alike(clip: &Clip) -> bool {
    let (body, clouds) = (Body::of(clip), clouds(clip));
    let [first, .., last] = clouds.as_slice() else { return false };
    let steps = clouds.windows(2).map(|pair| align(&body, &pair[0], &pair[1]).1);
    let mean = steps.sum::<f64>() / (clouds.len() - 1) as f64;
    align(&body, first, last).1 < mean / 2.0
}
