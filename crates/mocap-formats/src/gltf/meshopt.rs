//! Buffer views that are compressed as `EXT_meshopt_compression` says: decoded when the file is read, so that everything
//! else sees plain numbers.
//!
//! Based on: A. Kapoulkine, "EXT_meshopt_compression" (glTF extension), with its bitstreams of version 0 of attributes,
//! and of versions 0 and 1 of indices.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::problem::{Problem, index};
use super::root::Root;
use crate::{Finding, LimitExceeded, Limits};

/// The name of the extension.
const NAME: &str = "EXT_meshopt_compression";
/// Number of vertices in a group, of which one byte each is coded together.
const GROUP: usize = 16;
/// Bytes of a block of vertices, and vertices in it, at most.
const BLOCK_BYTES: usize = 8192;
const BLOCK_VERTICES: usize = 256;
/// The largest expansion of one byte: four groups of 16 vertices, with 2 bits each for a byte that does not change.
const EXPANSION: usize = 64;

/// How a buffer view is compressed.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Packed {
    buffer: usize,
    #[serde(default)]
    byte_offset: usize,
    byte_length: usize,
    byte_stride: usize,
    count: usize,
    mode: String,
    #[serde(default)]
    filter: Option<String>,
}

/// Whether a buffer has no data itself because its views are compressed in other buffers.
pub(super) fn is_filled_later(extensions: &std::collections::BTreeMap<String, Value>) -> bool {
    extensions.get(NAME).is_some_and(|extension| extension["fallback"] == true)
}

/// Checks the length of a buffer whose views are decoded from `data` bytes: it is allocated by what the file states.
///
/// # Errors
/// Where the data in the file cannot decode to this length.
pub(super) fn check_length(path: &str, length: usize, data: usize) -> Result<(), Finding> {
    let most = data.saturating_mul(EXPANSION);
    if length <= most {
        return Ok(());
    }
    let (path, found) = (format!("{path}.byteLength"), length.to_string());
    Err(Finding::new(Problem::Unexpected {
        path,
        found,
        expected: format!("at most {most}, which is what the compressed bytes of the file can hold"),
    }))
}

/// Decodes all views, and takes the extension out of the file. `empty` are the buffers that have no data of their own.
///
/// # Errors
/// Where compressed data are damaged, of another version, or larger than the limits.
pub(super) fn unpack(
    json: &mut Value,
    root: &mut Root,
    buffers: &mut [Arc<[u8]>],
    empty: &[bool],
    limits: &Limits,
) -> Result<(), Finding> {
    if !root.buffer_views.iter().any(|view| view.extensions.contains_key(NAME)) {
        return Ok(());
    }
    let mut filled: Vec<Option<Vec<u8>>> = vec![None; buffers.len()];
    // Many views may use the same bytes, so the total of decoded bytes is bounded.
    let mut left = limits.bytes;
    for (at, view) in root.buffer_views.iter_mut().enumerate() {
        let Some(extension) = view.extensions.remove(NAME) else { continue };
        let path = format!("bufferViews[{at}].extensions.{NAME}");
        let packed: Packed = serde_json::from_value(extension).map_err(|error| {
            Finding::new(Problem::Json { path: path.clone(), message: cut(&error.to_string()) })
        })?;
        match empty.get(view.buffer) {
            None => {
                return Err(index(
                    format!("bufferViews[{at}].buffer"),
                    view.buffer,
                    "buffers",
                    buffers.len(),
                ));
            }
            // The data also exist uncompressed.
            Some(false) => continue,
            Some(true) => {}
        }
        let size = packed.byte_stride.saturating_mul(packed.count);
        let (from, end) = (view.byte_offset, view.byte_offset.saturating_add(view.byte_length));
        let available = buffers[view.buffer].len();
        if end > available {
            let of = format!("buffers[{}]", view.buffer);
            let path = format!("bufferViews[{at}]");
            return Err(Finding::new(Problem::Range { path, from, to: end, of, available }));
        }
        if size != view.byte_length {
            let (path, found) = (format!("bufferViews[{at}].byteLength"), view.byte_length.to_string());
            let expected = format!("{size}, the stride times the count of {NAME}");
            return Err(Finding::new(Problem::Unexpected { path, found, expected }));
        }
        left = left.checked_sub(size).ok_or_else(|| {
            Finding::new(LimitExceeded {
                what: "bytes after decoding",
                found: limits.bytes + size - left,
                limit: limits.bytes,
            })
        })?;
        let data = decoded(&packed, buffers, &path)?;
        let target = filled[view.buffer].get_or_insert_with(|| buffers[view.buffer].to_vec());
        target[from..end].copy_from_slice(&data);
    }
    for (buffer, data) in buffers.iter_mut().zip(filled) {
        data.into_iter().for_each(|data| *buffer = data.into());
    }
    forget(json);
    Ok(())
}

