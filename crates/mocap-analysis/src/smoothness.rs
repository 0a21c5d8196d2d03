//! Smoothness of a motion, and similarity of two angle curves.

use crate::Trajectory;
use mocap_model::{ClipFrames, JointId, UnitQuaternion, angle_between};

/// The largest change of a local rotation from one frame to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LargestStep {
    /// The angle of the change \[rad\].
    pub angle: f64,
    /// The joint that turned.
    pub joint: JointId,
    /// The frame in which it had turned, counted from 0.
    pub frame: usize,
}

/// The largest step of some joints; `None` where nothing turns.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let step = mocap_analysis::largest_step(&clip, clip.skeleton().iter().map(|(id, _)| id)).unwrap();
/// assert_eq!(clip.skeleton().joint(step.joint).name, "RightForeArm");
/// ```
pub fn largest_step<'a>(
    clip: impl Into<ClipFrames<'a>>,
    joints: impl IntoIterator<Item = JointId>,
) -> Option<LargestStep> {
    let clip = clip.into();
    // The cosine of half the angle decreases as the angle grows, so only the angle of the largest step is
    // computed.
    let mut largest: Option<(f64, JointId, usize)> = None;
    for joint in joints {
        let rotations = clip.rotations(joint);
        for start in (1..rotations.len()).step_by(SPAN) {
            let steps = &rotations[start - 1..rotations.len().min(start + SPAN)];
            let least = |a: f64, b: f64| if b < a { b } else { a };
            let cosine = steps.windows(2).map(half_cosine).fold(f64::INFINITY, least);
            if largest.is_none_or(|(smallest, ..)| cosine < smallest) {
                largest = Some((cosine, joint, start));
            }
        }
    }
    let (cosine, joint, start) = largest?;
    let mut steps = clip.rotations(joint)[start - 1..].windows(2);
    let frame = start + steps.position(|pair| half_cosine(pair) == cosine)?;
    let rotations = clip.rotations(joint);
    let angle = angle_between(&rotations[frame - 1], &rotations[frame]);
    (angle > 0.0).then_some(LargestStep { angle, joint, frame })
}

/// Steps are compared in spans of this many; only the span with the largest one is searched for its frame.
const SPAN: usize = 64;

/// The cosine of half the angle between two rotations.
#[inline]
fn half_cosine(pair: &[UnitQuaternion<f64>]) -> f64 {
    pair[0].coords.dot(&pair[1].coords).abs()
}

/// The mean length of the third derivative of a trajectory [units of the clip / s³], by differences of
/// neighbouring frames; 0 of fewer than four frames.
///
/// ```
/// use mocap_model::Vector3;
///
/// // A fall: its acceleration does not change.
/// let fall: Vec<_> = (0..60).map(|i| Vector3::y() * -4.905 * (f64::from(i) / 60.0).powi(2)).collect();
/// assert!(mocap_analysis::mean_jerk(&fall, 60.0) < 1e-6);
/// ```
pub fn mean_jerk(trajectory: &Trajectory, fps: f64) -> f64 {
    let jerks = trajectory.windows(4).map(|p| (p[3] - p[2] * 3.0 + p[1] * 3.0 - p[0]).norm());
    jerks.sum::<f64>() * fps.powi(3) / trajectory.len().saturating_sub(3).max(1) as f64
}

/// The root of the mean squared difference of two curves; 0 of none.
///
/// ```
/// assert_eq!(mocap_analysis::rms_difference(&[1.0, 2.0], &[2.0, 1.0]), 1.0);
/// ```
///
/// # Panics
/// Where they differ in length.
pub fn rms_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "curves of one length");
    let squares: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
    // The sum of no values is -0.
    (squares / a.len().max(1) as f64).sqrt() + 0.0
}

/// Pearson's correlation of two curves; `None` where one of them is constant.
///
/// ```
/// use mocap_analysis::correlation;
///
/// assert!((correlation(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]).unwrap() - 1.0).abs() < 1e-12);
/// assert_eq!(correlation(&[1.0, 2.0, 3.0], &[5.0; 3]), None);
/// ```
///
/// # Panics
/// Where they differ in length.
pub fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    assert_eq!(a.len(), b.len(), "curves of one length");
    let count = a.len().max(1) as f64;
    let [mean_a, mean_b] = [a, b].map(|values| values.iter().sum::<f64>() / count);
    let (mut both, mut var_a, mut var_b) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        both += (a - mean_a) * (b - mean_b);
        var_a += (a - mean_a) * (a - mean_a);
        var_b += (b - mean_b) * (b - mean_b);
    }
    // Because of rounding, the mean of a constant curve may differ from its values, which gives a variance.
    let varies = |values: &[f64], var: f64| {
        let noise = 8.0 * f64::EPSILON * values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        var > count * noise * noise
    };
    (varies(a, var_a) && varies(b, var_b)).then(|| both / (var_a * var_b).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::Vector3;

    #[test]
    fn jerk_of_a_cubic_is_its_third_derivative() {
        // x = t³ at 10 frames a second: 6 units/s³.
        let trajectory: Trajectory =
            (0..20).map(|i| Vector3::new((f64::from(i) / 10.0).powi(3), 0.0, 0.0)).collect();
        assert!((mean_jerk(&trajectory, 10.0) - 6.0).abs() < 1e-9);
        assert_eq!(mean_jerk(&trajectory[..3].to_vec(), 10.0), 0.0);
    }

    #[test]
    fn correlation_and_rms_of_known_curves() {
        let a = [0.0, 1.0, 2.0, 3.0];
        assert!((correlation(&a, &[5.0, 7.0, 9.0, 11.0]).unwrap() - 1.0).abs() < 1e-15);
        assert!((correlation(&a, &[3.0, 2.0, 1.0, 0.0]).unwrap() + 1.0).abs() < 1e-15);
        assert_eq!(correlation(&a, &[1.0; 4]), None);
        // The mean of ten times 0.1 is not 0.1.
        let ramp: Vec<f64> = (0..10).map(f64::from).collect();
        assert_eq!(correlation(&ramp, &[0.1; 10]), None);
        assert_eq!(rms_difference(&a, &[2.0, 3.0, 4.0, 5.0]), 2.0);
    }
}
