//! Gates on the figures of a report: `--fail-above slide=0.05,penetration=0.01`.

use mocap_retarget::{RetargetMetric as Metric, RetargetReport as Report};
use serde::Serialize;

use crate::args::Gate;
use crate::diagnostic::Diagnostic;

/// What a gate found.
#[derive(Clone, Copy, Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Checked {
    pub(crate) metric: &'static str,
    /// `null` where nothing was measured, which no gate passes.
    pub(crate) value: Option<f64>,
    pub(crate) limit: f64,
    pub(crate) passed: bool,
}

/// Holds a report against all gates.
pub(crate) fn check(gates: &[Gate], report: &Report) -> Vec<Checked> {
    let checked = gates.iter().map(|gate| {
        let value = gate.metric.of(report);
        let passed = value.is_some_and(|value| value <= gate.limit);
        Checked { metric: gate.metric.name, value, limit: gate.limit, passed }
    });
    checked.collect()
}

/// When there is something to measure.
const MEASURED: &str = "feet and limbs are measured where both skeletons have legs and frames to stand in, violations \
     without --no-limits, ratios where the source's figure is not 0";

/// One finding for each gate that was missed.
pub(crate) fn missed(gates: &[Gate], checked: &[Checked]) -> Vec<Diagnostic> {
    let missed = gates.iter().zip(checked).filter(|(_, checked)| !checked.passed);
    let finding = |(gate, checked): (&Gate, &Checked)| {
        let Metric { name, unit, description, .. } = gate.metric;
        let Some(value) = checked.value else {
            let message = format!(
                "{name} was not measured, so it is not within the limit of {}: {description}",
                gate.limit
            );
            return Diagnostic::gate("gate::not-measured", message).help(MEASURED);
        };
        let message =
            format!("{name} is {value:.4} {unit}, above the limit of {}: {description}", gate.limit);
        Diagnostic::gate("gate::metric-above", message.replace(" ,", ","))
    };
    missed.map(finding).collect()
}
