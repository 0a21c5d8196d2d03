//! Predictions of an encoder, from values that are decoded so far.

use crate::hierarchy::Node;
use crate::quat::{self, Quat};

/// The decoded values of all moving tracks of a block, by frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tracks {
    pub(crate) rotations: Vec<Vec<Quat>>,
    pub(crate) translations: Vec<Vec<[f32; 3]>>,
    /// Of the rotations: their difference from the prediction of their own track.
    pub(crate) residuals: Vec<Vec<[f32; 3]>>,
}

/// The weighted sum of the taps of a node.
#[inline]
pub(crate) fn predict_translation(values: &[[f32; 3]], node: &Node, weights: [f32; 4]) -> [f32; 3] {
    let mut sum = [0.0; 3];
    for (tap, weight) in node.taps.iter().zip(weights) {
        for (sum, value) in sum.iter_mut().zip(values[*tap as usize]) {
            *sum += value * weight;
        }
    }
    sum
}

/// The weighted mean of the taps of a node.
#[inline]
pub(crate) fn predict_rotation(values: &[Quat], node: &Node, weights: [f32; 4]) -> Quat {
    quat::blend(node.taps.map(|tap| values[tap as usize]), weights)
}
