//! Stereolithography: triangles, three vertices each, as text or binary.

use mocap_model::{Body, Mesh, Vector3};

use crate::words::{shown, text, words};
use crate::{MeshError, Place, ReadMesh};

const HEAD: usize = 84;
const FACET: usize = 50;

pub(crate) fn read(bytes: &[u8]) -> Result<ReadMesh, MeshError> {
    // Some binary files start with "solid" too: their size decides.
    let stated =
        bytes.get(80..HEAD).map(|count| u32::from_le_bytes([count[0], count[1], count[2], count[3]]));
    let fits =
        stated.is_some_and(|count| bytes.len() as u64 == HEAD as u64 + FACET as u64 * u64::from(count));
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    match bytes[start..].starts_with(b"solid") && !fits {
        true => read_text(bytes),
        false => read_binary(bytes, stated),
    }
}

fn read_binary(bytes: &[u8], stated: Option<u32>) -> Result<ReadMesh, MeshError> {
    let Some(count) = stated else {
        let message = format!("{} bytes; a binary STL has at least {HEAD}", bytes.len());
        return Err(MeshError::new("stl::short", Place::Byte(bytes.len()), message));
    };
    let facets = &bytes[HEAD..];
    if (facets.len() / FACET) < count as usize {
        let message =
            format!("the file ends after {} triangles, its head states {count}", facets.len() / FACET);
        return Err(MeshError::new("stl::short", Place::Byte(bytes.len()), message));
    }
    let mut mesh = Mesh::default();
    let mut notes = Vec::new();
    for (number, facet) in facets.chunks_exact(FACET).take(count as usize).enumerate() {
        let value = |at: usize| {
            f64::from(f32::from_le_bytes([facet[at], facet[at + 1], facet[at + 2], facet[at + 3]]))
        };
        for corner in 1..4 {
            let at = Vector3::from_fn(|axis, _| value(12 * corner + 4 * axis));
            if !at.iter().all(|value| value.is_finite()) {
                let place = Place::Byte(HEAD + FACET * number + 12 * corner);
                let message = format!("triangle {number} has a coordinate that is not a finite number");
                return Err(MeshError::new("stl::number", place, message));
            }
            mesh.corners.push(mesh.positions.len() as u32);
            mesh.positions.push(at);
        }
        mesh.faces.push(3);
    }
    let more = facets.len() - FACET * count as usize;
    if more > 0 {
        notes.push(format!("{more} bytes behind the last triangle are left out"));
    }
    Ok(ReadMesh { body: Body { meshes: vec![mesh], ..Body::default() }, notes })
}

fn read_text(bytes: &[u8]) -> Result<ReadMesh, MeshError> {
    let text = text(bytes, "stl::text")?;
    let mut mesh = Mesh::default();
    let mut corners: Option<u32> = None;
    let mut last = 1;
    for (at, line) in text.lines().enumerate() {
        last = at + 1;
        let mut words = words(line, at + 1);
        let Some(keyword) = words.next() else { continue };
        match keyword.text {
            "solid" => {
                if mesh.name.is_empty() {
                    mesh.name = line.trim_start()["solid".len()..].trim().to_owned();
                }
            }
            "facet" if corners.is_some() => {
                let message = "a facet within a facet; endfacet was expected";
                return Err(MeshError::new("stl::order", keyword.place, message));
            }
            "facet" => corners = Some(0),
            "vertex" => {
                let Some(corners) = &mut corners else {
                    return Err(MeshError::new("stl::order", keyword.place, "a vertex outside of a facet"));
                };
                let mut at = [0.0; 3];
                for value in &mut at {
                    let word = words.next().ok_or_else(|| {
                        MeshError::new("stl::number", keyword.place, "a vertex without its three numbers")
                    })?;
                    *value = word.number("stl::number")?;
                }
                mesh.corners.push(mesh.positions.len() as u32);
                mesh.positions.push(Vector3::from(at));
                *corners += 1;
            }
            "endfacet" => match corners.take() {
                Some(3) => mesh.faces.push(3),
                found => {
                    let message = format!("a facet of {} vertices; it has three", found.unwrap_or(0));
                    return Err(MeshError::new("stl::facet", keyword.place, message));
                }
            },
            "outer" | "endloop" | "endsolid" => {}
            other => {
                let message = format!("'{}' is not a word of STL", shown(other));
                return Err(MeshError::new("stl::word", keyword.place, message));
            }
        }
    }
    if corners.is_some() {
        let place = Place::Line { line: last, column: 1 };
        return Err(MeshError::new("stl::short", place, "the file ends within a facet"));
    }
    Ok(ReadMesh { body: Body { meshes: vec![mesh], ..Body::default() }, notes: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACET_TEXT: &str =
        "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";

    #[test]
    fn text_and_binary_give_the_same() {
        let text = read(format!("solid a\n{FACET_TEXT}endsolid a\n").as_bytes()).unwrap();
        let mut bytes = b"solid of a binary file".to_vec();
        bytes.resize(80, 0);
        bytes.extend(1u32.to_le_bytes());
        let values = [0.0f32, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        bytes.extend([0, 0]);
        let binary = read(&bytes).unwrap();
        assert_eq!(text.body.meshes[0].positions, binary.body.meshes[0].positions);
        assert_eq!(binary.body.meshes[0].faces, [3]);
        bytes[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        let error = read(&bytes[..]).unwrap_err();
        // Read as text by its first word; its zero bytes are errors.
        assert_eq!((error.code, error.place), ("stl::text", Place::Byte(22)));
        bytes[0] = b'S';
        assert_eq!(read(&bytes).unwrap_err().code, "stl::short");
    }

    #[test]
    fn errors_have_their_place() {
        for (text, code, line) in [
            ("solid\nvertex 0 0 0\n", "stl::order", 2),
            ("solid\nfacet normal 0 0 1\nvertex 0 0\n", "stl::number", 3),
            ("solid\nfacet normal 0 0 1\nvertex 0 0 0\nendfacet\n", "stl::facet", 4),
            ("solid\nfacet normal 0 0 1\nvertex 0 0 0\n", "stl::short", 3),
            ("solid\nfacet normal 0 0 1\nvertex 0 0 0\nfacet normal 0 0 1\n", "stl::order", 4),
            ("solid\nhello\n", "stl::word", 2),
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            let Place::Line { line: found, .. } = error.place else { panic!("{error}") };
            assert_eq!((error.code, found), (code, line), "{text}");
        }
    }
}
