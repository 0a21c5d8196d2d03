//! Which joint of the source turns a joint of the target, and how their frames relate.
//!
//! With both skeletons in one stance, `Q_target = Q_source · (Q_source at stance)⁻¹ · Q_target at stance`, all
//! in object space: bone axes, rolls and rest poses drop out. Where the spine or the neck have other numbers of
//! joints, the turns along it are spread over those that there are; the last one always turns like the last.

use crate::body::Body;
use crate::stance::Stance;
use mocap_model::{JointId, Role, Skeleton, UnitQuaternion};

/// How a joint of the target turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rule {
    /// It keeps its local rotation.
    Rest(UnitQuaternion<f64>),
    /// It turns like a joint of the source: `Q_target = Q_source · frame`.
    Follow { source: JointId, frame: UnitQuaternion<f64> },
    /// It turns between two joints of the source: each with its frame, and the share of the second.
    Between { sources: [JointId; 2], frames: [UnitQuaternion<f64>; 2], share: f64 },
}

/// One rule for each joint of the target.
pub(crate) fn rules(
    source: (&Skeleton, &Body, &Stance),
    target: (&Skeleton, &Body, &Stance),
    pairs: &[(JointId, JointId)],
) -> Vec<Rule> {
    let (source_skeleton, source_body, source_stance) = source;
    let (skeleton, body, stance) = target;
    let mut rules: Vec<Rule> = stance.local.iter().map(|local| Rule::Rest(*local)).collect();
    let frame = |source: JointId, target: JointId| {
        source_stance.rotation[source.index()].inverse() * stance.rotation[target.index()]
    };
    for row in &body.roles.rows {
        if is_limb_or_leaf(row.role)
            && let Some(source) = source_body.roles.joint(row.role)
        {
            rules[row.joint.index()] = Rule::Follow { source, frame: frame(source, row.joint) };
        }
    }
    rules[body.hips.index()] =
        Rule::Follow { source: source_body.hips, frame: frame(source_body.hips, body.hips) };
    let mut spread = |sources: &[JointId], below: JointId, targets: &[JointId]| {
        for (i, target) in targets.iter().enumerate() {
            rules[target.index()] = match place(i, targets.len(), sources.len()) {
                (Some(at), 0.0) => Rule::Follow { source: sources[at], frame: frame(sources[at], *target) },
                (from, share) => {
                    let to = from.map_or(0, |from| from + 1).min(sources.len().saturating_sub(1));
                    let pair =
                        [from.map_or(below, |from| sources[from]), sources.get(to).copied().unwrap_or(below)];
                    Rule::Between { sources: pair, frames: pair.map(|joint| frame(joint, *target)), share }
                }
            };
        }
    };
    spread(&source_body.spine, source_body.hips, &body.spine);
    if source_body.head.is_some() {
        spread(&source_body.neck, source_body.top(), &body.neck);
    }
    for (joint, source) in twins((source_skeleton, source_body), (skeleton, body)) {
        rules[joint.index()] = Rule::Follow { source, frame: frame(source, joint) };
    }
    for (source, joint) in pairs.iter().copied() {
        let there = source.index() < source_skeleton.len() && joint.index() < skeleton.len();
        if there && body.roles.role(joint).is_none() {
            rules[joint.index()] = Rule::Follow { source, frame: frame(source, joint) };
        }
    }
    rules
}

/// Joints without a role that have the same name and place in both skeletons (of the target, of the source):
/// what roles do not speak of (faces, tails, props) moves too between skeletons of one kind.
pub(crate) fn twins(source: (&Skeleton, &Body), target: (&Skeleton, &Body)) -> Vec<(JointId, JointId)> {
    let spoken_of = |body: &Body, id: JointId| {
        id == body.hips
            || body.roles.role(id).is_some()
            || body.spine.contains(&id)
            || body.neck.contains(&id)
    };
    let by_name: std::collections::HashMap<&str, JointId> =
        source.0.iter().map(|(id, joint)| (joint.name.as_str(), id)).collect();
    let twins = target.0.iter().filter_map(|(id, joint)| {
        let twin = *by_name.get(joint.name.as_str())?;
        let other = source.0.joint(twin);
        let name = |skeleton: &'_ Skeleton, parent: Option<JointId>| {
            parent.map(|parent| skeleton.joint(parent).name.clone())
        };
        let parents = (name(target.0, joint.parent), name(source.0, other.parent));
        let free = !spoken_of(source.1, twin) && !spoken_of(target.1, id);
        (free && parents.0 == parents.1 && !joint.end_site && !other.end_site).then_some((id, twin))
    });
    twins.collect()
}

/// Where joint `i` of `n` lies among `count` joints of the source: the joint before it (`None`: the one below
/// the first) and the share of the next. The last of both always meet.
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
        // One of the source onto three: a third, two thirds, all of its turn.
        assert_eq!(place(0, 3, 1), (None, 1.0 / 3.0));
        // Three onto one: the last.
        assert_eq!(place(0, 1, 3), (Some(2), 0.0));
        // As many: one each.
        assert_eq!(place(1, 3, 3), (Some(1), 0.0));
    }
}
