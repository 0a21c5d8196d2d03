//! Arrays for numpy: the members of the archive are computed while they are written.

use std::io::{self, Write};

use super::put;
use super::sequence::{VertexSequence, Wanted};
use crate::npz::write_members;

pub(super) fn write(sequence: &VertexSequence, out: &mut dyn Write) -> io::Result<()> {
    let shape = format!("({}, {}, 3)", sequence.frames(), sequence.vertices());
    let each = |wanted: Wanted| {
        let shape = shape.clone();
        move |out: &mut dyn Write| {
            header("<f4", &shape, out)?;
            let mut bytes = Vec::new();
            sequence.all(wanted, &mut |_, values| {
                put(values, &mut bytes);
                out.write_all(&bytes)
            })
        }
    };
    let (vertices, normals) = (each(Wanted::Positions), each(Wanted::Normals));
    let faces = |out: &mut dyn Write| {
        header("<i4", &format!("({}, 3)", sequence.triangles()), out)?;
        sequence.meshes().iter().try_for_each(|mesh| {
            let bytes =
                mesh.triangles.as_flattened().iter().flat_map(|at| (mesh.first as u32 + at).to_le_bytes());
            out.write_all(&bytes.collect::<Vec<u8>>())
        })
    };
    let fps = |out: &mut dyn Write| {
        header("<f8", "()", out)?;
        out.write_all(&sequence.clip().rate().fps().to_le_bytes())
    };
    let names = |out: &mut dyn Write| {
        let longest =
            sequence.meshes().iter().map(|mesh| mesh.name.chars().count()).max().unwrap_or(0).max(1);
        header(&format!("<U{longest}"), &format!("({},)", sequence.meshes().len()), out)?;
        sequence.meshes().iter().try_for_each(|mesh| {
            let letters = mesh.name.chars().map(u32::from).chain(std::iter::repeat(0)).take(longest);
            out.write_all(&letters.flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
        })
    };
    let starts = |out: &mut dyn Write| {
        header("<i4", &format!("({},)", sequence.meshes().len() + 1), out)?;
        let firsts = sequence.meshes().iter().map(|mesh| mesh.first).chain([sequence.vertices()]);
        out.write_all(&firsts.flat_map(|first| (first as u32).to_le_bytes()).collect::<Vec<u8>>())
    };
    write_members(
        &[
            ("vertices", &vertices),
            ("faces", &faces),
            ("normals", &normals),
            ("fps", &fps),
            ("mesh_names", &names),
            ("mesh_starts", &starts),
        ],
        out,
    )
}

/// The header of an array, as `numpy.save` writes it: its length is a multiple of 64.
fn header(kind: &str, shape: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let whole = (10 + text.len() + 1).next_multiple_of(64);
    text.extend(std::iter::repeat_n(' ', whole - 10 - text.len() - 1));
    text.push('\n');
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(text.len() as u16).to_le_bytes())?;
    out.write_all(text.as_bytes())
}
