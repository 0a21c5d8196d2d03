//! Names that are unique in a skeleton.

use super::document::{Node, NodeKind};
use std::collections::{HashMap, HashSet};

/// A unique name for every node: its own where it is the first to have it, else with a number behind it.
///
/// Joints choose before end sites, so that no end site takes the name of a joint.
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

/// Hands out names, each once.
#[derive(Default)]
pub(super) struct Unique {
    taken: HashSet<String>,
    /// The number that was last put behind a name.
    last: HashMap<String, usize>,
}

impl Unique {
    /// `name` or, where it is taken, `name_2` and so on.
    pub(super) fn claim(&mut self, name: &str) -> String {
        let mut claimed = name.to_owned();
        while !self.taken.insert(claimed.clone()) {
            let number = self.last.entry(name.to_owned()).or_insert(1);
            *number += 1;
            claimed = format!("{name}_{number}");
        }
        claimed
    }
}
