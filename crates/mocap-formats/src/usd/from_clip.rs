//! From clips to the content of a USD file.

use std::borrow::Cow;

use mocap_model::{Body, Clip, JointId, Pose, Skeleton};
use mocap_skin::{BoundMesh, SkinError, SkinMethod};
use nalgebra::Matrix4;

use super::document::{Animation, Document};
use crate::body::{self, BoundBody, Style};
use crate::metres::in_metres;
use crate::names::Unique;
use crate::same_joints::same_joints;
use crate::{Finding, LeftOut, MetresProblem, Parsed};

/// Tolerance up to which bind matrices count as those of the rest pose.
const AT_REST: f64 = 1e-6;

/// The document of clips of one skeleton with a body, or with a drawn one if `body` is `None`. The
/// joints are those of the first clip. Warns if the unit of lengths is not known.
///
/// # Errors
/// If names or parents of joints differ between clips, or a length is not finite in metres.
///
/// # Panics
/// If no clip is given.
pub fn from_clips(
    clips: &[Clip],
    body: Option<&BoundBody>,
    mesh: Style,
) -> Result<Parsed<Document>, Finding> {
    let joints = clips[0].skeleton().joints();
    clips.iter().try_for_each(|clip| same_joints(joints, clip.skeleton().joints()))?;
    let mut warnings = Vec::new();
    let mut unique = Unique::default();
    let root = identifier(clips[0].skeleton().name(), "Character");
    // Names of sibling prims are unique; these two are taken.
    ["Skeleton", "Body"].iter().for_each(|taken| drop(unique.claim(taken)));
    let mut meshes_taken = Unique::default();
    meshes_taken.claim("Skeleton");
    let mut animations = Vec::with_capacity(clips.len());
    for clip in clips {
        let name = unique.claim(&identifier(clip.name(), "Animation"));
        let clip = in_metres(Cow::Borrowed(clip), &mut warnings)?.into_owned();
        meshes_taken.claim(&name);
        animations.push(Animation { name, clip });
    }
    let skeleton = animations[0].clip.skeleton().as_ref().clone();
    animations.retain(|animation| animation.clip.frames() > 0);
    let body = match body {
        Some(bound) => Some(bound.on(&skeleton)),
        None => body::drawn(&skeleton, mesh, body::COLOUR),
    };
    let body = bound_at_rest(body.unwrap_or_default(), &skeleton)
        .map_err(|error| Finding::new(MetresProblem::Mesh(error)))?;
    let shapes = body.meshes.iter().map(|mesh| mesh.shapes.len()).sum();
    if shapes > 0 {
        warnings.push(Finding::new(LeftOut::Shapes { count: shapes }));
    }
    let images = body.materials.iter().filter(|material| material.image.is_some()).count();
    if images > 0 {
        warnings.push(Finding::new(LeftOut::Images { count: images }));
    }
    let meshes = body.meshes.iter().map(|mesh| meshes_taken.claim(&identifier(&mesh.name, "Body"))).collect();
    let paths = paths(&skeleton);
    Ok(Parsed { value: Document { skeleton, name: root, paths, body, meshes, animations }, warnings })
}

/// The body with every mesh bound to the joints at rest: a skeleton has one bind pose for all meshes. A mesh that is
/// bound in another pose is posed at rest first.
fn bound_at_rest(mut body: Body, skeleton: &Skeleton) -> Result<Body, SkinError> {
    let mut object = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut object);
    for mesh in &mut body.meshes {
        *mesh = mesh.at_rest(skeleton);
        let off = mesh.skin.bones.iter().map(|bone| {
            let placed = object.joints[bone.joint.index()].to_homogeneous() * bone.inverse_bind;
            (placed - Matrix4::identity()).amax()
        });
        if off.fold(0.0, f64::max) > AT_REST {
            let bound = BoundMesh::new(mesh, skeleton)?;
            let frame = |joint: JointId| object.joints[joint.index()].to_homogeneous();
            mesh.positions = bound.posed(SkinMethod::Linear, frame, &[]);
        }
        for bone in &mut mesh.skin.bones {
            bone.inverse_bind = object.joints[bone.joint.index()].inverse().to_homogeneous();
        }
    }
    Ok(body)
}

/// The paths of joints, with names that USD takes.
fn paths(skeleton: &Skeleton) -> Vec<String> {
    let mut unique = Unique::default();
    let mut paths: Vec<String> = Vec::with_capacity(skeleton.len());
    for joint in skeleton.joints() {
        let name = unique.claim(&identifier(&joint.name, "joint"));
        paths.push(match joint.parent {
            Some(parent) => format!("{}/{name}", paths[parent.index()]),
            None => name,
        });
    }
    paths
}

/// The name as a USD identifier: `_` replaces all but ASCII letters, digits and `_`, and precedes a leading digit.
pub(crate) fn identifier(name: &str, otherwise: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(letter).collect();
    match name.chars().next() {
        None => otherwise.to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{name}"),
        Some(_) => name,
    }
}

#[cfg(test)]
mod tests {
    use super::identifier;

    #[test]
    fn names_become_identifiers() {
        let names = ["mixamorig:Hips", "01_01", "", "Hüfte"].map(|name| identifier(name, "joint"));
        assert_eq!(names, ["mixamorig_Hips", "_01_01", "joint", "H_fte"]);
    }
}
