//! An FBX file as it was read.

use std::fmt;

use ufbx::SceneRoot;

use super::scalars::{self, Source};
use super::tree::Tree;
use super::{keys, to_clip};
use crate::{Encoded, Finding, Format, FormatProblem, Parsed, ReadOptions, Rejected, Stated};
use mocap_model::{Clip, Skeleton};

/// A file: its bytes, and what they mean.
pub struct Document {
    /// Written back as they are.
    pub(super) bytes: Vec<u8>,
    pub(super) scene: SceneRoot,
    pub(super) tree: Tree,
    pub(super) scalars: Vec<Source>,
}

impl Document {
    pub(super) fn new(bytes: &[u8], scene: SceneRoot, tree: Tree) -> Document {
        let scalars = scalars::sources(&scene, &tree);
        Document { bytes: bytes.to_vec(), scene, tree, scalars }
    }

    /// The names of its animation stacks, in the order of the file.
    pub fn clips(&self) -> Vec<String> {
        self.scene.anim_stacks.iter().map(|stack| stack.element.name.to_string()).collect()
    }

    /// The clip that is taken where none is named: the first stack that moves a joint, else the first.
    pub fn main_clip(&self) -> Option<usize> {
        let stacks = &self.scene.anim_stacks;
        stacks.iter().position(|stack| keys::moves(stack, &self.tree)).or((!stacks.is_empty()).then_some(0))
    }

    /// The motion of one animation stack.
    ///
    /// # Errors
    /// Where there is no such stack, it has more frames than the limit, or values that are not finite and are not to
    /// be repaired.
    pub fn clip(&self, index: usize, options: &ReadOptions) -> Result<Parsed<Clip>, Rejected> {
        to_clip::to_clip(self, index, options)
    }
}

impl crate::Document for Document {
    fn format(&self) -> Format {
        Format::Fbx
    }

    fn stated(&self, options: &ReadOptions) -> Stated {
        let stack = self.main_clip().map(|index| &self.scene.anim_stacks[index]);
        let frames = stack.and_then(|stack| keys::span(self, stack, options).ok());
        let moved = ["Lcl Rotation", "Lcl Translation"].map(|name| {
            let moved = stack.map(|stack| keys::elements(stack, &[name])).unwrap_or_default();
            self.tree.joints.iter().filter(|joint| moved.contains(&self.tree.node(joint).element)).count()
        });
        Stated {
            frames: frames.map_or(0, |span| span.frames),
            channels: 3 * moved.iter().sum::<usize>(),
            ..Stated::default()
        }
    }

    fn to_clip(&self, options: &ReadOptions) -> Result<Parsed<Clip>, Rejected> {
        let index = self.main_clip().ok_or_else(|| Finding::new(FormatProblem::NoMotion))?;
        self.clip(index, options)
    }

    fn to_skeleton(&self, options: &ReadOptions) -> Result<Parsed<Skeleton>, Rejected> {
        to_clip::to_skeleton(self, options)
    }

    fn write(&self) -> Encoded<'static> {
        self.bytes.clone().into()
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bytes, joints) = (self.bytes.len(), self.tree.joints.len());
        f.debug_struct("Document")
            .field("bytes", &bytes)
            .field("joints", &joints)
            .field("clips", &self.clips())
            .finish()
    }
}
