//! The names of morph targets.

use super::root::{Mesh, Root};
use crate::names::Unique;

/// The parts of the names of morph targets. A name is that of its node and of its target; both are numbered where
/// several are equal. Names are not kept whole: many nodes may show one mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct TargetNames {
    /// By node; only of nodes whose meshes have targets.
    pub(super) nodes: Vec<Option<String>>,
    /// By mesh.
    pub(super) meshes: Vec<Vec<String>>,
    /// The meshes with several targets of one name, and that name.
    pub(super) twice: Vec<(usize, String)>,
}

impl TargetNames {
    pub(super) fn of(root: &Root) -> TargetNames {
        let mut twice = Vec::new();
        let meshes: Vec<Vec<String>> = root
            .meshes
            .iter()
            .enumerate()
            .map(|(mesh, own)| {
                let count = own.primitives.first().map_or(0, |primitive| primitive.targets.len());
                let mut unique = Unique::default();
                let mut double = None;
                let names = (0..count).map(|i| {
                    let name = name_in(own, i);
                    let claimed = unique.claim(&name);
                    if claimed != name {
                        double.get_or_insert(name);
                    }
                    claimed
                });
                let names = names.collect();
                twice.extend(double.map(|name| (mesh, name)));
                names
            })
            .collect();
        let mut unique = Unique::default();
        let nodes = root.nodes.iter().enumerate().map(|(at, node)| {
            let has_targets = meshes.get(node.mesh?).is_some_and(|targets| !targets.is_empty());
            let name = || node.name.clone().unwrap_or_else(|| format!("node {at}"));
            has_targets.then(|| unique.claim(&name()))
        });
        let nodes = nodes.collect();
        TargetNames { nodes, meshes, twice }
    }
}

/// The name of a target as its mesh states it, else its number.
pub(super) fn name_in(mesh: &Mesh, i: usize) -> String {
    let stated = mesh.extras.get("targetNames").and_then(|names| names.as_array()?.get(i)?.as_str());
    stated.map_or_else(|| i.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nodes_and_targets_of_one_name_are_numbered() {
        let mesh = |names: &[&str]| {
            let targets = vec![json!({ "POSITION": 0 }); 3];
            let primitive = json!({ "attributes": { "POSITION": 0 }, "targets": targets });
            json!({ "primitives": [primitive], "extras": { "targetNames": names } })
        };
        let json = json!({
            "asset": { "version": "2.0" },
            "nodes": [{ "name": "face", "mesh": 0 }, { "name": "face", "mesh": 1 }, { "name": "face" }, { "mesh": 2 }],
            "meshes": [mesh(&["smile", "smile", "frown"]), mesh(&["smile", "1"]), { "primitives": [] }],
        });
        let names = TargetNames::of(&serde_json::from_value::<Root>(json).unwrap());
        assert_eq!(names.meshes, [vec!["smile", "smile_2", "frown"], vec!["smile", "1", "2"], vec![]]);
        let nodes: Vec<Option<&str>> = names.nodes.iter().map(Option::as_deref).collect();
        assert_eq!(nodes, [Some("face"), Some("face_2"), None, None]);
        assert_eq!(names.twice, [(0, "smile".to_owned())]);
    }
}
