//! Artifacts: teleports (hips) and jumps (hand or foot relative to the hips): positions that change within a
//! frame.

use super::steps::{Outlier, Steps};
use super::{Artifact, ArtifactKind, worst_of_overlapping};
use crate::{Lengths, Trajectory, trajectories};
use mocap_model::{Clip, JointId, Role};

/// Limit of a joint's distance from its extrapolated position.
#[derive(Clone, Copy)]
struct Rule {
    kind: ArtifactKind,
    /// After one frame at 30 fps [leg lengths].
    limit: f64,
    /// Greatest limit at low frame rates, where a joint travels further per frame.
    most: f64,
    /// Least ratio to the usual deviation around it.
    times: f64,
}

/// More than real hips deviate in a somersault or on a swing (0.14), less than 30 cm are for a tall man (0.33).
/// A larger limit at low rates would hide such a jump.
const HIPS: Rule = Rule { kind: ArtifactKind::Teleport, limit: 0.2, most: 0.32, times: 4.0 };
/// Real hands and feet are faster (0.63).
const ENDS: Rule = Rule { kind: ArtifactKind::Jump, limit: 0.75, most: 1.5, times: 6.0 };
/// Deviations below this are ignored [leg lengths].
const NOISE: f64 = 0.005;

pub(super) fn find(clip: &Clip, lengths: &Lengths) -> Vec<Artifact> {
    let skeleton = clip.skeleton();
    let hips = skeleton.with_role(Role::Hips).unwrap_or(JointId(0));
    let ends = [Role::LeftHand, Role::RightHand, Role::LeftFoot, Role::RightFoot];
    let ends = ends.into_iter().filter_map(|role| skeleton.with_role(role));
    let joints: Vec<JointId> = [hips].into_iter().chain(ends).collect();
    let mut paths = trajectories(clip, &joints);
    let (of_hips, of_ends) = paths.split_at_mut(1);
    for path in &mut *of_ends {
        path.iter_mut().zip(&of_hips[0]).for_each(|(place, hips)| *place -= hips);
    }
    let mut found = of_path(clip, lengths, (hips, &of_hips[0]), HIPS);
    let jumps = joints[1..]
        .iter()
        .zip(of_ends)
        .flat_map(|(joint, path)| of_path(clip, lengths, (*joint, path), ENDS));
    found.extend(worst_of_overlapping(jumps.collect()));
    found
}

fn of_path(
    clip: &Clip,
    lengths: &Lengths,
    (joint, path): (JointId, &Trajectory),
    rule: Rule,
) -> Vec<Artifact> {
    let steps = Steps::at(clip.rate().fps());
    let limit = (rule.limit * steps.time * steps.time).min(rule.most);
    let change = |from: usize, to: usize| (path[to] - path[from]) / lengths.leg;
    let found = steps.outliers(clip.frames(), change, limit, rule.times, NOISE);
    let in_lengths = lengths.leg * lengths.factor;
    let artifact = |outlier: Outlier| Artifact {
        kind: rule.kind,
        frames: outlier.frames,
        joint: Some(joint),
        value: outlier.size * in_lengths,
        limit: limit * in_lengths,
    };
    found.into_iter().map(artifact).collect()
}
