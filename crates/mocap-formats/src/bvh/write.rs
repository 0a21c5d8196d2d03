//! From a document to bytes.

use super::document::{Document, NodeKind};
use crate::number;

/// Levels that are indented; deeper ones would make a chain of n joints n² bytes long.
const INDENTED: usize = 64;

impl Document {
    /// The document as a file: reading it gives the same document again.
    pub fn to_bytes(&self) -> Vec<u8> {
        let values = self.motion.as_ref().map_or(0, |motion| motion.values.len());
        let mut bytes = Vec::with_capacity(self.nodes.len() * 128 + values * 10);
        self.write_hierarchy(&mut bytes);
        if self.motion.is_some() {
            self.write_motion(&mut bytes);
        }
        bytes
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

    fn write_motion(&self, bytes: &mut Vec<u8>) {
        let Some(motion) = &self.motion else { return };
        bytes.extend_from_slice(format!("MOTION\nFrames: {}\n", motion.frames).as_bytes());
        if let Some(time) = &motion.frame_time {
            bytes.extend_from_slice(format!("Frame Time: {}\n", time.text).as_bytes());
        }
        let channels = self.channels();
        if channels == 0 {
            return;
        }
        for row in motion.values.chunks_exact(channels) {
            for value in row {
                number::write(bytes, *value);
                bytes.push(b' ');
            }
            if let Some(last) = bytes.last_mut() {
                *last = b'\n';
            }
        }
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
