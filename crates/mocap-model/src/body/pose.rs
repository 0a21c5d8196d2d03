//! Where the vertices of a mesh are in a pose, and meshes in another space.

use nalgebra::{Matrix3, Matrix4, Point3, Vector3};

use super::{Bone, Mesh, Shape};
use crate::{Pose, Skeleton};

/// Matrices whose numbers differ by less, relatively, are the same.
const SAME: f64 = 1e-9;

impl Mesh {
    /// Where the vertices are in an object-space pose of the skeleton: linear blend skinning, in units of the skeleton.
    /// `shapes` are weights of [`Mesh::shapes`]; those that are not given are 0.
    ///
    /// Based on: N. Magnenat-Thalmann, R. Laperrière, D. Thalmann, "Joint-dependent local deformations for hand
    /// animation and object grasping", 1988.
    pub fn posed(&self, object: &Pose, shapes: &[f64]) -> Vec<Vector3<f64>> {
        let bones: Vec<Matrix4<f64>> = self
            .skin
            .bones
            .iter()
            .map(|bone| object.joints[bone.joint.index()].to_homogeneous() * bone.inverse_bind)
            .collect();
        let mut places = self.positions.clone();
        for (shape, weight) in self.shapes.iter().zip(shapes) {
            shape.offsets.iter().for_each(|(vertex, offset)| places[*vertex as usize] += offset * *weight);
        }
        for (vertex, place) in places.iter_mut().enumerate() {
            let at = Point3::from(*place);
            let influences = self.skin.of(vertex).iter();
            *place =
                influences.map(|one| bones[one.bone as usize].transform_point(&at).coords * one.weight).sum();
        }
        places
    }

    /// The same mesh with the vertices where they are at rest as far as the bone that moves most of it says: then bones
    /// bound in the rest pose have the inverses of their places at rest, and sizes are those of the skeleton.
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
