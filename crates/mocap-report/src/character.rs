//! The mesh of a GLB file, drawn with motions: the parts of the file that a page needs, and the rotations of the
//! joints.

use crate::coding;
use crate::stage::Stage;
use mocap_model::{Isometry3, Pose, Skeleton, UnitQuaternion};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// The meshes of a GLB file with their skins, without textures and motions.
#[derive(Clone, Debug, PartialEq)]
pub struct Character {
    pub(crate) glb: Vec<u8>,
    /// The names of the joints that move it.
    joints: Vec<String>,
}

/// Why a file gives no mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CharacterError {
    /// It is not a GLB file.
    NotGlb,
    /// It has no mesh of triangles.
    NoMesh,
    /// A part is not as the format demands, or is compressed or sparse.
    Unsupported {
        /// The path in the JSON.
        path: String,
    },
}

impl fmt::Display for CharacterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CharacterError::NotGlb => f.write_str("not a GLB file"),
            CharacterError::NoMesh => f.write_str("the file has no mesh of triangles"),
            CharacterError::Unsupported { path } => {
                write!(f, "{path} is missing, compressed, sparse, or outside the file")
            }
        }
    }
}

impl std::error::Error for CharacterError {}

/// Quantisation steps of a quaternion component on the page.
const STEPS: f64 = 8192.0;

impl Character {
    /// The character of a GLB file.
    ///
    /// # Errors
    /// Where the file is not a GLB file, has no mesh, or keeps its numbers in a way that is not supported.
    pub fn from_glb(bytes: &[u8]) -> Result<Character, CharacterError> {
        let (json, bin) = chunks(bytes).ok_or(CharacterError::NotGlb)?;
        let json: Value = serde_json::from_slice(json).map_err(|_| CharacterError::NotGlb)?;
        let mut small = Small {
            json: &json,
            bin,
            packed: Vec::new(),
            views: Vec::new(),
            accessors: Vec::new(),
            known: BTreeMap::new(),
        };
        let meshes = list(&json, "meshes").iter().enumerate().map(|(i, mesh)| small.mesh(mesh, i));
        let meshes = meshes.collect::<Result<Vec<_>, _>>()?;
        if meshes.iter().all(|mesh| list(mesh, "primitives").is_empty()) {
            return Err(CharacterError::NoMesh);
        }
        let skins = list(&json, "skins").iter().enumerate().map(|(i, skin)| {
            let path = format!("skins[{i}].inverseBindMatrices");
            let binds = skin.get("inverseBindMatrices").map(|at| small.accessor(at, &path)).transpose()?;
            let joints = skin.get("joints").cloned().unwrap_or_default();
            Ok(match binds {
                Some(binds) => json!({ "joints": joints, "inverseBindMatrices": binds }),
                None => json!({ "joints": joints }),
            })
        });
        let skins = skins.collect::<Result<Vec<_>, CharacterError>>()?;
        let nodes = list(&json, "nodes");
        let kept = ["name", "children", "mesh", "skin", "matrix", "translation", "rotation", "scale"];
        let part = |node: &Value| {
            kept.iter()
                .filter_map(|key| Some(((*key).to_owned(), node.get(key)?.clone())))
                .collect::<Map<_, _>>()
        };
        let moving: Vec<usize> = match skins.is_empty() {
            false => skins.iter().flat_map(|skin| list(skin, "joints")).filter_map(number).collect(),
            true => (0..nodes.len()).collect(),
        };
        // Readers of the format give nodes without a name the same name.
        let name = |node: &usize| {
            let name = nodes.get(*node)?.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
            Some(name.map_or_else(|| format!("node {node}"), str::to_owned))
        };
        let joints = moving.iter().filter_map(name).collect();
        let Small { packed, views, accessors, .. } = small;
        let json = json!({
            "asset": { "version": "2.0" },
            "nodes": nodes.iter().map(part).collect::<Vec<_>>(),
            "skins": skins,
            "meshes": meshes,
            "accessors": accessors,
            "bufferViews": views,
            "buffers": [{ "byteLength": packed.len() }],
        });
        Ok(Character { glb: glb(&json, &packed), joints })
    }

    /// Whether a skeleton has at least half of its joints, by name. Then the mesh is drawn with the motion.
    pub fn fits(&self, skeleton: &Skeleton) -> bool {
        let own: Vec<String> = skeleton.joints().iter().map(|joint| plain(&joint.name)).collect();
        let found = self.joints.iter().filter(|name| own.contains(&plain(name))).count();
        found > 0 && 2 * found >= self.joints.len()
    }
}

/// A name in lower case without namespace; the page compares names in the same way.
fn plain(name: &str) -> String {
    name.rsplit(':').next().unwrap_or(name).to_lowercase()
}

