//! The interface of documents of all formats.

use std::fmt;
use std::ops::Range;

use mocap_model::{Character, Clip, EulerOrder, Expression, InBetween, Markers, Scene, Skeleton};

use crate::body::BoundBody;
use crate::bvh::{PositionDecision, PositionMode};
use crate::{
    Encoded, Finding, Format, FormatProblem, LeftOut, Limits, Parsed, ReadError, ReadOptions, WriteOptions,
};

/// A file as it was written: values, names and their order are kept.
///
/// [`Document::to_clip`] and [`Document::to_skeleton`] give what it means, [`Document::write`] the file again.
pub trait Document: fmt::Debug + Send + Sync {
    /// The format of the file.
    fn format(&self) -> Format;

    /// The properties of the file that a clip does not hold.
    fn stated(&self, options: &ReadOptions) -> Stated;

    /// The motion of the file, with warnings.
    ///
    /// # Errors
    /// Where it has no motion, or values that are not finite and are not to be repaired.
    fn to_clip(&self, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        let _ = options;
        let problem =
            if self.markers().is_some() { FormatProblem::OnlyMarkers } else { FormatProblem::NoMotion };
        Err(Finding::new(problem).into())
    }

    /// The markers of a recording, which has neither clip nor skeleton; `None` of other files.
    fn markers(&self) -> Option<&Markers> {
        None
    }

    /// As [`Document::to_clip`], without copying where the document's data can be moved.
    ///
    /// # Errors
    /// As [`Document::to_clip`].
    fn into_clip(self: Box<Self>, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        self.to_clip(options)
    }

    /// As [`Document::to_clip`]. What only the motion needs may be freed as the clip grows: afterwards the document has
    /// its header only.
    ///
    /// # Errors
    /// As [`Document::to_clip`].
    fn take_clip(&mut self, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        self.to_clip(options)
    }

    /// The bytes of the file, where the document keeps them, without those that [`Document::take_clip`] freed.
    fn text(&self) -> Option<&[u8]> {
        None
    }

    /// The start of the motion, or all of it, with all warnings and errors of [`Document::to_clip`] for the whole
    /// motion: a summary of the file needs no more, and this saves computing all rotations.
    ///
    /// # Errors
    /// As [`Document::to_clip`].
    fn to_clip_start(&self, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        self.to_clip(options)
    }

    /// The skeleton of the file, which may have a motion or not.
    ///
    /// # Errors
    /// As [`Document::to_clip`], but for the motion.
    fn to_skeleton(&self, options: &ReadOptions) -> Result<Parsed<Skeleton>, ReadError> {
        let Parsed { value: clip, warnings } = self.to_clip_start(options)?;
        Ok(Parsed { value: clip.skeleton().as_ref().clone(), warnings })
    }

