//! Fills dropouts from example poses: those too long for curves, and those of whole limbs.

use std::ops::Range;

use mocap_model::{Clip, JointId, UnitQuaternion};
use mocap_poses::{Examples, Filled, Lost, PosePrior, PosesError, fill};

use super::SHORT;
use super::dropouts::EQUAL;
use crate::samples::Samples;

/// Joints of a limb that are lost together start and end within this many frames of each other.
const TOGETHER: usize = 2;
/// A long stop is a dropout if the examples expect the joint to turn by at least this \[rad\]; else the joint rests.
const EXPECTED: f64 = 0.15;

/// A dropout of a joint.
pub(super) struct Dropout {
    pub(super) joint: JointId,
    pub(super) frames: Range<usize>,
    /// The rotations that the joint had in these frames.
    pub(super) before: Vec<UnitQuaternion<f64>>,
    /// Whether it is too long for a curve; the joint may also be at rest.
    pub(super) is_long: bool,
    pub(super) filled: FilledBy,
}

/// The source of the rotations that fill a dropout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilledBy {
    Curve,
    Examples,
    /// Too long for a curve, and without examples: the joint keeps its rotations.
    Nothing,
}

impl Dropout {
    /// Restores the rotations of the joint.
    pub(super) fn undo(&mut self, samples: &mut Samples) {
        samples.rotations[self.joint.index()][self.frames.clone()].copy_from_slice(&self.before);
        self.filled = FilledBy::Nothing;
    }
}

/// Adds joints that stop together with a lost joint above or below them: when a limb is lost, one of its joints may
/// return near the rotation at which it stopped.
pub(super) fn add_joined(samples: &Samples, moving: &[usize], dropouts: &mut Vec<Dropout>, fps: f64) {
    let parent = |joint: usize| samples.skeleton.joints()[joint].parent.map(JointId::index);
    let mut at = 0;
    while at < dropouts.len() {
        let (lost, frames) = (dropouts[at].joint.index(), dropouts[at].frames.clone());
        at += 1;
        if frames.len() as f64 <= SHORT * fps {
            continue;
        }
        let is_next = |joint: &usize| parent(*joint) == Some(lost) || parent(lost) == Some(*joint);
        for joint in moving.iter().copied().filter(is_next) {
            let values = &samples.rotations[joint][frames.clone()];
            let still = values[1..].iter().all(|value| value.angle_to(&values[1]) <= EQUAL);
            let own = |other: &Dropout| {
                other.joint.index() == joint
                    && other.frames.start < frames.end
                    && frames.start < other.frames.end
            };
            if still && parent(joint).is_some() && !dropouts.iter().any(own) {
                let (joint, before) = (JointId::from(joint), values.to_vec());
                let (frames, is_long) = (frames.clone(), dropouts[at - 1].is_long);
                dropouts.push(Dropout { joint, frames, before, is_long, filled: FilledBy::Curve });
            }
        }
    }
}

/// Whether a dropout lasts longer than [`SHORT`], and examples fill it.
pub(super) fn needs_examples(dropout: &Dropout, fps: f64) -> bool {
    dropout.frames.len() as f64 > SHORT * fps
}

/// Fills dropouts that last longer than [`SHORT`] from examples. Long ones in which the examples expect no turn are
/// joints at rest: their rotations are restored, and they are removed from the list. `clip` is the motion of the
/// samples. Returns what was filled.
pub(super) fn fill_dropouts(
    samples: &mut Samples,
    dropouts: &mut Vec<Dropout>,
    (prior, clip): (&PosePrior, &Clip),
    fps: f64,
) -> Result<Vec<Filled>, PosesError> {
    let examples = Examples::on(prior, clip.skeleton())?;
    let all: Vec<Range<usize>> = dropouts.iter().map(|dropout| dropout.frames.clone()).collect();
    let lost: Vec<Lost> = dropouts
        .iter()
        .filter(|dropout| needs_examples(dropout, fps))
        .map(|dropout| Lost { joint: dropout.joint, frames: together(&dropout.frames, &all) })
        .collect();
    let mut filled = fill(&examples, clip, &lost)?;
    let is_of = |own: &Filled, dropout: &Dropout| {
        own.joint == dropout.joint && own.frames().contains(&dropout.frames.start)
    };
    dropouts.retain_mut(|dropout| {
        let own = filled.iter().find(|own| is_of(own, dropout));
        if own.is_some() {
            dropout.filled = FilledBy::Examples;
        }
        let rests = dropout.is_long && own.is_none_or(|own| turned(own) < EXPECTED);
        if rests {
            filled.retain(|own| !is_of(own, dropout));
            dropout.undo(samples);
        }
        !rests
    });
    for own in &filled {
        samples.rotations[own.joint.index()][own.frames()].copy_from_slice(&own.rotations);
    }
    Ok(filled)
}

/// The frames of a dropout merged with those of others that begin or end with it.
fn together(frames: &Range<usize>, all: &[Range<usize>]) -> Range<usize> {
    let near = |a: usize, b: usize| a.abs_diff(b) <= TOGETHER;
    let starts = all.iter().map(|other| other.start).filter(|start| near(*start, frames.start));
    let ends = all.iter().map(|other| other.end).filter(|end| near(*end, frames.end));
    starts.min().unwrap_or(frames.start)..ends.max().unwrap_or(frames.end)
}

/// The largest angle between a joint's first filled rotation and the others \[rad\].
fn turned(filled: &Filled) -> f64 {
    let first = filled.rotations.first().copied().unwrap_or_else(UnitQuaternion::identity);
    filled.rotations.iter().map(|turn| turn.angle_to(&first)).fold(0.0, f64::max)
}
