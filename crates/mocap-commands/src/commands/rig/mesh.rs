//! The mesh of an input, whatever its format.

use std::path::Path;
use std::sync::Arc;

use mocap_batch::Job;
use mocap_mesh::MeshFormat;
use mocap_model::{Body, BoundBody, Skeleton, Unit, UnitSource, Vector3};
use mocap_rig::{RigMesh, turn_outwards};

use super::Args;
use super::weights::refused;
use crate::batch::JobContext;
use crate::diagnostic::{Diagnostic, Failure};
use crate::read;

/// A file whose mesh has no skin counts as having a skeleton if it has at least this many joints.
const FEWEST_JOINTS: usize = 3;

/// The input of the rig.
pub(super) struct Source {
    /// Its meshes; vertices in units of the file.
    pub(super) body: Body,
    /// The skeleton of the file.
    pub(super) skeleton: Option<Arc<Skeleton>>,
    /// `None` if neither the file nor the user states it.
    pub(super) unit: Option<Unit>,
    /// The size of the file.
    pub(super) bytes: u64,
}

/// Reads the mesh of an input.
pub(super) fn read(
    job: &Job,
    context: &JobContext,
    args: &Args,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Source, Failure> {
    let limits = args.reading.limits();
    let stated = args.reading.input_unit.map(|unit| Unit { metres: unit.0, source: UnitSource::Flag });
    if let Some(format) = job.input.path().and_then(|path: &Path| MeshFormat::of_path(path)) {
        let bytes = read::bytes_of(context, &job.input, &limits)?;
        let found = mocap_mesh::read(&bytes, format)
            .map_err(|error| Diagnostic::new(error.code, error.to_string()))?;
        warnings.extend(found.notes.into_iter().map(|note| Diagnostic::new("rig::left-out", note)));
        return Ok(Source { body: found.body, skeleton: None, unit: stated, bytes: bytes.len() as u64 });
    }
    let loaded = read::load(context, &job.input, &args.reading)?;
    let bytes = loaded.size();
    let body = match loaded.document() {
        Some(document) => {
            warnings.extend(mocap_formats::details_left(document).map(Diagnostic::from));
            if args.weights_only && !document.clip_names().is_empty() {
                let message = "the motion of the file is left out: a character is written without one";
                warnings.push(Diagnostic::new("rig::left-out", message));
            }
            document.body(&limits).map_err(Diagnostic::from)?
        }
        None => None,
    };
    let Some(body) = body else {
        let error = Diagnostic::new("rig::no-mesh", "the file has no mesh")
            .help("rig takes meshes: OBJ, PLY, STL, GLB, glTF or FBX");
        return Err(error.into());
    };
    warnings.extend(body.warnings.into_iter().map(Diagnostic::from));
    let BoundBody { body, skeleton } = body.value;
    let unit = stated.or(skeleton.space().unit);
    let body = body.as_ref().clone();
    if args.weights_only {
        // Nodes that only hold bare meshes are not a skeleton.
        let bare = body.meshes.iter().all(|mesh| mesh.stated.rigid);
        let joints = skeleton.joints().iter().filter(|joint| !joint.end_site).count();
        if bare && joints < FEWEST_JOINTS {
            let message = format!(
                "the mesh of the file has no skin, and its skeleton has {joints} joints: none to keep"
            );
            let error = Diagnostic::new("rig::no-skeleton", message);
            return Err(error.help("without --weights-only a skeleton is fitted").into());
        }
        return Ok(Source { body, skeleton: Some(skeleton), unit, bytes });
    }
    let skinned = body.meshes.iter().filter(|mesh| !mesh.stated.rigid).count();
    if skinned > 0 {
        let message = format!("the skin of {skinned} of {} meshes is replaced", body.meshes.len());
        let note = Diagnostic::new("rig::skin-replaced", message);
        warnings.push(note.help("--weights-only keeps the skeleton of the file"));
    }
    let meshes = body.meshes.iter().map(|mesh| mesh.at_rest(&skeleton)).collect();
    Ok(Source { body: Body { meshes, materials: body.materials }, skeleton: Some(skeleton), unit, bytes })
}

/// The surface of a body, with its faces outwards: those that point inwards are turned, with a warning.
pub(super) fn surface(
    body: &mut Body,
    most_triangles: usize,
    warnings: &mut Vec<Diagnostic>,
) -> Result<RigMesh, Diagnostic> {
    let positions = all_positions(body);
    let mesh = RigMesh::new(body, &positions, most_triangles).map_err(refused)?;
    let turned = turn_outwards(body, &mesh);
    if turned == 0 {
        return Ok(mesh);
    }
    let all: usize = body.meshes.iter().map(|mesh| mesh.faces.len()).sum();
    let message = format!("{turned} of {all} faces point inwards: the output has them outwards");
    warnings.push(Diagnostic::new("rig::inward-faces", message));
    RigMesh::new(body, &positions, most_triangles).map_err(refused)
}

/// The vertices of all meshes, mesh after mesh.
pub(super) fn all_positions(body: &Body) -> Vec<Vector3<f64>> {
    body.meshes.iter().flat_map(|mesh| mesh.positions.iter().copied()).collect()
}
