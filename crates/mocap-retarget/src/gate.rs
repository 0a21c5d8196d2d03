//! Quality gates: limits on the figures of a report.

use crate::{RetargetMetric, RetargetReport};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// The greatest value of a metric that passes.
///
/// ```
/// use mocap_retarget::RetargetGate;
///
/// let gate: RetargetGate = "slide=0.05".parse()?;
/// assert_eq!((gate.metric.name, gate.metric.unit, gate.limit), ("slide", "m/s", 0.05));
/// # Ok::<(), mocap_retarget::ParseGateError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RetargetGate {
    /// The metric.
    pub metric: RetargetMetric,
    /// Its greatest value that passes, in the unit of the metric.
    pub limit: f64,
}

/// The value of a metric and its limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Checked")]
pub struct GateResult {
    /// The name of the metric.
    pub metric: &'static str,
    /// Its value; `null` if it was not measured, which no gate passes.
    pub value: Option<f64>,
    /// The greatest value that passes.
    pub limit: f64,
    /// Whether the value is within the limit.
    pub passed: bool,
}

/// Why a report does not pass a gate.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum MissedGate {
    #[error("{} was not measured, so it is not within the limit of {}: {}", .0.metric.name, .0.limit, .0.metric.description)]
    NotMeasured(RetargetGate),
    #[error("{} is {:.4}{}, above the limit of {}: {}", .gate.metric.name, .value, Unit(.gate.metric.unit), .gate.limit, .gate.metric.description)]
    Above { gate: RetargetGate, value: f64 },
}

/// Why a text is not a gate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ParseGateError {
    #[error("a gate is NAME=LIMIT, such as slide=0.05")]
    NoLimit,
    #[error("unknown metric '{name}'; metrics are {}", RetargetMetric::ALL.map(|metric| metric.name).join(", "))]
    UnknownMetric { name: String },
    #[error("'{limit}' is not a number from 0{}", if unit.is_empty() { String::new() } else { format!(" [{unit}]") })]
    Limit { limit: String, unit: &'static str },
}

impl RetargetGate {
    /// The value of a report's metric and whether it passes.
    pub fn check(&self, report: &RetargetReport) -> GateResult {
        let value = self.metric.of(report);
        let passed = value.is_some_and(|value| value <= self.limit);
        GateResult { metric: self.metric.name, value, limit: self.limit, passed }
    }

    /// Why a result of this gate is a miss; `None` if it passed.
    pub fn missed(&self, result: &GateResult) -> Option<MissedGate> {
        let missed = match result.value {
            Some(value) => MissedGate::Above { gate: *self, value },
            None => MissedGate::NotMeasured(*self),
        };
        (!result.passed).then_some(missed)
    }
}

impl PartialEq for RetargetGate {
    fn eq(&self, other: &RetargetGate) -> bool {
        (self.metric.name, self.limit) == (other.metric.name, other.limit)
    }
}

impl MissedGate {
    /// A stable code for the kind of miss.
    pub fn code(&self) -> &'static str {
        match self {
            MissedGate::NotMeasured(_) => "gate::not-measured",
            MissedGate::Above { .. } => "gate::metric-above",
        }
    }
}

impl FromStr for RetargetGate {
    type Err = ParseGateError;

    fn from_str(text: &str) -> Result<RetargetGate, ParseGateError> {
        let (name, limit) = text.split_once('=').ok_or(ParseGateError::NoLimit)?;
        let (name, limit) = (name.trim(), limit.trim());
        let metric = RetargetMetric::named(name)
            .ok_or_else(|| ParseGateError::UnknownMetric { name: name.to_owned() })?;
        match limit.parse::<f64>() {
            Ok(limit) if limit.is_finite() && limit >= 0.0 => Ok(RetargetGate { metric, limit }),
            _ => Err(ParseGateError::Limit { limit: limit.to_owned(), unit: metric.unit }),
        }
    }
}

/// A unit after a value; nothing for ratios.
struct Unit(&'static str);

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " {}", self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_read_and_wrong_ones_named() {
        let gate = |text: &str| text.parse::<RetargetGate>();
        let message = |text: &str| gate(text).unwrap_err().to_string();
        let read = gate("slide=0.05").unwrap();
        assert_eq!((read.metric.name, read.limit), ("slide", 0.05));
        assert!(message("slides=1").contains("metrics are effector, "));
        assert!(message("slide").contains("NAME=LIMIT"));
        assert!(message("slide=-1").contains("[m/s]"));
        assert!(gate("jerk=nan").is_err());
    }

    #[test]
    fn a_miss_says_value_unit_and_limit() {
        let missed = |text: &str, value| {
            let gate: RetargetGate = text.parse().unwrap();
            let passed = value == Some(0.0);
            let result = GateResult { metric: gate.metric.name, value, limit: gate.limit, passed };
            gate.missed(&result).map(|missed| (missed.code(), missed.to_string()))
        };
        let (code, message) = missed("slide=0.05", Some(0.1)).unwrap();
        assert_eq!(code, "gate::metric-above");
        assert!(message.starts_with("slide is 0.1000 m/s, above the limit of 0.05: "), "{message}");
        assert!(missed("jerk=1", Some(2.0)).unwrap().1.starts_with("jerk is 2.0000, above the limit of 1: "));
        assert_eq!(missed("slide=0.05", None).unwrap().0, "gate::not-measured");
        assert_eq!(missed("slide=0.05", Some(0.0)), None);
    }
}
