//! Edits of a motion that was read.

use mocap::EditOptions;
use mocap_formats::Limits;
use mocap_model::{Clip, Unit};

use crate::diagnostic::Diagnostic;
use crate::options::Edits;

/// Applies all edits, within the size limits; adds assumptions to `warnings`.
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

/// Number of lead-in frames of the edited clip, if `clip` has `before` of them.
pub(crate) fn lead_in(edits: &Edits, clip: &Clip, before: usize) -> usize {
    edits.options().lead_in(clip, before)
}

/// The warning about a guessed unit.
pub(crate) fn guessed(unit: Unit) -> Diagnostic {
    mocap::Problem::UnitGuessed { unit }.into()
}
