//! Figures of a report by name, and limits on them: quality gates.

use mocap_model::Length;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// A report whose figures can be limited.
pub trait Gated: Sized + 'static {
    /// All figures by name. Names differ.
    const METRICS: &'static [Metric<Self>];

    /// Whether the report measured anything; if not, every figure counts as not measured.
    fn is_measured(&self) -> bool {
        true
    }
}

/// A figure of a report. Greater is worse.
pub struct Metric<R: 'static> {
    /// The name in commands.
    pub name: &'static str,
    /// The unit of its value; empty for ratios and counts.
    pub unit: &'static str,
    /// Its meaning in a few words.
    pub description: &'static str,
    value: fn(&R) -> Option<f64>,
}

impl<R> Metric<R> {
    /// A figure; `value` returns `None` where it was not measured.
    pub const fn new(
        name: &'static str,
        unit: &'static str,
        description: &'static str,
        value: fn(&R) -> Option<f64>,
    ) -> Metric<R> {
        Metric { name, unit, description, value }
    }
}

impl<R: Gated> Metric<R> {
    /// The value of the figure; `None` if it was not measured or is NaN.
    pub fn of(&self, report: &R) -> Option<f64> {
        (self.value)(report).filter(|value| report.is_measured() && !value.is_nan())
    }

    /// The names of all figures, as help texts list them.
    pub fn names() -> String {
        R::METRICS.iter().map(|metric| metric.name).collect::<Vec<_>>().join(", ")
    }

    /// The metric with a name.
    pub fn named(name: &str) -> Option<Metric<R>> {
        R::METRICS.iter().find(|metric| metric.name == name).copied()
    }
}

/// The greatest value of a metric that passes.
///
/// ```
/// use mocap_analysis::{Gate, Quality};
///
/// let gate: Gate<Quality> = "skate=0.05".parse()?;
/// assert_eq!((gate.metric.name, gate.metric.unit, gate.limit), ("skate", "m/s", 0.05));
/// # Ok::<(), mocap_analysis::ParseGateError>(())
/// ```
pub struct Gate<R: 'static> {
    /// The metric.
    pub metric: Metric<R>,
    /// Its greatest value that passes, in the unit of the metric.
    pub limit: f64,
}

/// A value as text for messages: at most four decimals, or two digits if these would be zeros.
///
/// ```
/// use mocap_analysis::measured;
///
/// assert_eq!([measured(1.0), measured(0.03217), measured(2e-5)], ["1", "0.0322", "2.0e-5"]);
/// ```
pub fn measured(value: f64) -> String {
    match value.abs() {
        size if size > 0.0 && size < 1e-4 => format!("{value:.1e}"),
        _ => format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
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
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum MissedGate {
    #[error("{metric} was not measured, so it is not within the limit of {limit}: {description}")]
    NotMeasured { metric: &'static str, limit: f64, description: &'static str },
    #[error("{metric} is {}{}, above the limit of {limit}: {description}", measured(*.value), Unit(.unit))]
    Above { metric: &'static str, value: f64, limit: f64, unit: &'static str, description: &'static str },
}

/// Why a text is not a gate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ParseGateError {
    #[error("a gate is NAME=LIMIT, such as {example}=0.05")]
    NoLimit { example: &'static str },
    #[error("unknown metric '{name}'; metrics are {known}")]
    UnknownMetric { name: String, known: String },
    #[error("'{limit}' is not a number from 0{}", match *unit {
        "" => String::new(),
        "m" => " [m], or with a unit of length, such as 10cm".to_owned(),
        unit => format!(" [{unit}]"),
    })]
    Limit { limit: String, unit: &'static str },
}

impl<R: Gated> Gate<R> {
    /// The value of a report's metric and whether it passes.
    pub fn check(&self, report: &R) -> GateResult {
        let value = self.metric.of(report);
        let passed = value.is_some_and(|value| value <= self.limit);
        GateResult { metric: self.metric.name, value, limit: self.limit, passed }
    }

    /// The reason why a result fails this gate; `None` if it passed.
    pub fn missed(&self, result: &GateResult) -> Option<MissedGate> {
        let Metric { name: metric, unit, description, .. } = self.metric;
        let limit = self.limit;
        let missed = match result.value {
            Some(value) => MissedGate::Above { metric, value, limit, unit, description },
            None => MissedGate::NotMeasured { metric, limit, description },
        };
        (!result.passed).then_some(missed)
    }
}

impl MissedGate {
    /// A stable code for the kind of miss.
    pub fn code(&self) -> &'static str {
        match self {
            MissedGate::NotMeasured { .. } => "gate::not-measured",
            MissedGate::Above { .. } => "gate::metric-above",
        }
    }
}

