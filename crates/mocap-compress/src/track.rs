//! Moving tracks: the head of each, and the coder of their residuals.

use crate::activity::Activity;
use crate::hierarchy::{LEVELS, Node};
use crate::history::History;
use crate::lattice::{Column, DIRECTION, Kind, Lattice, Residual};
use crate::quat::{self, Quat};
use crate::range_coder::{Bit, BitCoder};
use crate::residual::ResidualModel;
use crate::small_numbers::SmallNumbers;

/// The kind of a moving track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moving {
    /// A quaternion.
    Rotation,
    /// A vector.
    Translation,
}

/// A rotation track that partly predicts another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reference {
    /// The place of that track among the moving rotations.
    pub(crate) track: usize,
    /// The residuals of this track are predicted by those of that track times 1/16 of this matrix.
    pub(crate) matrix: [[i32; 3]; 3],
}

/// Units of a [`Reference`]'s matrix per 1.
pub(crate) const MATRIX_UNIT: f32 = 16.0;

/// The largest number of references of a track.
pub(crate) const REFERENCES: usize = 3;

impl Reference {
    /// The matrix that residuals of that track are multiplied with.
    pub(crate) fn multiplier(&self) -> [[f32; 3]; 3] {
        self.matrix.map(|row| row.map(|entry| entry as f32 * (1.0 / MATRIX_UNIT)))
    }
}

/// Adds the prediction from the residual of another track.
#[inline]
pub(crate) fn refer(shift: [f32; 3], multiplier: &[[f32; 3]; 3], other: [f32; 3]) -> [f32; 3] {
    let part = |i: usize| {
        let [a, b, c] = multiplier[i];
        shift[i] + (a * other[0] + b * other[1] + c * other[2])
    };
    [part(0), part(1), part(2)]
}

/// The head of a track: the values that all of its frames share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Head {
    /// By level, an index into [`FLATNESS`].
    pub(crate) flat: [u8; LEVELS],
    /// An index into [`FINER`].
    pub(crate) finer: u8,
    /// The prediction of frames without taps: modified Rodrigues parameters in units of 1/32 relative to the
    /// rest rotation, or a translation in units of 4096 steps of the lattice.
    pub(crate) base: [i32; 3],
    pub(crate) kind: Kind,
    pub(crate) columns: [Column; 3],
    /// Filled from the front.
    pub(crate) references: [Option<Reference>; REFERENCES],
}

/// Steps of the lattice in one of the base of a translation.
pub(crate) const BASE_STEPS: f32 = 4096.0;

/// Predictions between a curve (0) and a line (1), and beyond, towards the mean of more frames.
pub(crate) const FLATNESS: [f32; 8] = [-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0];

/// Steps of all levels except the last, relative to those of the last one. If the last level costs almost
/// nothing, finer steps in frames that predict others pay off.
pub(crate) const FINER: [f32; 4] = [1.0, 0.84, 0.7, 0.6];

impl Head {
    pub(crate) fn blank() -> Head {
        Head {
            flat: [1; LEVELS],
            finer: 0,
            base: [0; 3],
            kind: Kind::Cubic,
            columns: [Column::default(); 3],
            references: [None; REFERENCES],
        }
    }

    pub(crate) fn lattice(&self) -> Lattice {
        Lattice { kind: self.kind, basis: self.columns.map(Column::vector) }
    }

    /// Steps of a level relative to those of the lattice.
    #[inline]
    pub(crate) fn finer(&self, level: u8, levels: usize) -> f32 {
        if usize::from(level) + 1 == levels { 1.0 } else { FINER[usize::from(self.finer)] }
    }

    /// The numbers of a residual in steps of the lattice.
    #[inline]
    pub(crate) fn numbers(&self, level: u8, levels: usize, residual: Residual) -> [f32; 3] {
        let finer = self.finer(level, levels);
        let [x, y, z] = residual.numbers();
        [x * finer, y * finer, z * finer]
    }

    /// The prediction of a rotation without taps.
    pub(crate) fn base_rotation(&self, rest: Quat) -> Quat {
        self.start().rotation(rest)
    }

