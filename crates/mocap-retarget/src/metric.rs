//! The figures of a report by name, as gates use them.

use crate::{EffectorReport, FootReport, RetargetReport};
use mocap_analysis::{Gate, Gated, Metric};
use mocap_model::Role;

/// A figure of a report: the worst over both sides and all limbs. Greater is worse.
///
/// ```
/// use mocap_retarget::RetargetMetric;
///
/// let slide = RetargetMetric::named("slide").unwrap();
/// assert_eq!(slide.unit, "m/s");
/// ```
pub type RetargetMetric = Metric<RetargetReport>;

/// The limit of a figure: greater values fail.
///
/// ```
/// use mocap_retarget::RetargetGate;
///
/// let gate: RetargetGate = "slide=0.05".parse()?;
/// assert_eq!((gate.metric.name, gate.metric.unit, gate.limit), ("slide", "m/s", 0.05));
/// # Ok::<(), mocap_retarget::ParseGateError>(())
/// ```
pub type RetargetGate = Gate<RetargetReport>;

impl Gated for RetargetReport {
    const METRICS: &'static [RetargetMetric] = &METRICS;

    fn is_measured(&self) -> bool {
        self.frames > self.lead_in
    }
}

const METRICS: [RetargetMetric; 30] = [
    metric("effector", "m", "greatest goal error of a hand or foot, goals within reach", |report| {
        let within = |row: &&EffectorReport| row.unreachable_frames < report.frames - report.lead_in;
        worst(report.effectors.iter().filter(within).map(|row| row.max_reachable))
    }),
    metric("effector-mean", "m", "mean goal error of a hand or foot", |report| {
        worst(report.effectors.iter().map(|row| row.mean))
    }),
    metric("effector-p95", "m", "goal error of a hand or foot, 95th percentile", |report| {
        worst(report.effectors.iter().map(|row| row.p95))
    }),
    metric("foot-off-goal", "m", "greatest goal error of a foot, within reach or not", |report| {
        let is_foot = |row: &&EffectorReport| matches!(row.role, Role::LeftFoot | Role::RightFoot);
        worst(report.effectors.iter().filter(is_foot).map(|row| row.max))
    }),
    metric("unreachable", "frames", "goals out of reach", |report| {
        count(report, |row| row.unreachable_frames)
    }),
    metric("limited", "frames", "goals not reached because of a joint limit", |report| {
        count(report, |row| row.limited_frames)
    }),
    metric("capped", "frames", "goals within reach, not converged", |report| {
        count(report, |row| row.capped_frames)
    }),
    metric("wrong-bends", "frames", "flipped knees or elbows", |report| {
        count(report, |row| row.wrong_bend_frames)
    }),
    metric("slide", "m/s", "foot skate: mean speed of a toe in contact", |report| {
        feet(report, |foot| foot.slide)
    }),
    metric("slide-own", "m/s", "foot skate in the target's own contacts", |report| {
        feet(report, |foot| foot.own.measure.skate)
    }),
    metric("slide-ratio", "", "foot skate over the source's, scaled", |report| {
        feet(report, |foot| foot.slide_ratio)
    }),
    metric("float", "m", "greatest float height of a toe or heel in contact", |report| {
        feet(report, |foot| worst([foot.toe.float, foot.heel.float].into_iter().flatten()))
    }),
    metric(
        "float-own",
        "m",
        "greatest float height in the target's own contacts, above its own floor",
        |report| feet(report, |foot| foot.own.measure.float_max),
    ),
    metric("penetration", "m", "greatest penetration of the floor by a foot", |report| {
        feet(report, |foot| worst([foot.penetration_max, foot.heel.penetration].into_iter().flatten()))
    }),
    metric("penetration-own", "m", "greatest penetration of the target's own floor by a foot", |report| {
        feet(report, |foot| foot.own.measure.penetration_max)
    }),
    metric("contacts-lost", "", "share of contact frames without contact", |report| {
        feet(report, |foot| foot.contacts_kept.map(|kept| 1.0 - kept))
    }),
    metric("violations", "joint-frames", "joints beyond their limits", |report| {
        report.limits.asked.then_some(report.limits.violations as f64)
    }),
    metric("violation-excess", "deg", "greatest angle of a joint beyond its limit", |report| {
        report.limits.asked.then_some(report.limits.max_excess)
    }),
    metric("angle", "deg", "rms difference of a limb angle from the source's", |report| {
        worst(report.angles.iter().map(|row| row.rms))
    }),
    metric("correlation-lost", "", "1 - correlation of a limb angle with the source's", |report| {
        worst(report.angles.iter().filter_map(|row| row.correlation).map(|correlation| 1.0 - correlation))
    }),
    metric(
        "balance-margin",
        "m",
        "how much nearer the centre of mass comes to the edge of the soles than the source's, standing still",
        |report| {
            let [source, target] = report.balance?;
            Some((source.margin? - target.margin?).max(0.0))
        },
    ),
    metric("jerk", "", "jerk of hands and feet over the source's", |report| report.jerk_ratio),
    metric("step", "deg", "step of a joint in one frame beyond the source's", |report| {
        (report.frames > report.lead_in + 1).then_some(report.largest_step.excess)
    }),
    metric("surface-inside", "", "share of forearm and hand vertices inside trunk, head or legs", |report| {
        report.surface.as_ref().map(|surface| surface.inside)
    }),
    metric("surface-deepest", "m", "deepest forearm or hand vertex inside trunk, head or legs", |report| {
        report.surface.as_ref().map(|surface| surface.deepest)
    }),
    metric("surface-deep-frames", "", "share of frames with a vertex deeper than 1 cm at 1.7 m", |report| {
        report.surface.as_ref().map(|surface| surface.deep_frames)
    }),
    metric("partner-off", "m", "how far contacts with other people are off, 95th percentile", |report| {
        report.partners.and_then(|partners| partners.off)
    }),
    metric("partner-inside", "m", "greatest depth of a person inside another", |report| {
        report.partners.and_then(|partners| partners.inside)
    }),
    metric(
        "arm-inside",
        "m",
        "deepest forearm inside trunk, head or legs while its hand holds a prop",
        |report| report.held_arm_inside,
    ),
    metric(
        "partner-moved",
        "m",
        "how far a person was moved along the ground for others at most",
        |report| report.partners.and_then(|partners| partners.moved),
    ),
];

