//! What a BVH file says, before it is given a meaning: channel order, Euler degrees, names, the text of its
//! frame time. Writing an untouched document and reading it again changes no value.

use super::motion::Motion;
use super::reading::Found;
use crate::Place;
use mocap_model::{Axis, Vector3};

/// A joint or an end site of the hierarchy.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The keyword of the node.
    pub kind: NodeKind,
    /// As in the file, so perhaps with spaces, empty, or shared with others. Usually empty for an end site.
    pub name: String,
    /// The node whose brackets enclose it; always an earlier one.
    pub parent: Option<usize>,
    /// OFFSET [units of the file].
    pub offset: Vector3<f64>,
    /// CHANNELS in the order in which they are listed.
    pub channels: Vec<Channel>,
}

/// The keyword of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// `ROOT`; a file may have several.
    Root,
    /// `JOINT`.
    Joint,
    /// `End Site`.
    EndSite,
}

/// One number a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Translation along an axis [units of the file].
    Position(Axis),
    /// Rotation about an axis, in degrees.
    Rotation(Axis),
    /// Scale along an axis: read, and without effect.
    Scale(Axis),
}

impl Channel {
    /// The name in the usual spelling, such as `Xposition`.
    pub const fn name(self) -> &'static str {
        match self {
            Channel::Position(Axis::X) => "Xposition",
            Channel::Position(Axis::Y) => "Yposition",
            Channel::Position(Axis::Z) => "Zposition",
            Channel::Rotation(Axis::X) => "Xrotation",
            Channel::Rotation(Axis::Y) => "Yrotation",
            Channel::Rotation(Axis::Z) => "Zrotation",
            Channel::Scale(Axis::X) => "Xscale",
            Channel::Scale(Axis::Y) => "Yscale",
            Channel::Scale(Axis::Z) => "Zscale",
        }
    }
}

/// A BVH file.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    pub(super) nodes: Vec<Node>,
    pub(super) motion: Option<Motion>,
    pub(super) origin: Origin,
    pub(super) positions: Found,
}

impl Document {
    pub(super) fn new(nodes: Vec<Node>, motion: Option<Motion>, origin: Origin) -> Document {
        Document { nodes, motion, origin, positions: Found::default() }
    }

    /// Joints and end sites in the order of the file, which is depth first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The MOTION section; `None` where the file ends before it.
    pub fn motion(&self) -> Option<&Motion> {
        self.motion.as_ref()
    }

    /// The number of channels of all nodes: numbers a frame.
    pub fn channels(&self) -> usize {
        self.nodes.iter().map(|node| node.channels.len()).sum()
    }

    /// The number of frames; 0 without a MOTION section.
    pub fn frames(&self) -> usize {
        self.motion.as_ref().map_or(0, |motion| motion.frames)
    }

    /// The node and the channel of a column of [`Motion::values`].
    pub(super) fn column(&self, column: usize) -> Option<(&Node, Channel)> {
        column_of(&self.nodes, column)
    }
}

pub(super) fn column_of(nodes: &[Node], mut column: usize) -> Option<(&Node, Channel)> {
    for node in nodes {
        match node.channels.get(column) {
            Some(channel) => return Some((node, *channel)),
            None => column -= node.channels.len(),
        }
    }
    None
}

/// Places in the text of values that are checked only when the document becomes a clip.
#[derive(Clone, Debug, Default)]
pub(super) struct Origin {
    /// The first frame.
    pub(super) first_row: Option<Place>,
    /// Values that are not finite: the first of each frame, up to the number of errors that are listed.
    pub(super) not_finite: Vec<NotFinite>,
    /// Numbers of rows that are kept as numbers and are larger than any coordinate: the first of each frame, up to the
    /// number of errors that are listed.
    pub(super) far: Vec<(usize, Place)>,
}

/// A value that is not finite, as written.
#[derive(Clone, Debug)]
pub(super) struct NotFinite {
    /// In [`Motion::values`].
    pub(super) index: usize,
    pub(super) text: String,
    pub(super) place: Place,
}

impl PartialEq for Origin {
    /// Places are not part of what a document says: they do not count in comparisons.
    fn eq(&self, _: &Origin) -> bool {
        true
    }
}
