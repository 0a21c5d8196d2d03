//! The joint that a misspelt name probably means.

use mocap_model::{Skeleton, nearest_name};

/// The name or role of a joint that differs from a name by a slip of the pen.
pub(crate) fn near_joint(skeleton: &Skeleton, name: &str) -> Option<String> {
    let joints = skeleton.joints().iter().filter(|joint| !joint.end_site);
    let names = joints.clone().map(|joint| joint.name.as_str());
    let roles = joints.filter_map(|joint| joint.role).map(|role| role.name());
    nearest_name(name, names.chain(roles)).map(str::to_owned)
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
