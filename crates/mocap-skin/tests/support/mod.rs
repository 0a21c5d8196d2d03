//! A capped cylinder with two bones, as the formulas of linear blends have it.
#![allow(dead_code)]

use std::f64::consts::TAU;

use mocap_model::{Bone, Influence, JointId, Vector3};
use mocap_skin::{BoundMesh, MeshParts};
use nalgebra::Matrix4;

/// Vertices and triangles of a cylinder along y: radius 1, length 4, its joint in the middle, weights linear over ± 1.
pub(crate) struct Cylinder {
    pub(crate) parts: MeshParts,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Cylinder {
    pub(crate) fn new(rings: usize, around: usize) -> Cylinder {
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        let mut triangles = Vec::new();
        for ring in 0..=rings {
            let y = 4.0 * ring as f64 / rings as f64 - 2.0;
            for corner in 0..around {
                let angle = TAU * corner as f64 / around as f64;
                let normal = Vector3::new(angle.sin(), 0.0, angle.cos());
                positions.push(normal + Vector3::y() * y);
                normals.push(normal);
            }
        }
        let at = |ring: usize, corner: usize| (ring * around + corner % around) as u32;
        for ring in 0..rings {
            for corner in 0..around {
                let [a, b] = [at(ring, corner), at(ring, corner + 1)];
                let [c, d] = [at(ring + 1, corner), at(ring + 1, corner + 1)];
                triangles.extend([[a, b, d], [a, d, c]]);
            }
        }
        for (ring, y) in [(0, -2.0), (rings, 2.0)] {
            let middle = positions.len() as u32;
            positions.push(Vector3::y() * y);
            normals.push(Vector3::y() * y / 2.0);
            for corner in 0..around {
                let [a, b] = [at(ring, corner), at(ring, corner + 1)];
                triangles.push(if ring == 0 { [middle, b, a] } else { [middle, a, b] });
            }
        }
        let bone = |joint| Bone { joint: JointId(joint), inverse_bind: Matrix4::identity() };
        let (mut starts, mut influences) = (vec![0], Vec::new());
        for at in &positions {
            let upper = (0.5 + at.y / 2.0).clamp(0.0, 1.0);
            influences
                .extend([Influence { bone: 0, weight: 1.0 - upper }, Influence { bone: 1, weight: upper }]);
            starts.push(influences.len() as u32);
        }
        let bones = vec![bone(0), bone(1)];
        let parts = MeshParts { positions, normals, bones, starts, influences, ..MeshParts::default() };
        Cylinder { parts, triangles }
    }

    pub(crate) fn bound(&self) -> BoundMesh {
        BoundMesh::from_parts(self.parts.clone()).unwrap()
    }
}

/// The volume inside a closed surface.
pub(crate) fn volume(at: &[Vector3<f64>], triangles: &[[u32; 3]]) -> f64 {
    let part = |[a, b, c]: &[u32; 3]| at[*a as usize].dot(&at[*b as usize].cross(&at[*c as usize])) / 6.0;
    triangles.iter().map(part).sum()
}
