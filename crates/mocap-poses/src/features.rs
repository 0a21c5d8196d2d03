//! Numbers of a pose that are known, and numbers that are predicted from them.
//!
//! Everything is seen from a frame that moves with the body, in shares of its lengths: where it stands, where it faces
//! and how large it is do not matter.

use crate::{Placed, Quat, Vec3};
use mocap_model::JointId;
use nalgebra::{Matrix3, Rotation3};

/// The frame in which something is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Frame {
    /// That of a joint.
    Joint(JointId),
    /// One that is given: upright, at the points that are known, turned as they are.
    Upright,
}

impl Frame {
    fn of(self, at: &[Placed], upright: &Placed) -> Placed {
        match self {
            Frame::Joint(joint) => at[joint.index()],
            Frame::Upright => *upright,
        }
    }
}

/// A group of numbers that are known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Feature {
    /// Where a joint is, times a factor.
    Position(JointId, Frame, f64),
    /// How a joint is turned: two columns of its matrix, times a factor.
    Rotation(JointId, Frame, f64),
    /// Where up is, times a factor.
    Up(Frame, f64),
}

/// A group of numbers that are predicted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Output {
    /// Where a joint is [units of the skeleton].
    Position(JointId, Frame),
    /// How a joint is turned.
    Rotation(JointId, Frame),
}

/// What poses are seen by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    /// Joints in space, by joint of the skeleton.
    pub(crate) at: &'a [Placed],
    pub(crate) upright: &'a Placed,
    pub(crate) up: Vec3,
}

impl Feature {
    pub(crate) fn len(&self) -> usize {
        match self {
            Feature::Position(..) | Feature::Up(..) => 3,
            Feature::Rotation(..) => 6,
        }
    }

    fn write(&self, view: View<'_>, out: &mut [f64]) {
        match *self {
            Feature::Position(joint, frame, factor) => {
                let frame = frame.of(view.at, view.upright);
                let seen = frame.inverse_transform_point(&view.at[joint.index()].translation.vector.into());
                (0..3).for_each(|axis| out[axis] = seen[axis] * factor);
            }
            Feature::Rotation(joint, frame, factor) => {
                let frame = frame.of(view.at, view.upright);
                columns(&(frame.rotation.inverse() * view.at[joint.index()].rotation), factor, out);
            }
            Feature::Up(frame, factor) => {
                let seen = frame.of(view.at, view.upright).rotation.inverse() * view.up;
                (0..3).for_each(|axis| out[axis] = seen[axis] * factor);
            }
        }
    }
}

/// Writes all features.
pub(crate) fn write(features: &[Feature], view: View<'_>, mut out: &mut [f64]) {
    for feature in features {
        let (own, rest) = out.split_at_mut(feature.len());
        feature.write(view, own);
        out = rest;
    }
}

impl Output {
    pub(crate) fn len(&self) -> usize {
        match self {
            Output::Position(..) => 3,
            Output::Rotation(..) => 6,
        }
    }

    /// What is to be predicted of an example.
    pub(crate) fn write(&self, view: View<'_>, out: &mut [f64]) {
        match *self {
            Output::Position(joint, frame) => Feature::Position(joint, frame, 1.0).write(view, out),
            Output::Rotation(joint, frame) => Feature::Rotation(joint, frame, 1.0).write(view, out),
        }
    }

    /// The frame in which it is seen.
    pub(crate) fn frame(&self, view: View<'_>) -> Placed {
        let (Output::Position(_, frame) | Output::Rotation(_, frame)) = *self;
        frame.of(view.at, view.upright)
    }
}

fn columns(rotation: &Quat, factor: f64, out: &mut [f64]) {
    let matrix = rotation.to_rotation_matrix();
    (0..6).for_each(|at| out[at] = matrix[(at % 3, at / 3)] * factor);
}

/// The rotation whose columns are nearest to two that are predicted.
pub(crate) fn rotation_of(columns: &[f64]) -> Quat {
    let [x, y] = [0, 3].map(|at| Vec3::new(columns[at], columns[at + 1], columns[at + 2]));
    // Both columns count alike: the sum and the difference of unit vectors are across each other.
    let unit = |v: Vec3, or: Vec3| v.try_normalize(1e-9).unwrap_or(or);
    let (x, y) = (unit(x, Vec3::x()), unit(y, Vec3::y()));
    let sum = unit(x + y, Vec3::x());
    let difference = x - y;
    let difference = unit(difference - sum * sum.dot(&difference), sum.cross(&Vec3::z()));
    let difference = unit(difference, Vec3::y());
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let (x, y) = ((sum + difference) * half, (sum - difference) * half);
    let matrix = Matrix3::from_columns(&[x, y, x.cross(&y)]);
    Quat::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{angle_between, exp};

    #[test]
    fn columns_of_a_rotation_give_it_back() {
        for v in [Vec3::new(0.3, -2.0, 1.0), Vec3::new(3.0, 0.1, 0.0), Vec3::zeros()] {
            let rotation = exp(&v);
            let mut six = [0.0; 6];
            columns(&rotation, 1.0, &mut six);
            assert!(angle_between(&rotation_of(&six), &rotation) < 1e-9);
            six[0] += 0.1;
            assert!(angle_between(&rotation_of(&six), &rotation) < 0.1);
        }
        assert!(rotation_of(&[0.0; 6]).coords.iter().all(|value| value.is_finite()));
        assert!(rotation_of(&[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]).coords.iter().all(|value| value.is_finite()));
    }
}
