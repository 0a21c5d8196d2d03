//! Balance of rigid segments: the centre of mass, the extrapolated centre of mass, and the zero-moment point, where the
//! floor must push for the motion to be as it is.
//!
//! Based on: M. Vukobratović, B. Borovac, "Zero-moment point", 2004, and A. Hof, M. Gazendam, W. Sinke, "The condition
//! for dynamic stability", 2005. Metres, seconds, Z up, the floor at 0.

use mocap_model::{Isometry3, Vector3};
use nalgebra::{Matrix3, Vector2};

use crate::kernel::Kernel;

/// The acceleration of free fall \[m/s²\].
pub const GRAVITY: f64 = 9.81;

/// The zero-moment point is undefined where the floor carries less than this share of the weight.
const LEAST_LOAD: f64 = 0.1;

/// A rigid part of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// \[kg\]
    pub mass: f64,
    /// About its centre of mass, along its own axes \[kg m²\].
    pub inertia: Matrix3<f64>,
}

/// Balance frame by frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BalanceCurves {
    /// The centre of mass \[m\].
    pub centre: Vec<Vector3<f64>>,
    /// Its velocity [m/s].
    pub velocity: Vec<Vector3<f64>>,
    /// Its acceleration [m/s²].
    pub acceleration: Vec<Vector3<f64>>,
    /// The extrapolated centre of mass on the floor \[m\]: where a foot must be for the body to come to a stand.
    pub extrapolated: Vec<Vector2<f64>>,
    /// The zero-moment point \[m\]; `None` where next to nothing presses on the floor.
    pub zero_moment: Vec<Option<Vector2<f64>>>,
}

impl BalanceCurves {
    /// Balance of segments that are placed at their centres of mass (`placed`: frames × segments),
    /// in metres, Z up. The motion must be free of noise: accelerations are differences over nine
    /// frames.
    ///
    /// ```
    /// use mocap_analysis::{BalanceCurves, Segment};
    /// use mocap_model::Isometry3;
    /// use nalgebra::Matrix3;
    ///
    /// // A mass 1 m above the floor that is pushed forwards with 2 m/s².
    /// let at = |frame: i32| (f64::from(frame) / 100.0).powi(2);
    /// let placed: Vec<_> = (0..50).map(|frame| vec![Isometry3::translation(at(frame), 0.0, 1.0)]).collect();
    /// let mass = Segment { mass: 3.0, inertia: Matrix3::zeros() };
    /// let curves = BalanceCurves::of(&[mass], &placed, 100.0);
    /// let behind = curves.zero_moment[25].unwrap().x - at(25);
    /// assert!((behind + 2.0 / 9.81).abs() < 1e-9);
    /// ```
    pub fn of(segments: &[Segment], placed: &[Vec<Isometry3<f64>>], fps: f64) -> BalanceCurves {
        let mass: f64 = segments.iter().map(|segment| segment.mass).sum();
        if mass.is_nan() || mass <= 0.0 || placed.is_empty() {
            return BalanceCurves::default();
        }
        let placed = padded(placed);
        let centre: Vec<Vector3<f64>> =
            placed.iter().map(|placed| centre_of_mass(segments, placed)).collect();
        let velocity = slopes(&centre, fps);
        let spin = slopes(&angular_momenta(segments, &placed, (&centre, &velocity), fps), fps);
        let frames = PAD..placed.len() - PAD;
        let acceleration: Vec<Vector3<f64>> = frames.clone().map(|frame| bend(&centre, frame, fps)).collect();
        let [centre, velocity, spin] = [centre, velocity, spin].map(|all| all[frames.clone()].to_vec());
        let extrapolated = centre
            .iter()
            .zip(&velocity)
            .map(|(at, velocity)| at.xy() + velocity.xy() * (at.z.max(1e-3) / GRAVITY).sqrt());
        let zero_moment = (0..centre.len()).map(|frame| {
            let force = (acceleration[frame] + Vector3::z() * GRAVITY) * mass;
            let moment = centre[frame].cross(&force) + spin[frame];
            (force.z > LEAST_LOAD * mass * GRAVITY)
                .then(|| Vector2::new(-moment.y / force.z, moment.x / force.z))
        });
        BalanceCurves {
            extrapolated: extrapolated.collect(),
            zero_moment: zero_moment.collect(),
            centre,
            velocity,
            acceleration,
        }
    }
}

/// Frames to either side that a derivative uses: with fewer, a motion of 6 Hz at 30 frames per
/// second loses a tenth of its angular acceleration.
const REACH: usize = 4;
/// Frames added at either end: derivatives of derivatives reach as far.
const PAD: usize = 2 * REACH;

/// The motion extended beyond both ends by point reflection.
fn padded(placed: &[Vec<Isometry3<f64>>]) -> Vec<Vec<Isometry3<f64>>> {
    let last = placed.len() - 1;
    let reflect = |(end, inner): (&Isometry3<f64>, &Isometry3<f64>)| {
        let at = end.translation.vector * 2.0 - inner.translation.vector;
        Isometry3::from_parts(at.into(), end.rotation * inner.rotation.inverse() * end.rotation)
    };
    let beyond = |end: usize, inner: usize| placed[end].iter().zip(&placed[inner]).map(reflect).collect();
    let before = (1..=PAD).rev().map(|by| beyond(0, by.min(last)));
    let behind = (1..=PAD).map(|by| beyond(last, last - by.min(last)));
    before.chain(placed.iter().cloned()).chain(behind).collect()
}

