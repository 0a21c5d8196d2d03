//! The up axis, if the file does not state it: the one that the user states, else the one along
//! which the body stands, with a warning if that is not the usual one. It is found by the roles of
//! joints.

use mocap_formats::Finding;
use mocap_model::{Axis, Clip, Role, SignedAxis, Skeleton};
use mocap_retarget::{map_roles, map_roles_in};
use mocap_robot::Bends;

use crate::unit::{in_space, robot_with_roles, with_up};
use crate::{FileFormat, Problem, ReadOptions};

/// Sets the up axis along which the body stands, if neither file nor user states one; warns if it is not the
/// usual one.
pub(crate) fn detect_up(
    format: FileFormat,
    clip: Clip,
    options: &ReadOptions,
    warnings: &mut Vec<Finding>,
) -> Clip {
    if options.up.is_some() || format.states_space() {
        return clip;
    }
    let space = *clip.skeleton().space();
    match body_up(&clip).filter(|up| *up != space.up) {
        Some(body) => {
            warnings.push(Finding::new(Problem::UpDetected { body, usual: space.up }));
            in_space(clip, with_up(&space, body))
        }
        None => clip,
    }
}

/// As many frames show whether a body stands and which side is left.
const START: usize = 1000;

/// The axis along which the body of a clip stands. With a wrong up axis, joints without known names, or sides, may
/// be in doubt: then the other axes are tried, and one counts if the body that is found with it stands along it.
fn body_up(clip: &Clip) -> Option<SignedAxis> {
    let skeleton = clip.skeleton();
    let roles = map_roles(skeleton).certain().apply(skeleton);
    if has_legs(&roles) {
        return mocap_analysis::upright_by(clip, &roles);
    }
    let start = clip.trimmed(0..clip.frames().min(START)).ok()?;
    let usual = skeleton.space().up;
    [Axis::Y, Axis::Z, Axis::X].map(|axis| SignedAxis { axis, negative: false }).into_iter().find(|up| {
        let stands = in_space(start.clone(), with_up(skeleton.space(), *up));
        let roles = map_roles_in(&stands).certain().apply(stands.skeleton());
        *up != usual && mocap_analysis::upright_by(&stands, &roles) == Some(*up)
    })
}

/// Whether the joints are known that show how a body stands.
fn has_legs(roles: &Skeleton) -> bool {
    [Role::Hips, Role::LeftUpperLeg, Role::RightUpperLeg, Role::LeftFoot, Role::RightFoot]
        .into_iter()
        .all(|role| roles.with_role(role).is_some())
}

/// The axis along which the body of a clip with roles stands, if it is not the present up axis.
fn other_up(clip: &Clip) -> Option<SignedAxis> {
    mocap_analysis::upright(clip).filter(|up| *up != clip.skeleton().space().up)
}

/// A clip with roles, for drawing: with the up axis along which its body stands.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let drawn = mocap::upright(mocap::with_roles(walk));
/// assert_eq!(drawn.skeleton().space().up.to_string(), "Y");
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn upright(clip: Clip) -> Clip {
    let Some(up) = other_up(&clip) else { return clip };
    let space = with_up(clip.skeleton().space(), up);
    in_space(clip, space)
}

/// The clip with those roles of its joints that names, hierarchy and motion show with certainty.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let hips = mocap::with_roles(walk).skeleton().with_role(mocap::Role::Hips);
/// assert!(hips.is_some());
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn with_roles(clip: Clip) -> Clip {
    let clip = with_roles_of_robot(clip, &Bends::default());
    let skeleton = map_roles_in(&clip).certain().apply(clip.skeleton());
    clip.with_skeleton(skeleton.into()).expect("the skeleton has as many joints as before")
}

/// The clip of a humanoid robot with the roles of its joints, knees and elbows as stated; other clips are unchanged.
pub(crate) fn with_roles_of_robot(clip: Clip, bends: &Bends) -> Clip {
    let Some(skeleton) = robot_with_roles(clip.skeleton(), bends) else { return clip };
    clip.with_skeleton(skeleton.into()).expect("the skeleton has as many joints as before")
}
