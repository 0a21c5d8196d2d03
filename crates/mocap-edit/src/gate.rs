//! Quality gates: limits on the figures of reports.

use std::fmt;
use std::str::FromStr;

use mocap_analysis::limit_of;
use mocap_retarget::GateResult;

use crate::EditReport;

/// A metric of edit reports: the worst figure over all edits. Greater is worse.
#[derive(Clone, Copy, Debug)]
pub struct EditMetric {
    /// The name in commands.
    pub name: &'static str,
    /// The unit of its value; empty for ratios.
    pub unit: &'static str,
    /// Its meaning in a few words.
    pub description: &'static str,
}

impl EditMetric {
    /// All metrics.
    pub const ALL: [EditMetric; 23] = METRICS;

    /// The metric with a name.
    pub fn named(name: &str) -> Option<EditMetric> {
        EditMetric::ALL.into_iter().find(|metric| metric.name == name)
    }

    /// The worst value in these reports; `None` if none of them measured it.
    pub fn of(&self, reports: &[EditReport]) -> Option<f64> {
        let value = |report: &EditReport| match self.name {
            "rms-deg" => report.rms_deg,
            "max-deg" => report.max_deg,
            "rms" => report.rms_m,
            "max" => report.max_m,
            "skate" => report.contacts.and_then(|contacts| contacts.skate),
            "contacts-lost" => {
                let (before, after) = (report.contacts_before?, report.contacts?);
                let count = |figures: crate::ContactFigures| figures.left_frames + figures.right_frames;
                let (before, after) = (count(before) as f64, count(after) as f64);
                (before > 0.0 && report.frames == report.frames_before)
                    .then(|| (1.0 - after / before).max(0.0))
            }
            name => report.figures.iter().find(|figure| figure.name == name)?.value,
        };
        reports.iter().filter_map(value).reduce(f64::max)
    }
}

const METRICS: [EditMetric; 23] = [
    metric("rms-deg", "deg", "change of local rotations, rms"),
    metric("max-deg", "deg", "largest change of a local rotation"),
    metric("rms", "m", "change of joint positions, rms"),
    metric("max", "m", "largest change of a joint position"),
    metric("skate", "m/s", "foot skate after the edit"),
    metric("contacts-lost", "", "share of contact frames lost"),
    metric("mirror-residual", "m", "largest distance of a joint from its mirror image"),
    metric("noise", "deg", "noise found by denoise"),
    metric("seam-pose", "deg", "pose jump at the seam of a loop"),
    metric("seam-velocity", "deg/s", "velocity jump at the seam of a loop"),
    metric("deviation", "deg", "how far a loop or join bends the motion"),
    metric("peak-acceleration", "", "angular acceleration in a transition over the clips' own"),
    metric("transition-skate", "m/s", "foot skate within a transition"),
    metric("unreachable", "m", "how far a foot or hand stays from its goal at most"),
    metric("stride-change", "", "change of stride along a path, as a ratio"),
    metric("alignment-error", "m", "rms distance of the poses that a transition joins"),
    metric("key-error", "m", "largest distance of a joint from its key"),
    metric("gaze-error", "deg", "largest angle between a gaze and its target"),
    metric("pose-distance", "m", "mean distance of the poses that are blended"),
    metric("balance-margin", "m", "centre of mass outside the soles in frames that stand still"),
    metric("off-fall", "", "fall in flight off free fall, as a ratio"),
    metric("penetration", "m", "how deep a foot is below the floor of the motion at most"),
    metric("terrain-penetration", "m", "how deep a sole is in the terrain at most"),
];

const fn metric(name: &'static str, unit: &'static str, description: &'static str) -> EditMetric {
    EditMetric { name, unit, description }
}

/// The greatest value of a metric that passes.
///
/// ```
/// let gate: mocap_edit::EditGate = "max-deg=4".parse()?;
/// assert_eq!((gate.metric.name, gate.limit), ("max-deg", 4.0));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EditGate {
    /// The metric.
    pub metric: EditMetric,
    /// Its greatest value that passes.
    pub limit: f64,
}

impl PartialEq for EditGate {
    fn eq(&self, other: &EditGate) -> bool {
        (self.metric.name, self.limit) == (other.metric.name, other.limit)
    }
}

impl EditGate {
    /// The worst value in these reports, and whether it passes.
    pub fn check(&self, reports: &[EditReport]) -> GateResult {
        let value = self.metric.of(reports);
        let passed = value.is_some_and(|value| value <= self.limit);
        GateResult { metric: self.metric.name, value, limit: self.limit, passed }
    }

    /// The stable code and message of a failed result; `None` if it passed.
    pub fn missed(&self, result: &GateResult) -> Option<(&'static str, String)> {
        let EditMetric { name, description, .. } = self.metric;
        match result.value {
            _ if result.passed => None,
            None => Some((
                "gate::not-measured",
                format!(
                    "{name} was not measured, so it is not within the limit of {}: {description}",
                    self.limit
                ),
            )),
            Some(value) => Some((
                "gate::metric-above",
                format!(
                    "{name} is {}{}, above the limit of {}: {description}",
                    mocap_analysis::measured(value),
                    self.unit(),
                    self.limit
                ),
            )),
        }
    }

    fn unit(&self) -> String {
        if self.metric.unit.is_empty() { String::new() } else { format!(" {}", self.metric.unit) }
    }
}

impl fmt::Display for EditGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.metric.name, self.limit)
    }
}

impl FromStr for EditGate {
    type Err = String;

    fn from_str(text: &str) -> Result<EditGate, String> {
        let (name, limit) = text.split_once('=').ok_or("a gate is NAME=LIMIT, such as max-deg=4")?;
        let metric = EditMetric::named(name.trim()).ok_or_else(|| {
            let names = EditMetric::ALL.map(|metric| metric.name).join(", ");
            format!("unknown metric '{name}'; metrics are {names}")
        })?;
        match limit_of(limit.trim(), metric.unit) {
            Some(limit) => Ok(EditGate { metric, limit }),
            None if metric.unit == "m" => {
                Err(format!("'{limit}' is not a number from 0 [m], or with a unit of length, such as 10cm"))
            }
            None => Err(format!("'{limit}' is not a number from 0")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_read_and_missed_with_unit_and_limit() {
        let gate: EditGate = "max-deg=4".parse().unwrap();
        let report = |max| EditReport { max_deg: max, ..EditReport::default() };
        assert_eq!(gate.check(&[report(Some(3.0)), report(None)]).value, Some(3.0));
        let missed = gate.missed(&gate.check(&[report(Some(5.0)), report(Some(3.0))])).unwrap();
        assert!(missed.1.starts_with("max-deg is 5 deg, above the limit of 4: "), "{}", missed.1);
        assert_eq!(gate.missed(&gate.check(&[report(None)])).unwrap().0, "gate::not-measured");
        assert_eq!("max=10cm".parse::<EditGate>().unwrap().limit, 0.1);
        for wrong in ["max-deg=1cm", "max-deg", "max=-1", "nothing=1", "rms=nan"] {
            assert!(wrong.parse::<EditGate>().is_err(), "{wrong}");
        }
    }
}
