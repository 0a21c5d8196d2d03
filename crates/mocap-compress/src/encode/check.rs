//! Checks whether a decoded value keeps its joints within their bounds: a fast form of the error metric.
//!
//! The points of a body are the shell points of its joints, so the square root of a share times the tolerance
//! is the greatest [`shell_distance`](mocap_analysis::shell_distance) of these joints, up to rounding (tested
//! below). NaN gives an infinite error, as there.

use crate::encode::body::{Body, Point};
use crate::quat::{Quat, to_f64};
use mocap_analysis::larger_error;
use mocap_model::{UnitQuaternion, Vector3, angle_between};

/// Checks decoded rotations of a body in one frame.
pub(crate) struct RotationCheck<'a> {
    /// The decoded rotation of the parent joint, in object space.
    pub(crate) parent: UnitQuaternion<f64>,
    pub(crate) original: UnitQuaternion<f64>,
    /// The error of the origin.
    pub(crate) offset: Vector3<f64>,
    pub(crate) points: &'a [Point],
    /// The bound of the rotation's error \[rad\], if any.
    pub(crate) turn: Option<f64>,
    pub(crate) strictness: f64,
}

impl RotationCheck<'_> {
    /// The greatest squared error of a decoded local rotation, as a share of the squared tolerance. Above 1 it
    /// may be any of the shares above 1.
    #[inline]
    pub(crate) fn share(&self, local: Quat) -> f64 {
        let rotation = self.parent * to_f64(local);
        let mut worst = 0.0f64;
        for point in self.points {
            let origin = if point.follows { self.offset } else { Vector3::zeros() };
            let off = origin + rotation * point.decoded - self.original * point.original;
            let share = off.norm_squared() * self.strictness / (point.tolerance * point.tolerance);
            if share <= 1.0 {
                worst = worst.max(share);
            } else {
                return larger_error(worst, share);
            }
        }
        match self.turn {
            Some(turn) => larger_error(worst, (angle_between(&rotation, &self.original) / turn).powi(2)),
            None => worst,
        }
    }
}

/// Checks decoded translations of a body in one frame.
pub(crate) struct TranslationCheck<'a> {
    /// The decoded transform of the parent joint, in object space.
    pub(crate) parent: UnitQuaternion<f64>,
    pub(crate) position: Vector3<f64>,
    pub(crate) original: (Vector3<f64>, UnitQuaternion<f64>),
    pub(crate) body: &'a Body,
    pub(crate) strictness: f64,
}

