//! Turns of the hips and flips of other joints: rotations that no body makes in a frame.

use super::steps::Steps;
use super::{Artifact, ArtifactKind, worst_of_overlapping};
use mocap_model::{Clip, ForwardKinematics, JointId, Role, Skeleton, Track, UnitQuaternion, Vector3, log};

/// What a joint may turn beyond its neighbouring steps.
#[derive(Clone, Copy)]
struct Rule {
    kind: ArtifactKind,
    /// In one frame at 30 fps \[rad\].
    limit: f64,
    /// Times the usual deviation around it.
    times: f64,
}

const fn rule(kind: ArtifactKind, degrees: f64, times: f64) -> Rule {
    Rule { kind, limit: degrees.to_radians(), times }
}

/// Hips on a swing or in a somersault deviate by up to 43°.
const HIPS: Rule = rule(ArtifactKind::Turn, 55.0, 6.0);
/// Feet that kick deviate by up to 33°.
const FOOT: Rule = rule(ArtifactKind::Flip, 70.0, 8.0);
/// Captured toes have few markers: they deviate by up to 106°.
const TOES: Rule = rule(ArtifactKind::Flip, 120.0, 12.0);
/// Hands turn fast, and about themselves.
const HAND: Rule = rule(ArtifactKind::Flip, 120.0, 40.0);
/// Everything else: upper arms turn over where they point up.
const OTHER: Rule = rule(ArtifactKind::Flip, 110.0, 30.0);
/// A longer frame allows more, up to this \[rad\]: further than half a turn is the other way round.
const MOST: f64 = 160.0f64.to_radians();
/// The hips' limit stays below a quarter of a turn.
const MOST_OF_HIPS: f64 = 80.0f64.to_radians();
/// Deviations that do not matter \[rad\].
const NOISE: f64 = 0.5f64.to_radians();

pub(super) fn find(clip: &Clip) -> Vec<Artifact> {
    let (skeleton, steps) = (clip.skeleton(), Steps::at(clip.rate().fps()));
    let mut found = Vec::new();
    for (joint, rule) in rules(skeleton) {
        let of_hips = rule.kind == ArtifactKind::Turn;
        let Some(rotations) = (if of_hips { placed(clip, joint) } else { local(clip, joint) }) else {
            continue;
        };
        let change = |from: usize, to: usize| turn(&rotations[from], &rotations[to]);
        let limit = (rule.limit * steps.time).min(if of_hips { MOST_OF_HIPS } else { MOST });
        let surprises = steps.surprises(clip.frames(), change, limit, rule.times, NOISE);
        found.extend(surprises.into_iter().map(|surprise| Artifact {
            kind: rule.kind,
            frames: surprise.frames,
            joint: Some(joint),
            value: surprise.size,
            limit,
        }));
    }
    worst_of_overlapping(found)
}

/// The joints that are looked at: the hips in object space, the others relative to their parents. Fingers are left out:
/// they are rarely captured well, and what they do shows in no other joint.
fn rules(skeleton: &Skeleton) -> Vec<(JointId, Rule)> {
    let hips = skeleton.with_role(Role::Hips);
    let below_hips = hips.map(|hips| skeleton.subtree(hips));
    let hands = [Role::LeftHand, Role::RightHand].into_iter().filter_map(|role| skeleton.with_role(role));
    let fingers: Vec<JointId> = hands.flat_map(|hand| skeleton.subtree(hand).split_off(1)).collect();
    let joints = skeleton.iter().filter(|(_, joint)| !joint.end_site);
    let rule_of = |(id, joint): (JointId, &mocap_model::Joint)| {
        let outside = below_hips.as_ref().is_some_and(|below| !below.contains(&id));
        let rule = match joint.role {
            _ if outside || fingers.contains(&id) => return None,
            Some(Role::Hips) => HIPS,
            Some(Role::LeftFoot | Role::RightFoot) => FOOT,
            Some(Role::LeftToes | Role::RightToes) => TOES,
            Some(Role::LeftHand | Role::RightHand) => HAND,
            _ => OTHER,
        };
        Some((id, rule))
    };
    joints.filter_map(rule_of).collect()
}

/// The local rotations of a joint; `None` of one that does not turn.
fn local(clip: &Clip, joint: JointId) -> Option<Vec<UnitQuaternion<f64>>> {
    match &clip.track(joint).rotation {
        Track::Sampled(rotations) => Some(rotations.clone()),
        Track::Constant(_) => None,
    }
}

/// The rotations of a joint in object space.
fn placed(clip: &Clip, joint: JointId) -> Option<Vec<UnitQuaternion<f64>>> {
    let mut kinematics = ForwardKinematics::of_joints(clip, &[joint]);
    let rotation = |frame: usize| {
        kinematics.place(frame);
        kinematics.at(joint).rotation
    };
    Some((0..clip.frames()).map(rotation).collect())
}

fn turn(from: &UnitQuaternion<f64>, to: &UnitQuaternion<f64>) -> Vector3<f64> {
    log(&(from.inverse() * to))
}
