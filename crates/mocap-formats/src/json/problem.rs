//! What can be wrong with a JSON clip, apart from its skeleton.

/// A problem of a JSON clip; all are errors.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("this is {what}, not a clip of this program")]
    OtherProgram { what: &'static str },
    #[error("this is not JSON of this format: {message}")]
    Syntax { message: String },
    #[error("{path}: {message}")]
    Field { path: String, message: String },
    #[error("the format is '{found}', expected '{expected}'")]
    Format { found: String, expected: &'static str },
    #[error("version {found} of the format is newer than this program, which reads up to version {known}")]
    Version { found: u32, known: u32 },
    #[error("fps is {fps}: a number above 0 is expected")]
    Rate { fps: f64 },
    #[error("{path}: no joint is called '{name}'")]
    UnknownJoint { path: String, name: String },
    #[error("{path}: the joint '{name}' has tracks before")]
    RepeatedTrack { path: String, name: String },
    #[error("{path}: {found} values for {frames} frames; one a frame is expected, or one for all")]
    Length { path: String, found: usize, frames: usize },
    #[error("{path}: {error}")]
    Clip { path: String, error: mocap_model::ModelError },
}

impl Problem {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Problem::OtherProgram { .. } => "json::other-program",
            Problem::Syntax { .. } => "json::syntax",
            Problem::Field { .. } => "json::field",
            Problem::Format { .. } => "json::format",
            Problem::Version { .. } => "json::version",
            Problem::Rate { .. } => "json::rate",
            Problem::UnknownJoint { .. } => "json::unknown-joint",
            Problem::RepeatedTrack { .. } => "json::repeated-track",
            Problem::Length { .. } => "json::length",
            Problem::Clip { .. } => "json::clip",
        }
    }
}