impl TranslationCheck<'_> {
    /// Like [`RotationCheck::share`], for a decoded local translation.
    #[inline]
    pub(crate) fn share(&self, local: [f32; 3]) -> f64 {
        let origin = self.position + self.parent * Vector3::from(local.map(f64::from));
        let (position, rotation) = &self.original;
        let tolerance = self.body.origin_tolerance;
        let mut worst = larger_error(0.0, (origin - position).norm_squared() / (tolerance * tolerance));
        // If the body does not rotate, its points are checked here.
        if !self.body.rotates {
            let turned = self.parent * self.body.local.decoded.rotation;
            for point in &self.body.points {
                let off = origin + turned * point.decoded - position - rotation * point.original;
                worst = larger_error(worst, off.norm_squared() / (point.tolerance * point.tolerance));
            }
        }
        worst * self.strictness
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::moving::{Precision, plan_of};
    use crate::encode::rig::{ObjectPoses, Rig};
    use crate::plan::rest_locals;
    use crate::quat::to_f32;
    use mocap_analysis::shell_distance;
    use mocap_model::{
        Clip, Dofs, EulerOrder, FrameRate, Isometry3, Joint, JointId, JointTracks, Pose, Skeleton, Space,
        Track, exp,
    };

    const SHELL: f64 = 0.03;
    const PRECISION: Precision = Precision { tolerance: 1e-3, constants: 5e-5, turn: None };
    const TOLERANCES: [f64; 3] = [2e-3, 1e-3, 3e-3];

    /// Three joints: the first moves, the others are rigid parts of it.
    fn clip(angle: f64, place: Vector3<f64>) -> Clip {
        let joint = |at: u32| Joint {
            dofs: Dofs::free(EulerOrder::ZXY),
            ..Joint::new(
                format!("joint{at}"),
                at.checked_sub(1).map(JointId),
                Vector3::new(0.1, 0.3 * f64::from(at), -0.05),
            )
        };
        let skeleton = Skeleton::new("", Space::default(), (0..3).map(joint).collect()).unwrap();
        let mut tracks: Vec<_> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        let turns = [Vector3::zeros(), Vector3::new(angle, 0.4 - angle, 0.7)];
        tracks[0].rotation = Track::Sampled(turns.iter().map(exp).collect());
        tracks[0].translation = Some(Track::Sampled(vec![Vector3::zeros(), place]));
        tracks[1].rotation = Track::Constant(exp(&Vector3::new(0.3, -0.2, 0.5)));
        Clip::new(skeleton.into(), FrameRate::new(30.0).unwrap(), 2, tracks).unwrap()
    }

    /// By the definition: the largest share of a joint's tolerance, squared, in frame 1 with another root.
    fn share_by_definition(clip: &Clip, locals: &[crate::sampler::Transform], root: Isometry3<f64>) -> f64 {
        let [mut local, mut original, mut decoded] = [Pose::default(), Pose::default(), Pose::default()];
        clip.local_pose(1, &mut local);
        local.to_object(clip.skeleton(), &mut original);
        local.joints[0] = root;
        for (joint, constant) in local.joints.iter_mut().zip(locals).skip(1) {
            let translation = Vector3::from(constant.translation.map(f64::from));
            *joint = Isometry3::from_parts(translation.into(), to_f64(constant.rotation));
        }
        local.to_object(clip.skeleton(), &mut decoded);
        let share = |joint: usize| {
            let error = shell_distance(&original.joints[joint], &decoded.joints[joint], SHELL);
            (error / TOLERANCES[joint]).powi(2)
        };
        (0..3).map(share).fold(0.0, larger_error)
    }

    /// The shares by definition and by check, of errors from nothing to twice the tolerance.
    fn compare(mut each: impl FnMut(f64, f64, &str)) {
        for step in 0..400 {
            let s = f64::from(step);
            let clip = clip(s.sin(), Vector3::new(s.cos(), 0.5 * (1.7 * s).sin(), 0.2));
            let plan = plan_of(&clip, clip.skeleton(), PRECISION, SHELL);
            let rig = Rig::new(
                &clip,
                &plan.constants(rest_locals(clip.skeleton())),
                &plan,
                &TOLERANCES,
                SHELL,
                2.0,
            );
            assert_eq!(rig.bodies.len(), 1);
            let locals = plan.constants(rest_locals(clip.skeleton()));
            let original = ObjectPoses::of(&clip, 1..2, &rig);
            let (rotation, position) = (original.rotations[0][0], original.positions[0][0]);
            let error = Vector3::new((3.1 * s).sin(), (1.3 * s).cos(), (0.7 * s).sin()) * (s / 400.0 * 2e-3);

            let turned = to_f32(&(rotation * exp(&error)));
            let check = RotationCheck {
                parent: UnitQuaternion::identity(),
                original: rotation,
                offset: Vector3::zeros(),
                points: &rig.bodies[0].points,
                turn: None,
                strictness: 1.0,
            };
            let root = Isometry3::from_parts(position.into(), to_f64(turned));
            each(share_by_definition(&clip, &locals, root), check.share(turned), "rotation");

            // The points of a body that rotates are checked with its rotation; this one does not rotate.
            let mut body = rig.bodies[0].clone();
            body.rotates = false;
            body.origin_tolerance = 1e9;
            body.local.decoded.rotation = rotation;
            let moved = (position + error).map(|value| value as f32);
            let check = TranslationCheck {
                parent: UnitQuaternion::identity(),
                position: Vector3::zeros(),
                original: (position, rotation),
                body: &body,
                strictness: 1.0,
            };
            let root = Isometry3::from_parts(moved.map(f64::from).into(), rotation);
            each(share_by_definition(&clip, &locals, root), check.share(moved.into()), "translation");
        }
    }

    #[test]
    fn a_share_is_that_of_the_shell_distance() {
        let mut above = 0;
        compare(|wanted, found, what| {
            // Double precision, of places about a metre away against tolerances of a millimetre.
            if wanted <= 1.0 - 1e-9 {
                assert!((wanted - found).abs() <= 1e-9, "{what}: {wanted} {found}");
            } else if wanted >= 1.0 + 1e-9 {
                above += 1;
                assert!(found > 1.0 && found <= wanted + 1e-9, "{what}: {wanted} {found}");
            }
        });
        assert!(above > 50, "{above}");
    }

    #[test]
    fn what_is_not_a_number_is_never_within_the_bound() {
        let clip = clip(0.3, Vector3::zeros());
        let plan = plan_of(&clip, clip.skeleton(), PRECISION, SHELL);
        let rig =
            Rig::new(&clip, &plan.constants(rest_locals(clip.skeleton())), &plan, &TOLERANCES, SHELL, 2.0);
        let identity = UnitQuaternion::identity();
        let check = RotationCheck {
            parent: identity,
            original: identity,
            offset: Vector3::zeros(),
            points: &rig.bodies[0].points,
            turn: None,
            strictness: 1.0,
        };
        assert_eq!(check.share([f32::NAN, 0.0, 0.0, 1.0]), f64::INFINITY);
        let check = TranslationCheck {
            parent: identity,
            position: Vector3::zeros(),
            original: (Vector3::zeros(), identity),
            body: &rig.bodies[0],
            strictness: 1.0,
        };
        assert_eq!(check.share([0.0, f32::NAN, 0.0]), f64::INFINITY);
        // An infinite position and an infinite original: their difference is NaN.
        let original = (Vector3::new(f64::INFINITY, 0.0, 0.0), identity);
        let check = TranslationCheck { original, ..check };
        assert_eq!(check.share([f32::INFINITY, 0.0, 0.0]), f64::INFINITY);
    }
}
