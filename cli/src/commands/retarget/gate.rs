//! Gates on the figures of a report: `--fail-above slide=0.05,penetration=0.01`.

use mocap_retarget::{RetargetMetric as Metric, RetargetReport as Report};
use serde::Serialize;

use crate::diagnostic::Diagnostic;

/// The largest value of a figure that passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gate {
    metric: Metric,
    limit: f64,
}

/// Reads `NAME=LIMIT`.
pub(crate) fn gate(text: &str) -> Result<Gate, String> {
    let (name, limit) = text.split_once('=').ok_or("a gate is NAME=LIMIT, such as slide=0.05")?;
    let metric = Metric::named(name.trim()).ok_or_else(|| {
        let names: Vec<&str> = Metric::ALL.iter().map(|metric| metric.name).collect();
        format!("'{}' is no figure of the report: there are {}", name.trim(), names.join(", "))
    })?;
    match limit.trim().parse::<f64>() {
        Ok(limit) if limit.is_finite() && limit >= 0.0 => Ok(Gate { metric, limit }),
        _ => Err(format!("'{}' is not a number from 0{}", limit.trim(), in_unit(&metric))),
    }
}

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
            return Diagnostic::new("gate::not-measured", message).help(MEASURED);
        };
        let message =
            format!("{name} is {value:.4} {unit}, above the limit of {}: {description}", gate.limit);
        Diagnostic::new("gate::metric-above", message.replace(" ,", ","))
    };
    missed.map(finding).collect()
}

fn in_unit(metric: &Metric) -> String {
    if metric.unit.is_empty() { String::new() } else { format!(" [{}]", metric.unit) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_read_and_wrong_ones_named() {
        let read = gate("slide=0.05").unwrap();
        assert_eq!((read.metric.name, read.limit), ("slide", 0.05));
        assert!(gate("slides=1").unwrap_err().contains("there are effector, "));
        assert!(gate("slide").unwrap_err().contains("NAME=LIMIT"));
        assert!(gate("slide=-1").unwrap_err().contains("[m/s]"));
        assert!(gate("jerk=nan").is_err());
    }
}