    /// The prediction of a translation without taps.
    pub(crate) fn base_translation(&self) -> [f32; 3] {
        self.start().translation()
    }

    /// What frames without taps need.
    pub(crate) fn start(&self) -> Start {
        Start { base: self.base, columns: self.columns }
    }
}

/// The part of a [`Head`] that frames without taps need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Start {
    pub(crate) base: [i32; 3],
    pub(crate) columns: [Column; 3],
}

impl Start {
    pub(crate) fn basis(&self) -> [[f32; 3]; 3] {
        self.columns.map(Column::vector)
    }

    /// The prediction of a rotation without taps.
    pub(crate) fn rotation(&self, rest: Quat) -> Quat {
        quat::mul(rest, quat::from_rodrigues(self.base.map(|part| part as f32 / 32.0)))
    }

    /// The prediction of a translation without taps.
    pub(crate) fn translation(&self) -> [f32; 3] {
        let [a, b, c] = self.base.map(|part| part as f32);
        let [x, y, z] = self.basis();
        [0, 1, 2].map(|i| (x[i] * a + y[i] * b + z[i] * c) * BASE_STEPS)
    }
}

/// The adaptive model of heads.
#[derive(Clone, Debug)]
pub(crate) struct HeadModel {
    numbers: [SmallNumbers; 5],
    flat: [[Bit; 8]; 2],
    finer: [Bit; 4],
    centred: Bit,
    isotropic: Bit,
    /// By the number of references before.
    refers: [Bit; REFERENCES],
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
            numbers: [SmallNumbers::new(); 5],
            flat: [[even; 8]; 2],
            finer: [even; 4],
            centred: even,
            isotropic: even,
            refers: [even; REFERENCES],
            scale: 0,
        }
    }

    /// Reads a head.
    pub(crate) fn read<C: BitCoder>(
        &mut self,
        coder: &mut C,
        moving: Moving,
        levels: usize,
        rotations: usize,
    ) -> Head {
        self.code(coder, moving, levels, rotations, &Head::blank())
    }

    /// Codes a head. A decoded head is always valid: it refers only to the `rotations` tracks before it.
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
        let high = usize::from(coder.bit(&mut self.finer[1], head.finer & 2 == 2));
        let low = usize::from(coder.bit(&mut self.finer[2 + high], head.finer & 1 == 1));
        coded.finer = (2 * high + low) as u8;
        for axis in 0..3 {
            coded.base[axis] = self.numbers[BASE].code(coder, head.base[axis]);
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
                self.scale = self.scale.wrapping_add(
                    self.numbers[SCALE].code(coder, head.columns[axis].scale.wrapping_sub(self.scale)),
                );
                coded.columns[axis].scale = self.scale;
            }
            for part in 0..3 {
                coded.columns[axis].direction[part] = match isotropic {
                    true => i32::from(part == axis) * DIRECTION,
                    false => self.numbers[PART].code(coder, head.columns[axis].direction[part]),
                };
            }
        }
        if moving == Moving::Rotation && rotations > 0 {
            for place in 0..REFERENCES {
                let wanted = head.references[place];
                if !coder.bit(&mut self.refers[place], wanted.is_some()) {
                    break;
                }
                let wanted = wanted.unwrap_or_default();
                // Counted backwards: the tracks nearest in the skeleton are the likeliest.
                let back =
                    self.numbers[TRACK].code(coder, (rotations as i32 - 1).wrapping_sub(wanted.track as i32));
                let track = (rotations - 1).saturating_sub(back.unsigned_abs() as usize);
                let matrix = wanted.matrix.map(|row| row.map(|entry| self.numbers[ENTRY].code(coder, entry)));
                coded.references[place] = Some(Reference { track, matrix });
            }
        }
        coded
    }
}

/// First guesses of the magnitudes of the first residuals.
const FIRST_ROTATION: f32 = 200.0;
const FIRST_TRANSLATION: f32 = 3000.0;

