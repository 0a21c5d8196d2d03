//! Artifacts: rotations of the hips and of other joints that no body makes within a frame.

use super::steps::Steps;
use super::{Artifact, ArtifactKind, worst_of_overlapping};
use mocap_model::{Clip, ForwardKinematics, JointId, Role, Skeleton, Track, UnitQuaternion, Vector3, log};

/// Limit of a joint's rotation beyond that of the frames around it.
#[derive(Clone, Copy)]
struct Rule {
    kind: ArtifactKind,
    /// In one frame at 30 fps \[rad\].
    limit: f64,
    /// Least ratio to the usual deviation around it.
    times: f64,
}

const fn rule(kind: ArtifactKind, degrees: f64, times: f64) -> Rule {
    Rule { kind, limit: degrees.to_radians(), times }
}

/// Real hips deviate by up to 43° (on a swing, in a somersault).
const HIPS: Rule = rule(ArtifactKind::Turn, 55.0, 6.0);
/// Real feet deviate by up to 33° (kicks).
const FOOT: Rule = rule(ArtifactKind::Flip, 70.0, 8.0);
/// Captured toes have few markers and deviate by up to 106°.
const TOES: Rule = rule(ArtifactKind::Flip, 120.0, 12.0);
/// Hands turn fast, also about the forearm's line.
const HAND: Rule = rule(ArtifactKind::Flip, 120.0, 40.0);
/// All other joints: upper arms roll over when they point up.
const OTHER: Rule = rule(ArtifactKind::Flip, 110.0, 30.0);
/// Longer frames allow more, up to this \[rad\]: a rotation beyond 180° is one in the other direction.
const MOST: f64 = 160.0f64.to_radians();
/// The same for the hips, below a quarter turn \[rad\].
const MOST_OF_HIPS: f64 = 80.0f64.to_radians();
/// Deviations below this are ignored \[rad\].
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
        let outliers = steps.outliers(clip.frames(), change, limit, rule.times, NOISE);
        found.extend(outliers.into_iter().map(|outlier| Artifact {
            kind: rule.kind,
            frames: outlier.frames,
            joint: Some(joint),
            value: outlier.size,
            limit,
        }));
    }
    worst_of_overlapping(found)
}

/// The joints that are checked: the hips in object space, the others relative to their parents. Fingers are
/// left out: they are rarely captured well, and affect no other joint.
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

/// Local rotations of a joint; `None` if they are constant.
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
