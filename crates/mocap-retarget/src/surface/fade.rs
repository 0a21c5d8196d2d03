//! How changes of arms fade in and out.

use super::arm::{Change, PARTS};
use crate::smoothing::envelope;

/// Greatest duration of a fade before and after a change \[s\].
pub(crate) const FADE: f64 = 0.3;

/// Smooths each part of a change, positive and negative values separately: nowhere less than needed in either
/// direction.
pub(crate) fn smoothed(needs: &[Change], ahead: usize, open: &[bool]) -> Vec<Change> {
    let mut smooth = vec![Change::zeros(); needs.len()];
    for i in 0..PARTS {
        for sign in [1.0, -1.0] {
            let side: Vec<f64> = needs.iter().map(|need| (need[i] * sign).max(0.0)).collect();
            if side.iter().all(|need| *need == 0.0) {
                continue;
            }
            let side = envelope(&side, ahead);
            let frames = smooth.iter_mut().zip(side).zip(open).filter(|(_, open)| **open);
            frames.for_each(|((smooth, side), _)| smooth[i] += sign * side);
        }
    }
    smooth
}
