//! An FBX file as it was read.

use std::fmt;

use ufbx::SceneRoot;

use super::scalars::{self, Source};
use super::tree::Tree;

/// A file: its bytes, and what they mean.
pub struct Document {
    /// Written back as they are.
    pub(super) bytes: Vec<u8>,
    pub(super) scene: SceneRoot,
    pub(super) tree: Tree,
    pub(super) scalars: Vec<Source>,
    /// The stacks that move a joint, or all where none does: exporters leave empty ones behind.
    pub(super) moving: Vec<usize>,
    /// Whether its axes are left-handed: then the scene is mirrored.
    pub(super) mirrored: bool,
}

impl Document {
    pub(super) fn new(bytes: &[u8], scene: SceneRoot, tree: Tree, mirrored: bool) -> Document {
        let scalars = scalars::sources(&scene, &tree);
        let all = 0..scene.anim_stacks.count;
        let moves = |stack: &usize| tree.is_moved_by(&scene.anim_stacks[*stack]);
        let mut moving: Vec<usize> = all.clone().filter(moves).collect();
        if moving.is_empty() {
            moving = all.collect();
        }
        Document { bytes: bytes.to_vec(), scene, tree, scalars, moving, mirrored }
    }

    /// The names of its animation stacks, in the order of the file.
    pub fn stacks(&self) -> Vec<String> {
        self.scene.anim_stacks.iter().map(|stack| stack.element.name.to_string()).collect()
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bytes, joints) = (self.bytes.len(), self.tree.joints.len());
        f.debug_struct("Document")
            .field("bytes", &bytes)
            .field("joints", &joints)
            .field("stacks", &self.stacks())
            .finish()
    }
}
