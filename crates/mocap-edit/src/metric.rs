//! Converts motions of different files to metres with Y up and Z forward, and back.

use mocap_model::{Clip, Space, Unit, UnitSource};

use crate::EditError;

/// Metres per unit of a motion.
pub(crate) fn metres_of(clip: &Clip, edit: &'static str) -> Result<f64, EditError> {
    crate::body::Body::of(clip).metres.ok_or(EditError::NoUnit { edit })
}

/// A motion in metres with Y up and Z forward; `metres` is the length of its unit.
pub(crate) fn in_metres(clip: &Clip, metres: f64, edit: &'static str) -> Result<Clip, EditError> {
    let failed = |error| EditError::model(edit, error);
    let unit = Some(Unit { metres, source: UnitSource::Flag });
    let stated = clip.skeleton().with_space(Space { unit, ..*clip.skeleton().space() });
    let clip = clip.clone().with_skeleton(stated.into()).map_err(failed)?;
    let unit = Some(Unit { metres: 1.0, source: UnitSource::Flag });
    clip.in_space(Space { unit, ..Space::default() }).map_err(failed)
}

/// Converts a motion in metres back to a space; `metres` is the length of its unit.
pub(crate) fn back(
    clip: &Clip,
    (space, metres): (Space, f64),
    edit: &'static str,
) -> Result<Clip, EditError> {
    let failed = |error| EditError::model(edit, error);
    let unit = Some(Unit { metres, source: UnitSource::Flag });
    let clip = clip.in_space(Space { unit, ..space }).map_err(failed)?;
    let skeleton = clip.skeleton().with_space(space);
    clip.with_skeleton(skeleton.into()).map_err(failed)
}
