//! Legs that are solved anew for feet at given places.

use mocap_ik::{Goal, IkError, IkMethod, PosedChain, SolveOptions, Solver};
use mocap_model::{Clip, Isometry3, JointId, Pose, Role, UnitQuaternion};

use crate::EditError;
use crate::body::Body;
use crate::samples::Samples;

/// Reaches for a place as exactly as numbers allow.
pub(crate) fn exact() -> SolveOptions {
    SolveOptions { position_tolerance: 1e-13, limits: false, ..SolveOptions::default() }
}

/// Brings ankles to places in object space, by frame; without a place the leg keeps its pose. The second value is
/// how much of a leg was missing at most \[units\].
pub(crate) fn place_ankles(
    clip: &Clip,
    body: &Body,
    ankles: &[(JointId, Vec<Option<Isometry3<f64>>>)],
    edit: &'static str,
) -> Result<(Clip, f64), EditError> {
    let failed = |error: IkError| EditError::Legs { edit, reason: error.to_string() };
    let mut samples = Samples::of(clip);
    let mut missing = 0.0f64;
    let mut pose = Pose { joints: Vec::new() };
    for (ankle, places) in ankles {
        let Some(base) = limb_base(body, *ankle) else { continue };
        let mut leg = PosedChain::limb(clip.skeleton(), base, *ankle).map_err(failed)?;
        for (frame, place) in places.iter().enumerate() {
            let Some(place) = place else { continue };
            clip.local_pose(frame, &mut pose);
            leg.read(clip.skeleton(), &pose).map_err(failed)?;
            let goal = [Goal::at(place.translation.vector)];
            let outcome = IkMethod::TwoBone.solve(&mut leg.chain, &goal, &exact()).map_err(failed)?;
            missing = missing.max(outcome.position);
            leg.write(&mut pose).map_err(failed)?;
            orient(clip, &mut pose, *ankle, &place.rotation);
            for joint in leg.joints().iter().chain([ankle]) {
                samples.rotations[joint.index()][frame] = pose.joints[joint.index()].rotation;
            }
        }
    }
    Ok((samples.into_clip(edit)?, missing))
}

/// Turns a joint such that it has an orientation in object space.
pub(crate) fn orient(clip: &Clip, pose: &mut Pose, joint: JointId, orientation: &UnitQuaternion<f64>) {
    let now = object_place(clip, pose, joint).rotation;
    let local = &mut pose.joints[joint.index()].rotation;
    let parent: UnitQuaternion<f64> = now * local.inverse();
    *local = parent.inverse() * orientation;
}

/// Where a joint of a pose is in object space.
pub(crate) fn object_place(clip: &Clip, pose: &Pose, joint: JointId) -> Isometry3<f64> {
    let mut place = pose.joints[joint.index()];
    let mut above = clip.skeleton().joint(joint).parent;
    while let Some(parent) = above {
        place = pose.joints[parent.index()] * place;
        above = clip.skeleton().joint(parent).parent;
    }
    place
}

/// The joint from which a limb reaches with this one: the upper arm or leg, else two joints above.
pub(crate) fn limb_base(body: &Body, joint: JointId) -> Option<JointId> {
    let skeleton = &body.skeleton;
    let tops = [Role::LeftUpperArm, Role::RightUpperArm, Role::LeftUpperLeg, Role::RightUpperLeg];
    let limb = tops.into_iter().filter_map(|role| skeleton.with_role(role));
    let mut above = limb.filter(|top| *top != joint && skeleton.is_in_subtree(joint, *top));
    above.next().or_else(|| skeleton.joint(skeleton.joint(joint).parent?).parent)
}
