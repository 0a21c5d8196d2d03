//! The morph targets of the nodes of a file: their names and their weights at rest.

use super::document::Document;
use super::target_names::name_in;

/// The names under which the weights of a node's morph targets are numbers over time.
pub(super) fn target_names(document: &Document, at: usize) -> Vec<String> {
    (0..).map_while(|i| target_name(document, at, i)).collect()
}

fn target_name(document: &Document, at: usize, i: usize) -> Option<String> {
    let names = document.target_names();
    let of = names.nodes.get(at)?.as_ref()?;
    let target = names.meshes.get(document.root.nodes.get(at)?.mesh?)?.get(i)?;
    Some(format!("{of}.{target}"))
}

/// The names of a node's morph targets as the file states them, several of which may be equal.
pub(super) fn stated_names(document: &Document, at: usize) -> Vec<String> {
    (0..).map_while(|i| stated_name(document, at, i)).collect()
}

/// The name of one of them; `None` where the node or the target is not there.
pub(super) fn stated_name(document: &Document, at: usize, i: usize) -> Option<String> {
    let node = document.root.nodes.get(at)?;
    let mesh = document.root.meshes.get(node.mesh?)?;
    mesh.primitives.first()?.targets.get(i)?;
    let of = node.name.clone().unwrap_or_else(|| format!("node {at}"));
    Some(format!("{of}.{}", name_in(mesh, i)))
}

/// The weight of a morph target of a node without animation. The weights of a node take the place of those of its mesh.
pub(super) fn rest_weight(document: &Document, node: usize, target: usize) -> f64 {
    let node = &document.root.nodes[node];
    let of_mesh = || node.mesh.and_then(|mesh| document.root.meshes.get(mesh)).map(|mesh| &mesh.weights);
    let weights = if node.weights.is_empty() { of_mesh() } else { Some(&node.weights) };
    let weight = weights.and_then(|weights| weights.get(target)).copied();
    weight.filter(|weight| weight.is_finite()).unwrap_or(0.0)
}
