//! Writes ASF text.

use super::{AngleUnit, AxisAngles, Document};
use crate::number;

impl Document {
    /// The text of the file. Reading it gives this document again.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for comment in &self.comments {
            line(&mut out, 0, comment);
        }
        if let Some(version) = &self.version {
            line(&mut out, 0, &format!(":version {version}"));
        }
        if let Some(name) = &self.name {
            line(&mut out, 0, &format!(":name {name}"));
        }
        let units = &self.units;
        if units.mass.is_some() || units.length.is_some() || units.angle.is_some() {
            line(&mut out, 0, ":units");
            field(&mut out, "  mass", units.mass);
            field(&mut out, "  length", units.length);
            match units.angle {
                Some(AngleUnit::Degrees) => line(&mut out, 2, "angle deg"),
                Some(AngleUnit::Radians) => line(&mut out, 2, "angle rad"),
                None => {}
            }
        }
        if let Some((first, below)) = self.documentation.split_first() {
            // As a separate line it would be taken for a keyword.
            if first.starts_with(':') {
                line(&mut out, 0, &format!(":documentation {first}"));
            } else {
                line(&mut out, 0, ":documentation");
                line(&mut out, 3, first);
            }
            below.iter().for_each(|text| line(&mut out, 3, text));
        }
        line(&mut out, 0, ":root");
        if !self.root.order.is_empty() {
            let order: Vec<String> = self.root.order.iter().map(ToString::to_string).collect();
            line(&mut out, 3, &format!("order {}", order.join(" ").to_uppercase()));
        }
        line(&mut out, 3, &format!("axis {}", letters(&self.root.orientation)));
        numbers(&mut out, "   position", &self.root.position, "");
        numbers(&mut out, "   orientation", &self.root.orientation.angles, "");
        self.push_bones(&mut out);
        line(&mut out, 0, ":hierarchy");
        line(&mut out, 2, "begin");
        for link in &self.hierarchy {
            let parent = link.parent.map_or("root", |bone| self.bones[bone].name.as_str());
            let names: Vec<&str> = link.children.iter().map(|&bone| self.bones[bone].name.as_str()).collect();
            line(&mut out, 4, &format!("{parent} {}", names.join(" ")));
        }
        line(&mut out, 2, "end");
        for section in &self.other {
            out.extend_from_slice(section.keyword.as_bytes());
            for (i, text) in section.lines.iter().enumerate() {
                out.extend_from_slice(if i == 0 { b" " } else { b"\n" });
                out.extend_from_slice(text.as_bytes());
            }
            out.push(b'\n');
        }
        out
    }

    fn push_bones(&self, out: &mut Vec<u8>) {
        line(out, 0, ":bonedata");
        for bone in &self.bones {
            line(out, 2, "begin");
            if let Some(id) = &bone.id {
                line(out, 5, &format!("id {id}"));
            }
            line(out, 5, &format!("name {}", bone.name));
            numbers(out, "     direction", &bone.direction, "");
            field(out, "     length", Some(bone.length));
            numbers(out, "     axis", &bone.axis.angles, &format!(" {}", letters(&bone.axis)));
            field(out, "     bodymass", bone.body_mass);
            field(out, "     cofmass", bone.centre_of_mass);
            if !bone.dofs.is_empty() {
                let dofs: Vec<String> = bone.dofs.iter().map(ToString::to_string).collect();
                line(out, 4, &format!("dof {}", dofs.join(" ")));
            }
            for (i, limits) in bone.limits.iter().enumerate() {
                out.extend_from_slice(if i == 0 { b"    limits (" } else { b"           (" });
                number::write(out, limits[0]);
                out.push(b' ');
                number::write(out, limits[1]);
                out.extend_from_slice(b")\n");
            }
            line(out, 2, "end");
        }
    }
}

fn letters(axis: &AxisAngles) -> String {
    axis.order.iter().map(|axis| axis.letter()).collect()
}

fn line(out: &mut Vec<u8>, indent: usize, text: &str) {
    out.extend(std::iter::repeat_n(b' ', indent));
    out.extend_from_slice(text.as_bytes());
    out.push(b'\n');
}

fn field(out: &mut Vec<u8>, name: &str, value: Option<f64>) {
    if let Some(value) = value {
        numbers(out, name, &[value], "");
    }
}

/// A field and its numbers, followed by `end`.
fn numbers(out: &mut Vec<u8>, field: &str, values: &[f64], end: &str) {
    out.extend_from_slice(field.as_bytes());
    for &value in values {
        out.push(b' ');
        number::write(out, value);
    }
    line(out, 0, end);
}
