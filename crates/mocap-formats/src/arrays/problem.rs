//! What can be wrong with the arrays of a motion.

/// A problem of named arrays; the last four are warnings.
///
/// `path` names the array, and in an NPZ file the member that holds it: `rotations.npy`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("{path} is missing: a motion needs it; the file has {found}")]
    Missing { path: String, found: String },
    #[error("{path} has shape {}, expected {expected}", shape(found))]
    Shape { path: String, found: Vec<usize>, expected: String },
    #[error("{path} holds {found}, expected {expected}")]
    Kind { path: String, found: &'static str, expected: &'static str },
    #[error("{path}{index}: {value} is not a number that can be used; expected a finite one")]
    NotFinite { path: String, index: String, value: f64 },
    #[error("{path}{index}: {value:e} does not fit into 32 bits")]
    TooLarge { path: String, index: String, value: f64 },
    #[error("{path}{index}: {message}")]
    Value { path: String, index: String, message: String },
    #[error("{name} is not that of the other clips: a set holds clips of one skeleton, rate and encoding")]
    OfAnotherSet { name: String },
    #[error("{clip}: {problem}")]
    OfClip { clip: String, problem: Box<Problem> },
    #[error("{path}: {error}")]
    Model { path: String, error: mocap_model::ModelError },
    #[error("{path}{index}: the quaternion has length {length}, not 1: it was normalized")]
    RotationLength { path: String, index: String, length: f64 },
    #[error("{path}{index}: two markers are called '{name}': the second is now '{unique}'")]
    DuplicateName { path: String, index: String, name: String, unique: String },
    #[error("{path} does not agree with {with}: it was ignored")]
    Disagrees { path: String, with: &'static str },
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::Missing { .. } => "arrays::missing",
            Problem::Shape { .. } => "arrays::shape",
            Problem::Kind { .. } => "arrays::kind",
            Problem::NotFinite { .. } => "arrays::not-finite",
            Problem::TooLarge { .. } => "arrays::too-large",
            Problem::Value { .. } => "arrays::value",
            Problem::OfAnotherSet { .. } => "arrays::of-another-set",
            Problem::OfClip { problem, .. } => problem.code(),
            Problem::Model { .. } => "arrays::model",
            Problem::RotationLength { .. } => "arrays::rotation-length",
            Problem::DuplicateName { .. } => "arrays::duplicate-name",
            Problem::Disagrees { .. } => "arrays::disagrees",
        }
    }
}

/// A shape as Python writes it.
pub(crate) fn shape(lengths: &[usize]) -> String {
    match lengths {
        [only] => format!("({only},)"),
        many => format!("({})", many.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// An index as Python writes it.
pub(crate) fn index(at: usize, shape: &[usize]) -> String {
    let mut rest = at;
    let mut indices: Vec<String> = Vec::with_capacity(shape.len());
    for length in shape.iter().rev() {
        indices.push((rest % length.max(&1)).to_string());
        rest /= length.max(&1);
    }
    indices.reverse();
    if indices.is_empty() { String::new() } else { format!("[{}]", indices.join(", ")) }
}
