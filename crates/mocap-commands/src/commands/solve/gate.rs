//! Gates on the report of a solved take.

use std::str::FromStr;

use mocap::solve::SolveReport;
use mocap_analysis::{Gate, GateResult, ParseGateError};

use crate::diagnostic::Diagnostic;
use crate::options::Length;

/// A gate on the report, whose limit may be a length with a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SolveGate(Gate<SolveReport>);

impl FromStr for SolveGate {
    type Err = ParseGateError;

    fn from_str(text: &str) -> Result<SolveGate, ParseGateError> {
        let with_unit = text.split_once('=').and_then(|(name, limit)| {
            let Length(metres) = limit.trim().parse().ok()?;
            format!("{name}={metres}").parse().ok()
        });
        let gate: Option<Gate<SolveReport>> =
            with_unit.filter(|gate: &Gate<SolveReport>| gate.metric.unit == "m");
        gate.map_or_else(|| text.parse(), Ok).map(SolveGate)
    }
}

impl SolveGate {
    /// Checks the gate: its result, and an error if it was missed.
    pub(super) fn check(&self, report: &SolveReport) -> (GateResult, Option<Diagnostic>) {
        let result = self.0.check(report);
        let missed = self.0.missed(&result);
        (result, missed.map(|missed| Diagnostic::gate(missed.code(), missed.to_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_gates_take_units() {
        let limit = |text: &str| text.parse::<SolveGate>().map(|gate| gate.0.limit);
        assert_eq!((limit("residual=20mm"), limit("residual=0.02")), (Ok(0.02), Ok(0.02)));
        assert_eq!(limit("doubtful=0.1"), Ok(0.1));
        assert!(limit("doubtful=1mm").is_err() && limit("residual").is_err());
    }
}
