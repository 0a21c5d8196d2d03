//! Features of a pose (inputs of regressions) and outputs that are predicted from them.
//!
//! All are relative to a frame that moves with the body and to its lengths, so they do not depend on position, heading
//! and size.

use crate::{Placed, Quat, Vec3};
use mocap_model::JointId;
use nalgebra::{Matrix3, Rotation3};

/// The reference frame of a feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Frame {
    /// The frame of a joint.
    Joint(JointId),
    /// A given upright frame at the known points, with their heading.
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

/// A group of known numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Feature {
    /// The position of a joint, times a factor.
    Position(JointId, Frame, f64),
    /// The rotation of a joint: two columns of its matrix, times a factor.
    Rotation(JointId, Frame, f64),
    /// The up direction, times a factor.
    Up(Frame, f64),
}

/// A group of predicted numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Output {
    /// The position of a joint [units of the skeleton].
    Position(JointId, Frame),
    /// The rotation of a joint.
    Rotation(JointId, Frame),
}

/// A pose from which features are computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    /// Transforms in object space, by joint of the skeleton.
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

    /// Writes the target values of an example.
    pub(crate) fn write(&self, view: View<'_>, out: &mut [f64]) {
        match *self {
            Output::Position(joint, frame) => Feature::Position(joint, frame, 1.0).write(view, out),
            Output::Rotation(joint, frame) => Feature::Rotation(joint, frame, 1.0).write(view, out),
        }
    }

    /// Its reference frame.
    pub(crate) fn frame(&self, view: View<'_>) -> Placed {
        let (Output::Position(_, frame) | Output::Rotation(_, frame)) = *self;
        frame.of(view.at, view.upright)
    }
}

fn columns(rotation: &Quat, factor: f64, out: &mut [f64]) {
    let matrix = rotation.to_rotation_matrix();
    (0..6).for_each(|at| out[at] = matrix[(at % 3, at / 3)] * factor);
}

/// The rotation whose columns are nearest to two predicted ones.
pub(crate) fn rotation_of(columns: &[f64]) -> Quat {
    let [x, y] = [0, 3].map(|at| Vec3::new(columns[at], columns[at + 1], columns[at + 2]));
    // Treats both columns equally: the sum and the difference of two unit vectors are orthogonal.
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
