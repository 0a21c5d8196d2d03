//! An FBX file as any document.

use std::sync::Arc;

use super::document::Document;
use super::rebuilt::rebuilt;
use super::scalars::stated_in_betweens;
use super::span::{Span, span};
use super::stack::elements;
use super::to_body::to_body;
use super::to_clip::{at_rest, to_clip, to_skeleton};
use crate::body::BoundBody;
use crate::choice::chosen;
use crate::{
    ClipChoice, Encoded, Finding, Format, Kept, Limits, Parsed, ReadError, ReadOptions, Stated, Warnings,
    WriteOptions,
};
use mocap_model::{Clip, InBetween, Skeleton};

impl crate::Document for Document {
    fn format(&self) -> Format {
        Format::Fbx
    }

    fn stated(&self, options: &ReadOptions) -> Stated {
        let chosen = chosen_stack(self, options.clip.as_ref()).ok();
        let stack = chosen.and_then(|(index, _)| Some(&self.scene.anim_stacks[index?]));
        let frames = stack.and_then(|stack| {
            span(&self.scene, self.tree.joints.len(), stack, options, &mut Warnings::default()).ok()
        });
        let moved = ["Lcl Rotation", "Lcl Translation"].map(|name| {
            let moved = stack.map(|stack| elements(stack, &[name])).unwrap_or_default();
            self.tree.joints.iter().filter(|joint| moved.contains(&self.tree.node(joint).element)).count()
        });
        Stated {
            frames: frames.map_or(0, |span: Span| span.frames),
            channels: 3 * moved.iter().sum::<usize>(),
            ..Stated::default()
        }
    }

    fn clip_names(&self) -> Vec<String> {
        let names = self.stacks();
        self.moving.iter().map(|stack| names[*stack].clone()).collect()
    }

    fn to_clip(&self, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        let (stack, warning) = chosen_stack(self, options.clip.as_ref())?;
        let mut parsed = match stack {
            Some(stack) => to_clip(self, stack, options)?,
            None => at_rest(self, options)?,
        };
        parsed.warnings.splice(..0, warning);
        Ok(parsed)
    }

    fn to_skeleton(&self, options: &ReadOptions) -> Result<Parsed<Skeleton>, ReadError> {
        to_skeleton(self, options)
    }

    fn meshes(&self) -> usize {
        if self.is_drawn() { 0 } else { self.scene.meshes.count }
    }

    fn body(&self, limits: &Limits) -> Result<Option<Parsed<BoundBody>>, Finding> {
        let Some(Parsed { value, warnings }) = to_body(self, limits)? else { return Ok(None) };
        let reading = ReadOptions { limits: *limits, ..ReadOptions::default() };
        let skeleton = to_skeleton(self, &reading).map_err(|failed| *failed.error)?.value;
        let value = BoundBody { body: Arc::new(value), skeleton: Arc::new(skeleton) };
        Ok(Some(Parsed { value, warnings }))
    }

    fn in_betweens(&self) -> Vec<InBetween> {
        stated_in_betweens(&self.scalars)
    }

    fn with_clips(&self, clips: &[Clip], format: Format, options: &WriteOptions) -> Result<Kept, Finding> {
        match format {
            Format::Fbx => rebuilt(self, clips, options),
            _ => Ok(Kept::OTHER_FORMAT),
        }
    }

    fn write(&self) -> Encoded<'static> {
        self.bytes.clone().into()
    }
}

/// The chosen stack, and a warning where there are several and no choice. Stacks that move nothing can be chosen by
/// name only.
fn chosen_stack(
    document: &Document,
    choice: Option<&ClipChoice>,
) -> Result<(Option<usize>, Option<Finding>), Finding> {
    match chosen(&crate::Document::clip_names(document), choice) {
        Ok((clip, warning)) => Ok((clip.map(|clip| document.moving[clip]), warning)),
        Err(error) => {
            let name = choice.map(|choice| &choice.0);
            let found = document.stacks().iter().position(|stack| Some(stack) == name);
            found.map(|stack| (Some(stack), None)).ok_or(error)
        }
    }
}
