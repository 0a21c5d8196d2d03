//! The content of a USD file of a character.

use mocap_model::{Body, Clip, Skeleton};

/// A character and its clips, in metres with Y up.
#[derive(Clone, Debug)]
pub struct Document {
    /// The skeleton in its rest pose.
    pub(super) skeleton: Skeleton,
    /// The name of the root prim.
    pub(super) name: String,
    /// By joint: its path below the skeleton, such as `Hips/Spine`.
    pub(super) paths: Vec<String>,
    /// The meshes that show it, bound at rest.
    pub(super) body: Body,
    /// By mesh: the name of its prim.
    pub(super) meshes: Vec<String>,
    /// The clips; the first is bound to the skeleton.
    pub(super) animations: Vec<Animation>,
}

/// One clip.
#[derive(Clone, Debug)]
pub struct Animation {
    /// The name of its prim.
    pub(super) name: String,
    pub(super) clip: Clip,
}
