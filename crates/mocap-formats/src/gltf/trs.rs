//! The local transform of a node: translation, rotation, scale.

use mocap_model::{UnitQuaternion, Vector3};
use nalgebra::{Matrix3, Matrix4, Quaternion, Rotation3};

use super::root::Node;

/// Scales that differ by less, relatively, are the same: files round them to single precision after multiplying many.
pub(super) const SAME_SCALE: f64 = 1e-5;

/// The local transform of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trs {
    pub(super) translation: Vector3<f64>,
    pub(super) rotation: UnitQuaternion<f64>,
    pub(super) scale: Vector3<f64>,
}

impl Trs {
    pub(super) fn of(node: &Node) -> Trs {
        if let Some(matrix) = &node.matrix {
            return Trs::of_matrix(&Matrix4::from_column_slice(matrix));
        }
        let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        Trs {
            translation: Vector3::from(node.translation.unwrap_or_default()),
            rotation: unit(Quaternion::new(w, x, y, z)),
            scale: Vector3::from(node.scale.unwrap_or([1.0; 3])),
        }
    }

    /// A matrix without shear; a mirror is in the scale.
    pub(super) fn of_matrix(matrix: &Matrix4<f64>) -> Trs {
        let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        let mut scale = Vector3::from_fn(|i, _| linear.column(i).norm());
        if linear.determinant() < 0.0 {
            scale.x = -scale.x;
        }
        let mut turn = linear;
        for i in 0..3 {
            if scale[i] != 0.0 {
                turn.column_mut(i).unscale_mut(scale[i]);
            }
        }
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn));
        Trs { translation: matrix.fixed_view::<3, 1>(0, 3).into_owned(), rotation: unit(*rotation), scale }
    }

    /// The transform with scales of 0 or more, the sign (-1 for a mirror, which is written as a point reflection), and
    /// the half turn after the rotation that two negative scales amount to.
    pub(super) fn unmirrored(&self) -> (Trs, f64, Option<UnitQuaternion<f64>>) {
        let below = self.scale.iter().filter(|scale| **scale < 0.0).count();
        let sign = if below % 2 == 1 { -1.0 } else { 1.0 };
        let scale = self.scale * sign;
        // After the common sign, no component is negative, or two of three are.
        let axis = (0..3).find(|axis| scale[*axis] >= 0.0 && scale.iter().any(|scale| *scale < 0.0));
        let half = axis.map(|axis| {
            let mut half = Quaternion::new(0.0, 0.0, 0.0, 0.0);
            half.coords[axis] = 1.0;
            UnitQuaternion::new_unchecked(half)
        });
        let rotation = half.map_or(self.rotation, |half| self.rotation * half);
        (Trs { rotation, scale: scale.abs(), ..*self }, sign, half)
    }

    /// The common scale of all axes, if there is one; rounded to 1 where it is close.
    pub(super) fn uniform_scale(&self) -> Option<f64> {
        let Vector3 { data, .. } = self.scale;
        let [x, y, z] = data.0[0];
        let same = |a: f64, b: f64| (a - b).abs() <= SAME_SCALE * x.abs();
        let size = if (x - 1.0).abs() <= SAME_SCALE { 1.0 } else { x };
        (x > 0.0 && same(x, y) && same(x, z)).then_some(size)
    }
}

/// Normalises a quaternion; one without length becomes the identity.
pub(super) fn unit(q: Quaternion<f64>) -> UnitQuaternion<f64> {
    let norm = q.norm();
    match norm > 1e-9 && norm.is_finite() {
        // Normalising again would change the last bits of a quaternion that already has length 1.
        true if (norm - 1.0).abs() < 1e-15 => UnitQuaternion::new_unchecked(q),
        true => UnitQuaternion::new_normalize(q),
        false => UnitQuaternion::identity(),
    }
}
