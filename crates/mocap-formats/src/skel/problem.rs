//! What can be wrong with a `.skel` file, and with the skeleton in a JSON clip.

/// A problem of a `.skel` file; all but the last are errors.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("this is {what}, not a skeleton of this program")]
    OtherProgram { what: &'static str },
    #[error("this is not JSON of this format: {message}")]
    Syntax { message: String },
    #[error("{path}: {message}")]
    Field { path: String, message: String },
    #[error("the format is '{found}', expected '{expected}'")]
    Format { found: String, expected: &'static str },
    #[error("version {found} of the format is newer than this program, which reads up to version {known}")]
    Version { found: u32, known: u32 },
    #[error("{path}: {message}")]
    Value { path: String, message: String },
    #[error("{path}: no joint is called '{name}'")]
    UnknownJoint { path: String, name: String },
    #[error("{path}: {error}")]
    Skeleton { path: String, error: mocap_model::ModelError },
    #[error("{path}: the quaternion is {length} long, not 1: it is scaled")]
    RotationLength { path: String, length: f64 },
}

impl Problem {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Problem::OtherProgram { .. } => "skel::other-program",
            Problem::Syntax { .. } => "skel::syntax",
            Problem::Field { .. } => "skel::field",
            Problem::Format { .. } => "skel::format",
            Problem::Version { .. } => "skel::version",
            Problem::Value { .. } => "skel::value",
            Problem::UnknownJoint { .. } => "skel::unknown-joint",
            Problem::Skeleton { .. } => "skel::skeleton",
            Problem::RotationLength { .. } => "skel::rotation-length",
        }
    }
}
