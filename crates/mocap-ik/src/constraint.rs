//! Joint constraints: allowed rotations, and the nearest allowed rotation.
//!
//! A local rotation is `pre · M · post`, where the constraint limits `M`; `pre` and `post` hold the rest
//! rotation and the frame of the degrees of freedom. Angles are compared on the circle, so a range may contain
//! 180° (170° to 190°); a range of 360° or more allows every angle.

use crate::{Quat, Vec3};
use mocap_model::{Angles, EulerOrder, Joint, Limit, angle_between, swing_twist};
use nalgebra::Unit;
use std::f64::consts::{PI, TAU};

/// The degrees of freedom in the rotation `M` of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Freedom {
    /// Every rotation.
    Free,
    /// No rotation: the joint stays as it is.
    Locked,
    /// Turns about one axis, within a range \[rad\].
    Hinge {
        /// The axis, seen from the frame of the constraint.
        axis: Unit<Vec3>,
        /// The angles allowed.
        range: Limit,
    },
    /// Swings the axis within a cone and twists about it within a range.
    Ball {
        /// The direction that swings (along the bone), seen from the frame of the constraint.
        axis: Unit<Vec3>,
        /// The half-angle of the cone \[rad\], from 0 to π.
        swing: f64,
        /// The twist allowed \[rad\].
        twist: Limit,
    },
    /// Turns by three angles, each within its range; a locked axis has an empty range at 0.
    Euler {
        /// The sequence of the angles.
        order: EulerOrder,
        /// The ranges in that sequence \[rad\].
        ranges: [Limit; 3],
    },
}

/// The constraint of one joint.
///
/// ```
/// use mocap_ik::Constraint;
/// use mocap_model::{Vector3, exp};
///
/// let knee = Constraint::hinge(Vector3::x_axis(), 0.0, 2.6);
/// let (nearest, changed) = knee.project(&exp(&Vector3::new(-0.3, 0.0, 0.0)));
/// assert!(changed && nearest.angle() < 1e-12);
/// assert!((knee.excess(&exp(&Vector3::new(-0.3, 0.0, 0.0))) - 0.3).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraint {
    /// The degrees of freedom.
    pub freedom: Freedom,
    /// Rotation before the free rotation: the rest rotation and the frame of the axes.
    pub pre: Quat,
    /// Rotation after it: the inverse of the frame.
    pub post: Quat,
    /// Whether the constraint applies to the inverse of the local rotation: the chain runs from child to
    /// parent.
    pub inverted: bool,
    /// Stiffness, from 0 (turns freely, default) to 1 (does not turn).
    pub stiffness: f64,
    /// The joint does not turn while the effector is within this distance of the goal, as a share of the
    /// length of the chain; default 0. Keeps heavy joints still while light ones can reach the goal.
    pub tolerance: f64,
}

/// An angle this near to the end of its range counts as at the limit \[rad\].
const CONTACT: f64 = 1e-9;

const OPEN: Limit = Limit { min: f64::NEG_INFINITY, max: f64::INFINITY };

impl Constraint {
    /// A constraint in the frame of the parent.
    pub fn new(freedom: Freedom) -> Constraint {
        Constraint {
            freedom,
            pre: Quat::identity(),
            post: Quat::identity(),
            inverted: false,
            stiffness: 0.0,
            tolerance: 0.0,
        }
    }

    /// Every rotation.
    pub fn free() -> Constraint {
        Constraint::new(Freedom::Free)
    }

    /// A hinge about an axis of the parent's frame.
    pub fn hinge(axis: Unit<Vec3>, min: f64, max: f64) -> Constraint {
        Constraint::new(Freedom::Hinge { axis, range: Limit { min, max } })
    }

    /// The constraint that a skeleton states for a joint: its degrees of freedom and limits.
    pub fn of(joint: &Joint) -> Constraint {
        let dofs = &joint.dofs;
        let range = |i: usize| match (dofs.rotation[i], dofs.limits[i]) {
            (true, limit) => limit.unwrap_or(OPEN),
            (false, _) => Limit { min: 0.0, max: 0.0 },
        };
        let turning: Vec<usize> = (0..3).filter(|&i| dofs.rotation[i]).collect();
        let freedom = match turning[..] {
            _ if joint.end_site => Freedom::Locked,
            [] => Freedom::Locked,
            [i] => Freedom::Hinge { axis: mocap_model::Axis::ALL[i].unit(), range: range(i) },
            [_, _, _] if (0..3).all(|i| is_open(range(i))) => Freedom::Free,
            _ => Freedom::Euler {
                order: dofs.order,
                ranges: dofs.order.axes().map(|axis| range(axis.index())),
            },
        };
        Constraint {
            pre: joint.rest_rotation * dofs.frame,
            post: dofs.frame.inverse(),
            ..Constraint::new(freedom)
        }
    }

