//! Feet after noise was removed: locked as far as noise explains their drift.

use mocap_model::{Clip, JointId, UnitQuaternion};

use crate::EditError;
use crate::body::Body;
use crate::cycle::between;
use crate::samples::Samples;
use crate::smoothing::gaussian;

/// How fast the share of the lock may change \[s\].
const SMOOTHING: f64 = 0.1;

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
    // The longest chord is that of the largest angle: one arc for each frame, not one for each joint.
    let turns = |frame: usize| {
        let pairs = mixed.rotations.iter().zip(&fixed.rotations);
        let chord = |(a, b): (&Vec<UnitQuaternion<f64>>, &Vec<UnitQuaternion<f64>>)| {
            let (a, b) = (a[frame].coords, b[frame].coords);
            (a - b).norm_squared().min((a + b).norm_squared())
        };
        4.0 * (0.5 * pairs.map(chord).fold(0.0, f64::max).sqrt()).min(1.0).asin()
    };
    let turns: Vec<f64> = (0..mixed.frames).map(turns).collect();
    let shares = smooth_shares(&turns, allowed, SMOOTHING * clean.rate().fps());
    let (mut sum, mut moved) = (0.0, 0);
    for frame in (0..mixed.frames).filter(|frame| turns[*frame] > f64::EPSILON) {
        (sum, moved) = (sum + shares[frame], moved + 1);
        for joint in (0..mixed.rotations.len()).map(JointId::from) {
            let local = between(&mixed.local(joint, frame), &fixed.local(joint, frame), shares[frame]);
            mixed.set_local(joint, frame, &local);
        }
    }
    let share = (moved > 0).then(|| sum / f64::from(moved));
    Ok((mixed.into_clip("denoise")?, share))
}

/// The share of each turn that is allowed, without quick changes, which would be noise again.
fn smooth_shares(turns: &[f64], allowed: f64, sigma: f64) -> Vec<f64> {
    let reach = (2.0 * sigma).ceil() as usize;
    let around = |frame: usize| {
        let near = &turns[frame.saturating_sub(reach)..(frame + reach + 1).min(turns.len())];
        let most = near.iter().copied().fold(0.0, f64::max);
        if most > allowed { allowed / most } else { 1.0 }
    };
    let least: Vec<f64> = (0..turns.len()).map(around).collect();
    gaussian(&least, sigma).into_iter().map(|share| share.clamp(0.0, 1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_change_slowly_and_stay_within_what_is_allowed() {
        let mut turns = vec![0.01; 60];
        turns[30] = 0.1;
        let shares = smooth_shares(&turns, 0.02, 3.0);
        assert!((shares[0] - 1.0).abs() < 1e-9 && shares[30] * turns[30] < 0.03, "{shares:?}");
        assert!(shares.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.15));
    }
}
