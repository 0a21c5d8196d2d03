//! Gates on the report of a retarget: `--fail-above slide=0.05,penetration=0.01`.

use mocap::TargetReport;
use mocap_analysis::{Gate, GateResult, Gated, MissedGate};

use super::target::Target;
use crate::diagnostic::Diagnostic;
use crate::options::TargetGate;

/// When the figures of a body are measured.
const MEASURED: &str = "feet and limbs are measured if both skeletons have legs and a foot contact exists, violations \
     without --no-limits, balance-margin if source and target stand still, partner-off if people who are retargeted \
     together touch, partner-inside if their targets have meshes too, partner-moved if they are near each other, \
     arm-inside if a hand holds a prop, ratios if the source's figure is not 0";
/// When the figures of a robot are measured.
const MEASURED_ON_ROBOTS: &str = "speeds are measured if the model or --limits-from states the highest, skate if soles \
     touch the floor, self-penetration if the model has collision shapes, the path if the source goes a leg length";

/// Checks a gate: its result, and the error if it was missed.
pub(crate) fn check(gate: &TargetGate, outcome: &TargetReport) -> Option<(GateResult, Option<Diagnostic>)> {
    match outcome {
        TargetReport::Body(report) => Some(checked(gate.body.as_ref()?, report, MEASURED)),
        TargetReport::Robot(report) => Some(checked(gate.robot.as_ref()?, report, MEASURED_ON_ROBOTS)),
    }
}

/// Checks all gates on several reports: the results, and the errors of those that were missed.
pub(crate) fn check_all<'a>(
    gates: &[TargetGate],
    reports: impl Iterator<Item = &'a TargetReport>,
) -> (Vec<GateResult>, Vec<Diagnostic>) {
    let each = reports.flat_map(|report| gates.iter().map(move |gate| (gate, report)));
    let (results, errors): (Vec<_>, Vec<_>) = each.filter_map(|(gate, report)| check(gate, report)).unzip();
    (results, errors.into_iter().flatten().collect())
}

/// Rejects gates on figures that reports for such a target do not have.
pub(crate) fn check_kind(gates: &[TargetGate], target: &Target) -> Result<(), Diagnostic> {
    let on_robot = target.robot().is_some();
    for gate in gates {
        let (missing, other) = match on_robot {
            true => (gate.robot.is_none(), gate.body.as_ref().map(|gate| gate.metric.name)),
            false => (gate.body.is_none(), gate.robot.as_ref().map(|gate| gate.metric.name)),
        };
        if let (true, Some(name)) = (missing, other) {
            let (here, there) = if on_robot { ("robots", "bodies") } else { ("bodies", "robots") };
            let message = format!("--fail-above {name}: this figure is measured on {there}, not on {here}");
            return Err(Diagnostic::new("usage::gate", message)
                .help("`mocap retarget --help` lists the figures of both"));
        }
    }
    Ok(())
}

fn checked<R: Gated>(gate: &Gate<R>, report: &R, measured: &str) -> (GateResult, Option<Diagnostic>) {
    let result = gate.check(report);
    let missed = gate.missed(&result).map(|missed| {
        let diagnostic = Diagnostic::gate(missed.code(), missed.to_string());
        match missed {
            MissedGate::NotMeasured { .. } => diagnostic.help(measured),
            MissedGate::Above { .. } => diagnostic,
        }
    });
    (result, missed)
}
