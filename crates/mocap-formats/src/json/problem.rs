//! What can be wrong with a JSON clip, apart from its skeleton.

/// A problem of a JSON clip; all are errors.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("fps is {fps}: expected a number above 0")]
    Rate { fps: f64 },
    #[error("{path}: no joint is called '{name}'")]
    UnknownJoint { path: String, name: String },
    #[error("{path}: the joint '{name}' already has tracks")]
    RepeatedTrack { path: String, name: String },
    #[error("{path}: {found} values for {frames} frames; expected one per frame, or one for all")]
    Length { path: String, found: usize, frames: usize },
    #[error("{path}: {error}")]
    Clip { path: String, error: mocap_model::ModelError },
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::Rate { .. } => "json::rate",
            Problem::UnknownJoint { .. } => "json::unknown-joint",
            Problem::RepeatedTrack { .. } => "json::repeated-track",
            Problem::Length { .. } => "json::length",
            Problem::Clip { .. } => "json::clip",
        }
    }
}