/// Removes the extension from the JSON, because files are written uncompressed.
fn forget(json: &mut Value) {
    let Some(json) = json.as_object_mut() else { return };
    for list in ["extensionsUsed", "extensionsRequired"] {
        if let Some(Value::Array(names)) = json.get_mut(list) {
            names.retain(|name| name != NAME);
            if names.is_empty() {
                json.remove(list);
            }
        }
    }
    for list in ["bufferViews", "buffers"] {
        for item in json.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            let Some(item) = item.as_object_mut() else { continue };
            if let Some(Value::Object(extensions)) = item.get_mut("extensions") {
                extensions.remove(NAME);
                if extensions.is_empty() {
                    item.remove("extensions");
                }
            }
        }
    }
}

/// The start of a text, which may be of any length, for messages.
fn cut(text: &str) -> String {
    const LONGEST: usize = 200;
    text.char_indices().nth(LONGEST).map_or_else(|| text.to_owned(), |(at, _)| format!("{}…", &text[..at]))
}

/// The bytes of one view.
fn decoded(packed: &Packed, buffers: &[Arc<[u8]>], path: &str) -> Result<Vec<u8>, Finding> {
    let Packed { byte_stride: stride, count, .. } = *packed;
    let Some(buffer) = buffers.get(packed.buffer) else {
        return Err(index(format!("{path}.buffer"), packed.buffer, "buffers", buffers.len()));
    };
    let end = packed.byte_offset.saturating_add(packed.byte_length);
    let Some(data) = buffer.get(packed.byte_offset..end) else {
        let (path, of, available) = (path.to_owned(), format!("buffers[{}]", packed.buffer), buffer.len());
        return Err(Finding::new(Problem::Range { path, from: packed.byte_offset, to: end, of, available }));
    };
    let unexpected = |what: &str, found: String, expected: &str| {
        Finding::new(Problem::Unexpected { path: format!("{path}.{what}"), found, expected: expected.into() })
    };
    // The size is checked against the data before memory is allocated.
    if stride.saturating_mul(count) > data.len().saturating_mul(EXPANSION) {
        let expected = "what its bytes can hold: it was cut off or damaged";
        return Err(unexpected("count", count.to_string(), expected));
    }
    let damaged = || unexpected("byteOffset", "damaged data".into(), "data compressed by meshoptimizer");
    let bytes = match packed.mode.as_str() {
        "ATTRIBUTES" if stride == 0 || stride > 256 || stride % 4 != 0 => {
            return Err(unexpected("byteStride", stride.to_string(), "a multiple of 4 up to 256"));
        }
        "ATTRIBUTES" => attributes(data, count, stride).ok_or_else(damaged)?,
        "TRIANGLES" | "INDICES" if stride != 2 && stride != 4 => {
            return Err(unexpected("byteStride", stride.to_string(), "2 or 4"));
        }
        "TRIANGLES" => narrowed(&triangles(data, count).ok_or_else(damaged)?, stride).ok_or_else(damaged)?,
        "INDICES" => narrowed(&sequence(data, count).ok_or_else(damaged)?, stride).ok_or_else(damaged)?,
        other => {
            return Err(unexpected("mode", format!("'{}'", cut(other)), "ATTRIBUTES, TRIANGLES or INDICES"));
        }
    };
    // Only attributes are filtered.
    let filter = packed.filter.as_deref().filter(|filter| *filter != "NONE");
    let filtered = match filter {
        None => Some(bytes),
        Some(filter) if packed.mode == "ATTRIBUTES" => filtered(bytes, filter, stride),
        Some(_) => None,
    };
    filtered.ok_or_else(|| {
        unexpected("filter", format!("'{}'", cut(filter.unwrap_or(""))), "one for this mode and stride")
    })
}

