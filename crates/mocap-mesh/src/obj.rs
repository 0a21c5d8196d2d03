//! Wavefront OBJ: vertices, texture coordinates, normals, polygons, names of materials.

use std::collections::BTreeMap;

use mocap_model::{Body, Material, Mesh, Vector3};

use crate::words::{Word, shown, text, words};
use crate::{MOST_CORNERS, MeshError, ReadMesh};

const NUMBER: &str = "obj::number";
const INDEX: &str = "obj::index";
const FACE: &str = "obj::face";
const NONE: usize = usize::MAX;

pub(crate) fn read(bytes: &[u8]) -> Result<ReadMesh, MeshError> {
    let text = text(bytes, "obj::text")?;
    let mut reader = Reader { material: NONE, ..Reader::default() };
    let mut pending = String::new();
    let mut first_line = 0;
    for (at, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        // A backslash at its end continues a line.
        if let Some(part) = line.trim_end().strip_suffix('\\') {
            if pending.is_empty() {
                first_line = at + 1;
            }
            pending.push_str(part);
            pending.push(' ');
            continue;
        }
        if pending.is_empty() {
            reader.line(line, at + 1)?;
        } else {
            pending.push_str(line);
            let whole = std::mem::take(&mut pending);
            reader.line(&whole, first_line)?;
        }
    }
    if !pending.is_empty() {
        reader.line(&pending, first_line)?;
    }
    Ok(reader.finish())
}

#[derive(Default)]
struct Reader {
    mesh: Mesh,
    normals: Vec<Vector3<f64>>,
    uvs: Vec<[f64; 2]>,
    /// By corner: indices into the lists above.
    corner_normals: Vec<usize>,
    corner_uvs: Vec<usize>,
    materials: Vec<String>,
    /// Index of a material by its name.
    known_materials: BTreeMap<String, usize>,
    material: usize,
    face_materials: Vec<usize>,
    objects: usize,
    elements: usize,
    has_library: bool,
    /// Whether vertices have colours behind their places.
    has_colours: bool,
}

impl Reader {
    fn line(&mut self, line: &str, number: usize) -> Result<(), MeshError> {
        let mut words = words(line, number);
        let Some(keyword) = words.next() else { return Ok(()) };
        match keyword.text {
            "v" => {
                self.mesh.positions.push(vector(keyword, &mut words)?);
                self.has_colours |= words.count() >= 3;
            }
            "vn" => self.normals.push(vector(keyword, words)?),
            "vt" => {
                let u = words.next().ok_or_else(|| missing(keyword, "one number or more"))?.number(NUMBER)?;
                let v = words.next().map_or(Ok(0.0), |word| word.number(NUMBER))?;
                self.uvs.push([u, v]);
            }
            "f" => self.face(keyword, words)?,
            "usemtl" => {
                let name = line.trim_start()["usemtl".len()..].trim().to_owned();
                let next = self.materials.len();
                self.material = *self.known_materials.entry(name.clone()).or_insert(next);
                if self.material == next {
                    self.materials.push(name);
                }
            }
            "o" => {
                if self.objects == 0 {
                    self.mesh.name = line.trim_start()[1..].trim().to_owned();
                }
                self.objects += 1;
            }
            "mtllib" => self.has_library = true,
            "l" | "p" | "curv" | "curv2" | "surf" => self.elements += 1,
            _ => {}
        }
        Ok(())
    }

    fn face<'t>(
        &mut self,
        keyword: Word<'t>,
        words: impl Iterator<Item = Word<'t>>,
    ) -> Result<(), MeshError> {
        let mut count = 0;
        for word in words {
            if count as usize == MOST_CORNERS {
                let message = format!("a face of more than {MOST_CORNERS} vertices");
                return Err(MeshError::new(FACE, word.place, message));
            }
            let mut parts = word.text.split('/');
            let mut part = |known: usize, what: &str| match parts.next() {
                None | Some("") => Ok(None),
                Some(text) => index(Word { text, ..word }, known, what).map(Some),
            };
            let vertex = part(self.mesh.positions.len(), "vertices")?;
            let uv = part(self.uvs.len(), "texture coordinates")?;
            let normal = part(self.normals.len(), "normals")?;
            let vertex = vertex.ok_or_else(|| {
                MeshError::new(INDEX, word.place, format!("'{}' names no vertex", shown(word.text)))
            })?;
            self.mesh.corners.push(vertex as u32);
            self.corner_uvs.push(uv.unwrap_or(NONE));
            self.corner_normals.push(normal.unwrap_or(NONE));
            count += 1;
        }
        if count < 3 {
            let message = format!("a face of {count} vertices; it needs three or more");
            return Err(MeshError::new(FACE, keyword.place, message));
        }
        self.mesh.faces.push(count);
        self.face_materials.push(self.material);
        Ok(())
    }

    fn finish(mut self) -> ReadMesh {
        let mut notes = Vec::new();
        // Attributes that only some corners have cannot be completed from others: they are dropped.
        let complete = |all: &[usize]| !all.is_empty() && all.iter().all(|at| *at != NONE);
        let partly = |all: &[usize]| all.iter().any(|at| *at != NONE) && !complete(all);
        if complete(&self.corner_normals) {
            self.mesh.normals = self.corner_normals.iter().map(|at| self.normals[*at]).collect();
        } else if partly(&self.corner_normals) {
            notes.push("normals are left out: some faces have none".to_owned());
        }
        if complete(&self.corner_uvs) {
            self.mesh.uvs = self.corner_uvs.iter().map(|at| self.uvs[*at]).collect();
        } else if partly(&self.corner_uvs) {
            self.mesh.uvs =
                self.corner_uvs.iter().map(|at| self.uvs.get(*at).copied().unwrap_or_default()).collect();
            notes.push("faces without texture coordinates have 0, 0".to_owned());
        }
        if !self.materials.is_empty() {
            if self.face_materials.contains(&NONE) {
                self.materials.push(String::new());
            }
            let unnamed = self.materials.len() as u32 - 1;
            let place = |at: &usize| if *at == NONE { unnamed } else { *at as u32 };
            self.mesh.materials = self.face_materials.iter().map(place).collect();
        }
        if self.has_library {
            notes
                .push("colours of the material library are left out; names of materials are kept".to_owned());
        }
        if self.objects > 1 {
            notes.push(format!("{} objects become one mesh", self.objects));
        }
        if self.has_colours {
            notes.push("vertex colours are left out".to_owned());
        }
        if self.elements > 0 {
            notes.push(format!("{} lines, points or curves are left out", self.elements));
        }
        let materials = self.materials.into_iter().map(|name| Material { name, ..Material::default() });
        ReadMesh { body: Body { materials: materials.collect(), meshes: vec![self.mesh] }, notes }
    }
}

