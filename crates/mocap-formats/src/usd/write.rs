//! The text of a USD file.

use std::io::{self, Write};

use mocap_model::{Clip, Influence, Isometry3, Mesh, Pose, Vector3};

use super::document::{Animation, Document};

/// Writes the file, frame by frame.
///
/// # Errors
/// Those of `out`.
pub fn write(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let Document { name, animations, body, meshes, .. } = document;
    let frames = animations.iter().map(|animation| animation.clip.frames()).max().unwrap_or(1);
    writeln!(out, "#usda 1.0\n(\n    defaultPrim = \"{name}\"\n    metersPerUnit = 1\n    upAxis = \"Y\"")?;
    if let Some(first) = animations.first() {
        let fps = first.clip.rate().fps();
        writeln!(out, "    startTimeCode = 0\n    endTimeCode = {}", frames - 1)?;
        writeln!(out, "    timeCodesPerSecond = {fps}\n    framesPerSecond = {fps}")?;
    }
    let shown = display_name(document.skeleton.name(), name, "    ");
    writeln!(
        out,
        ")\n\ndef SkelRoot \"{name}\" (\n{shown}    prepend apiSchemas = [\"SkelBindingAPI\"]\n)\n{{"
    )?;
    skeleton(document, out)?;
    // A stage has one rate: time codes of clips with other rates are converted to that of the first.
    let fps = animations.first().map_or(1.0, |first| first.clip.rate().fps());
    for each in animations {
        animation(document, each, fps / each.clip.rate().fps(), out)?;
    }
    for (mesh, name) in body.meshes.iter().zip(meshes) {
        self::mesh(document, mesh, name, out)?;
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
    let shown = display_name(clip.name(), name, "        ");
    let shown = if shown.is_empty() { shown } else { format!(" (\n{shown}    )") };
    writeln!(out, "    def SkelAnimation \"{name}\"{shown}\n    {{")?;
    writeln!(out, "        uniform token[] joints = [{}]", joints(document))?;
    let mut pose = Pose::default();
    let mut before: Vec<nalgebra::Vector4<f64>> = Vec::new();
    samples("quatf[] rotations", clip, step, out, |frame, text| {
        clip.local_pose(frame, &mut pose);
        let mut now = Vec::with_capacity(pose.joints.len());
        for (i, joint) in pose.joints.iter().enumerate() {
            // The sign continues that of the frame before, so that interpolation takes the shorter way.
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

fn mesh(document: &Document, mesh: &Mesh, name: &str, out: &mut dyn Write) -> io::Result<()> {
    let rounded = |v: &Vector3<f64>| v.map(|value| f64::from(value as f32));
    let first = mesh.positions.first().map(rounded).unwrap_or_default();
    let low = mesh.positions.iter().map(rounded).fold(first, |low, place| low.inf(&place));
    let high = mesh.positions.iter().map(rounded).fold(first, |high, place| high.sup(&place));
    let vertices = mesh.positions.len();
    // As many influences as a vertex has at most.
    let most = (0..vertices).map(|vertex| mesh.skin.of(vertex).len()).max().unwrap_or(1).max(1);
    let influences = (0..vertices).flat_map(|vertex| {
        let all = mesh.skin.of(vertex);
        (0..most).map(move |i| all.get(i).copied())
    });
    let bound = |one: Option<Influence>| one.map_or(0, |one| mesh.skin.bones[one.bone as usize].joint.0);
    let joints = joined(influences.clone().map(|one| bound(one).to_string()));
    let weights = joined(influences.map(|one| (one.map_or(0.0, |one| one.weight) as f32).to_string()));
    let root = &document.name;
    writeln!(
        out,
        "    def Mesh \"{name}\" (\n{}        prepend apiSchemas = [\"SkelBindingAPI\"]\n    )\n    {{",
        display_name(&mesh.name, name, "        ")
    )?;
    writeln!(out, "        uniform bool doubleSided = 0")?;
    writeln!(out, "        float3[] extent = [{}, {}]", triple(&low), triple(&high))?;
    writeln!(out, "        int[] faceVertexCounts = [{}]", joined(mesh.faces.iter().map(u32::to_string)))?;
    writeln!(out, "        int[] faceVertexIndices = [{}]", joined(mesh.corners.iter().map(u32::to_string)))?;
    normals(mesh, out)?;
    writeln!(out, "        point3f[] points = [{}]", joined(mesh.positions.iter().map(triple)))?;
    colours(document, mesh, out)?;
    if !mesh.uvs.is_empty() {
        let uvs = joined(mesh.uvs.iter().map(|[u, v]| format!("({}, {})", *u as f32, *v as f32)));
        let how = "(\n            interpolation = \"faceVarying\"\n        )";
        writeln!(out, "        texCoord2f[] primvars:st = [{uvs}] {how}")?;
    }
    writeln!(out, "        matrix4d primvars:skel:geomBindTransform = {}", matrix(&Isometry3::identity()))?;
    let how =
        format!("(\n            elementSize = {most}\n            interpolation = \"vertex\"\n        )");
    writeln!(out, "        int[] primvars:skel:jointIndices = [{joints}] {how}")?;
    writeln!(out, "        float[] primvars:skel:jointWeights = [{weights}] {how}")?;
    writeln!(out, "        rel skel:skeleton = </{root}/Skeleton>")?;
    writeln!(out, "        uniform token subdivisionScheme = \"none\"\n    }}")
}

/// The normals by vertex, where each vertex has one; else by corner.
fn normals(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    if mesh.normals.is_empty() {
        return Ok(());
    }
    let mut by_vertex: Vec<Option<Vector3<f64>>> = vec![None; mesh.positions.len()];
    let mut is_one = true;
    for (vertex, normal) in mesh.corners.iter().zip(&mesh.normals) {
        is_one &= *by_vertex[*vertex as usize].get_or_insert(*normal) == *normal;
    }
    let (values, how) = match is_one {
        true => (by_vertex.into_iter().map(|normal| normal.unwrap_or(Vector3::y())).collect(), "vertex"),
        false => (mesh.normals.clone(), "faceVarying"),
    };
    writeln!(
        out,
        "        normal3f[] normals = [{}] (\n            interpolation = \"{how}\"\n        )",
        joined(values.iter().map(triple))
    )
}

/// The base colours: one of the mesh, or one by face.
fn colours(document: &Document, mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    let colour = |material: &u32| {
        let found = document.body.materials.get(*material as usize);
        let [r, g, b, _] = found.map_or([1.0; 4], |material| material.colour);
        format!("({}, {}, {})", r as f32, g as f32, b as f32)
    };
    let Some(first) = mesh.materials.first() else { return Ok(()) };
    if mesh.materials.iter().all(|other| other == first) {
        return writeln!(out, "        color3f[] primvars:displayColor = [{}]", colour(first));
    }
    let how = "(\n            interpolation = \"uniform\"\n        )";
    let all = joined(mesh.materials.iter().map(colour));
    writeln!(out, "        color3f[] primvars:displayColor = [{all}] {how}")
}

fn triple(v: &Vector3<f64>) -> String {
    format!("({}, {}, {})", v.x as f32, v.y as f32, v.z as f32)
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// The metadata that keeps a name which USD does not take, such as `rig:Body`; nothing where it does.
fn display_name(original: &str, name: &str, indent: &str) -> String {
    match original.is_empty() || original == name {
        true => String::new(),
        false => format!("{indent}displayName = {}\n", quoted(original)),
    }
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