/// Takes bytes from the front.
fn take<'d>(data: &mut &'d [u8], count: usize) -> Option<&'d [u8]> {
    let (front, rest) = data.split_at_checked(count)?;
    *data = rest;
    Some(front)
}

/// Vertices of some bytes each: byte by byte the differences between neighbours.
fn attributes(data: &[u8], count: usize, stride: usize) -> Option<Vec<u8>> {
    let (header, mut data) = data.split_first()?;
    if *header != 0xa0 {
        return None;
    }
    // The vertex before the first one, behind everything else.
    let tail = stride.max(32);
    let mut last = data.get(data.len().checked_sub(stride)?..)?.to_vec();
    data = &data[..data.len().checked_sub(tail)?];
    let block = ((BLOCK_BYTES / stride) & !(GROUP - 1)).clamp(GROUP, BLOCK_VERTICES);
    let mut out = vec![0; count * stride];
    for vertices in out.chunks_mut(block * stride) {
        let here = vertices.len() / stride;
        let groups = here.div_ceil(GROUP);
        for (byte, last) in last.iter_mut().enumerate() {
            let sizes = take(&mut data, groups.div_ceil(4))?;
            for group in 0..groups {
                let values = group_of(&mut data, sizes[group / 4] >> (group % 4 * 2) & 3)?;
                let first = group * GROUP;
                for (at, value) in values.iter().take(here - first).enumerate() {
                    let step = (value >> 1) ^ (value & 1).wrapping_neg();
                    *last = last.wrapping_add(step);
                    vertices[(first + at) * stride + byte] = *last;
                }
            }
        }
    }
    data.is_empty().then_some(out)
}

/// A group of bytes with 0, 2, 4 or 8 bits each; in 2 and 4 bits, the largest value is an escape for a whole byte that
/// follows.
fn group_of(data: &mut &[u8], size: u8) -> Option<[u8; GROUP]> {
    let mut values = [0; GROUP];
    let bits = match size {
        0 => return Some(values),
        1 => 2,
        2 => 4,
        _ => {
            values.copy_from_slice(take(data, GROUP)?);
            return Some(values);
        }
    };
    let codes = take(data, GROUP * bits / 8)?;
    let most = (1u8 << bits) - 1;
    for (at, value) in values.iter_mut().enumerate() {
        let bit = at * bits;
        let code = codes[bit / 8] >> (8 - bits - bit % 8) & most;
        *value = if code == most { take(data, 1)?[0] } else { code };
    }
    Some(values)
}

/// A number in groups of 7 bits, the lowest first.
fn varint(data: &mut &[u8]) -> Option<u32> {
    let mut value = 0u32;
    for shift in (0..35).step_by(7) {
        let byte = take(data, 1)?[0];
        value |= u32::from(byte & 127).checked_shl(shift).unwrap_or(0);
        if byte < 128 {
            break;
        }
    }
    Some(value)
}

/// A number coded as the difference to the last one.
fn stepped(data: &mut &[u8], last: u32) -> Option<u32> {
    let code = varint(data)?;
    Some(last.wrapping_add((code >> 1) ^ (code & 1).wrapping_neg()))
}

/// The state of the triangle decoder: recent edges and vertices.
#[derive(Default)]
struct Recent {
    edges: [[u32; 2]; 16],
    edge: usize,
    vertices: [u32; 16],
    vertex: usize,
}

impl Recent {
    fn edge(&self, back: usize) -> [u32; 2] {
        self.edges[self.edge.wrapping_sub(back) & 15]
    }

