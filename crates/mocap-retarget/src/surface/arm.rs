//! An arm in one frame, and its pose after a change: elbow swivelled or bent, shoulder or wrist rotated.

use super::body_surface::{ArmSurface, BodySurface};
use super::own_view::rounded_axis;
use crate::fitted_body::Figure;
use mocap_model::{Clip, ForwardKinematics, Pose, UnitQuaternion, Vector3};
use mocap_skin::{Affine, Surface};
use nalgebra::{SVector, Unit};

/// A change of an arm \[rad\]: the swivel of the elbow about the line from shoulder to wrist, the bend of the
/// elbow, and the rotations of the arm about the shoulder and of the hand about the wrist, as rotation vectors in
/// the frame of the trunk. Angles are used because the position of the wrist hardly determines an arm that is
/// nearly straight.
pub(crate) type Change = SVector<f64, PARTS>;
/// Number of parts of a change.
pub(crate) const PARTS: usize = 8;

/// Elbows bend by at most this \[rad\], unless they were bent more before.
const MOST_BENT: f64 = 2.6;
/// Sine of the bend below which the bend axis of the pose is uncertain.
const UNSURE: f64 = 0.2;
/// Number of poses per second from which the bend axes of elbows are found.
const SAMPLES: f64 = 10.0;

/// An arm in object space.
#[derive(Clone, Debug)]
pub(crate) struct PosedArm {
    shoulder: Vector3<f64>,
    elbow: Vector3<f64>,
    wrist: Vector3<f64>,
    /// Of the trunk.
    pub frame: UnitQuaternion<f64>,
    /// Bend axis of the elbow.
    axis: Unit<Vector3<f64>>,
    /// Positions of its sampled vertices, in the order of [`ArmSurface::points`].
    pub points: Vec<Vector3<f64>>,
}

/// How the three segments of an arm move as rigid bodies: a rotation about a pivot, and the pivot's new position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArmMove {
    /// By segment: upper arm, forearm, hand.
    pub rotations: [UnitQuaternion<f64>; 3],
    from: [Vector3<f64>; 3],
    to: [Vector3<f64>; 3],
}

impl ArmMove {
    /// The new position of a point on a segment.
    pub(crate) fn place(&self, segment: usize, at: &Vector3<f64>) -> Vector3<f64> {
        self.to[segment] + self.rotations[segment] * (at - self.from[segment])
    }

    /// Moves the joints of an arm in an object-space pose.
    pub(crate) fn apply(&self, arm: &ArmSurface, object: &mut Pose) {
        for (segment, joints) in arm.segments.iter().enumerate() {
            for joint in joints {
                let joint = &mut object.joints[joint.index()];
                joint.translation.vector = self.place(segment, &joint.translation.vector);
                joint.rotation = self.rotations[segment] * joint.rotation;
            }
        }
    }
}

impl PosedArm {
    /// An arm in an object-space pose. `hinge` is its bend axis if it is nearly straight ([`hinge_axes`]).
    pub(crate) fn of(
        arm: &ArmSurface,
        surface: &Surface,
        object: &Pose,
        palette: &[Affine],
        hinge: &Vector3<f64>,
    ) -> PosedArm {
        let places = arm.points.points.iter();
        let points = places.map(|point| surface.posed_vertex(palette, point.vertex as usize)).collect();
        PosedArm { points, ..PosedArm::joints_of(arm, object, hinge) }
    }

    /// The same without points on its surface.
    pub(crate) fn joints_of(arm: &ArmSurface, object: &Pose, hinge: &Vector3<f64>) -> PosedArm {
        let joint = |i: usize| &object.joints[arm.joints[i].index()];
        let [shoulder, elbow, wrist] = [0, 1, 2].map(|i| joint(i).translation.vector);
        let frame = object.joints[arm.trunk.index()].rotation;
        let (upper, lower) = (elbow - shoulder, wrist - elbow);
        let across = upper.cross(&lower);
        let size = upper.norm() * lower.norm();
        let sine = if size > 0.0 { across.norm() / size } else { 0.0 };
        // The bend axis of a nearly straight arm is noise: blend it with the arm's hinge axis.
        let share = (sine / UNSURE).min(1.0);
        let hinge = joint(0).rotation * hinge;
        let own = across.try_normalize(0.0).unwrap_or(hinge);
        let axis = Unit::try_new(own * share + hinge * (1.0 - share), 1e-6);
        let axis = axis.unwrap_or_else(|| Unit::new_unchecked(own));
        PosedArm { shoulder, elbow, wrist, frame, axis, points: Vec::new() }
    }

