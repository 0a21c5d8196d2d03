//! Everything that can be wrong with a BVH file. Each has a stable code; which are errors and which are
//! warnings is said at each.

use super::reading::PositionMode;
use crate::Remedy;

/// What a BVH reader finds.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    // Errors.
    #[error("found {found}, expected {expected}")]
    Syntax { found: String, expected: &'static str },
    #[error("'{name}' is not a channel, expected an axis and a kind, such as Xrotation or Zposition")]
    Channel { name: String },
    #[error("the channel is listed twice")]
    RepeatedChannel,
    #[error("the joint has a second {what}, expected one")]
    Repeated { what: &'static str },
    #[error("the joint has no OFFSET")]
    MissingOffset,
    #[error("the hierarchy has no ROOT")]
    NoRoot,
    #[error("'{text}' is not a number")]
    Value { text: String },
    #[error("'{text}' is not a finite number")]
    NotANumber { text: String },
    #[error("{0}")]
    Clip(#[from] mocap_model::ModelError),
    #[error("a BVH file cannot hold the name '{name}': it has {found}")]
    Name { name: String, found: &'static str },

    // Warnings about the hierarchy.
    #[error("a comment was skipped: BVH has none")]
    Comment,
    #[error("'{found}' was read as 'End Site'")]
    EndSiteSpelling { found: String },
    #[error("a joint has no name")]
    MissingName,
    #[error("several joints are called '{name}'; they are kept apart")]
    DuplicateName { name: String },
    #[error("commas were read as {meaning}")]
    Commas { meaning: &'static str },
    #[error("the joint has no CHANNELS line: it does not move")]
    NoChannels,
    #[error("the End Site has no OFFSET: it is placed at its joint")]
    EndSiteOffset,
    #[error("the End Site has CHANNELS: their values are skipped")]
    EndSiteChannels,
    #[error("a scale channel is not applied: its values are skipped")]
    ScaleChannel,
    #[error("CHANNELS declares {declared}, {found} are named; the names are used")]
    ChannelCount { declared: String, found: usize },
    #[error("closing brackets missing before MOTION: {missing}")]
    MissingBracket { missing: usize },

    // Warnings about the motion.
    #[error("the file has no MOTION section: it is a skeleton without frames")]
    NoMotion,
    #[error("the number of frames is missing: the rows were counted")]
    MissingFrames,
    #[error("the number of frames is written as '{text}', expected a whole number")]
    FractionalFrames { text: String },
    #[error("the frame time {what}: without another rate the motion runs at 30 frames per second")]
    FrameTime { what: &'static str },
    #[error("the file declares {declared} frames and has {found}; the first {declared} were kept")]
    MoreFrames { declared: u64, found: usize },
    #[error("the file declares {declared} frames and has {found}; those were kept")]
    FewerFrames { declared: u64, found: usize },
    #[error("the last frame has {found} of {expected} values; it was dropped")]
    TruncatedFrame { found: usize, expected: usize },
    #[error(
        "every line has {found} values, the hierarchy declares {expected}; the last ones of each were dropped"
    )]
    SurplusColumns { found: usize, expected: usize },
    #[error(
        "this line has {found} values, the hierarchy declares {expected}; values were read in order, so those of later frames are shifted"
    )]
    RowLength { found: usize, expected: usize },
    #[error("text after the last frame was skipped")]
    TrailingText,

    // Warnings about what the motion means.
    #[error(
        "it is not clear whether position channels replace OFFSET or add to it ({replace} joints for replace, {add} for add); {mode} is assumed"
    )]
    PositionMode { mode: PositionMode, replace: usize, add: usize },
    #[error(
        "the first frame does not belong to the motion: joints rotate by {degrees:.1}° on average to the next frame, and by at most {later:.1}° per frame in the second after it"
    )]
    RestFirstFrame { degrees: f64, later: f64 },
    #[error("values that are not numbers were interpolated")]
    Repaired,

    // Warnings about a document that was normalised.
    #[error(
        "position channels added to OFFSET: the root's OFFSET was moved into them, for readers that replace OFFSET and \
         readers that add to it"
    )]
    RootOffsetMoved,
    #[error("positions of joints below the root were restated for readers that {}", match style {
        PositionMode::Replace => "replace OFFSET by them",
        PositionMode::Add => "add them to OFFSET",
    })]
    PositionsRestated { style: PositionMode },
    #[error("names of joints were changed: some readers refuse duplicate names")]
    NamesChanged,
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::Syntax { .. } => "bvh::syntax",
            Problem::Channel { .. } => "bvh::channel",
            Problem::RepeatedChannel => "bvh::repeated-channel",
            Problem::Repeated { .. } => "bvh::repeated",
            Problem::MissingOffset => "bvh::missing-offset",
            Problem::NoRoot => "bvh::no-root",
            Problem::Value { .. } => "bvh::value",
            Problem::NotANumber { .. } => "bvh::not-a-number",
            Problem::Clip(_) => "bvh::clip",
            Problem::Name { .. } => "bvh::name",
            Problem::Comment => "bvh::comment",
            Problem::EndSiteSpelling { .. } => "bvh::end-site-spelling",
            Problem::MissingName => "bvh::missing-name",
            Problem::DuplicateName { .. } => "bvh::duplicate-name",
            Problem::Commas { .. } => "bvh::commas",
            Problem::NoChannels => "bvh::no-channels",
            Problem::EndSiteOffset => "bvh::end-site-offset",
            Problem::EndSiteChannels => "bvh::end-site-channels",
            Problem::ScaleChannel => "bvh::scale-channel",
            Problem::ChannelCount { .. } => "bvh::channel-count",
            Problem::MissingBracket { .. } => "bvh::missing-bracket",
            Problem::NoMotion => "bvh::no-motion",
            Problem::MissingFrames => "bvh::missing-frames",
            Problem::FractionalFrames { .. } => "bvh::fractional-frames",
            Problem::FrameTime { .. } => "bvh::frame-time",
            Problem::MoreFrames { .. } | Problem::FewerFrames { .. } => "bvh::frame-count",
            Problem::TruncatedFrame { .. } => "bvh::truncated-frame",
            Problem::SurplusColumns { .. } => "bvh::surplus-columns",
            Problem::RowLength { .. } => "bvh::row-length",
            Problem::TrailingText => "bvh::trailing-text",
            Problem::PositionMode { .. } => "bvh::position-mode",
            Problem::RestFirstFrame { .. } => "bvh::rest-first-frame",
            Problem::Repaired => "bvh::repaired",
            Problem::RootOffsetMoved => "bvh::normalised",
            Problem::PositionsRestated { .. } => "bvh::positions-restated",
            Problem::NamesChanged => "bvh::names-changed",
        }
    }

    fn remedy(&self) -> Option<Remedy> {
        match self {
            Problem::NotANumber { .. } => Some(Remedy::Repair),
            Problem::FrameTime { .. } => Some(Remedy::StateRate),
            Problem::PositionMode { .. } => Some(Remedy::StatePositionChannels),
            Problem::RestFirstFrame { .. } => Some(Remedy::DropFirstFrame),
            Problem::Name { .. } => Some(Remedy::SafeNames),
            Problem::RootOffsetMoved | Problem::PositionsRestated { .. } | Problem::NamesChanged => {
                Some(Remedy::KeepDocument)
            }
            _ => None,
        }
    }
}
