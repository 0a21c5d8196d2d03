//! Dropouts that example poses fill: longer ones than a curve can lead over, and whole limbs.

use std::ops::Range;

use mocap_model::{JointId, UnitQuaternion};
use mocap_poses::{Examples, Filled, Lost, PosePrior, fill};

use super::SHORT;
use super::dropouts::EQUAL;
use crate::EditError;
use crate::samples::Samples;

/// Joints of a limb that are lost together start and end within this many frames of each other.
const TOGETHER: usize = 2;
/// A joint that stands still for longer than a curve leads over was lost where the examples expect it to turn by this
/// \[rad\]; else it rests.
const EXPECTED: f64 = 0.15;

/// A dropout: the joint, its frames, and what it had in them.
pub(super) struct Dropout {
    pub(super) joint: JointId,
    pub(super) frames: Range<usize>,
    pub(super) before: Vec<UnitQuaternion<f64>>,
}

/// Adds joints that stand still together with one that is lost above or below them: of a limb that is lost, one joint may
/// come back near to where it stopped.
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
                let before = values.to_vec();
                dropouts.push(Dropout { joint: JointId::from(joint), frames: frames.clone(), before });
            }
        }
    }
}

/// Fills dropouts that last longer than [`SHORT`] as the examples have it. Those that last longer than `longest` frames and in
/// which the examples expect no turn are joints that rest: they get their values back, and are taken from the list. Gives
/// what was filled.
pub(super) fn fill_dropouts(
    samples: &mut Samples,
    dropouts: &mut Vec<Dropout>,
    prior: &PosePrior,
    (fps, longest): (f64, usize),
) -> Result<Vec<Filled>, EditError> {
    let long = |dropout: &Dropout| dropout.frames.len() as f64 > SHORT * fps;
    if !dropouts.iter().any(long) {
        return Ok(Vec::new());
    }
    let wrong =
        |error: mocap_poses::PosesError| EditError::Poses { edit: "denoise", reason: error.to_string() };
    let clip = samples.clone().into_clip("denoise")?;
    let examples = Examples::on(prior, clip.skeleton()).map_err(wrong)?;
    let all: Vec<Range<usize>> = dropouts.iter().map(|dropout| dropout.frames.clone()).collect();
    let lost: Vec<Lost> = dropouts
        .iter()
        .filter(|dropout| long(dropout))
        .map(|dropout| Lost { joint: dropout.joint, frames: together(&dropout.frames, &all) })
        .collect();
    let mut filled = fill(&examples, &clip, &lost).map_err(wrong)?;
    let is_of = |own: &Filled, dropout: &Dropout| {
        own.joint == dropout.joint && own.frames().contains(&dropout.frames.start)
    };
    dropouts.retain(|dropout| {
        let rests = dropout.frames.len() > longest
            && filled.iter().find(|own| is_of(own, dropout)).is_none_or(|own| turned(own) < EXPECTED);
        if rests {
            filled.retain(|own| !is_of(own, dropout));
            samples.rotations[dropout.joint.index()][dropout.frames.clone()].copy_from_slice(&dropout.before);
        }
        !rests
    });
    for own in &filled {
        samples.rotations[own.joint.index()][own.frames()].copy_from_slice(&own.rotations);
    }
    Ok(filled)
}

/// The frames of a dropout with those of others that begin or end with it.
fn together(frames: &Range<usize>, all: &[Range<usize>]) -> Range<usize> {
    let near = |a: usize, b: usize| a.abs_diff(b) <= TOGETHER;
    let starts = all.iter().map(|other| other.start).filter(|start| near(*start, frames.start));
    let ends = all.iter().map(|other| other.end).filter(|end| near(*end, frames.end));
    starts.min().unwrap_or(frames.start)..ends.max().unwrap_or(frames.end)
}

/// How far a joint turns from where it is first, at most \[rad\].
fn turned(filled: &Filled) -> f64 {
    let first = filled.rotations.first().copied().unwrap_or_else(UnitQuaternion::identity);
    filled.rotations.iter().map(|turn| turn.angle_to(&first)).fold(0.0, f64::max)
}
