//! Errors of this crate.

use mocap_model::ModelError;

/// Why two motions cannot be compared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum AnalysisError {
    #[error("the reference has {reference} joints and end sites, the other motion {other}")]
    JointCount { reference: usize, other: usize },
    #[error("joint {index} is '{reference}' in the reference and '{other}' in the other motion")]
    JointName { index: usize, reference: String, other: String },
    #[error("the parent of joint '{joint}' is {reference} in the reference and {other} in the other motion")]
    JointParent { joint: String, reference: String, other: String },
    #[error("the reference has {reference} frames, the other motion {other}")]
    FrameCount { reference: usize, other: usize },
    #[error("the shell distance {shell} is not a length")]
    Shell { shell: f64 },
    #[error("the other motion cannot be converted to the space of the reference: {0}")]
    Space(#[from] ModelError),
}
