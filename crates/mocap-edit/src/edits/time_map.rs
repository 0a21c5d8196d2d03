//! `time-map`.

use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Needed, Operation, Source, Takes, Value};
use crate::{EditError, EditReport, TimeMap as Map};

/// Retime by a CSV with rows 'time in the output, time in the input' [s]; the first increases, the second never decreases
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TimeMap {
    /// A CSV with rows 'time in the output, time in the input' [s]; the first increases, the second never decreases
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath))]
    pub file: Source<Map>,
}

impl Operation for TimeMap {
    const NAME: &'static str = "time-map";
    const GROUP: Group = Group::Time;
    const TAKES: Takes = Takes::Scene;
    const KEEPS_POSES: bool = true;
    const VALUE: Value = Value::Field("file");

    fn frames_made(&self, clip: &Clip) -> Option<f64> {
        Some(self.file.get().ok()?.duration() * clip.rate().fps() + 1.0)
    }

    fn needs(&mut self) -> Vec<Needed<'_>> {
        vec![Needed::TimeMap(&mut self.file)]
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        crate::map_times(clip, self.file.get()?)
    }
}
