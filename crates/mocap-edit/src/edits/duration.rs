//! `duration`.

use mocap_model::{Clip, Seconds};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Operation, Takes, Value};
use crate::{EditError, EditReport};

/// Give the motion another duration, such as 2s [s, above 0]
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Duration {
    /// The duration, such as 2s [s, above 0]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SECONDS", allow_negative_numbers = true))]
    pub duration: Seconds,
}

impl Operation for Duration {
    const NAME: &'static str = "duration";
    const GROUP: Group = Group::Time;
    const TAKES: Takes = Takes::Scene;
    const KEEPS_POSES: bool = true;
    const VALUE: Value = Value::Field("duration");

    fn frames_made(&self, clip: &Clip) -> Option<f64> {
        Some(self.duration.0 * clip.rate().fps() + 1.0)
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        crate::duration(clip, self.duration.0)
    }
}
