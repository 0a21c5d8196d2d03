//! Meshes of USD whose points and normals are time samples.

use std::fmt::Write as _;
use std::io::{self, Write};

use mocap_model::SignedAxis;

use super::sequence::{VertexSequence, Wanted};
use crate::names::Unique;
use crate::usd::identifier;

pub(super) fn write(sequence: &VertexSequence, out: &mut dyn Write) -> io::Result<()> {
    let (clip, frames) = (sequence.clip(), sequence.frames());
    let fps = clip.rate().fps();
    let root = identifier(clip.skeleton().name(), "Character");
    let unit = sequence.unit();
    let up = if clip.skeleton().space().up == SignedAxis::Z { "Z" } else { "Y" };
    writeln!(
        out,
        "#usda 1.0\n(\n    defaultPrim = \"{root}\"\n    metersPerUnit = {unit}\n    upAxis = \"{up}\""
    )?;
    writeln!(out, "    startTimeCode = 0\n    endTimeCode = {}", frames - 1)?;
    writeln!(out, "    timeCodesPerSecond = {fps}\n    framesPerSecond = {fps}\n)\n")?;
    writeln!(out, "def Xform \"{root}\"\n{{")?;
    let mut unique = Unique::default();
    for number in 0..sequence.meshes().len() {
        let name = unique.claim(&identifier(&sequence.meshes()[number].name, "Mesh"));
        mesh(sequence, number, &name, out)?;
    }
    writeln!(out, "}}")
}

fn mesh(sequence: &VertexSequence, number: usize, name: &str, out: &mut dyn Write) -> io::Result<()> {
    let triangles = &sequence.meshes()[number].triangles;
    writeln!(out, "    def Mesh \"{name}\"\n    {{")?;
    extents(sequence, number, out)?;
    let list = |values: &mut dyn Iterator<Item = u32>, out: &mut dyn Write| {
        for (at, value) in values.enumerate() {
            write!(out, "{}{value}", if at == 0 { "" } else { ", " })?;
        }
        writeln!(out, "]")
    };
    write!(out, "        int[] faceVertexCounts = [")?;
    list(&mut triangles.iter().map(|_| 3), out)?;
    write!(out, "        int[] faceVertexIndices = [")?;
    list(&mut triangles.as_flattened().iter().copied(), out)?;
    writeln!(out, "        normal3f[] normals (\n            interpolation = \"vertex\"\n        )")?;
    samples(sequence, number, Wanted::Normals, "normal3f[] normals", out)?;
    samples(sequence, number, Wanted::Positions, "point3f[] points", out)?;
    writeln!(out, "        uniform token subdivisionScheme = \"none\"\n    }}\n")
}

fn samples(
    sequence: &VertexSequence,
    number: usize,
    wanted: Wanted,
    name: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "        {name}.timeSamples = {{")?;
    let mut line = String::new();
    sequence.each(0..sequence.frames(), Some(number), wanted, &mut |frame, values| {
        line.clear();
        let _ = write!(line, "            {frame}: [");
        for (at, [x, y, z]) in values.iter().enumerate() {
            let _ = write!(line, "{}({x}, {y}, {z})", if at == 0 { "" } else { ", " });
        }
        line.push_str("],\n");
        out.write_all(line.as_bytes())
    })?;
    writeln!(out, "        }}")
}

/// The bounding boxes of the mesh, which programs use for culling.
fn extents(sequence: &VertexSequence, number: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "        float3[] extent.timeSamples = {{")?;
    sequence.each(0..sequence.frames(), Some(number), Wanted::Positions, &mut |frame, values| {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for at in values {
            (0..3).for_each(|axis| {
                low[axis] = low[axis].min(at[axis]);
                high[axis] = high[axis].max(at[axis]);
            });
        }
        let ([a, b, c], [x, y, z]) = (low, high);
        writeln!(out, "            {frame}: [({a}, {b}, {c}), ({x}, {y}, {z})],")
    })?;
    writeln!(out, "        }}")
}
