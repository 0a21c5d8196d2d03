//! Teleports: the hips are elsewhere from one frame to the next.

use super::steps::Steps;
use super::{Artifact, ArtifactKind};
use crate::{Lengths, trajectory};
use mocap_model::{Clip, JointId, Role};

/// How far hips may be from where they were going after one frame at 30 fps [leg lengths]: more than hips in a
/// somersault or on a swing are (0.14), less than 30 cm are for a tall man (0.33).
const LIMIT: f64 = 0.2;
/// At low rates hips go further in a frame, but a limit above this would hide a step of 30 cm.
const MOST: f64 = 0.32;
/// A teleport is this many times the usual deviation around it.
const TIMES: f64 = 4.0;
/// Deviations that do not matter [leg lengths].
const NOISE: f64 = 0.005;

pub(super) fn find(clip: &Clip, lengths: &Lengths) -> Vec<Artifact> {
    let skeleton = clip.skeleton();
    let hips = skeleton.with_role(Role::Hips).unwrap_or(JointId(0));
    let places = trajectory(clip, hips);
    let steps = Steps::at(clip.rate().fps());
    let limit = (LIMIT * steps.time * steps.time).min(MOST);
    let change = |from: usize, to: usize| (places[to] - places[from]) / lengths.leg;
    let found = steps.surprises(clip.frames(), change, limit, TIMES, NOISE);
    let in_lengths = lengths.leg * lengths.factor;
    let artifact = |surprise: super::steps::Surprise| Artifact {
        kind: ArtifactKind::Teleport,
        frames: surprise.frames,
        joint: Some(hips),
        value: surprise.size * in_lengths,
        limit: limit * in_lengths,
    };
    found.into_iter().map(artifact).collect()
}
