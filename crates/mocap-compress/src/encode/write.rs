//! The loop of an encoder: tracks frame by frame, each residual chosen from what is decoded so far.

use crate::encode::predict::{Tracks, predict_rotation, predict_translation};
use crate::encode::source::Chooser;
use crate::hierarchy::Node;
use crate::lattice::Residual;
use crate::quat::{self, Quat};
use crate::range_coder::{BitCoder, Meter};
use crate::track::{FLATNESS, Head, HeadModel, Moving, ResidualCoder, has_no_taps};

/// The tracks of a block as they are coded.
pub(crate) struct Coded {
    pub(crate) heads: Vec<Head>,
    /// By track and node.
    pub(crate) residuals: Vec<Vec<Residual>>,
    /// The models after the last track.
    #[cfg(test)]
    pub(crate) models: ResidualCoder,
}

/// Codes all moving tracks of a block: `moving` in order, with the rest rotation of each. Each value is computed as
/// [`Composer`](crate::compose::Composer) computes it.
///
/// A track is tried with other heads where `tries`, until one makes it smaller.
pub(crate) fn code_tracks<C: BitCoder>(
    coder: &mut C,
    chooser: &mut Chooser<'_>,
    nodes: &[Node],
    levels: usize,
    moving: &[(Moving, Quat)],
    tries: bool,
) -> Coded {
    let mut heads = HeadModel::new();
    let mut models = ResidualCoder::new(nodes.len());
    let mut tracks = Tracks::default();
    let mut coded_heads = Vec::new();
    let mut residuals = Vec::new();
    for (track, (kind, rest)) in moving.iter().enumerate() {
        let first = chooser.head(track, &tracks);
        let others = if tries { chooser.variants(&first) } else { Vec::new() };
        let mark = models.mark();
        let mut attempt = |head: &Head| {
            chooser.use_head(head);
            let follower = Follower { chooser, nodes, levels, head, tracks: &tracks };
            let attempt = match kind {
                Moving::Translation => follower.translation(&mut models),
                Moving::Rotation => follower.rotation(&mut models, *rest),
            };
            models.reset(&mark);
            attempt
        };
        let mut best = attempt(&first);
        let mut head = first;
        for other in others {
            let attempt = attempt(&other);
            if (attempt.failed, attempt.bits) < (best.failed, best.bits) {
                (best, head) = (attempt, other);
                break;
            }
        }
        heads.code(coder, *kind, levels, tracks.rotations.len(), &head);
        let mut writer = models.track(*kind, &head);
        for (node, residual) in nodes.iter().zip(&best.residuals) {
            writer.expect(node);
            writer.code(coder, node, *residual);
        }
        chooser.failed += best.failed;
        match best.values {
            Values::Translations(values) => tracks.translations.push(values),
            Values::Rotations(values, turns) => {
                tracks.rotations.push(values);
                tracks.residuals.push(turns);
            }
        }
        coded_heads.push(head);
        residuals.push(best.residuals);
    }
    Coded {
        heads: coded_heads,
        residuals,
        #[cfg(test)]
        models,
    }
}

/// A track as it would be coded with a head.
struct Attempt {
    /// The bits of its residuals.
    bits: f64,
    residuals: Vec<Residual>,
    /// The number of residuals that do not keep the bound.
    failed: usize,
    values: Values,
}

/// Decoded values by frame.
enum Values {
    Translations(Vec<[f32; 3]>),
    /// With their differences from the prediction of their own track.
    Rotations(Vec<Quat>, Vec<[f32; 3]>),
}

/// Chooses the residuals of a track.
struct Follower<'a, 'b> {
    chooser: &'a Chooser<'b>,
    nodes: &'a [Node],
    levels: usize,
    head: &'a Head,
    tracks: &'a Tracks,
}

impl Follower<'_, '_> {
    fn weights(&self, node: &Node) -> [f32; 4] {
        node.weights(FLATNESS[usize::from(self.head.flat[usize::from(node.level)])])
    }

    fn translation(&self, models: &mut ResidualCoder) -> Attempt {
        let mut values = self.chooser.rounded_translations();
        let base = self.head.base_translation();
        let lattice = self.head.lattice();
        let mut writer = models.track(Moving::Translation, self.head);
        let mut meter = Meter::learning();
        let mut residuals = Vec::with_capacity(self.nodes.len());
        let mut failed = 0;
        for node in self.nodes {
            let predicted = match has_no_taps(node) {
                true => base,
                false => predict_translation(&values, node, self.weights(node)),
            };
            let expected = writer.expect(node);
            let bits = |residual| writer.bits(residual);
            let chosen = self.chooser.cheapest_translation(node, predicted, &values, expected, bits);
            failed += usize::from(chosen.is_none());
            let residual = writer.code(&mut meter, node, chosen.unwrap_or_default());
            let vector = lattice.vector(self.head.numbers(node.level, self.levels, residual));
            values[node.frame as usize] = [0, 1, 2].map(|i| predicted[i] + vector[i]);
            residuals.push(residual);
        }
        Attempt { bits: meter.bits, residuals, failed, values: Values::Translations(values) }
    }

    fn rotation(&self, models: &mut ResidualCoder, rest: Quat) -> Attempt {
        let frames = self.nodes.len();
        let mut values = self.chooser.rounded_rotations();
        let mut turns = vec![[0.0; 3]; frames];
        let shifts: Vec<[f32; 3]> = match self.head.reference {
            Some(reference) => {
                let others = &self.tracks.residuals[reference.track];
                others.iter().map(|other| self.head.shift(*other)).collect()
            }
            None => vec![[0.0; 3]; frames],
        };
        let base = self.head.base_rotation(rest);
        let lattice = self.head.lattice();
        let mut writer = models.track(Moving::Rotation, self.head);
        let mut meter = Meter::learning();
        let mut residuals = Vec::with_capacity(frames);
        let mut failed = 0;
        for node in self.nodes {
            let frame = node.frame as usize;
            let (predicted, shift) = match has_no_taps(node) {
                true => (base, [0.0; 3]),
                false => (predict_rotation(&values, node, self.weights(node)), shifts[frame]),
            };
            let expected = writer.expect(node);
            let bits = |residual| writer.bits(residual);
            let chosen = self.chooser.cheapest_rotation(node, predicted, &shifts, &values, expected, bits);
            failed += usize::from(chosen.is_none());
            let residual = writer.code(&mut meter, node, chosen.unwrap_or_default());
            let vector = lattice.vector(self.head.numbers(node.level, self.levels, residual));
            let turn = [0, 1, 2].map(|i| shift[i] + vector[i]);
            values[frame] = quat::mul(predicted, quat::from_rodrigues(turn));
            turns[frame] = if has_no_taps(node) { [0.0; 3] } else { turn };
            residuals.push(residual);
        }
        Attempt { bits: meter.bits, residuals, failed, values: Values::Rotations(values, turns) }
    }
}
