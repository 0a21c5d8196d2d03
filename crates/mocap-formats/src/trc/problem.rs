//! What can be wrong with a TRC file.

/// A problem of a TRC file; those from `Repaired` on are warnings.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("the file lacks {what}")]
    Missing { what: &'static str },
    #[error("'{text}' is not a number")]
    Number { text: String },
    #[error("the coordinate is {value}, which is not a position")]
    NotFinite { value: f64 },
    #[error("the row has {found} columns, expected {expected}")]
    Columns { found: usize, expected: usize },
    #[error("{0}")]
    Markers(mocap_model::ModelError),
    #[error("TRC files state the unit of lengths; this recording has none")]
    NoUnit,
    #[error("the coordinate is {value}, which is not a position: it is a gap")]
    Repaired { value: f64 },
    #[error("Units is '{name}', an unknown unit of length")]
    UnknownUnit { name: String },
    #[error("NumFrames is {stated}, but there are {found} rows: these were read")]
    Frames { stated: String, found: usize },
    #[error("NumMarkers is {stated}, but {found} markers have names: these were read")]
    MarkerCount { stated: String, found: usize },
    #[error("two markers are called '{name}': the second is now '{unique}'")]
    DuplicateName { name: String, unique: String },
    #[error("the row has {found} of {expected} columns: missing ones are gaps")]
    ShortRow { found: usize, expected: usize },
    #[error("{} no row: their markers are gaps", have(*count, "frame"))]
    MissingRows { count: u64 },
    #[error(
        "DataRate is {stated}, but the times of the rows are those of {found} frames per second, which count"
    )]
    Rate { stated: f64, found: f64 },
    #[error(
        "the times of the rows are not those of a constant rate: the numbers of frames and DataRate count"
    )]
    Times,
    #[error("the numbers of frames contradict the order or the times of the rows: they do not count")]
    FrameNumbers,
}

fn have(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what} has") } else { format!("{count} {what}s have") }
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::Missing { .. } => "trc::missing",
            Problem::Number { .. } => "trc::number",
            Problem::NotFinite { .. } => "trc::not-finite",
            Problem::Columns { .. } => "trc::columns",
            Problem::Markers(_) => "trc::markers",
            Problem::NoUnit => "trc::no-unit",
            Problem::Repaired { .. } => "trc::repaired",
            Problem::UnknownUnit { .. } => "trc::unknown-unit",
            Problem::Frames { .. } => "trc::frames",
            Problem::MarkerCount { .. } => "trc::marker-count",
            Problem::DuplicateName { .. } => "trc::duplicate-name",
            Problem::ShortRow { .. } => "trc::short-row",
            Problem::MissingRows { .. } => "trc::missing-rows",
            Problem::Rate { .. } => "trc::rate",
            Problem::Times => "trc::times",
            Problem::FrameNumbers => "trc::frame-numbers",
        }
    }

    fn remedy(&self) -> Option<crate::Remedy> {
        match self {
            Problem::NotFinite { .. } => Some(crate::Remedy::RepairToGaps),
            Problem::NoUnit | Problem::UnknownUnit { .. } => Some(crate::Remedy::StateUnit),
            Problem::Rate { .. } => Some(crate::Remedy::StateRate),
            _ => None,
        }
    }
}
