//! What became of a motion, as a row and as text.

use std::collections::BTreeMap;

use mocap_retarget::Report;
use serde::Serialize;

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
    warnings: &'a [Diagnostic],
}

/// What became of a motion. Lengths are metres, angles degrees.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Measures<'a> {
    target: &'a str,
    frames: usize,
    scale: Scale,
    mapping: Vec<Mapping<'a>>,
    effectors: Vec<Effector>,
    feet: Vec<Foot>,
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
    unreachable_frames: usize,
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
}

impl<'a> Row<'a> {
    pub(super) fn new(facts: &'a Facts, report: &'a Report, warnings: &'a [Diagnostic]) -> Row<'a> {
        let measures = Measures::new(&facts.target, report);
        Row { path: &facts.path, output: &facts.output, seconds: facts.seconds, measures, warnings }
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
            unreachable_frames: row.unreachable_frames,
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
        });
        let step = &report.largest_step;
        Measures {
            target,
            frames: report.frames,
            scale: Scale { leg: report.scale.leg / unit, arm: report.scale.arm.map(|arm| arm / unit) },
            mapping: mapping.collect(),
            effectors: effectors.collect(),
            feet: feet.collect(),
            limits: Limits { violations: report.limits.violations, max_excess: report.limits.max_excess },
            angle_rms: report.angles.iter().map(|row| (row.role.name(), row.rms)).collect(),
            angle_correlation: report.angles.iter().map(|row| (row.role.name(), row.correlation)).collect(),
            jerk_ratio: report.jerk_ratio,
            largest_step: Step {
                target: step.target,
                source: step.source,
                joint: &step.joint,
                frame: step.frame,
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
        let mut lines = vec![format!("{} frames on {}", self.frames, self.target)];
        let mut line = |name: &str, value: String| lines.push(format!("  {name:<11} {value}"));
        let mapped = self.mapping.iter().filter(|row| row.source.is_some() && row.target.is_some()).count();
        let arm = self.scale.arm.map_or(String::new(), |arm| format!(", arms {arm:.3}"));
        line("mapping", format!("{mapped} roles on both skeletons"));
        line("scale", format!("legs {:.3}{arm}", self.scale.leg));
        for row in &self.effectors {
            let reach = match row.unreachable_frames {
                0 => String::new(),
                frames => format!(", out of reach in {frames} frames"),
            };
            let (mean, p95, max) = (mm(row.mean), mm(row.p95), mm(row.max));
            line(
                &spaced(row.role),
                format!("off its goal by {mean} mm on average, 95 % {p95}, most {max}{reach}"),
            );
        }
        for row in &self.feet {
            let (slide, source) = (mm(row.slide), mm(row.slide_source));
            let (float, deep) = (mm(row.float), mm(row.penetration_max));
            let name = format!("{} floor", if row.role.starts_with("Left") { "left" } else { "right" });
            line(
                &name,
                format!(
                    "{} frames of contact, slides {slide} mm/s (source {source}), floats {float} mm, sinks {deep} mm",
                    row.contact_frames
                ),
            );
        }
        let limits = match self.limits.violations {
            0 => "kept".into(),
            many => format!("broken {many} times, by {:.2}° at most", self.limits.max_excess),
        };
        line("limits", limits);
        if let Some((role, rms)) = self.angle_rms.iter().max_by(|a, b| a.1.total_cmp(b.1)) {
            line("angles", format!("differ by {rms:.2}° (rms) at most, at {}", spaced(role)));
        }
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
