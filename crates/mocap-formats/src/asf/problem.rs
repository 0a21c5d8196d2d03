//! What can be wrong with an ASF file.

/// A problem of an ASF file. The comments between the variants separate errors, which stop the reader, from warnings.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    // Errors.
    #[error("found '{found}' where an ASF file has a keyword such as ':version' or ':bonedata'")]
    NotAsf { found: String },
    #[error("the file has no '{section}' section")]
    MissingSection { section: &'static str },
    #[error("expected {what}, found {found}")]
    Expected { what: &'static str, found: String },
    #[error("'{found}' is not a finite number")]
    NotFinite { found: String },
    #[error("'{found}' is not a channel: channels are tx, ty, tz, rx, ry, rz and l")]
    UnknownDof { found: String },
    #[error("'{found}' is not a rotation order: expected each of X, Y and Z once, such as XYZ")]
    AxisOrder { found: String },
    #[error("the bone has no '{field}'")]
    MissingField { field: &'static str },
    #[error("the name '{name}' is that of another bone or of the root; names are unique")]
    DuplicateBone { name: String },
    #[error("':hierarchy' names '{name}', but ':bonedata' has no such bone")]
    UnknownBone { name: String },
    #[error("the bone has two parents: '{first}' and '{second}'")]
    TwoParents { first: String, second: String },
    #[error("the bone is not connected to the root in ':hierarchy'")]
    Unattached,
    #[error("{0}")]
    Skeleton(mocap_model::ModelError),

    // Warnings.
    #[error("the unit of angles is '{found}', neither 'deg' nor 'rad': degrees are assumed")]
    AngleUnit { found: String },
    #[error("'{found}' is not a field of {section}: the line is skipped")]
    UnknownField { found: String, section: &'static str },
    #[error("'{keyword}' is not a section of an ASF file: it is kept as text and has no effect")]
    UnknownSection { keyword: String },
    #[error("the bone has no 'axis': its channels rotate about the axes of the file")]
    NoAxis,
    #[error("the axis has no rotation order: XYZ is assumed")]
    NoAxisOrder,
    #[error("the bone ends without 'end'")]
    MissingEnd,
    #[error(
        "the direction has length {length}, not 1: the format defines the bone as direction times length"
    )]
    Direction { length: f64 },
    #[error("the channel '{dof}' is listed twice: the second one's values are skipped")]
    RepeatedDof { dof: String },
    #[error("the bone has {found} limits for {expected} channels: they are assigned in order")]
    LimitCount { found: usize, expected: usize },
    #[error("the limits of '{dof}' are (0 0): it is treated as unlimited, not as locked")]
    ZeroLimit { dof: String },
    #[error("the limits of '{dof}' run from {min} to {max}: they were swapped")]
    LimitOrder { dof: String, min: f64, max: f64 },

    // Warnings about skeletons that become ASF files.
    #[error("the root is called 'root' in an ASF file, not '{name}'")]
    RootRenamed { name: String },
    #[error("the joint is called '{name}' in the ASF file, where names are unique and have no blanks")]
    Renamed { name: String },
    #[error("the skeleton has {count} roots: they become bones of one root that does not move")]
    SeveralRoots { count: usize },
    #[error(
        "the rotation order {order} rotates twice about one axis, which ASF cannot express: ZYX is written"
    )]
    EulerOrder { order: String },
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::NotAsf { .. } => "asf::not-asf",
            Problem::MissingSection { .. } => "asf::missing-section",
            Problem::Expected { .. } => "asf::expected",
            Problem::NotFinite { .. } => "asf::not-finite",
            Problem::UnknownDof { .. } => "asf::unknown-dof",
            Problem::AxisOrder { .. } => "asf::axis-order",
            Problem::MissingField { .. } => "asf::missing-field",
            Problem::DuplicateBone { .. } => "asf::duplicate-bone",
            Problem::UnknownBone { .. } => "asf::unknown-bone",
            Problem::TwoParents { .. } => "asf::two-parents",
            Problem::Unattached => "asf::unattached-bone",
            Problem::Skeleton(_) => "asf::skeleton",
            Problem::AngleUnit { .. } => "asf::angle-unit",
            Problem::UnknownField { .. } => "asf::unknown-field",
            Problem::UnknownSection { .. } => "asf::unknown-section",
            Problem::NoAxis => "asf::no-axis",
            Problem::NoAxisOrder => "asf::no-axis-order",
            Problem::MissingEnd => "asf::missing-end",
            Problem::Direction { .. } => "asf::direction-length",
            Problem::RepeatedDof { .. } => "asf::repeated-dof",
            Problem::LimitCount { .. } => "asf::limit-count",
            Problem::ZeroLimit { .. } => "asf::zero-limit",
            Problem::LimitOrder { .. } => "asf::limit-order",
            Problem::RootRenamed { .. } => "asf::root-renamed",
            Problem::Renamed { .. } => "asf::renamed",
            Problem::SeveralRoots { .. } => "asf::several-roots",
            Problem::EulerOrder { .. } => "asf::euler-order",
        }
    }
}
