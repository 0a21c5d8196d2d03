//! The figures of a report by name: what a gate may be set on.

use crate::{FootReport, Report};

/// A figure of a report; the greater the worse, over both sides and all limbs the worst.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// The name as it is written in commands.
    pub name: &'static str,
    /// The unit of its value; empty for ratios.
    pub unit: &'static str,
    /// What it says, in a few words.
    pub says: &'static str,
    value: fn(&Report) -> f64,
}

impl Metric {
    /// All of them.
    pub const ALL: [Metric; 18] = METRICS;

    /// The one of a name.
    pub fn named(name: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name == name)
    }

    /// Its value; 0 where the report has nothing to measure.
    pub fn of(&self, report: &Report) -> f64 {
        (self.value)(report)
    }
}

const METRICS: [Metric; 18] = [
    metric("effector", "m", "hand or foot off a goal within reach, most", |report| {
        worst(report.effectors.iter().map(|row| row.max_reachable))
    }),
    metric("effector-mean", "m", "hand or foot off its goal, on average", |report| {
        worst(report.effectors.iter().map(|row| row.mean))
    }),
    metric("effector-p95", "m", "hand or foot off its goal, 95 % of frames", |report| {
        worst(report.effectors.iter().map(|row| row.p95))
    }),
    metric("unreachable", "frames", "goals out of reach", |report| {
        count(report.effectors.iter().map(|row| row.unreachable_frames))
    }),
    metric("limited", "frames", "goals missed at a joint limit", |report| {
        count(report.effectors.iter().map(|row| row.limited_frames))
    }),
    metric("capped", "frames", "goals within reach given up", |report| {
        count(report.effectors.iter().map(|row| row.capped_frames))
    }),
    metric("wrong-bends", "frames", "knees or elbows bent the wrong way", |report| {
        count(report.effectors.iter().map(|row| row.wrong_bend_frames))
    }),
    metric("slide", "m/s", "mean speed of a toe that stands", |report| feet(report, |foot| foot.slide)),
    metric("slide-ratio", "", "the same over the source's, scaled", |report| {
        feet(report, |foot| foot.slide_ratio.unwrap_or(0.0))
    }),
    metric("float", "m", "toe or heel that stands above the floor, most", |report| {
        feet(report, |foot| foot.toe.float.max(foot.heel.float))
    }),
    metric("penetration", "m", "a foot below the floor, most", |report| {
        feet(report, |foot| foot.penetration_max.max(foot.heel.penetration))
    }),
    metric("contacts-lost", "", "share of contact frames without contact", |report| {
        feet(report, |foot| 1.0 - foot.contacts_kept.unwrap_or(1.0))
    }),
    metric("violations", "joint-frames", "joints beyond their limits", |report| {
        report.limits.violations as f64
    }),
    metric("violation-excess", "deg", "a joint beyond its limit, most", |report| report.limits.max_excess),
    metric("angle", "deg", "limb angles off the source's, rms", |report| {
        worst(report.angles.iter().map(|row| row.rms))
    }),
    metric("correlation-lost", "", "1 - correlation of limb angles", |report| {
        worst(report.angles.iter().map(|row| 1.0 - row.correlation.unwrap_or(1.0)))
    }),
    metric("jerk", "", "jerk of hands and feet over the source's", |report| report.jerk_ratio.unwrap_or(0.0)),
    metric("step", "deg", "a joint's step in one frame beyond the source's", |report| {
        report.largest_step.excess
    }),
];

const fn metric(
    name: &'static str,
    unit: &'static str,
    says: &'static str,
    value: fn(&Report) -> f64,
) -> Metric {
    Metric { name, unit, says, value }
}

fn worst(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

fn count(values: impl Iterator<Item = usize>) -> f64 {
    values.sum::<usize>() as f64
}

fn feet(report: &Report, value: impl Fn(&FootReport) -> f64) -> f64 {
    worst(report.feet.iter().map(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_differ() {
        for (i, metric) in Metric::ALL.iter().enumerate() {
            assert_eq!(Metric::named(metric.name).map(|found| found.says), Some(metric.says));
            assert!(Metric::ALL[..i].iter().all(|other| other.name != metric.name), "{}", metric.name);
        }
        assert!(Metric::named("Slide").is_none());
    }
}
