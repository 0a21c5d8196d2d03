//! Bars in place of trees of joints that no mesh of a file shows, such as a prop without a mesh beside a body that has one.

use mocap_analysis::body_height;
use mocap_model::{Body, Bone, Influence, JointId, Mesh, Skeleton, Skin, Vector3};
use nalgebra::Matrix4;

/// Half of the width of a bar, as a share of the height of the body beside it.
pub(crate) const HALF: f64 = 0.008;

/// The triangles of a box whose corners are numbered by side: 1 for x, 2 for y, 4 for z.
const SIDES: [[u32; 3]; 12] = [
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
];

/// A mesh with a bar for each bone of the trees that no vertex of a body follows; `None` where all are shown. A joint by
/// itself has no bone: it may be a camera or a light.
pub(crate) fn bars(body: &Body, skeleton: &Skeleton) -> Option<Mesh> {
    let longest = || skeleton.joints().iter().map(|joint| joint.offset.norm()).fold(0.0, f64::max);
    let half = HALF * body_height(skeleton, Some(body)).unwrap_or_else(longest);
    let tree = trees(skeleton);
    let mut shown = vec![false; skeleton.len()];
    for skin in body.meshes.iter().map(|mesh| &mesh.skin) {
        let followed = skin.influences.iter().filter(|influence| influence.weight > 0.0);
        let bones = followed.filter_map(|influence| skin.bones.get(influence.bone as usize));
        bones.filter_map(|bone| tree.get(bone.joint.index())).for_each(|root| shown[*root] = true);
    }
    let mut mesh = Mesh { skin: Skin { starts: vec![0], ..Skin::default() }, ..Mesh::default() };
    for (_, joint) in skeleton.iter().filter(|(id, _)| !shown[tree[id.index()]]) {
        let Some(parent) = joint.parent.filter(|_| joint.offset.norm() > 0.0 && half > 0.0) else { continue };
        add_bar(&mut mesh, (parent, joint.offset), half);
    }
    (!mesh.faces.is_empty()).then_some(mesh)
}

/// By joint, the root above it.
pub(crate) fn trees(skeleton: &Skeleton) -> Vec<usize> {
    let mut tree: Vec<usize> = (0..skeleton.len()).collect();
    for (id, joint) in skeleton.iter() {
        if let Some(parent) = joint.parent {
            tree[id.index()] = tree[parent.index()];
        }
    }
    tree
}

/// Adds a box along a bone, in the frame of the joint from which it leads to `to`.
fn add_bar(mesh: &mut Mesh, (joint, to): (JointId, Vector3<f64>), half: f64) {
    let bone = mesh.skin.bones.len() as u32;
    mesh.skin.bones.push(Bone { joint, inverse_bind: Matrix4::identity() });
    let along = to.normalize();
    let across = along.cross(&shortest_axis(&along)).normalize();
    let up = along.cross(&across);
    let first = mesh.positions.len() as u32;
    for corner in 0..8 {
        let side = |bit: u32| if corner & bit == 0 { -half } else { half };
        let end = if corner & 4 == 0 { Vector3::zeros() } else { to };
        mesh.positions.push(end + across * side(1) + up * side(2));
        mesh.skin.influences.push(Influence { bone, weight: 1.0 });
        mesh.skin.starts.push(mesh.skin.influences.len() as u32);
    }
    mesh.faces.extend(SIDES.map(|_| 3));
    mesh.corners.extend(SIDES.iter().flatten().map(|corner| first + corner));
}

/// The axis to which a vector is most perpendicular.
fn shortest_axis(vector: &Vector3<f64>) -> Vector3<f64> {
    Vector3::ith(vector.iamin(), 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{Joint, Space};

    /// A body of one joint with a mesh, a stick of one bone without one, and a camera.
    fn beside() -> (Body, Skeleton) {
        let joints = vec![
            Joint::new("body", None, Vector3::zeros()),
            Joint::new("stick", None, Vector3::y()),
            Joint::new("tip", Some(JointId(1)), Vector3::new(0.7, 0.0, 0.0)),
            Joint::new("camera", None, Vector3::zeros()),
        ];
        let skeleton = Skeleton::new("", Space::default(), joints).unwrap();
        let mut shown = Mesh { skin: Skin { starts: vec![0], ..Skin::default() }, ..Mesh::default() };
        add_bar(&mut shown, (JointId(0), Vector3::y()), 0.1);
        (Body { meshes: vec![shown], materials: Vec::new() }, skeleton)
    }

    #[test]
    fn a_prop_without_a_mesh_is_drawn_beside_a_body_with_one() {
        let (body, skeleton) = beside();
        let bar = bars(&body, &skeleton).expect("a stick without a mesh");
        assert_eq!((bar.faces.len(), bar.skin.bones.len()), (SIDES.len(), 1));
        assert_eq!(bar.skin.bones[0].joint, JointId(1), "it follows the stick");
        let far = bar.positions.iter().map(|point| point.x).fold(0.0, f64::max);
        assert!((far - 0.7).abs() < 1e-9, "{far}");
        let middle = bar.positions.iter().sum::<Vector3<f64>>() / 8.0;
        for triangle in bar.corners.chunks(3) {
            let [a, b, c] = [0, 1, 2].map(|corner| bar.positions[triangle[corner] as usize]);
            assert!((b - a).cross(&(c - a)).dot(&(a - middle)) > 0.0, "{triangle:?} faces inwards");
        }
        let both = Body { meshes: vec![body.meshes[0].clone(), bar], ..body };
        assert_eq!(bars(&both, &skeleton), None, "everything is shown");
    }
}