/// Joint transforms at rest: x, y, z, w of the rotation, then the position on the stage.
pub(crate) fn rest(stage: &Stage<'_>) -> Vec<[f64; 7]> {
    let skeleton = stage.clip.skeleton();
    let mut object = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut object);
    let frame = |joint: &Isometry3<f64>| {
        let turn = stage.turn(&joint.rotation);
        let [x, y, z] = stage.place(&joint.translation.vector);
        [turn.i, turn.j, turn.k, turn.w, x, y, z].map(|v| (v * 1e6).round() / 1e6)
    };
    object.joints.iter().map(frame).collect()
}

/// Rotations of the joints in every `step`-th frame: samples × joints × 4, encoded.
pub(crate) fn turns(stage: &Stage<'_>, step: usize, samples: usize) -> String {
    let (clip, skeleton) = (stage.clip, stage.clip.skeleton());
    let (mut local, mut object) = (Pose::rest(skeleton), Pose::default());
    let mut values = Vec::with_capacity(samples * skeleton.len() * 4);
    let mut before = vec![UnitQuaternion::identity(); skeleton.len()];
    for sample in 0..samples {
        if clip.frames() > 0 {
            clip.local_pose(sample * step, &mut local);
        }
        local.to_object(skeleton, &mut object);
        for (joint, before) in object.joints.iter().zip(&mut before) {
            let turn = stage.turn(&joint.rotation);
            // Of the two quaternions of a rotation, the one nearer to the last is used: small changes take fewer
            // bits.
            let turn = if turn.coords.dot(&before.coords) < 0.0 {
                UnitQuaternion::new_unchecked(-turn.into_inner())
            } else {
                turn
            };
            values.extend([turn.i, turn.j, turn.k, turn.w].map(|v| (v * STEPS).round() as i32));
            *before = turn;
        }
    }
    coding::encode(&values, skeleton.len() * 4)
}

pub(crate) fn list<'a>(json: &'a Value, key: &str) -> &'a [Value] {
    json.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(crate) fn number(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|value| usize::try_from(value).ok())
}

/// The JSON and the bytes of a GLB file.
pub(crate) fn chunks(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    if word(0)? != 0x4654_6c67 {
        return None;
    }
    let (mut json, mut bin, mut at): (Option<&[u8]>, &[u8], usize) = (None, &[], 12);
    while let (Some(size), Some(kind)) = (word(at), word(at + 4)) {
        let content = bytes.get(at + 8..(at + 8).checked_add(size as usize)?)?;
        match kind {
            0x4e4f_534a => json = Some(content),
            0x004e_4942 => bin = content,
            _ => {}
        }
        at += 8 + size as usize;
    }
    Some((json?, bin))
}

fn glb(json: &Value, bin: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut bytes = Vec::with_capacity(28 + text.len() + bin.len());
    let size = 28 + text.len() + bin.len();
    for word in [0x4654_6c67, 2, size as u32, text.len() as u32, 0x4e4f_534a] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(&text);
    for word in [bin.len() as u32, 0x004e_4942] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(bin);
    bytes
}

/// The part of a file that is kept, with renumbered accessors.
struct Small<'a> {
    json: &'a Value,
    bin: &'a [u8],
    packed: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    /// New accessor numbers by old ones.
    known: BTreeMap<usize, usize>,
}

impl<'a> Small<'a> {
    /// A mesh with the triangles of its primitives.
    fn mesh(&mut self, mesh: &Value, at: usize) -> Result<Value, CharacterError> {
        let mut primitives = Vec::new();
        for (i, primitive) in list(mesh, "primitives").iter().enumerate() {
            let path = format!("meshes[{at}].primitives[{i}]");
            let triangles = primitive.get("mode").is_none_or(|mode| mode.as_u64() == Some(4));
            let Some(attributes) =
                primitive.get("attributes").filter(|it| triangles && it.get("POSITION").is_some())
            else {
                continue;
            };
            let mut kept = Map::new();
            for name in ["POSITION", "JOINTS_0", "WEIGHTS_0"] {
                if let Some(accessor) = attributes.get(name) {
                    kept.insert(name.into(), self.accessor(accessor, &format!("{path}.attributes.{name}"))?);
                }
            }
            let mut own = json!({ "attributes": kept });
            if let Some(indices) = primitive.get("indices") {
                own["indices"] = self.accessor(indices, &format!("{path}.indices"))?;
            }
            primitives.push(own);
        }
        Ok(json!({ "primitives": primitives }))
    }

