//! Transfers the shapes of one head to another.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use mocap_face::{Neutral, TransferError, transfer_shapes};
use mocap_formats::Format;
use mocap_model::{BoundBody, Clip, FrameRate, Mesh, Shape, Vector3};
use mocap_skin::triangles;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Args, Head, Row};
use crate::batch::{Failure, Job, JobContext, Report, Tally, json};
use crate::diagnostic::Diagnostic;
use crate::encode::{self, EncodeOptions};
use crate::read;

/// What was transferred.
#[derive(Serialize, JsonSchema)]
pub(super) struct TransferRow {
    /// Shapes that were made.
    shapes: usize,
    /// Whether vertices of the same number correspond.
    same_topology: bool,
    /// How far the heads are from each other once laid over, relative to the size of the target: root mean square.
    unlike: f64,
}

/// The mesh with the face: the one whose shapes move the most vertices.
fn with_face(body: &BoundBody) -> Option<usize> {
    let moves = |mesh: &Mesh| mesh.shapes.iter().map(|shape| shape.offsets.len()).max().unwrap_or(0);
    let meshes = body.body.meshes.iter().enumerate();
    meshes
        .filter(|(_, mesh)| moves(mesh) > 0)
        .max_by_key(|(at, mesh)| (moves(mesh), usize::MAX - at))
        .map(|(at, _)| at)
}

/// The mesh of a target that gets the face: the one with the same triangles, else with the same name, else the
/// largest.
fn for_face(body: &BoundBody, source: &Mesh) -> Option<usize> {
    let meshes = || body.body.meshes.iter().enumerate();
    let same = |mesh: &Mesh| mesh.positions.len() == source.positions.len() && mesh.corners == source.corners;
    let found = meshes().find(|(_, mesh)| same(mesh));
    let named = || meshes().find(|(_, mesh)| !mesh.name.is_empty() && mesh.name == source.name);
    let largest = || meshes().max_by_key(|(at, mesh)| (mesh.positions.len(), usize::MAX - at));
    found.or_else(named).or_else(largest).map(|(at, _)| at)
}

/// The part of a shape's name after the name of its mesh.
fn short(name: &str) -> &str {
    name.rsplit('.').find(|part| !part.is_empty()).unwrap_or(name)
}

