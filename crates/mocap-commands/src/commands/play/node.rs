//! Reads the nodes of a graph file.

use mocap_edit::{
    Amount, BlendSpace, Curve, Fade, LayerSpace, NodeKind, PhaseChange, SpaceKind, StateMachine, Transition,
};
use mocap_toml::{Entry, Table, TomlError, Value, find};

use super::names::{GRAPH, Names};

/// The types of nodes.
pub(crate) const TYPES: [&str; 6] = ["space", "blend", "lerp", "layer", "add", "states"];
/// Further keys of a layer or an additive node.
const MASKED: [&str; 3] = ["weight", "mask", "space"];

/// Reads the kind of a node.
pub(super) fn kind(names: &Names, entry: &Entry) -> Result<NodeKind, TomlError> {
    let table = entry.table(names.text)?;
    let stated = names.required(entry, table, "type")?;
    match stated.text(names.text)? {
        "space" => space(names, entry, table),
        "blend" => blend(names, entry, table),
        "lerp" => lerp(names, entry, table),
        "layer" => {
            let keys = [&["type", "base", "over"], &MASKED[..]].concat();
            names.text.check_keys(table, "a layer", &keys)?;
            let [base, over] = ["base", "over"].map(|key| names.required(entry, table, key));
            let (base, over) = (names.node(base?)?, names.node(over?)?);
            let weight = weight(names, table, Some(0.0..=1.0))?;
            Ok(NodeKind::Layer {
                base,
                over,
                weight,
                mask: mask(names, table)?,
                space: layer_space(names, table)?,
            })
        }
        "add" => {
            let keys = [&["type", "base", "add"], &MASKED[..]].concat();
            names.text.check_keys(table, "an addition", &keys)?;
            let [base, add] = ["base", "add"].map(|key| names.required(entry, table, key));
            let (base, add) = (names.node(base?)?, names.node(add?)?);
            let weight = weight(names, table, None)?;
            Ok(NodeKind::Add {
                base,
                add,
                weight,
                mask: mask(names, table)?,
                space: layer_space(names, table)?,
            })
        }
        "states" => states(names, entry, table),
        other => {
            let error =
                names.text.error(GRAPH, stated.cell.span.clone(), format!("no node has the type '{other}'"));
            Err(error.nearest(other, &TYPES, "types are"))
        }
    }
}

/// A weight; a constant one must be in its range.
fn weight(
    names: &Names,
    table: &Table,
    range: Option<std::ops::RangeInclusive<f64>>,
) -> Result<Amount, TomlError> {
    let Some(entry) = find(table, "weight") else { return Ok(Amount::Fixed(1.0)) };
    names.amount_in(entry, range)
}

fn layer_space(names: &Names, table: &Table) -> Result<LayerSpace, TomlError> {
    names.one_of(table, "space", &[("local", LayerSpace::Local), ("mesh", LayerSpace::Mesh)])
}

fn mask(names: &Names, table: &Table) -> Result<Option<mocap_edit::Mask>, TomlError> {
    find(table, "mask").map(|entry| names.parsed(entry)).transpose()
}

fn space(names: &Names, entry: &Entry, table: &Table) -> Result<NodeKind, TomlError> {
    let text = names.text;
    names.text.check_keys(table, "a blend space", &["type", "kind", "params", "sample"])?;
    let kind: SpaceKind = names.parsed(names.required(entry, table, "kind")?)?;
    let listed = names.required(entry, table, "params")?;
    let named = listed.texts(text)?;
    let params: Vec<usize> = named
        .iter()
        .map(|name| names.named(listed, name, &names.params, "parameter"))
        .collect::<Result<_, _>>()?;
    let samples = names.required(entry, table, "sample")?;
    let (mut places, mut clips) = (Vec::new(), Vec::new());
    for (sample, _) in samples.tables(text)? {
        let keys: Vec<&str> = named.iter().map(String::as_str).chain(["clip"]).collect();
        text.check_keys(sample, "a sample of this space", &keys)?;
        clips.push(names.clip(names.required(samples, sample, "clip")?)?);
        let place = named.iter().map(|name| names.required(samples, sample, name)?.number(text));
        places.push(place.collect::<Result<Vec<f64>, _>>()?);
    }
    let space = BlendSpace::new(kind, places)
        .map_err(|error| text.error(GRAPH, samples.cell.span.clone(), error.to_string()))?;
    Ok(NodeKind::Space { space, params, clips })
}

fn blend(names: &Names, entry: &Entry, table: &Table) -> Result<NodeKind, TomlError> {
    names.text.check_keys(table, "a blend", &["type", "part"])?;
    let listed = names.required(entry, table, "part")?;
    let mut parts = Vec::new();
    for (part, _) in listed.tables(names.text)? {
        names.text.check_keys(part, "a part of this blend", &["node", "weight"])?;
        parts.push((
            names.node(names.required(listed, part, "node")?)?,
            weight(names, part, Some(0.0..=f64::INFINITY))?,
        ));
    }
    if parts.is_empty() {
        return Err(names.text.error(GRAPH, listed.cell.span.clone(), "the blend has no parts"));
    }
    Ok(NodeKind::Blend { parts })
}

