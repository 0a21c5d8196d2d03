//! Locks planted feet after denoising, as far as noise explains their drift.

use mocap_model::{Clip, JointId, JointTracks, UnitQuaternion};

use crate::EditError;
use crate::body::Body;
use crate::cycle::between;
use crate::samples::Samples;
use crate::smoothing::gaussian;

/// Smoothing of the share of the lock \[s\].
const SMOOTHING: f64 = 0.1;

/// The motion with planted feet locked as far as possible with joints turning by at most `allowed` \[rad\], and the
/// mean share of the lock that was possible over the frames with a moved foot; `None` without feet.
///
/// The remaining noise moves a planted foot by less than the original noise did. A lock that needs larger rotations
/// would change real motion: a false contact, or a rolling foot.
pub(super) fn lock(clean: Clip, allowed: f64) -> Result<(Clip, Option<f64>), EditError> {
    let body = Body::of(&clean);
    if body.feet.is_empty() || body.metres.is_none() {
        return Ok((clean, None));
    }
    // If retargeting cannot find the parts of the body, the feet stay unchanged.
    let Ok(locked) = crate::feet::locked(&clean) else { return Ok((clean, None)) };
    let fps = clean.rate().fps();
    let mut mixed = Samples::taken(clean);
    // The longest chord belongs to the largest angle, so one arc sine per frame suffices.
    let turns = |frame: usize| {
        let pairs = mixed.rotations.iter().zip(locked.tracks());
        let chord = |(a, b): (&Vec<UnitQuaternion<f64>>, &JointTracks)| {
            let (a, b) = (a[frame].coords, b.rotation.at(frame).coords);
            (a - b).norm_squared().min((a + b).norm_squared())
        };
        4.0 * (0.5 * pairs.map(chord).fold(0.0, f64::max).sqrt()).min(1.0).asin()
    };
    let turns: Vec<f64> = (0..mixed.frames).map(turns).collect();
    let shares = smooth_shares(&turns, allowed, SMOOTHING * fps);
    let (mut sum, mut moved) = (0.0, 0);
    for frame in (0..mixed.frames).filter(|frame| turns[*frame] > f64::EPSILON) {
        (sum, moved) = (sum + shares[frame], moved + 1);
        for joint in (0..mixed.rotations.len()).map(JointId::from) {
            let local = between(&mixed.local(joint, frame), &locked.local(joint, frame), shares[frame]);
            mixed.set_local(joint, frame, &local);
        }
    }
    let share = (moved > 0).then(|| sum / f64::from(moved));
    Ok((mixed.into_clip("denoise")?, share))
}

/// The allowed share of each turn, smoothed because quick changes would be noise again.
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
