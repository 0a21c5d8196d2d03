//! Polygon file format: vertices and faces, as text or binary in either order of bytes.
//!
//! Based on: G. Turk, "The PLY polygon file format", 1994.

use mocap_model::{Body, Mesh, Vector3};

use crate::words::{shown, words};
use crate::{MOST_CORNERS, MeshError, Place, ReadMesh};

/// The most values of a list.
const LONGEST_LIST: usize = 1 << 16;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Type {
    fn named(name: &str) -> Option<Type> {
        Some(match name {
            "char" | "int8" => Type::I8,
            "uchar" | "uint8" => Type::U8,
            "short" | "int16" => Type::I16,
            "ushort" | "uint16" => Type::U16,
            "int" | "int32" => Type::I32,
            "uint" | "uint32" => Type::U32,
            "float" | "float32" => Type::F32,
            "double" | "float64" => Type::F64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::F64 => 8,
        }
    }
}

struct Property {
    name: String,
    /// For a list: the type of its count.
    count: Option<Type>,
    of: Type,
}

struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Text,
    Little,
    Big,
}

pub(crate) fn read(bytes: &[u8]) -> Result<ReadMesh, MeshError> {
    let (encoding, elements, start, lines) = header(bytes)?;
    let mut values = Values { bytes, at: start, encoding, line: lines + 1, line_start: start };
    let mut mesh = Mesh::default();
    let mut notes = Vec::new();
    let mut largest = None;
    for element in &elements {
        match element.name.as_str() {
            "vertex" => vertices(element, &mut values, &mut mesh, &mut notes)?,
            "face" => faces(element, &mut values, &mut mesh, &mut largest)?,
            name => {
                // Elements without properties take no bytes, so a header may state any number of them.
                let count = if element.properties.is_empty() { 0 } else { element.count };
                for _ in 0..count {
                    for property in &element.properties {
                        values.skip(property)?;
                    }
                }
                if element.count > 0 {
                    notes.push(format!("{} elements '{}' are left out", element.count, shown(name)));
                }
            }
        }
    }
    let known = mesh.positions.len();
    if let Some((bad, place)) = largest.filter(|(corner, _)| *corner as usize >= known) {
        let message = format!("a face names vertex {bad}, but there are {known} vertices");
        return Err(MeshError::new("ply::index", place, message));
    }
    Ok(ReadMesh { body: Body { meshes: vec![mesh], ..Body::default() }, notes })
}

/// The encoding, the elements, where the values start, and how many lines the header has.
fn header(bytes: &[u8]) -> Result<(Encoding, Vec<Element>, usize, usize), MeshError> {
    let (mut start, mut number) = (0, 0);
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        let rest = &bytes[start..];
        let Some(length) = rest.iter().position(|byte| *byte == b'\n') else {
            return Err(MeshError::new(
                "ply::header",
                Place::Byte(bytes.len()),
                "the header has no end_header",
            ));
        };
        number += 1;
        let line = String::from_utf8_lossy(&rest[..length]);
        start += length + 1;
        let mut words = words(&line, number);
        let keyword = words.next();
        let place = keyword.map_or(Place::Line { line: number, column: 1 }, |word| word.place);
        let bad = |message: String| Err(MeshError::new("ply::header", place, message));
        let rest: Vec<&str> = words.map(|word| word.text).collect();
        match (keyword.map(|word| word.text), &rest[..]) {
            (Some("ply"), []) if number == 1 => {}
            _ if number == 1 => return bad("the first line is not 'ply'".into()),
            (Some("format"), [name, ..]) => {
                encoding = Some(match *name {
                    "ascii" => Encoding::Text,
                    "binary_little_endian" => Encoding::Little,
                    "binary_big_endian" => Encoding::Big,
                    other => return bad(format!("'{}' is not a format of PLY", shown(other))),
                });
            }
            (Some("element"), [name, count]) => {
                let Ok(count) = count.parse() else {
                    return bad(format!("'{}' is not a number of elements", shown(count)));
                };
                elements.push(Element { name: (*name).to_owned(), count, properties: Vec::new() });
            }
            (Some("property"), words) => {
                let (count, of, name) = match words {
                    ["list", count, of, name] => (Some(*count), *of, *name),
                    [of, name] => (None, *of, *name),
                    _ => return bad("a property is a type and a name, or a list".into()),
                };
                let typed = |name: &str| Type::named(name);
                let (Some(of), count) = (typed(of), count.map(typed)) else {
                    return bad(format!("'{}' is not a type", shown(of)));
                };
                if count == Some(None) {
                    return bad("the count of a list has no known type".into());
                }
                let Some(element) = elements.last_mut() else {
                    return bad("a property before the first element".into());
                };
                element.properties.push(Property { name: name.to_owned(), count: count.flatten(), of });
            }
            (Some("end_header"), _) => break,
            (None | Some("comment" | "obj_info"), _) => {}
            (Some(other), _) => return bad(format!("'{}' is not a word of a PLY header", shown(other))),
        }
    }
    match encoding {
        Some(encoding) => Ok((encoding, elements, start, number)),
        None => Err(MeshError::new(
            "ply::header",
            Place::Line { line: 1, column: 1 },
            "the header states no format",
        )),
    }
}

