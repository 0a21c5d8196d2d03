//! `fps`.

use mocap_model::{Clip, FrameRate};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Operation, Takes, Value};
use crate::held_feet::held_at;
use crate::{EditError, EditReport};

/// Resample to a rate [frames per second, above 0]; the duration stays
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Fps {
    /// Frames per second, above 0
    #[cfg_attr(feature = "clap", arg(long, value_name = "FPS"))]
    pub fps: FrameRate,
}

impl Operation for Fps {
    const NAME: &'static str = "fps";
    const GROUP: Group = Group::Frames;
    const TAKES: Takes = Takes::Scene;
    const VALUE: Value = Value::Field("fps");

    fn frames_made(&self, clip: &Clip) -> Option<f64> {
        Some(clip.frames_at(self.fps).map_or(f64::INFINITY, |frames| frames as f64))
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        let sampled = crate::resample(clip, self.fps)?;
        let (step, last) = (clip.rate().fps() / self.fps.fps(), clip.frames().saturating_sub(1) as f64);
        let place = |frame: usize| Some((frame as f64 * step).min(last));
        let (sampled, held) = held_at(clip, sampled, Self::NAME, place)?;
        let report = EditReport::measured(Self::NAME, clip, &sampled).feet_held(held);
        Ok((sampled, report))
    }
}
