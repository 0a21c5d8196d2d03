//! The objects of a file while it is built.

use mocap_model::JointId;

use super::record::Record;

/// The objects and what connects them.
pub(super) struct Scene {
    pub(super) objects: Vec<Record>,
    pub(super) connections: Vec<Record>,
    last: i64,
    /// By joint, the number of its node.
    pub(super) nodes: Vec<i64>,
}

impl Scene {
    /// No objects yet.
    pub(super) fn new() -> Scene {
        Scene::after(1_000_000)
    }

    /// No objects yet; new ones get numbers above `last`.
    pub(super) fn after(last: i64) -> Scene {
        Scene { objects: Vec::new(), connections: Vec::new(), last, nodes: Vec::new() }
    }

    /// A number for an object.
    pub(super) fn claim(&mut self) -> i64 {
        self.last += 1;
        self.last
    }

    /// The number of the node of a joint.
    pub(super) fn node(&self, joint: JointId) -> i64 {
        self.nodes[joint.index()]
    }

    /// Puts an object below another.
    pub(super) fn connect(&mut self, from: i64, to: i64) {
        self.connections.push(Record::new("C", vec!["OO".into(), from.into(), to.into()]));
    }

    /// Makes an object the source of a property of another.
    pub(super) fn drive(&mut self, from: i64, to: i64, property: &str) {
        let values = vec!["OP".into(), from.into(), to.into(), property.into()];
        self.connections.push(Record::new("C", values));
    }
}
