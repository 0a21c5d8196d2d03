//! The HIERARCHY section. Nested brackets are followed with an explicit stack, so a file can be nested
//! as deeply as `Limits` allows.

use super::Problem;
use super::document::{Channel, Node, NodeKind};
use super::grammar;
use super::reader::{ParseError, Reader};
use crate::text::{self, decode_name};
use crate::{LimitExceeded, Limits};
use mocap_model::Vector3;
use std::collections::HashSet;
use std::ops::Range;

/// A node whose bracket is open.
struct Open {
    node: usize,
    /// Where it begins.
    span: Range<usize>,
    offset: bool,
    channels: bool,
}

/// Reads from the start of the text to `MOTION` or to the end.
pub(super) fn hierarchy(reader: &mut Reader, limits: &Limits) -> Result<Vec<Node>, ParseError> {
    reader.skip_space();
    if reader.take(grammar::keyword("HIERARCHY")).is_none() {
        return Err(reader.unexpected("HIERARCHY"));
    }
    let mut nodes: Vec<Node> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut names: HashSet<String> = HashSet::new();
    loop {
        reader.skip_space();
        let start = reader.at;
        if reader.at_end() || reader.sees(grammar::keyword("MOTION")) {
            break;
        }
        let Some(top) = open.last_mut() else {
            if reader.take(grammar::keyword("ROOT")).is_none() {
                let expected = if nodes.is_empty() { "ROOT" } else { "MOTION or ROOT" };
                return Err(reader.unexpected(expected));
            }
            open.push(begin(reader, start, NodeKind::Root, None, &mut nodes, &mut names)?);
            continue;
        };
        let parent = top.node;
        if reader.take_byte(b'}') {
            close(reader, open.pop().expect("a node is open"), &nodes)?;
        } else if reader.take(grammar::keyword("OFFSET")).is_some() {
            if std::mem::replace(&mut top.offset, true) {
                return Err(repeated(reader, start, "OFFSET", joint_of(&nodes, parent)));
            }
            nodes[parent].offset = offset(reader, joint_of(&nodes, parent))?;
        } else if reader.take(grammar::keyword("CHANNELS")).is_some() {
            if std::mem::replace(&mut top.channels, true) {
                return Err(repeated(reader, start, "CHANNELS line", joint_of(&nodes, parent)));
            }
            let end_site = nodes[parent].kind == NodeKind::EndSite;
            nodes[parent].channels = channels(reader, start, joint_of(&nodes, parent), end_site)?;
        } else if nodes[parent].kind == NodeKind::EndSite {
            return Err(reader.unexpected("OFFSET or } of the End Site"));
        } else if reader.take(grammar::keyword("JOINT")).is_some() {
            open.push(begin(reader, start, NodeKind::Joint, Some(parent), &mut nodes, &mut names)?);
        } else if reader.take(grammar::keyword("End")).is_some() {
            open.push(begin(reader, start, NodeKind::EndSite, Some(parent), &mut nodes, &mut names)?);
        } else if let Some(found) = reader.take(grammar::keyword("EndSite")) {
            let found = String::from_utf8_lossy(found).into_owned();
            reader.warn(Problem::EndSiteSpelling { found }, start..reader.at);
            open.push(begin(reader, start, NodeKind::EndSite, Some(parent), &mut nodes, &mut names)?);
        } else {
            return Err(reader.unexpected("OFFSET, CHANNELS, JOINT, End Site or }"));
        }
        if nodes.len() > limits.joints {
            let (found, limit) = (nodes.len(), limits.joints);
            return Err(reader.error(LimitExceeded { what: "joints", found, limit }, start..reader.at));
        }
        if open.len() > limits.depth {
            let (found, limit) = (open.len(), limits.depth);
            return Err(reader.error(LimitExceeded { what: "levels", found, limit }, start..reader.at));
        }
    }
    if nodes.is_empty() {
        return Err(reader.error(Problem::NoRoot, reader.at..reader.at));
    }
    if !open.is_empty() {
        if reader.at_end() {
            return Err(reader.unexpected("} of the hierarchy"));
        }
        let missing = open.len();
        reader.warn(Problem::MissingBracket { missing }, reader.at..reader.at + "MOTION".len());
        while let Some(top) = open.pop() {
            close(reader, top, &nodes)?;
        }
    }
    Ok(nodes)
}

