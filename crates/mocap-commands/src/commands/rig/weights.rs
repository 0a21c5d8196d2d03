//! Weights of a body: found by a method, or copied from a character.

use std::path::Path;
use std::sync::Arc;

use mocap_model::{Body, Clip, FrameRate, JointId, Role, Skeleton};
use mocap_rig::{
    CopiedWeights, Donor, RigError, RigMesh, Voxels, bound, copy_weights, parts_of_person, rest_places,
    segments, weigh,
};

use super::Args;
use crate::batch::{Input, JobContext};
use crate::diagnostic::Diagnostic;
use crate::options::Reading;
use crate::read;

/// Voxels along the longest side of a body, for weights.
const VOXELS: usize = 150;
/// If less of the surface has a counterpart than this, a warning is given.
const FEW_MATCHED: f64 = 0.7;

/// A body with weights.
pub(super) struct Weighed {
    pub(super) body: Body,
    /// Whether mesh and skeleton are mirror images of themselves.
    pub(super) symmetric: bool,
    /// With copied weights: the share of the surface that has a counterpart.
    pub(super) matched: Option<f64>,
}

/// Which joints may move the mesh, and which meshes keep their skin.
pub(super) type Chosen<'a> = (&'a dyn Fn(JointId) -> bool, &'a dyn Fn(usize) -> bool);

/// The body with the weights that were asked for.
pub(super) fn with_weights(
    (body, mesh): (&Body, &RigMesh),
    skeleton: &Skeleton,
    (args, donor): (&Args, Option<&Donor>),
    (moves, skips): Chosen<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Weighed, Diagnostic> {
    let voxels = Voxels::new(mesh, VOXELS);
    let places = rest_places(skeleton);
    let segments = segments(skeleton, &places, &voxels, mesh.size, moves);
    let influences = usize::from(args.influences);
    let Some(donor) = donor else {
        let weights = weigh(mesh, &voxels, &segments, args.weight_method, influences).map_err(refused)?;
        let body = bound(body, mesh, &weights, skeleton, skips);
        return Ok(Weighed { body, symmetric: weights.mirrored, matched: None });
    };
    let copied = copy_weights((mesh, &segments), (skeleton, &places), donor, influences);
    let CopiedWeights { weights, matched, merged } = copied.map_err(refused)?;
    if matched < FEW_MATCHED {
        let message = format!(
            "only {:.0} % of the surface matches the character of --weights-from; other vertices take weights from \
             matched vertices near them",
            100.0 * matched
        );
        let warning = Diagnostic::new("rig::few-matched", message);
        warnings
            .push(warning.help("--joint-places corrects the pose; --weight-method heat needs no character"));
    }
    if !merged.is_empty() {
        let message = format!(
            "the skeleton lacks these joints of the character; their weights went to the parent joints: {}",
            merged.join(", ")
        );
        warnings.push(Diagnostic::new("rig::joints-merged", message));
    }
    let body = bound(body, mesh, &weights, skeleton, skips);
    Ok(Weighed { body, symmetric: weights.mirrored, matched: Some(matched) })
}

/// The skeleton with the roles that its names and shape tell.
pub(super) fn with_roles(skeleton: &Arc<Skeleton>) -> Arc<Skeleton> {
    mocap::with_roles(at_rest(skeleton.clone())).skeleton().clone()
}

/// A clip of the skeleton without frames, at a common rate.
pub(super) fn at_rest(skeleton: Arc<Skeleton>) -> Clip {
    Clip::at_rest(skeleton, FrameRate::new(30.0).expect("30 is a rate"))
}

/// By joint: whether it is beside the body, such as a target of inverse kinematics, and no vertex of the file follows
/// it. Where the skeleton is not that of a person, none is.
pub(super) fn beside_person(body: &Body, skeleton: &Skeleton) -> Vec<bool> {
    let has = |role| skeleton.with_role(role).is_some();
    let limbs =
        [Role::Hips, Role::LeftUpperArm, Role::RightUpperArm, Role::LeftUpperLeg, Role::RightUpperLeg];
    if !limbs.into_iter().all(has) {
        return vec![false; skeleton.len()];
    }
    let mut beside: Vec<bool> = parts_of_person(skeleton).into_iter().map(|is_part| !is_part).collect();
    for skin in body.meshes.iter().map(|mesh| &mesh.skin) {
        for one in skin.influences.iter().filter(|one| one.weight > 0.0) {
            beside[skin.bones[one.bone as usize].joint.index()] = false;
        }
    }
    beside
}

/// Reads the character whose weights are copied.
pub(super) fn donor(path: &Path, args: &Args) -> Result<Donor, Diagnostic> {
    let reading = Reading::default();
    let loaded = read::load(&JobContext::standalone(), &Input::named(path), &reading)
        .map_err(|failure| failure.error.in_file(path))?;
    let found = loaded.document().map(|document| document.body(&reading.limits())).transpose();
    let found = found.map_err(|finding| Diagnostic::from(finding).in_file(path))?.flatten();
    let Some(found) = found else {
        return Err(refused(RigError::NoSkin).in_file(path));
    };
    let named = with_roles(&found.value.skeleton);
    let donor = Donor::new(&found.value.body, &named, args.max_triangles);
    donor.map_err(|error| refused(error).in_file(path))
}

/// Adds advice to an error about a mesh that cannot be rigged.
pub(super) fn refused(error: RigError) -> Diagnostic {
    Diagnostic::new(error.code(), error.to_string()).help(error.help())
}
