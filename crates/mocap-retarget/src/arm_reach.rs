//! How far a self-contact may pull an arm away from its transferred pose.
//!
//! People reach for a contact only as far as is comfortable. The arm is therefore not stretched beyond
//! [`STRAIGHT`] (unless the source's arm is), and neither bone turns by more than a limit. A goal beyond that
//! is moved back to the last point that the arm still reaches within these limits.

use mocap_model::Vector3;

/// An arm reaches for contacts up to this share of its length: elbows stay bent by 28°.
const STRAIGHT: f64 = 0.97;
/// Neither bone of an arm turns by more than this for a contact \[rad\]. Clapping hands still meet on shoulders
/// that are much wider than the source's: their limit is below.
pub(crate) const MOST_TURN: f64 = 24.5 * std::f64::consts::PI / 180.0;
pub(crate) const MOST_TURN_TO_CLAP: f64 = 35.0 * std::f64::consts::PI / 180.0;
/// Bisection steps on the way to a goal that would turn the arm too far: the result is exact to 1/1000 of the
/// way.
const HALVINGS: usize = 10;

/// An arm as transferred, before contacts move it. Positions and directions are in object space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeArm {
    /// Position of the shoulder.
    pub shoulder: Vector3<f64>,
    /// Position of the wrist.
    pub wrist: Vector3<f64>,
    /// Direction of the upper arm, of any length.
    pub upper_direction: Vector3<f64>,
    /// From wrist to palm.
    pub palm: Vector3<f64>,
    /// Lengths of upper arm and forearm.
    pub bones: [f64; 2],
    /// Greatest rotation of a bone \[rad\].
    pub most_turn: f64,
}

impl FreeArm {
    /// Position of the palm.
    pub(crate) fn palm_place(&self) -> Vector3<f64> {
        self.wrist + self.palm
    }

    /// Length of the stretched arm.
    pub(crate) fn length(&self) -> f64 {
        self.bones[0] + self.bones[1]
    }

    /// The position that the palm takes if its goal is `palm`, limited by reach and rotation.
    pub(crate) fn reached(&self, palm: &Vector3<f64>) -> Vector3<f64> {
        let most = (self.wrist - self.shoulder).norm().max(STRAIGHT * self.length());
        let to = palm - self.palm - self.shoulder;
        let distance = to.norm();
        let wrist = self.shoulder + if distance > most { to * (most / distance) } else { to };
        if self.turn(&wrist) <= self.most_turn {
            return wrist + self.palm;
        }
        let way = wrist - self.wrist;
        let (mut near, mut far) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (near + far);
            if self.turn(&(self.wrist + way * middle)) <= self.most_turn {
                near = middle
            } else {
                far = middle
            }
        }
        self.wrist + way * near + self.palm
    }

    /// The larger angle by which both bones turn if the wrist goes to a place \[rad\]: the elbow bends in the plane of the
    /// arm, then the shoulder turns the arm to the place.
    fn turn(&self, wrist: &Vector3<f64>) -> f64 {
        let (was, is) = (self.wrist - self.shoulder, wrist - self.shoulder);
        let (Some(along), Some(new)) = (was.try_normalize(0.0), is.try_normalize(0.0)) else { return 0.0 };
        let across = self.upper_direction - along * self.upper_direction.dot(&along);
        // A straight arm defines no plane. Any plane will do: the elbow may bend in either direction.
        let across = across.try_normalize(1e-9 * self.upper_direction.norm()).unwrap_or_else(|| {
            let axis = if along.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() };
            axis.cross(&along).normalize()
        });
        let [upper, lower] = self.bones;
        let bones = |distance: f64| {
            let distance = distance.clamp((upper - lower).abs(), upper + lower).max(f64::MIN_POSITIVE);
            let cosine = (upper * upper + distance * distance - lower * lower) / (2.0 * upper * distance);
            let cosine = cosine.clamp(-1.0, 1.0);
            let first = along * cosine + across * (1.0 - cosine * cosine).sqrt();
            [first * upper, along * distance - first * upper]
        };
        let (before, bent) = (bones(was.norm()), bones(is.norm()));
        let turned = |v: &Vector3<f64>| match nalgebra::UnitQuaternion::rotation_between(&along, &new) {
            Some(turn) => turn * v,
            None => -v,
        };
        (0..2).map(|i| before[i].angle(&turned(&bent[i]))).fold(0.0, f64::max)
    }
}

