//! The character: its meshes with their shapes, its expressions, and poses of its joints.

use std::collections::HashSet;
use std::path::Path;

use mocap_face::{FaceMap, JointPose, followed};
use mocap_model::{BoundBody, Expression, InBetween};

use super::TARGET_LAST;
use super::poses::read_poses;
use crate::batch::{Failure, Input, JobContext};
use crate::commands::retarget::{Target, read_target};
use crate::diagnostic::Diagnostic;
use crate::options::{Reading, TargetSettings};

/// A character with a face.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) target: Target,
    /// Its meshes; `None` if only joints move the face.
    pub(super) body: Option<BoundBody>,
    /// The names of the shapes of its meshes.
    pub(super) shapes: Vec<String>,
    /// Shapes that are in-betweens of others, if the file states their weights (FBX).
    pub(super) in_betweens: Vec<InBetween>,
    /// Expressions that drive several shapes (VRM).
    pub(super) expressions: Vec<Expression>,
    /// Poses that move joints.
    pub(super) poses: Vec<JointPose>,
    /// All names that a map may use: shapes, expressions and poses.
    pub(super) names: Vec<String>,
}

/// Options for reading the character.
pub(super) struct HeadSettings<'a> {
    pub(super) target: TargetSettings,
    pub(super) poses: Option<&'a Path>,
    /// Whether shapes will be added, so that the character needs none.
    pub(super) makes_shapes: bool,
}

/// The character and its shapes.
pub(super) fn read_head(
    context: &JobContext,
    path: &Path,
    settings: &HeadSettings<'_>,
    reading: &Reading,
) -> Result<Head, Failure> {
    if path.is_dir() {
        let message = format!("'{}' is a directory; the character must be one file", path.display());
        return Err(Diagnostic::new("usage::target", message).help(TARGET_LAST).into());
    }
    let mut target = read_target((context, &Input::named(path)), &settings.target, None, reading)?;
    let limits = reading.limits();
    let document = target.on.document.as_ref();
    let expressions = document.map(|document| document.expressions()).unwrap_or_default();
    let in_betweens = document.map(|document| document.in_betweens()).unwrap_or_default();
    let found = document.map(|document| document.body(&limits)).transpose();
    let found = found.map_err(|finding| Diagnostic::from(finding).in_file(path))?.flatten();
    let shapes = found.as_ref().map(|body| mocap::face_shapes(&body.value)).unwrap_or_default();
    let poses = match settings.poses {
        Some(poses) => read_poses(context, poses, &target.on.skeleton, reading)?,
        None => Vec::new(),
    };
    if shapes.is_empty() && poses.is_empty() && !(settings.makes_shapes && found.is_some()) {
        let error = Diagnostic::new("face::no-shapes", "the character has no shapes (morph targets)");
        return Err(error
            .in_file(path)
            .help(format!(
                "name a GLB, glTF or FBX with a face, or give --joint-poses for a face of joints; {TARGET_LAST}"
            ))
            .into());
    }
    let body = found.map(|found| {
        target.warnings.extend(found.warnings.into_iter().map(Diagnostic::from));
        found.value
    });
    // A face file holds a face; a missing body motion needs no warning.
    target.warnings.retain(|warning| !warning.code.ends_with("::no-animation"));
    target.warnings.extend(body.as_ref().and_then(|body| same_names(body, path)));
    let mut names = shapes.clone();
    for name in expressions.iter().map(|of| &of.name).chain(poses.iter().map(|of| &of.name)) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    Ok(Head { target, body, shapes, in_betweens, expressions, poses, names })
}

/// A warning about shapes of one mesh that share a name. (Shapes of several meshes share names so that they
/// move together.)
fn same_names(body: &BoundBody, path: &Path) -> Option<Diagnostic> {
    let mut twice: Vec<&str> = Vec::new();
    for mesh in &body.body.meshes {
        let mut seen = HashSet::new();
        twice.extend(mesh.shapes.iter().map(|shape| shape.name.as_str()).filter(|name| !seen.insert(*name)));
    }
    twice.sort_unstable();
    twice.dedup();
    (!twice.is_empty()).then(|| {
        let more = if twice.len() > 10 { format!(" and {} more", twice.len() - 10) } else { String::new() };
        let names = twice[..twice.len().min(10)].join(", ");
        let message = format!("several shapes of one mesh share a name, and move together: {names}{more}");
        Diagnostic::new("face::same-names", message).in_file(path)
    })
}

impl Head {
    /// The meshes with their shapes.
    pub(super) fn body(&self) -> Result<&BoundBody, Diagnostic> {
        self.body.as_ref().ok_or_else(|| {
            Diagnostic::new("face::no-mesh", "the character has no mesh")
                .in_file(Path::new(&self.target.path))
        })
    }

    /// For formats that store expressions and no shapes: the expressions of the character become its face.
    pub(super) fn of_expressions(mut self) -> Head {
        if !self.expressions.is_empty() {
            self.shapes = self.expressions.drain(..).map(|of| of.name).collect();
            let poses = self.poses.iter().map(|pose| pose.name.clone());
            let poses = poses.filter(|name| !self.shapes.contains(name));
            self.names = self.shapes.iter().cloned().chain(poses).collect();
            self.body = None;
        }
        self
    }

    /// Names that nothing drives: neither a link, nor an expression that a link drives. An expression whose
    /// shapes are all driven is not in the list.
    pub(super) fn unmoved(&self, map: &FaceMap) -> Vec<String> {
        let linked = |name: &str| map.links.iter().any(|link| self.names[link.target] == name);
        let bound = |name: &str| {
            let mut moving = self.expressions.iter().filter(|of| linked(&of.name)).flat_map(|of| &of.binds);
            moving.any(|(shape, _)| shape == name)
        };
        let followed = followed(&self.shapes, &self.in_betweens);
        let corrects = |name: &str| {
            let at = self.shapes.iter().position(|shape| shape == name);
            let parts = at.and_then(|at| followed.get(&at));
            parts.is_some_and(|parts| {
                parts.iter().all(|part| linked(&self.shapes[*part]) || bound(&self.shapes[*part]))
            })
        };
        let moves = |name: &str| linked(name) || bound(name) || corrects(name);
        let covered = |name: &str| {
            self.expressions
                .iter()
                .any(|of| of.name == name && of.binds.iter().all(|(shape, _)| moves(shape)))
        };
        self.names.iter().filter(|name| !moves(name) && !covered(name)).cloned().collect()
    }
}
