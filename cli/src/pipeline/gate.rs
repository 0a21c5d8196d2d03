//! Gates: what may not be worse than a limit. A clip that misses one is not written.

use mocap_analysis::ErrorSummary;
use mocap_retarget::Report;
use schemars::JsonSchema;
use serde::Serialize;

use super::step::{CompareArgs, LimitArgs};
use crate::diagnostic::Diagnostic;

/// A measured value and its limit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Gate {
    pub(super) step: String,
    /// The setting that asks for it.
    gate: &'static str,
    /// `m`, `m/s`, `times` or `frames`.
    unit: &'static str,
    value: f64,
    limit: f64,
    pub(super) passed: bool,
    /// What has the value: a joint or a role.
    #[serde(rename = "where")]
    place: Option<String>,
}

impl Gate {
    /// What is said where the gate is missed.
    pub(super) fn error(&self) -> Diagnostic {
        let shown = |value: f64| match self.unit {
            "m" => format!("{:.4} mm", value * 1e3),
            "m/s" => format!("{:.4} mm/s", value * 1e3),
            unit => format!("{value} {unit}"),
        };
        let place = self.place.as_ref().map_or(String::new(), |place| format!(" ({place})"));
        let (value, limit) = (shown(self.value), shown(self.limit));
        let code = if self.gate == "fail-above" { "gate::error-above" } else { "gate::retarget" };
        Diagnostic::new(
            code,
            format!("step '{}': {} is {limit}, and it is {value}{place}", self.step, self.gate),
        )
    }
}

/// The gate of a comparison.
pub(super) fn of_error(step: &str, args: &CompareArgs, summary: &ErrorSummary) -> Option<Gate> {
    let limit = args.fail_above?.0;
    let place = summary.worst.as_ref().map(|worst| format!("joint '{}', frame {}", worst.name, worst.frame));
    let passed = summary.max <= limit;
    Some(Gate { step: step.into(), gate: "fail-above", unit: "m", value: summary.max, limit, passed, place })
}

/// The gates on the report of a retargeted motion.
pub(super) fn of_report(step: &str, limits: &LimitArgs, report: &Report) -> Vec<Gate> {
    type Measured = (f64, Option<String>);
    let worst = |values: &mut dyn Iterator<Item = (f64, String)>| -> Measured {
        let worst = values.max_by(|a, b| a.0.total_cmp(&b.0));
        worst.map_or((0.0, None), |(value, place)| (value, Some(place)))
    };
    let feet = |value: fn(&mocap_retarget::FootReport) -> f64| {
        worst(&mut report.feet.iter().map(|foot| (value(foot), foot.role.name().to_owned())))
    };
    let effectors = |value: fn(&mocap_retarget::EffectorReport) -> f64| {
        worst(&mut report.effectors.iter().map(|row| (value(row), row.role.name().to_owned())))
    };
    let length = |limit: Option<crate::args::Length>| limit.map(|length| length.0);
    let count = |limit: Option<usize>| limit.map(|count| count as f64);
    let gates: [(&'static str, &'static str, Option<f64>, &dyn Fn() -> Measured); 6] = [
        ("max-slide", "m/s", length(limits.max_slide), &|| feet(|foot| foot.slide)),
        ("max-float", "m", length(limits.max_float), &|| feet(|foot| foot.float)),
        ("max-penetration", "m", length(limits.max_penetration), &|| feet(|foot| foot.penetration_max)),
        ("max-off-goal", "m", length(limits.max_off_goal), &|| effectors(|row| row.p95)),
        ("max-violations", "times", count(limits.max_violations), &|| {
            (report.limits.violations as f64, None)
        }),
        ("max-unreachable", "frames", count(limits.max_unreachable), &|| {
            effectors(|row| row.unreachable_frames as f64)
        }),
    ];
    let gate = |(gate, unit, limit, measure): (_, _, Option<f64>, &dyn Fn() -> Measured)| {
        let limit = limit?;
        let (value, place) = measure();
        // What is no number is no pass.
        let passed = value <= limit;
        Some(Gate { step: step.to_owned(), gate, unit, value, limit, passed, place })
    };
    gates.into_iter().filter_map(gate).collect()
}
