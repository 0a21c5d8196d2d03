//! Pairs joints with their mirror images.

use mocap_model::{JointId, Pose, Role, Skeleton, Vector3};

/// The partner of every joint: itself on the middle line, `None` without a counterpart.
///
/// The parents of partners are partners too, and the partner of a partner is the joint itself. Children of partners are
/// paired by roles, then names, then positions in the rest pose (in object space), whose middle plane is normal to
/// `lateral`.
pub(crate) fn mirror_partners(
    skeleton: &Skeleton,
    rest: &Pose,
    lateral: &Vector3<f64>,
) -> Vec<Option<JointId>> {
    let mut partners = vec![None; skeleton.len()];
    let roots: Vec<JointId> = skeleton.roots().collect();
    pair_up(skeleton, (rest, lateral), (&roots, &roots), &mut partners);
    for (id, _) in skeleton.iter() {
        // Processes each pair of parents once, at the smaller index.
        let Some(other) = partners[id.index()].filter(|other: &JointId| other.index() >= id.index()) else {
            continue;
        };
        let children = (skeleton.children(id), skeleton.children(other));
        pair_up(skeleton, (rest, lateral), children, &mut partners);
    }
    partners
}

fn pair_up(
    skeleton: &Skeleton,
    (rest, lateral): (&Pose, &Vector3<f64>),
    (ours, theirs): (&[JointId], &[JointId]),
    partners: &mut [Option<JointId>],
) {
    let reflected = |v: Vector3<f64>| v - lateral * (2.0 * v.dot(lateral));
    let offset = |id: JointId| {
        let joint = skeleton.joint(id);
        joint.parent.map_or(joint.offset, |parent| rest.joints[parent.index()].rotation * joint.offset)
    };
    let same_kind = |a: JointId, b: JointId| skeleton.joint(a).end_site == skeleton.joint(b).end_site;
    let by_role = |a: JointId, b: JointId| {
        let (a, b) = (skeleton.joint(a).role, skeleton.joint(b).role);
        a.is_some() && a.map(|role| role.mirrored()) == b
    };
    let by_name = |a: JointId, b: JointId| are_twins(&skeleton.joint(a).name, &skeleton.joint(b).name);
    // A joint without a role has the side of the roles below it.
    let roles_below = |id: JointId, mirrored: bool| {
        let roles = skeleton.subtree(id).into_iter().filter_map(|id| skeleton.joint(id).role);
        let mut roles: Vec<Role> = roles.map(|role| if mirrored { role.mirrored() } else { role }).collect();
        roles.sort();
        roles
    };
    let by_subtree = |a: JointId, b: JointId| {
        let roles = roles_below(a, true);
        !roles.is_empty() && roles == roles_below(b, false)
    };
    let mut link = |a: JointId, b: JointId| {
        partners[a.index()] = Some(b);
        partners[b.index()] = Some(a);
    };
    let mut left: Vec<JointId> = ours.to_vec();
    let mut right: Vec<JointId> = theirs.to_vec();
    let rules: [&dyn Fn(JointId, JointId) -> bool; 3] = [&by_role, &by_subtree, &by_name];
    for rule in rules {
        let mut at = 0;
        while at < left.len() {
            let a = left[at];
            match right.iter().position(|b| same_kind(a, *b) && rule(a, *b)) {
                Some(found) => {
                    let b = right.remove(found);
                    left.remove(at);
                    link(a, b);
                    // If the parents are one joint on the middle line, both lists are equal.
                    if let Some(again) = left.iter().position(|id| *id == b) {
                        left.remove(again);
                        right.retain(|id| *id != a);
                        at = at.min(again);
                    }
                }
                None => at += 1,
            }
        }
    }
    // The rest by position: the nearest mirror images first. A joint whose name has a side cannot be on the middle
    // line.
    let mut candidates = Vec::new();
    for a in &left {
        for b in right.iter().filter(|b| same_kind(*a, **b)) {
            if a == b && mirrored_name(&skeleton.joint(*a).name).is_some() {
                continue;
            }
            candidates.push(((reflected(offset(*a)) - offset(*b)).norm(), *a, *b));
        }
    }
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    for (_, a, b) in candidates {
        if left.contains(&a) && right.contains(&b) {
            link(a, b);
            for list in [&mut left, &mut right] {
                list.retain(|id| *id != a && *id != b);
            }
        }
    }
}

/// Whether two names differ only in their side: by a word, or by one letter.
fn are_twins(a: &str, b: &str) -> bool {
    if mirrored_name(a).as_deref() == Some(b) {
        return true;
    }
    let pairs: Vec<(char, char)> = a.chars().zip(b.chars()).filter(|(a, b)| a != b).collect();
    let swapped = [('l', 'r'), ('r', 'l'), ('L', 'R'), ('R', 'L')];
    a.chars().count() == b.chars().count() && matches!(&pairs[..], [pair] if swapped.contains(pair))
}

/// The name with left and right swapped; `None` where the name has no side.
fn mirrored_name(name: &str) -> Option<String> {
    const WORDS: [(&str, &str); 3] = [("Left", "Right"), ("left", "right"), ("LEFT", "RIGHT")];
    for (left, right) in WORDS {
        if name.contains(left) {
            return Some(name.replacen(left, right, 1));
        }
        if name.contains(right) {
            return Some(name.replacen(right, left, 1));
        }
    }
    // One letter between separators, or at an end: `l_arm`, `arm.R`, `Bip01 L Foot`, `lThigh`.
    let chars: Vec<char> = name.chars().collect();
    let separates = |c: Option<&char>| c.is_none_or(|c| !c.is_alphanumeric());
    for (at, c) in chars.iter().enumerate() {
        let swapped = match c {
            'l' => 'r',
            'r' => 'l',
            'L' => 'R',
            'R' => 'L',
            _ => continue,
        };
        let before = at.checked_sub(1).and_then(|at| chars.get(at));
        let after = chars.get(at + 1);
        let camel = c.is_lowercase() && before.is_none() && after.is_some_and(|next| next.is_uppercase());
        if (separates(before) && separates(after) && chars.len() > 1) || camel {
            let mut other = chars.clone();
            other[at] = swapped;
            return Some(other.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_swap_sides() {
        let pairs = [
            ("LeftArm", "RightArm"),
            ("mixamorig:leftHand", "mixamorig:rightHand"),
            ("arm.L", "arm.R"),
            ("l_thigh", "r_thigh"),
            ("Bip01 L Foot", "Bip01 R Foot"),
            ("lThigh", "rThigh"),
        ];
        for (left, right) in pairs {
            assert_eq!(mirrored_name(left).as_deref(), Some(right));
            assert_eq!(mirrored_name(right).as_deref(), Some(left));
        }
        assert!(are_twins("LHipJoint", "RHipJoint") && are_twins("armL", "armR"));
        assert!(!are_twins("Hips", "Hips") && !are_twins("Left", "Light"));
        for middle in ["Hips", "Spine1", "head", "Collar", "root", "L"] {
            assert_eq!(mirrored_name(middle), None, "{middle}");
        }
    }
}
