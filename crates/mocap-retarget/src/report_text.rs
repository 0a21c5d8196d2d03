//! The text of a report.

use crate::text::{millimetres, spaced};
use crate::{EffectorReport, FootReport, HandReport, RetargetReport, SelfContactReport, SurfaceReport};
use std::fmt;

/// One line per figure or limb, indented, lengths in millimetres; without a final line break.
impl fmt::Display for RetargetReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<(String, String)> = Vec::new();
        let mut line = |name: &str, value: String| lines.push((name.to_owned(), value));
        if self.lead_in > 0 {
            line("lead-in", format!("{} (not measured)", frames(self.lead_in)));
        }
        let mapped = self.mapping.iter().filter(|row| row.source.is_some() && row.target.is_some()).count();
        line("mapping", format!("{mapped} roles on both skeletons"));
        line("scale", self.scale.to_string());
        for row in &self.effectors {
            line(&spaced(row.role.name()), effector(row));
        }
        for row in &self.feet {
            let side = if row.role.name().starts_with("Left") { "left" } else { "right" };
            line(&format!("{side} floor"), foot(row));
        }
        for row in self.hands.iter().filter(|row| row.contact_frames > 0) {
            let side = if row.role.name().starts_with("Left") { "left" } else { "right" };
            line(&format!("{side} palm"), palm(row));
        }
        for row in &self.self_contacts {
            line(&spaced(row.role.name()), self_contact(row));
        }
        line(
            "limits",
            match self.limits.violations {
                0 => "kept".into(),
                many => format!("exceeded in {many} joint-frames, by {:.2}° at most", self.limits.max_excess),
            },
        );
        if let Some(worst) = self.angles.iter().max_by(|a, b| a.rms.total_cmp(&b.rms)) {
            let lowest = self.angles.iter().filter_map(|row| row.correlation).fold(1.0, f64::min);
            let role = spaced(worst.role.name());
            line(
                "angles",
                format!("rms difference up to {:.2}° ({role}), correlation from {lowest:.3}", worst.rms),
            );
        }
        if let Some(jerk) = self.jerk_ratio {
            line("jerk", format!("{jerk:.2} × source (scaled)"));
        }
        let step = &self.largest_step;
        let excess = step.excess_role.map_or(String::new(), |role| {
            format!("; at most {:.1}° more than the source ({})", step.excess, spaced(role.name()))
        });
        line("step", format!("up to {:.1}° per frame (source {:.1}°){excess}", step.target, step.source));
        if let Some(surface) = &self.surface {
            line("surface", surface.text());
        }
        let lines: Vec<String> = lines.iter().map(|(name, value)| format!("  {name:<11} {value}")).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl SurfaceReport {
    /// The figures in one line.
    pub fn text(&self) -> String {
        let SurfaceReport { inside, deepest, deep_frames, let_go, legs, .. } = self;
        let mut text = format!(
            "{:.2} % of forearms and hands inside, deepest {} mm; deeper than 1 cm in {:.0} % of {}",
            100.0 * inside,
            millimetres(*deepest),
            100.0 * deep_frames,
            frames(self.frames)
        );
        if let Some(legs) = legs.filter(|legs| legs.inside > 0.0) {
            let (inside, deepest) = (100.0 * legs.inside, millimetres(legs.deepest));
            text.push_str(&format!("; {inside:.2} % of legs in each other, deepest {deepest} mm"));
        }
        if *let_go > 0 {
            text.push_str(&format!(
                "; an arm stays inside in {}: it would have to move too far",
                frames(*let_go)
            ));
        }
        text
    }
}

impl RetargetReport {
    /// The worst figures in one line.
    pub fn summary(&self) -> String {
        let skate = self.feet.iter().filter_map(|foot| foot.slide).reduce(f64::max);
        let error = self.effectors.iter().map(|effector| effector.p95).reduce(f64::max);
        let limits = match self.limits.violations {
            0 => "limits kept".into(),
            many => format!("limits exceeded in {many} joint-frames"),
        };
        let (error, skate) = (measured(error, "mm"), measured(skate, "mm/s"));
        format!("goal error p95 {error}, foot skate {skate}, {limits}")
    }
}

fn effector(row: &EffectorReport) -> String {
    let flipped = if row.role.name().ends_with("Foot") { "knee flipped" } else { "elbow flipped" };
    let counts = [
        ("out of reach", row.unreachable_frames),
        ("at a joint limit", row.limited_frames),
        ("not converged", row.capped_frames),
        (flipped, row.wrong_bend_frames),
    ];
    let counts = counts.iter().filter(|(_, count)| *count > 0);
    let counts: String = counts.map(|(what, count)| format!("; {what}: {}", frames(*count))).collect();
    let [mean, p95, max] = [row.mean, row.p95, row.max].map(millimetres);
    format!("goal error mean {mean} / p95 {p95} / max {max} mm{counts}")
}

