//! `repeat`.

use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, LeadIn, Operation, Value};
use crate::{EditError, EditReport};

/// Play a loop several times, each on from where the last one ended [at least 1]
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Repeat {
    /// How often the loop is played [at least 1]
    #[cfg_attr(feature = "clap", arg(long, value_name = "TIMES", value_parser = clap::value_parser!(u32).range(1..)))]
    pub repeat: u32,
}

impl Operation for Repeat {
    const NAME: &'static str = "repeat";
    const GROUP: Group = Group::Time;
    const VALUE: Value = Value::Field("repeat");
    const LEAD_IN: LeadIn = LeadIn::Dropped;

    fn frames_made(&self, clip: &Clip) -> Option<f64> {
        Some(clip.frames().saturating_sub(1) as f64 * f64::from(self.repeat) + 1.0)
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        crate::repeat(clip, self.repeat)
    }
}
