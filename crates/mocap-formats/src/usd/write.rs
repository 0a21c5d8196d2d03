//! The text of a USD file.

use std::io::{self, Write};

use mocap_model::{Clip, Isometry3, JointId, Pose, Vector3};

use super::document::{Animation, Document};
use crate::body::Mesh;

/// Writes the file, frame by frame.
///
/// # Errors
/// Those of `out`.
pub fn write(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let Document { name, animations, body, .. } = document;
    let frames = animations.iter().map(|animation| animation.clip.frames()).max().unwrap_or(1);
    writeln!(out, "#usda 1.0\n(\n    defaultPrim = \"{name}\"\n    metersPerUnit = 1\n    upAxis = \"Y\"")?;
    if let Some(first) = animations.first() {
        let fps = first.clip.rate().fps();
        writeln!(out, "    startTimeCode = 0\n    endTimeCode = {}", frames - 1)?;
        writeln!(out, "    timeCodesPerSecond = {fps}\n    framesPerSecond = {fps}")?;
    }
    writeln!(out, ")\n\ndef SkelRoot \"{name}\" (\n    prepend apiSchemas = [\"SkelBindingAPI\"]\n)\n{{")?;
    skeleton(document, out)?;
    // One stage has one time: clips of other rates have their time codes in that of the first.
    let fps = animations.first().map_or(1.0, |first| first.clip.rate().fps());
    for each in animations {
        animation(document, each, fps / each.clip.rate().fps(), out)?;
    }
    if let Some(body) = body {
        mesh(document, body, out)?;
    }
    writeln!(out, "}}")
}

fn skeleton(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let skeleton = &document.skeleton;
    let rest = Pose::rest(skeleton);
    let mut object = Pose::default();
    rest.to_object(skeleton, &mut object);
    writeln!(
        out,
        "    def Skeleton \"Skeleton\" (\n        prepend apiSchemas = [\"SkelBindingAPI\"]\n    )\n    {{"
    )?;
    matrices("bindTransforms", &object, out)?;
    let names = skeleton.joints().iter().map(|joint| quoted(&joint.name));
    writeln!(out, "        uniform token[] jointNames = [{}]", joined(names))?;
    writeln!(out, "        uniform token[] joints = [{}]", joints(document))?;
    matrices("restTransforms", &rest, out)?;
    if let Some(first) = document.animations.first() {
        writeln!(out, "        rel skel:animationSource = </{}/{}>", document.name, first.name)?;
    }
    writeln!(out, "    }}\n")
}

fn joints(document: &Document) -> String {
    joined(document.paths.iter().map(|path| quoted(path)))
}

fn matrices(name: &str, pose: &Pose, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "        uniform matrix4d[] {name} = [")?;
    for (i, joint) in pose.joints.iter().enumerate() {
        write!(out, "{}{}", if i == 0 { "" } else { ", " }, matrix(joint))?;
    }
    writeln!(out, "]")
}

/// A transform for row vectors: its columns are the rows of the text.
fn matrix(transform: &Isometry3<f64>) -> String {
    let matrix = transform.to_homogeneous();
    let rows = matrix.column_iter().map(|column| format!("({})", joined(column.iter().map(f64::to_string))));
    format!("({})", joined(rows))
}

fn animation(document: &Document, each: &Animation, step: f64, out: &mut dyn Write) -> io::Result<()> {
    let Animation { name, clip } = each;
    writeln!(out, "    def SkelAnimation \"{name}\"\n    {{")?;
    writeln!(out, "        uniform token[] joints = [{}]", joints(document))?;
    let mut pose = Pose::default();
    let mut before: Vec<nalgebra::Vector4<f64>> = Vec::new();
    samples("quatf[] rotations", clip, step, out, |frame, text| {
        clip.local_pose(frame, &mut pose);
        let mut now = Vec::with_capacity(pose.joints.len());
        for (i, joint) in pose.joints.iter().enumerate() {
            // Between frames the shorter way is meant.
            let q = joint.rotation.coords;
            let q = if before.get(i).is_some_and(|before| before.dot(&q) < 0.0) { -q } else { q };
            text.push(format!("({}, {}, {}, {})", q.w as f32, q.x as f32, q.y as f32, q.z as f32));
            now.push(q);
        }
        before = now;
    })?;
    if clip.has_scale() {
        samples("half3[] scales", clip, step, out, |frame, text| {
            text.extend(clip.skeleton().iter().map(|(id, _)| triple(&clip.scale(id, frame))));
        })?;
    } else {
        let ones = joined(clip.skeleton().joints().iter().map(|_| "(1, 1, 1)".to_owned()));
        writeln!(out, "        half3[] scales = [{ones}]")?;
    }
    let mut pose = Pose::default();
    samples("float3[] translations", clip, step, out, |frame, text| {
        clip.local_pose(frame, &mut pose);
        text.extend(pose.joints.iter().map(|joint| triple(&joint.translation.vector)));
    })?;
    writeln!(out, "    }}\n")
}