    /// The new number of an accessor, whose items are copied without gaps.
    fn accessor(&mut self, old: &Value, path: &str) -> Result<Value, CharacterError> {
        let unsupported = || CharacterError::Unsupported { path: path.to_owned() };
        let old = number(old).ok_or_else(unsupported)?;
        if let Some(new) = self.known.get(&old) {
            return Ok(json!(new));
        }
        let (accessor, items) = items(self.json, self.bin, old).ok_or_else(unsupported)?;
        self.packed.resize(self.packed.len().next_multiple_of(4), 0);
        self.views.push(json!({ "buffer": 0, "byteOffset": self.packed.len(), "byteLength": items.len() }));
        self.packed.extend(items);
        self.packed.resize(self.packed.len().next_multiple_of(4), 0);
        let mut kept = json!({ "bufferView": self.views.len() - 1 });
        for key in ["componentType", "count", "type", "normalized"] {
            if let Some(value) = accessor.get(key) {
                kept[key] = value.clone();
            }
        }
        self.accessors.push(kept);
        self.known.insert(old, self.accessors.len() - 1);
        Ok(json!(self.accessors.len() - 1))
    }
}

/// An accessor and its packed items; `None` if it is sparse, compressed or outside the file.
pub(crate) fn items<'a>(json: &'a Value, bin: &[u8], accessor: usize) -> Option<(&'a Value, Vec<u8>)> {
    let accessor = list(json, "accessors").get(accessor)?;
    let view = list(json, "bufferViews").get(number(accessor.get("bufferView")?)?)?;
    let of = |value: &Value, key: &str| value.get(key).map_or(Some(0), number);
    if accessor.get("sparse").is_some() || of(view, "buffer")? != 0 {
        return None;
    }
    let wide = match accessor.get("type")?.as_str()? {
        "SCALAR" => 1,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => return None,
    };
    let item = wide
        * match accessor.get("componentType")?.as_u64()? {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            5125 | 5126 => 4,
            _ => return None,
        };
    let stride = of(view, "byteStride")?.max(item);
    let start = of(view, "byteOffset")?.checked_add(of(accessor, "byteOffset")?)?;
    let count = number(accessor.get("count")?)?;
    if count.checked_mul(item)? > bin.len() {
        return None;
    }
    let mut items = Vec::with_capacity(count * item);
    for i in 0..count {
        let from = start.checked_add(i.checked_mul(stride)?)?;
        items.extend(bin.get(from..from.checked_add(item)?)?);
    }
    Some((accessor, items))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(json: &Value) -> Vec<u8> {
        let corners: Vec<u8> =
            [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        glb(json, &corners)
    }

    fn triangle() -> Value {
        json!({
            "asset": { "version": "2.0" },
            "images": [{ "bufferView": 0 }],
            "nodes": [{ "name": "rig:Hips", "children": [1] }, { "name": "Spine", "mesh": 0 }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "TEXCOORD_0": 7 } }] }],
            "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
            "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
            "buffers": [{ "byteLength": 36 }],
        })
    }

    #[test]
    fn a_mesh_is_kept_and_textures_are_not() {
        let bytes = file(&triangle());
        let character = Character::from_glb(&bytes).unwrap();
        let (json, bin) = chunks(&character.glb).unwrap();
        let json: Value = serde_json::from_slice(json).unwrap();
        assert_eq!(bin, chunks(&bytes).unwrap().1);
        assert!(
            json.get("images").is_none()
                && json["meshes"][0]["primitives"][0]["attributes"].get("TEXCOORD_0").is_none()
        );
        assert_eq!(Character::from_glb(&character.glb).unwrap(), character);
        let clip: mocap_model::Clip =
            include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
        assert!(character.fits(clip.skeleton()));
        assert!(!character.fits(crate::made::chain(4, 0.5, 3, mocap_model::Space::default()).skeleton()));
    }

    #[test]
    fn what_is_no_mesh_is_refused_by_its_place() {
        assert_eq!(Character::from_glb(b"solid"), Err(CharacterError::NotGlb));
        let mut none = triangle();
        none["meshes"] = json!([]);
        assert_eq!(Character::from_glb(&file(&none)), Err(CharacterError::NoMesh));
        for (pointer, value) in [
            ("/accessors/0/count", json!(4)),
            ("/bufferViews/0/byteOffset", json!(1e15)),
            ("/accessors/0/type", json!("VEC9")),
        ] {
            let mut wrong = triangle();
            match wrong.pointer_mut(pointer) {
                Some(place) => *place = value,
                None => wrong["bufferViews"][0]["byteOffset"] = json!(u64::MAX),
            }
            let refused = Character::from_glb(&file(&wrong)).unwrap_err().to_string();
            assert!(refused.starts_with("meshes[0].primitives[0].attributes.POSITION"), "{refused}");
        }
        let bytes = file(&triangle());
        for end in 0..bytes.len() {
            let _ = Character::from_glb(&bytes[..end]);
        }
    }
}
