//! What became of a motion, as a row and as text.

use std::collections::BTreeMap;

use mocap_model::Role;
use mocap_retarget::RetargetReport as Report;
use serde::Serialize;

use super::gate::Checked;
use crate::diagnostic::Diagnostic;

/// What the report does not know.
pub(super) struct Facts {
    pub(super) path: String,
    pub(super) output: String,
    pub(super) target: String,
    /// How long it took [s].
    pub(super) seconds: f64,
}

/// A row of `mocap retarget --json`. Lengths are metres, angles degrees.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: &'a str,
    output: &'a str,
    seconds: f64,
    #[serde(flatten)]
    measures: Measures<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gates: Vec<Checked>,
    warnings: &'a [Diagnostic],
}

/// What became of a motion. Lengths are metres, angles degrees.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Measures<'a> {
    target: &'a str,
    frames: usize,
    /// Frames at the start that are a rest pose: no figure below counts them.
    unmeasured_frames: usize,
    scale: Scale,
    mapping: Vec<Mapping<'a>>,
    effectors: Vec<Effector>,
    feet: Vec<Foot>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    touches: Vec<Touch>,
    limits: Limits,
    /// By role.
    angle_rms: BTreeMap<&'static str, f64>,
    /// By role.
    angle_correlation: BTreeMap<&'static str, Option<f64>>,
    jerk_ratio: Option<f64>,
    largest_step: Step<'a>,
}