fn vertices(
    element: &Element,
    values: &mut Values<'_>,
    mesh: &mut Mesh,
    notes: &mut Vec<String>,
) -> Result<(), MeshError> {
    let place = |name: &str| element.properties.iter().position(|property| property.name == name);
    let axes = [place("x"), place("y"), place("z")];
    let [Some(x), Some(y), Some(z)] = axes else {
        let message = "vertices have no x, y and z";
        return Err(MeshError::new("ply::header", Place::Byte(0), message));
    };
    let kept = [x, y, z];
    if kept.iter().any(|at| element.properties[*at].count.is_some()) {
        let message = "x, y and z of vertices are lists; each is to be one number";
        return Err(MeshError::new("ply::header", Place::Byte(0), message));
    }
    let others = element.properties.len() - 3;
    if others > 0 {
        notes.push(format!("{others} properties of vertices besides x, y and z are left out"));
    }
    for _ in 0..element.count {
        let mut at = Vector3::zeros();
        for (number, property) in element.properties.iter().enumerate() {
            match (property.count, kept.iter().position(|kept| *kept == number)) {
                (None, Some(axis)) => {
                    let place = values.place();
                    let value = values.next(property.of)?;
                    if !value.is_finite() {
                        let message = format!(
                            "'{}' of vertex {} is not a finite number",
                            property.name,
                            mesh.positions.len()
                        );
                        return Err(MeshError::new("ply::number", place, message));
                    }
                    at[axis] = value;
                }
                _ => values.skip(property)?,
            }
        }
        mesh.positions.push(at);
    }
    Ok(())
}

/// Sets `largest` to the largest vertex index of a face and its place; it is checked later, because vertices may come
/// after the faces.
fn faces(
    element: &Element,
    values: &mut Values<'_>,
    mesh: &mut Mesh,
    largest: &mut Option<(u32, Place)>,
) -> Result<(), MeshError> {
    let is_list = |property: &Property| {
        property.count.is_some() && ["vertex_indices", "vertex_index"].contains(&property.name.as_str())
    };
    let Some(list) = element.properties.iter().position(is_list) else {
        return Err(MeshError::new("ply::header", Place::Byte(0), "faces have no list 'vertex_indices'"));
    };
    for face in 0..element.count {
        for (number, property) in element.properties.iter().enumerate() {
            if number != list {
                values.skip(property)?;
                continue;
            }
            let place = values.place();
            let count = values.count(property)?;
            if count < 3 {
                let message = format!("face {face} has {count} vertices; it needs three or more");
                return Err(MeshError::new("ply::face", place, message));
            }
            if count > MOST_CORNERS {
                let message = format!("face {face} has {count} vertices; at most {MOST_CORNERS} are read");
                return Err(MeshError::new("ply::face", place, message));
            }
            for _ in 0..count {
                let place = values.place();
                let corner = values.next(property.of)?;
                if !(corner >= 0.0 && corner < f64::from(u32::MAX) && corner.fract() == 0.0) {
                    let message = format!("face {face} names vertex {corner}");
                    return Err(MeshError::new("ply::index", place, message));
                }
                let corner = corner as u32;
                if largest.is_none_or(|(known, _)| corner > known) {
                    *largest = Some((corner, place));
                }
                mesh.corners.push(corner);
            }
            mesh.faces.push(count as u32);
        }
    }
    Ok(())
}

/// The values behind the header, one after another.
struct Values<'b> {
    bytes: &'b [u8],
    at: usize,
    encoding: Encoding,
    line: usize,
    line_start: usize,
}

