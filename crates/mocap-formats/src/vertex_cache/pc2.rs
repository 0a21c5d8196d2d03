//! Point cache 2: a header of 32 bytes, then the places of all vertices, frame after frame.
//!
//! Based on: the description of the format in the manual of 3ds Max and what Blender's mesh cache reads.

use std::io::{self, Write};

use super::put;
use super::sequence::{VertexSequence, Wanted};

pub(super) fn write(sequence: &VertexSequence, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"POINTCACHE2\0")?;
    out.write_all(&1i32.to_le_bytes())?;
    out.write_all(&(sequence.vertices() as i32).to_le_bytes())?;
    // The first frame, and frames of the scene per sample.
    out.write_all(&0.0f32.to_le_bytes())?;
    out.write_all(&1.0f32.to_le_bytes())?;
    out.write_all(&(sequence.frames() as i32).to_le_bytes())?;
    let mut bytes = Vec::new();
    sequence.all(Wanted::Positions, &mut |_, values| {
        put(values, &mut bytes);
        out.write_all(&bytes)
    })
}
