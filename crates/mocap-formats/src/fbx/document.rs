//! An FBX file as it was read.

use std::fmt;

use ufbx::SceneRoot;

use super::scalars::{self, Source};
use super::tree::Tree;
use super::{keys, to_clip};
use crate::choice::chosen;
use crate::{ClipChoice, Encoded, Finding, Format, Parsed, ReadOptions, Rejected, Stated};
use mocap_model::{Clip, Skeleton};

/// A file: its bytes, and what they mean.
pub struct Document {
    /// Written back as they are.
    pub(super) bytes: Vec<u8>,
    pub(super) scene: SceneRoot,
    pub(super) tree: Tree,
    pub(super) scalars: Vec<Source>,
    /// The stacks that move a joint, or all where none does: exporters leave empty ones behind.
    moving: Vec<usize>,
}

impl Document {
    pub(super) fn new(bytes: &[u8], scene: SceneRoot, tree: Tree) -> Document {
        let scalars = scalars::sources(&scene, &tree);
        let all = 0..scene.anim_stacks.count;
        let moves = |stack: &usize| keys::moves(&scene.anim_stacks[*stack], &tree);
        let mut moving: Vec<usize> = all.clone().filter(moves).collect();
        if moving.is_empty() {
            moving = all.collect();
        }
        Document { bytes: bytes.to_vec(), scene, tree, scalars, moving }
    }

    /// The names of its animation stacks, in the order of the file.
    pub fn stacks(&self) -> Vec<String> {
        self.scene.anim_stacks.iter().map(|stack| stack.element.name.to_string()).collect()
    }

    /// The stack that is meant, and a warning where nothing says which of several. Stacks that move nothing are found
    /// by their names only.
    fn chosen(&self, choice: Option<&ClipChoice>) -> Result<(Option<usize>, Option<Finding>), Finding> {
        match chosen(&crate::Document::clip_names(self), choice) {
            Ok((clip, warning)) => Ok((clip.map(|clip| self.moving[clip]), warning)),
            Err(error) => {
                let name = choice.map(|choice| &choice.0);
                let found = self.stacks().iter().position(|stack| Some(stack) == name);
                found.map(|stack| (Some(stack), None)).ok_or(error)
            }
        }
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
        let stack = self
            .chosen(options.clip.as_ref())
            .ok()
            .and_then(|(index, _)| Some(&self.scene.anim_stacks[index?]));
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

    fn clip_names(&self) -> Vec<String> {
        let names = self.stacks();
        self.moving.iter().map(|stack| names[*stack].clone()).collect()
    }

    fn to_clip(&self, options: &ReadOptions) -> Result<Parsed<Clip>, Rejected> {
        let (stack, warning) = self.chosen(options.clip.as_ref())?;
        let mut parsed = match stack {
            Some(stack) => self.clip(stack, options)?,
            None => to_clip::at_rest(self, options)?,
        };
        parsed.warnings.splice(..0, warning);
        Ok(parsed)
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
            .field("stacks", &self.stacks())
            .finish()
    }
}
