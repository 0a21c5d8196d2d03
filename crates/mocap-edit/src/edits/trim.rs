//! `trim`.

use mocap_model::{Clip, FrameRange};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, LeadIn, Operation, Takes, Value};
use crate::{EditError, EditReport};

/// Keep only this range, end excluded: frames from 0 (10:250), seconds (0.5s:2s), or open (1:)
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Trim {
    /// Frames from 0 (10:250), seconds (0.5s:2s), or open (1:), end excluded
    #[cfg_attr(feature = "clap", arg(long, value_name = "A:B"))]
    pub trim: FrameRange,
}

impl Operation for Trim {
    const NAME: &'static str = "trim";
    const GROUP: Group = Group::Frames;
    const TAKES: Takes = Takes::Scene;
    const VALUE: Value = Value::Field("trim");
    const LEAD_IN: LeadIn = LeadIn::Edited;

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        let cut = crate::trim(clip, &self.trim)?;
        let mut report = EditReport::measured(Self::NAME, clip, &cut);
        let (frames, fps) = (clip.frames(), clip.rate().fps());
        if self.trim.ends_after(frames, fps) {
            let message = format!(
                "the range ends after the motion, which has {frames} frames ({:.2} s)",
                frames as f64 / fps
            );
            report.warn("edit::trim-past-end", message);
        }
        Ok((cut, report))
    }

    fn lead_in_after(&self, clip: &Clip, before: usize) -> usize {
        let start = self.trim.frames(clip.frames(), clip.rate().fps()).map_or(0, |range| range.start);
        before.saturating_sub(start)
    }
}