/// Codes the residuals of all tracks of a block.
#[derive(Debug)]
pub(crate) struct ResidualCoder {
    pub(crate) rotation: ResidualModel,
    pub(crate) translation: ResidualModel,
    activity: Activity,
    frames: usize,
}

/// Codes the residuals of one track.
#[derive(Debug)]
pub(crate) struct TrackCoder<'a> {
    of: &'a mut ResidualCoder,
    moving: Moving,
    kind: Kind,
    /// The first one.
    reference: Option<usize>,
    history: History,
    /// Magnitudes of the next residual as expected from its own track, and from all tracks.
    own: [f32; 3],
    expected: [f32; 3],
    /// The last residual of its level.
    before: [i32; 3],
}

/// The state of a [`ResidualCoder`] between two tracks.
#[cfg(feature = "encode")]
pub(crate) struct Mark {
    rotation: ResidualModel,
    translation: ResidualModel,
    activity: (Vec<f32>, usize),
}

#[cfg(feature = "encode")]
impl ResidualCoder {
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            rotation: self.rotation.clone(),
            translation: self.translation.clone(),
            activity: self.activity.mark(),
        }
    }

    /// Drops the tracks since the mark.
    pub(crate) fn reset(&mut self, mark: &Mark) {
        self.rotation.clone_from(&mark.rotation);
        self.translation.clone_from(&mark.translation);
        self.activity.reset(&mark.activity);
    }
}

impl ResidualCoder {
    pub(crate) fn new(frames: usize) -> ResidualCoder {
        ResidualCoder {
            rotation: ResidualModel::new(),
            translation: ResidualModel::new(),
            activity: Activity::new(frames),
            frames,
        }
    }

    /// Starts a track.
    pub(crate) fn track(&mut self, moving: Moving, head: &Head) -> TrackCoder<'_> {
        let first = match moving {
            Moving::Rotation => FIRST_ROTATION,
            Moving::Translation => FIRST_TRANSLATION,
        };
        if moving == Moving::Rotation {
            self.activity.begin();
        }
        TrackCoder {
            moving,
            kind: head.kind,
            reference: head.references[0].map(|reference| reference.track),
            history: History::new(self.frames, first),
            own: [0.0; 3],
            expected: [0.0; 3],
            before: [0; 3],
            of: self,
        }
    }
}

impl TrackCoder<'_> {
    /// The expected magnitudes of the next residual, that of a node.
    #[inline]
    pub(crate) fn expect(&mut self, node: &Node) -> [f32; 3] {
        (self.own, self.before) = self.history.expected(node);
        let factor = match self.moving {
            Moving::Rotation => self.of.activity.factor(node.frame as usize, self.reference),
            Moving::Translation => 1.0,
        };
        self.expected = self.own.map(|own| own * factor);
        self.expected
    }

    /// The bits of a residual of the node given to [`TrackCoder::expect`].
    #[cfg(feature = "encode")]
    pub(crate) fn bits(&mut self, residual: Residual) -> f64 {
        let model = match self.moving {
            Moving::Rotation => &mut self.of.rotation,
            Moving::Translation => &mut self.of.translation,
        };
        let mut meter = crate::range_coder::Meter::looking();
        model.code(&mut meter, self.kind, self.expected, self.before, residual);
        meter.bits
    }

    /// Codes the residual of the node given to [`TrackCoder::expect`].
    #[inline]
    pub(crate) fn code<C: BitCoder>(&mut self, coder: &mut C, node: &Node, wanted: Residual) -> Residual {
        let model = match self.moving {
            Moving::Rotation => &mut self.of.rotation,
            Moving::Translation => &mut self.of.translation,
        };
        let residual = model.code(coder, self.kind, self.expected, self.before, wanted);
        let magnitude = self.history.learn(node, residual);
        if self.moving == Moving::Rotation {
            self.of.activity.learn(node.frame as usize, self.kind, self.own, magnitude);
        }
        residual
    }
}

/// Whether a node is predicted only from the head.
#[inline]
pub(crate) fn has_no_taps(node: &Node) -> bool {
    node.cubic[0] == 0.0
}
