//! Puts a glTF file together: JSON beside one buffer.

use mocap_model::Vector3;
use serde_json::{Map, Value, json};

use super::document::Document;

pub(super) const FLOAT: u32 = 5126;
pub(super) const SHORT: u32 = 5122;
pub(super) const UNSIGNED_BYTE: u32 = 5121;
pub(super) const UNSIGNED_SHORT: u32 = 5123;
pub(super) const UNSIGNED_INT: u32 = 5125;

/// Targets of buffer views: vertex data and indices.
pub(super) const VERTICES: u32 = 34962;
pub(super) const INDICES: u32 = 34963;

/// A file that is being built.
#[derive(Clone, Debug)]
pub(super) struct Builder {
    pub(super) json: Map<String, Value>,
    pub(super) bytes: Vec<u8>,
}

/// What an accessor says of its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) component: u32,
    pub(super) kind: &'static str,
    pub(super) count: usize,
    pub(super) normalized: bool,
    pub(super) target: Option<u32>,
}

/// Has no version, so that files stay identical from release to release.
const GENERATOR: &str = "mocap";

/// Visits every reference to items of one list.
type VisitNames = fn(&mut Map<String, Value>, &mut dyn FnMut(&mut Value));

impl Builder {
    /// An empty file.
    pub(super) fn new() -> Builder {
        let mut json = Map::new();
        json.insert("asset".into(), json!({ "version": "2.0", "generator": GENERATOR }));
        Builder { json, bytes: Vec::new() }
    }

    /// An existing file without its animations, and without data that only they use.
    pub(super) fn without_animations(document: &Document) -> Builder {
        let mut json = document.json.as_object().cloned().unwrap_or_default();
        json.remove("animations");
        let mut builder = Builder { json, bytes: Vec::new() };
        builder.drop_unused("accessors", accessors_used);
        builder.join_buffers(document);
        builder
    }

    /// A whole existing file, with its buffers and images joined in one buffer.
    pub(super) fn whole(document: &Document) -> Builder {
        let mut builder =
            Builder { json: document.json.as_object().cloned().unwrap_or_default(), bytes: Vec::new() };
        builder.join_buffers(document);
        builder
    }

    fn list(&mut self, name: &str) -> &mut Vec<Value> {
        let list = self.json.entry(name).or_insert_with(|| Value::Array(Vec::new()));
        if !list.is_array() {
            *list = Value::Array(Vec::new());
        }
        list.as_array_mut().expect("it is a list")
    }

    /// Adds a value to a list of the file; returns its index.
    pub(super) fn push(&mut self, list: &str, value: Value) -> usize {
        let list = self.list(list);
        list.push(value);
        list.len() - 1
    }

    /// Adds bytes as an accessor; returns its index.
    pub(super) fn accessor(&mut self, bytes: &[u8], shape: Shape, bounds: Option<[Vec<f64>; 2]>) -> usize {
        let view = self.view(bytes, shape.target);
        let mut accessor = json!({
            "bufferView": view, "componentType": shape.component, "count": shape.count, "type": shape.kind,
        });
        if shape.normalized {
            accessor["normalized"] = true.into();
        }
        if let Some([min, max]) = bounds {
            accessor["min"] = min.into();
            accessor["max"] = max.into();
        }
        self.push("accessors", accessor)
    }