    /// The constraint that a skeleton states, by angles: a joint that turns freely has three open ranges, so its angles can be
    /// coupled to others.
    pub fn by_angles(joint: &Joint) -> Constraint {
        let own = Constraint::of(joint);
        match own.freedom {
            Freedom::Free => {
                Constraint { freedom: Freedom::Euler { order: joint.dofs.order, ranges: [OPEN; 3] }, ..own }
            }
            _ => own,
        }
    }

    /// The same constraint with another frame of its axes: `local = pre · M · post`.
    pub fn in_frame(self, pre: Quat, post: Quat) -> Constraint {
        Constraint { pre, post, ..self }
    }

    /// Whether every rotation is allowed.
    pub fn is_free(&self) -> bool {
        matches!(self.freedom, Freedom::Free)
    }

    /// Whether the joint never turns.
    pub fn is_locked(&self) -> bool {
        matches!(self.freedom, Freedom::Locked) || self.stiffness >= 1.0
    }

    /// The allowed rotation near `local`, and whether it differs. An allowed rotation is returned unchanged,
    /// bit by bit.
    #[inline]
    pub fn project(&self, local: &Quat) -> (Quat, bool) {
        match self.freedom {
            Freedom::Free | Freedom::Locked => (*local, false),
            _ => self.project_limited(local),
        }
    }

    fn project_limited(&self, local: &Quat) -> (Quat, bool) {
        match self.project_free(&self.to_free(local)) {
            Some(free) => (self.to_local(&free), true),
            None => (*local, false),
        }
    }

    /// Angle \[rad\] by which a rotation violates the constraint; 0 if it is allowed.
    pub fn excess(&self, local: &Quat) -> f64 {
        let (allowed, _) = self.project(local);
        angle_between(local, &allowed)
    }

    /// Whether a rotation is at a limit or beyond.
    pub fn at_limit(&self, local: &Quat) -> bool {
        if matches!(self.freedom, Freedom::Free | Freedom::Locked) {
            return false;
        }
        let m = self.to_free(local);
        let at = |angle: f64, range: &Limit| inset(angle, range) < CONTACT && range.min < range.max;
        match &self.freedom {
            Freedom::Free | Freedom::Locked => false,
            Freedom::Hinge { axis, range } => at(twist_angle(&m, axis), range),
            Freedom::Ball { axis, swing, twist } => {
                let (tilt, turn) = swing_twist(&m, axis);
                at(twist_angle(&turn, axis), twist) || (*swing < PI && tilt.angle() > swing - CONTACT)
            }
            Freedom::Euler { order, ranges } => {
                let angles = euler_within(*order, ranges, &m);
                (0..3).any(|i| at(angles[i], &ranges[i]))
            }
        }
    }

    /// The frame of the constraint's axes, relative to the parent.
    pub(crate) fn outer(&self) -> Quat {
        if self.inverted { self.post.inverse() } else { self.pre }
    }

    /// The sign that relates the joint's angles to its rotation in object space.
    pub(crate) fn sign(&self) -> f64 {
        if self.inverted { -1.0 } else { 1.0 }
    }

    pub(crate) fn to_free(self, local: &Quat) -> Quat {
        let local = if self.inverted { local.inverse() } else { *local };
        self.pre.inverse() * local * self.post.inverse()
    }

    pub(crate) fn to_local(self, free: &Quat) -> Quat {
        let local = self.pre * free * self.post;
        let local = Quat::new_normalize(local.into_inner());
        if self.inverted { local.inverse() } else { local }
    }

    /// The allowed rotation near to `m`; `None` if `m` is allowed.
    fn project_free(&self, m: &Quat) -> Option<Quat> {
        match &self.freedom {
            Freedom::Free | Freedom::Locked => None,
            Freedom::Hinge { axis, range } => {
                let (angle, clamped) = clamp(twist_angle(m, axis), range);
                let hinge = Quat::from_axis_angle(axis, angle);
                (clamped || angle_between(m, &hinge) > ROUNDING).then_some(hinge)
            }
            Freedom::Ball { axis, swing, twist } => {
                let (tilt, turn) = swing_twist(m, axis);
                let (angle, clamped) = clamp(twist_angle(&turn, axis), twist);
                let tilt_angle = tilt.angle();
                if !clamped && tilt_angle <= swing + ROUNDING {
                    return None;
                }
                let tilt = match Unit::try_new(tilt.imag() * tilt.w.signum(), 0.0) {
                    Some(about) => Quat::from_axis_angle(&about, tilt_angle.min(*swing)),
                    None => Quat::identity(),
                };
                Some(tilt * Quat::from_axis_angle(axis, angle))
            }
            Freedom::Euler { order, ranges } => project_euler(*order, ranges, m),
        }
    }
}