fn missing(keyword: Word<'_>, expected: &str) -> MeshError {
    MeshError::new(
        NUMBER,
        keyword.place,
        format!("'{}' without its numbers; expected {expected}", keyword.text),
    )
}

fn vector<'t>(
    keyword: Word<'t>,
    mut words: impl Iterator<Item = Word<'t>>,
) -> Result<Vector3<f64>, MeshError> {
    let mut next = || words.next().ok_or_else(|| missing(keyword, "three"))?.number(NUMBER);
    Ok(Vector3::new(next()?, next()?, next()?))
}

/// An index from 1, or from the end where it is below 0.
fn index(word: Word<'_>, known: usize, what: &str) -> Result<usize, MeshError> {
    let number = word.whole(INDEX)?;
    let at = if number > 0 { number - 1 } else { number + known as i64 };
    if number == 0 || at < 0 || at >= known as i64 {
        let message = format!("index {number}, but there are {known} {what} so far");
        return Err(MeshError::new(INDEX, word.place, message));
    }
    Ok(at as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;

    #[test]
    fn colours_of_vertices_are_left_out_with_a_note() {
        let text = b"v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 1 1 0 0 0 1\nf 1 2 3\n";
        let ReadMesh { body, notes } = read(text).unwrap();
        assert_eq!(
            (body.meshes[0].positions.len(), &notes[..]),
            (3, &["vertex colours are left out".into()][..])
        );
    }

    #[test]
    fn corners_keep_what_belongs_to_them() {
        let text = b"o head\nv 0 0 0\nv 1 0 0 1\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 1\nvn 0 0 1\nusemtl skin\n\
            f 1/1/1 2/2/1 -2/1/1 -1/2/1\nusemtl hair\nf 1/1/1 \\\n 2/1/1 3/1/1\n";
        let ReadMesh { body, notes } = read(text).unwrap();
        let mesh = &body.meshes[0];
        assert_eq!((mesh.name.as_str(), mesh.positions.len(), &mesh.faces[..]), ("head", 4, &[4, 3][..]));
        assert_eq!(mesh.corners, [0, 1, 2, 3, 0, 1, 2]);
        assert_eq!(mesh.uvs[1], [1.0, 1.0]);
        assert_eq!(mesh.normals, vec![Vector3::z(); 7]);
        assert_eq!((mesh.materials[0], mesh.materials[1]), (0, 1));
        assert_eq!(body.materials[1].name, "hair");
        assert!(notes.is_empty(), "{notes:?}");
    }

    #[test]
    fn a_last_line_that_would_go_on_counts() {
        let found = read(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 \\").unwrap();
        assert_eq!(found.body.meshes[0].faces, [3]);
    }

    #[test]
    fn errors_have_their_place() {
        for (text, code, line, column) in [
            ("v 0 0 0\nv 1 x 0\n", NUMBER, 2, 5),
            ("v 0 0\n", NUMBER, 1, 1),
            ("v 0 nan 0\n", NUMBER, 1, 5),
            ("v 0 0 0\nf 1 1 2\n", INDEX, 2, 7),
            ("v 0 0 0\nf 0 1 1\n", INDEX, 2, 3),
            ("v 0 0 0\nf 1 1\n", FACE, 2, 1),
            ("v 0 0 0\nf 1 -2 1\n", INDEX, 2, 5),
            ("v 0 0 0\nf 1 99999999999999999999 1\n", INDEX, 2, 5),
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            assert_eq!((error.code, error.place), (code, Place::Line { line, column }), "{text}: {error}");
        }
        let many = format!("v 0 0 0\nf{}\n", " 1".repeat(1001));
        let error = read(many.as_bytes()).unwrap_err();
        assert_eq!((error.code, error.place), (FACE, Place::Line { line: 2, column: 2003 }));
        assert_eq!(read(b"v 0 0 0\0").unwrap_err().place, Place::Byte(7));
    }
}
