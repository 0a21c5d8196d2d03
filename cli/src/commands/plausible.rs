//! Results that cannot be right: errors before anything is written, warnings where they are only doubtful.

use mocap_analysis::Implausible;

use crate::diagnostic::Diagnostic;

/// What to do about a result that is not written.
const FORCE: &str = "nothing was written; --force writes it all the same";

/// Sorts findings on a result: errors are returned unless they are forced, all else becomes a warning.
pub(crate) fn judge(
    found: impl IntoIterator<Item = Implausible>,
    force: bool,
    warnings: &mut Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for found in found {
        match found.is_error() && !force {
            true => errors.push(Diagnostic::gate(found.code(), found.to_string()).help(FORCE)),
            false => warnings.push(warning(&found)),
        }
    }
    errors
}

/// A finding on what was read, as a warning.
pub(crate) fn warning(found: &Implausible) -> Diagnostic {
    Diagnostic::new(found.code(), found.to_string())
}
