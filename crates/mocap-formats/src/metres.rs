//! The space of scene formats: metres, Y up, characters face along Z.

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
    // An error.
    #[error("{what} of up to {value:.1e} do not fit in the single precision of the format")]
    SinglePrecision { what: &'static str, value: f64 },
    // An error.
    #[error(transparent)]
    Mesh(mocap_skin::SkinError),
}

impl crate::Problem for MetresProblem {
    fn code(&self) -> &'static str {
        match self {
            MetresProblem::UnitUnknown => "metres::unit-unknown",
            MetresProblem::Mesh(_) => "mesh::damaged",
            MetresProblem::Overflow(_) | MetresProblem::SinglePrecision { .. } => "metres::overflow",
        }
    }

    fn remedy(&self) -> Option<Remedy> {
        matches!(self, MetresProblem::UnitUnknown).then_some(Remedy::StateUnit)
    }
}

/// Metres, Y up, characters face along Z.
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
    let moved = match *clip.skeleton().space() == space() {
        true => clip,
        false => {
            let moved = clip.into_owned().into_space(space());
            Cow::Owned(moved.map_err(|error| Finding::new(MetresProblem::Overflow(error)))?)
        }
    };
    check_single_precision(&moved)?;
    Ok(moved)
}

/// Times above this may overflow single precision.
const LARGEST: f64 = 1e34;

/// Whether times fit in single precision. Lengths do: see [`Space::FARTHEST`].
pub(crate) fn check_single_precision(clip: &Clip) -> Result<(), Finding> {
    let value = clip.duration();
    match value > LARGEST {
        true => Err(Finding::new(MetresProblem::SinglePrecision { what: "times", value })),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Format, WriteOptions, write};

    #[test]
    fn lengths_that_are_too_far_in_metres_are_refused() {
        let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
        let unit = Some(mocap_model::Unit { metres: 1e30, source: mocap_model::UnitSource::Flag });
        let stated = clip.skeleton().with_space(mocap_model::Space { unit, ..*clip.skeleton().space() });
        let far = clip.clone().with_skeleton(stated.into()).unwrap();
        for format in [Format::Glb, Format::Gltf, Format::Fbx, Format::Usda] {
            assert!(write(&clip, format, &WriteOptions::default()).is_ok(), "{format}");
            let refused = write(&far, format, &WriteOptions::default()).unwrap_err();
            // FBX is in centimetres.
            let code = if format == Format::Fbx { "fbx::clip" } else { "metres::overflow" };
            assert_eq!(refused.code(), code, "{format}");
            assert!(refused.to_string().contains("beyond 1e12"), "{refused}");
        }
    }
}
