//! From a document to bytes.

use super::document::{Document, Node, NodeKind};
use super::motion::FrameTime;
use super::row::write_row;
use crate::number;
use std::io::{self, Write};

/// Bytes that are written at once.
const PIECE: usize = 1 << 16;

/// Greatest indentation: without a bound, a chain of n joints would take n² bytes.
const INDENTED: usize = 64;

impl Document {
    /// The document as a file: reading it gives the same document again.
    pub fn to_bytes(&self) -> Vec<u8> {
        let values = self.frames() * self.channels();
        let mut bytes = Vec::with_capacity(self.nodes.len() * 128 + values * 10);
        self.write_to(&mut bytes).expect("writing to memory does not fail");
        bytes
    }

    /// The same into a stream, piece by piece.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut lines = Lines::new(out);
        lines.hierarchy(&self.nodes)?;
        if let Some(motion) = &self.motion {
            lines.motion(motion.frames, motion.frame_time.as_ref())?;
            let width = self.channels();
            let frames = if width == 0 { 0 } else { motion.frames };
            for frame in 0..frames {
                lines.add(|text| motion.write_row(frame, width, text))?;
            }
        }
        lines.end()
    }
}

/// A file that is written in pieces.
pub(super) struct Lines<'o> {
    out: &'o mut dyn Write,
    text: Vec<u8>,
}

impl Lines<'_> {
    pub(super) fn new(out: &mut dyn Write) -> Lines<'_> {
        // A frame may be larger than a piece.
        Lines { out, text: Vec::with_capacity(2 * PIECE) }
    }

    /// Adds lines.
    pub(super) fn add(&mut self, append: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        append(&mut self.text);
        if self.text.len() >= PIECE {
            self.out.write_all(&self.text)?;
            self.text.clear();
        }
        Ok(())
    }

    /// Adds a frame.
    pub(super) fn row(&mut self, row: &[f64]) -> io::Result<()> {
        self.add(|text| write_row(row, text))
    }

    pub(super) fn hierarchy(&mut self, nodes: &[Node]) -> io::Result<()> {
        self.add(|text| write_hierarchy(nodes, text))
    }

    pub(super) fn motion(&mut self, frames: usize, frame_time: Option<&FrameTime>) -> io::Result<()> {
        self.add(|text| {
            text.extend_from_slice(format!("MOTION\nFrames: {frames}\n").as_bytes());
            if let Some(time) = frame_time {
                text.extend_from_slice(format!("Frame Time: {}\n", time.text).as_bytes());
            }
        })
    }

    pub(super) fn end(self) -> io::Result<()> {
        self.out.write_all(&self.text)
    }
}

fn write_hierarchy(nodes: &[Node], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(b"HIERARCHY\n");
    let mut open: Vec<usize> = Vec::new();
    for (i, node) in nodes.iter().enumerate() {
        while open.last().copied() != node.parent && open.pop().is_some() {
            line(bytes, open.len(), "}");
        }
        let name = node.name.as_str();
        match node.kind {
            NodeKind::Root => line(bytes, open.len(), &format!("ROOT {name}")),
            NodeKind::Joint => line(bytes, open.len(), &format!("JOINT {name}")),
            NodeKind::EndSite => line(bytes, open.len(), format!("End Site {name}").trim_ascii_end()),
        }
        line(bytes, open.len(), "{");
        open.push(i);
        indent(bytes, open.len());
        bytes.extend_from_slice(b"OFFSET");
        for value in &node.offset {
            bytes.push(b' ');
            number::write(bytes, *value);
        }
        bytes.push(b'\n');
        if node.kind != NodeKind::EndSite || !node.channels.is_empty() {
            let names: String = node.channels.iter().map(|channel| format!(" {}", channel.name())).collect();
            line(bytes, open.len(), &format!("CHANNELS {}{names}", node.channels.len()));
        }
    }
    while open.pop().is_some() {
        line(bytes, open.len(), "}");
    }
}

fn line(bytes: &mut Vec<u8>, level: usize, text: &str) {
    indent(bytes, level);
    bytes.extend_from_slice(text.as_bytes());
    bytes.push(b'\n');
}

fn indent(bytes: &mut Vec<u8>, level: usize) {
    bytes.resize(bytes.len() + level.min(INDENTED), b'\t');
}
