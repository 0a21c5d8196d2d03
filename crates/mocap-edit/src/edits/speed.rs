//! `speed`.

use mocap_model::{Clip, Factor};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Operation, Takes, Value};
use crate::{EditError, EditReport};

/// Play faster (above 1) or slower (below 1) at the same frame rate [factor, above 0]
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Speed {
    /// Faster (above 1) or slower (below 1) [factor, above 0]
    #[cfg_attr(feature = "clap", arg(long, value_name = "FACTOR"))]
    pub speed: Factor,
}

impl Operation for Speed {
    const NAME: &'static str = "speed";
    const GROUP: Group = Group::Time;
    const TAKES: Takes = Takes::Scene;
    const KEEPS_POSES: bool = true;
    const VALUE: Value = Value::Field("speed");

    fn frames_made(&self, clip: &Clip) -> Option<f64> {
        let Factor(factor) = self.speed;
        (factor > 0.0).then(|| clip.frames().saturating_sub(1) as f64 / factor + 1.0)
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        crate::speed(clip, self.speed.0)
    }
}
