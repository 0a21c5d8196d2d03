//! From a document to bytes.

use super::document::{Document, NodeKind};
use super::motion::Motion;
use crate::number;
use std::io::{self, Write};

/// Bytes that are written at once.
const PIECE: usize = 1 << 16;

/// Levels that are indented; deeper ones would make a chain of n joints n² bytes long.
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
        let mut text = Vec::new();
        self.write_hierarchy(&mut text);
        if let Some(motion) = &self.motion {
            write_header(motion, &mut text);
            let width = self.channels();
            // A frame may be larger than a piece.
            text.reserve(PIECE + width * 16);
            let frames = if width == 0 { 0 } else { motion.frames };
            for frame in 0..frames {
                motion.write_row(frame, width, &mut text);
                if text.len() >= PIECE {
                    out.write_all(&text)?;
                    text.clear();
                }
            }
        }
        out.write_all(&text)
    }

    fn write_hierarchy(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(b"HIERARCHY\n");
        let mut open: Vec<usize> = Vec::new();
        for (i, node) in self.nodes.iter().enumerate() {
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
                let names: String =
                    node.channels.iter().map(|channel| format!(" {}", channel.name())).collect();
                line(bytes, open.len(), &format!("CHANNELS {}{names}", node.channels.len()));
            }
        }
        while open.pop().is_some() {
            line(bytes, open.len(), "}");
        }
    }
}

fn write_header(motion: &Motion, text: &mut Vec<u8>) {
    text.extend_from_slice(format!("MOTION\nFrames: {}\n", motion.frames).as_bytes());
    if let Some(time) = &motion.frame_time {
        text.extend_from_slice(format!("Frame Time: {}\n", time.text).as_bytes());
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
