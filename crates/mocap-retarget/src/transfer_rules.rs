//! Rules that give the rotation of each joint of the target from joints of the source.
//!
//! With both skeletons in one reference pose, `Q_target = Q_source · (Q_source in reference)⁻¹ · Q_target in
//! reference`, all in object space: bone axes, rolls and rest poses cancel. If spine or neck have another number
//! of joints, rotations are distributed along them; their last joints always match.

use crate::body::Body;
use crate::reference_pose::ReferencePose;
use mocap_model::{JointId, Role, Skeleton, UnitQuaternion};

/// How a joint of the target is rotated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TransferRule {
    /// It keeps this local rotation.
    Hold(UnitQuaternion<f64>),
    /// It follows a joint of the source: `Q_target = Q_source · frame`.
    Follow { source: JointId, frame: UnitQuaternion<f64> },
    /// It blends two joints of the source: each with its frame, and the share of the second.
    Blend { sources: [JointId; 2], frames: [UnitQuaternion<f64>; 2], share: f64 },
    /// It follows its partner in a joint pair: as `Follow`, multiplied from left to right. (Floating point products are
    /// not associative: the last bits depend on it.)
    FollowPair { source: JointId, frame: UnitQuaternion<f64> },
    /// It keeps this local rotation, and no samples are written.
    Unpaired(UnitQuaternion<f64>),
}

impl TransferRule {
    /// The joints of the source that drive the joint.
    pub(crate) fn sources(&self) -> &[JointId] {
        match self {
            TransferRule::Hold(_) | TransferRule::Unpaired(_) => &[],
            TransferRule::Follow { source, .. } | TransferRule::FollowPair { source, .. } => {
                std::slice::from_ref(source)
            }
            TransferRule::Blend { sources, .. } => sources,
        }
    }
}

/// A skeleton, its body and its reference pose.
pub(crate) type Posed<'a> = (&'a Skeleton, &'a Body, &'a ReferencePose);

/// A joint of the target, and the joint of the source that it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JointPair {
    pub source: JointId,
    pub target: JointId,
}

/// One rule per joint of the target. `namesakes` are joints without roles that both skeletons have; `pairs` are
/// further pairs (joint of the source, joint of the target).
pub(crate) fn transfer_rules(
    (source_skeleton, source_body, source_pose): Posed,
    (skeleton, body, pose): Posed,
    namesakes: &[JointPair],
    pairs: &[(JointId, JointId)],
) -> Vec<TransferRule> {
    let mut rules: Vec<TransferRule> = pose.local.iter().map(|local| TransferRule::Hold(*local)).collect();
    let frame = |source: JointId, target: JointId| {
        source_pose.rotation[source.index()].inverse() * pose.rotation[target.index()]
    };
    let follow =
        |source: JointId, target: JointId| TransferRule::Follow { source, frame: frame(source, target) };
    for row in &body.roles.rows {
        if is_limb_or_leaf(row.role)
            && let Some(source) = source_body.roles.joint(row.role)
        {
            rules[row.joint.index()] = follow(source, row.joint);
        }
    }
    rules[body.hips.index()] = follow(source_body.pelvis, body.hips);
    let mut distribute = |sources: &[JointId], below: JointId, targets: &[JointId]| {
        for (i, target) in targets.iter().enumerate() {
            rules[target.index()] = match place(i, targets.len(), sources.len()) {
                (Some(at), 0.0) => follow(sources[at], *target),
                (from, share) => {
                    let to = from.map_or(0, |from| from + 1).min(sources.len().saturating_sub(1));
                    let pair =
                        [from.map_or(below, |from| sources[from]), sources.get(to).copied().unwrap_or(below)];
                    TransferRule::Blend {
                        sources: pair,
                        frames: pair.map(|joint| frame(joint, *target)),
                        share,
                    }
                }
            };
        }
    };
    distribute(&source_body.spine, source_body.pelvis, &body.spine);
    if source_body.head.is_some() {
        distribute(&source_body.neck, source_body.top(), &body.neck);
    }
    for JointPair { source, target } in namesakes {
        rules[target.index()] = follow(*source, *target);
    }
    for (source, target) in pairs.iter().copied() {
        let exist = source.index() < source_skeleton.len() && target.index() < skeleton.len();
        if exist && body.roles.role(target).is_none() {
            rules[target.index()] = follow(source, target);
        }
    }
    rules
}

