//! The joint that a misspelt name probably means.

use mocap_model::Skeleton;

/// The name or role of a joint that differs from a name by a slip of the pen: at most one change in four letters. Case
/// is ignored.
pub(crate) fn near_joint(skeleton: &Skeleton, name: &str) -> Option<String> {
    let wanted = name.to_lowercase();
    let joints = skeleton.joints().iter().filter(|joint| !joint.end_site);
    let names = joints.clone().map(|joint| joint.name.as_str());
    let roles = joints.filter_map(|joint| joint.role).map(|role| role.name());
    let near = names.chain(roles).map(|name| (strsim::osa_distance(&wanted, &name.to_lowercase()), name));
    let (changes, near) = near.min_by_key(|(changes, _)| *changes)?;
    (changes <= wanted.chars().count().div_ceil(4)).then(|| near.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;

    #[test]
    fn joints_and_roles_are_found_by_misspelt_names() {
        let walk = clip("alex_walk.bvh");
        let near = |name: &str| near_joint(walk.skeleton(), name);
        assert_eq!(near("RigthArm").as_deref(), Some("RightArm"));
        assert_eq!(near("lefthnad").as_deref(), Some("LeftHand"));
        assert_eq!(near("Tail"), None);
    }
}
