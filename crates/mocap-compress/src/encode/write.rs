//! The loop of an encoder: tracks frame by frame, each residual chosen from what is decoded so far.

use crate::encode::predict::{Tracks, predict_rotation, predict_translation};
use crate::encode::source::Chooser;
use crate::hierarchy::Node;
use crate::quat::{self, Quat};
use crate::range_coder::BitCoder;
use crate::track::{FLATNESS, HeadModel, Moving, ResidualCoder, has_no_taps};

/// Codes all moving tracks of a block: `moving` in order, with the rest rotation of each. Each value is computed as
/// [`Composer`](crate::compose::Composer) computes it.
pub(crate) fn code_tracks<C: BitCoder>(
    coder: &mut C,
    chooser: &mut Chooser<'_>,
    nodes: &[Node],
    levels: usize,
    moving: &[(Moving, Quat)],
) -> ResidualCoder {
    let frames = nodes.len();
    let mut heads = HeadModel::new();
    let mut all = ResidualCoder::new(frames);
    let mut tracks = Tracks::default();
    for (track, (kind, rest)) in moving.iter().enumerate() {
        let wanted = chooser.head(track, &tracks);
        let head = heads.code(coder, *kind, levels, tracks.rotations.len(), &wanted);
        let lattice = head.lattice();
        let mut writer = all.track(*kind, &head);
        match kind {
            Moving::Translation => {
                let mut values = vec![[0.0; 3]; frames];
                let base = head.base_translation();
                for node in nodes {
                    let weights = node.weights(FLATNESS[usize::from(head.flat[usize::from(node.level)])]);
                    let predicted =
                        if has_no_taps(node) { base } else { predict_translation(&values, node, weights) };
                    let expected = writer.expect(node);
                    let residual = writer.code(coder, node, chooser.translation(node, predicted, expected));
                    let vector = lattice.vector(head.numbers(node.level, levels, residual));
                    values[node.frame as usize] = [0, 1, 2].map(|i| predicted[i] + vector[i]);
                }
                tracks.translations.push(values);
            }
            Moving::Rotation => {
                let mut values = vec![quat::IDENTITY; frames];
                let mut residuals = vec![[0.0; 3]; frames];
                let other = head.reference.map(|reference| &tracks.residuals[reference.track]);
                let base = head.base_rotation(*rest);
                for node in nodes {
                    let frame = node.frame as usize;
                    let weights = node.weights(FLATNESS[usize::from(head.flat[usize::from(node.level)])]);
                    let (predicted, shift) = if has_no_taps(node) {
                        (base, [0.0; 3])
                    } else {
                        let shift = other.map_or([0.0; 3], |other| head.shift(other[frame]));
                        (predict_rotation(&values, node, weights), shift)
                    };
                    let expected = writer.expect(node);
                    let wanted = chooser.rotation(node, predicted, shift, expected);
                    let residual = writer.code(coder, node, wanted);
                    let vector = lattice.vector(head.numbers(node.level, levels, residual));
                    let turn = [0, 1, 2].map(|i| shift[i] + vector[i]);
                    values[frame] = quat::mul(predicted, quat::from_rodrigues(turn));
                    residuals[frame] = if has_no_taps(node) { [0.0; 3] } else { turn };
                }
                tracks.rotations.push(values);
                tracks.residuals.push(residuals);
            }
        }
    }
    all
}
