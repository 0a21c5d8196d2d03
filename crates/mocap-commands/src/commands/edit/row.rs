//! The row of an edited motion.

use mocap::short;
use mocap_edit::{EditMetric, EditReport};
use mocap_retarget::GateResult;
use schemars::JsonSchema;
use serde::Serialize;

use crate::batch::Figure;
use crate::diagnostic::Diagnostic;

/// A row of `mocap edit --json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Row<'a> {
    pub(super) path: String,
    /// Empty where a gate was missed: nothing was written then.
    pub(super) output: String,
    pub(super) frames: usize,
    pub(super) fps: f64,
    /// Without End Sites.
    pub(super) joints: usize,
    /// The characters of a file of several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) subjects: Vec<String>,
    /// The number of edits of each character.
    #[serde(skip)]
    pub(super) counts: Vec<usize>,
    /// What each edit changed, in the order in which they were applied; of several characters, those of the first one,
    /// then those of the next. Edits that take characters together are among those of the first one.
    pub(super) edits: &'a [EditReport],
    pub(super) gates: Vec<GateResult>,
    pub(super) input_bytes: u64,
    pub(super) bytes: u64,
    pub(super) warnings: &'a [Diagnostic],
}

impl Row<'_> {
    pub(super) fn text(&self) -> String {
        self.line() + &reports_of(&self.subjects, &self.counts, self.edits)
    }

    /// The row in one line, among many.
    pub(super) fn line(&self) -> String {
        let Row { path, output, frames, joints, .. } = self;
        let written = if output.is_empty() { "not written" } else { output };
        format!("{path} -> {written}: {frames} frames at {} fps, {joints} joints", short(self.fps))
    }
}

/// Figures of edits for the table of the worst clips.
pub(crate) fn figures(reports: &[EditReport]) -> Vec<Figure> {
    let figure = |metric: &EditMetric| {
        Some(Figure { name: metric.name, unit: metric.unit, value: metric.of(reports)? })
    };
    EditMetric::ALL.iter().filter_map(figure).collect()
}

/// One line per report. For several characters, `reports` holds those of the first one, then those of the next, and
/// `counts` how many each has; the names stand above their lines.
pub(crate) fn reports_of(subjects: &[String], counts: &[usize], reports: &[EditReport]) -> String {
    if subjects.is_empty() {
        return reports_text(reports);
    }
    let mut rest = reports;
    let mut text = String::new();
    for (name, count) in subjects.iter().zip(counts) {
        let (own, others) = rest.split_at((*count).min(rest.len()));
        rest = others;
        if !own.is_empty() {
            text += &format!("\n {name}:{}", reports_text(own));
        }
    }
    text
}

/// One line per report.
fn reports_text(reports: &[EditReport]) -> String {
    reports.iter().map(|report| format!("\n  {report}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_stand_below_their_characters() {
        let report = |name| EditReport { name, ..EditReport::default() };
        // The first character has an edit more: one that takes both.
        let reports = ["attach", "mirror", "mirror"].map(report);
        let names = ["Alice", "Bob"].map(String::from);
        let text = reports_of(&names, &[2, 1], &reports);
        let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_end_matches(':')).collect();
        let known = words.into_iter().filter(|word| {
            names.iter().any(|name| name == word) || reports.iter().any(|report| report.name == *word)
        });
        assert_eq!(known.collect::<Vec<_>>(), ["Alice", "attach", "mirror", "Bob", "mirror"], "{text}");
        // Only an edit that takes both.
        let text = reports_of(&names, &[1, 0], &reports[..1]);
        assert!(text.contains("attach") && text.contains("Alice") && !text.contains("Bob"), "{text}");
    }
}
