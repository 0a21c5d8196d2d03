//! Local transforms of nodes, and the constant part of what lies above a joint.
//!
//! Sizes are taken apart once, for the rest pose and for frames: a node's scale is `sign · size · rest`, where `sign` has
//! components of 1 and -1, `size` is one number, and `rest` is what a uniform scale does not give. Signs and sizes
//! commute with what lies below: they go into the translations and rotations there, as `D R D` and `size · D t`.

use mocap_model::{UnitQuaternion, Vector3};
use nalgebra::{Matrix3, Matrix4, Quaternion, Rotation3};

use super::document::Node;

/// Scales that differ by less, relatively, are the same: exporters round what they compute in single precision.
pub(super) const SAME_SCALE: f64 = 1e-5;
/// How far from a right angle two axes of a matrix may be before it counts as sheared.
const SHEARED: f64 = 1e-4;

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

    /// A matrix, as glTF demands without shear; a mirror is in the scale. Of a sheared matrix, the nearest rotation.
    pub(super) fn of_matrix(matrix: &Matrix4<f64>) -> Trs {
        let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        let translation = matrix.fixed_view::<3, 1>(0, 3).into_owned();
        let mut scale = Vector3::from_fn(|i, _| linear.column(i).norm());
        if linear.determinant() < 0.0 {
            let uniform = (scale.max() - scale.min()) <= SAME_SCALE * scale.max();
            // A mirrored uniform scale stays uniform.
            if uniform { scale = -scale } else { scale.x = -scale.x }
        }
        if is_sheared(matrix) {
            if let Some(turn) = nearest_rotation(&linear) {
                let scale = (turn.inverse().to_rotation_matrix().matrix() * linear).diagonal();
                return Trs { translation, rotation: turn, scale };
            }
        }
        let mut turn = linear;
        for i in 0..3 {
            if scale[i] != 0.0 {
                turn.column_mut(i).unscale_mut(scale[i]);
            }
        }
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn));
        Trs { translation, rotation: unit(*rotation), scale }
    }

    pub(super) fn matrix(&self) -> Matrix4<f64> {
        Matrix4::new_translation(&self.translation)
            * self.rotation.to_homogeneous()
            * Matrix4::new_nonuniform_scaling(&self.scale)
    }

    /// The signs of the scale.
    pub(super) fn signs(&self) -> Vector3<f64> {
        self.scale.map(|scale| if scale < 0.0 { -1.0 } else { 1.0 })
    }

    /// The size of a uniform scale, whatever its signs; exactly 1 of one that is nearly so.
    pub(super) fn size(&self) -> Option<f64> {
        let scale = self.scale.abs();
        let mean = if scale.x == scale.y && scale.x == scale.z { scale.x } else { scale.mean() };
        let same = scale.iter().all(|scale| (scale - mean).abs() <= SAME_SCALE * mean);
        let snapped = if (mean - 1.0).abs() <= SAME_SCALE { 1.0 } else { mean };
        (mean > 0.0 && mean.is_finite() && same).then_some(snapped)
    }
}

/// Whether the axes of a matrix are not at right angles: no translation, rotation and scale give such a matrix.
pub(super) fn is_sheared(matrix: &Matrix4<f64>) -> bool {
    let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
    let axes = [0, 1, 2].map(|i| linear.column(i).try_normalize(0.0).unwrap_or_default());
    [(0, 1), (0, 2), (1, 2)].into_iter().any(|(a, b)| axes[a].dot(&axes[b]).abs() > SHEARED)
}

/// The rotation nearest to a matrix: the orthogonal part of its polar decomposition, of its mirror image where it
/// mirrors.
fn nearest_rotation(linear: &Matrix3<f64>) -> Option<UnitQuaternion<f64>> {
    let svd = linear.try_svd(true, true, f64::EPSILON, 1000)?;
    let turn = svd.u? * svd.v_t?;
    let turn = if turn.determinant() < 0.0 { -turn } else { turn };
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn));
    Some(unit(*rotation))
}

/// A unit quaternion; without a length it is not a rotation.
pub(super) fn unit(q: Quaternion<f64>) -> UnitQuaternion<f64> {
    let norm = q.norm();
    match norm > 1e-9 && norm.is_finite() {
        // A rotation that is written with few digits is not rounded again.
        true if (norm - 1.0).abs() < 1e-15 => UnitQuaternion::new_unchecked(q),
        true => UnitQuaternion::new_normalize(q),
        false => UnitQuaternion::identity(),
    }
}

/// What lies above a joint and is constant: a rotation, a size, signs and a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    rotation: UnitQuaternion<f64>,
    translation: Vector3<f64>,
    size: f64,
    signs: Vector3<f64>,
}

impl Frame {
    pub(super) const NONE: Frame = Frame {
        rotation: UnitQuaternion::new_unchecked(Quaternion::new(1.0, 0.0, 0.0, 0.0)),
        translation: Vector3::new(0.0, 0.0, 0.0),
        size: 1.0,
        signs: Vector3::new(1.0, 1.0, 1.0),
    };

    /// Of a node that is not a joint: what lies above the nodes below it.
    pub(super) fn below(&self, node: &Trs) -> Frame {
        Frame {
            rotation: self.turn(&node.rotation),
            translation: self.place(&node.translation),
            ..self.below_joint(node)
        }
    }

    /// Of a joint: what of its scale goes into the translations of the joints below it.
    pub(super) fn below_joint(&self, joint: &Trs) -> Frame {
        let size = self.size * joint.size().unwrap_or(1.0);
        Frame { size, signs: self.signs.component_mul(&joint.signs()), ..Frame::NONE }
    }

    /// A translation of a node, in the clip.
    pub(super) fn place(&self, local: &Vector3<f64>) -> Vector3<f64> {
        self.translation + self.rotation * (self.signs.component_mul(local) * self.size)
    }

    /// The inverse of [`Frame::place`].
    pub(super) fn place_back(&self, place: &Vector3<f64>) -> Vector3<f64> {
        self.signs.component_mul(&(self.rotation.inverse() * (place - self.translation) / self.size))
    }

    /// A rotation of a node, in the clip.
    pub(super) fn turn(&self, local: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        unit(*(self.rotation * self.mirrored(local)))
    }

    /// The inverse of [`Frame::turn`].
    pub(super) fn turn_back(&self, turn: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        self.mirrored(&(self.rotation.inverse() * turn))
    }

    /// A rotation between mirrored axes: `D R D`.
    fn mirrored(&self, turn: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        if self.signs == Frame::NONE.signs {
            return *turn;
        }
        let imag = turn.imag().component_mul(&self.signs) * self.signs.product();
        UnitQuaternion::new_unchecked(Quaternion::from_parts(turn.w, imag))
    }

    /// Whether left and right change sides.
    pub(super) fn mirrors(&self) -> bool {
        self.signs.product() < 0.0
    }
}