/// Where two palms meet if the vector from the second to the first shall be `offset`: in the middle, or nearer
/// to the point that both reach. What is missing is the difference of the results less `offset`.
pub(crate) fn meeting(first: &FreeArm, second: &FreeArm, offset: &Vector3<f64>) -> [Vector3<f64>; 2] {
    /// Number of times that the meeting point is moved towards what both arms reach.
    const ROUNDS: usize = 6;
    let half = offset / 2.0;
    let mut middle = (first.palm_place() + second.palm_place()) / 2.0;
    let near = 1e-4 * (first.length() + second.length());
    for _ in 0..ROUNDS {
        let reached = [first.reached(&(middle + half)), second.reached(&(middle - half))];
        let next = (reached[0] - half + (reached[1] + half)) / 2.0;
        if (next - middle).norm() <= near {
            return reached;
        }
        middle = next;
    }
    [first.reached(&(middle + half)), second.reached(&(middle - half))]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An arm that hangs from a shoulder, the elbow bent by a right angle.
    fn bent(shoulder: Vector3<f64>) -> FreeArm {
        FreeArm {
            shoulder,
            wrist: shoulder + Vector3::new(0.0, -0.3, 0.25),
            upper_direction: -Vector3::y(),
            palm: Vector3::z() * 0.08,
            bones: [0.3, 0.25],
            most_turn: MOST_TURN,
        }
    }

    #[test]
    fn near_places_are_reached_and_far_ones_as_far_as_is_comfortable() {
        let arm = bent(Vector3::zeros());
        let near = arm.palm_place() + Vector3::new(0.03, 0.04, -0.02);
        assert!((arm.reached(&near) - near).norm() < 1e-12);
        for away in [Vector3::x(), Vector3::y(), Vector3::z(), Vector3::new(-0.3, -1.0, 0.2)] {
            let reached = arm.reached(&(arm.palm_place() + away));
            let wrist = reached - arm.palm;
            assert!(arm.turn(&wrist) <= MOST_TURN && arm.turn(&wrist) > 0.8 * MOST_TURN, "{away}");
            assert!(wrist.norm() <= STRAIGHT * arm.length() + 1e-12);
        }
    }

    #[test]
    fn the_turn_of_a_straight_arm_is_that_of_its_direction() {
        let arm = FreeArm { wrist: -Vector3::y() * 0.55, ..bent(Vector3::zeros()) };
        let angle: f64 = 0.3;
        let turned = Vector3::new(angle.sin(), -angle.cos(), 0.0) * 0.55;
        assert!((arm.turn(&turned) - angle).abs() < 1e-6, "{}", arm.turn(&turned));
        assert!(arm.turn(&arm.wrist) < 1e-6);
    }

    #[test]
    fn palms_meet_in_the_middle_or_where_both_reach() {
        let (left, right) = (bent(Vector3::x() * 0.1), bent(Vector3::x() * -0.1));
        let offset = Vector3::x() * 0.05;
        let [a, b] = meeting(&left, &right, &offset);
        assert!((a - b - offset).norm() < 1e-3 && (a + b).x.abs() < 1e-9);
        // Out of reach of the second arm, on the side of the first.
        let far = FreeArm { wrist: right.wrist + Vector3::x() * 0.18, ..left };
        let [a, b] = meeting(&far, &right, &offset);
        assert!((a - b - offset).norm() < 0.01, "{a} {b}");
    }
}
