//! The tracks of a motion between its frames.
//!
//! Rotations and vectors follow natural cubic splines. Where a time lies between two frames is found once for all joints.

use mocap_model::{UnitQuaternion, Vector3};
use nalgebra::Vector4;

use crate::retime::spline_bends;
use crate::samples::Samples;

/// A place this close to a frame is that frame \[frames\].
const SAME: f64 = 1e-9;

/// A place between two frames: the shares of their values, then those of their second derivatives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    from: usize,
    values: [f64; 2],
    bends: [f64; 2],
}

impl Place {
    /// A place \[frames\] within a motion of at least two frames.
    pub(super) fn new(place: f64, frames: usize) -> Place {
        let place = place.clamp(0.0, (frames - 1) as f64);
        let nearest = place.round();
        let place = if (place - nearest).abs() < SAME { nearest } else { place };
        let from = (place as usize).min(frames - 2);
        let b = place - from as f64;
        let a = 1.0 - b;
        Place { from, values: [a, b], bends: [(a * a * a - a) / 6.0, (b * b * b - b) / 6.0] }
    }
}

/// A cubic spline: values and second derivatives by frame, or one value that holds.
enum Curve {
    Constant(Vector4<f64>),
    Spline(Vec<[Vector4<f64>; 2]>),
}

impl Curve {
    fn new(values: Vec<Vector4<f64>>) -> Curve {
        if values.iter().all(|value| *value == values[0]) {
            return Curve::Constant(values[0]);
        }
        let bends = spline_bends(&values);
        Curve::Spline(values.into_iter().zip(bends).map(|(value, bend)| [value, bend]).collect())
    }

    fn at(&self, place: &Place) -> Vector4<f64> {
        let knots = match self {
            Curve::Constant(value) => return *value,
            Curve::Spline(knots) => knots,
        };
        let ([value, bend], [next, next_bend]) = (&knots[place.from], &knots[place.from + 1]);
        (value * place.values[0] + next * place.values[1])
            + (bend * place.bends[0] + next_bend * place.bends[1])
    }
}

/// Rotations over time.
pub(super) struct Rotations(Curve);

impl Rotations {
    fn of(rotations: &[UnitQuaternion<f64>]) -> Rotations {
        let mut values: Vec<Vector4<f64>> = rotations.iter().map(|q| q.coords).collect();
        for frame in 1..values.len() {
            if values[frame - 1].dot(&values[frame]) < 0.0 {
                values[frame] = -values[frame];
            }
        }
        Rotations(Curve::new(values))
    }

    /// The coordinates of the quaternion at a place: near unit length.
    pub(super) fn at(&self, place: &Place) -> Vector4<f64> {
        self.0.at(place)
    }

    pub(super) fn is_constant(&self) -> bool {
        matches!(self.0, Curve::Constant(_))
    }
}

/// Vectors over time.
pub(super) struct Vectors(Curve);

impl Vectors {
    fn of(values: &[Vector3<f64>]) -> Vectors {
        Vectors(Curve::new(values.iter().map(|value| value.push(0.0)).collect()))
    }

    pub(super) fn at(&self, place: &Place) -> Vector3<f64> {
        self.0.at(place).xyz()
    }
}

/// All tracks of a motion, by joint.
pub(super) struct Curves {
    pub(super) rotations: Vec<Rotations>,
    pub(super) translations: Vec<Option<Vectors>>,
    pub(super) scales: Vec<Option<Vectors>>,
    pub(super) frames: usize,
}

impl Curves {
    pub(super) fn of(samples: &Samples) -> Curves {
        let vectors = |values: &Option<Vec<Vector3<f64>>>| values.as_deref().map(Vectors::of);
        Curves {
            rotations: samples.rotations.iter().map(|values| Rotations::of(values)).collect(),
            translations: samples.translations.iter().map(vectors).collect(),
            scales: samples.scales.iter().map(vectors).collect(),
            frames: samples.frames,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;

    /// The curves of a retimed motion are the same splines.
    #[test]
    fn curves_go_through_frames_and_between_them_as_in_retimed_motions() {
        let walk = clip("alex_walk.bvh");
        let (slow, _) = crate::speed(&walk, 0.4).unwrap();
        let curves = Curves::of(&Samples::of(&walk));
        for (id, _) in walk.skeleton().iter() {
            for frame in 0..slow.frames() {
                let place = Place::new(frame as f64 * 0.4, walk.frames());
                let expected = slow.track(id).rotation.at(frame).coords;
                let found = curves.rotations[id.index()].at(&place).normalize();
                assert!((found - expected).norm().min((found + expected).norm()) < 1e-14);
                if let (Some(curve), Some(track)) =
                    (&curves.translations[id.index()], &slow.track(id).translation)
                {
                    assert!((curve.at(&place) - track.at(frame)).norm() < 1e-11);
                }
            }
        }
    }
}