/// One list of values per frame; `fill` gives them.
fn samples(
    attribute: &str,
    clip: &Clip,
    step: f64,
    out: &mut dyn Write,
    mut fill: impl FnMut(usize, &mut Vec<String>),
) -> io::Result<()> {
    writeln!(out, "        {attribute}.timeSamples = {{")?;
    let mut text = Vec::with_capacity(clip.skeleton().len());
    for frame in 0..clip.frames() {
        text.clear();
        fill(frame, &mut text);
        writeln!(out, "            {}: [{}],", frame as f64 * step, text.join(", "))?;
    }
    writeln!(out, "        }}")
}

fn mesh(document: &Document, body: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    let rounded = |v: &Vector3<f64>| v.map(|value| f64::from(value as f32));
    let first = body.positions.first().map(rounded).unwrap_or_default();
    let low = body.positions.iter().map(rounded).fold(first, |low, place| low.inf(&place));
    let high = body.positions.iter().map(rounded).fold(first, |high, place| high.sup(&place));
    let counts = joined(body.triangles.iter().map(|_| "3".to_owned()));
    let indices = joined(body.triangles.iter().flatten().map(u32::to_string));
    let bound = |joint: &JointId| joint.0.to_string();
    // As many influences as a vertex has at most.
    let most = body
        .weights
        .iter()
        .map(|weights| weights.iter().rposition(|weight| *weight > 0.0).map_or(1, |at| at + 1));
    let most = most.max().unwrap_or(1);
    let influences = joined(body.joints.iter().flat_map(|joints| joints[..most].iter().map(bound)));
    let weights = body
        .weights
        .iter()
        .flat_map(|weights| weights[..most].iter().map(|weight| (*weight as f32).to_string()));
    let weights = joined(weights);
    let name = &document.name;
    writeln!(
        out,
        "    def Mesh \"Body\" (\n        prepend apiSchemas = [\"SkelBindingAPI\"]\n    )\n    {{"
    )?;
    writeln!(out, "        uniform bool doubleSided = 0")?;
    writeln!(out, "        float3[] extent = [{}, {}]", triple(&low), triple(&high))?;
    writeln!(out, "        int[] faceVertexCounts = [{counts}]")?;
    writeln!(out, "        int[] faceVertexIndices = [{indices}]")?;
    writeln!(
        out,
        "        normal3f[] normals = [{}] (\n            interpolation = \"vertex\"\n        )",
        joined(body.normals.iter().map(triple))
    )?;
    writeln!(out, "        point3f[] points = [{}]", joined(body.positions.iter().map(triple)))?;
    writeln!(out, "        color3f[] primvars:displayColor = [(0.7, 0.72, 0.75)]")?;
    writeln!(out, "        matrix4d primvars:skel:geomBindTransform = {}", matrix(&Isometry3::identity()))?;
    let how =
        format!("(\n            elementSize = {most}\n            interpolation = \"vertex\"\n        )");
    writeln!(out, "        int[] primvars:skel:jointIndices = [{influences}] {how}")?;
    writeln!(out, "        float[] primvars:skel:jointWeights = [{weights}] {how}")?;
    writeln!(out, "        rel skel:skeleton = </{name}/Skeleton>")?;
    writeln!(out, "        uniform token subdivisionScheme = \"none\"\n    }}")
}

fn triple(v: &Vector3<f64>) -> String {
    format!("({}, {}, {})", v.x as f32, v.y as f32, v.z as f32)
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// A text in quotes.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
