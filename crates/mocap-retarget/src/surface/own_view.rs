//! A body as searches see it: from its own hips, and rounded.
//!
//! The search for the smallest change of an arm is not smooth: arms that pass through the body, contacts that end and
//! distances on a grid make it magnify the last bits of a pose by a factor of 10¹⁰ and more. In the space of a scene, these
//! bits depend on where a person stands and faces. Seen from the hips, they are the same but for the rounding of the way
//! there, and rounding to steps far above that, and far below the accuracy of a distance field, removes it.

use super::body_surface::BodySurface;
use mocap_model::{Isometry3, JointId, Pose, Role, UnitQuaternion, Vector3};
use nalgebra::{Matrix4, Quaternion};

/// Steps of the numbers of a rotation or axis, and of lengths as a share of the body's height: powers of two, so that
/// multiples of them are exact. On a person of 1.7 m they are 2 µm.
const TURN: f64 = 1.0 / 1_048_576.0;
const LENGTH: f64 = 1.0 / 1_048_576.0;

/// How a body sees itself and others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnView {
    hips: JointId,
    /// The step of lengths [units of the skeleton].
    step: f64,
}

impl BodySurface {
    /// The view of this body. Without hips it is that from the joint that carries an arm.
    pub(crate) fn view(&self) -> OwnView {
        let trunk = || self.arms.iter().flatten().map(|arm| arm.trunk).next();
        let hips = self.roles.joint(Role::Hips).or_else(trunk).unwrap_or(JointId(0));
        OwnView { hips, step: self.height * LENGTH }
    }
}

impl OwnView {
    /// Where the hips are in an object-space pose of the body.
    pub(crate) fn hips(&self, object: &Pose) -> Isometry3<f64> {
        object.joints[self.hips.index()]
    }

    /// Turns an object-space pose into one that is seen from `hips`.
    pub(crate) fn see(&self, hips: &Isometry3<f64>, object: &mut Pose) {
        let back = hips.inverse();
        for joint in &mut object.joints {
            let seen = back * *joint;
            let rotation = UnitQuaternion::new_normalize(Quaternion::from(
                seen.rotation.coords.map(|value| rounded(value, TURN)),
            ));
            let place = seen.translation.vector.map(|value| rounded(value, self.step));
            *joint = Isometry3::from_parts(place.into(), rotation);
        }
    }

    /// Turns the matrix of a joint in object space into one that is seen from `hips`.
    pub(crate) fn see_matrix(&self, hips: &Isometry3<f64>, joint: &Matrix4<f64>) -> Matrix4<f64> {
        let seen = hips.inverse().to_homogeneous() * joint;
        Matrix4::from_fn(|row, column| match column {
            3 if row < 3 => rounded(seen[(row, column)], self.step),
            _ => rounded(seen[(row, column)], TURN),
        })
    }

    /// The joint from which it looks.
    pub(crate) fn joint(&self) -> JointId {
        self.hips
    }
}

/// A unit vector in the frame of a joint, rounded.
pub(crate) fn rounded_axis(axis: &Vector3<f64>) -> Vector3<f64> {
    axis.map(|value| rounded(value, TURN)).try_normalize(0.0).unwrap_or(*axis)
}

fn rounded(value: f64, step: f64) -> f64 {
    if step > 0.0 { (value / step).round() * step } else { value }
}

#[cfg(test)]
mod tests {
    use super::super::body_surface::fixtures::body;
    use super::*;

    #[test]
    fn a_body_that_is_turned_and_moved_sees_the_same_bits() {
        let body = body();
        let view = body.view();
        let mut local = Pose::rest(&body.skeleton);
        for (i, joint) in local.joints.iter_mut().enumerate() {
            let t = i as f64;
            joint.rotation = UnitQuaternion::from_euler_angles(t.sin(), (t * 1.3).cos(), (t * 0.7).sin());
        }
        let mut pose = Pose::default();
        local.to_object(&body.skeleton, &mut pose);
        let seen = |by: &Isometry3<f64>| {
            let mut turned = pose.clone();
            turned.joints.iter_mut().for_each(|joint| *joint = by * *joint);
            view.see(&view.hips(&turned), &mut turned);
            turned
        };
        let here = seen(&Isometry3::identity());
        let mut off = 0.0f64;
        let back = view.hips(&pose).inverse();
        for (was, is) in pose.joints.iter().zip(&here.joints) {
            off = off.max(((back * was).translation.vector - is.translation.vector).norm());
        }
        assert!(off < body.person(5e-5), "{off}");
        for degrees in [17.0f64, 81.0, 90.0, 180.0, 233.0] {
            let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), degrees.to_radians());
            let by = Isometry3::from_parts(Vector3::new(3e4, 0.0, -4e4).into(), turn);
            for (was, is) in here.joints.iter().zip(&seen(&by).joints) {
                assert_eq!(was.translation, is.translation, "{degrees}");
                let sign = was.rotation.coords.dot(&is.rotation.coords).signum();
                assert_eq!(was.rotation.coords, is.rotation.coords * sign, "{degrees}");
            }
        }
    }
}
