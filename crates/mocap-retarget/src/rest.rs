//! A stance read off a motion, for skeletons whose rest pose is none.

use crate::body::Body;
use crate::collar;
use crate::error::{RetargetError, Which};
use crate::evidence::{Sample, refined};
use crate::roles::map_roles_in;
use crate::stance::stance;
use mocap_analysis::{ContactOptions, contacts, feet_of, metres_per_unit};
use mocap_model::{Clip, Isometry3, Pose};
use std::sync::Arc;

/// The local pose of a clip's skeleton in which it stands upright with arms to the sides, as its motion shows
/// it: limbs roll the way knees and elbows are seen to bend, feet are flat as they are where they stand.
///
/// A good [`crate::Options::target_rest`] where the target is given as a motion file: several exporters write
/// rest poses that are no stance, and most say little about feet. (The source of a retarget is always looked at
/// in this way.)
///
/// # Errors
/// Where the skeleton has no hips or legs, or its limbs make no body.
pub fn rest_from_motion(clip: &Clip) -> Result<Pose, RetargetError> {
    let skeleton = clip.skeleton();
    let roles = map_roles_in(clip);
    let named = Arc::new(roles.apply(skeleton));
    let body = Body::new(skeleton, roles, Which::Target)?;
    let base = Pose::rest(skeleton);
    let made = stance(skeleton, &body, &base, Which::Target)?;
    let clip = clip.clone().with_skeleton(named)?;
    let feet = feet_of(clip.skeleton());
    let metres = metres_per_unit(skeleton);
    let options = ContactOptions::default();
    let found: Vec<_> =
        feet.iter().map(|foot| (foot.side, contacts(&clip, foot, metres, &options))).collect();
    let sides: Vec<_> = found.iter().map(|(side, contacts)| (*side, contacts)).collect();
    let mut stance = refined(&made, &base, clip.skeleton(), &body, &Sample::of(&clip, &body), &sides)?;
    if made.made {
        collar::rolled(&mut stance, &clip, &body);
    }
    let joints = base.joints.iter().zip(&stance.local);
    Ok(Pose { joints: joints.map(|(base, local)| Isometry3::from_parts(base.translation, *local)).collect() })
}
