//! Edits the records of FBX files: adds a node above all others, and reverses the order of objects.

#![allow(
    dead_code,
    reason = "the modules of the library that read and write records have more than is needed here"
)]

use super::wrapped::Wrap;
use nalgebra::Matrix4;
use record::{Property, Record, class, doubles, field, integers, properties, property, singles};

#[path = "../../src/fbx/record.rs"]
mod record;
#[path = "../../src/fbx/records.rs"]
mod records;
#[path = "../../src/fbx/write.rs"]
mod write;

const MAGIC: &[u8; 23] = b"Kaydara FBX Binary  \0\x1a\0";

/// A file that can be edited; `None` of text and of old versions.
pub(crate) struct File {
    version: u32,
    records: Vec<Record>,
}

fn number(property: Option<&Property>) -> Option<i64> {
    match property {
        Some(Property::I32(value)) => Some(i64::from(*value)),
        Some(Property::I64(value)) => Some(*value),
        _ => None,
    }
}

fn text(property: Option<&Property>) -> &[u8] {
    match property {
        Some(Property::Text(text)) => text,
        _ => &[],
    }
}

impl File {
    pub(crate) fn read(bytes: &[u8]) -> Option<File> {
        let (version, records) = records::records(bytes)?;
        (version >= 7000).then_some(File { version, records })
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        write::to_bytes_of(&self.records, self.version)
    }

    fn list(&mut self, name: &str) -> &mut Vec<Record> {
        &mut self.records.iter_mut().find(|record| record.name == name).expect("every file has it").inside
    }

    fn ids(&mut self, kind: &str) -> Vec<i64> {
        let objects = self.list("Objects").iter().filter(|object| object.name == kind);
        objects.filter_map(|object| number(object.properties.first())).collect()
    }

    /// Whether all nodes take the scales of their parents axis by axis (RrSs) in place of the whole
    /// matrix. That is the default.
    pub(crate) fn inherits_by_axis(&self) -> bool {
        fn whole(record: &Record) -> bool {
            let names_it = text(record.properties.first()) == b"InheritType";
            names_it && number(record.properties.last()) != Some(0) || record.inside.iter().any(whole)
        }
        let objects = self.records.iter().filter(|record| record.name == "Objects");
        objects.flat_map(|objects| &objects.inside).all(|object| object.name != "Model" || !whole(object))
    }

    /// Objects and what connects them in reverse order.
    pub(crate) fn reversed(mut self) -> File {
        self.list("Objects").reverse();
        self.list("Connections").reverse();
        self
    }

    /// The scene below a new node. With `binds`, bind poses are moved with the scene, as if the file were exported
    /// again.
    pub(crate) fn below(mut self, wrap: &Wrap, binds: bool) -> File {
        let models = self.ids("Model");
        let all = self.list("Objects").iter().filter_map(|object| number(object.properties.first()));
        let mut last = all.max().expect("a file has objects");
        let mut claim = || {
            last += 1;
            last
        };
        let node = claim();
        for connection in self.list("Connections") {
            let [kind, from, to, ..] = &connection.properties[..] else { continue };
            let below_scene = text(Some(kind)) == b"OO" && number(Some(to)) == Some(0);
            if below_scene && number(Some(from)).is_some_and(|from| models.contains(&from)) {
                connection.properties[2] = node.into();
            }
        }
        let (x, y, z) = wrap.rotation().euler_angles();
        let turn = [x, y, z].map(f64::to_degrees);
        let vector =
            |name, [x, y, z]: [f64; 3]| property(name, [name, "", "A"], &[x.into(), y.into(), z.into()]);
        let values = [
            ("Lcl Translation", "T", wrap.translation),
            ("Lcl Rotation", "R", turn),
            ("Lcl Scaling", "S", wrap.scale),
        ];
        let own = [property("InheritType", ["enum", "", ""], &[1.into()])];
        let own = own.into_iter().chain(values.map(|(name, _, value)| vector(name, value)));
        let model = vec![node.into(), class("Wrap", "Model"), "Null".into()];
        let model = Record::new("Model", model).with([field("Version", 232), properties(own)]);
        let layers = self.ids("AnimationLayer");
        let mut objects = vec![model];
        let connect = |kind: &str, from: i64, to: i64, property: Option<&str>| {
            let head = [kind.into(), from.into(), to.into()];
            Record::new("C", head.into_iter().chain(property.map(Property::from)).collect())
        };
        let mut connections = vec![connect("OO", node, 0, None)];
        for layer in if wrap.tracks { layers } else { Vec::new() } {
            for (name, short, value) in &values {
                let holder = claim();
                objects.push(Record::new(
                    "AnimationCurveNode",
                    vec![holder.into(), class(short, "AnimCurveNode"), "".into()],
                ));
                connections.push(connect("OO", holder, layer, None));
                connections.push(connect("OP", holder, node, Some(name)));
                for (axis, value) in ["d|X", "d|Y", "d|Z"].into_iter().zip(value) {
                    let curve = claim();
                    let head = vec![curve.into(), class("", "AnimCurve"), "".into()];
                    objects.push(Record::new("AnimationCurve", head).with([
                        field("Default", *value),
                        field("KeyVer", 4008),
                        field("KeyTime", Property::Array(b'l', 1, 0i64.to_le_bytes().into())),
                        field("KeyValueFloat", singles(&[*value as f32])),
                        field("KeyAttrFlags", integers(&[0x6104])),
                        field("KeyAttrDataFloat", singles(&[0.0; 4])),
                        field("KeyAttrRefCount", integers(&[1])),
                    ]));
                    connections.push(connect("OP", curve, holder, Some(axis)));
                }
            }
        }
        if binds {
            move_binds(self.list("Objects"), &wrap.matrix());
        }
        self.list("Objects").extend(objects);
        self.list("Connections").extend(connections);
        self
    }
}

/// Moves the matrices of bind poses and clusters.
fn move_binds(objects: &mut [Record], by: &Matrix4<f64>) {
    for object in objects {
        let name = object.name.clone();
        for inside in &mut object.inside {
            match (&*name, &*inside.name) {
                ("Pose", "PoseNode") => {
                    inside
                        .inside
                        .iter_mut()
                        .filter(|field| field.name == "Matrix")
                        .for_each(|field| moved(field, by));
                }
                ("Deformer", "TransformLink" | "TransformAssociateModel") => moved(inside, by),
                _ => {}
            }
        }
    }
}

/// Multiplies the matrix of a field.
fn moved(field: &mut Record, by: &Matrix4<f64>) {
    let Some(values) = field.properties.first().and_then(numbers) else { return };
    let moved = by * Matrix4::from_column_slice(&values);
    field.properties = vec![doubles(moved.as_slice())];
}

/// Sixteen numbers of 64 bits.
fn numbers(property: &Property) -> Option<Vec<f64>> {
    let Property::Raw(raw) = property else { return None };
    let (head, data) = raw.split_at_checked(13)?;
    let packed = head[5] == 1;
    let mut bytes = Vec::new();
    match packed {
        true => {
            let mut decoder = flate2::read::ZlibDecoder::new(data);
            std::io::Read::read_to_end(&mut decoder, &mut bytes).ok()?;
        }
        false => bytes.extend_from_slice(data),
    }
    let values: Vec<f64> = bytes
        .chunks_exact(8)
        .map(|eight| f64::from_le_bytes(eight.try_into().expect("eight bytes")))
        .collect();
    (head[0] == b'd' && values.len() == 16).then_some(values)
}
