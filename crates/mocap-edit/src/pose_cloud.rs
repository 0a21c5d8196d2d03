//! Poses as point clouds, and their alignment on the ground.

use mocap_model::{Clip, ForwardKinematics, Isometry3, JointId, UnitQuaternion, Vector3};
use nalgebra::Translation3;

use crate::body::Body;

/// The positions of the joints of one frame.
pub(crate) type Cloud = Vec<Vector3<f64>>;

/// Positions of the hips and of all joints below, without end sites. Joints above the hips are left out: they may stay
/// where the recording began.
pub(crate) struct Clouds<'a> {
    kinematics: ForwardKinematics<'a>,
    joints: Vec<JointId>,
}

impl<'a> Clouds<'a> {
    pub(crate) fn of(clip: &'a Clip, hips: JointId) -> Clouds<'a> {
        let skeleton = clip.skeleton();
        let below = skeleton.subtree(hips).into_iter();
        let joints: Vec<JointId> = below.filter(|joint| !skeleton.joint(*joint).end_site).collect();
        Clouds { kinematics: ForwardKinematics::of_joints(clip, &joints), joints }
    }

    /// The cloud of a frame.
    pub(crate) fn at(&mut self, frame: usize) -> Cloud {
        self.kinematics.place(frame);
        self.joints.iter().map(|joint| self.kinematics.position(*joint)).collect()
    }
}

/// The clouds of all frames.
pub(crate) fn clouds(clip: &Clip) -> Vec<Cloud> {
    let mut clouds = Clouds::of(clip, Body::of(clip).hips);
    (0..clip.frames()).map(|frame| clouds.at(frame)).collect()
}

/// The rotation about the up axis and translation along the ground that best align `from` with `to`, and the rms
/// distance that remains.
///
/// With points p of `to` and q of `from` on the ground, relative to their means, the angle is
/// atan2(Σ (q × p)·up, Σ q·p). Based on: L. Kovar, M. Gleicher, F. Pighin, "Motion Graphs", 2002;
/// here all weights are 1.
pub(crate) fn align(body: &Body, to: &[Vector3<f64>], from: &[Vector3<f64>]) -> (Isometry3<f64>, f64) {
    let count = to.len().max(1) as f64;
    let mean = |points: &[Vector3<f64>]| body.on_ground(&(points.iter().sum::<Vector3<f64>>() / count));
    let (middle, other) = (mean(to), mean(from));
    let (mut across, mut along) = (0.0, 0.0);
    for (p, q) in to.iter().zip(from) {
        let (p, q) = (body.on_ground(p) - middle, body.on_ground(q) - other);
        across += q.cross(&p).dot(&body.up);
        along += q.dot(&p);
    }
    let turn = match across == 0.0 && along == 0.0 {
        true => UnitQuaternion::identity(),
        false => body.turn(across.atan2(along)),
    };
    let placement = Isometry3::from_parts(Translation3::from(middle - turn * other), turn);
    let left: f64 = to
        .iter()
        .zip(from)
        .map(|(p, q)| (p - (placement.rotation * q + placement.translation.vector)).norm_squared())
        .sum();
    (placement, (left / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;

    #[test]
    fn a_known_placement_is_found() {
        let walk = clip("alex_walk.bvh");
        let body = Body::of(&walk);
        let here: Vec<Vector3<f64>> = clouds(&walk).into_iter().take(5).flatten().collect();
        let turn = body.turn(1.3);
        let shift = Vector3::new(31.0, 0.0, -17.0);
        let there: Vec<Vector3<f64>> = here.iter().map(|p| turn * p + shift).collect();
        let (found, left) = align(&body, &there, &here);
        assert!(
            found.rotation.angle_to(&turn) < 1e-12
                && (found.translation.vector - shift).norm() < 1e-12 * 200.0
        );
        assert!(left < 1e-10);
    }

    /// A root that stays at the origin does not belong to the pose.
    #[test]
    fn joints_above_the_hips_are_left_out() {
        let walk = clip("alex_walk.bvh");
        let (rooted, _) = crate::add_root_joint(&walk, "root", crate::Keep::default()).unwrap();
        assert_eq!(clouds(&rooted)[0].len(), clouds(&walk)[0].len());
    }
}
