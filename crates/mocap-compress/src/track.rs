//! Moving tracks: the head of each, and the loop that codes all of them frame by frame.
//!
//! The loop is written once. An encoder runs it with a [`Source`] that chooses residuals and a coder that
//! writes them; a decoder runs it with a blank source and a coder that reads.

use crate::hierarchy::Node;
use crate::history::History;
use crate::lattice::{Column, DIRECTION, Kind, Lattice, Residual};
use crate::quat::{self, Quat};
use crate::range_coder::{Bit, BitCoder};
use crate::residual::ResidualModel;

/// The kind of a moving track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moving {
    /// A quaternion.
    Rotation,
    /// A vector.
    Translation,
}

/// A rotation track that is predicted in part from another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reference {
    /// The place of that track among the moving rotations.
    pub(crate) track: usize,
    /// The residuals of that track times 1/16 of this matrix predict those of this one.
    pub(crate) matrix: [[i32; 3]; 3],
}

/// Parts of one in a [`Reference`]'s matrix.
pub(crate) const MATRIX_UNIT: f32 = 16.0;

/// The head of a track: the values that all of its frames share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Head {
    /// By level, an index into [`FLATNESS`].
    pub(crate) flat: [u8; 8],
    /// What frames without taps are predicted from: modified Rodrigues parameters in 1/32 after the rest
    /// rotation, or a translation in 4096 steps of the lattice.
    pub(crate) base: [i32; 3],
    pub(crate) kind: Kind,
    pub(crate) columns: [Column; 3],
    pub(crate) reference: Option<Reference>,
}

/// Steps of the lattice in one of the base of a translation.
pub(crate) const BASE_STEPS: f32 = 4096.0;

/// Predictions between a curve (0) and a line (1), and beyond, to the mean of more frames.
pub(crate) const FLATNESS: [f32; 8] = [-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0];

impl Head {
    pub(crate) fn blank() -> Head {
        Head {
            flat: [1; 8],
            base: [0; 3],
            kind: Kind::Cubic,
            columns: [Column::default(); 3],
            reference: None,
        }
    }

    pub(crate) fn lattice(&self) -> Lattice {
        Lattice { kind: self.kind, basis: self.columns.map(Column::vector) }
    }

    /// What a rotation without taps is predicted from.
    pub(crate) fn base_rotation(&self, rest: Quat) -> Quat {
        quat::mul(rest, quat::from_rodrigues(self.base.map(|part| part as f32 / 32.0)))
    }

    /// What a translation without taps is predicted from.
    pub(crate) fn base_translation(&self) -> [f32; 3] {
        self.lattice().vector(Residual { k: self.base, refine: 0 }).map(|part| part * BASE_STEPS)
    }

    /// The prediction of the reference, from its residual.
    #[inline]
    pub(crate) fn shift(&self, other: [f32; 3]) -> [f32; 3] {
        let Some(reference) = &self.reference else { return [0.0; 3] };
        reference.matrix.map(|row| {
            let [a, b, c] = row.map(|entry| entry as f32 * (1.0 / MATRIX_UNIT));
            a * other[0] + b * other[1] + c * other[2]
        })
    }
}

/// The adaptive model of heads.
#[derive(Debug)]
pub(crate) struct HeadModel {
    numbers: [[Bit; 32]; 5],
    signs: [Bit; 5],
    flat: [[Bit; 8]; 2],
    centred: Bit,
    isotropic: Bit,
    refers: Bit,
    scale: i32,
}

const SCALE: usize = 0;
const PART: usize = 1;
const TRACK: usize = 2;
const ENTRY: usize = 3;
const BASE: usize = 4;

impl HeadModel {
    pub(crate) fn new() -> HeadModel {
        let even = Bit::new(0x8000);
        HeadModel {
            numbers: [[even; 32]; 5],
            signs: [even; 5],
            flat: [[even; 8]; 2],
            centred: even,
            isotropic: even,
            refers: even,
            scale: 0,
        }
    }

