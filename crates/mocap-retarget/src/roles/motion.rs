//! Left and right from a motion: knees bend forward and toes point forward, under any names and in any rest pose.

use super::shape::Pair;
use mocap_model::{Clip, ForwardKinematics, JointId, Vector3};

/// Number of frames sampled over the clip.
const FRAMES: usize = 128;
/// Least agreement of the frames, from 0 to 1.
const AGREEING: f64 = 0.5;

/// Whether the first limb of a pair is the left one, on a body with these legs; `None` if the motion does not
/// show it.
pub(super) fn left_first(clip: &Clip, pair: &Pair, legs: &Pair) -> Option<bool> {
    let joints: Vec<JointId> = pair.limbs.iter().chain(&legs.limbs).flatten().copied().collect();
    let up = clip.skeleton().space().up.vector();
    let mut kinematics = ForwardKinematics::of_joints(clip, &joints);
    let (mut sum, mut total) = (0.0, 0.0);
    let count = clip.frames().min(FRAMES);
    for i in 0..count {
        kinematics.place(i * clip.frames() / count);
        let at = |joint: JointId| kinematics.at(joint).translation.vector;
        let forward = legs.limbs.iter().fold(Vector3::zeros(), |sum, leg| {
            let [hip, knee, ankle] = [0, 1, 2].map(|i| at(leg[i]));
            let toes = leg.get(3).map_or(Vector3::zeros(), |toes| at(*toes) - ankle);
            sum + (knee - (hip + ankle) / 2.0) + toes
        });
        let apart = at(pair.limbs[0][0]) - at(pair.limbs[1][0]);
        let seen = apart.dot(&up.cross(&forward));
        sum += seen;
        total += seen.abs();
    }
    (sum.abs() > AGREEING * total && total > 0.0).then_some(sum > 0.0)
}
