//! The nearest example moved onto the goals: a baseline for comparisons.

use crate::examples::{Examples, PosePrior};
use crate::goals::{Goal, Goals};
use crate::project::{Freedom, project};
use crate::solve::clip_of;
use crate::{Placed, PosesError, Vec3};
use mocap_model::{Clip, Skeleton};
use std::sync::Arc;

/// For each frame, the example whose joints are nearest to the goals relative to the hips, moved
/// onto the goals by damped least squares with equal weights of all joints. Frames in which the
/// hips are not known are interpolated.
///
/// # Errors
/// As [`crate::solve`].
pub fn nearest_poses(prior: &PosePrior, goals: &Goals, skeleton: &Arc<Skeleton>) -> Result<Clip, PosesError> {
    let examples = Examples::on(prior, skeleton)?;
    let body = &examples.body;
    let given = goals.on(body, 1.0)?;
    let mut turn = vec![0.0; body.skeleton.len()];
    body.joints.iter().filter(|joint| **joint != body.hips).for_each(|joint| turn[joint.index()] = 0.1);
    let freedom = Freedom { turn, travel: 0.0 };
    let pose = |goals: &Vec<Goal>| {
        let hips = goals.iter().find(|goal| goal.joint == body.hips);
        let hips =
            hips.and_then(|hips| Some(Placed::from_parts(hips.position?.into(), hips.orientation?)))?;
        let place =
            |goal: &Goal| Some((goal.joint, hips.inverse_transform_point(&goal.position?.into()).coords));
        let seen: Vec<_> = goals.iter().filter_map(place).collect();
        let off = |at: &[Placed]| -> f64 {
            let own = at[body.hips.index()];
            let place = |at: &Placed| own.inverse_transform_point(&at.translation.vector.into()).coords;
            seen.iter()
                .map(|(joint, wanted): &(_, Vec3)| (place(&at[joint.index()]) - wanted).norm_squared())
                .sum()
        };
        let nearest = examples.all().min_by(|a, b| off(a).total_cmp(&off(b)))?;
        let moved = hips * nearest[body.hips.index()].inverse();
        let mut at: Vec<Placed> = nearest.iter().map(|placed| moved * placed).collect();
        project(body, &mut at, goals, &freedom);
        Some(at)
    };
    clip_of(&examples, given.frames.iter().map(pose).collect(), skeleton, goals.rate)
}
