//! Gates on the report of a solved take.

use std::str::FromStr;

use mocap::solve::SolveReport;
use mocap_analysis::{Gate, GateResult, ParseGateError};

use crate::diagnostic::Diagnostic;

/// A gate on the report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SolveGate(Gate<SolveReport>);

impl FromStr for SolveGate {
    type Err = ParseGateError;

    fn from_str(text: &str) -> Result<SolveGate, ParseGateError> {
        text.parse().map(SolveGate)
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