/// The limit of a figure with a unit: a number from 0; of lengths in metres, or with a unit of length, such as `10cm`.
///
/// ```
/// use mocap_analysis::limit_of;
///
/// assert_eq!((limit_of("10cm", "m"), limit_of("0.1", "m")), (Some(0.1), Some(0.1)));
/// assert_eq!((limit_of("10cm", "deg"), limit_of("-1", "deg")), (None, None));
/// ```
pub fn limit_of(text: &str, unit: &str) -> Option<f64> {
    let number = || text.parse::<f64>().ok().filter(|limit| limit.is_finite() && *limit >= 0.0);
    let length = || text.parse().ok().map(|Length(metres)| metres).filter(|_| unit == "m");
    number().or_else(length)
}

impl<R: Gated> FromStr for Gate<R> {
    type Err = ParseGateError;

    fn from_str(text: &str) -> Result<Gate<R>, ParseGateError> {
        let example =
            R::METRICS.iter().find(|metric| metric.unit == "m/s").map_or("NAME", |metric| metric.name);
        let (name, limit) = text.split_once('=').ok_or(ParseGateError::NoLimit { example })?;
        let (name, limit) = (name.trim(), limit.trim());
        let metric = Metric::named(name).ok_or_else(|| ParseGateError::UnknownMetric {
            name: name.to_owned(),
            known: R::METRICS.iter().map(|metric| metric.name).collect::<Vec<_>>().join(", "),
        })?;
        match limit_of(limit, metric.unit) {
            Some(limit) => Ok(Gate { metric, limit }),
            None => Err(ParseGateError::Limit { limit: limit.to_owned(), unit: metric.unit }),
        }
    }
}

// A derived implementation would require it of the report type as well.
impl<R> Clone for Metric<R> {
    fn clone(&self) -> Metric<R> {
        *self
    }
}

impl<R> Copy for Metric<R> {}

impl<R> fmt::Debug for Metric<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Metric({} [{}])", self.name, self.unit)
    }
}

impl<R> Clone for Gate<R> {
    fn clone(&self) -> Gate<R> {
        *self
    }
}

impl<R> Copy for Gate<R> {}

impl<R> fmt::Debug for Gate<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gate({}={})", self.metric.name, self.limit)
    }
}

impl<R> PartialEq for Gate<R> {
    fn eq(&self, other: &Gate<R>) -> bool {
        (self.metric.name, self.limit) == (other.metric.name, other.limit)
    }
}

/// A unit after a value; empty for ratios.
struct Unit<'a>(&'a str);

impl fmt::Display for Unit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " {}", self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Speeds(Option<f64>);

    impl Gated for Speeds {
        const METRICS: &'static [Metric<Speeds>] = &[
            Metric::new("count", "", "how many", |_| Some(2.0)),
            Metric::new("slide", "m/s", "mean speed", |speeds| speeds.0),
        ];
    }

    #[test]
    fn gates_are_read_and_wrong_ones_named() {
        let gate = |text: &str| text.parse::<Gate<Speeds>>();
        let message = |text: &str| gate(text).unwrap_err().to_string();
        let read = gate("slide=0.05").unwrap();
        assert_eq!((read.metric.name, read.limit), ("slide", 0.05));
        assert!(message("slides=1").ends_with("metrics are count, slide"));
        assert_eq!(message("slide"), "a gate is NAME=LIMIT, such as slide=0.05");
        assert!(message("slide=-1").contains("[m/s]"));
        assert!(gate("count=nan").is_err() && gate("slide=5cm").is_err());
    }

    #[test]
    fn a_miss_says_value_unit_and_limit() {
        let missed = |text: &str, value| {
            let gate: Gate<Speeds> = text.parse().unwrap();
            gate.missed(&gate.check(&Speeds(value))).map(|missed| (missed.code(), missed.to_string()))
        };
        let (code, message) = missed("slide=0.05", Some(0.1)).unwrap();
        assert_eq!(code, "gate::metric-above");
        assert_eq!(message, "slide is 0.1 m/s, above the limit of 0.05: mean speed");
        assert!(missed("count=1", None).unwrap().1.starts_with("count is 2, above the limit of 1: "));
        for unmeasured in [None, Some(f64::NAN)] {
            assert_eq!(missed("slide=0.05", unmeasured).unwrap().0, "gate::not-measured");
        }
        assert_eq!(missed("slide=0.05", Some(0.0)), None);
    }
}