    /// Length of the stretched arm.
    pub(crate) fn reach(&self) -> f64 {
        (self.elbow - self.shoulder).norm() + (self.wrist - self.elbow).norm()
    }

    /// How far the furthest of its places goes.
    pub(crate) fn furthest(&self, arm: &ArmSurface, change: &Change) -> f64 {
        let moved = self.moved(change);
        let places = self.points.iter().enumerate();
        let squares = places.map(|(i, at)| (moved.place(arm.segment(i), at) - at).norm_squared());
        squares.fold(0.0, f64::max).sqrt()
    }

    /// A sphere that contains forearm and hand.
    pub(crate) fn ball(&self) -> (Vector3<f64>, f64) {
        let middle = (self.elbow + self.wrist * 2.0) / 3.0;
        let far = self.points.iter().map(|at| (at - middle).norm_squared()).fold(0.0, f64::max);
        (middle, far.sqrt())
    }

    /// The motion of the segments for a change; a zero change moves nothing.
    pub(crate) fn moved(&self, change: &Change) -> ArmMove {
        let (upper, lower) = (self.elbow - self.shoulder, self.wrist - self.elbow);
        let bent = upper.angle(&lower);
        let bend = (bent + change[1]).clamp(0.0, bent.max(MOST_BENT)) - bent;
        let flex = UnitQuaternion::from_axis_angle(&self.axis, bend);
        let way = upper + flex * lower;
        // Bending the elbow leaves the direction from shoulder to wrist as it is.
        let aim = UnitQuaternion::rotation_between(&way, &(self.wrist - self.shoulder)).unwrap_or_default();
        let turn = self.frame * Vector3::new(change[2], change[3], change[4]);
        let aim = UnitQuaternion::from_scaled_axis(turn) * aim;
        let swivel = Unit::try_new(aim * way, 0.0)
            .map_or_else(UnitQuaternion::identity, |axis| UnitQuaternion::from_axis_angle(&axis, change[0]));
        let first = swivel * aim;
        let second = first * flex;
        let elbow = self.shoulder + first * upper;
        // The swivel does not rotate the hand.
        let hand = self.frame * Vector3::new(change[5], change[6], change[7]);
        let third = UnitQuaternion::from_scaled_axis(hand) * aim * flex;
        ArmMove {
            rotations: [first, second, third],
            from: [self.shoulder, self.elbow, self.wrist],
            to: [self.shoulder, elbow, elbow + second * lower],
        }
    }
}

/// The bend axes of both elbows in the frames of the upper arms: the mean over the frames of a motion, weighted
/// by the bend. An arm that never bends folds its forearm forward.
pub(crate) fn hinge_axes(body: &BodySurface, clip: &Clip) -> [Vector3<f64>; 2] {
    let facing = Figure::new(clip.skeleton(), &body.roles).facing();
    let mut rest = Pose::default();
    Pose::rest(clip.skeleton()).to_object(clip.skeleton(), &mut rest);
    body.arms.each_ref().map(|arm| {
        let Some(arm) = arm else { return Vector3::x() };
        let [base, middle, tip] = arm.joints;
        let mut kinematics = ForwardKinematics::of_joints(clip, &[base, middle, tip, arm.trunk]);
        let forward = rest.joints[arm.trunk.index()].rotation.inverse() * facing;
        let mut sum = Vector3::zeros();
        let mut straight = Vector3::x();
        // A few samples per second show as much as all frames.
        let step = (clip.rate().fps() / SAMPLES).ceil().max(1.0) as usize;
        for frame in (0..clip.frames()).step_by(step) {
            kinematics.place(frame);
            let [shoulder, elbow, wrist] = arm.joints.map(|joint| kinematics.position(joint));
            let back = kinematics.at(arm.joints[0]).rotation.inverse();
            let (upper, lower) = (elbow - shoulder, wrist - elbow);
            sum += back * upper.cross(&lower);
            straight = back * upper.cross(&(kinematics.at(arm.trunk).rotation * forward));
        }
        let straight = straight.try_normalize(0.0).unwrap_or_else(Vector3::x);
        rounded_axis(&sum.try_normalize(1e-9 * body.height * body.height).unwrap_or(straight))
    })
}
