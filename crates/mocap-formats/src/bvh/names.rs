//! Names that are unique in a skeleton.

use super::document::{Node, NodeKind};
use crate::names::Unique;

/// A unique name for every node: its own where it is the first with it, else with a number appended.
///
/// Joints are named before end sites, so an end site never takes the name of a joint.
pub(super) fn of_nodes(nodes: &[Node]) -> Vec<String> {
    let mut names = vec![String::new(); nodes.len()];
    let mut unique = Unique::default();
    for (name, node) in names.iter_mut().zip(nodes).filter(|(_, node)| node.kind != NodeKind::EndSite) {
        *name = unique.claim(if node.name.is_empty() { "joint" } else { &node.name });
    }
    for (i, node) in nodes.iter().enumerate().filter(|(_, node)| node.kind == NodeKind::EndSite) {
        names[i] = match (node.name.as_str(), node.parent) {
            ("", Some(parent)) => unique.claim(&format!("{}_End", names[parent])),
            (name, _) => unique.claim(name),
        };
    }
    names
}
