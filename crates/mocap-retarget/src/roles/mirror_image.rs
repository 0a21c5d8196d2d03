//! Gives roles to joints whose mirror image has one: exporters misspell the names of one side
//! (`LeftHandRingPinky1` beside `RightHandPinky1`).

use mocap_model::{JointId, Pose, Skeleton, Vector3};

use super::{PLACE, RoleMap, RoleReason};

/// Greatest distance of a joint from its mirror image, as a share of its bone's length.
const OFF: f64 = 0.5;

/// Gives a joint the mirrored role of its mirror image, if the parents of both have mirrored roles. From the hips
/// outwards, so that a whole chain follows its first joint.
pub(super) fn by_mirror_image(skeleton: &Skeleton, map: &mut RoleMap) {
    let mut rows = map.rows.clone();
    // Parents come before their children.
    rows.sort_by_key(|row| row.joint);
    let mut object = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut object);
    for row in rows {
        let other = row.role.mirrored();
        if row.role.side().is_none() || map.joint(other).is_some() {
            continue;
        }
        let Some(parent) = skeleton.joint(row.joint).parent else { continue };
        // A joint on the midline is its own mirror image.
        let twin = map.role(parent).and_then(|role| map.joint(role.mirrored()));
        if let Some(joint) = twin.and_then(|twin| image(skeleton, map, &object, [parent, row.joint], twin)) {
            map.add(other, joint, RoleReason::Place, PLACE.min(row.score));
        }
    }
}

/// The child of `twin` without a role that mirrors the joint: its bone is as long as the joint's, and its
/// distances to siblings are those of the joint. `None` if several children fit equally.
fn image(
    skeleton: &Skeleton,
    map: &RoleMap,
    object: &Pose,
    [parent, joint]: [JointId; 2],
    twin: JointId,
) -> Option<JointId> {
    let length = skeleton.joint(joint).offset.norm();
    let place = |id: JointId| object.joints[id.index()].translation.vector;
    let free = |parent: JointId| -> Vec<JointId> {
        let children = skeleton.children(parent).iter().copied();
        children.filter(|id| map.role(*id).is_none() && !skeleton.joint(*id).end_site).collect()
    };
    // Distances to siblings that have an image are the same on both sides, however the axes of the hands differ.
    let known: Vec<[Vector3<f64>; 2]> = skeleton
        .children(parent)
        .iter()
        .filter_map(|id| Some((*id, map.joint(map.role(*id)?.mirrored())?)))
        .filter(|(_, image)| skeleton.joint(*image).parent == Some(twin))
        .map(|(id, image)| [place(id), place(image)])
        .chain([[place(parent), place(twin)]])
        .collect();
    let off = |candidate: &JointId| {
        let differences = known
            .iter()
            .map(|[here, there]| ((place(joint) - here).norm() - (place(*candidate) - there).norm()).abs());
        differences.fold(0.0, f64::max)
    };
    let mut candidates: Vec<(f64, JointId)> = free(twin).into_iter().map(|id| (off(&id), id)).collect();
    candidates.retain(|(off, id)| *off <= OFF * length && reach(skeleton, *id) == reach(skeleton, joint));
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    match candidates[..] {
        [(_, only)] => Some(only),
        [(first, nearest), (second, _), ..] if 2.0 * first < second => Some(nearest),
        _ => None,
    }
}

/// Number of joints of the longest chain from a joint, without end sites.
fn reach(skeleton: &Skeleton, id: JointId) -> usize {
    let mut open = vec![(id, 1)];
    let mut longest = 1;
    while let Some((id, depth)) = open.pop() {
        longest = longest.max(depth);
        let children = skeleton.children(id).iter().filter(|child| !skeleton.joint(**child).end_site);
        open.extend(children.map(|child| (*child, depth + 1)));
    }
    longest
}

#[cfg(test)]
mod tests {
    use crate::{Role, map_roles};
    use mocap_model::{Joint, JointId, Skeleton, Space, Vector3};

    /// A body with two fingers per hand; the little finger of the left hand has the given name.
    fn body(name: &str) -> Skeleton {
        let mut joints: Vec<Joint> = Vec::new();
        let mut add = |name: &str, parent: Option<usize>, x: f64, y: f64, z: f64| {
            let parent = parent.map(|parent| JointId(parent as u32));
            joints.push(Joint::new(name, parent, Vector3::new(x, y, z)));
            joints.len() - 1
        };
        let hips = add("Hips", None, 0.0, 1.0, 0.0);
        let spine = add("Spine", Some(hips), 0.0, 0.2, 0.0);
        let neck = add("Neck", Some(spine), 0.0, 0.3, 0.0);
        add("Head", Some(neck), 0.0, 0.1, 0.0);
        for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
            let thigh = add(&format!("{side}UpLeg"), Some(hips), 0.1 * sign, -0.1, 0.0);
            let shank = add(&format!("{side}Leg"), Some(thigh), 0.0, -0.4, 0.0);
            add(&format!("{side}Foot"), Some(shank), 0.0, -0.4, 0.0);
            let shoulder = add(&format!("{side}Shoulder"), Some(spine), 0.05 * sign, 0.25, 0.0);
            let arm = add(&format!("{side}Arm"), Some(shoulder), 0.15 * sign, 0.0, 0.0);
            let forearm = add(&format!("{side}ForeArm"), Some(arm), 0.3 * sign, 0.0, 0.0);
            let hand = add(&format!("{side}Hand"), Some(forearm), 0.25 * sign, 0.0, 0.0);
            let little = if side == "Left" { name.to_owned() } else { "RightHandPinky".to_owned() };
            for (finger, z) in [(format!("{side}HandIndex"), 0.03), (little, -0.03)] {
                let first = add(&format!("{finger}1"), Some(hand), 0.08 * sign, 0.0, z);
                let second = add(&format!("{finger}2"), Some(first), 0.03 * sign, 0.0, 0.0);
                add(&format!("{finger}3"), Some(second), 0.02 * sign, 0.0, 0.0);
            }
        }
        Skeleton::new("", Space::default(), joints).unwrap()
    }

    #[test]
    fn a_joint_of_a_misspelled_name_gets_the_role_of_its_mirror_image() {
        let expected = map_roles(&body("LeftHandPinky"));
        let found = map_roles(&body("LeftHandRingPinky"));
        for role in [Role::LeftLittle1, Role::LeftLittle2, Role::LeftLittle3] {
            assert!(expected.joint(role).is_some(), "{role}");
            assert_eq!(found.joint(role), expected.joint(role), "{role}");
        }
        let named: Vec<_> = expected.rows.iter().map(|row| (row.role, row.joint)).collect();
        let mirrored: Vec<_> = found.rows.iter().map(|row| (row.role, row.joint)).collect();
        assert_eq!(named, mirrored);
    }

    #[test]
    fn what_has_no_mirror_image_gets_no_role() {
        // The little finger of the other side has one joint more.
        let skeleton = body("LeftHandRingPinky");
        let right = skeleton.iter().find(|(_, joint)| joint.name == "RightHandPinky3").unwrap().0;
        let mut joints = skeleton.joints().to_vec();
        joints.push(Joint::new("RightHandPinky4", Some(right), Vector3::new(-0.02, 0.0, 0.0)));
        let longer = Skeleton::new("", Space::default(), joints).unwrap();
        assert_eq!(map_roles(&longer).joint(Role::LeftLittle1), None);
    }
}