    /// What its meshes have that [`Document::body`] does not hold, such as vertex colours: lost where they are written anew.
    fn not_in_body(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// The names of the clips in the file, in order; empty for formats that hold one clip per file.
    fn clip_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// How many meshes the file shows, other than bodies that this program drew.
    fn meshes(&self) -> usize {
        0
    }

    /// The body that the file shows, bound to the skeleton of [`Document::to_skeleton`]; `None` of a file without meshes,
    /// of one that this program drew, and of formats without meshes.
    ///
    /// # Errors
    /// Where the file is damaged: an index of nothing, a number that is not finite.
    fn body(&self, limits: &Limits) -> Result<Option<Parsed<BoundBody>>, Finding> {
        let _ = limits;
        Ok(None)
    }

    /// Expressions that move several shapes of its meshes (VRM); empty for other files.
    fn expressions(&self) -> Vec<Expression> {
        Vec::new()
    }

    /// Shapes of its meshes that are in-betweens of others, where the file states the weights at which they are fully
    /// applied (FBX); empty for other files.
    fn in_betweens(&self) -> Vec<InBetween> {
        Vec::new()
    }

    /// The file as a scene: its markers, or one character with all of its joints and its body. A file with several
    /// people gives one character too; a caller that can recognise people splits it with [`Character::split`].
    ///
    /// # Errors
    /// As [`Document::to_clip`]. Meshes that cannot be read are a warning ([`LeftOut::Unread`]).
    fn to_scene(&self, options: &ReadOptions) -> Result<Parsed<Scene>, ReadError> {
        if let Some(markers) = self.markers() {
            return Ok(Parsed { value: Scene::from(markers.clone()), warnings: Vec::new() });
        }
        let Parsed { value: clip, mut warnings } = self.to_clip(options)?;
        let body = match self.body(&options.limits) {
            Ok(Some(Parsed { value, warnings: found })) => {
                warnings.extend(found);
                Some(value)
            }
            Ok(None) => None,
            Err(error) => {
                let (count, because) = (self.meshes(), error.to_string());
                warnings.push(Finding::new(LeftOut::Unread { count, because }));
                None
            }
        };
        Ok(Parsed { value: Scene::from(Character { body, ..Character::from(clip) }), warnings })
    }

    /// The file again with these clips in place of its clips, in a format that holds its other content (meshes, skins,
    /// materials).
    ///
    /// # Errors
    /// Where the file is damaged, or a clip cannot be written in the space of the file.
    fn with_clips(&self, clips: &[Clip], format: Format, options: &WriteOptions) -> Result<Kept, Finding> {
        let _ = (clips, format, options);
        Ok(Kept::OTHER_FORMAT)
    }

    /// The file again: every value, name and order as it was read.
    fn write(&self) -> Encoded<'static>;

    /// As [`Document::write`]; content is computed while it is written.
    fn into_encoded(self: Box<Self>) -> Encoded<'static> {
        self.write()
    }

    /// Whether the angles of all joints are written in this order.
    fn has_order(&self, order: EulerOrder) -> bool {
        let _ = order;
        false
    }

    /// The document with only these frames and all lengths multiplied by a factor above 0, with every other value as it
    /// is; `None` where the result would be read differently.
    fn edited(&self, frames: Range<usize>, factor: f64) -> Option<Box<dyn Document>> {
        let _ = (frames, factor);
        None
    }

    /// The document changed so that all readers of the format interpret it alike, with warnings about the changes;
    /// `None` where nothing has to change.
    ///
    /// # Errors
    /// Where names are kept and one of them cannot be written.
    fn normalised(
        &self,
        reading: &ReadOptions,
        writing: &WriteOptions,
    ) -> Result<Option<Parsed<Box<dyn Document>>>, Finding> {
        let _ = (reading, writing);
        Ok(None)
    }
}

/// A file with other clips, or the reason why it cannot take them: then only the motion can be written.
#[derive(Debug)]
pub enum Kept {
    /// The file.
    Written(Encoded<'static>),
    /// The reason, as a clause for a message.
    Not(&'static str),
}

impl Kept {
    /// The output is of another format than the file.
    pub(crate) const OTHER_FORMAT: Kept = Kept::Not("only a file of the format they come from keeps them");
}

/// Properties of a file that a clip does not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stated {
    /// The number of frames; 0 of a skeleton.
    pub frames: usize,
    /// The number of channels of all joints: numbers per frame.
    pub channels: usize,
    /// The frame time as the file has it \[s\].
    pub frame_time: Option<f64>,
    /// How position channels and the offset of a joint combine; `None` without position channels.
    pub positions: Option<PositionMode>,
    /// How this was decided from the numbers of a BVH; `None` where it makes no difference.
    pub position_votes: Option<PositionDecision>,
}

impl Stated {
    /// Of files of this project: the channels of a joint are its degrees of freedom.
    pub fn of_dofs(skeleton: &Skeleton, frames: usize) -> Stated {
        let joints = || skeleton.joints().iter().filter(|joint| !joint.end_site);
        let count = |free: [bool; 3]| free.iter().filter(|free| **free).count();
        let channels = joints().map(|joint| count(joint.dofs.rotation) + count(joint.dofs.translation)).sum();
        let moves = joints().any(|joint| count(joint.dofs.translation) > 0);
        let positions = moves.then_some(PositionMode::Replace);
        Stated { frames, channels, positions, ..Stated::default() }
    }
}
