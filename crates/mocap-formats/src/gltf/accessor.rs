//! Reads numbers from buffers: strides, sparse values, normalised integers. All ranges are checked against the buffers.

use super::document::Document;
use super::problem::Problem;
use super::root::Accessor;
use crate::{Finding, LimitExceeded, Limits};

/// Bytes of a component and how it is read.
fn component(kind: u32) -> Option<usize> {
    match kind {
        5120 | 5121 => Some(1),
        5122 | 5123 => Some(2),
        5125 | 5126 => Some(4),
        _ => None,
    }
}

fn components(kind: &str) -> Option<usize> {
    Some(match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" | "MAT2" => 4,
        "MAT3" => 9,
        "MAT4" => 16,
        _ => return None,
    })
}

impl Document {
    /// The values of an accessor of one kind, component after component; all are finite. `path` is that of the
    /// referrer, for messages.
    pub(super) fn floats(
        &self,
        index: usize,
        kind: &str,
        path: &str,
        limits: &Limits,
    ) -> Result<Vec<f64>, Finding> {
        let count = self.root.accessors.len();
        let Some(accessor) = self.root.accessors.get(index) else {
            let path = path.to_owned();
            return Err(Finding::new(Problem::Index { path, index, what: "accessors", count }));
        };
        let path = format!("{path}: accessors[{index}]");
        let unexpected = |what: &str, found: String, expected: &str| {
            let (path, expected) = (format!("{path}.{what}"), expected.to_owned());
            Finding::new(Problem::Unexpected { path, found, expected })
        };
        if accessor.kind != kind {
            return Err(unexpected("type", format!("'{}'", accessor.kind), kind));
        }
        let width =
            components(kind).ok_or_else(|| unexpected("type", accessor.kind.clone(), "a known type"))?;
        let size = component(accessor.component_type).ok_or_else(|| {
            unexpected("componentType", accessor.component_type.to_string(), "5120 to 5123, 5125 or 5126")
        })?;
        let all = accessor.count.saturating_mul(width);
        let mut values = match accessor.buffer_view {
            Some(view) => {
                let item = width * size;
                let from = Items { view, offset: accessor.byte_offset, count: accessor.count, item };
                let (bytes, stride) = self.items(&from, &path)?;
                let mut values = Vec::with_capacity(all);
                for at in 0..accessor.count {
                    let start = at * stride;
                    values.extend((0..width).map(|c| number(&bytes[start + c * size..], accessor)));
                }
                values
            }
            // Without a buffer view all values are zero: no bytes bound their number, so the limit does.
            None if all > limits.frames => {
                let limit = limits.frames;
                return Err(Finding::new(LimitExceeded { what: "values", found: all, limit }));
            }
            None => vec![0.0; all],
        };
        self.replace_sparse(accessor, &mut values, (width, size), &path)?;
        match values.iter().position(|value| !value.is_finite()) {
            Some(index) => Err(Finding::new(Problem::NotFinite { path, index: index / width })),
            None => Ok(values),
        }
    }

    fn replace_sparse(
        &self,
        accessor: &Accessor,
        values: &mut [f64],
        (width, size): (usize, usize),
        path: &str,
    ) -> Result<(), Finding> {
        let Some(sparse) = &accessor.sparse else { return Ok(()) };
        let index_size = match sparse.indices.component_type {
            5121 => 1,
            5123 => 2,
            5125 => 4,
            other => {
                let path = format!("{path}.sparse.indices.componentType");
                let expected = "5121, 5123 or 5125".into();
                return Err(Finding::new(Problem::Unexpected { path, found: other.to_string(), expected }));
            }
        };
        let of = |view, offset, item| Items { view, offset, count: sparse.count, item };
        let indices = of(sparse.indices.buffer_view, sparse.indices.byte_offset, index_size);
        let (indices, index_stride) = self.items(&indices, &format!("{path}.sparse.indices"))?;
        let replaced = of(sparse.values.buffer_view, sparse.values.byte_offset, width * size);
        let (replaced, stride) = self.items(&replaced, &format!("{path}.sparse.values"))?;
        for i in 0..sparse.count {
            let bytes = &indices[i * index_stride..i * index_stride + index_size];
            let at = bytes.iter().rev().fold(0usize, |at, byte| at << 8 | usize::from(*byte));
            if at >= accessor.count {
                let (path, count) = (format!("{path}.sparse.indices[{i}]"), accessor.count);
                return Err(Finding::new(Problem::Index { path, index: at, what: "values", count }));
            }
            for c in 0..width {
                values[at * width + c] = number(&replaced[i * stride + c * size..], accessor);
            }
        }
        Ok(())
    }

    /// The bytes of items from the first on, and the distance between them.
    fn items(&self, items: &Items, path: &str) -> Result<(&[u8], usize), Finding> {
        let views = &self.root.buffer_views;
        let Items { view: index, offset, count, item } = *items;
        let Some(view) = views.get(index) else {
            let (path, count) = (format!("{path}.bufferView"), views.len());
            return Err(Finding::new(Problem::Index { path, index, what: "bufferViews", count }));
        };
        let name = format!("bufferViews[{index}]");
        if let Some(extension) = view.extensions.keys().find(|name| name.contains("meshopt_compression")) {
            return Err(Finding::new(Problem::Extension { path: name, name: extension.clone() }));
        }
        let Some(buffer) = self.buffers.get(view.buffer) else {
            let (path, count) = (format!("{name}.buffer"), self.buffers.len());
            return Err(Finding::new(Problem::Index { path, index: view.buffer, what: "buffers", count }));
        };
        let end = view.byte_offset.saturating_add(view.byte_length);
        let Some(bytes) = buffer.get(view.byte_offset..end) else {
            let (of, available) = (format!("buffers[{}]", view.buffer), buffer.len());
            return Err(Finding::new(Problem::Range {
                path: name,
                from: view.byte_offset,
                to: end,
                of,
                available,
            }));
        };
        let stride = view.byte_stride.unwrap_or(item);
        if stride < item {
            let (path, expected) = (format!("{name}.byteStride"), format!("at least {item}"));
            return Err(Finding::new(Problem::Unexpected { path, found: stride.to_string(), expected }));
        }
        let length =
            count.saturating_sub(1).saturating_mul(stride).saturating_add(if count > 0 { item } else { 0 });
        let to = offset.saturating_add(length);
        if to > bytes.len() {
            let (path, available) = (path.to_owned(), bytes.len());
            return Err(Finding::new(Problem::Range { path, from: offset, to, of: name, available }));
        }
        Ok((&bytes[offset..], stride))
    }
}

/// Items in a buffer view.
struct Items {
    view: usize,
    offset: usize,
    count: usize,
    /// Bytes of one.
    item: usize,
}

/// One component; normalised integers are mapped to 0..1 or −1..1.
fn number(bytes: &[u8], accessor: &Accessor) -> f64 {
    let (value, most) = match accessor.component_type {
        5120 => (f64::from(bytes[0] as i8), 127.0),
        5121 => (f64::from(bytes[0]), 255.0),
        5122 => (f64::from(i16::from_le_bytes([bytes[0], bytes[1]])), 32767.0),
        5123 => (f64::from(u16::from_le_bytes([bytes[0], bytes[1]])), 65535.0),
        5125 => (f64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])), 4_294_967_295.0),
        _ => return f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
    };
    if accessor.normalized { (value / most).max(-1.0) } else { value }
}
