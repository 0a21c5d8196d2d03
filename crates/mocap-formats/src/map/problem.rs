//! What can be wrong with a map file.

use mocap_model::Role;

/// A problem of a map file; all are errors.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("{path}: '{name}' is not a role{}", meant(nearest))]
    UnknownRole { path: String, name: String, nearest: Option<String> },
    #[error("{path}: the {which} has no joint '{name}'{}", meant(nearest))]
    UnknownJoint { path: String, which: &'static str, name: String, nearest: Option<String> },
    #[error("{path}: '{name}' of the {which} is an end site, which does not move")]
    EndSite { path: String, which: &'static str, name: String },
    #[error("{path}: {role} is listed twice")]
    RepeatedRole { path: String, role: Role },
    #[error("{path}: the joint '{name}' of the {which} is already mapped in {before}")]
    RepeatedJoint { path: String, which: &'static str, name: String, before: String },
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::UnknownRole { .. } => "map::unknown-role",
            Problem::UnknownJoint { .. } => "map::unknown-joint",
            Problem::EndSite { .. } => "map::end-site",
            Problem::RepeatedRole { .. } => "map::repeated-role",
            Problem::RepeatedJoint { .. } => "map::repeated-joint",
        }
    }
}

fn meant(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |nearest| format!("; did you mean '{nearest}'?"))
}