impl Values<'_> {
    /// Where the next value is.
    fn place(&mut self) -> Place {
        if self.encoding != Encoding::Text {
            return Place::Byte(self.at);
        }
        while let Some(byte) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
            if *byte == b'\n' {
                self.line += 1;
                self.line_start = self.at;
            }
        }
        Place::Line { line: self.line, column: self.at - self.line_start + 1 }
    }

    fn next(&mut self, of: Type) -> Result<f64, MeshError> {
        let place = self.place();
        let ends = || MeshError::new("ply::short", place, "the file ends before its last element");
        if self.encoding == Encoding::Text {
            let rest = &self.bytes[self.at..];
            let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            if length == 0 {
                return Err(ends());
            }
            self.at += length;
            let word = String::from_utf8_lossy(&rest[..length]);
            return word.parse().map_err(|_| {
                MeshError::new("ply::number", place, format!("'{}' is not a number", shown(&word)))
            });
        }
        let size = of.size();
        let raw = self.bytes.get(self.at..self.at + size).ok_or_else(ends)?;
        self.at += size;
        let mut word = [0u8; 8];
        word[..size].copy_from_slice(raw);
        if self.encoding == Encoding::Big {
            word[..size].reverse();
        }
        let [a, b, c, d, ..] = word;
        Ok(match of {
            Type::I8 => f64::from(a as i8),
            Type::U8 => f64::from(a),
            Type::I16 => f64::from(i16::from_le_bytes([a, b])),
            Type::U16 => f64::from(u16::from_le_bytes([a, b])),
            Type::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
            Type::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
            Type::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            Type::F64 => f64::from_le_bytes(word),
        })
    }

    /// The length of a list.
    fn count(&mut self, property: &Property) -> Result<usize, MeshError> {
        let place = self.place();
        let count = self.next(property.count.unwrap_or(Type::U8))?;
        if !(count >= 0.0 && count <= LONGEST_LIST as f64 && count.fract() == 0.0) {
            let message = format!("a list of {count} values; at most {LONGEST_LIST} are read");
            return Err(MeshError::new("ply::list", place, message));
        }
        Ok(count as usize)
    }

    fn skip(&mut self, property: &Property) -> Result<(), MeshError> {
        let count = if property.count.is_some() { self.count(property)? } else { 1 };
        for _ in 0..count {
            self.next(property.of)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(format: &str) -> String {
        format!(
            "ply\nformat {format} 1.0\ncomment by hand\nelement vertex 3\nproperty float x\nproperty float y\n\
             property float z\nproperty uchar red\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
        )
    }

    #[test]
    fn text_and_both_orders_of_bytes_give_the_same() {
        let text = head("ascii") + "0 0 0 255\n1 0 0 0\n0 1.5 0 0\n3 0 1 2\n";
        let expected = read(text.as_bytes()).unwrap();
        assert_eq!(expected.body.meshes[0].positions[2], Vector3::new(0.0, 1.5, 0.0));
        assert_eq!(expected.notes.len(), 1);
        let places = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.5, 0.0]];
        for big in [false, true] {
            let mut bytes = head(if big { "binary_big_endian" } else { "binary_little_endian" }).into_bytes();
            for place in places {
                for value in place {
                    bytes.extend(if big { value.to_be_bytes() } else { value.to_le_bytes() });
                }
                bytes.push(255);
            }
            bytes.push(3);
            for corner in [0i32, 1, 2] {
                bytes.extend(if big { corner.to_be_bytes() } else { corner.to_le_bytes() });
            }
            assert_eq!(read(&bytes).unwrap(), expected);
            let error = read(&bytes[..bytes.len() - 1]).unwrap_err();
            assert_eq!(error.code, "ply::short");
        }
    }

    #[test]
    fn errors_have_their_place() {
        let head = head("ascii");
        let line = |line: usize, column: usize| Place::Line { line, column };
        for (values, code, place) in [
            ("0 0 0 255\n1 x 0 0\n", "ply::number", line(13, 3)),
            ("0 0 0 0\n1 0 0 0\n0 inf 0 0\n3 0 1 2\n", "ply::number", line(14, 3)),
            ("0 0 0 0\n1 0 0 0\n0 1 0 0\n2 0 1\n", "ply::face", line(15, 1)),
            ("0 0 0 0\n1 0 0 0\n0 1 0 0\n3 0 1 -2\n", "ply::index", line(15, 7)),
            ("0 0 0 0\n1 0 0 0\n0 1 0 0\n3 0 1 7\n", "ply::index", line(15, 7)),
            ("0 0 0 0\n1 0 0 0\n0 1 0 0\n1001 0 1 2\n", "ply::face", line(15, 1)),
            ("0 0 0 0\n1 0 0 0\n0 1 0 0\n1e9 0 1 2\n", "ply::list", line(15, 1)),
            ("0 0 0 0\n", "ply::short", line(13, 1)),
        ] {
            let error = read((head.clone() + values).as_bytes()).unwrap_err();
            assert_eq!((error.code, error.place), (code, place), "{values}: {error}");
        }
        // A count beyond the file is not allocated: values are read one by one.
        let many = head.replace("element vertex 3", "element vertex 99999999999");
        assert_eq!(read(many.as_bytes()).unwrap_err().code, "ply::short");
        assert_eq!(read(b"plyx\n").unwrap_err().code, "ply::header");
        let lists = head.replace("property float x", "property list uchar float x");
        assert_eq!(read(lists.as_bytes()).unwrap_err().code, "ply::header");
    }

    #[test]
    fn elements_without_properties_take_no_time() {
        let head =
            head("ascii").replace("element face", "element nothing 18446744073709551615\nelement face");
        let found = read((head + "0 0 0 0\n1 0 0 0\n0 1 0 0\n3 0 1 2\n").as_bytes()).unwrap();
        assert_eq!(found.body.meshes[0].faces, [3]);
    }
}
