//! The rotation of one joint after which two points of its bones have a given distance: the law of cosines in
//! the plane perpendicular to the axis that the joint bends about. Components along the axis do not change.

use crate::constraint::{clamp, twist_angle};
use crate::{Freedom, Goal, IkChain, Quat, SolveOptions, Vec3};
use nalgebra::{Quaternion, Unit};

/// The turn (object space) of the bending joint, with `u` towards the first joint and `v` towards the
/// effector, after which both are the root of `square` apart. `None` if a bone has no length across the axis.
pub(crate) fn bend_turn(
    chain: &IkChain,
    bend: usize,
    [u, v]: [&Vec3; 2],
    square: f64,
    goal: &Goal,
    options: &SolveOptions,
    flipped: bool,
) -> Option<Quat> {
    let constraint = &chain.constraint[bend];
    let parent = chain.parent_frame(bend);
    let given = chain.bend.filter(|(joint, _)| *joint == bend).and_then(|(_, axis)| axis);
    let hinge = match &constraint.freedom {
        Freedom::Hinge { axis, range } if options.limits => Some((axis, range)),
        _ => None,
    };
    let axis = match (hinge, given) {
        (Some((axis, _)), _) => parent * constraint.outer() * axis,
        (None, Some(axis)) => spanning(parent * axis, u, v, square),
        (None, None) => normal(chain, bend, u, v, goal),
    };
    let angles = Angles::about(&axis, u, v, square)?;
    let Some((hinge_axis, range)) = hinge else { return Some(angles.turn(&axis)) };
    let Angles { now_cosine, now_sine, cosine, mut sine } = angles;
    let sign = constraint.sign();
    let angle = twist_angle(&constraint.to_free(&chain.local[bend]), hinge_axis);
    let turn_to = |sine: f64| {
        let by = (now_sine * cosine - now_cosine * sine).atan2(now_cosine * cosine + now_sine * sine);
        let (clamped, outside) = clamp(angle + sign * by, range);
        (sign * (clamped - angle), outside)
    };
    // The joint stays bent to its present side, unless an axis defines the side or only the other side is
    // allowed.
    let flexes = given.map_or(now_sine, |given| given.dot(&(constraint.outer() * hinge_axis)));
    if (flexes < 0.0) != flipped {
        sine = -sine;
    }
    let (mut by, outside) = turn_to(sine);
    if outside {
        let (other, other_outside) = turn_to(-sine);
        if !other_outside {
            by = other;
        }
    }
    Some(Quat::from_axis_angle(&axis, by))
}

/// The angle from `v` to `u` about an axis, present and wanted; rotating `v` by the difference closes it.
#[derive(Clone, Copy)]
struct Angles {
    now_cosine: f64,
    now_sine: f64,
    cosine: f64,
    sine: f64,
}

impl Angles {
    #[inline]
    fn about(axis: &Unit<Vec3>, u: &Vec3, v: &Vec3, square: f64) -> Option<Angles> {
        let (angles, sound) = Angles::between(axis, u, v, square);
        sound.then_some(angles)
    }

    /// The angles, and whether they are defined: both vectors have a component perpendicular to the axis.
    #[inline(always)]
    fn between(axis: &Vec3, u: &Vec3, v: &Vec3, square: f64) -> (Angles, bool) {
        let (u_along, v_along) = (u.dot(axis), v.dot(axis));
        let (u_across, v_across) = (u - axis * u_along, v - axis * v_along);
        let product = (u_across.norm_squared() * v_across.norm_squared()).sqrt();
        let wished = u.norm_squared() + v.norm_squared() - 2.0 * u_along * v_along - square;
        let cosine = (wished / (2.0 * product)).clamp(-1.0, 1.0);
        let angles = Angles {
            now_cosine: v_across.dot(&u_across) / product,
            now_sine: axis.dot(&v_across.cross(&u_across)) / product,
            cosine,
            sine: (1.0 - cosine * cosine).sqrt(),
        };
        (angles, product > f64::MIN_POSITIVE)
    }

