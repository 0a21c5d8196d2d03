//! Splits a skeleton of several trees into its characters and props.

use super::{Character, Scene};
use crate::{BoundBody, Clip, JointId, ModelError, Skeleton};
use std::collections::HashSet;
use std::sync::Arc;

/// A tree of joints that is a character or a prop of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its first joint.
    pub root: JointId,
    /// Whether it is a prop.
    pub is_prop: bool,
}

/// The prefix that all joints of a tree share, up to a colon (`Alice` of `Alice:Hips`); else the name of its first
/// joint.
pub fn name_of_tree(skeleton: &Skeleton, root: JointId) -> &str {
    let own = &skeleton.joint(root).name;
    let below = below(skeleton, root);
    let shared = prefix(own).filter(|shared| {
        let joints = skeleton.iter().filter(|(id, joint)| below[id.index()] && !joint.end_site);
        joints.into_iter().all(|(_, joint)| prefix(&joint.name) == Some(shared))
    });
    shared.unwrap_or(own)
}

/// `Alice` of `Alice:Hips`.
fn prefix(name: &str) -> Option<&str> {
    name.rsplit_once(':').map(|(prefix, _)| prefix).filter(|prefix| !prefix.is_empty())
}

/// By joint: whether it is `root` or below it.
fn below(skeleton: &Skeleton, root: JointId) -> Vec<bool> {
    let mut below = vec![false; skeleton.len()];
    for (id, joint) in skeleton.iter() {
        below[id.index()] = id == root || joint.parent.is_some_and(|parent| below[parent.index()]);
    }
    below
}

impl Character {
    /// Splits a character into parts, each a character or prop that keeps its motion in object space.
    /// Joints of no part are left out; the motion of joints above a part is baked into its root.
    /// Each part has the faces of the body that follow its joints, all events, and all scalar
    /// tracks except those for shapes that only other parts have.
    ///
    /// # Errors
    /// [`ModelError::NotFinite`] where a baked position overflows.
    pub fn split(&self, parts: &[Part]) -> Result<Scene, ModelError> {
        let skeleton = self.skeleton();
        let on_clip = self.body.as_ref().map(|bound| match bound.skeleton.joints() == skeleton.joints() {
            true => bound.body.clone(),
            false => Arc::new(bound.on(skeleton)),
        });
        let bodies: Vec<Option<BoundBody>> = parts
            .iter()
            .map(|part| {
                let below = below(skeleton, part.root);
                let body = on_clip.as_ref()?.part(|joint| below[joint.index()])?;
                Some(BoundBody { body: Arc::new(body), skeleton: skeleton.clone() })
            })
            .collect();
        let shapes: Vec<HashSet<&str>> = bodies.iter().map(|body| shape_names(body.as_ref())).collect();
        let mut scene = Scene::default();
        for (at, part) in parts.iter().enumerate() {
            let of_others = |name: &str| {
                let others =
                    shapes.iter().enumerate().any(|(other, names)| other != at && names.contains(name));
                others && !shapes[at].contains(name)
            };
            let clip = self.clip.with_only_below(part.root)?;
            let clip = without_scalars(clip, of_others)?;
            let made = Character { name: part.name.clone(), clip, body: bodies[at].clone() };
            if part.is_prop { scene.props.push(made) } else { scene.characters.push(made) }
        }
        Ok(scene)
    }
}

/// The names of the shapes of a body.
pub(super) fn shape_names(body: Option<&BoundBody>) -> HashSet<&str> {
    let meshes = body.into_iter().flat_map(|bound| &bound.body.meshes);
    meshes.flat_map(|mesh| &mesh.shapes).map(|shape| shape.name.as_str()).collect()
}

fn without_scalars(clip: Clip, left_out: impl Fn(&str) -> bool) -> Result<Clip, ModelError> {
    if !clip.annotations().scalars.iter().any(|track| left_out(&track.name)) {
        return Ok(clip);
    }
    let mut annotations = clip.annotations().clone();
    annotations.scalars.retain(|track| !left_out(&track.name));
    clip.with_annotations(annotations)
}