/// How much longer the limbs of the target are.
#[derive(Serialize, schemars::JsonSchema)]
struct Scale {
    leg: f64,
    arm: Option<f64>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Mapping<'a> {
    role: &'static str,
    source: Option<&'a str>,
    target: Option<&'a str>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Effector {
    role: &'static str,
    mean: f64,
    p95: f64,
    max: f64,
    reached_frames: usize,
    unreachable_frames: usize,
    limited_frames: usize,
    capped_frames: usize,
    wrong_bend_frames: usize,
    iterations_mean: f64,
    iterations_max: u32,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Foot {
    role: &'static str,
    contact_frames: usize,
    /// [m/s]
    slide_source: f64,
    /// [m/s]
    slide: f64,
    slide_ratio: Option<f64>,
    float: f64,
    penetration_max: f64,
    penetration_source: f64,
    toe: Sole,
    heel: Sole,
    contacts_kept: Option<f64>,
    /// Ranges of frames, their ends not included.
    contacts: Vec<[usize; 2]>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Sole {
    float: f64,
    penetration: f64,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Touch {
    role: &'static str,
    on: &'static str,
    /// Ranges of frames, their ends not included.
    contacts: Vec<[usize; 2]>,
    error: f64,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Limits {
    violations: usize,
    max_excess: f64,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Step<'a> {
    target: f64,
    source: f64,
    joint: &'a str,
    frame: usize,
    /// The most by which a role's step exceeds the source's.
    excess: f64,
    excess_role: Option<&'static str>,
}

impl<'a> Row<'a> {
    pub(super) fn new(
        facts: &'a Facts,
        report: &'a Report,
        gates: Vec<Checked>,
        warnings: &'a [Diagnostic],
    ) -> Row<'a> {
        let measures = Measures::new(&facts.target, report);
        Row { path: &facts.path, output: &facts.output, seconds: facts.seconds, measures, gates, warnings }
    }

    /// The row for people: lengths in millimetres.
    pub(super) fn text(&self) -> String {
        format!("{} -> {}: {}", self.path, self.output, self.measures.text())
    }
}

impl<'a> Measures<'a> {
    /// The report of a motion on a target.
    pub(crate) fn new(target: &'a str, report: &'a Report) -> Measures<'a> {
        // The ratios of the report carry the change of unit; here they are of lengths in one unit.
        let unit = report.scale.unit;
        let mapping = report.mapping.iter().map(|row| Mapping {
            role: row.role.name(),
            source: row.source.as_deref(),
            target: row.target.as_deref(),
        });
        let effectors = report.effectors.iter().map(|row| Effector {
            role: row.role.name(),
            mean: row.mean,
            p95: row.p95,
            max: row.max,
            reached_frames: row.reached_frames,
            unreachable_frames: row.unreachable_frames,
            limited_frames: row.limited_frames,
            capped_frames: row.capped_frames,
            wrong_bend_frames: row.wrong_bend_frames,
            iterations_mean: row.iterations_mean,
            iterations_max: row.iterations_max,
        });
        let feet = report.feet.iter().map(|row| Foot {
            role: row.role.name(),
            contact_frames: row.contact_frames,
            slide_source: row.slide_source,
            slide: row.slide,
            slide_ratio: row.slide_ratio,
            float: row.float,
            penetration_max: row.penetration_max,
            penetration_source: row.penetration_source,
            toe: Sole { float: row.toe.float, penetration: row.toe.penetration },
            heel: Sole { float: row.heel.float, penetration: row.heel.penetration },
            contacts_kept: row.contacts_kept,
            contacts: row.contacts.iter().map(|run| [run.start, run.end]).collect(),
        });
        let touches = report.self_contacts.iter().map(|row| Touch {
            role: row.role.name(),
            on: row.on.name(),
            contacts: row.contacts.iter().map(|run| [run.start, run.end]).collect(),
            error: row.error,
        });
        let step = &report.largest_step;
        Measures {
            target,
            frames: report.frames,
            unmeasured_frames: report.lead_in,
            scale: Scale { leg: report.scale.leg / unit, arm: report.scale.arm.map(|arm| arm / unit) },
            mapping: mapping.collect(),
            effectors: effectors.collect(),
            feet: feet.collect(),
            touches: touches.collect(),
            limits: Limits { violations: report.limits.violations, max_excess: report.limits.max_excess },
            angle_rms: report.angles.iter().map(|row| (row.role.name(), row.rms)).collect(),
            angle_correlation: report.angles.iter().map(|row| (row.role.name(), row.correlation)).collect(),
            jerk_ratio: report.jerk_ratio,
            largest_step: Step {
                target: step.target,
                source: step.source,
                joint: &step.joint,
                frame: step.frame,
                excess: step.excess,
                excess_role: step.excess_role.map(Role::name),
            },
        }
    }

    /// The same in one line.
    pub(crate) fn line(&self) -> String {
        let slide = self.feet.iter().map(|foot| foot.slide).fold(0.0, f64::max);
        let off = self.effectors.iter().map(|effector| effector.p95).fold(0.0, f64::max);
        let limits = match self.limits.violations {
            0 => "limits kept".into(),
            many => format!("limits broken {many} times"),
        };
        let (target, off, slide) = (self.target, mm(off), mm(slide));
        format!("on {target}: 95 % within {off} mm of their goals, feet slide {slide} mm/s at most, {limits}")
    }

    /// The same for people: lengths in millimetres.
    pub(crate) fn text(&self) -> String {
        let unmeasured = match self.unmeasured_frames {
            0 => String::new(),
            1 => ", the first not measured".into(),
            many => format!(", the first {many} not measured"),
        };
        let mut lines = vec![format!("{} frames on {}{unmeasured}", self.frames, self.target)];
        let mut line = |name: &str, value: String| lines.push(format!("  {name:<11} {value}"));
        let mapped = self.mapping.iter().filter(|row| row.source.is_some() && row.target.is_some()).count();
        let arm = self.scale.arm.map_or(String::new(), |arm| format!(", arms {arm:.3}"));
        line("mapping", format!("{mapped} roles on both skeletons"));
        line("scale", format!("legs {:.3}{arm}", self.scale.leg));
        for row in &self.effectors {
            let counts = [
                ("out of reach", row.unreachable_frames),
                ("held by limits", row.limited_frames),
                ("given up", row.capped_frames),
                ("bent the wrong way", row.wrong_bend_frames),
            ];
            let counts = counts.iter().filter(|(_, frames)| *frames > 0);
            let reach: String = counts.map(|(what, frames)| format!(", {what} in {frames} frames")).collect();
            let (mean, p95, max) = (mm(row.mean), mm(row.p95), mm(row.max));
            line(
                &spaced(row.role),
                format!("off its goal by {mean} mm on average, 95 % {p95}, most {max}{reach}"),
            );
        }
        for row in &self.feet {
            let (slide, source) = (mm(row.slide), mm(row.slide_source));
            let float = [row.toe.float, row.heel.float].map(mm).join(" / ");
            let deep = [row.toe.penetration, row.heel.penetration].map(mm).join(" / ");
            let name = format!("{} floor", if row.role.starts_with("Left") { "left" } else { "right" });
            line(
                &name,
                format!(
                    "{} frames of contact{}, slides {slide} mm/s (source {source}), floats {float} mm and sinks {deep} mm \
                     (toe / heel)",
                    row.contact_frames,
                    row.contacts_kept.map_or(String::new(), |kept| format!(", {:.0} % kept", 100.0 * kept)),
                ),
            );
        }
        for row in &self.touches {
            let frames: usize = row.contacts.iter().map(|[from, to]| to - from).sum();
            let (on, off) = (spaced(row.on), mm(row.error));
            let on = if row.on.ends_with("UpperLeg") { on.replace("upper leg", "hip") } else { on };
            line(
                &spaced(row.role),
                format!("touches the {on} in {frames} frames, off by {off} mm on average"),
            );
        }
        let limits = match self.limits.violations {
            0 => "kept".into(),
            many => format!("broken {many} times, by {:.2}° at most", self.limits.max_excess),
        };
        line("limits", limits);
        if let Some((role, rms)) = self.angle_rms.iter().max_by(|a, b| a.1.total_cmp(b.1)) {
            let lowest = self.angle_correlation.values().flatten().copied().fold(1.0, f64::min);
            let alike = format!("differ by {rms:.2}° (rms) at most, at {}", spaced(role));
            line("angles", format!("{alike}; correlate by {lowest:.3} at least"));
        }
        if let Some(jerk) = self.jerk_ratio {
            line("jerk", format!("{jerk:.2} of the source's, scaled"));
        }
        let step = &self.largest_step;
        let over = step.excess_role.map_or(String::new(), |role| {
            format!("; at most {:.1}° more than the source's, at {}", step.excess, spaced(role))
        });
        line("step", format!("{:.1}° in one frame at most (source {:.1}°){over}", step.target, step.source));
        lines.join("\n")
    }
}

/// A length [m] in millimetres, to a tenth.
fn mm(metres: f64) -> String {
    format!("{:.1}", metres * 1000.0)
}

/// `LeftUpperLeg` as words.
fn spaced(role: &str) -> String {
    let mut words = String::new();
    for letter in role.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_become_words() {
        assert_eq!(spaced("LeftUpperLeg"), "left upper leg");
        assert_eq!(spaced("Hips"), "hips");
    }
}