/// Reads the name and the opening bracket of a node.
fn begin(
    reader: &mut Reader,
    start: usize,
    kind: NodeKind,
    parent: Option<usize>,
    nodes: &mut Vec<Node>,
    names: &mut HashSet<String>,
) -> Result<Open, ParseError> {
    let span = start..reader.at;
    let mut bytes = match kind {
        NodeKind::EndSite => reader.take(grammar::end_site_name),
        _ => reader.take(grammar::name),
    }
    .unwrap_or_default();
    if bytes.is_empty() && kind != NodeKind::EndSite {
        reader.skip_space();
        // The name may stand on the next line.
        bytes = reader.take(grammar::name).unwrap_or_default();
    }
    let name_span = reader.at - bytes.len()..reader.at;
    let (name, encoding) = decode_name(bytes);
    let name = name.into_owned();
    if let Some(encoding) = encoding {
        reader.warn(text::Problem::NameEncoding { encoding, name: name.clone() }, name_span.clone());
    }
    if kind != NodeKind::EndSite {
        if name.is_empty() {
            reader.warn(Problem::MissingName, span.clone());
        } else if !names.insert(name.clone()) {
            reader.warn_in(Problem::DuplicateName { name: name.clone() }, name_span, &name);
        }
    }
    reader.skip_space();
    if !reader.take_byte(b'{') {
        return Err(reader.unexpected("{").in_joint(&name));
    }
    nodes.push(Node { kind, name, parent, offset: Vector3::zeros(), channels: Vec::new() });
    Ok(Open { node: nodes.len() - 1, span, offset: false, channels: false })
}

/// The joint that a message about a node names: for an end site, its parent.
fn joint_of(nodes: &[Node], node: usize) -> &str {
    let node = &nodes[node];
    match node.parent.filter(|_| node.kind == NodeKind::EndSite) {
        Some(parent) => &nodes[parent].name,
        None => &node.name,
    }
}

/// Checks a node at its closing bracket.
fn close(reader: &mut Reader, closed: Open, nodes: &[Node]) -> Result<(), ParseError> {
    let end_site = nodes[closed.node].kind == NodeKind::EndSite;
    let joint = joint_of(nodes, closed.node);
    if !closed.offset && !end_site {
        return Err(reader.error(Problem::MissingOffset, closed.span).in_joint(joint));
    }
    if !closed.offset {
        reader.warn_in(Problem::EndSiteOffset, closed.span.clone(), joint);
    }
    if !closed.channels && !end_site {
        reader.warn_in(Problem::NoChannels, closed.span, joint);
    }
    Ok(())
}

fn repeated(reader: &Reader, start: usize, what: &'static str, joint: &str) -> ParseError {
    reader.error(Problem::Repeated { what }, start..reader.at).in_joint(joint)
}

fn offset(reader: &mut Reader, joint: &str) -> Result<Vector3<f64>, ParseError> {
    let mut offset = Vector3::zeros();
    for value in offset.iter_mut() {
        reader.skip_space();
        let start = reader.at;
        if let Some(number) = reader.take(grammar::real) {
            *value = number;
        } else if let Some(text) = reader.take(grammar::not_finite) {
            let text = String::from_utf8_lossy(text).into_owned();
            let halt = reader.error(Problem::NotANumber { text }, start..reader.at);
            return Err(halt.in_joint(joint));
        } else {
            return Err(reader.unexpected("three numbers after OFFSET").in_joint(joint));
        }
    }
    Ok(offset)
}

/// Reads the count and the names of channels. The names count: a wrong number is only a warning.
fn channels(
    reader: &mut Reader,
    start: usize,
    joint: &str,
    end_site: bool,
) -> Result<Vec<Channel>, ParseError> {
    reader.skip_space();
    let at = reader.at;
    let declared = match reader.take(grammar::real) {
        Some(_) => String::from_utf8_lossy(&reader.text[at..reader.at]).into_owned(),
        None => "nothing".to_owned(),
    };
    let mut channels = Vec::new();
    loop {
        reader.skip_space();
        let at = reader.at;
        if reader.take_byte(b',') {
            reader.warn(Problem::Commas { meaning: "blanks" }, at..at + 1);
            continue;
        }
        let Some(channel) = reader.take(grammar::channel) else { break };
        let rotation = matches!(channel, Channel::Rotation(_));
        if !rotation && channels.contains(&channel) {
            let halt = reader.error(Problem::RepeatedChannel, at..reader.at);
            return Err(halt.in_joint(joint).in_channel(channel.name()));
        }
        if matches!(channel, Channel::Scale(_)) {
            reader.warn_in(Problem::ScaleChannel, at..reader.at, joint);
        }
        channels.push(channel);
    }
    let follows = ["OFFSET", "JOINT", "End", "EndSite", "CHANNELS", "MOTION"];
    if let Ok((_, word)) = grammar::word(reader.rest())
        && !follows.iter().any(|keyword| word.eq_ignore_ascii_case(keyword.as_bytes()))
    {
        let name = text::quote(word);
        let halt = reader.error(Problem::Channel { name }, reader.at..reader.at + word.len());
        return Err(halt.in_joint(joint));
    }
    let found = channels.len();
    if declared.parse::<f64>() != Ok(found as f64) {
        reader.warn_in(Problem::ChannelCount { declared, found }, start..start + "CHANNELS".len(), joint);
    }
    if end_site && found > 0 {
        reader.warn_in(Problem::EndSiteChannels, start..start + "CHANNELS".len(), joint);
    }
    Ok(channels)
}