/// The centre of mass of segments.
fn centre_of_mass(segments: &[Segment], placed: &[Isometry3<f64>]) -> Vector3<f64> {
    let mass: f64 = segments.iter().map(|segment| segment.mass).sum();
    let weighed = segments.iter().zip(placed).map(|(segment, at)| at.translation.vector * segment.mass);
    weighed.sum::<Vector3<f64>>() / mass
}

/// About the centre of mass, by frame [kg m²/s].
fn angular_momenta(
    segments: &[Segment],
    placed: &[Vec<Isometry3<f64>>],
    (centre, velocity): (&[Vector3<f64>], &[Vector3<f64>]),
    fps: f64,
) -> Vec<Vector3<f64>> {
    let mut sums = vec![Vector3::zeros(); placed.len()];
    for (index, segment) in segments.iter().enumerate().filter(|(_, segment)| segment.mass > 0.0) {
        let path: Vec<Vector3<f64>> = placed.iter().map(|placed| placed[index].translation.vector).collect();
        let moved = slopes(&path, fps);
        for frame in REACH..placed.len() - REACH {
            let turn = placed[frame][index].rotation;
            let around: [Vector3<f64>; 2 * REACH + 1] = std::array::from_fn(|at| {
                (placed[frame + at - REACH][index].rotation * turn.inverse()).scaled_axis()
            });
            let axes = turn.to_rotation_matrix().into_inner();
            let spin = slope(&around, REACH, fps);
            let orbit = (path[frame] - centre[frame]).cross(&(moved[frame] - velocity[frame]));
            sums[frame] += orbit * segment.mass + axes * (segment.inertia * (axes.transpose() * spin));
        }
    }
    sums
}

/// Derivatives by time; 0 in the frames at either end.
fn slopes(values: &[Vector3<f64>], fps: f64) -> Vec<Vector3<f64>> {
    let inner = REACH..values.len() - REACH;
    let of = |frame| if inner.contains(&frame) { slope(values, frame, fps) } else { Vector3::zeros() };
    (0..values.len()).map(of).collect()
}

/// The derivative by time, exact for polynomials of degree 8.
fn slope(values: &[Vector3<f64>], at: usize, fps: f64) -> Vector3<f64> {
    const WEIGHTS: [f64; REACH] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let pairs = WEIGHTS.iter().zip(1..);
    pairs.map(|(weight, by)| (values[at + by] - values[at - by]) * (weight * fps)).sum()
}

/// Weights of the frames to either side in the second derivative by frame.
const BENDS: [f64; REACH] = [8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0];

/// The second derivative by frame with which accelerations are measured.
pub(crate) fn bend_kernel() -> Kernel {
    let own = -2.0 * BENDS.iter().sum::<f64>();
    Kernel::new([own].into_iter().chain(BENDS).collect())
}

/// The second derivative by time, of the same order of accuracy as [`slope`].
fn bend(values: &[Vector3<f64>], at: usize, fps: f64) -> Vector3<f64> {
    let twice = values[at] * 2.0;
    let pairs = BENDS.iter().zip(1..);
    pairs.map(|(weight, by)| (values[at + by] + values[at - by] - twice) * (weight * fps * fps)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::UnitQuaternion;

    #[test]
    fn a_body_that_turns_pushes_beside_itself() {
        // Turned faster and faster about Y: the floor must turn it.
        let speed_up = 3.0;
        let at = |frame: i32| {
            let time = f64::from(frame) / 200.0;
            let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.5 * speed_up * time * time);
            vec![Isometry3::from_parts(Vector3::new(0.0, 0.0, 0.8).into(), turn)]
        };
        let placed: Vec<_> = (0..100).map(at).collect();
        let segment = Segment { mass: 4.0, inertia: Matrix3::from_diagonal(&Vector3::new(0.1, 0.2, 0.3)) };
        let curves = BalanceCurves::of(&[segment], &placed, 200.0);
        let expected = -0.2 * speed_up / (4.0 * GRAVITY);
        let found = curves.zero_moment[50].expect("it stands");
        assert!((found.x - expected).abs() < 1e-6 && found.y.abs() < 1e-9, "{found} {expected}");
    }

    #[test]
    fn what_falls_pushes_nowhere() {
        let at = |frame: i32| 2.0 - 0.5 * GRAVITY * (f64::from(frame) / 100.0).powi(2);
        let placed: Vec<_> = (0..40).map(|frame| vec![Isometry3::translation(0.0, 0.0, at(frame))]).collect();
        let segment = Segment { mass: 1.0, inertia: Matrix3::zeros() };
        let curves = BalanceCurves::of(&[segment], &placed, 100.0);
        assert_eq!(curves.zero_moment[20], None);
        assert!((curves.acceleration[20].z + GRAVITY).abs() < 1e-9);
        assert_eq!(BalanceCurves::of(&[], &placed, 100.0), BalanceCurves::default());
    }
}
