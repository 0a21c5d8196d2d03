//! Skinning matrices of a pose by bone, and their rigid parts for methods that blend rigid motions.

use nalgebra::{Matrix3, Matrix4, Rotation3, UnitQuaternion, Vector3};

/// Three rows of four: an affine map.
pub(crate) type Rows = [f64; 12];

/// Scales that differ from 1 by less are rounding of 32-bit files; only the rigid part is used.
const UNSCALED: f64 = 1e-6;

/// A bone's matrix as a stretch about its joint, followed by a rigid motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RigidBone {
    /// The symmetric part of the linear map.
    pub stretch: Matrix3<f64>,
    pub turn: UnitQuaternion<f64>,
    pub shift: Vector3<f64>,
}

/// Matrices by bone: from the space of the mesh at bind to object space.
#[derive(Clone, Debug, Default)]
pub(crate) struct Palette {
    pub matrices: Vec<Rows>,
}

/// Its rigid parts; filled only for methods that need them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RigidPalette {
    /// Real and dual part by bone: w, x, y, z each.
    pub dual: Vec<[f64; 8]>,
    /// The rigid motions as matrices.
    pub matrices: Vec<Rows>,
    /// By bone: the affine map that the stretch adds to a position; empty if no bone stretches.
    pub stretches: Vec<Rows>,
}

impl Palette {
    pub(crate) fn set(&mut self, matrices: impl Iterator<Item = Matrix4<f64>>) {
        self.matrices.clear();
        self.matrices.extend(matrices.map(|matrix| rows(&matrix)));
    }
}

impl RigidPalette {
    pub(crate) fn set(&mut self, palette: &Palette, centres: &[Vector3<f64>]) {
        self.dual.clear();
        self.matrices.clear();
        self.stretches.clear();
        let mut stretched = false;
        for (matrix, centre) in palette.matrices.iter().zip(centres) {
            let RigidBone { stretch, turn, shift } = rigid(matrix, centre);
            let [w, x, y, z] = [turn.w, turn.i, turn.j, turn.k];
            let [a, b, c] = [shift.x, shift.y, shift.z].map(|v| 0.5 * v);
            // The dual part is half of the translation times the rotation.
            self.dual.push([
                w,
                x,
                y,
                z,
                -a * x - b * y - c * z,
                a * w + b * z - c * y,
                b * w + c * x - a * z,
                c * w + a * y - b * x,
            ]);
            let turned = turn.to_rotation_matrix();
            self.matrices.push(affine(turned.matrix(), &shift));
            let added = stretch - Matrix3::identity();
            stretched |= added.amax() > UNSCALED;
            self.stretches.push(affine(&added, &-(added * centre)));
        }
        if !stretched {
            self.stretches.clear();
        }
    }
}

/// Splits a matrix into a stretch about `centre` and a rigid motion after it. The centre is the joint and not
/// the origin, so that the result does not depend on the origin of the mesh.
fn rigid(matrix: &Rows, centre: &Vector3<f64>) -> RigidBone {
    let linear = Matrix3::from_fn(|row, column| matrix[4 * row + column]);
    let shift = Vector3::new(matrix[3], matrix[7], matrix[11]);
    let turn = nearest_rotation(&linear);
    let mut stretch = turn.transpose() * linear;
    stretch = (stretch + stretch.transpose()) * 0.5;
    if (stretch - Matrix3::identity()).amax() <= UNSCALED {
        stretch = Matrix3::identity();
    }
    let shift = shift + turn * ((stretch - Matrix3::identity()) * centre);
    let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn));
    RigidBone { stretch, turn, shift }
}

/// The rotation of the polar decomposition. A mirroring matrix gets a negative stretch.
///
/// Based on: N. J. Higham, "Computing the polar decomposition, with applications", 1986.
fn nearest_rotation(linear: &Matrix3<f64>) -> Matrix3<f64> {
    let (size, determinant) = (linear.norm(), linear.determinant());
    if determinant.abs() > 1e-6 * size * size * size {
        let mut now = *linear;
        for _ in 0..60 {
            let Some(inverse) = now.try_inverse() else { break };
            let next = (now + inverse.transpose()) * 0.5;
            let step = (next - now).amax();
            now = next;
            if step < 1e-15 {
                break;
            }
        }
        return if determinant < 0.0 { -now } else { now };
    }
    // A bone with zero scale along an axis, or hidden by a scale of 0.
    let svd = linear.svd(true, true);
    match (svd.u, svd.v_t) {
        (Some(u), Some(v_t)) if (u * v_t).iter().all(|value| value.is_finite()) => {
            let turn = u * v_t;
            if turn.determinant() >= 0.0 {
                turn
            } else {
                u * Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, -1.0)) * v_t
            }
        }
        _ => Matrix3::identity(),
    }
}

fn rows(matrix: &Matrix4<f64>) -> Rows {
    std::array::from_fn(|at| matrix[(at / 4, at % 4)])
}

fn affine(linear: &Matrix3<f64>, shift: &Vector3<f64>) -> Rows {
    std::array::from_fn(|at| if at % 4 == 3 { shift[at / 4] } else { linear[(at / 4, at % 4)] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_matrix_again_for_scales_shears_mirrors_and_flat_ones() {
        let turn = UnitQuaternion::from_euler_angles(0.4, -1.1, 2.3).to_rotation_matrix();
        let shear = Matrix3::new(1.0, 0.3, 0.0, 0.0, 1.2, -0.1, 0.2, 0.0, 0.8);
        let diagonal = |x, y, z| Matrix3::from_diagonal(&Vector3::new(x, y, z));
        for part in
            [shear, diagonal(1.0, 1.0, 1.0), diagonal(0.01, 0.01, 0.01), diagonal(2.0, 1.0, 0.0), -shear]
        {
            let linear = turn.matrix() * part;
            let (shift, centre) = (Vector3::new(3.0, -2.0, 0.5), Vector3::new(-0.3, 1.4, 0.2));
            let found = rigid(&affine(&linear, &shift), &centre);
            for at in [Vector3::new(0.1, 0.2, 0.3), Vector3::new(-1.0, 4.0, 2.0)] {
                let stretched = centre + found.stretch * (at - centre);
                let off = found.turn * stretched + found.shift - (linear * at + shift);
                assert!(off.norm() < 1e-9, "{part} {off}");
            }
            assert!((found.stretch - found.stretch.transpose()).amax() < 1e-12);
        }
    }

    #[test]
    fn a_bone_of_no_size_is_a_point() {
        let found = rigid(&affine(&Matrix3::zeros(), &Vector3::x()), &Vector3::y());
        let at = Vector3::y() + found.stretch * Vector3::new(5.0, 6.0, 7.0);
        assert!((found.turn * at + found.shift - Vector3::x()).norm() < 1e-12);
    }
}
