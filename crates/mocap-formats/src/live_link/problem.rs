//! What can be wrong with a Live Link Face CSV.

/// A problem of a Live Link Face CSV.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("the column '{name}' is listed twice")]
    DuplicateColumn { name: String },
    #[error("no column has a shape of ARKit: expected Timecode,BlendShapeCount,EyeBlinkLeft,…")]
    NoShapes,
    #[error("no row with values")]
    NoRows,
    #[error("time codes cannot count {fps} frames per second: expected 1 to 1000")]
    Rate { fps: f64 },
    #[error("the row has {found} columns, expected {expected}")]
    Columns { found: usize, expected: usize },
    #[error("'{text}' is not a time code: expected HH:MM:SS:FF.fraction")]
    Timecode { text: String },
    #[error("the time code is before that of the row above")]
    Backwards,
    #[error("'{text}' is not a number")]
    Number { text: String },
    #[error("the value is {value}")]
    NotFinite { value: f64 },
    #[error("{0}")]
    Model(mocap_model::ModelError),
    #[error("the clip has none of the shapes of ARKit, which are the columns of the file")]
    NotArkit,
    #[error("the columns {names} of the file are not shapes of ARKit; they are kept as numbers over time")]
    OtherColumns { names: String },
    #[error("{count} dropped frames are interpolated by their time codes")]
    Dropped { count: usize },
    #[error("{count} rows have the time code of the row above; they are left out")]
    Repeated { count: usize },
    #[error("{count} weights of '{name}' are beyond 0 to 1, up to {most}; they are kept")]
    Beyond { name: String, count: usize, most: f64 },
    #[error(
        "other time codes are written with ';' as drop-frame codes, and this one is none of them: all are counted without \
         leaving out codes"
    )]
    NotDropFrame,
    #[error("the time codes do not determine the frame rate: {fps} frames per second are assumed")]
    RateAssumed { fps: i64 },
    #[error(
        "the motion has {} frames per second, and its time codes are read as {}: state the rate where the file is read, or \
         resample to a usual one, such as 24, 25, 30 or 60",
        (fps * 1e3).round() / 1e3,
        (read * 1e3).round() / 1e3
    )]
    OtherRate { fps: f64, read: f64 },
    #[error("the clip lacks {count} shapes of ARKit, which are 0 in the file: {names}")]
    Lacking { count: usize, names: String },
    #[error("{count} numbers over time are not shapes of ARKit; they are left out: {names}")]
    NotHeld { count: usize, names: String },
    #[error("the format holds head and eyes only: {count} other joints are left out")]
    OtherJoints { count: usize },
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::DuplicateColumn { .. } => "livelink::duplicate-column",
            Problem::NoShapes => "livelink::no-shapes",
            Problem::NoRows => "livelink::no-rows",
            Problem::Rate { .. } => "livelink::rate",
            Problem::Columns { .. } => "livelink::columns",
            Problem::Timecode { .. } => "livelink::timecode",
            Problem::Backwards => "livelink::backwards",
            Problem::Number { .. } => "livelink::number",
            Problem::NotFinite { .. } => "livelink::not-finite",
            Problem::Model(_) => "livelink::model",
            Problem::NotArkit => "livelink::not-arkit",
            Problem::OtherColumns { .. } => "livelink::other-columns",
            Problem::Dropped { .. } => "livelink::dropped-frames",
            Problem::Repeated { .. } => "livelink::repeated-frames",
            Problem::Beyond { .. } => "livelink::beyond",
            Problem::RateAssumed { .. } => "livelink::rate-assumed",
            Problem::OtherRate { .. } => "livelink::other-rate",
            Problem::NotDropFrame => "livelink::not-drop-frame",
            Problem::Lacking { .. } => "livelink::lacking-shapes",
            Problem::NotHeld { .. } => "livelink::shapes-left-out",
            Problem::OtherJoints { .. } => "livelink::joints-left-out",
        }
    }

    fn remedy(&self) -> Option<crate::Remedy> {
        match self {
            Problem::NotFinite { .. } => Some(crate::Remedy::Repair),
            Problem::RateAssumed { .. } => Some(crate::Remedy::StateRate),
            _ => None,
        }
    }
}