fn lerp(names: &Names, entry: &Entry, table: &Table) -> Result<NodeKind, TomlError> {
    names.text.check_keys(table, "a lerp", &["type", "nodes", "at"])?;
    let listed = names.required(entry, table, "nodes")?;
    let nodes = listed.texts(names.text)?;
    let nodes = nodes.iter().map(|name| names.named(listed, name, &names.nodes, "node"));
    let nodes: Vec<usize> = nodes.collect::<Result<_, _>>()?;
    let stated = names.required(entry, table, "at")?;
    let cells = match &stated.cell.value {
        Value::List(cells) => cells.clone(),
        _ => vec![stated.cell.clone()],
    };
    let at =
        cells.into_iter().map(|cell| names.amount_in(&Entry { cell, ..stated.clone() }, Some(0.0..=1.0)));
    let at: Vec<Amount> = at.collect::<Result<_, _>>()?;
    if !matches!((nodes.len(), at.len()), (2, 1) | (3 | 4, 2)) {
        let message = format!("{} nodes and {} numbers do not form a lerp", nodes.len(), at.len());
        let error = names.text.error(GRAPH, stated.cell.span.clone(), message);
        return Err(error.help("two nodes take one number, three and four nodes take two: at = ['u', 'v']"));
    }
    Ok(NodeKind::Lerp { nodes, at })
}

fn states(names: &Names, entry: &Entry, table: &Table) -> Result<NodeKind, TomlError> {
    let text = names.text;
    names.text.check_keys(table, "a state machine", &["type", "start", "state", "transition"])?;
    let listed = names.required(entry, table, "state")?;
    let mut states: Vec<(String, usize)> = Vec::new();
    for (state, span) in listed.tables(text)? {
        text.check_keys(state, "a state", &["name", "node"])?;
        let node = names.required(listed, state, "node")?;
        let name = find(state, "name").unwrap_or(node).text(text)?.to_owned();
        if states.iter().any(|(other, _)| *other == name) {
            return Err(text.error(GRAPH, span, format!("two states are called '{name}'")));
        }
        states.push((name, names.node(node)?));
    }
    if states.is_empty() {
        return Err(text.error(GRAPH, listed.cell.span.clone(), "the state machine has no states"));
    }
    let all: Vec<String> = states.iter().map(|(name, _)| name.clone()).collect();
    let state = |entry: &Entry| names.named(entry, entry.text(text)?, &all, "state");
    let ends = |state: usize| names.ends[states[state].1];
    let mut transitions = Vec::new();
    if let Some(listed) = find(table, "transition") {
        for (table, _) in listed.tables(text)? {
            transitions.push(transition(names, listed, table, &state, &ends)?);
        }
    }
    if let Some(start) = find(table, "start") {
        let start = state(start)?;
        states.swap(0, start);
        let swapped = |at: usize| {
            if at == 0 {
                start
            } else if at == start {
                0
            } else {
                at
            }
        };
        for transition in &mut transitions {
            (transition.from, transition.to) = (transition.from.map(swapped), swapped(transition.to));
        }
    }
    Ok(NodeKind::States(StateMachine { states, transitions }))
}

fn transition(
    names: &Names,
    listed: &Entry,
    table: &Table,
    state: &dyn Fn(&Entry) -> Result<usize, TomlError>,
    ends: &dyn Fn(usize) -> bool,
) -> Result<Transition, TomlError> {
    let text = names.text;
    let known = ["from", "to", "when", "seconds", "fade", "curve", "phase", "interruptible"];
    names.text.check_keys(table, "a transition", &known)?;
    let from = match find(table, "from") {
        Some(entry) if entry.text(text)? != "any" => Some(state(entry)?),
        _ => None,
    };
    let when = names.required(listed, table, "when")?;
    let condition: mocap_edit::Condition = names.parsed(when)?;
    for name in condition.params() {
        names.named(when, name, &names.params, "parameter")?;
    }
    let entered = names.required(listed, table, "to")?;
    let to = state(entered)?;
    let never = |entry: &Entry, why: String| {
        text.error(GRAPH, entry.cell.span.clone(), format!("the transition never fires: {why}"))
    };
    if from == Some(to) {
        return Err(never(entered, "from and to are the same state".into()));
    }
    if let Some(param) = condition.contradiction() {
        return Err(never(when, format!("no value of '{param}' meets all of its conditions")));
    }
    if from.is_some_and(|from| condition.waits_for_end() && !ends(from)) {
        let error = never(when, "the state it leaves loops and never finishes".into());
        return Err(error.help("leave it by a parameter, an event, or after a time"));
    }
    let seconds = find(table, "seconds").map_or(Ok(0.3), |entry| entry.number(names.text))?;
    if seconds < 0.0 {
        let span = names.required(listed, table, "seconds")?.cell.span.clone();
        return Err(text.error(GRAPH, span, "a transition takes 0 s or more"));
    }
    Ok(Transition {
        from,
        to,
        when: condition,
        seconds,
        kind: names.one_of(
            table,
            "fade",
            &[
                ("smooth", Fade::Smooth),
                ("frozen", Fade::Frozen),
                ("inertial", Fade::Inertial),
                ("pop", Fade::Pop),
            ],
        )?,
        curve: find(table, "curve").map_or(Ok(Curve::Smoothstep), |entry| names.parsed(entry))?,
        phase: names.one_of(
            table,
            "phase",
            &[("start", PhaseChange::Start), ("match", PhaseChange::Match), ("keep", PhaseChange::Keep)],
        )?,
        interruptible: find(table, "interruptible").map_or(Ok(false), |entry| entry.switch(text))?,
    })
}
