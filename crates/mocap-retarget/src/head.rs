//! Facing direction of the head in an estimated reference pose.
//!
//! Some rigs give the head a frame of another kind than the spine: bones of the spine along X, the head upright
//! along Y. Bone offsets do not show this, but in most frames a head faces as its chest does.

use crate::body::Body;
use crate::reference_pose::ReferencePose;
use mocap_model::{ClipFrames, UnitQuaternion, Vector3};
use nalgebra::{Matrix3, Quaternion, Rotation3};

/// Number of frames sampled over the clip.
const FRAMES: usize = 256;
/// A head whose mean orientation is further than this from every quarter turn is left as it is (cosine of half
/// of 35°).
const CLEAR: f64 = 0.954;

/// Turns the head of a reference pose by the mean of its rotation relative to the neck over a motion, rounded
/// to quarter turns. Smaller rotations belong to the motion.
pub(crate) fn turn_head(reference: &mut ReferencePose, clip: ClipFrames, body: &Body) {
    let Some(head) = body.head else { return };
    let at_reference = reference.local[head.index()].inverse();
    let count = clip.frames().min(FRAMES);
    let turns = (0..count).map(|i| at_reference * clip.rotation(head, i * clip.frames() / count));
    let sum = turns.fold(Quaternion::from_parts(0.0, Vector3::zeros()), |sum, turn| {
        // `q` and `-q` are the same rotation.
        let sign = if sum.dot(&turn) < 0.0 { -1.0 } else { 1.0 };
        sum + turn.into_inner() * sign
    });
    let Some(mean) = UnitQuaternion::try_new(sum, 1e-9) else { return };
    let quarter = nearest_quarter(&mean);
    if quarter.angle() < 0.1 || quarter.coords.dot(&mean.coords).abs() < CLEAR {
        return;
    }
    let frame = reference.rotation[head.index()];
    let turn = frame * quarter * frame.inverse();
    let place = reference.position[head.index()];
    for joint in clip.skeleton().subtree(head) {
        let at = joint.index();
        reference.rotation[at] = turn * reference.rotation[at];
        reference.position[at] = place + turn * (reference.position[at] - place);
    }
    reference.local[head.index()] *= quarter;
}

/// The rotation nearest to `turn` among those that map axes to axes.
fn nearest_quarter(turn: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    let axes = |v: Vector3<f64>| {
        let most = v.iamax();
        let mut axis = Vector3::zeros();
        axis[most] = v[most].signum();
        axis
    };
    let x = axes(turn * Vector3::x());
    let y = turn * Vector3::y();
    let y = axes(y - x * y.dot(&x));
    let matrix = Matrix3::from_columns(&[x, y, x.cross(&y)]);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    #[test]
    fn quarters_are_found_through_noise() {
        let noise = UnitQuaternion::new(Vector3::new(0.2, -0.1, 0.25));
        for quarter in [Vector3::zeros(), Vector3::z() * -FRAC_PI_2, Vector3::x() * FRAC_PI_2] {
            let quarter = UnitQuaternion::new(quarter);
            assert!(nearest_quarter(&(quarter * noise)).angle_to(&quarter) < 1e-9);
        }
    }
}
