//! What can be wrong with a C3D file.

/// A problem of a C3D file; from [`Problem::ParameterPointer`] on they are warnings. `path` is `GROUP:PARAMETER`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("this is not a C3D file: it does not start with the number of a block and 0x50")]
    NotC3d,
    #[error("the parameters start in block {block}, behind the end of the file")]
    NoParameters { block: u8 },
    #[error("processor type {found} is not known; expected 84 (Intel), 85 (DEC) or 86 (MIPS)")]
    Processor { found: u8 },
    #[error("{path}: {message}")]
    Parameter { path: String, message: String },
    #[error("the file holds no points (POINT:USED is 0)")]
    NoPoints,
    #[error("the coordinate is {value}, which is not a position")]
    NotFinite { value: f64 },
    #[error("{path}: {error}")]
    Markers { path: String, error: mocap_model::ModelError },
    #[error("C3D files hold at most {limit} {what}; this recording has {found}")]
    TooMany { what: &'static str, found: usize, limit: usize },
    #[error("the {what} {value:e} does not fit into a C3D file: its numbers reach to {limit:e}")]
    TooLarge { what: &'static str, value: f64, limit: f32 },
    #[error(
        "the entry behind parameter '{name}' would start at byte {at}, behind the parameters, which end at byte {end}: no \
         more were read"
    )]
    ParameterPointer { name: String, at: usize, end: usize },
    #[error("the file ends early: {found} of {expected} frames were read")]
    Truncated { found: usize, expected: usize },
    #[error("{path} is {parameter}, the header says {header}: the parameter was used")]
    HeaderDiffers { path: String, parameter: String, header: String },
    #[error(
        "POINT:FRAMES cannot hold more than 65535; by its length the file has {found} frames: these were read"
    )]
    LongFile { found: usize },
    #[error("the file states no frame rate: 100 fps was assumed")]
    NoRate,
    #[error("POINT:LABELS has {labels} names for {points} points: the others were called marker_N")]
    Labels { labels: usize, points: usize },
    #[error("two points are called '{name}': the second is now '{unique}'")]
    DuplicateName { name: String, unique: String },
    #[error(
        "C3D files hold names of at most {limit} bytes: the marker '{name}' is called '{label}' in the file"
    )]
    NameShortened { name: String, limit: usize, label: String },
    #[error("the coordinate is {value}, which is not a position: it is a gap")]
    Repaired { value: f64 },
    #[error("POINT:UNITS is '{name}', an unknown unit of length")]
    UnknownUnit { name: String },
    #[error("EVENT:USED is {stated}, but {found} events have a time that is a number: these were read")]
    Events { stated: usize, found: usize },
    #[error("{channels} analog channels were not read")]
    Analog { channels: usize },
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::NotC3d => "c3d::magic",
            Problem::NoParameters { .. } => "c3d::no-parameters",
            Problem::Processor { .. } => "c3d::processor",
            Problem::Parameter { .. } => "c3d::parameter",
            Problem::NoPoints => "c3d::no-points",
            Problem::NotFinite { .. } => "c3d::not-finite",
            Problem::Markers { .. } => "c3d::markers",
            Problem::TooMany { .. } => "c3d::too-many",
            Problem::TooLarge { .. } => "c3d::too-large",
            Problem::ParameterPointer { .. } => "c3d::parameter-pointer",
            Problem::Truncated { .. } => "c3d::truncated",
            Problem::HeaderDiffers { .. } => "c3d::header-differs",
            Problem::LongFile { .. } => "c3d::long-file",
            Problem::NoRate => "c3d::no-rate",
            Problem::Labels { .. } => "c3d::labels",
            Problem::DuplicateName { .. } => "c3d::duplicate-name",
            Problem::NameShortened { .. } => "c3d::name-shortened",
            Problem::Repaired { .. } => "c3d::repaired",
            Problem::UnknownUnit { .. } => "c3d::unknown-unit",
            Problem::Events { .. } => "c3d::events",
            Problem::Analog { .. } => "c3d::analog",
        }
    }

    fn remedy(&self) -> Option<crate::Remedy> {
        match self {
            Problem::NotFinite { .. } => Some(crate::Remedy::RepairToGaps),
            Problem::UnknownUnit { .. } => Some(crate::Remedy::StateUnit),
            Problem::NoRate => Some(crate::Remedy::StateRate),
            _ => None,
        }
    }
}
