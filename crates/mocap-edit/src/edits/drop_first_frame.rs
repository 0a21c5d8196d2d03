//! `drop-first-frame`.

use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, LeadIn, Operation, Takes};
use crate::{EditError, EditReport};

/// Drop the first frame: in BVH conversions of the CMU database it is a rest pose
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct DropFirstFrame {}

impl Operation for DropFirstFrame {
    const NAME: &'static str = "drop-first-frame";
    const GROUP: Group = Group::Frames;
    const TAKES: Takes = Takes::Scene;
    const LEAD_IN: LeadIn = LeadIn::Edited;

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        let cut = crate::drop_first_frame(clip)?;
        let report = EditReport::measured(Self::NAME, clip, &cut);
        Ok((cut, report))
    }

    fn lead_in_after(&self, _: &Clip, before: usize) -> usize {
        before.saturating_sub(1)
    }
}
