//! The triangles of all meshes, for terrains: in scene coordinates, without skins and morphs.

use mocap_model::Vector3;
use nalgebra::Matrix4;

use super::document::Document;
use super::problem::Problem;
use super::problem::index;
use super::root::Primitive;
use super::trs::Trs;
use crate::{Finding, LimitExceeded, Limits};

/// Triangles, strips and fans.
const MODES: [u32; 3] = [4, 5, 6];

/// The triangles of a glTF file: Y up, metres. Lines and points are left out.
///
/// # Errors
/// A finding that names the place by its path in the JSON.
pub fn triangles(document: &Document, limits: &Limits) -> Result<Vec<[Vector3<f64>; 3]>, Finding> {
    let nodes = &document.root.nodes;
    let mut has_parent = vec![false; nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        for child in &node.children {
            let known = has_parent.get_mut(*child);
            *known.ok_or_else(|| index(format!("nodes[{at}].children"), *child, "nodes", nodes.len()))? =
                true;
        }
    }
    let mut open: Vec<(usize, Matrix4<f64>)> = (0..nodes.len())
        .rev()
        .filter(|node| !has_parent[*node])
        .map(|node| (node, Matrix4::identity()))
        .collect();
    let mut found = Vec::new();
    let mut visited = 0;
    while let Some((at, above)) = open.pop() {
        visited += 1;
        if visited > nodes.len() {
            let (path, expected) = (format!("nodes[{at}]"), "one parent per node".into());
            return Err(Finding::new(Problem::Unexpected { path, found: "another parent".into(), expected }));
        }
        let node = &nodes[at];
        let place = above * matrix(node);
        open.extend(node.children.iter().rev().map(|child| (*child, place)));
        let Some(mesh) = node.mesh else { continue };
        let meshes = &document.root.meshes;
        let shape = meshes
            .get(mesh)
            .ok_or_else(|| index(format!("nodes[{at}].mesh"), mesh, "meshes", meshes.len()))?;
        for (number, primitive) in shape.primitives.iter().enumerate() {
            let path = format!("meshes[{mesh}].primitives[{number}]");
            document.add(primitive, &path, &place, limits, &mut found)?;
        }
    }
    if visited < nodes.len() {
        let (path, expected) = ("nodes".into(), "a node that is nobody's child above each".into());
        return Err(Finding::new(Problem::Unexpected { path, found: "nodes in a circle".into(), expected }));
    }
    Ok(found)
}

fn matrix(node: &super::root::Node) -> Matrix4<f64> {
    if let Some(values) = &node.matrix {
        return Matrix4::from_column_slice(values);
    }
    let Trs { translation, rotation, scale } = Trs::of(node);
    Matrix4::new_translation(&translation)
        * rotation.to_homogeneous()
        * Matrix4::new_nonuniform_scaling(&scale)
}

impl Document {
    fn add(
        &self,
        primitive: &Primitive,
        path: &str,
        place: &Matrix4<f64>,
        limits: &Limits,
        found: &mut Vec<[Vector3<f64>; 3]>,
    ) -> Result<(), Finding> {
        let mode = primitive.mode.unwrap_or(MODES[0]);
        let Some(positions) = primitive.attributes.get("POSITION").filter(|_| MODES.contains(&mode)) else {
            return Ok(());
        };
        let values = self.floats(*positions, "VEC3", &format!("{path}.attributes.POSITION"), limits)?;
        let corners: Vec<Vector3<f64>> = values
            .chunks_exact(3)
            .map(|xyz| place.transform_point(&nalgebra::Point3::new(xyz[0], xyz[1], xyz[2])).coords)
            .collect();
        let order: Vec<usize> = match primitive.indices {
            Some(indices) => {
                let path = format!("{path}.indices");
                let order = self.floats(indices, "SCALAR", &path, limits)?;
                let is_known = |at: &&f64| **at >= 0.0 && at.fract() == 0.0 && **at < corners.len() as f64;
                if let Some(at) = order.iter().find(|at| !is_known(at)) {
                    let expected = format!("a whole number below {}, the number of positions", corners.len());
                    return Err(Finding::new(Problem::Unexpected { path, found: at.to_string(), expected }));
                }
                order.into_iter().map(|at| at as usize).collect()
            }
            None => (0..corners.len()).collect(),
        };
        let count = order.len();
        let three = |a: usize, b: usize, c: usize| [a, b, c].map(|at| corners[order[at]]);
        match mode {
            4 => found.extend((0..count / 3).map(|i| three(3 * i, 3 * i + 1, 3 * i + 2))),
            5 => found.extend((2..count).map(|i| three(i - 2, i - 1, i))),
            _ => found.extend((2..count).map(|i| three(0, i - 1, i))),
        }
        if found.len() > limits.frames {
            let limit = limits.frames;
            return Err(Finding::new(LimitExceeded { what: "triangles", found: found.len(), limit }));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gltf::parse;

    #[test]
    fn triangles_stand_where_their_node_does() {
        let text = r#"{"asset":{"version":"2.0"},"nodes":[{"translation":[0,1,0],"children":[1]},
            {"mesh":0,"scale":[2,2,2]}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
            "accessors":[{"componentType":5126,"count":3,"type":"VEC3","bufferView":0}],
            "bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,"uri":
            "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAAAAAAIA/"}]}"#;
        let document = parse(text.as_bytes(), &Default::default(), &Default::default()).unwrap().value;
        let found = triangles(&document, &Default::default()).unwrap();
        let expected = [[0.0, 1.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 2.0]].map(Vector3::from);
        assert_eq!(found, [expected]);
    }

    #[test]
    fn nodes_have_one_parent_and_no_circles() {
        let of = |nodes: &str| {
            let text = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes}]}}"#);
            let document = parse(text.as_bytes(), &Default::default(), &Default::default()).unwrap().value;
            triangles(&document, &Default::default()).map_err(|error| error.to_string())
        };
        assert_eq!(of(r#"{"children":[1]},{}"#), Ok(vec![]));
        let refused = |nodes: &str, part: &str| {
            let error = of(nodes).unwrap_err();
            assert!(error.contains(part), "{nodes}: {error}");
        };
        refused(r#"{"children":[1]},{"children":[0]}"#, "circle");
        refused(r#"{},{"children":[1]}"#, "circle");
        refused(r#"{"children":[2]},{"children":[2]},{}"#, "one parent");
        refused(r#"{"children":[7]}"#, "nodes[0].children");
        refused(r#"{"mesh":3}"#, "nodes[0].mesh");
    }
}
