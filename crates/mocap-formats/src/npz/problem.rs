//! What can be wrong with an NPZ file as a container.

/// A problem of an NPZ file; the last is a warning. What its arrays hold is checked by
/// [`arrays::Problem`](crate::arrays::Problem).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("the zip archive is cut off or damaged: its directory cannot be read")]
    Truncated,
    #[error("{path}: {message}")]
    Member { path: String, message: String },
    #[error("{path} holds pickled Python objects, which are never read: it was skipped")]
    Object { path: String },
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::Truncated => "npz::truncated",
            Problem::Member { .. } => "npz::member",
            Problem::Object { .. } => "npz::object",
        }
    }
}