/// Rotations that differ by less than this \[rad\] are equal: rounding of a few quaternion products.
const ROUNDING: f64 = 1e-12;

fn is_open(range: Limit) -> bool {
    range.max - range.min >= TAU
}

/// The angle of the turn about `axis` in a rotation, in [-π, π].
pub(crate) fn twist_angle(rotation: &Quat, axis: &Vec3) -> f64 {
    let (sine, cosine) = (rotation.imag().dot(axis), rotation.w);
    if cosine < 0.0 { 2.0 * (-sine).atan2(-cosine) } else { 2.0 * sine.atan2(cosine) }
}

/// The nearest angle of a range on the circle, and whether that is another angle.
pub(crate) fn clamp(angle: f64, range: &Limit) -> (f64, bool) {
    let span = range.max - range.min;
    if span >= TAU {
        return (angle, false);
    }
    let middle = range.min + span / 2.0;
    let off = wrap(angle - middle);
    if off.abs() <= span / 2.0 + ROUNDING {
        return (middle + off, false);
    }
    (if off < 0.0 { range.min } else { range.max }, true)
}

/// Distance of an angle from the ends of its range; negative outside.
fn inset(angle: f64, range: &Limit) -> f64 {
    let span = range.max - range.min;
    if span >= TAU {
        return f64::INFINITY;
    }
    span / 2.0 - wrap(angle - range.min - span / 2.0).abs()
}

fn wrap(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}

fn centre(range: &Limit) -> f64 {
    let centre = range.min + (range.max - range.min) / 2.0;
    if centre.is_finite() { centre } else { 0.0 }
}

/// Both sets of Euler angles of a rotation, the one nearer to the middle of the ranges first.
fn both(order: EulerOrder, ranges: &[Limit; 3], m: &Quat) -> [Angles; 2] {
    let near = order.angles_near(m, [0, 1, 2].map(|i| centre(&ranges[i])));
    let middle = if order.is_proper() { -near[1] } else { PI - near[1] };
    [near, [near[0] + PI, middle, near[2] + PI]]
}

fn clamp_all(angles: Angles, ranges: &[Limit; 3]) -> (Angles, bool) {
    let mut out = (angles, false);
    for i in 0..3 {
        let (angle, clamped) = clamp(angles[i], &ranges[i]);
        out.0[i] = angle;
        out.1 |= clamped;
    }
    out
}

/// The Euler angles of a rotation that are within the ranges, or as near as clamping brings them.
pub(crate) fn euler_within(order: EulerOrder, ranges: &[Limit; 3], m: &Quat) -> Angles {
    let [first, second] = both(order, ranges, m).map(|angles| clamp_all(angles, ranges));
    if !first.1 {
        return first.0;
    }
    if !second.1 {
        return second.0;
    }
    let mut best = first.0;
    let mut distance = f64::INFINITY;
    for clamped in [first.0, second.0] {
        for angles in [clamped, refit(order, ranges, m, clamped, 2), refit(order, ranges, m, clamped, 0)] {
            let off = angle_between(&order.rotation(angles), m);
            if off < distance {
                (best, distance) = (angles, off);
            }
        }
    }
    best
}

/// The angles with the first (0) or the last (2) of them changed to come as near to `m` as its range allows.
/// Near gimbal lock, the first and the last angle can replace each other.
fn refit(order: EulerOrder, ranges: &[Limit; 3], m: &Quat, mut angles: Angles, which: usize) -> Angles {
    let axis = order.axes()[which].unit();
    angles[which] = 0.0;
    let rest = order.rotation(angles);
    let missing = if which == 2 { rest.inverse() * m } else { m * rest.inverse() };
    angles[which] = clamp(twist_angle(&missing, &axis), &ranges[which]).0;
    angles
}

fn project_euler(order: EulerOrder, ranges: &[Limit; 3], m: &Quat) -> Option<Quat> {
    let inside = both(order, ranges, m).into_iter().any(|angles| !clamp_all(angles, ranges).1);
    if inside {
        return None;
    }
    let allowed = order.rotation(euler_within(order, ranges, m));
    (angle_between(&allowed, m) > ROUNDING).then_some(allowed)
}