const fn metric(
    name: &'static str,
    unit: &'static str,
    description: &'static str,
    value: fn(&RetargetReport) -> Option<f64>,
) -> RetargetMetric {
    Metric::new(name, unit, description, value)
}

/// The greatest value; `None` without values. NaN if any value is NaN (`f64::max` would ignore it).
fn worst(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.reduce(greater)
}

fn greater(a: f64, b: f64) -> f64 {
    if a.is_nan() || b <= a { a } else { b }
}

fn count(report: &RetargetReport, value: impl Fn(&EffectorReport) -> usize) -> Option<f64> {
    let frames: usize = report.effectors.iter().map(value).sum();
    (!report.effectors.is_empty()).then_some(frames as f64)
}

fn feet(report: &RetargetReport, value: impl Fn(&FootReport) -> Option<f64>) -> Option<f64> {
    worst(report.feet.iter().filter_map(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_differ() {
        for (i, metric) in METRICS.iter().enumerate() {
            assert_eq!(
                RetargetMetric::named(metric.name).map(|found| found.description),
                Some(metric.description)
            );
            assert!(METRICS[..i].iter().all(|other| other.name != metric.name), "{}", metric.name);
        }
        assert!(RetargetMetric::named("Slide").is_none());
    }

    #[test]
    fn a_value_that_is_not_a_number_is_not_ignored() {
        assert_eq!(worst([].into_iter()), None);
        assert_eq!(worst([1.0, 3.0, 2.0].into_iter()), Some(3.0));
        for values in [[f64::NAN, 1.0], [1.0, f64::NAN]] {
            assert!(worst(values.into_iter()).is_some_and(f64::is_nan), "{values:?}");
        }
    }
}
