//! Gates of pipelines: limits on measured values. A clip that misses one is not written.

use mocap_analysis::{ErrorSummary, GateResult};
use mocap_edit::EditReport;
use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::compare::error_above;
use crate::commands::retarget::check_gate;
use crate::diagnostic::Diagnostic;
use crate::options::{CompareSettings, EditGates, GateSettings};

/// A measured value and its limit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Gate {
    step: String,
    #[serde(flatten)]
    checked: GateResult,
    /// The error if it is missed.
    #[serde(skip)]
    pub(super) error: Option<Diagnostic>,
}

impl Gate {
    fn new(step: &str, checked: GateResult, error: Option<Diagnostic>) -> Gate {
        let error = error.map(|mut error| {
            error.message = format!("step '{step}': {}", error.message);
            error
        });
        Gate { step: step.to_owned(), checked, error }
    }

    pub(super) fn passed(&self) -> bool {
        self.checked.passed
    }

    /// The limit on a figure of a step; `None` if the gate is about another figure.
    pub(super) fn limit_of(&self, step: &str, metric: &str) -> Option<f64> {
        (self.step == step && self.checked.metric == metric).then_some(self.checked.limit)
    }
}

/// The gate of a comparison.
pub(super) fn of_error(step: &str, settings: &CompareSettings, summary: &ErrorSummary) -> Option<Gate> {
    let limit = settings.fail_above?.0;
    let error = error_above(summary.max, limit);
    let checked = GateResult { metric: "error", value: Some(summary.max), limit, passed: error.is_none() };
    Some(Gate::new(step, checked, error))
}

/// The gates on the report of an edit.
pub(super) fn of_edit(step: &str, gates: &EditGates, report: &EditReport) -> Vec<Gate> {
    let reports = std::slice::from_ref(report);
    let gates = gates.fail_above.iter().map(|gate| {
        let checked = gate.check(reports);
        let missed = gate.missed(&checked).map(|(code, message)| Diagnostic::gate(code, message));
        Gate::new(step, checked, missed)
    });
    gates.collect()
}

/// The gates on the report of a solved take.
pub(super) fn of_solve(step: &str, checked: Vec<(GateResult, Option<Diagnostic>)>) -> Vec<Gate> {
    checked.into_iter().map(|(checked, missed)| Gate::new(step, checked, missed)).collect()
}

/// The gates on the report of a retargeted motion.
pub(super) fn of_report(step: &str, gates: &GateSettings, outcome: &mocap::TargetReport) -> Vec<Gate> {
    let checked = gates.fail_above.iter().filter_map(|gate| check_gate(gate, outcome));
    checked.map(|(checked, missed)| Gate::new(step, checked, missed)).collect()
}