    fn vertex(&self, back: usize) -> u32 {
        self.vertices[self.vertex.wrapping_sub(back) & 15]
    }

    fn push_edge(&mut self, a: u32, b: u32) {
        self.edges[self.edge] = [a, b];
        self.edge = (self.edge + 1) & 15;
    }

    /// A vertex that is not new does not advance: the next one overwrites it.
    fn push_vertex(&mut self, vertex: u32, is_new: bool) {
        self.vertices[self.vertex] = vertex;
        self.vertex = (self.vertex + usize::from(is_new)) & 15;
    }
}

/// The indices of triangles.
fn triangles(data: &[u8], count: usize) -> Option<Vec<u32>> {
    let (header, data) = data.split_first()?;
    if !count.is_multiple_of(3) || header & 0xf0 != 0xe0 || header & 15 > 1 {
        return None;
    }
    // Codes below this name a vertex that was used lately; of version 1, two more are neighbours of the last one.
    let most = if header & 15 == 1 { 13 } else { 15 };
    let (codes, rest) = data.split_at_checked(count / 3)?;
    let (mut data, table) = rest.split_at_checked(rest.len().checked_sub(16)?)?;
    let (mut recent, mut next, mut last) = (Recent::default(), 0u32, 0u32);
    let mut out = Vec::with_capacity(count);
    let fresh = |next: &mut u32| {
        let vertex = *next;
        *next = next.wrapping_add(1);
        vertex
    };
    for code in codes {
        let (high, low) = (usize::from(code >> 4), usize::from(code & 15));
        if high < 15 {
            let [a, b] = recent.edge(high + 1);
            let c = match low {
                0 => fresh(&mut next),
                low if low < most => recent.vertex(low + 1),
                13 => last.wrapping_sub(1),
                14 => last.wrapping_add(1),
                _ => stepped(&mut data, last)?,
            };
            if low >= most {
                last = c;
            }
            out.extend([a, b, c]);
            recent.push_vertex(c, low == 0 || low >= most);
            recent.push_edge(c, b);
            recent.push_edge(a, c);
            continue;
        }
        // All three vertices are coded: by a table, or by a byte that may announce differences.
        let aux = if low < 14 { table[low] } else { take(&mut data, 1)?[0] };
        let (second, third) = (usize::from(aux >> 4), usize::from(aux & 15));
        let explicit = low >= 14;
        if explicit && aux == 0 {
            next = 0;
        }
        let a_is_far = low == 15;
        let mut a = if a_is_far { 0 } else { fresh(&mut next) };
        let mut b = if second == 0 { fresh(&mut next) } else { recent.vertex(second) };
        let mut c = if third == 0 { fresh(&mut next) } else { recent.vertex(third) };
        for (far, vertex) in
            [(a_is_far, &mut a), (explicit && second == 15, &mut b), (explicit && third == 15, &mut c)]
        {
            if far {
                *vertex = stepped(&mut data, last)?;
                last = *vertex;
            }
        }
        out.extend([a, b, c]);
        recent.push_vertex(a, true);
        recent.push_vertex(b, second == 0 || explicit && second == 15);
        recent.push_vertex(c, third == 0 || explicit && third == 15);
        recent.push_edge(b, a);
        recent.push_edge(c, b);
        recent.push_edge(a, c);
    }
    data.is_empty().then_some(out)
}

/// Indices in any order: each differs from one of two before it.
fn sequence(data: &[u8], count: usize) -> Option<Vec<u32>> {
    let (header, data) = data.split_first()?;
    if header & 0xf0 != 0xd0 || header & 15 > 1 {
        return None;
    }
    let mut data = &data[..data.len().checked_sub(4)?];
    // Each index takes at least one byte.
    if count > data.len() {
        return None;
    }
    let mut last = [0u32; 2];
    let mut out = Vec::with_capacity(count);
    for _ in 0..count {
        let code = varint(&mut data)?;
        let which = (code & 1) as usize;
        let code = code >> 1;
        last[which] = last[which].wrapping_add((code >> 1) ^ (code & 1).wrapping_neg());
        out.push(last[which]);
    }
    data.is_empty().then_some(out)
}

