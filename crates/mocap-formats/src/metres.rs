//! The space of formats of scenes: metres, Y up, characters look along Z.

use std::borrow::Cow;

use mocap_model::{Clip, ModelError, SignedAxis, Space, Unit, UnitSource};

use crate::{Finding, Remedy};

/// What can be wrong with the lengths of a clip that is written in metres.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum MetresProblem {
    // A warning.
    #[error("the unit of lengths is unknown: they are written as metres")]
    UnitUnknown,
    // An error.
    #[error("lengths cannot be written in metres: {0}")]
    Overflow(ModelError),
}

impl crate::Problem for MetresProblem {
    fn code(&self) -> &'static str {
        match self {
            MetresProblem::UnitUnknown => "metres::unit-unknown",
            MetresProblem::Overflow(_) => "metres::overflow",
        }
    }

    fn remedy(&self) -> Option<Remedy> {
        matches!(self, MetresProblem::UnitUnknown).then_some(Remedy::StateUnit)
    }
}

/// Metres, Y up, characters look along Z.
pub(crate) fn space() -> Space {
    let unit = Some(Unit { metres: 1.0, source: UnitSource::File });
    Space { up: SignedAxis::Y, forward: SignedAxis::Z, unit }
}

/// The clip in that space. Warns, once, where the unit is not known.
pub(crate) fn in_metres<'c>(
    clip: Cow<'c, Clip>,
    warnings: &mut Vec<Finding>,
) -> Result<Cow<'c, Clip>, Finding> {
    if clip.skeleton().space().unit.is_none() && warnings.is_empty() {
        warnings.push(Finding::new(MetresProblem::UnitUnknown));
    }
    if *clip.skeleton().space() == space() {
        return Ok(clip);
    }
    let moved = clip.in_space(space());
    Ok(Cow::Owned(moved.map_err(|error| Finding::new(MetresProblem::Overflow(error)))?))
}
