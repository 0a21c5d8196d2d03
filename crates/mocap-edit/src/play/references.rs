//! Checks that everything exists that a graph refers to by number.

use super::graph::{Amount, Graph, NodeKind, StateMachine};
use crate::EditError;

impl Graph {
    /// Checks the output, and the nodes, parameters and states that nodes refer to.
    pub(super) fn check_references(&self) -> Result<(), EditError> {
        if self.nodes.is_empty() {
            return Err(wrong("it has no nodes".to_owned()));
        }
        exists("the output", "node", self.output, self.nodes.len())?;
        for node in &self.nodes {
            let of = |what: &str, at: usize, count: usize| exists(&quoted(&node.name), what, at, count);
            node.kind.uses().into_iter().try_for_each(|used| of("node", used, self.nodes.len()))?;
            params(&node.kind).into_iter().try_for_each(|param| of("parameter", param, self.params.len()))?;
            match &node.kind {
                NodeKind::Blend { parts } if parts.is_empty() => {
                    return Err(wrong(format!("{} blends no nodes", quoted(&node.name))));
                }
                NodeKind::States(machine) => self.check_machine(&node.name, machine)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn check_machine(&self, name: &str, machine: &StateMachine) -> Result<(), EditError> {
        if machine.states.is_empty() {
            return Err(wrong(format!("{} has no states", quoted(name))));
        }
        for transition in &machine.transitions {
            for state in transition.from.into_iter().chain([transition.to]) {
                exists(&quoted(name), "state", state, machine.states.len())?;
            }
            let known = |param: &str| self.params.iter().any(|(name, _)| name == param);
            if let Some(param) = transition.when.params().into_iter().find(|param| !known(param)) {
                let reason = format!(
                    "a transition of {} tests '{param}', and the graph has no such parameter",
                    quoted(name)
                );
                return Err(wrong(reason));
            }
        }
        Ok(())
    }

    /// Checks the motions that nodes refer to, and that spaces have a motion for each sample.
    pub(super) fn check_motions(&self) -> Result<(), EditError> {
        for node in &self.nodes {
            let motions = match &node.kind {
                NodeKind::Clip { clip, .. } => std::slice::from_ref(clip),
                NodeKind::Space { space, params, clips } => {
                    let (found, expected) = ([clips.len(), params.len()], space.size());
                    if found != expected {
                        return Err(wrong(format!(
                            "{} has {} motions and {} parameters, its space {} samples of {} values",
                            quoted(&node.name),
                            found[0],
                            found[1],
                            expected[0],
                            expected[1]
                        )));
                    }
                    clips
                }
                _ => continue,
            };
            motions
                .iter()
                .try_for_each(|motion| exists(&quoted(&node.name), "motion", *motion, self.clips.len()))?;
        }
        Ok(())
    }
}

/// The parameters that a node reads.
fn params(kind: &NodeKind) -> Vec<usize> {
    let of = |amounts: &[Amount]| {
        let param = |amount: &Amount| match amount {
            Amount::Param(param) => Some(*param),
            Amount::Fixed(_) => None,
        };
        amounts.iter().filter_map(param).collect()
    };
    match kind {
        NodeKind::Clip { speed: amount, .. }
        | NodeKind::Add { weight: amount, .. }
        | NodeKind::Layer { weight: amount, .. } => of(&[*amount]),
        NodeKind::Space { params, .. } => params.clone(),
        NodeKind::Blend { parts } => of(&parts.iter().map(|(_, amount)| *amount).collect::<Vec<_>>()),
        NodeKind::Lerp { at, .. } => of(at),
        NodeKind::States(_) => Vec::new(),
    }
}

fn exists(of: &str, what: &str, at: usize, count: usize) -> Result<(), EditError> {
    if at < count {
        return Ok(());
    }
    Err(wrong(format!("{of} refers to {what} {at}, and there are {count}, counted from 0")))
}

fn quoted(name: &str) -> String {
    format!("'{name}'")
}

fn wrong(reason: String) -> EditError {
    EditError::Graph { reason }
}
