//! Rewrites what other programs would read differently: positions that add to OFFSET, duplicate names.
//!
//! Most readers let the position channels of a joint replace its OFFSET, some add them to it. If the OFFSET of the root
//! is zero, both give the same result. Other joints with position channels need their OFFSET, which is the length of a
//! bone, so they are written for one kind of reader.

use super::document::{Channel, Document, Node, NodeKind};
use super::motion::Motion;
use super::reading::PositionMode;
use super::written_names::NameStyle;
use super::{Problem, names};
use crate::{Finding, Parsed, Warnings};
use std::borrow::Cow;

/// The document with the root's OFFSET in its position columns where these add to it, with the positions of other
/// joints as `style` says, and with unique names; `None` where nothing differs. Nothing else changes.
///
/// `mode` is how position channels and OFFSET of the document combine.
///
/// # Errors
/// Where names are to be kept and one cannot be written.
pub fn normalise(
    document: &Document,
    mode: PositionMode,
    style: PositionMode,
    name_style: NameStyle,
) -> Result<Option<Parsed<Document>>, Finding> {
    let (mut nodes, mut motion) = (document.nodes.clone(), document.motion.as_ref().map(Cow::Borrowed));
    let mut warnings = Warnings::default();
    let roots = match mode {
        PositionMode::Add => {
            move_offsets(&mut nodes, &mut motion, |node| node.kind == NodeKind::Root, 1.0, true)
        }
        PositionMode::Replace => 0,
    };
    let below = |node: &Node| node.kind == NodeKind::Joint;
    let joints = match (mode, style) {
        (PositionMode::Add, PositionMode::Replace) => {
            move_offsets(&mut nodes, &mut motion, below, 1.0, false)
        }
        (PositionMode::Replace, PositionMode::Add) => {
            move_offsets(&mut nodes, &mut motion, below, -1.0, false)
        }
        _ => 0,
    };
    let renamed = rename(&mut nodes, name_style)?;
    let all = [
        (roots, Problem::RootOffsetMoved),
        (joints, Problem::PositionsRestated { style }),
        (renamed, Problem::NamesChanged),
    ];
    for (count, problem) in all.into_iter().filter(|(count, _)| *count > 0) {
        warnings.push(Finding { count, ..Finding::new(problem) });
    }
    let warnings = warnings.into_vec();
    let changed = || Document::new(nodes, motion.map(Cow::into_owned), document.origin.clone());
    Ok((!warnings.is_empty()).then(|| Parsed { value: changed(), warnings }))
}

/// Adds the OFFSET of some nodes, times `sign`, to their position columns; the number of nodes. Where `zeroed`, the
/// part of OFFSET that went into columns becomes 0.
fn move_offsets(
    nodes: &mut [Node],
    motion: &mut Option<Cow<'_, Motion>>,
    which: impl Fn(&Node) -> bool,
    sign: f64,
    zeroed: bool,
) -> usize {
    let width = nodes.iter().map(|node| node.channels.len()).sum::<usize>();
    let Some(motion) = motion.as_mut().filter(|_| width > 0) else { return 0 };
    let (mut column, mut count) = (0, 0);
    for node in nodes.iter_mut() {
        let first = column;
        column += node.channels.len();
        if !which(node) {
            continue;
        }
        let mut moved = false;
        for (at, channel) in node.channels.iter().enumerate() {
            let Channel::Position(axis) = channel else { continue };
            let offset = node.offset[axis.index()] * sign;
            if offset == 0.0 {
                continue;
            }
            moved = true;
            motion
                .to_mut()
                .values_mut()
                .iter_mut()
                .skip(first + at)
                .step_by(width)
                .for_each(|value| *value = sum(*value, offset));
            if zeroed {
                node.offset[axis.index()] = 0.0;
            }
        }
        count += usize::from(moved);
    }
    count
}

/// The sum of two decimal numbers, without binary rounding noise in the last digits.
fn sum(a: f64, b: f64) -> f64 {
    const DECIMALS: f64 = 1e9;
    let (exact, scaled) = (a + b, (a + b) * DECIMALS);
    // Adding 0 takes the sign off a zero.
    if scaled.abs() < 9e15 { scaled.round() / DECIMALS + 0.0 } else { exact }
}

