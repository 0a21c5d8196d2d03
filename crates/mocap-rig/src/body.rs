//! A body with the weights that were found.

use mocap_model::{Body, Bone, Influence, JointId, Mesh, Skeleton, Skin, StatedSkin, Vector3};
use nalgebra::{Isometry3, Matrix3, Translation3};

use crate::{PlaceWeights, RigMesh, rest_places};

/// The same mesh turned about the origin and scaled: vertices, normals and shapes.
pub fn turned(mesh: &Mesh, turn: &Matrix3<f64>, scale: f64) -> Mesh {
    let mut made = mesh.clone();
    let place = |place: &mut Vector3<f64>| *place = turn * *place * scale;
    made.positions.iter_mut().for_each(place);
    made.normals.iter_mut().for_each(|normal| *normal = turn * *normal);
    for shape in &mut made.shapes {
        shape.offsets.iter_mut().for_each(|(_, offset)| *offset = turn * *offset * scale);
    }
    made
}

/// The body with new weights. Its vertices are in object space, mesh after mesh in the order of `mesh`; meshes for
/// which `skips` is true keep their skin.
pub fn bound(
    body: &Body,
    mesh: &RigMesh,
    weights: &PlaceWeights,
    skeleton: &Skeleton,
    skips: impl Fn(usize) -> bool,
) -> Body {
    let mut object = mocap_model::Pose::default();
    mocap_model::Pose::rest(skeleton).to_object(skeleton, &mut object);
    debug_assert_eq!(rest_places(skeleton).len(), object.joints.len());
    let mut joints: Vec<JointId> = weights.all.iter().map(|(joint, _)| *joint).collect();
    joints.sort_unstable();
    joints.dedup();
    let bones: Vec<Bone> = joints
        .iter()
        .map(|joint| {
            let at: &Isometry3<f64> = &object.joints[joint.index()];
            let at = Isometry3::from_parts(Translation3::from(at.translation.vector), at.rotation);
            Bone { joint: *joint, inverse_bind: at.inverse().to_homogeneous() }
        })
        .collect();
    let mut first = 0;
    let meshes = body.meshes.iter().enumerate().map(|(number, old)| {
        let range = first..first + old.positions.len();
        first = range.end;
        if skips(number) {
            return old.clone();
        }
        let mut skin = Skin { bones: bones.clone(), starts: vec![0], influences: Vec::new() };
        for vertex in range {
            for (joint, weight) in weights.of(mesh.of_vertex[vertex] as usize) {
                let bone = joints.binary_search(joint).expect("each joint is listed") as u32;
                skin.influences.push(Influence { bone, weight: *weight });
            }
            skin.starts.push(skin.influences.len() as u32);
        }
        Mesh { skin, stated: StatedSkin::default(), ..old.clone() }
    });
    Body { meshes: meshes.collect(), materials: body.materials.clone() }
}
