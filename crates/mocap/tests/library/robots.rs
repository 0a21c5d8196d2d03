//! Motions of robots keep the roles that the model states for its joints.

use mocap::Role;

const ROLES: [Role; 5] =
    [Role::Hips, Role::LeftUpperLeg, Role::RightLowerLeg, Role::LeftUpperArm, Role::RightLowerArm];

#[test]
fn a_motion_put_on_a_robot_has_the_roles_of_its_model() -> Result<(), Box<dyn std::error::Error>> {
    let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
    for model in ["pip.xml", "pip.urdf"] {
        let path = format!("../../fixtures/robots/{model}");
        let robot = mocap::read_skeleton(&path)?.value;
        let target = mocap::read_target(&path, &Default::default())?.value;
        let (motion, _) = mocap::put_on_target(
            &walk,
            &Default::default(),
            &target,
            None,
            &Default::default(),
            &mut Vec::new(),
        )?;
        for role in ROLES {
            let name = |skeleton: &mocap::Skeleton| {
                skeleton.with_role(role).map(|id| skeleton.joint(id).name.clone())
            };
            assert!(name(&robot).is_some(), "{model}: {role}");
            assert_eq!(name(motion.skeleton()), name(&robot), "{model}: {role}");
        }
    }
    Ok(())
}