    /// A whole number below 2^28 either way: the length of it in bits, then the bits.
    pub(crate) fn number<C: BitCoder>(&mut self, coder: &mut C, set: usize, value: i32) -> i32 {
        let wanted = value.unsigned_abs();
        let length = 32 - wanted.leading_zeros();
        let mut count = 0;
        while count < 28 && coder.bit(&mut self.numbers[set][count as usize], length > count) {
            count += 1;
        }
        if count == 0 {
            return 0;
        }
        let mut magnitude = 1;
        for shift in (0..count - 1).rev() {
            magnitude = magnitude << 1 | coder.even(wanted >> shift & 1, 1);
        }
        if coder.bit(&mut self.signs[set], value < 0) { -(magnitude as i32) } else { magnitude as i32 }
    }

    /// Codes a head. A decoded head is safe to use: what it refers to is among the `rotations` tracks before.
    pub(crate) fn code<C: BitCoder>(
        &mut self,
        coder: &mut C,
        moving: Moving,
        levels: usize,
        rotations: usize,
        head: &Head,
    ) -> Head {
        let mut coded = Head::blank();
        for level in 0..levels {
            let tree = &mut self.flat[usize::from(level + 1 == levels)];
            let mut node = 1;
            for shift in (0..3).rev() {
                node = 2 * node + usize::from(coder.bit(&mut tree[node], head.flat[level] >> shift & 1 == 1));
            }
            coded.flat[level] = node as u8 & 7;
        }
        for axis in 0..3 {
            coded.base[axis] = self.number(coder, BASE, head.base[axis]);
        }
        coded.kind = match coder.bit(&mut self.centred, head.kind == Kind::BodyCentred) {
            true => Kind::BodyCentred,
            false => Kind::Cubic,
        };
        let isotropic = head.columns[1].scale == head.columns[0].scale
            && head.columns[2].scale == head.columns[0].scale
            && (0..3)
                .all(|i| (0..3).all(|j| head.columns[i].direction[j] == if i == j { DIRECTION } else { 0 }));
        let isotropic = coder.bit(&mut self.isotropic, isotropic);
        for axis in 0..3 {
            if isotropic && axis > 0 {
                coded.columns[axis].scale = self.scale;
            } else {
                self.scale = self.scale.wrapping_add(self.number(
                    coder,
                    SCALE,
                    head.columns[axis].scale.wrapping_sub(self.scale),
                ));
                coded.columns[axis].scale = self.scale;
            }
            for part in 0..3 {
                coded.columns[axis].direction[part] = match isotropic {
                    true => i32::from(part == axis) * DIRECTION,
                    false => self.number(coder, PART, head.columns[axis].direction[part]),
                };
            }
        }
        if moving == Moving::Rotation && rotations > 0 {
            let refers = coder.bit(&mut self.refers, head.reference.is_some());
            if refers {
                let wanted = head.reference.unwrap_or_default();
                // Counted backwards: the tracks nearest in the skeleton are the likeliest.
                let back =
                    self.number(coder, TRACK, (rotations as i32 - 1).wrapping_sub(wanted.track as i32));
                let track = (rotations - 1).saturating_sub(back.unsigned_abs() as usize);
                let matrix = wanted.matrix.map(|row| row.map(|entry| self.number(coder, ENTRY, entry)));
                coded.reference = Some(Reference { track, matrix });
            }
        }
        coded
    }
}

/// The decoded values of all moving tracks of a block, by frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tracks {
    pub(crate) rotations: Vec<Vec<Quat>>,
    pub(crate) translations: Vec<Vec<[f32; 3]>>,
    /// Of the rotations: their difference from the prediction of their own track.
    pub(crate) residuals: Vec<Vec<[f32; 3]>>,
}

