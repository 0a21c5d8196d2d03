//! Foot contacts across the seam of a cycle: three repetitions are corrected, and the middle one is taken.

use mocap_model::{Clip, Isometry3};

use super::{moved, part, three_times};
use crate::EditError;
use crate::body::Body;
use crate::held_feet::held_within;
use crate::root_motion::RootMotionJoint;
use crate::samples::Samples;

/// The cycle with its foot contacts corrected to be no worse than the worst of its sources, and the number of corrected
/// contacts. Its last frame is the pose of its first one, a stride further. Without such contacts it is unchanged bit
/// by bit.
pub(crate) fn cycle_held(
    sources: &[&Clip],
    looped: Clip,
    body: &Body,
    stride: &Isometry3<f64>,
    edit: &'static str,
) -> Result<(Clip, Option<usize>), EditError> {
    if body.feet.is_empty() || body.metres.is_none() {
        return Ok((looped, None));
    }
    let root_motion = RootMotionJoint::of(&looped, body);
    let length = looped.frames() - 1;
    let row = three_times(&looped, &root_motion, stride).into_clip(edit)?;
    let (row, held) = held_within(sources, row, edit, length..2 * length + 1)?;
    if held.is_none_or(|count| count == 0) {
        return Ok((looped, held));
    }
    let mut middle = part(&Samples::of(&row), length..2 * length + 1);
    moved(&mut middle, &root_motion, &stride.inverse());
    for joint in 0..middle.rotations.len() {
        middle.rotations[joint][length] = middle.rotations[joint][0];
        if let Some(values) = &mut middle.translations[joint] {
            values[length] = values[0];
        }
    }
    let place = stride * root_motion.at(&middle, 0);
    root_motion.put(&mut middle, length, &place);
    middle.annotations = looped.annotations().clone();
    Ok((middle.into_clip(edit)?, held))
}
