//! Meshes in another space of their vertices.

use nalgebra::{Matrix3, Matrix4, Point3, Vector3};

use super::{Bone, Mesh, Shape};
use crate::{Pose, Skeleton};

/// Matrices whose numbers differ by less, relatively, are the same.
const SAME: f64 = 1e-9;

impl Mesh {
    /// The same mesh with its vertices in the rest pose of the skeleton, moved rigidly by the bone with the largest
    /// influence. The inverse bind matrices of bones that were bound in the rest pose are then the inverses of their
    /// rest transforms, and lengths are in units of the skeleton.
    pub fn at_rest(&self, skeleton: &Skeleton) -> Mesh {
        let mut shares = vec![0.0; self.skin.bones.len()];
        self.skin.influences.iter().for_each(|one| shares[one.bone as usize] += one.weight);
        let most =
            (0..shares.len()).reduce(|best, next| if shares[next] > shares[best] { next } else { best });
        let Some(most) = most.map(|bone| self.skin.bones[bone]) else { return self.clone() };
        let mut object = Pose::default();
        Pose::rest(skeleton).to_object(skeleton, &mut object);
        let placed = object.joints[most.joint.index()].to_homogeneous() * most.inverse_bind;
        let off = (placed - Matrix4::identity()).amax();
        if off <= SAME { self.clone() } else { self.moved(&placed).unwrap_or_else(|| self.clone()) }
    }

    /// The same mesh in another space of its vertices; it looks the same in every pose. `None` where the matrix flattens
    /// it.
    fn moved(&self, matrix: &Matrix4<f64>) -> Option<Mesh> {
        let back = matrix.try_inverse().filter(|back| back.iter().all(|value| value.is_finite()))?;
        let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        let turned = linear.try_inverse()?.transpose();
        let place = |place: &Vector3<f64>| matrix.transform_point(&Point3::from(*place)).coords;
        let normal = |normal: &Vector3<f64>| {
            let turned = turned * normal;
            turned.try_normalize(0.0).unwrap_or(*normal)
        };
        let bones =
            self.skin.bones.iter().map(|bone| Bone { inverse_bind: bone.inverse_bind * back, ..*bone });
        let shapes = self.shapes.iter().map(|shape| Shape {
            offsets: shape.offsets.iter().map(|(vertex, offset)| (*vertex, linear * offset)).collect(),
            ..shape.clone()
        });
        let mut mesh = Mesh {
            positions: self.positions.iter().map(place).collect(),
            normals: self.normals.iter().map(normal).collect(),
            shapes: shapes.collect(),
            ..self.clone()
        };
        mesh.skin.bones = bones.collect();
        if linear.determinant() < 0.0 {
            mesh.turn_inside_out();
        }
        Some(mesh)
    }

    /// Reverses the order of the corners of every face; the normals stay as they are.
    pub fn turn_inside_out(&mut self) {
        let mut from = 0;
        for count in &self.faces {
            let face = from..from + *count as usize;
            self.corners[face.clone()].reverse();
            if !self.normals.is_empty() {
                self.normals[face.clone()].reverse();
            }
            if !self.uvs.is_empty() {
                self.uvs[face.clone()].reverse();
            }
            from = face.end;
        }
    }
}