/// Gives joints unique names that can be written; the number of joints with another name.
fn rename(nodes: &mut [Node], style: NameStyle) -> Result<usize, Finding> {
    // Nodes without a name stay so: no reader confuses them.
    let is_named = |node: &Node| node.kind != NodeKind::EndSite && !node.name.is_empty();
    let before: Vec<String> = nodes.iter().map(|node| node.name.clone()).collect();
    if style == NameStyle::Safe {
        for node in nodes.iter_mut().filter(|node| is_named(node)) {
            node.name = style.written(&node.name)?;
        }
    }
    let unique = names::of_nodes(nodes);
    let mut count = 0;
    for ((node, name), before) in nodes.iter_mut().zip(unique).zip(before) {
        if is_named(node) {
            count += usize::from(name != before);
            node.name = name;
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, bvh};
    use PositionMode::{Add, Replace};

    const TEXT: &str = "HIERARCHY\nROOT hips\n{\nOFFSET 0 105.2 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation \
         Xrotation Yrotation\nJOINT arm\n{\nOFFSET 1 2 3\nCHANNELS 4 Xposition Zrotation Yposition Xrotation\nJOINT \
         arm\n{\nOFFSET 0 5 0\nCHANNELS 1 Zrotation\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.016\n1 0.1 2 3 4 5 0.5 7 \
         -0.25 8 9\n2 -0.2 3 4 5 6 0 8 0 9 10\n";

    fn document() -> Document {
        bvh::parse(TEXT.as_bytes(), &Limits::default()).unwrap().value
    }

    fn normalised(mode: PositionMode, style: PositionMode) -> (Vec<f64>, Vec<[f64; 3]>, Vec<&'static str>) {
        let Parsed { value, warnings } =
            normalise(&document(), mode, style, NameStyle::Kept).unwrap().unwrap();
        let codes = warnings.iter().map(|warning| warning.code()).collect();
        let offsets = value.nodes().iter().map(|node| node.offset.into()).collect();
        (value.motion().unwrap().values().into_owned(), offsets, codes)
    }

    #[test]
    fn positions_that_add_become_places() {
        let (values, offsets, codes) = normalised(Add, Replace);
        assert_eq!(offsets, [[0.0; 3], [1.0, 2.0, 3.0], [0.0, 5.0, 0.0]]);
        let expected = [
            [1.0, 105.3, 2.0, 3.0, 4.0, 5.0, 1.5, 7.0, 1.75, 8.0, 9.0],
            [2.0, 105.0, 3.0, 4.0, 5.0, 6.0, 1.0, 8.0, 2.0, 9.0, 10.0],
        ];
        assert_eq!(values, expected.concat());
        assert_eq!(codes, ["bvh::normalised", "bvh::positions-restated", "bvh::names-changed"]);
        // The same body, for readers that replace and for the file's own meaning.
        let clip = |document: &Document, mode| {
            let position_channels =
                if mode == Add { bvh::PositionChannels::Add } else { bvh::PositionChannels::Replace };
            let options = bvh::ClipOptions { position_channels, ..bvh::ClipOptions::default() };
            bvh::to_clip(document, &options).unwrap().value
        };
        let changed = normalise(&document(), Add, Replace, NameStyle::Kept).unwrap().unwrap().value;
        let (before, after) = (clip(&document(), Add), clip(&changed, Replace));
        for joint in 0..2 {
            let joint = mocap_model::JointId(joint);
            for frame in 0..2 {
                let at = |clip: &mocap_model::Clip| clip.track(joint).translation.as_ref().unwrap().at(frame);
                assert!((at(&before) - at(&after)).norm() < 1e-12);
            }
        }
    }

    #[test]
    fn joints_are_written_for_readers_that_add_where_this_is_asked_for() {
        let (values, offsets, codes) = normalised(Replace, Add);
        assert_eq!(offsets[0], [0.0, 105.2, 0.0]);
        assert_eq!((values[1], values[6], values[8]), (0.1, -0.5, -2.25));
        assert_eq!(codes, ["bvh::positions-restated", "bvh::names-changed"]);
        let (values, _, codes) = normalised(Add, Add);
        assert_eq!((values[1], values[6]), (105.3, 0.5));
        assert_eq!(codes, ["bvh::normalised", "bvh::names-changed"]);
    }

    #[test]
    fn a_file_that_all_readers_take_alike_stays() {
        let text = TEXT.replacen("JOINT arm\n{\nOFFSET 0 5 0", "JOINT hand\n{\nOFFSET 0 5 0", 1);
        let text = text.replace("JOINT arm", "JOINT the arm");
        let document = bvh::parse(text.as_bytes(), &Limits::default()).unwrap().value;
        assert_eq!(normalise(&document, Replace, Replace, NameStyle::Kept).unwrap(), None);
        let safe = normalise(&document, Replace, Replace, NameStyle::Safe).unwrap();
        // Names that differ in a blank are two names.
        assert_eq!(safe.map(|safe| safe.value.nodes()[1].name.clone()).as_deref(), Some("the_arm"));
    }
}
