//! Constrained slerp: a bounded step from one allowed rotation towards another, within the joint's constraint
//! at every point. Limits the speed of joints from frame to frame.

use crate::constraint::{clamp, euler_within, twist_angle};
use crate::{Constraint, Freedom, Quat};
use mocap_model::{angle_between, exp, log, slerp, swing_twist};
use nalgebra::Unit;

/// Bisections that locate the end of the step.
const HALVINGS: u32 = 32;

impl Constraint {
    /// The rotation between `from` and `to` that is at most `step` \[rad\] away from `from`; `to` if that is
    /// near enough. If the constraint allows both rotations, it allows the result.
    ///
    /// ```
    /// use mocap_ik::Constraint;
    /// use mocap_model::{Vector3, angle_between, exp};
    ///
    /// let elbow = Constraint::hinge(Vector3::x_axis(), 0.0, 2.6);
    /// let (from, to) = (exp(&Vector3::new(0.2, 0.0, 0.0)), exp(&Vector3::new(2.0, 0.0, 0.0)));
    /// let next = elbow.slerp_towards(&from, &to, 0.1);
    /// assert!((angle_between(&from, &next) - 0.1).abs() < 1e-6);
    /// assert_eq!(elbow.slerp_towards(&from, &to, 3.0), to);
    /// ```
    #[inline]
    pub fn slerp_towards(&self, from: &Quat, to: &Quat, step: f64) -> Quat {
        // An upper bound of the cosine of half the step settles most cases.
        let half_square = step * step / 4.0;
        if step < 1.0 && from.coords.dot(&to.coords).abs() >= 1.0 - half_square * (0.5 - half_square / 24.0) {
            return *to;
        }
        self.slerp_far(from, to, step)
    }

    fn slerp_far(&self, from: &Quat, to: &Quat, step: f64) -> Quat {
        let angle = angle_between(from, to);
        if angle <= step {
            return *to;
        }
        if self.is_free() || self.is_locked() {
            return slerp(from, to, step / angle);
        }
        let (a, b) = (self.to_free(from), self.to_free(to));
        // The angle grows along the path in all but odd cases; the nearer end of the bracket is always valid.
        let (mut near, mut far) = (0.0, 1.0);
        let mut reached = *from;
        for _ in 0..HALVINGS {
            let middle = (near + far) / 2.0;
            let local = self.to_local(&self.between(&a, &b, middle));
            if angle_between(from, &local) <= step {
                (near, reached) = (middle, local);
            } else {
                far = middle;
            }
        }
        reached
    }

    /// The rotation at `share` between `a` and `b`, both allowed free rotations.
    fn between(&self, a: &Quat, b: &Quat, share: f64) -> Quat {
        let mix = |a: f64, b: f64| a + (b - a) * share;
        match &self.freedom {
            Freedom::Free | Freedom::Locked => slerp(a, b, share),
            Freedom::Hinge { axis, range } => {
                let [from, to] = [a, b].map(|q| clamp(twist_angle(q, axis), range).0);
                Quat::from_axis_angle(axis, mix(from, to))
            }
            Freedom::Ball { axis, twist, .. } => {
                let [from, to] = [a, b].map(|q| swing_twist(q, axis));
                let [swing_from, swing_to] = [&from.0, &to.0].map(log);
                let [twist_from, twist_to] = [&from.1, &to.1].map(|q| clamp(twist_angle(q, axis), twist).0);
                let across = swing_from + (swing_to - swing_from) * share;
                exp(&across) * Quat::from_axis_angle(&Unit::new_unchecked(**axis), mix(twist_from, twist_to))
            }
            Freedom::Euler { order, ranges } => {
                let [from, to] = [a, b].map(|q| euler_within(*order, ranges, q));
                order.rotation([0, 1, 2].map(|i| mix(from[i], to[i])))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{EulerOrder, Limit, Vector3};

    fn limit(min: f64, max: f64) -> Limit {
        Limit { min, max }
    }

    #[test]
    fn every_step_is_allowed_and_arrives() {
        let hinge = Constraint::hinge(Vector3::x_axis(), -0.1, 3.0);
        let ball =
            Constraint::new(Freedom::Ball { axis: Vector3::y_axis(), swing: 1.2, twist: limit(-1.0, 2.0) });
        let euler = Constraint::new(Freedom::Euler {
            order: EulerOrder::ZYX,
            ranges: [limit(-1.5, 1.5), limit(-1.5, 1.5), limit(-1.0, 1.5)],
        });
        for constraint in [Constraint::free(), hinge, ball, euler] {
            let [mut at, end] = [Vector3::new(1.0, -2.0, 1.0), Vector3::new(0.3, 0.9, -1.3)]
                .map(|vector| constraint.project(&exp(&vector)).0);
            let mut steps = 0;
            while angle_between(&at, &end) > 1e-9 {
                let next = constraint.slerp_towards(&at, &end, 0.02);
                assert!(angle_between(&at, &next) <= 0.02 + 1e-9);
                assert!(constraint.excess(&next) < 1e-9, "{constraint:?}");
                (at, steps) = (next, steps + 1);
                assert!(steps < 400, "{constraint:?}");
            }
            assert!(steps > 2, "{constraint:?}");
        }
    }
}
