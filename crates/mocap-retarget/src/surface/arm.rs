//! An arm in one frame, and where it goes when its elbow swivels and its wrist is moved.

use super::body_surface::ArmSurface;
use mocap_model::{Pose, UnitQuaternion, Vector3};
use mocap_skin::{Affine, Surface};
use nalgebra::{Unit, Vector4};

/// The swivel of the elbow about the line from shoulder to wrist \[rad\], then how far the wrist moves, in the frame of the
/// trunk [units of the skeleton].
pub(crate) type Change = Vector4<f64>;

/// An arm straighter than this share of its length cannot be stretched further.
const STRAIGHT: f64 = 0.998;
/// An arm folds to this share of its length, unless it was folded more.
const FOLDED: f64 = 0.35;
/// Sine of the bend below which the way that the elbow points is not sure.
const UNSURE: f64 = 0.1;

/// An arm in object space.
#[derive(Clone, Debug)]
pub(crate) struct PosedArm {
    shoulder: Vector3<f64>,
    elbow: Vector3<f64>,
    wrist: Vector3<f64>,
    /// Of the trunk.
    frame: UnitQuaternion<f64>,
    /// About which the elbow bends.
    axis: Unit<Vector3<f64>>,
    /// Where its vertices are, in the order of [`ArmSurface::points`].
    pub points: Vec<Vector3<f64>>,
}

/// How the three segments of an arm move as rigid bodies: rotation, from a pivot, to where the pivot goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArmMove {
    /// By segment: upper arm, forearm, hand.
    pub rotations: [UnitQuaternion<f64>; 3],
    from: [Vector3<f64>; 3],
    to: [Vector3<f64>; 3],
}

impl ArmMove {
    /// Where a place on a segment goes.
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
    /// An arm in an object-space pose; `back` is where an elbow points whose arm is straight.
    pub(crate) fn of(
        arm: &ArmSurface,
        surface: &Surface,
        object: &Pose,
        palette: &[Affine],
        back: &Vector3<f64>,
    ) -> PosedArm {
        let at = |i: usize| object.joints[arm.joints[i].index()].translation.vector;
        let (shoulder, elbow, wrist) = (at(0), at(1), at(2));
        let frame = object.joints[arm.trunk.index()].rotation;
        let (upper, lower) = (elbow - shoulder, wrist - elbow);
        let across = upper.cross(&lower);
        let size = upper.norm() * lower.norm();
        let straight = -(wrist - shoulder).cross(&(frame * back));
        let straight = straight.try_normalize(0.0).unwrap_or_else(Vector3::x);
        let sine = if size > 0.0 { across.norm() / size } else { 0.0 };
        // Where the arm is nearly straight its own axis is noise.
        let share = (sine / UNSURE).min(1.0);
        let own = across.try_normalize(0.0).unwrap_or(straight);
        let mixed = own * share + straight * (1.0 - share);
        let axis = Unit::try_new(mixed, 1e-6).unwrap_or_else(|| Unit::new_unchecked(own));
        let points =
            arm.points.iter().map(|point| surface.posed_vertex(palette, point.vertex as usize)).collect();
        PosedArm { shoulder, elbow, wrist, frame, axis, points }
    }

    /// A ball that holds forearm and hand.
    pub(crate) fn ball(&self) -> (Vector3<f64>, f64) {
        let middle = (self.elbow + self.wrist * 2.0) / 3.0;
        let far = self.points.iter().map(|at| (at - middle).norm_squared()).fold(0.0, f64::max);
        (middle, far.sqrt())
    }

    /// How the segments move. Without a change, not at all.
    pub(crate) fn moved(&self, change: &Change) -> ArmMove {
        let (upper, lower) = (self.elbow - self.shoulder, self.wrist - self.elbow);
        let (l1, l2) = (upper.norm(), lower.norm());
        let way = self.wrist - self.shoulder;
        let most = way.norm().max(STRAIGHT * (l1 + l2));
        let least = way.norm().min(FOLDED * (l1 + l2));
        let asked = way + self.frame * Vector3::new(change[1], change[2], change[3]);
        let length = asked.norm().clamp(least, most);
        let direction = asked.try_normalize(1e-9).unwrap_or_else(|| upper.try_normalize(0.0).unwrap_or(way));
        let goal = direction * length;
        let bend = |length: f64| {
            let cosine = (length * length - l1 * l1 - l2 * l2) / (2.0 * l1 * l2);
            cosine.clamp(-1.0, 1.0).acos()
        };
        let flex = UnitQuaternion::from_axis_angle(&self.axis, bend(length) - bend(way.norm()));
        let bent = upper + flex * lower;
        let aim = UnitQuaternion::rotation_between(&bent, &goal).unwrap_or_default();
        let swivel = Unit::try_new(goal, 0.0)
            .map_or_else(UnitQuaternion::identity, |axis| UnitQuaternion::from_axis_angle(&axis, change[0]));
        let first = swivel * aim;
        let second = first * flex;
        let elbow = self.shoulder + first * upper;
        // The swivel leaves the hand as it is.
        let third = aim * flex;
        ArmMove {
            rotations: [first, second, third],
            from: [self.shoulder, self.elbow, self.wrist],
            to: [self.shoulder, elbow, elbow + second * lower],
        }
    }
}