fn foot(row: &FootReport) -> String {
    let kept = row.contacts_kept.map_or(String::new(), |kept| format!(" ({:.0} % kept)", 100.0 * kept));
    let source = row.slide_source.map_or(String::new(), |slide| format!(" (source {})", millimetres(slide)));
    format!(
        "contact {}{kept}, foot skate {}{source}, float {}, penetration {} (toe / heel); own contact {}, foot skate {}, \
         float {}",
        frames(row.contact_frames),
        measured(row.slide, "mm/s"),
        toe_and_heel([row.toe.float, row.heel.float]),
        toe_and_heel([row.toe.penetration, row.heel.penetration]),
        frames(row.own.measure.contact_frames),
        measured(row.own.measure.skate, "mm/s"),
        measured(row.own.measure.float_max, "mm"),
    )
}

fn palm(row: &HandReport) -> String {
    let kept = row.contacts_kept.map_or(String::new(), |kept| format!(" ({:.0} % kept)", 100.0 * kept));
    format!(
        "contact with the floor {}{kept}, skate {}, float {}, penetration {}",
        frames(row.contact_frames),
        measured(row.slide, "mm/s"),
        measured(row.float, "mm"),
        measured(row.penetration, "mm"),
    )
}

/// A length or speed in thousandths of its unit, or a note that it was not measured.
fn measured(value: Option<f64>, unit: &str) -> String {
    value.map_or("not measured".into(), |value| format!("{} {unit}", millimetres(value)))
}

fn toe_and_heel(lengths: [Option<f64>; 2]) -> String {
    match lengths {
        [None, None] => "not measured".into(),
        lengths => {
            let [toe, heel] = lengths.map(|length| length.map_or("not measured".into(), millimetres));
            format!("{toe} / {heel} mm")
        }
    }
}

fn self_contact(row: &SelfContactReport) -> String {
    let count = row.contacts.iter().map(|contact| contact.len()).sum();
    // An upper leg starts at the hip, so contact with its joint is contact with the hip.
    let on = spaced(row.on.name()).replace("upper leg", "hip");
    format!("self-contact with the {on} in {}, mean error {} mm", frames(count), millimetres(row.error))
}

fn frames(count: usize) -> String {
    if count == 1 { "1 frame".into() } else { format!("{count} frames") }
}

#[cfg(test)]
mod tests {
    use crate::fixtures::clip;
    use crate::{RetargetOptions, Retargeter};

    #[test]
    fn what_no_frame_shows_is_not_measured() {
        // Feet that never stand: one frame in the air.
        let jump = clip("alex_jump.bvh");
        let highest = jump.trimmed(jump.frames() / 2..jump.frames() / 2 + 1).unwrap();
        let robin = clip("robin_walk.bvh");
        let retargeter =
            Retargeter::new(highest.skeleton(), robin.skeleton(), &RetargetOptions::default()).unwrap();
        let (_, mut report) = retargeter.retarget(&highest).unwrap();
        for foot in &mut report.feet {
            assert_eq!((foot.slide, foot.slide_source, foot.own.measure.skate), (None, None, None));
            (foot.toe.float, foot.heel.float) = (None, None);
        }
        let text = report.to_string();
        assert!(text.contains("foot skate not measured, float not measured, penetration "), "{text}");
        assert!(report.summary().contains("foot skate not measured"), "{}", report.summary());
        for name in ["slide", "slide-own", "slide-ratio", "float"] {
            let gate: crate::RetargetGate = format!("{name}=1").parse().unwrap();
            let result = gate.check(&report);
            assert_eq!((result.value, result.passed), (None, false), "{name}");
        }
    }

    #[test]
    fn a_report_has_a_line_per_limb_and_names_what_went_wrong() {
        let (walk, robin) = (clip("alex_walk.bvh"), clip("robin_walk.bvh"));
        let retargeter =
            Retargeter::new(walk.skeleton(), robin.skeleton(), &RetargetOptions::default()).unwrap();
        let (_, mut report) = retargeter.retarget(&walk).unwrap();
        let foot = &mut report.effectors[0];
        (foot.mean, foot.p95, foot.max) = (0.0012, 0.0034, 0.0056);
        (foot.capped_frames, foot.wrong_bend_frames) = (1, 151);
        report.effectors[2].wrong_bend_frames = 2;
        (report.lead_in, report.limits.violations, report.limits.max_excess) = (1, 3, 4.0);
        let text = report.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "  lead-in     1 frame (not measured)");
        assert_eq!(
            lines[3],
            "  left foot   goal error mean 1.2 / p95 3.4 / max 5.6 mm; not converged: 1 frame; knee flipped: 151 frames"
        );
        assert!(
            lines[5].starts_with("  left hand   ") && lines[5].ends_with("; elbow flipped: 2 frames"),
            "{text}"
        );
        assert!(
            lines[7].starts_with("  left floor  contact 1")
                && lines[7].contains(" % kept), foot skate 0.0 mm/s (source "),
            "{text}"
        );
        assert_eq!(lines[9], "  limits      exceeded in 3 joint-frames, by 4.00° at most");
        assert_eq!(lines.len(), 13, "{text}");
        assert!(
            report.summary().starts_with("goal error p95 3.4 mm, foot skate 0.0 mm/s, limits exceeded in 3 ")
        );
    }
}
