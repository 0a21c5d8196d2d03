//! Artifacts of a capture: frames in which no body moves like this.
//!
//! Every limit is a share of the body (lengths of legs) or an angle for the time of one frame at 30 fps, and an outlier
//! must also stand out from the motion around it: a somersault may do what a walk may not. Nothing depends on the unit,
//! the rate, the heading or the place of a motion.

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
    /// The whole body is elsewhere from one frame to the next.
    Teleport,
    /// A hand or foot is elsewhere from one frame to the next, seen from the hips: a lost marker, a pose that is no part of
    /// the motion.
    Jump,
    /// The hips turn further in a frame than a body can.
    Turn,
    /// A joint turns further in a frame than a body can: a foot that flips, a twist bone that turns over.
    Flip,
    /// A bone changes its length.
    Stretch,
    /// No joint moves for a while, in a clip that moves elsewhere; or one joint stops dead.
    Frozen,
    /// Feet on the floor travel at one speed over the clip.
    Skate,
    /// The floor of the clip is not at the height of the floors of other clips ([`crate::FloorVote`]).
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

/// Frames in which no body moves like this: probably an artifact of the capture.
#[derive(Clone, Debug, PartialEq)]
pub struct Artifact {
    /// Which.
    pub kind: ArtifactKind,
    /// Counted from 0. Of a step, the frame after it.
    pub frames: Range<usize>,
    /// The joint that shows it most; `None` where all joints do.
    pub joint: Option<JointId>,
    /// Its size. Teleport, jump: how far the joint is from where it was going; float: the difference of the floors
    /// (negative below); skate: the speed, all in the lengths of [`crate::Quality::lengths`]. Turn, flip: the angle beyond
    /// that of the frames around it \[rad\]. Stretch: the change over the usual length. Frozen: the time \[s\].
    pub value: f64,
    /// What it may be at most, in the same unit.
    pub limit: f64,
}

impl Artifact {
    /// How far it is beyond its limit, as a ratio of at least 1: what makes one finding worse than another.
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

/// Of artifacts of one kind whose frames overlap, the worst: several joints show one event.
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
