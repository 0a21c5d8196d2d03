//! What can be wrong with an AMC file.

use crate::Remedy;

/// A problem of an AMC file. The comments between the variants separate errors, which stop the reader, from warnings.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    // Errors.
    #[error("an AMC file needs its ASF skeleton")]
    NoSkeleton,
    #[error("found '{found}' where an AMC file has a frame number or a keyword such as ':FULLY-SPECIFIED'")]
    NotAmc { found: String },
    #[error("expected a number, found '{found}'")]
    Number { found: String },
    #[error("'{found}' is not a frame number: expected a whole number")]
    FrameNumber { found: String },
    #[error("'{found}' is not a finite number")]
    NotFinite { found: String },
    #[error("most {what} are missing in most frames: {present} of {expected} are present")]
    MostlyMissing { what: &'static str, present: usize, expected: usize },
    #[error("{fps} is not a frame rate: expected a finite number above 0")]
    Rate { fps: f64 },
    #[error("{0}")]
    Clip(#[from] mocap_model::ModelError),

    // Warnings.
    #[error("the bone has no line in the frame: its channels are 0 there")]
    MissingBone,
    #[error(
        "values in the line: {found}, in that of the first frame: {expected}; a channel without a value is 0, a \
         value without a channel is skipped"
    )]
    ValueCount { found: usize, expected: usize },
    #[error("values in the line: {found}, channels of the bone in the skeleton: {expected}; {repair}")]
    ChannelCount { found: usize, expected: usize, repair: &'static str },
    #[error("the bone is listed twice in the frame: the last line is used")]
    RepeatedBone,
    #[error("the values of the bone continue on the next line")]
    ContinuedLine,
    #[error("the values are separated by commas")]
    Commas,
    #[error("the frame is numbered {found} where {expected} was expected: frames are used in file order")]
    FrameOrder { found: i64, expected: i64 },
    #[error("the file ends within the frame: the frame was dropped")]
    Truncated,
    #[error("'{keyword}' is not a keyword of an AMC file: it has no effect")]
    UnknownKeyword { keyword: String },
    #[error("'{found}' is not a sampling rate: expected a number above 0; 120 is assumed")]
    SampleRate { found: String },
    #[error("the skeleton has no bone of this name: its values are skipped")]
    UnknownBone,
    #[error("channels of the bone in the skeleton: {channels}, in the motion: none; they are 0")]
    BoneWithoutMotion { channels: usize },
    #[error("a value that is not a finite number was replaced by interpolation")]
    Repaired,

    // Warnings about clips that become AMC files.
    #[error("the joint rotates about axes that its skeleton locks: all its rotations are written")]
    LockedAxes,
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::NoSkeleton => "amc::no-skeleton",
            Problem::NotAmc { .. } => "amc::not-amc",
            Problem::Number { .. } => "amc::number",
            Problem::FrameNumber { .. } => "amc::frame-number",
            Problem::NotFinite { .. } => "amc::not-finite",
            Problem::MostlyMissing { .. } => "amc::mostly-missing",
            Problem::Rate { .. } => "amc::rate",
            Problem::Clip(_) => "amc::clip",
            Problem::MissingBone => "amc::missing-bone",
            Problem::ValueCount { .. } => "amc::value-count",
            Problem::ChannelCount { .. } => "amc::channel-count",
            Problem::RepeatedBone => "amc::repeated-bone",
            Problem::ContinuedLine => "amc::continued-line",
            Problem::Commas => "amc::commas",
            Problem::FrameOrder { .. } => "amc::frame-order",
            Problem::Truncated => "amc::truncated",
            Problem::UnknownKeyword { .. } => "amc::unknown-keyword",
            Problem::SampleRate { .. } => "amc::sample-rate",
            Problem::UnknownBone => "amc::unknown-bone",
            Problem::BoneWithoutMotion { .. } => "amc::bone-without-motion",
            Problem::Repaired => "amc::repaired",
            Problem::LockedAxes => "amc::locked-axes",
        }
    }

    fn remedy(&self) -> Option<Remedy> {
        match self {
            Problem::NotFinite { .. } => Some(Remedy::Repair),
            Problem::SampleRate { .. } => Some(Remedy::StateRate),
            Problem::NoSkeleton => Some(Remedy::NameSkeleton),
            _ => None,
        }
    }
}