/// Chooses heads and residuals.
pub(crate) trait Source {
    /// The head of the next track; all tracks before it are in `done`.
    fn head(&mut self, track: usize, done: &Tracks) -> Head;
    /// The residual of a rotation that is predicted as `predicted` turned by `shift`.
    fn rotation(&mut self, node: &Node, predicted: Quat, shift: [f32; 3], expected: [f32; 3]) -> Residual;
    /// The residual of a translation.
    fn translation(&mut self, node: &Node, predicted: [f32; 3], expected: [f32; 3]) -> Residual;
}

/// The source of a decoder: the coder knows the residuals.
#[derive(Debug)]
pub(crate) struct Unknown;

impl Source for Unknown {
    fn head(&mut self, _: usize, _: &Tracks) -> Head {
        Head::blank()
    }

    fn rotation(&mut self, _: &Node, _: Quat, _: [f32; 3], _: [f32; 3]) -> Residual {
        Residual::default()
    }

    fn translation(&mut self, _: &Node, _: [f32; 3], _: [f32; 3]) -> Residual {
        Residual::default()
    }
}

/// First guesses of the magnitudes of the first residuals.
const FIRST_ROTATION: f32 = 300.0;
const FIRST_TRANSLATION: f32 = 3000.0;

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

/// Whether a node is predicted only from the head.
#[inline]
pub(crate) fn has_no_taps(node: &Node) -> bool {
    node.cubic[0] == 0.0
}

/// Codes all moving tracks of a block: `moving` in order, `rests` the rest rotation of each.
pub(crate) fn code_tracks<C: BitCoder, S: Source>(
    coder: &mut C,
    source: &mut S,
    nodes: &[Node],
    levels: usize,
    moving: &[(Moving, Quat)],
) -> Tracks {
    let frames = nodes.len();
    let mut heads = HeadModel::new();
    let mut rotation_model = ResidualModel::new();
    let mut translation_model = ResidualModel::new();
    let mut tracks = Tracks::default();
    for (track, (kind, rest)) in moving.iter().enumerate() {
        let wanted = source.head(track, &tracks);
        let head = heads.code(coder, *kind, levels, tracks.rotations.len(), &wanted);
        let lattice = head.lattice();
        match kind {
            Moving::Translation => {
                let mut values = vec![[0.0; 3]; frames];
                let mut history = History::new(frames, FIRST_TRANSLATION);
                let base = head.base_translation();
                for node in nodes {
                    let weights = node.weights(FLATNESS[usize::from(head.flat[usize::from(node.level)])]);
                    let predicted =
                        if has_no_taps(node) { base } else { predict_translation(&values, node, weights) };
                    let (expected, before) = history.expected(node);
                    let wanted = source.translation(node, predicted, expected);
                    let residual = translation_model.code(coder, head.kind, expected, before, wanted);
                    history.learn(node, residual);
                    let vector = lattice.vector(residual);
                    values[node.frame as usize] = [0, 1, 2].map(|i| predicted[i] + vector[i]);
                }
                tracks.translations.push(values);
            }
            Moving::Rotation => {
                let mut values = vec![quat::IDENTITY; frames];
                let mut residuals = vec![[0.0; 3]; frames];
                let other = head.reference.map(|reference| &tracks.residuals[reference.track]);
                let mut history = History::new(frames, FIRST_ROTATION);
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
                    let (expected, before) = history.expected(node);
                    let wanted = source.rotation(node, predicted, shift, expected);
                    let residual = rotation_model.code(coder, head.kind, expected, before, wanted);
                    history.learn(node, residual);
                    let vector = lattice.vector(residual);
                    let turn = [0, 1, 2].map(|i| shift[i] + vector[i]);
                    values[frame] = quat::mul(predicted, quat::from_rodrigues(turn));
                    residuals[frame] = if has_no_taps(node) { [0.0; 3] } else { turn };
                }
                tracks.rotations.push(values);
                tracks.residuals.push(residuals);
            }
        }
    }
    tracks
}
