//! Two-bone IK of an arm or leg with a known end: the middle joint lies on a circle, at the point nearest to its
//! predicted position.

use crate::body::Limb;
use crate::{Placed, Quat, Vec3};
use mocap_model::{Skeleton, rotation_between};

/// Places the joints of a limb below its upper joint so that the end is at `goal` and the middle joint is as near as
/// possible to `middle`. `at` holds the predicted limb; the end keeps its orientation.
pub(crate) fn place_two_bones(
    limb: &Limb,
    skeleton: &Skeleton,
    goal: &Vec3,
    middle: &Vec3,
    at: &mut [Placed],
) {
    let [upper, bent, end] = [limb.upper(), limb.middle(), limb.end()];
    let [to_bent, to_end] = [bent, end].map(|joint| skeleton.joint(joint).offset);
    let from = at[upper.index()].translation.vector;
    let place = on_circle(&from, goal, to_bent.norm(), to_end.norm(), middle);
    let turn_to =
        |rotation: Quat, bone: &Vec3, wanted: Vec3| rotation_between(&(rotation * bone), &wanted) * rotation;
    let first = turn_to(at[upper.index()].rotation, &to_bent, place - from);
    let second = turn_to(at[bent.index()].rotation, &to_end, goal - place);
    at[upper.index()].rotation = first;
    at[bent.index()] = Placed::from_parts((from + first * to_bent).into(), second);
    let reached = at[bent.index()].translation.vector + second * to_end;
    at[end.index()].translation.vector = reached;
}

/// The point at distance `a` from `from` and `b` from `to` that is nearest to `wanted`; on the line between them if
/// there is none.
pub(crate) fn on_circle(from: &Vec3, to: &Vec3, a: f64, b: f64, wanted: &Vec3) -> Vec3 {
    let line = to - from;
    let distance = line.norm().max(1e-12);
    let direction = line / distance;
    let along = ((distance * distance + a * a - b * b) / (2.0 * distance)).clamp(-a, a);
    let radius = (a * a - along * along).max(0.0).sqrt();
    let aside = wanted - from;
    let aside = aside - direction * direction.dot(&aside);
    let aside = aside.try_normalize(1e-9 * a.max(b)).unwrap_or_else(Vec3::zeros);
    from + direction * along + aside * radius
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_joint_keeps_both_bones_and_the_side_that_is_wanted() {
        let (from, to) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 1.2, 3.0));
        let found = on_circle(&from, &to, 0.5, 0.45, &Vec3::new(1.3, 1.0, 3.0));
        assert!(((found - from).norm() - 0.5).abs() < 1e-12 && ((found - to).norm() - 0.45).abs() < 1e-12);
        assert!(found.x > 1.0 && (found.z - 3.0).abs() < 1e-12);
        let far = on_circle(&from, &(from + Vec3::x() * 9.0), 0.5, 0.45, &Vec3::zeros());
        assert!((far - from - Vec3::x() * 0.5).norm() < 1e-9);
    }
}
