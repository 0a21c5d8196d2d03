//! A reference pose estimated from a motion, for skeletons whose rest pose is not a T- or A-pose.

use crate::body::Body;
use crate::error::{RetargetError, SourceOrTarget};
use crate::head::turn_head;
use crate::mean_roll::{roll_clavicles, roll_spine};
use crate::pose_estimation::{Basis, MotionSample, refine_reference_pose};
use crate::reference_pose::ReferencePose;
use crate::roles::map_roles_in;
use mocap_analysis::{ContactOptions, contacts, feet_of};
use mocap_model::{Clip, Isometry3, PlacedJoints, Pose};
use std::sync::Arc;

/// The T-pose of a clip's skeleton, in local space. It is made from the rest pose if that is a T-
/// or A-pose, and is then the same for every clip of the skeleton. Else it is estimated from the
/// motion: limbs roll the way knees and elbows bend.
///
/// Use it as [`target_rest`](crate::RetargetOptions::target_rest) for a target that comes as a
/// motion file: several exporters write rest poses that no body can take. (For the source, a
/// retarget does this by itself.)
///
/// # Errors
/// If the skeleton has no hips or legs, or its limbs are not connected or have no length.
///
/// ```
/// # let walk = include_bytes!("../../../fixtures/clips/robin_walk.bvh");
/// # let document = mocap_formats::bvh::parse(walk, &Default::default())?.value;
/// # let clip = mocap_formats::bvh::to_clip(&document, &Default::default())?.value;
/// use mocap_retarget::{RetargetOptions, estimate_rest_pose};
///
/// let target_rest = Some(estimate_rest_pose(&clip)?);
/// let options = RetargetOptions { target_rest, ..RetargetOptions::default() };
/// # assert_eq!(options.target_rest.unwrap().joints.len(), clip.skeleton().len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn estimate_rest_pose(clip: &Clip) -> Result<Pose, RetargetError> {
    estimate_rest_pose_with_source(clip).map(|(pose, _)| pose)
}

/// Like [`estimate_rest_pose`]; also returns whether the rest pose is a T- or A-pose, from which the pose was
/// made.
///
/// # Errors
/// Those of [`estimate_rest_pose`].
pub fn estimate_rest_pose_with_source(clip: &Clip) -> Result<(Pose, bool), RetargetError> {
    let skeleton = clip.skeleton();
    let roles = map_roles_in(clip);
    let named = Arc::new(roles.apply(skeleton));
    let body = Body::new(skeleton, roles, SourceOrTarget::Target)?;
    let base = Pose::rest(skeleton);
    let from_rest = ReferencePose::new(skeleton, &body, &base, SourceOrTarget::Target)?;
    let clip = clip.clone().with_skeleton(named)?;
    let placed = PlacedJoints::of(&clip, MotionSample::joints(&body));
    let mut sample = MotionSample::new(&body, clip.frames(), Some(&clip.skeleton().space().up.vector()));
    sample.append(&placed);
    let basis = Basis { skeleton: clip.skeleton(), body: &body, base: &base, reference: &from_rest };
    let reference = match from_rest.estimated {
        true => {
            let feet = feet_of(clip.skeleton());
            let options = ContactOptions::default();
            let found: Vec<_> =
                feet.iter().map(|foot| (foot.side, contacts(&clip, foot, &options))).collect();
            let sides: Vec<_> = found.iter().map(|(side, contacts)| (*side, contacts)).collect();
            let ankle = sample.ankle_over_ball(&sides);
            let mut reference = refine_reference_pose(basis, &sample.bend_axes(), ankle)?;
            roll_spine(&mut reference, (&clip).into(), &body);
            roll_clavicles(&mut reference, (&clip).into(), &body);
            turn_head(&mut reference, (&clip).into(), &body);
            reference
        }
        false => from_rest.clone(),
    };
    let joints = base.joints.iter().zip(&reference.local);
    let joints = joints.map(|(base, local)| Isometry3::from_parts(base.translation, *local));
    Ok((Pose { joints: joints.collect() }, !from_rest.estimated))
}
