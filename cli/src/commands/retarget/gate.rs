//! Gates that a report does not pass: `--fail-above slide=0.05,penetration=0.01`.

use mocap_retarget::MissedGate;

use crate::diagnostic::Diagnostic;

/// When there is something to measure.
const MEASURED: &str = "feet and limbs are measured if both skeletons have legs and a foot contact exists, violations \
     without --no-limits, ratios if the source's figure is not 0";

/// The error of a missed gate.
pub(crate) fn missed(missed: MissedGate) -> Diagnostic {
    let diagnostic = Diagnostic::gate(missed.code(), missed.to_string());
    match missed {
        MissedGate::NotMeasured { .. } => diagnostic.help(MEASURED),
        MissedGate::Above { .. } => diagnostic,
    }
}
