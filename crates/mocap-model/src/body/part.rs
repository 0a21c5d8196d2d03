//! Parts of a body: what follows only some joints, and several bodies as one.

use super::{Body, Bone, Influence, Mesh, Shape, Skin};
use crate::JointId;

impl Body {
    /// The part of the body that follows the joints for which `keep` is true: faces whose vertices all have more than
    /// half of their weight on these joints. A mesh of which all faces are kept is unchanged. `None` where no face
    /// remains.
    pub fn part(&self, keep: impl Fn(JointId) -> bool) -> Option<Body> {
        let meshes: Vec<Mesh> = self.meshes.iter().filter_map(|mesh| mesh.part(&keep)).collect();
        (!meshes.is_empty()).then(|| Body { meshes, materials: self.materials.clone() })
    }

    /// Adds the meshes and materials of a body whose joint 0 is joint `first` of the skeleton of this one.
    pub fn append(&mut self, mut other: Body, first: u32) {
        let material = self.materials.len() as u32;
        for mesh in &mut other.meshes {
            mesh.materials.iter_mut().for_each(|at| *at += material);
            mesh.skin.bones.iter_mut().for_each(|bone| bone.joint.0 += first);
        }
        self.meshes.append(&mut other.meshes);
        self.materials.append(&mut other.materials);
    }
}

impl Mesh {
    fn part(&self, keep: &impl Fn(JointId) -> bool) -> Option<Mesh> {
        let kept_bones: Vec<bool> = self.skin.bones.iter().map(|bone| keep(bone.joint)).collect();
        let kept: Vec<bool> = (0..self.positions.len())
            .map(|vertex| {
                let influences = self.skin.of(vertex).iter();
                let share: f64 =
                    influences.filter(|one| kept_bones[one.bone as usize]).map(|one| one.weight).sum();
                share > 0.5
            })
            .collect();
        if kept.iter().all(|kept| *kept) {
            return Some(self.clone());
        }
        let mut made = Mesh { name: self.name.clone(), stated: self.stated, ..Mesh::default() };
        // By vertex: its new index; `None` where no kept face has it.
        let mut places: Vec<Option<u32>> = vec![None; self.positions.len()];
        let mut from = 0;
        for (face, count) in self.faces.iter().enumerate() {
            let corners = from..from + *count as usize;
            from = corners.end;
            if !self.corners[corners.clone()].iter().all(|vertex| kept[*vertex as usize]) {
                continue;
            }
            made.faces.push(*count);
            made.materials.extend(self.materials.get(face));
            for corner in corners {
                let place = &mut places[self.corners[corner] as usize];
                made.corners.push(*place.get_or_insert_with(|| {
                    made.positions.push(self.positions[self.corners[corner] as usize]);
                    made.positions.len() as u32 - 1
                }));
                made.normals.extend(self.normals.get(corner));
                made.uvs.extend(self.uvs.get(corner));
            }
        }
        let mut vertices: Vec<(u32, usize)> =
            places.iter().enumerate().filter_map(|(old, new)| Some(((*new)?, old))).collect();
        vertices.sort_unstable();
        made.skin = self.skin.of_vertices(vertices.iter().map(|(_, old)| *old));
        made.shapes = self.shapes.iter().map(|shape| shape.of_vertices(&places)).collect();
        (!made.faces.is_empty()).then_some(made)
    }
}

impl Skin {
    /// The skin of only some vertices, with the bones that move them.
    fn of_vertices(&self, vertices: impl Iterator<Item = usize>) -> Skin {
        let mut skin = Skin { bones: Vec::new(), starts: vec![0], influences: Vec::new() };
        let mut places: Vec<Option<u32>> = vec![None; self.bones.len()];
        for vertex in vertices {
            for one in self.of(vertex) {
                let bone = *places[one.bone as usize].get_or_insert_with(|| {
                    let bone: Bone = self.bones[one.bone as usize];
                    skin.bones.push(bone);
                    skin.bones.len() as u32 - 1
                });
                skin.influences.push(Influence { bone, weight: one.weight });
            }
            skin.starts.push(skin.influences.len() as u32);
        }
        skin
    }
}

impl Shape {
    /// The shape on other numbers of the vertices; those that are `None` are gone.
    fn of_vertices(&self, places: &[Option<u32>]) -> Shape {
        let moved = self.offsets.iter();
        let mut offsets: Vec<_> =
            moved.filter_map(|(vertex, offset)| Some((places[*vertex as usize]?, *offset))).collect();
        offsets.sort_by_key(|(vertex, _)| *vertex);
        Shape { offsets, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix4, Vector3};

    /// Two quads of one mesh, each on a joint of its own, and a triangle between them.
    fn two_quads() -> Body {
        let bone = |joint| Bone { joint: JointId(joint), inverse_bind: Matrix4::identity() };
        let influence = |vertex: u32| Influence { bone: vertex / 4, weight: 1.0 };
        let mesh = Mesh {
            positions: (0..8).map(|at| Vector3::new(f64::from(at), f64::from(at % 3), 0.0)).collect(),
            faces: vec![4, 4, 3],
            corners: vec![0, 1, 2, 3, 7, 6, 5, 4, 0, 1, 4],
            uvs: (0..11).map(|at| [f64::from(at), 0.0]).collect(),
            materials: vec![0, 1, 0],
            skin: Skin {
                bones: vec![bone(3), bone(9)],
                starts: (0..=8).collect(),
                influences: (0..8).map(influence).collect(),
            },
            shapes: vec![Shape {
                name: "open".into(),
                offsets: vec![(1, Vector3::x()), (5, Vector3::y()), (7, Vector3::z())],
                weight: 0.5,
            }],
            ..Mesh::default()
        };
        Body { meshes: vec![mesh], materials: vec![Default::default(); 2] }
    }

    #[test]
    fn a_part_has_the_faces_of_its_joints_where_they_were() {
        let body = two_quads();
        let part = body.part(|joint| joint == JointId(9)).unwrap();
        let mesh = &part.meshes[0];
        assert_eq!((&mesh.faces[..], &mesh.corners[..]), (&[4][..], &[0, 1, 2, 3][..]));
        assert_eq!(mesh.uvs, body.meshes[0].uvs[4..8]);
        assert_eq!(mesh.materials, [1]);
        assert_eq!(mesh.skin.bones, [body.meshes[0].skin.bones[1]]);
        let old = |corner: usize| body.meshes[0].positions[body.meshes[0].corners[4 + corner] as usize];
        for corner in 0..4 {
            assert_eq!(mesh.positions[mesh.corners[corner] as usize], old(corner));
        }
        assert_eq!(mesh.shapes[0].offsets, [(0, Vector3::z()), (2, Vector3::y())]);
        assert_eq!(body.part(|_| true), Some(body.clone()));
        assert_eq!(body.part(|_| false), None);
    }

    #[test]
    fn a_body_that_is_added_keeps_its_joints_and_materials() {
        let mut all = two_quads();
        all.append(two_quads(), 20);
        assert_eq!(all.meshes[1].skin.bones.iter().map(|bone| bone.joint.0).collect::<Vec<_>>(), [23, 29]);
        assert_eq!(all.meshes[1].materials, [2, 3, 2]);
        assert_eq!(all.materials.len(), 4);
    }
}
