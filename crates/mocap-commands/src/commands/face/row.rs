//! What `mocap face` reports of an input.

use schemars::JsonSchema;
use serde::Serialize;

use super::lids::LidsRow;
use super::map::LinkRow;
use super::shapes::TransferRow;
use crate::diagnostic::Diagnostic;

/// How far the face is from the points, over all frames.
#[derive(Serialize, JsonSchema)]
pub(super) struct ResidualRow {
    /// Root mean square [m].
    pub(super) rms: f64,
    /// Root mean square of the worst frame [m].
    pub(super) max: f64,
    /// The worst frame, from 0.
    pub(super) frame: usize,
}

/// A line of `mocap face --json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Row<'a> {
    pub(super) path: String,
    pub(super) target: &'a str,
    /// Empty with --explain.
    pub(super) output: String,
    pub(super) frames: usize,
    pub(super) fps: f64,
    /// Which shape moves which; null with --solve.
    pub(super) map: Option<Vec<LinkRow>>,
    /// Shapes of the source that move nothing.
    pub(super) unused: Vec<String>,
    /// Shapes of the target that nothing moves, or that no point shows.
    pub(super) unmoved: Vec<String>,
    /// Eyes that the source closes, and what is left between their lids.
    pub(super) lids: Vec<LidsRow>,
    /// How far the face is from the points; null without --solve.
    pub(super) residual: Option<ResidualRow>,
    /// What --make-shapes made; null without it.
    pub(super) transferred: Option<TransferRow>,
    pub(super) seconds: f64,
    pub(super) warnings: &'a [Diagnostic],
}

impl Row<'_> {
    pub(super) fn text(&self, shapes: usize) -> String {
        let moved = shapes - self.unmoved.len();
        let mut text = format!(
            "{} -> {}: {} frames at {} fps, {moved} of {shapes} shapes move",
            self.path,
            self.output,
            self.frames,
            mocap::short(self.fps),
        );
        if let Some(residual) = &self.residual {
            text += &format!(", points {} mm off (rms)", mocap::short(residual.rms * 1e3));
        }
        for (names, what) in [(&self.unmoved, "nothing moves"), (&self.unused, "nothing takes")] {
            if !names.is_empty() {
                text += &format!("\n  {what}: {}", names.join(", "));
            }
        }
        text
    }
}
