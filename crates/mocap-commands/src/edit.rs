//! Edits of a motion that was read.

use mocap::EditOptions;
use mocap_formats::{Limits, Remedy};
use mocap_model::{Clip, Skeleton, Unit};

use crate::diagnostic::Diagnostic;
use crate::options::Edits;

/// Applies all edits, within the size limits; adds assumptions to `warnings`, which say whether the first frame of the file
/// is a rest pose.
pub(crate) fn apply(
    edits: &Edits,
    limits: Limits,
    clip: Clip,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Clip, Diagnostic> {
    apply_after(edits, (limits, lead_in_of(warnings)), clip, warnings)
}

/// Number of lead-in frames of a file with these warnings.
pub(crate) fn lead_in_of(warnings: &[Diagnostic]) -> usize {
    usize::from(warnings.iter().any(|warning| warning.remedy == Some(Remedy::DropFirstFrame)))
}

/// As [`apply`], of a motion with a known number of lead-in frames.
pub(crate) fn apply_after(
    edits: &Edits,
    (limits, lead_in): (Limits, usize),
    clip: Clip,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Clip, Diagnostic> {
    let mut found = Vec::new();
    let edited = mocap::edit(clip, &EditOptions { limits, lead_in, ..edits.options() }, &mut found);
    warnings.extend(found.into_iter().map(Diagnostic::from));
    Ok(edited?)
}

/// Number of lead-in frames of the edited clip, if `clip` has `before` of them.
pub(crate) fn lead_in(edits: &Edits, clip: &Clip, before: usize) -> usize {
    edits.options().lead_in(clip, before)
}

/// The warning about a guessed unit.
pub(crate) fn guessed(skeleton: &Skeleton, unit: Unit) -> Diagnostic {
    let by_size = mocap::guess_warning(skeleton, unit).map(Diagnostic::from);
    by_size.unwrap_or_else(|| mocap::Problem::UnitGuessed { unit, adult: None }.into())
}
