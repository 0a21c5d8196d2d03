//! Limits of knees and elbows about the axes on which they bend, as a start for the limits of a rig.

use crate::body::Body;
use crate::error::{RetargetError, SourceOrTarget};
use crate::reference_pose::{Directions, ReferencePose, nearest_axis};
use crate::roles::RoleMap;
use mocap_model::{Axis, Limit, Pose, Skeleton, Vector3, rotation_between, swing_twist};
use std::f64::consts::FRAC_PI_2;

/// How far knees and elbows bend: a little the other way, and until the limb is folded \[deg\].
const BEND: [f64; 2] = [-10.0, 155.0];

/// The skeleton with limits of knees and elbows: about the axis on which each bends, from -10° to
/// 155° of a straight limb. The other two angles stay free: the middle one of the Euler order gets
/// a limit of ±90°, which excludes no rotation. Joints with limits or locked axes stay as they are.
///
/// The axis is X, Y or Z of the joint where one is within 15° of it, else the X axis of a frame
/// ([`Dofs::frame`](mocap_model::Dofs::frame)).
///
/// ```
/// use mocap_retarget::{map_roles, with_hinge_limits};
/// # let walk = include_bytes!("../../../fixtures/clips/robin_walk.bvh");
/// # let document = mocap_formats::bvh::parse(walk, &Default::default())?.value;
/// # let clip = mocap_formats::bvh::to_clip(&document, &Default::default())?.value;
///
/// let limited = with_hinge_limits(clip.skeleton(), map_roles(clip.skeleton()))?;
/// let limits = |joint: &&mocap_model::Joint| joint.dofs.has_limits();
/// assert_eq!(limited.joints().iter().filter(limits).count(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the skeleton has no hips or legs, or its limbs are not connected or have no length.
pub fn with_hinge_limits(skeleton: &Skeleton, roles: RoleMap) -> Result<Skeleton, RetargetError> {
    let which = SourceOrTarget::Target;
    let body = Body::new(skeleton, roles, which)?;
    let reference = ReferencePose::new(skeleton, &body, &Pose::rest(skeleton), which)?;
    let directions = Directions::of(skeleton);
    let mut joints = skeleton.joints().to_vec();
    for limb in body.limbs.iter().flatten() {
        let (at, dofs) = (limb.middle.index(), &mut joints[limb.middle.index()].dofs);
        if dofs.has_limits() || dofs.rotation != [true; 3] {
            continue;
        }
        let hinge = nearest_axis(&(reference.rotation[at].inverse() * directions.bend(limb)));
        let rest = &skeleton.joints()[at].rest_rotation;
        let straight = swing_twist(&(rest.inverse() * reference.local[at]), &hinge).1;
        let straight = straight.scaled_axis().dot(&hinge);
        let [back, bent] = BEND.map(|bend| straight + bend.to_radians());
        let most = hinge.iamax();
        let (axis, limit) = match hinge[most].abs() {
            1.0 if hinge[most] > 0.0 => (most, Limit { min: back, max: bent }),
            1.0 => (most, Limit { min: -bent, max: -back }),
            _ => {
                dofs.frame = rotation_between(&Vector3::x(), &hinge);
                (Axis::X.index(), Limit { min: back, max: bent })
            }
        };
        dofs.limits[axis] = Some(limit);
        // Two sets of Euler angles describe the same rotation. With the middle angle within ±90°, only one of
        // them is within limits, and a bend to the wrong side cannot be read as a bend to the right one.
        dofs.limits[dofs.order.axes()[1].index()].get_or_insert(Limit { min: -FRAC_PI_2, max: FRAC_PI_2 });
    }
    let mut limited = joints.into_iter();
    let changed = skeleton.with_joints(|joint| joint.dofs = limited.next().expect("a joint each").dofs);
    Ok(changed.expect("ranges of finite angles"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use crate::map_roles;
    use mocap_ik::Constraint;
    use mocap_model::{Role, exp};

    /// A limb of the reference pose may bend as knees and elbows do, and not the other way.
    #[test]
    fn limbs_bend_one_way_on_any_rig() {
        let rigs = ["alex_walk.bvh", "robin_walk.bvh"].map(|name| clip(name).skeleton().as_ref().clone());
        let limited =
            rigs.each_ref().map(|skeleton| with_hinge_limits(skeleton, map_roles(skeleton)).unwrap());
        let presets = mocap_formats::skel::presets().iter().map(|preset| preset.skeleton());
        for limited in presets.chain(limited) {
            let name = limited.name();
            let body = Body::new(&limited, map_roles(&limited), SourceOrTarget::Target).unwrap();
            let reference =
                ReferencePose::new(&limited, &body, &Pose::rest(&limited), SourceOrTarget::Target).unwrap();
            let directions = Directions::of(&limited);
            for limb in body.limbs.iter().flatten() {
                let at = limb.middle.index();
                let constraint = Constraint::of(&limited.joints()[at]);
                let axis = reference.rotation[at].inverse() * directions.bend(limb);
                let excess = |degrees: f64| {
                    let local = reference.local[at] * exp(&(axis * degrees.to_radians()));
                    constraint.excess(&local).to_degrees()
                };
                for allowed in [0.0, 5.0, 90.0, 140.0] {
                    assert!(excess(allowed) < 1e-6, "{name} {limb:?} {allowed}");
                }
                assert!(excess(-40.0) > 15.0, "{name} {limb:?}: {}", excess(-40.0));
            }
        }
    }

    #[test]
    fn limits_that_are_there_stay() {
        let skeleton = clip("robin_walk.bvh").skeleton().as_ref().clone();
        let roles = map_roles(&skeleton);
        let knee = roles.joint(Role::LeftLowerLeg).unwrap().index();
        let own = Limit { min: 0.0, max: 1.0 };
        let mut at = 0;
        let with_own = skeleton.with_joints(|joint| {
            if at == knee {
                joint.dofs.limits[2] = Some(own);
            }
            at += 1;
        });
        let with_own = with_own.unwrap();
        let limited = with_hinge_limits(&with_own, roles).unwrap();
        assert_eq!(limited.joints()[knee].dofs, with_own.joints()[knee].dofs);
        let count = limited.joints().iter().filter(|joint| joint.dofs.has_limits()).count();
        assert_eq!(count, 4);
    }
}
