//! Edits of a motion that was read.

use mocap::EditOptions;
use mocap_formats::Limits;
use mocap_model::{Clip, Unit};

use crate::diagnostic::Diagnostic;
use crate::options::Edits;

/// The motion with all edits, of a size within the limits; assumptions are added to `warnings`.
pub(crate) fn apply(
    edits: &Edits,
    limits: Limits,
    clip: Clip,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Clip, Diagnostic> {
    let mut found = Vec::new();
    let edited = mocap::edit(clip, &EditOptions { limits, ..edits.options() }, &mut found);
    warnings.extend(found.into_iter().map(Diagnostic::from));
    Ok(edited?)
}

/// The number of frames at the start of the edited clip that are not motion, where `before` of `clip` are.
pub(crate) fn lead_in(edits: &Edits, clip: &Clip, before: usize) -> usize {
    edits.options().lead_in(clip, before)
}

/// The warning that a unit was guessed.
pub(crate) fn guessed(unit: Unit) -> Diagnostic {
    mocap::Problem::UnitGuessed { unit }.into()
}