/// Indices in 2 or 4 bytes; `None` where one does not fit.
fn narrowed(indices: &[u32], stride: usize) -> Option<Vec<u8>> {
    match stride {
        2 => {
            let narrow: Option<Vec<[u8; 2]>> =
                indices.iter().map(|index| Some(u16::try_from(*index).ok()?.to_le_bytes())).collect();
            Some(narrow?.concat())
        }
        _ => Some(indices.iter().flat_map(|index| index.to_le_bytes()).collect()),
    }
}

/// Undoes a filter; `None` where there is none of that name for the stride.
fn filtered(mut bytes: Vec<u8>, filter: &str, stride: usize) -> Option<Vec<u8>> {
    match (filter, stride) {
        ("OCTAHEDRAL", 4) => {
            for four in bytes.chunks_exact_mut(4) {
                let [x, y, one] =
                    octahedral([four[0], four[1], four[2]].map(|byte| f32::from(byte as i8)), 127.0);
                (four[0], four[1], four[2]) = (x as i8 as u8, y as i8 as u8, one as i8 as u8);
            }
        }
        ("OCTAHEDRAL", 8) => {
            for eight in bytes.chunks_exact_mut(8) {
                let at = |i: usize| f32::from(i16::from_le_bytes([eight[2 * i], eight[2 * i + 1]]));
                let normal = octahedral([at(0), at(1), at(2)], 32767.0);
                for (i, part) in normal.into_iter().enumerate() {
                    eight[2 * i..2 * i + 2].copy_from_slice(&(part as i16).to_le_bytes());
                }
            }
        }
        ("QUATERNION", 8) => {
            for eight in bytes.chunks_exact_mut(8) {
                let at = |i: usize| i16::from_le_bytes([eight[2 * i], eight[2 * i + 1]]);
                let parts = quaternion([at(0), at(1), at(2), at(3)]);
                for (i, part) in parts.into_iter().enumerate() {
                    eight[2 * i..2 * i + 2].copy_from_slice(&part.to_le_bytes());
                }
            }
        }
        ("EXPONENTIAL", stride) if stride % 4 == 0 => {
            for four in bytes.chunks_exact_mut(4) {
                let value = i32::from_le_bytes([four[0], four[1], four[2], four[3]]);
                let (mantissa, exponent) = (value << 8 >> 8, value >> 24);
                let number = f64::from(mantissa) * f64::from(exponent).exp2();
                four.copy_from_slice(&(number as f32).to_le_bytes());
            }
        }
        _ => return None,
    }
    Some(bytes)
}

/// Decodes an octahedral unit vector with `one` as its scale, to integers up to `most`.
fn octahedral([x, y, one]: [f32; 3], most: f32) -> [f32; 3] {
    let z = one - x.abs() - y.abs();
    // The lower half is folded outwards.
    let fold = z.min(0.0);
    let (x, y) = (x + fold.copysign(-x), y + fold.copysign(-y));
    let length = (x * x + y * y + z * z).sqrt();
    let scale = if length > 0.0 { most / length } else { 0.0 };
    [x, y, z].map(|part| (part * scale).round())
}

/// A unit quaternion from three of its parts; the lowest bits of the fourth number say which one is missing.
fn quaternion(stored: [i16; 4]) -> [i16; 4] {
    let scale = std::f32::consts::FRAC_1_SQRT_2 / f32::from(stored[3] | 3);
    let parts = [0, 1, 2].map(|i| f32::from(stored[i]) * scale);
    let rest = (1.0 - parts.iter().map(|part| part * part).sum::<f32>()).max(0.0).sqrt();
    let missing = (stored[3] & 3) as usize;
    let mut out = [0; 4];
    for (i, part) in [rest, parts[0], parts[1], parts[2]].into_iter().enumerate() {
        out[(missing + i) & 3] = (part * 32767.0).round() as i16;
    }
    out
}

#[cfg(test)]
mod tests;
