//! The figures of a report by name: what a gate may be set on.

use crate::{EffectorReport, FootReport, Report};

/// A figure of a report; the greater the worse, over both sides and all limbs the worst.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// The name as it is written in commands.
    pub name: &'static str,
    /// The unit of its value; empty for ratios.
    pub unit: &'static str,
    /// What it says, in a few words.
    pub says: &'static str,
    value: fn(&Report) -> Option<f64>,
}

impl Metric {
    /// All of them.
    pub const ALL: [Metric; 18] = METRICS;

    /// The one of a name.
    pub fn named(name: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name == name)
    }

    /// Its value; `None` where the report has nothing that was measured, or no number came of it.
    pub fn of(&self, report: &Report) -> Option<f64> {
        let any = report.frames > report.lead_in;
        (self.value)(report).filter(|value| any && !value.is_nan())
    }
}

const METRICS: [Metric; 18] = [
    metric("effector", "m", "hand or foot off a goal within reach, most", |report| {
        let within = |row: &&EffectorReport| row.unreachable_frames < report.frames - report.lead_in;
        worst(report.effectors.iter().filter(within).map(|row| row.max_reachable))
    }),
    metric("effector-mean", "m", "hand or foot off its goal, on average", |report| {
        worst(report.effectors.iter().map(|row| row.mean))
    }),
    metric("effector-p95", "m", "hand or foot off its goal, 95 % of frames", |report| {
        worst(report.effectors.iter().map(|row| row.p95))
    }),
    metric("unreachable", "frames", "goals out of reach", |report| {
        count(report, |row| row.unreachable_frames)
    }),
    metric("limited", "frames", "goals missed at a joint limit", |report| {
        count(report, |row| row.limited_frames)
    }),
    metric("capped", "frames", "goals within reach given up", |report| {
        count(report, |row| row.capped_frames)
    }),
    metric("wrong-bends", "frames", "knees or elbows bent the wrong way", |report| {
        count(report, |row| row.wrong_bend_frames)
    }),
    metric("slide", "m/s", "mean speed of a toe that stands", |report| {
        feet(report, |foot| stands(foot).then_some(foot.slide))
    }),
    metric("slide-ratio", "", "the same over the source's, scaled", |report| {
        feet(report, |foot| foot.slide_ratio)
    }),
    metric("float", "m", "toe or heel that stands above the floor, most", |report| {
        feet(report, |foot| stands(foot).then(|| greater(foot.toe.float, foot.heel.float)))
    }),
    metric("penetration", "m", "a foot below the floor, most", |report| {
        feet(report, |foot| Some(greater(foot.penetration_max, foot.heel.penetration)))
    }),
    metric("contacts-lost", "", "share of contact frames without contact", |report| {
        feet(report, |foot| foot.contacts_kept.map(|kept| 1.0 - kept))
    }),
    metric("violations", "joint-frames", "joints beyond their limits", |report| {
        report.limits.asked.then_some(report.limits.violations as f64)
    }),
    metric("violation-excess", "deg", "a joint beyond its limit, most", |report| {
        report.limits.asked.then_some(report.limits.max_excess)
    }),
    metric("angle", "deg", "limb angles off the source's, rms", |report| {
        worst(report.angles.iter().map(|row| row.rms))
    }),
    metric("correlation-lost", "", "1 - correlation of limb angles", |report| {
        worst(report.angles.iter().filter_map(|row| row.correlation).map(|correlation| 1.0 - correlation))
    }),
    metric("jerk", "", "jerk of hands and feet over the source's", |report| report.jerk_ratio),
    metric("step", "deg", "a joint's step in one frame beyond the source's", |report| {
        (report.frames > report.lead_in + 1).then_some(report.largest_step.excess)
    }),
];

const fn metric(
    name: &'static str,
    unit: &'static str,
    says: &'static str,
    value: fn(&Report) -> Option<f64>,
) -> Metric {
    Metric { name, unit, says, value }
}

/// The greatest; `None` of nothing, and no number where one of them is none (`f64::max` would leave it out).
fn worst(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.reduce(greater)
}

fn greater(a: f64, b: f64) -> f64 {
    if a.is_nan() || b <= a { a } else { b }
}

fn count(report: &Report, value: impl Fn(&EffectorReport) -> usize) -> Option<f64> {
    let frames: usize = report.effectors.iter().map(value).sum();
    (!report.effectors.is_empty()).then_some(frames as f64)
}

fn feet(report: &Report, value: impl Fn(&FootReport) -> Option<f64>) -> Option<f64> {
    worst(report.feet.iter().filter_map(value))
}

/// Whether the source's foot ever stands: else there is nothing that could slide or float.
fn stands(foot: &FootReport) -> bool {
    foot.contact_frames > 0
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

    #[test]
    fn what_is_no_number_is_never_the_worst_nor_left_out() {
        assert_eq!(worst([].into_iter()), None);
        assert_eq!(worst([1.0, 3.0, 2.0].into_iter()), Some(3.0));
        for values in [[f64::NAN, 1.0], [1.0, f64::NAN]] {
            assert!(worst(values.into_iter()).is_some_and(f64::is_nan), "{values:?}");
        }
    }
}
