//! Whether position channels replace OFFSET or add to it: BVH does not say, and files do both.

use super::document::{Channel, Document, Node, NodeKind};
use super::floor_test::lowest_points;
use super::reading::{PositionDecision, PositionMode};
use mocap_model::Axis;

/// How the user wants position channels read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionChannels {
    /// As the numbers of the file suggest: see [`position_mode`].
    #[default]
    Auto,
    /// As [`PositionMode::Replace`].
    Replace,
    /// As [`PositionMode::Add`].
    Add,
}

/// A vote is clear if one distance is at least this many times the other.
const CLEAR: f64 = 1.5;

/// Decides whether position channels replace OFFSET or add to it.
///
/// Every joint with position channels and an OFFSET votes on the axis where the OFFSET is largest: for
/// *replace* where the median position lies nearer to the OFFSET than to zero, else for *add*. The majority
/// decides; a tie means *replace*, as most programs write it.
///
/// Where only roots vote, a clear floor test goes first: under one reading the body stands near height 0, under the
/// other far from it ([`LowestPoints::mode`](super::LowestPoints::mode)). The median of a root fails if the actor climbs or moves far away.
///
/// ```
/// # let bytes = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/alex_walk.bvh"));
/// use mocap_formats::bvh::{parse, position_mode};
///
/// let document = parse(bytes, &Default::default())?.value;
/// println!("{:?}", position_mode(&document));
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
pub fn position_mode(document: &Document) -> PositionDecision {
    document.positions.get_or_init(|| decide(document))
}

fn decide(document: &Document) -> PositionDecision {
    let mut decision = PositionDecision { mode: None, replace: 0, add: 0, lowest: None, weak: false };
    let mut clear = [0usize; 2];
    let mut clear_below_root = false;
    let voters = voters(document.nodes());
    let columns: Vec<usize> = voters.iter().map(|(_, column, _)| *column).collect();
    let values = document.motion().map(|motion| motion.columns(&columns, document.channels()));
    for ((node, _, offset), values) in voters.into_iter().zip(values.into_iter().flatten()) {
        if let Some(median) = median(values) {
            let (from_offset, from_zero) = ((median - offset).abs(), median.abs());
            let replaces = from_offset < from_zero;
            *(if replaces { &mut decision.replace } else { &mut decision.add }) += 1;
            if from_offset.max(from_zero) >= CLEAR * from_offset.min(from_zero) {
                clear[usize::from(!replaces)] += 1;
                clear_below_root |= node.parent.is_some();
            }
        }
    }
    let (replace, add) = (decision.replace, decision.add);
    if replace + add > 0 {
        decision.lowest = lowest_points(document);
        // Joints below the root stay near their OFFSET wherever the actor moves: their medians are reliable.
        let floor = decision.lowest.filter(|_| !clear_below_root).and_then(|lowest| lowest.mode());
        let medians = if add > replace { PositionMode::Add } else { PositionMode::Replace };
        decision.mode = Some(floor.unwrap_or(medians));
        let clear = clear[usize::from(add > replace)] > 0;
        decision.weak = match floor {
            Some(floor) => floor != medians && clear,
            None => replace == add || !clear,
        };
    }
    decision
}

/// The nodes that vote, with the column of the channel that is compared and the OFFSET along its axis.
pub(super) fn voters(nodes: &[Node]) -> Vec<(&Node, usize, f64)> {
    let mut first = 0;
    let mut voters = Vec::new();
    for node in nodes {
        if let Some((channel, offset)) = voting_channel(node) {
            voters.push((node, first + channel, offset));
        }
        first += node.channels.len();
    }
    voters
}

/// The channel of a node that is compared, by its index, and the OFFSET along its axis.
fn voting_channel(node: &Node) -> Option<(usize, f64)> {
    if node.kind == NodeKind::EndSite {
        return None;
    }
    let axis = Axis::ALL[node.offset.iamax()];
    let offset = node.offset[axis.index()];
    let channel = node.channels.iter().position(|channel| *channel == Channel::Position(axis))?;
    (offset != 0.0).then_some((channel, offset))
}

/// The median of the finite values.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.retain(|value| value.is_finite());
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, bvh};

    /// A root at zero with joints of these OFFSETs and positions along Y.
    fn decision(joints: &[(f64, &[f64])]) -> PositionDecision {
        let mut text = String::from("HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Yposition\n");
        for (i, (offset, _)) in joints.iter().enumerate() {
            text += &format!("JOINT j{i}\n{{\nOFFSET 0.1 {offset} 0\nCHANNELS 1 Yposition\n}}\n");
        }
        let frames = joints.first().map_or(0, |(_, positions)| positions.len());
        text += &format!("}}\nMOTION\nFrames: {frames}\nFrame Time: 0.1\n");
        for frame in 0..frames {
            text += "7";
            joints.iter().for_each(|(_, positions)| text += &format!(" {}", positions[frame]));
            text += "\n";
        }
        position_mode(&bvh::parse(text.as_bytes(), &Limits::default()).unwrap().value)
    }

    #[test]
    fn the_majority_of_medians_decides() {
        let replace = (10.0, &[10.5, 9.0, 300.0][..]);
        let add = (10.0, &[0.5, -1.0, 300.0][..]);
        let weak = (10.0, &[5.5, 5.5, 5.5][..]);
        let nan = (10.0, &[f64::NAN; 3][..]);
        let outcome = |joints: &[_]| {
            let decision = decision(joints);
            (decision.mode, decision.replace, decision.add, decision.weak)
        };
        use PositionMode::{Add, Replace};
        assert_eq!(outcome(&[]), (None, 0, 0, false));
        assert_eq!(outcome(&[nan]), (None, 0, 0, false));
        assert_eq!(outcome(&[replace]), (Some(Replace), 1, 0, false));
        assert_eq!(outcome(&[add]), (Some(Add), 0, 1, false));
        assert_eq!(outcome(&[add, replace, add]), (Some(Add), 1, 2, false));
        assert_eq!(outcome(&[add, replace]), (Some(Replace), 1, 1, true));
        assert_eq!(outcome(&[weak]), (Some(Replace), 1, 0, true));
        assert_eq!(outcome(&[weak, replace]), (Some(Replace), 2, 0, false));
    }
}
