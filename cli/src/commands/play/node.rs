//! The nodes of a graph file.

use mocap_edit::{
    Amount, BlendSpace, Curve, Fade, NodeKind, PhaseChange, SpaceKind, StateMachine, Transition,
};
use mocap_toml::{Entry, Table, TomlError, find};

use super::names::{GRAPH, Names};

const TYPES: [&str; 5] = ["space", "blend", "layer", "add", "states"];

/// What a node does.
pub(super) fn kind(names: &Names, entry: &Entry) -> Result<NodeKind, TomlError> {
    let table = entry.table(names.text)?;
    let stated = names.required(entry, table, "type")?;
    match stated.text(names.text)? {
        "space" => space(names, entry, table),
        "blend" => blend(names, entry, table),
        "layer" => {
            names.text.check_keys(table, "a layer", &["type", "base", "over", "weight", "mask"])?;
            let [base, over] = ["base", "over"].map(|key| names.required(entry, table, key));
            let (base, over) = (names.node(base?)?, names.node(over?)?);
            Ok(NodeKind::Layer { base, over, weight: weight(names, table)?, mask: mask(names, table)? })
        }
        "add" => {
            names.text.check_keys(table, "an addition", &["type", "base", "add", "weight", "mask"])?;
            let [base, add] = ["base", "add"].map(|key| names.required(entry, table, key));
            let (base, add) = (names.node(base?)?, names.node(add?)?);
            Ok(NodeKind::Add { base, add, weight: weight(names, table)?, mask: mask(names, table)? })
        }
        "states" => states(names, entry, table),
        other => {
            let error =
                names.text.error(GRAPH, stated.cell.span.clone(), format!("no node has the type '{other}'"));
            Err(error.nearest(other, &TYPES, "types are"))
        }
    }
}

fn weight(names: &Names, table: &Table) -> Result<Amount, TomlError> {
    find(table, "weight").map_or(Ok(Amount::Fixed(1.0)), |entry| names.amount(entry))
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
        parts.push((names.node(names.required(listed, part, "node")?)?, weight(names, part)?));
    }
    if parts.is_empty() {
        return Err(names.text.error(GRAPH, listed.cell.span.clone(), "the blend has no parts"));
    }
    Ok(NodeKind::Blend { parts })
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
    let mut transitions = Vec::new();
    if let Some(listed) = find(table, "transition") {
        for (table, _) in listed.tables(text)? {
            transitions.push(transition(names, listed, table, &state)?);
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
    let seconds = find(table, "seconds").map_or(Ok(0.3), |entry| entry.number(names.text))?;
    if seconds < 0.0 {
        let span = names.required(listed, table, "seconds")?.cell.span.clone();
        return Err(text.error(GRAPH, span, "a transition takes 0 s or more"));
    }
    let one_of = |key: &str, words: &[&str]| match find(table, key) {
        None => Ok(0),
        Some(entry) => {
            let all: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            names.named(entry, entry.text(text)?, &all, key)
        }
    };
    Ok(Transition {
        from,
        to: state(names.required(listed, table, "to")?)?,
        when: condition,
        seconds,
        kind: [Fade::Smooth, Fade::Frozen, Fade::Inertial, Fade::Pop]
            [one_of("fade", &["smooth", "frozen", "inertial", "pop"])?],
        curve: find(table, "curve").map_or(Ok(Curve::Smoothstep), |entry| names.parsed(entry))?,
        phase: [PhaseChange::Start, PhaseChange::Match, PhaseChange::Keep]
            [one_of("phase", &["start", "match", "keep"])?],
        interruptible: find(table, "interruptible").map_or(Ok(false), |entry| entry.switch(text))?,
    })
}
