//! The encoding loop: tracks frame by frame, each residual chosen from the values decoded so far.

use crate::encode::changes::Change;
use crate::encode::effort::{Screen, Search, Work};
use crate::encode::predict::{Tracks, predict_rotation, predict_translation};
use crate::encode::source::Chooser;
use crate::hierarchy::Node;
use crate::lattice::Residual;
use crate::quat::{self, Quat};
use crate::range_coder::{BitCoder, Meter};
use crate::track::{FLATNESS, Head, HeadModel, Moving, ResidualCoder, has_no_taps, refer};

/// Changes of a head that leave its steps as they are are tried only if the residuals take fewer
/// bits than this many times the head.
const SMALL: f64 = 48.0;

/// Magnitudes of residuals if no model is used.
const EXPECTED: [f32; 3] = [1.0; 3];

/// The tracks of a block as they are coded.
pub(crate) struct Coded {
    pub(crate) heads: Vec<Head>,
    /// By track and node.
    pub(crate) residuals: Vec<Vec<Residual>>,
    /// The models after the last track.
    #[cfg(test)]
    pub(crate) models: ResidualCoder,
}

/// Codes all moving tracks of a block: `moving` in order, with the rest rotation of each. Values are computed
/// exactly as [`Composer`](crate::compose::Composer) computes them.
///
/// A track is tried with other heads depending on the effort; the smallest result is kept.
pub(crate) fn code_tracks<C: BitCoder>(
    coder: &mut C,
    chooser: &mut Chooser<'_>,
    nodes: &[Node],
    levels: usize,
    moving: &[(Moving, Quat)],
    work: &Work,
) -> Coded {
    let mut heads = HeadModel::new();
    let mut models = ResidualCoder::new(nodes.len());
    let mut tracks = Tracks::default();
    let mut coded_heads = Vec::new();
    let mut residuals = Vec::new();
    for (track, (kind, rest)) in moving.iter().enumerate() {
        let mut head = chooser.head(track, &tracks);
        let mark = models.mark();
        let measures = !work.changes.is_empty();
        let mut attempt = |chooser: &mut Chooser<'_>, head: &Head, screen: Option<Screen>| {
            chooser.use_head(head);
            let search = screen.map_or(work.search, |screen| screen.search);
            let follower =
                Follower { chooser, nodes, levels, head, tracks: &tracks, search, screen, measures };
            let attempt = match kind {
                Moving::Translation => follower.translation(&mut models),
                Moving::Rotation => follower.rotation(&mut models, *rest),
            };
            models.reset(&mark);
            let mut meter = Meter::looking();
            heads.clone().code(&mut meter, *kind, levels, tracks.rotations.len(), head);
            // The cost of the sampled part is scaled to the whole track.
            let share = nodes.len() as f64 / attempt.residuals.len().max(1) as f64;
            Attempt { head_bits: meter.bits, bits: attempt.bits * share, ..attempt }
        };
        let screen = work.screen.filter(|_| measures);
        let mut best = attempt(chooser, &head, screen);
        let mut coarser = false;
        for change in work.changes.iter().copied() {
            let matters = change.is_of_steps() || best.bits < SMALL * best.head_bits;
            let Some(other) = change.of(&head).filter(|_| matters) else { continue };
            if coarser && change == Change::Finer {
                continue;
            }
            let attempt = attempt(chooser, &other, screen);
            if attempt.is_better_than(&best) {
                (best, head) = (attempt, other);
                coarser |= change == Change::Coarser;
            }
        }
        if screen.is_some() {
            best = attempt(chooser, &head, None);
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

/// The coding of a track with one head.
struct Attempt {
    /// The bits of its residuals, and of the head.
    bits: f64,
    head_bits: f64,
    residuals: Vec<Residual>,
    /// The number of residuals that do not keep the bound.
    failed: usize,
    values: Values,
}

impl Attempt {
    fn is_better_than(&self, other: &Attempt) -> bool {
        let cost = |attempt: &Attempt| attempt.bits + attempt.head_bits;
        (self.failed, cost(self)) < (other.failed, cost(other))
    }
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
    search: Search,
    /// Set if heads are compared with some of the frames only.
    screen: Option<Screen>,
    /// Whether bits are counted; if not, no search that needs them is used.
    measures: bool,
}

impl Follower<'_, '_> {
    /// The visited nodes; values of other frames are assumed to be at their targets.
    fn seen(&self) -> impl Iterator<Item = &Node> {
        let frames = self.nodes.len();
        let sees = move |node: &&Node| self.screen.is_none_or(|screen| screen.sees(node.frame, frames));
        self.nodes.iter().filter(sees)
    }

    /// Whether models are used and updated: only if bits are compared.
    fn models(&self) -> bool {
        self.measures || self.search != Search::Nearest
    }

    fn weights(&self, node: &Node) -> [f32; 4] {
        node.weights(FLATNESS[usize::from(self.head.flat[usize::from(node.level)])])
    }

    fn translation(&self, models: &mut ResidualCoder) -> Attempt {
        let mut values = self.chooser.rounded_translations();
        let base = self.head.base_translation();
        let lattice = self.head.lattice();
        let mut writer = models.track(Moving::Translation, self.head);
        let models = self.models();
        let mut meter = Meter::learning();
        let mut residuals = Vec::with_capacity(self.nodes.len());
        let mut failed = 0;
        for node in self.seen() {
            let predicted = match has_no_taps(node) {
                true => base,
                false => predict_translation(&values, node, self.weights(node)),
            };
            let expected = if models { writer.expect(node) } else { EXPECTED };
            let bits = |residual| writer.bits(residual);
            let chosen =
                self.chooser.cheapest_translation(self.search, node, predicted, &values, expected, bits);
            failed += usize::from(chosen.is_none());
            let mut residual = chosen.unwrap_or_default();
            if models {
                residual = writer.code(&mut meter, node, residual);
            }
            let vector = lattice.vector(self.head.numbers(node.level, self.levels, residual));
            values[node.frame as usize] = [0, 1, 2].map(|i| predicted[i] + vector[i]);
            residuals.push(residual);
        }
        Attempt { head_bits: 0.0, bits: meter.bits, residuals, failed, values: Values::Translations(values) }
    }

    fn rotation(&self, models: &mut ResidualCoder, rest: Quat) -> Attempt {
        let frames = self.nodes.len();
        let mut values = self.chooser.rounded_rotations();
        let mut turns = vec![[0.0; 3]; frames];
        let mut shifts = vec![[0.0; 3]; frames];
        for reference in self.head.references.iter().flatten() {
            let multiplier = reference.multiplier();
            for (shift, other) in shifts.iter_mut().zip(&self.tracks.residuals[reference.track]) {
                *shift = refer(*shift, &multiplier, *other);
            }
        }
        let base = self.head.base_rotation(rest);
        let lattice = self.head.lattice();
        let mut writer = models.track(Moving::Rotation, self.head);
        let models = self.models();
        let mut meter = Meter::learning();
        let mut residuals = Vec::with_capacity(frames);
        let mut failed = 0;
        for node in self.seen() {
            let frame = node.frame as usize;
            let (predicted, shift) = match has_no_taps(node) {
                true => (base, [0.0; 3]),
                false => (predict_rotation(&values, node, self.weights(node)), shifts[frame]),
            };
            let expected = if models { writer.expect(node) } else { EXPECTED };
            let bits = |residual| writer.bits(residual);
            let chosen = self.chooser.cheapest_rotation(
                self.search,
                node,
                predicted,
                &shifts,
                &values,
                expected,
                bits,
            );
            failed += usize::from(chosen.is_none());
            let mut residual = chosen.unwrap_or_default();
            if models {
                residual = writer.code(&mut meter, node, residual);
            }
            let vector = lattice.vector(self.head.numbers(node.level, self.levels, residual));
            let turn = [0, 1, 2].map(|i| shift[i] + vector[i]);
            values[frame] = quat::mul(predicted, quat::from_rodrigues(turn));
            turns[frame] = if has_no_taps(node) { [0.0; 3] } else { turn };
            residuals.push(residual);
        }
        Attempt {
            head_bits: 0.0,
            bits: meter.bits,
            residuals,
            failed,
            values: Values::Rotations(values, turns),
        }
    }
}
