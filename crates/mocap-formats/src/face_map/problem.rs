//! What can be wrong with a map of faces.

/// A problem of a map of faces; all are errors.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("{path}: the {which} has no shape '{name}'{}", meant(nearest))]
    UnknownShape { path: String, which: &'static str, name: String, nearest: Option<String> },
    #[error("{path}: '{name}' is listed twice")]
    Repeated { path: String, name: String },
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::UnknownShape { .. } => "face-map::unknown-shape",
            Problem::Repeated { .. } => "face-map::repeated",
        }
    }
}

fn meant(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |nearest| format!("; did you mean '{nearest}'?"))
}