    /// Adds bytes as a buffer view; returns its index.
    pub(super) fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.bytes.extend_from_slice(bytes);
        self.push("bufferViews", view)
    }

    /// Removes the items of a list that nothing refers to, and renumbers the references to the others.
    fn drop_unused(&mut self, list: &str, named: VisitNames) {
        let count = self.list(list).len();
        let mut used = vec![false; count];
        named(&mut self.json, &mut |index| {
            if let Some(used) = index.as_u64().and_then(|index| used.get_mut(index as usize)) {
                *used = true;
            }
        });
        let mut next = 0;
        let places: Vec<usize> = used
            .iter()
            .map(|used| {
                next += usize::from(*used);
                next.wrapping_sub(1)
            })
            .collect();
        named(&mut self.json, &mut |index| {
            if let Some(place) = index.as_u64().and_then(|index| places.get(index as usize)) {
                *index = (*place).into();
            }
        });
        let mut at = 0;
        self.list(list).retain(|_| {
            at += 1;
            used[at - 1]
        });
        if self.list(list).is_empty() {
            self.json.remove(list);
        }
    }

    /// Copies the bytes of all buffer views into one buffer, and appends images beside the file.
    fn join_buffers(&mut self, document: &Document) {
        self.drop_unused("bufferViews", views_used);
        let mut views =
            self.json.remove("bufferViews").and_then(|views| views.as_array().cloned()).unwrap_or_default();
        for view in &mut views {
            let number = |name: &str| view.get(name).and_then(Value::as_u64).unwrap_or(0) as usize;
            let (buffer, from, length) = (number("buffer"), number("byteOffset"), number("byteLength"));
            let bytes =
                document.buffers.get(buffer).and_then(|bytes| bytes.get(from..from.saturating_add(length)));
            self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
            view["buffer"] = 0.into();
            view["byteOffset"] = self.bytes.len().into();
            // A view beyond its buffer is not used by anything that passed the checks.
            self.bytes.extend_from_slice(bytes.unwrap_or_default());
            view["byteLength"] = bytes.unwrap_or_default().len().into();
        }
        if !views.is_empty() {
            self.json.insert("bufferViews".into(), views.into());
        }
        for (index, image) in &document.images {
            let kind = match image.as_ref() {
                [0x89, b'P', b'N', b'G', ..] => "image/png",
                [0xFF, 0xD8, ..] => "image/jpeg",
                // GLB files may embed only PNG and JPEG: other references stay.
                _ => continue,
            };
            let view = self.view(image, None);
            if let Some(entry) = self.list("images").get_mut(*index).and_then(Value::as_object_mut) {
                entry.remove("uri");
                entry.insert("bufferView".into(), view.into());
                entry.insert("mimeType".into(), kind.into());
            }
        }
        self.json.remove("buffers");
    }
}

/// Visits every reference to an accessor outside animations.
fn accessors_used(json: &mut Map<String, Value>, visit: &mut dyn FnMut(&mut Value)) {
    let all = |values: &mut Value, visit: &mut dyn FnMut(&mut Value)| {
        values.as_object_mut().into_iter().flat_map(|map| map.values_mut()).for_each(visit);
    };
    for mesh in items(json.get_mut("meshes")) {
        for primitive in items(mesh.get_mut("primitives")) {
            primitive.get_mut("indices").into_iter().for_each(&mut *visit);
            primitive.get_mut("attributes").into_iter().for_each(|values| all(values, &mut *visit));
            items(primitive.get_mut("targets")).for_each(|values| all(values, &mut *visit));
        }
    }
    for skin in items(json.get_mut("skins")) {
        skin.get_mut("inverseBindMatrices").into_iter().for_each(&mut *visit);
    }
    for node in items(json.get_mut("nodes")) {
        let instancing = node.get_mut("extensions").and_then(|all| all.get_mut("EXT_mesh_gpu_instancing"));
        let attributes = instancing.and_then(|instancing| instancing.get_mut("attributes"));
        attributes.into_iter().for_each(|values| all(values, &mut *visit));
    }
}

/// Visits every reference to a buffer view: all of them, also those of extensions, are fields called `bufferView`.
fn views_used(json: &mut Map<String, Value>, visit: &mut dyn FnMut(&mut Value)) {
    let mut open: Vec<&mut Value> =
        json.iter_mut().filter(|(name, _)| *name != "bufferViews").map(|(_, value)| value).collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(values) => open.extend(values),
            Value::Object(map) => {
                for (name, value) in map {
                    if name == "bufferView" && value.is_u64() {
                        visit(value);
                    } else {
                        open.push(value);
                    }
                }
            }
            _ => {}
        }
    }
}

fn items(list: Option<&mut Value>) -> impl Iterator<Item = &mut Value> {
    list.and_then(Value::as_array_mut).into_iter().flatten()
}

/// Numbers as 32-bit floats.
pub(super) fn bytes(values: impl Iterator<Item = f64>) -> Vec<u8> {
    values.flat_map(|value| (value as f32).to_le_bytes()).collect()
}

/// The box around places as they are written.
pub(super) fn bounds(places: &[Vector3<f64>]) -> [Vec<f64>; 2] {
    let rounded = |place: &Vector3<f64>| place.map(|value| f64::from(value as f32));
    let first = places.first().map(rounded).unwrap_or_default();
    let low = places.iter().map(rounded).fold(first, |low, place| low.inf(&place));
    let high = places.iter().map(rounded).fold(first, |high, place| high.sup(&place));
    [low, high].map(|corner| corner.iter().copied().collect())
}
