//! What can be wrong with a motion whatever its format.

use mocap_compress::CompressError;
use mocap_formats::Remedy;
use mocap_model::{SignedAxis, Unit};

/// A problem of a motion file that no reader of one format can see.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    // Errors.
    #[error("this is no compressed clip{}", if *named { ", whatever its name says" } else { "" })]
    NotCompressed { named: bool },
    #[error("{0}")]
    Compressed(CompressError),
    #[error("{reason}")]
    NoSkeleton { reason: String },
    #[error("--drop-first-frame leaves no frame: the motion has {frames}")]
    NoFrameLeft { frames: usize },
    #[error("the unit of lengths is not known: neither the file nor the size of the skeleton tell it")]
    UnitUnknown,

    // Warnings.
    #[error("the unit was taken to be {}, from the size of the skeleton", unit_name(unit))]
    UnitGuessed { unit: Unit },
    #[error("the body stands along {}, and {} is taken to be up", signed(*body), signed(*taken))]
    UpUnlikely { body: SignedAxis, taken: SignedAxis },
}

/// The usual name of a unit, else its length in metres.
pub fn unit_name(unit: &Unit) -> String {
    unit.name().map_or_else(|| format!("{} m", unit.metres), str::to_owned)
}

/// With its sign, whichever it is.
fn signed(axis: SignedAxis) -> String {
    if axis.negative { axis.to_string() } else { format!("+{axis}") }
}

impl mocap_formats::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::NotCompressed { .. } => "mocz::magic",
            Problem::Compressed(error) => error.code(),
            Problem::NoSkeleton { .. } => "amc::no-skeleton",
            Problem::NoFrameLeft { .. } => "edit::no-frames",
            Problem::UnitUnknown => "unit::unknown",
            Problem::UnitGuessed { .. } => "unit::guessed",
            Problem::UpUnlikely { .. } => "space::up-unlikely",
        }
    }

    fn remedy(&self) -> Option<Remedy> {
        match self {
            Problem::NoSkeleton { .. } => Some(Remedy::NameSkeleton),
            Problem::UnitUnknown | Problem::UnitGuessed { .. } => Some(Remedy::StateUnit),
            Problem::UpUnlikely { .. } => Some(Remedy::StateUp),
            _ => None,
        }
    }
}
