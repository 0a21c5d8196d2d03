//! Feet after noise was removed: locked as far as noise explains their drift.

use mocap_model::{Clip, JointId, angle_between};

use crate::EditError;
use crate::body::Body;
use crate::cycle::between;
use crate::samples::Samples;

/// The motion with planted feet locked as far as no joint turns by more than `allowed` \[rad\] for it, and the share of
/// the way that was possible, over the frames in which a foot was moved; `None` without feet.
///
/// What is left of the noise moves a planted foot by less than the noise did. A lock that turns joints further corrects
/// motion: a contact that was taken for one, or a foot that rolls.
pub(super) fn lock(clean: Clip, allowed: f64) -> Result<(Clip, Option<f64>), EditError> {
    let body = Body::of(&clean);
    if body.feet.is_empty() || body.metres.is_none() {
        return Ok((clean, None));
    }
    // A body that retargeting does not know keeps its feet as they are.
    let Ok(locked) = crate::feet::locked(&clean) else { return Ok((clean, None)) };
    let (mut mixed, fixed) = (Samples::of(&clean), Samples::of(&locked));
    let (mut sum, mut moved) = (0.0, 0);
    for frame in 0..mixed.frames {
        let turns = mixed.rotations.iter().zip(&fixed.rotations);
        let most = turns.map(|(a, b)| angle_between(&a[frame], &b[frame])).fold(0.0, f64::max);
        if most <= f64::EPSILON {
            continue;
        }
        let share = (allowed / most).min(1.0);
        (sum, moved) = (sum + share, moved + 1);
        for joint in (0..mixed.rotations.len()).map(JointId::from) {
            let local = between(&mixed.local(joint, frame), &fixed.local(joint, frame), share);
            mixed.set_local(joint, frame, &local);
        }
    }
    let share = (moved > 0).then(|| sum / f64::from(moved));
    Ok((mixed.into_clip("denoise")?, share))
}
