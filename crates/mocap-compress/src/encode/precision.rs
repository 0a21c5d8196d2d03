//! The finest bounds that single precision can keep.

use mocap_model::{Clip, Joint, JointTracks};

/// Smallest bound of local rotations \[rad\]: rotations of a joint and its parent are rounded to single
/// precision, and the choice of a residual needs some tolerance.
pub(crate) const SMALLEST_TURN: f64 = 32.0 * f32::EPSILON as f64;

/// Smallest tolerance that decoded values can keep, however they are stored: translations are rounded to single
/// precision, and the rounding of a quaternion rotates everything below the joint.
pub(crate) fn smallest_tolerance(clip: &Clip, shell: f64) -> f64 {
    let largest = |joint: &Joint, tracks: &JointTracks| match &tracks.translation {
        Some(track) => track.values().iter().fold(0.0f64, |max, v| max.max(v.norm())),
        None => joint.offset.norm(),
    };
    let skeleton = clip.skeleton();
    let mut lengths = vec![0.0f64; skeleton.len()];
    let mut rounding = vec![0.0f64; skeleton.len()];
    let mut worst = 0.0f64;
    for (id, joint) in skeleton.iter() {
        let far = largest(joint, clip.track(id));
        let half_ulp = far * f64::from(f32::EPSILON) / 2.0 * 3f64.sqrt();
        // Roots have no lever: joints above them do not rotate.
        let (above, up) = joint
            .parent
            .map_or((0.0, 0.0), |parent| (lengths[parent.index()] + far, rounding[parent.index()]));
        lengths[id.index()] = above;
        rounding[id.index()] = up + half_ulp;
        worst = worst.max(rounding[id.index()] + (above + shell) * f64::from(f32::EPSILON) * 2.0);
    }
    // The choice of a residual needs some tolerance in addition to rounding.
    worst * 4.0
}
