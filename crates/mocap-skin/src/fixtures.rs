//! Surfaces for tests.

use crate::{MeshParts, Surface};
use mocap_model::{Bone, Influence, Joint, JointId, Pose, Skeleton, Space, Vector3};
use std::f64::consts::PI;

/// A sphere of triangles.
pub(crate) fn sphere(centre: Vector3<f64>, radius: f64, rings: usize) -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let around = 2 * rings;
    let place = |ring: usize, step: usize| {
        let (polar, turn) = (PI * ring as f64 / rings as f64, 2.0 * PI * step as f64 / around as f64);
        centre + Vector3::new(polar.sin() * turn.cos(), polar.cos(), -polar.sin() * turn.sin()) * radius
    };
    let places = (0..=rings).flat_map(|ring| (0..around).map(move |step| (ring, step)));
    let places = places.map(|(ring, step)| place(ring, step)).collect();
    let mut triangles = Vec::new();
    for ring in 0..rings {
        for step in 0..around {
            let at = |ring: usize, step: usize| (ring * around + step % around) as u32;
            let [a, b] = [at(ring, step), at(ring, step + 1)];
            let [c, d] = [at(ring + 1, step), at(ring + 1, step + 1)];
            triangles.push([a, c, b]);
            triangles.push([b, c, d]);
        }
    }
    (places, triangles)
}

/// Spheres that follow one joint each; the second hangs on the first.
pub(crate) fn spheres(centres: [Vector3<f64>; 2], radii: [f64; 2]) -> (Surface, Skeleton) {
    let joints = vec![
        Joint::new("first", None, centres[0]),
        Joint::new("second", Some(JointId(0)), centres[1] - centres[0]),
    ];
    let skeleton = Skeleton::new("spheres", Space::default(), joints).unwrap();
    let mut object = Pose::default();
    Pose::rest(&skeleton).to_object(&skeleton, &mut object);
    let mut parts = MeshParts { starts: vec![0], ..MeshParts::default() };
    let mut all = Vec::new();
    for i in 0..2 {
        let (places, triangles) = sphere(centres[i], radii[i], 24);
        let first = parts.positions.len() as u32;
        all.extend(triangles.into_iter().map(|corners| corners.map(|corner| corner + first)));
        for place in places {
            parts.positions.push(place);
            parts.normals.push((place - centres[i]).normalize());
            parts.influences.push(Influence { bone: i as u32, weight: 1.0 });
            parts.starts.push(parts.influences.len() as u32);
        }
        let inverse_bind = object.joints[i].inverse().to_homogeneous();
        parts.bones.push(Bone { joint: JointId(i as u32), inverse_bind });
    }
    (Surface::from_parts(parts, all).unwrap(), skeleton)
}

impl Surface {
    /// Vertices in the bind pose, to damage them.
    pub(crate) fn positions_mut(&mut self) -> &mut [Vector3<f64>] {
        &mut self.mesh.positions
    }
}
