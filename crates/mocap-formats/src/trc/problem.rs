//! What can be wrong with a TRC file.

/// A problem of a TRC file; the last four are warnings.
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
    #[error("NumFrames is {stated}, but there are {found} rows: these were read")]
    Frames { stated: String, found: usize },
    #[error("NumMarkers is {stated}, but {found} markers have names: these were read")]
    MarkerCount { stated: String, found: usize },
    #[error("two markers are called '{name}': the second is now '{unique}'")]
    DuplicateName { name: String, unique: String },
    #[error("the row has {found} of {expected} columns: missing ones are gaps")]
    ShortRow { found: usize, expected: usize },
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
            Problem::Frames { .. } => "trc::frames",
            Problem::MarkerCount { .. } => "trc::marker-count",
            Problem::DuplicateName { .. } => "trc::duplicate-name",
            Problem::ShortRow { .. } => "trc::short-row",
        }
    }

    fn remedy(&self) -> Option<crate::Remedy> {
        match self {
            Problem::NotFinite { .. } => Some(crate::Remedy::Repair),
            Problem::NoUnit => Some(crate::Remedy::StateUnit),
            _ => None,
        }
    }
}