/// Joints without a role that have the same name in both skeletons, below joints of the same name or role. They cover
/// what roles do not: faces, tails, props.
pub(crate) fn namesakes(source: (&Skeleton, &Body), target: (&Skeleton, &Body)) -> Vec<JointPair> {
    let in_body = |body: &Body, id: JointId| {
        id == body.hips
            || body.roles.role(id).is_some()
            || body.spine.contains(&id)
            || body.neck.contains(&id)
    };
    let by_name: std::collections::HashMap<&str, JointId> =
        source.0.iter().map(|(id, joint)| (joint.name.as_str(), id)).collect();
    let namesakes = target.0.iter().filter_map(|(id, joint)| {
        let twin = *by_name.get(joint.name.as_str())?;
        let other = source.0.joint(twin);
        let name = |skeleton: &'_ Skeleton, parent: Option<JointId>| {
            parent.map(|parent| skeleton.joint(parent).name.clone())
        };
        let parents = (name(target.0, joint.parent), name(source.0, other.parent));
        let role = |body: &Body, parent: Option<JointId>| parent.and_then(|parent| body.roles.role(parent));
        let roles = (role(target.1, joint.parent), role(source.1, other.parent));
        let alike = parents.0 == parents.1 || (roles.0.is_some() && roles.0 == roles.1);
        let outside = !in_body(source.1, twin) && !in_body(target.1, id);
        (outside && alike && !joint.end_site && !other.end_site)
            .then_some(JointPair { source: twin, target: id })
    });
    namesakes.collect()
}

/// Root-motion joints that both skeletons have: those of their namesakes that are above the hips. `moves` says whether a
/// joint of the source is animated.
pub(crate) fn root_motion_joints(
    namesakes: &[JointPair],
    source: (&Skeleton, &Body),
    target: (&Skeleton, &Body),
    moves: impl Fn(JointId) -> bool,
) -> Vec<JointPair> {
    let above = |(skeleton, body): (&Skeleton, &Body), id: JointId| {
        id != body.hips && skeleton.is_in_subtree(body.hips, id)
    };
    let mut found = namesakes.to_vec();
    found.retain(|pair| above(target, pair.target) && above(source, pair.source) && moves(pair.source));
    found
}

/// Position of joint `i` of `n` on the target in a chain of `count` joints of the source: the joint before it
/// (`None`: the joint below the chain) and the share of the next one. The last joints of both always match.
fn place(i: usize, n: usize, count: usize) -> (Option<usize>, f64) {
    let at = (i + 1) as f64 * count as f64 / n as f64;
    let before = at.floor() as usize;
    (before.checked_sub(1), at - before as f64)
}

fn is_limb_or_leaf(role: Role) -> bool {
    !matches!(role, Role::Hips | Role::Spine | Role::Chest | Role::UpperChest | Role::Neck)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_joints_always_meet() {
        for n in 1..6 {
            for count in 1..6 {
                assert_eq!(place(n - 1, n, count), (Some(count - 1), 0.0), "{n} {count}");
            }
        }
        // One joint of the source onto three: a third, two thirds, all of its rotation.
        assert_eq!(place(0, 3, 1), (None, 1.0 / 3.0));
        // Three onto one: the last.
        assert_eq!(place(0, 1, 3), (Some(2), 0.0));
        // As many: one each.
        assert_eq!(place(1, 3, 3), (Some(1), 0.0));
    }
}
