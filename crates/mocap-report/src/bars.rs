//! Bars in place of trees of joints that no mesh of a file shows, such as a prop without a mesh beside a body that has one.

use crate::surface::{Surface, SurfaceBone, Vertex};
use mocap_analysis::body_height;
use mocap_model::{Body, Clip, Influence, JointId, Skeleton, Vector3};
use nalgebra::Matrix4;

/// Half of the width of a bar, as a share of the height of the body beside it.
const HALF: f64 = 0.008;

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

/// Adds a bar for each bone of the trees that no vertex of `surface` follows. A joint by itself has no bone: it may be a camera
/// or a light.
pub(crate) fn add_bars(surface: &mut Surface, body: &Body, clip: &Clip) {
    let skeleton = clip.skeleton();
    let longest = || skeleton.joints().iter().map(|joint| joint.offset.norm()).fold(0.0, f64::max);
    let half = HALF * body_height(skeleton, Some(body)).unwrap_or_else(longest);
    let shown = shown_trees(surface, skeleton);
    let tree = trees(skeleton);
    for (_, joint) in skeleton.iter().filter(|(id, _)| !shown[tree[id.index()]]) {
        let Some(parent) = joint.parent.filter(|_| joint.offset.norm() > 0.0 && half > 0.0) else { continue };
        add_bar(surface, (parent, joint.offset), half, body.meshes.len());
    }
}

/// By joint, the root above it.
fn trees(skeleton: &Skeleton) -> Vec<usize> {
    let mut tree: Vec<usize> = (0..skeleton.len()).collect();
    for (id, joint) in skeleton.iter() {
        if let Some(parent) = joint.parent {
            tree[id.index()] = tree[parent.index()];
        }
    }
    tree
}

/// By joint, whether vertices follow a joint of the tree of which it is the root.
fn shown_trees(surface: &Surface, skeleton: &Skeleton) -> Vec<bool> {
    let tree = trees(skeleton);
    let mut shown = vec![false; skeleton.len()];
    for influence in surface.vertices.iter().flat_map(|vertex| &vertex.influences) {
        shown[tree[surface.bones[influence.bone as usize].joint]] = true;
    }
    shown
}

/// A bar from a joint to a place in its frame.
fn add_bar(surface: &mut Surface, (joint, to): (JointId, Vector3<f64>), half: f64, mesh: usize) {
    let bone = surface.bones.len() as u32;
    surface.bones.push(SurfaceBone { joint: joint.index(), bind: Matrix4::identity(), mesh });
    let along = to.normalize();
    // Across: the axis that is furthest from the bone.
    let across = along.cross(&shortest_axis(&along)).normalize();
    let up = along.cross(&across);
    let first = surface.vertices.len() as u32;
    for corner in 0..8 {
        let side = |bit: u32| if corner & bit == 0 { -half } else { half };
        let end = if corner & 4 == 0 { Vector3::zeros() } else { to };
        let point = end + across * side(1) + up * side(2);
        let influences = vec![Influence { bone, weight: 1.0 }];
        surface.vertices.push(Vertex { point, normal: Vector3::zeros(), influences, colour: None });
    }
    surface.triangles.extend(SIDES.map(|side| side.map(|corner| first + corner)));
}

/// The axis along which a vector is shortest.
fn shortest_axis(vector: &Vector3<f64>) -> Vector3<f64> {
    let mut axis = Vector3::zeros();
    axis[vector.iamin()] = 1.0;
    axis
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made::chain;
    use crate::surface::tests::square;
    use mocap_model::{Joint, JointTracks, Space};

    /// The same joints and a stick beside them, at rest.
    fn with_stick(clip: &Clip) -> Clip {
        let mut joints = clip.skeleton().joints().to_vec();
        let root = JointId::from(joints.len());
        joints.push(Joint::new("stick", None, Vector3::y()));
        joints.push(Joint::new("tip", Some(root), Vector3::new(0.7, 0.0, 0.0)));
        joints.push(Joint::new("camera", None, Vector3::zeros()));
        let skeleton = Skeleton::new("", *clip.skeleton().space(), joints).unwrap();
        let tracks = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        Clip::new(skeleton.into(), clip.rate(), clip.frames(), tracks).unwrap()
    }

    #[test]
    fn a_prop_without_a_mesh_is_drawn_beside_a_body_with_one() {
        let (body, clip) = (square(), chain(3, 1.0, 0, Space::default()));
        let before = Surface::new(&body, &clip).expect("a mesh");
        let after = Surface::new(&body, &with_stick(&clip)).expect("a mesh");
        assert_eq!(after.triangles.len(), before.triangles.len() + SIDES.len());
        // From the root of the stick to its tip, and outside on all sides.
        let bar = &after.vertices[before.vertices.len()..];
        let far = bar.iter().map(|vertex| vertex.point.x).fold(0.0, f64::max);
        assert!((far - 0.7).abs() < 1e-9, "{far}");
        let middle = bar.iter().map(|vertex| vertex.point).sum::<Vector3<f64>>() / 8.0;
        for triangle in &after.triangles[before.triangles.len()..] {
            let [a, b, c] = triangle.map(|corner| after.vertices[corner as usize].point);
            assert!((b - a).cross(&(c - a)).dot(&(a - middle)) > 0.0, "{triangle:?} faces inwards");
        }
    }
}
