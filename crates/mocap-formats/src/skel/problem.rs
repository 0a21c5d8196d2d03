//! What can be wrong with a `.skel` file, and with the skeleton in a JSON clip.

/// A problem of a `.skel` file; all but the last are errors.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("{path}: {message}")]
    Value { path: String, message: String },
    #[error("{path}: no joint is called '{name}'")]
    UnknownJoint { path: String, name: String },
    #[error("{path}: {error}")]
    Skeleton { path: String, error: mocap_model::ModelError },
    #[error("{path}: the quaternion has length {length}, not 1: it was normalized")]
    RotationLength { path: String, length: f64 },
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::Value { .. } => "skel::value",
            Problem::UnknownJoint { .. } => "skel::unknown-joint",
            Problem::Skeleton { .. } => "skel::skeleton",
            Problem::RotationLength { .. } => "skel::rotation-length",
        }
    }
}
