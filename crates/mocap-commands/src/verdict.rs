//! Impossible results are errors: they are not written, unless `--force` is given.

use mocap_analysis::Verdict;

use crate::diagnostic::Diagnostic;

/// Adds verdicts to the warnings.
pub(crate) fn warn(verdicts: &[Verdict], warnings: &mut Vec<Diagnostic>) {
    warnings.extend(verdicts.iter().map(|verdict| Diagnostic::new(verdict.code, verdict.message.clone())));
}

/// Adds verdicts to the errors if they are impossible, else to the warnings; with `force`, all are warnings.
pub(crate) fn sort(
    verdicts: Vec<Verdict>,
    force: bool,
    errors: &mut Vec<Diagnostic>,
    warnings: &mut Vec<Diagnostic>,
) {
    for Verdict { code, message, impossible } in verdicts {
        match impossible && !force {
            true => errors.push(Diagnostic::gate(code, message).help(
                "the file was misread or is broken, so nothing was written; --force writes it all the same",
            )),
            false => warnings.push(Diagnostic::new(code, message)),
        }
    }
}
