//! Capture artifacts: frames with motion that no body makes.
//!
//! Limits are shares of the body (leg lengths), or angles per frame at 30 fps. An outlier must also differ from
//! the motion around it: a somersault may do what a walk may not. Results do not depend on the unit, the frame
//! rate, the heading or the position of a motion.

mod bones;
mod flips;
mod frozen;
mod skate;
mod steps;
mod teleports;

use crate::Lengths;
use mocap_model::{Clip, JointId};
use std::ops::Range;

/// A kind of capture artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ArtifactKind {
    /// The whole body changes its position between two frames.
    Teleport,
    /// A hand or foot changes its position relative to the hips between two frames: a lost marker, or a pose
    /// that does not belong to the motion.
    Jump,
    /// The hips rotate by more between two frames than a body can.
    Turn,
    /// A joint rotates by more between two frames than a body can: a foot that flips, a twist bone that turns
    /// over.
    Flip,
    /// A bone changes its length.
    Stretch,
    /// No joint moves for a while in a clip that moves elsewhere, or a single joint stops abruptly.
    Frozen,
    /// Feet on the floor slide at a common speed over the clip.
    Skate,
    /// The floor of the clip is at another height than the floors of other clips ([`crate::FloorVote`]).
    Float,
}

impl ArtifactKind {
    /// All kinds.
    pub const ALL: [ArtifactKind; 8] = [
        ArtifactKind::Teleport,
        ArtifactKind::Jump,
        ArtifactKind::Turn,
        ArtifactKind::Flip,
        ArtifactKind::Stretch,
        ArtifactKind::Frozen,
        ArtifactKind::Skate,
        ArtifactKind::Float,
    ];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            ArtifactKind::Teleport => "teleport",
            ArtifactKind::Jump => "jump",
            ArtifactKind::Turn => "turn",
            ArtifactKind::Flip => "flip",
            ArtifactKind::Stretch => "stretch",
            ArtifactKind::Frozen => "frozen",
            ArtifactKind::Skate => "skate",
            ArtifactKind::Float => "float",
        }
    }

    /// The stable code of findings.
    pub const fn code(self) -> &'static str {
        match self {
            ArtifactKind::Teleport => "quality::teleport",
            ArtifactKind::Jump => "quality::jump",
            ArtifactKind::Turn => "quality::turn",
            ArtifactKind::Flip => "quality::flip",
            ArtifactKind::Stretch => "quality::stretch",
            ArtifactKind::Frozen => "quality::frozen",
            ArtifactKind::Skate => "quality::skate",
            ArtifactKind::Float => "quality::float",
        }
    }
}

/// Frames with motion that no body makes; probably an artifact of the capture.
#[derive(Clone, Debug, PartialEq)]
pub struct Artifact {
    /// Its kind.
    pub kind: ArtifactKind,
    /// Frames, counted from 0. For a step, the frame after it.
    pub frames: Range<usize>,
    /// The joint that shows it most; `None` if all joints do.
    pub joint: Option<JointId>,
    /// Its size. Teleport, jump: distance of the joint from its extrapolated position; float: difference of the
    /// floors (negative below); skate: speed; all in the lengths of [`crate::Quality::lengths`]. Turn, flip:
    /// angle beyond that of the frames around it \[rad\]. Stretch: change of length over the usual length.
    /// Frozen: duration \[s\].
    pub value: f64,
    /// The limit of `value`, in the same unit.
    pub limit: f64,
}

impl Artifact {
    /// Ratio of its size to the limit, at least 1: the worst finding has the greatest.
    pub fn severity(&self) -> f64 {
        self.value.abs() / self.limit
    }
}

/// The artifacts of a clip, in the order of their first frames; [`quality`](crate::quality) measures the feet too.
///
/// ```
/// use mocap_analysis::{Lengths, find_artifacts};
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// assert!(find_artifacts(&clip, &Lengths::of(clip.skeleton())).is_empty());
/// ```
pub fn find_artifacts(clip: &Clip, lengths: &Lengths) -> Vec<Artifact> {
    let mut found = Vec::new();
    if clip.frames() >= 3 {
        found.extend(teleports::find(clip, lengths));
        found.extend(flips::find(clip));
        found.extend(bones::find(clip, lengths));
        found.extend(frozen::find(clip, lengths));
        found.extend(skate::find(clip, lengths));
    }
    found.sort_by_key(|artifact| (artifact.frames.start, artifact.kind));
    found
}

/// Keeps the worst of overlapping artifacts of one kind: several joints may show one event.
fn worst_of_overlapping(mut found: Vec<Artifact>) -> Vec<Artifact> {
    found.sort_by(|a, b| {
        b.severity()
            .total_cmp(&a.severity())
            .then(a.frames.start.cmp(&b.frames.start))
            .then(a.joint.cmp(&b.joint))
    });
    let mut kept: Vec<Artifact> = Vec::new();
    for artifact in found {
        let overlaps = |other: &Artifact| {
            other.kind == artifact.kind
                && other.frames.start < artifact.frames.end
                && artifact.frames.start < other.frames.end
        };
        if !kept.iter().any(overlaps) {
            kept.push(artifact);
        }
    }
    kept
}
