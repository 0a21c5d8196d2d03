//! Describes a graph, as text and as JSON.

use std::fmt::Write;

use mocap_edit::{Amount, LayerSpace, NodeKind};
use schemars::JsonSchema;
use serde::Serialize;

use super::file::GraphFile;

/// The row of `mocap play --explain --json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Row {
    /// The name of the node whose pose is the output.
    output: String,
    /// Parameters and their values at the start.
    params: Vec<(String, f64)>,
    nodes: Vec<NodeRow>,
}

/// A node.
#[derive(Serialize, JsonSchema)]
struct NodeRow {
    name: String,
    /// clip, space, blend, lerp, layer, add or states.
    kind: &'static str,
    /// In words.
    does: String,
    /// Of a state machine: its transitions, in words.
    transitions: Vec<String>,
}

pub(super) fn json(file: &GraphFile) -> String {
    crate::batch::json(&row(file))
}

pub(super) fn text(file: &GraphFile) -> String {
    let Row { output, params, nodes } = row(file);
    let mut text = format!("output: {output}");
    for (name, value) in params {
        write!(text, "\nparameter {name}: {value} at the start").expect("a string takes all");
    }
    for NodeRow { name, kind, does, transitions } in nodes {
        write!(text, "\n{name}: {kind}, {does}").expect("a string takes all");
        for transition in transitions {
            write!(text, "\n  {transition}").expect("a string takes all");
        }
    }
    text
}

fn in_space(space: LayerSpace) -> &'static str {
    if space == LayerSpace::Mesh { ", in mesh space" } else { "" }
}

fn row(file: &GraphFile) -> Row {
    let graph = &file.graph;
    let node = |node: usize| graph.nodes[node].name.as_str();
    let amount = |amount: Amount| match amount {
        Amount::Fixed(value) => value.to_string(),
        Amount::Param(param) => graph.params[param].0.clone(),
    };
    let nodes = graph.nodes.iter().map(|given| {
        let (kind, does) = match &given.kind {
            NodeKind::Clip { clip, speed } => {
                let clip = &file.clips[*clip];
                let looped = if clip.looped { ", repeated" } else { "" };
                ("clip", format!("plays {} at {} ×{looped}", clip.path.display(), amount(*speed)))
            }
            NodeKind::Space { params, clips, .. } => {
                let params: Vec<&str> = params.iter().map(|param| graph.params[*param].0.as_str()).collect();
                let clips: Vec<&str> = clips.iter().map(|clip| file.clips[*clip].name.as_str()).collect();
                ("space", format!("blends {} by {}", clips.join(", "), params.join(", ")))
            }
            NodeKind::Blend { parts } => {
                let parts: Vec<String> = parts
                    .iter()
                    .map(|(part, weight)| format!("{} × {}", amount(*weight), node(*part)))
                    .collect();
                ("blend", parts.join(" + "))
            }
            NodeKind::Lerp { nodes, at } => {
                let nodes: Vec<&str> = nodes.iter().map(|of| node(*of)).collect();
                let at: Vec<String> = at.iter().map(|number| amount(*number)).collect();
                ("lerp", format!("between {} at {}", nodes.join(", "), at.join(", ")))
            }
            NodeKind::Layer { base, over, weight, mask, space } => {
                let joints = mask.as_ref().map_or("all joints".to_owned(), ToString::to_string);
                let (over, base, weight) = (node(*over), node(*base), amount(*weight));
                ("layer", format!("{over} over {base} by {weight}, {joints}{}", in_space(*space)))
            }
            NodeKind::Add { base, add, weight, mask, space } => {
                let joints = mask.as_ref().map_or("all joints".to_owned(), ToString::to_string);
                let (add, base, weight) = (node(*add), node(*base), amount(*weight));
                ("add", format!("{add} added to {base} by {weight}, {joints}{}", in_space(*space)))
            }
            NodeKind::States(machine) => {
                let states: Vec<&str> = machine.states.iter().map(|(name, _)| name.as_str()).collect();
                ("states", format!("{}; starts as {}", states.join(", "), states[0]))
            }
        };
        let transitions = match &given.kind {
            NodeKind::States(machine) => machine
                .transitions
                .iter()
                .map(|transition| {
                    let from = transition.from.map_or("any state", |from| &machine.states[from].0);
                    let to = &machine.states[transition.to].0;
                    format!("{from} → {to} when {}, {} s", transition.when, transition.seconds)
                })
                .collect(),
            _ => Vec::new(),
        };
        NodeRow { name: given.name.clone(), kind, does, transitions }
    });
    Row { output: node(graph.output).to_owned(), params: graph.params.clone(), nodes: nodes.collect() }
}