/// Makes the shapes of an input on the target, and writes it.
pub(super) fn made(
    job: &Job,
    context: &JobContext,
    args: &Args,
    head: &Head,
    format: Format,
) -> Result<Report, Failure> {
    let started = Instant::now();
    let limits = args.reading.limits();
    let loaded = read::load(context, &job.input, &args.reading)?;
    let bytes_in = loaded.size();
    let found = loaded.document().map(|document| document.body(&limits)).transpose();
    let found = found.map_err(|finding| Failure::from(Diagnostic::from(finding)))?.flatten();
    let source = found.and_then(|body| with_face(&body.value).map(|at| (body, at)));
    let Some((source, at)) = source else {
        return Err(Diagnostic::new("face::no-shapes", "the source has no shapes (morph targets)")
            .help("name a character with a face first, and the head that gets its shapes last")
            .into());
    };
    let mut warnings: Vec<Diagnostic> = source.warnings.into_iter().map(Diagnostic::from).collect();
    let (from, to) = (source.value, head.body()?);
    let mesh = from.body.meshes[at].at_rest(&from.skeleton);
    let Some(onto) = for_face(to, &mesh) else {
        return Err(Diagnostic::new("face::no-mesh", "the target has no mesh").into());
    };
    let (changed, transferred, mut unused) = with_shapes(to.body.meshes[onto].at_rest(&to.skeleton), &mesh)?;
    let others = from.body.meshes.iter().enumerate().filter(|(other, _)| *other != at);
    unused.extend(others.flat_map(|(_, mesh)| &mesh.shapes).map(|shape| shape.name.clone()));
    let mut body = to.body.as_ref().clone();
    body.meshes[onto] = changed;
    let body = BoundBody { body: Arc::new(body), skeleton: to.skeleton.clone() };
    let rate = FrameRate::new(30.0).expect("30 is a rate");
    let clip = Clip::at_rest(to.skeleton.clone(), rate);
    let options = EncodeOptions { limits, scene: args.scene, ..EncodeOptions::default() }.options();
    let encoded = mocap_formats::write_with_body(&[clip], Some(&body), format, &options);
    let encoded = encode::Encoded::from(encoded.map_err(Diagnostic::from)?);
    warnings.extend_from_slice(&encoded.warnings);
    warnings = read::strict(&args.reading, warnings)?;
    let (bytes_out, output) = encode::deliver(&encoded, job, context)?;
    let topology = if transferred.same_topology { "the same topology" } else { "another topology" };
    let mut text = format!(
        "{} -> {output}: {} shapes for {}, {topology}, heads {} % apart",
        job.input.shown(),
        transferred.shapes,
        head.target.path,
        mocap::short(transferred.unlike * 100.0)
    );
    if !unused.is_empty() {
        text += &format!("\n  not made, of other meshes or there already: {}", unused.join(", "));
    }
    let row = Row {
        path: job.input.shown(),
        target: &head.target.path,
        output,
        frames: 0,
        fps: 30.0,
        map: None,
        unused,
        unmoved: Vec::new(),
        lids: Vec::new(),
        residual: None,
        transferred: Some(transferred),
        seconds: started.elapsed().as_secs_f64(),
        warnings: &warnings,
    };
    let json = json(&row);
    let tally = Tally { frames: 0, bytes_in, bytes_out };
    Ok(Report { json, text, warnings, tally, ..Report::default() })
}

/// The mesh with the shapes that it lacks, taken from another mesh, and the names of those that it has already.
fn with_shapes(mut mesh: Mesh, source: &Mesh) -> Result<(Mesh, TransferRow, Vec<String>), Diagnostic> {
    let displaced = |shape: &Shape| {
        let mut all = vec![Vector3::zeros(); source.positions.len()];
        shape.offsets.iter().for_each(|(vertex, offset)| all[*vertex as usize] = *offset);
        all
    };
    let known: HashSet<String> = mesh.shapes.iter().map(|shape| short(&shape.name).to_owned()).collect();
    let (kept, new): (Vec<&Shape>, Vec<&Shape>) =
        source.shapes.iter().partition(|shape| known.contains(short(&shape.name)));
    let all: Vec<Vec<Vector3<f64>>> = new.iter().map(|shape| displaced(shape)).collect();
    let (of_source, of_target) = (triangles(source), triangles(&mesh));
    let neutral = Neutral { positions: &source.positions, triangles: &of_source };
    let target = Neutral { positions: &mesh.positions, triangles: &of_target };
    let done = transfer_shapes(neutral, &all, target).map_err(|error| refused(&error))?;
    for (shape, moved) in new.iter().zip(&done.shapes) {
        let offsets = moved.iter().enumerate().filter(|(_, by)| **by != Vector3::zeros());
        mesh.shapes.push(Shape {
            name: format!("{}.{}", mesh.name, short(&shape.name)),
            offsets: offsets.map(|(vertex, by)| (vertex as u32, *by)).collect(),
            weight: 0.0,
        });
    }
    let row = TransferRow { shapes: new.len(), same_topology: done.same_topology, unlike: done.unlike };
    Ok((mesh, row, kept.iter().map(|shape| shape.name.clone()).collect()))
}

fn refused(error: &TransferError) -> Diagnostic {
    let diagnostic = match error {
        TransferError::NoSurface => Diagnostic::new("face::no-mesh", error.to_string()),
        _ => Diagnostic::new("face::unlike", error.to_string()),
    };
    diagnostic.help("both heads are in the same axes and in the neutral pose")
}
