//! A row of `mocap skel --json`, and the same as text.

use mocap::SkeletonSummary;
use serde::Serialize;

use crate::diagnostic::Diagnostic;

/// A row of `mocap skel --json`.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    pub(super) path: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) output: &'a str,
    #[serde(flatten)]
    pub(super) summary: SkeletonSummary<'a>,
    pub(super) warnings: &'a [Diagnostic],
}

impl Row<'_> {
    /// The row for people.
    pub(super) fn text(&self) -> String {
        let to = if self.output.is_empty() { String::new() } else { format!(" -> {}", self.output) };
        format!("{}{to}\n{}", self.path, self.summary)
    }
}
