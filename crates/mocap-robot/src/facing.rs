//! Which way a robot faces whose names do not tell left from right: as its knees bend, else as its feet point.

use mocap_model::RobotJointKind;

use crate::limb::Limb;
use crate::rest::{Rest, rest_values};
use crate::sole::{foot_shapes, is_on, low_points};

/// Whether a robot at rest faces X, and not -X; `None` where nothing shows it. What comes first counts most: the knees,
/// then the soles, then the bodies of the feet.
pub(crate) fn faces_ahead(rest: &Rest, legs: &[Limb; 2]) -> Option<bool> {
    let of =
        |shows: &dyn Fn(&Rest, &Limb) -> Option<bool>| agreed(legs.each_ref().map(|leg| shows(rest, leg)));
    of(&knee).or_else(|| of(&sole)).or_else(|| of(&toes))
}

/// What both legs show, or one of them; `None` where they differ.
fn agreed(shown: [Option<bool>; 2]) -> Option<bool> {
    match shown {
        [Some(left), Some(right)] => (left == right).then_some(left),
        [left, right] => left.or(right),
    }
}

/// A knee takes the shank back. It bends the way of the longer part of its range from the straight leg; one without a
/// range, or with equal parts, as it is bent at rest.
fn knee(rest: &Rest, leg: &Limb) -> Option<bool> {
    /// Least difference of both parts of the range, as a share of it: knees hardly bend over.
    const LONGER: f64 = 1.0 / 3.0;
    /// A smaller angle is a straight leg \[rad\].
    const BENT: f64 = 0.1;
    /// Least share of the way of the shank that is along X.
    const ALONG: f64 = 0.5;
    let joints = rest.robot.joints();
    let at = leg.joints.iter().copied().find(|joint| joints[*joint].body == leg.middle.body)?;
    let joint = &joints[at];
    if joint.kind != RobotJointKind::Hinge {
        return None;
    }
    let axis = rest.line(at).1;
    let [base, middle, end] = [&leg.base, &leg.middle, &leg.end].map(|point| point.at(&rest.placed));
    let across_axis = |way: nalgebra::Vector3<f64>| way - axis * way.dot(&axis);
    let [thigh, shank] = [across_axis(middle - base), across_axis(end - middle)];
    let bent = axis.dot(&thigh.cross(&shank)).atan2(thigh.dot(&shank));
    let at_rest = rest_values(rest.robot)[at];
    let range = joint.limit.map(|limit| [limit.min, limit.max].map(|value| value - at_rest + bent));
    let by_range = range.and_then(|[least, most]| {
        let longer = (most + least) / (most - least);
        (longer.is_finite() && longer.abs() > LONGER).then_some(longer)
    });
    let sense = by_range.or((bent.abs() > BENT).then_some(bent))?.signum();
    let back = axis.cross(&thigh).try_normalize(1e-9)?.x * sense;
    (back.abs() > ALONG).then_some(back < 0.0)
}

/// Least excess of the longer part of a foot, in front of the ankle or behind it, as a share of its length.
const LONGER_FOOT: f64 = 0.1;

/// A sole is longer in front of the ankle.
fn sole(rest: &Rest, leg: &Limb) -> Option<bool> {
    let shapes = foot_shapes(rest.robot, leg.tip);
    let points = shapes.flat_map(|shape| low_points(shape, &rest.placed[shape.body]));
    let ankle = leg.end.at(&rest.placed).x;
    let ends =
        points.map(|point| [point.centre.x - point.radius - ankle, point.centre.x + point.radius - ankle]);
    let [back, front] = ends.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])?;
    let longer = (front + back) / (front - back);
    (longer.is_finite() && longer.abs() > LONGER_FOOT).then_some(longer > 0.0)
}

/// Toes and the middle of the mass of a foot are in front of the ankle.
fn toes(rest: &Rest, leg: &Limb) -> Option<bool> {
    let ankle = leg.end.at(&rest.placed).x;
    let bodies = (0..rest.placed.len()).filter(|body| is_on(rest.robot, leg.tip, *body));
    let places = bodies.flat_map(|body| {
        let at = &rest.placed[body];
        let mass = at * nalgebra::Point3::from(rest.robot.bodies()[body].centre_of_mass);
        [at.translation.vector.x - ankle, mass.x - ankle]
    });
    let furthest = places.max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
    (furthest.abs() > LONGER_FOOT * leg.lengths[1]).then_some(furthest > 0.0)
}
