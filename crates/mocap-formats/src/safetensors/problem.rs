//! What can be wrong with a safetensors file as a container.

/// A problem of a safetensors file; all are errors.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("the header of {found} bytes does not fit the file")]
    HeaderLength { found: u64 },
    #[error("the header is not a list of tensors: {message}")]
    Header { message: String },
    #[error("{tensor}: {message}")]
    Tensor { tensor: String, message: String },
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::HeaderLength { .. } => "safetensors::header-length",
            Problem::Header { .. } => "safetensors::header",
            Problem::Tensor { .. } => "safetensors::tensor",
        }
    }
}
