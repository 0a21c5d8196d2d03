//! The direction in which a body faces.
//!
//! Files state an axis that characters face, but nothing keeps a rest pose from facing another way: scans are turned by
//! some angle, and exporters bake the turn of a character into its bones. The lines across hips and shoulders show the
//! true direction.

use crate::{Pose, Skeleton, Vector3};

/// A line with a smaller share along the floor does not show a direction (cosine of 45°).
const LEVEL: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// Lines that differ by more are not two measurements of one direction \[rad\]. Hips and shoulders of measured bodies
/// differ by up to 1°; shoulders of skeletons whose rest pose is not a pose are anywhere.
const SAME: f64 = 5.0 * std::f64::consts::PI / 180.0;
/// A smaller turn is rounding of the numbers in files \[rad\].
const ROUNDING: f64 = 2e-3;

/// The direction along the floor in which a body faces: square to the lines from right to left across hips, then
/// shoulders. The first line that is level counts, and with it those that agree.
///
/// It is `usual` where no line is level, and where it is nearer to `usual` than the lines are to each other: hips and
/// shoulders of measured bodies are not exactly parallel. `up` and `usual` are unit vectors
/// square to each other.
///
/// ```
/// use mocap_model::{Vector3, facing_across};
///
/// let (up, ahead) = (Vector3::y(), Vector3::z());
/// let hips = Vector3::new(0.17, 0.0, -0.05);
/// let facing = facing_across(&[hips, hips * 2.0], &up, &ahead);
/// assert!((facing - Vector3::new(0.05, 0.0, 0.17).normalize()).norm() < 1e-12);
/// // Hips and shoulders that are turned a little to different sides show no turn of the body.
/// let lines = [Vector3::new(0.17, 0.0, -0.005), Vector3::new(0.4, 0.0, 0.01)];
/// assert_eq!(facing_across(&lines, &up, &ahead), ahead);
/// ```
pub fn facing_across(lines: &[Vector3<f64>], up: &Vector3<f64>, usual: &Vector3<f64>) -> Vector3<f64> {
    let level = |line: &Vector3<f64>| {
        let line = line.try_normalize(0.0)?;
        (line - up * line.dot(up)).try_normalize(LEVEL)
    };
    let level: Vec<Vector3<f64>> = lines.iter().filter_map(level).collect();
    let Some(first) = level.first() else { return *usual };
    let same = || level.iter().filter(|line| line.angle(first) <= SAME);
    let across = same().sum::<Vector3<f64>>().normalize();
    let spread = same().map(|line| line.angle(first)).fold(0.0, f64::max);
    let facing = across.cross(up);
    if facing.angle(usual) <= spread.max(ROUNDING) { *usual } else { facing }
}

impl Skeleton {
    /// The direction along the floor in which the rest pose faces ([`facing_across`]), from the roles of hips and arms.
    /// Without them it is the forward axis of the space.
    pub fn rest_facing(&self) -> Vector3<f64> {
        let mut rest = Pose::default();
        Pose::rest(self).to_object(self, &mut rest);
        let place = |id: crate::JointId| rest.joints[id.index()].translation.vector;
        let lines = self.lateral_pairs().into_iter().map(|[left, right]| place(left) - place(right));
        let lines: Vec<Vector3<f64>> = lines.collect();
        facing_across(&lines, &self.space().up.vector(), &self.space().forward.vector())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exp;

    #[test]
    fn a_turn_by_any_angle_is_found() {
        let lines = [Vector3::new(0.2, 0.03, 0.0), Vector3::new(0.4, 0.0, 0.0)];
        for degrees in 0..360 {
            let turn = exp(&(Vector3::y() * f64::from(degrees).to_radians()));
            let turned = lines.map(|line| turn * line);
            let facing = facing_across(&turned, &Vector3::y(), &Vector3::z());
            assert!((facing - turn * Vector3::z()).norm() < 1e-9, "{degrees}");
        }
    }

    #[test]
    fn lines_that_are_not_quite_parallel_are_no_turn() {
        let (up, ahead) = (Vector3::y(), Vector3::z());
        let turned = |degrees: f64| exp(&(up * degrees.to_radians())) * Vector3::x();
        for degrees in [[3.0, 0.0], [0.0, 3.0], [2.0, -1.0]] {
            assert_eq!(facing_across(&degrees.map(turned), &up, &ahead), ahead);
        }
        let facing = facing_across(&[turned(12.0), turned(9.0)], &up, &ahead);
        assert!((facing.angle(&ahead).to_degrees() - 10.5).abs() < 1e-9);
    }

    #[test]
    fn lines_that_show_nothing_leave_the_usual_direction() {
        let (up, ahead) = (Vector3::y(), Vector3::z());
        for lines in [vec![], vec![Vector3::zeros()], vec![Vector3::new(0.1, 1.0, 0.0)]] {
            assert_eq!(facing_across(&lines, &up, &ahead), ahead);
        }
        // Shoulders above each other, or turned against the hips, count for nothing beside hips.
        for shoulders in [Vector3::y(), Vector3::new(0.5, 0.0, -0.8)] {
            let facing = facing_across(&[-Vector3::z(), shoulders], &up, &ahead);
            assert!((facing - Vector3::x()).norm() < 1e-9);
        }
    }
}