    /// The turn of a joint without limits.
    #[inline(always)]
    fn turn(self, axis: &Vec3) -> Quat {
        let Angles { now_cosine, now_sine, cosine, sine } = self;
        about(axis, now_cosine * cosine + now_sine * sine, now_sine * cosine - now_cosine * sine)
    }
}

/// The turn of a joint without limits about a given axis of length 1, as [`bend_turn`], and whether
/// the bones can span the distance about this axis: if not, the turn is undefined.
#[inline(always)]
pub(crate) fn free_bend_turn(axis: &Vec3, u: &Vec3, v: &Vec3, square: f64) -> (Quat, bool) {
    let (angles, sound) = Angles::between(axis, u, v, square);
    (angles.turn(axis), sound & spans_about(axis, u, v, square))
}

/// Whether bones `u` and `v` can span the root of `square`.
#[inline(always)]
pub(crate) fn can_span(u: &Vec3, v: &Vec3, square: f64) -> bool {
    let (uu, vv) = (u.norm_squared(), v.norm_squared());
    (square - uu - vv).powi(2) <= 4.0 * uu * vv
}

/// Whether bones `u` and `v` can span the root of `square` about an axis.
#[inline(always)]
fn spans_about(axis: &Vec3, u: &Vec3, v: &Vec3, square: f64) -> bool {
    let (u_along, v_along) = (u.dot(axis), v.dot(axis));
    let (uu, vv) = (u.norm_squared(), v.norm_squared());
    let wished = uu + vv - 2.0 * u_along * v_along - square;
    wished * wished <= 4.0 * (uu - u_along * u_along) * (vv - v_along * v_along)
}

/// The given axis of a joint that turns freely; if the bones cannot span the distance about it because they are
/// not perpendicular to it, the normal of their plane on the same side.
#[inline]
fn spanning(axis: Unit<Vec3>, u: &Vec3, v: &Vec3, square: f64) -> Unit<Vec3> {
    if spans_about(&axis, u, v, square) {
        return axis;
    }
    let normal = v.cross(u);
    let side = if normal.dot(&axis) < 0.0 { -1.0 } else { 1.0 };
    if normal.norm_squared() > 1e-14 * u.norm_squared() * v.norm_squared() {
        Unit::new_normalize(normal * side)
    } else {
        axis
    }
}

/// The normal of the plane in which the limb bends: from its pose, from its pole if the pose is straight, or
/// else an axis fixed to the bone above.
fn normal(chain: &IkChain, bend: usize, u: &Vec3, v: &Vec3, goal: &Goal) -> Unit<Vec3> {
    let straight = 1e-14 * u.norm_squared() * v.norm_squared();
    let unit = |normal: Vec3| (normal.norm_squared() > straight).then(|| Unit::new_normalize(normal));
    let from_pole = || goal.pole.and_then(|pole| unit(u.cross(&(pole - chain.position[bend]))));
    unit(v.cross(u)).or_else(from_pole).unwrap_or_else(|| {
        let parent = chain.parent_frame(bend);
        parent * across(&(parent.inverse() * u))
    })
}

/// The rotation about an axis whose angle has this cosine and sine.
#[inline(always)]
fn about(axis: &Vec3, cosine: f64, sine: f64) -> Quat {
    // The larger of the two squares is not affected by cancellation.
    let (w, s) =
        if cosine >= 0.0 { (1.0 + cosine, sine) } else { (sine.abs(), (1.0 - cosine).copysign(sine)) };
    Quat::new_normalize(Quaternion::from_parts(w, axis * s))
}

/// A unit vector perpendicular to `v`; X for a zero vector.
pub(crate) fn across(v: &Vec3) -> Unit<Vec3> {
    let mut axis = Vec3::zeros();
    axis[v.iamin()] = 1.0;
    Unit::try_new(v.cross(&axis), 0.0).unwrap_or(Vec3::x_axis())
}
