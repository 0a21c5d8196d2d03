//! Small FBX files as text, to try one thing at a time.

use std::collections::HashMap;
use std::fmt::Write;

/// Units of time in a second.
const SECOND: f64 = 46_186_158_000.0;

/// A file under construction.
#[derive(Default)]
pub(crate) struct File {
    pub(crate) settings: String,
    objects: String,
    connections: String,
    nodes: u32,
    last: u32,
    /// What holds the curves of a property, by layer, node and property.
    holders: HashMap<(u32, u32, String), u32>,
}

impl File {
    /// Adds a bone below the node of a number, or below the scene for 0; `properties` are lines such as those of
    /// [`vector`]. Returns its number.
    pub(crate) fn bone(&mut self, name: &str, parent: u32, properties: &[String]) -> u32 {
        let node = self.node(name, "LimbNode", parent, properties);
        let id = 500_000 + node;
        writeln!(self.objects, "NodeAttribute: {id}, \"NodeAttribute::{name}\", \"LimbNode\" {{ TypeFlags: \"Skeleton\" }}").unwrap();
        writeln!(self.connections, "C: \"OO\",{id},{node}").unwrap();
        node
    }

    /// Adds a node that is not a bone.
    pub(crate) fn node(&mut self, name: &str, kind: &str, parent: u32, properties: &[String]) -> u32 {
        self.nodes += 1;
        let (node, properties) = (1000 + self.nodes, properties.join("\n"));
        writeln!(
            self.objects,
            "Model: {node}, \"Model::{name}\", \"{kind}\" {{ Version: 232\nProperties70: {{ {properties} }} }}"
        )
        .unwrap();
        writeln!(self.connections, "C: \"OO\",{node},{parent}").unwrap();
        node
    }

    /// Adds a stack from one second to another; returns the number of its layer.
    pub(crate) fn stack(&mut self, name: &str, from: f64, to: f64) -> u32 {
        let (stack, layer) = (self.claim(), self.claim());
        let [from, to] = [from, to].map(ticks);
        writeln!(
            self.objects,
            "AnimationStack: {stack}, \"AnimStack::{name}\", \"\" {{ Properties70: {{ P: \"LocalStart\", \"KTime\", \
             \"Time\", \"\",{from}\nP: \"LocalStop\", \"KTime\", \"Time\", \"\",{to} }} }}\nAnimationLayer: {layer}, \
             \"AnimLayer::Base\", \"\" {{ }}"
        )
        .unwrap();
        writeln!(self.connections, "C: \"OO\",{layer},{stack}").unwrap();
        layer
    }

    /// Moves one component of a property of a node: pairs of a time [s] and a value.
    pub(crate) fn curve(&mut self, layer: u32, node: u32, property: &str, axis: &str, keys: &[(f64, f64)]) {
        let holder = self.holder(layer, node, property);
        let curve = self.claim();
        let times: Vec<String> = keys.iter().map(|(time, _)| ticks(*time).to_string()).collect();
        let values: Vec<String> = keys.iter().map(|(_, value)| value.to_string()).collect();
        let (n, times, values) = (keys.len(), times.join(","), values.join(","));
        writeln!(
            self.objects,
            "AnimationCurve: {curve}, \"AnimCurve::\", \
             \"\" {{ Default: 0\nKeyVer: 4008\nKeyTime: *{n} {{ a: {times} }}\nKeyValueFloat: *{n} {{ a: {values} }}\n\
             KeyAttrFlags: *1 {{ a: 24836 }}\nKeyAttrDataFloat: *4 {{ a: 0,0,218434821,0 }}\nKeyAttrRefCount: *1 {{ a: \
             {n} }} }}"
        )
        .unwrap();
        writeln!(
            self.connections,
            "C: \"OP\",{curve},{holder}, \"d|{axis}\""
        )
        .unwrap();
    }

    /// What holds the curves of a property.
    fn holder(&mut self, layer: u32, node: u32, property: &str) -> u32 {
        let key = (layer, node, property.to_owned());
        if let Some(holder) = self.holders.get(&key) {
            return *holder;
        }
        let holder = self.claim();
        self.holders.insert(key, holder);
        writeln!(self.objects, "AnimationCurveNode: {holder}, \"AnimCurveNode::x\", \"\" {{ }}").unwrap();
        writeln!(
            self.connections,
            "C: \"OO\",{holder},{layer}\nC: \"OP\",{holder},{node}, \"{property}\""
        )
        .unwrap();
        holder
    }

    /// The bind pose: the place of each node in the scene, without a rotation.
    pub(crate) fn bind_pose(&mut self, places: &[(u32, [f64; 3])]) {
        let id = self.claim();
        let nodes: String = places
            .iter()
            .map(|(node, [x, y, z])| {
                format!("PoseNode: {{ Node: {node}\nMatrix: *16 {{ a: 1,0,0,0,0,1,0,0,0,0,1,0,{x},{y},{z},1 }} }}\n")
            })
            .collect();
        let count = places.len();
        writeln!(
            self.objects,
            "Pose: {id}, \"Pose::p\", \"BindPose\" {{ Type: \"BindPose\"\nVersion: 100\nNbPoseNodes: {count}\n{nodes}}}"
        )
        .unwrap();
    }

    fn claim(&mut self) -> u32 {
        self.last += 1;
        1_000_000 + self.last
    }

    /// The bytes of the file: 30 frames per second, unless the settings say otherwise.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let File { settings, objects, connections, .. } = self;
        let rate = if settings.contains("TimeMode") { String::new() } else { integer("TimeMode", 6) };
        format!(
            "; FBX 7.4.0 project file\nFBXHeaderExtension: {{ FBXHeaderVersion: 1003\nFBXVersion: 7400 }}\n\
             GlobalSettings: {{ Version: 1000\nProperties70: {{ {rate}\n{settings} }} }}\nObjects: {{\n{objects}}}\n\
             Connections: {{\n{connections}}}\n"
        )
        .into_bytes()
    }
}

fn ticks(seconds: f64) -> i64 {
    (seconds * SECOND).round() as i64
}

/// A property of three numbers.
pub(crate) fn vector(name: &str, [x, y, z]: [f64; 3]) -> String {
    let (kind, flags) = if name.starts_with("Lcl") { (name, "A") } else { ("Vector3D", "") };
    format!("P: \"{name}\", \"{kind}\", \"\", \"{flags}\",{x},{y},{z}")
}

/// A property that is a whole number.
pub(crate) fn integer(name: &str, value: i64) -> String {
    format!("P: \"{name}\", \"int\", \"Integer\", \"\",{value}")
}

/// A property that is a number.
pub(crate) fn number(name: &str, value: f64) -> String {
    format!("P: \"{name}\", \"double\", \"Number\", \"\",{value}")
}
