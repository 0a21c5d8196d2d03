//! What can be wrong with the motion of an SMPL body.

/// A problem of an SMPL file; the last two are warnings.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error(
        "{path} has shape {}; expected (frames, 3 · joints) with 22, 24, 52 or 55 joints",
        crate::arrays::shape(found)
    )]
    Joints { path: String, found: Vec<usize> },
    #[error("the skeleton is not that of an SMPL body: it has no joint '{joint}'")]
    OtherSkeleton { joint: &'static str },
    #[error(
        "the skeleton is not that of an SMPL body: '{joint}' is below {found}, expected below '{expected}'"
    )]
    OtherParent { joint: &'static str, found: String, expected: &'static str },
    #[error("the rest pose of the skeleton is not that of an SMPL body: a T-pose with Y up and Z forward")]
    OtherRest,
    #[error("the unit of lengths is unknown, and SMPL files are in metres")]
    NoUnit,
    #[error("{path} is {used}, {other} is {found}: {used} frames per second were used")]
    Rates { path: String, used: f64, other: String, found: f64 },
    #[error("SMPL files have Z up, but this body stands along +Y")]
    YUp,
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::Joints { .. } => "smpl::joints",
            Problem::OtherSkeleton { .. } | Problem::OtherParent { .. } => "smpl::other-skeleton",
            Problem::OtherRest => "smpl::other-rest",
            Problem::NoUnit => "smpl::no-unit",
            Problem::Rates { .. } => "smpl::rates",
            Problem::YUp => "smpl::y-up",
        }
    }

    fn remedy(&self) -> Option<crate::Remedy> {
        match self {
            Problem::NoUnit => Some(crate::Remedy::StateUnit),
            Problem::Rates { .. } => Some(crate::Remedy::StateRate),
            Problem::YUp => Some(crate::Remedy::StateUp),
            _ => None,
        }
    }
}
