//! The map between two skeletons as tables.

use crate::text::{aligned, rounded};
use crate::{FoundJoint, MapExplanation, RoleMap, SourceOrTarget, UnmappedJoint};
use mocap_model::{Role, Skeleton};
use std::fmt;

/// A table of roles, those of both skeletons first, then the joints without a role. Without a final line break.
impl fmt::Display for MapExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [source, target] = self.schemes.map(|scheme| scheme.unwrap_or("unknown naming scheme"));
        let mut lines = vec![format!("  names       source: {source}; target: {target}")];
        lines.extend(self.ratios.map(|ratios| format!("  scale       {ratios}")));
        let mut table = vec![["role", "source", "", "target", "", "score"].map(str::to_owned)];
        for pair in &self.rows {
            let [(source, why_source), (target, why_target)] = [&pair.source, &pair.target].map(cells);
            let score = match (pair.score, &pair.source) {
                (Some(score), _) => format!("{:.2}", rounded(score)),
                (None, _) if pair.distributed => "distributed".to_owned(),
                (None, Some(_)) => "left out".to_owned(),
                (None, None) => "rest pose".to_owned(),
            };
            table.push([pair.role.name().to_owned(), source, why_source, target, why_target, score]);
        }
        for [source, target] in &self.joint_pairs {
            let given = || "given 1.00".to_owned();
            table.push(["pair".into(), source.clone(), given(), target.clone(), given(), "1.00".into()]);
        }
        lines.extend(aligned(&table));
        for (which, others) in [("source", &self.source_others), ("target", &self.target_others)] {
            if !others.is_empty() {
                lines.push(format!("  other joints of the {which}"));
                lines.extend(grouped(others));
            }
        }
        f.write_str(&lines.join("\n"))
    }
}

/// Name of a joint; reason and score of its role.
fn cells(found: &Option<FoundJoint>) -> (String, String) {
    found.as_ref().map_or(("-".into(), String::new()), |found| {
        (found.joint.clone(), format!("{} {:.2}", found.reason.name(), rounded(found.score)))
    })
}

/// Joints of one kind and transfer on one line, wrapped; groups in the order of their first joints.
fn grouped(others: &[UnmappedJoint]) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for other in others {
        let title = match &other.transfer {
            Some(transfer) => format!("{}, {transfer}:", other.kind),
            None => format!("{}:", other.kind),
        };
        match groups.iter_mut().find(|(known, _)| *known == title) {
            Some((_, joints)) => joints.push(&other.joint),
            None => groups.push((title, vec![&other.joint])),
        }
    }
    let mut lines = Vec::new();
    for (title, joints) in groups {
        let mut line = format!("    {title}");
        for (i, joint) in joints.iter().enumerate() {
            let comma = if i + 1 < joints.len() { "," } else { "" };
            if line.chars().count() + joint.chars().count() > 98 {
                lines.push(std::mem::replace(&mut line, "     ".into()));
            }
            line.push_str(&format!(" {joint}{comma}"));
        }
        lines.push(line);
    }
    lines
}

impl RoleMap {
    /// A table of hips and limbs, with joints, reasons and scores: for a person who completes the roles of a skeleton.
    pub fn limb_table(&self, which: SourceOrTarget, skeleton: &Skeleton) -> String {
        let is_limb = |role: &&Role| {
            let ends = ["Hips", "UpperLeg", "LowerLeg", "Foot", "UpperArm", "LowerArm", "Hand"];
            ends.iter().any(|end| role.name().ends_with(end))
        };
        let mut table = vec![["role", "joint", ""].map(str::to_owned)];
        for role in Role::ALL.iter().filter(is_limb) {
            let row = self.rows.iter().find(|row| row.role == *role);
            let (joint, why) = row.map_or(("-".to_owned(), "not found".to_owned()), |row| {
                let doubt = if row.is_certain() { "" } else { ", uncertain" };
                let why = format!("{} {:.2}{doubt}", row.reason.name(), row.score);
                (skeleton.joint(row.joint).name.clone(), why)
            });
            table.push([role.name().to_owned(), joint, why]);
        }
        let scheme =
            self.scheme.map_or("no known naming scheme".to_owned(), |scheme| format!("names as in {scheme}"));
        let joints = skeleton.joints().iter().filter(|joint| !joint.end_site).count();
        let four =
            if self.on_four_legs { "; it stands on four legs, so its arms may be forelegs" } else { "" };
        let title = format!("the {which} has {joints} joints, {scheme}{four}");
        std::iter::once(title).chain(aligned(&table)).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use crate::fixtures::clip;
    use crate::{JointId, RetargetOptions, Retargeter, Role, RoleMap, SourceOrTarget, explain_roles};

    #[test]
    fn a_map_shows_every_role_and_says_what_happens_to_other_joints() {
        let (walk, robin) = (clip("alex_walk.bvh"), clip("robin_walk.bvh"));
        let retargeter =
            Retargeter::new(walk.skeleton(), robin.skeleton(), &RetargetOptions::default()).unwrap();
        let text = retargeter.explain().to_string();
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        for expected in ["scale legs 1.188, arms 1.074", "trunk, left out: LHipJoint, RHipJoint"] {
            assert!(text.lines().any(|line| words(line) == expected), "{expected}\n{text}");
        }
    }

    #[test]
    fn joint_pairs_and_missing_roles_are_shown() {
        let walk = clip("alex_walk.bvh");
        let skeleton = walk.skeleton();
        let roles = RoleMap::given([(Role::Hips, JointId(0))]);
        let pairs = [(JointId(1), JointId(2)), (JointId(1), JointId(9999))];
        let map = explain_roles(skeleton, &roles, skeleton, &RoleMap::default());
        let text = map.with_joint_pairs(&pairs, skeleton, skeleton).to_string();
        assert!(
            text.starts_with("  names       source: unknown naming scheme; target: unknown naming scheme\n")
        );
        assert_eq!(text.matches("given 1.00").count(), 3, "{text}");
        let table = roles.limb_table(SourceOrTarget::Source, skeleton);
        assert!(table.starts_with("the source has 24 joints, no known naming scheme\n"), "{table}");
        assert_eq!(table.lines().count(), 2 + 13, "{table}");
        assert_eq!(table.matches("not found").count(), 12, "{table}");
    }
}
