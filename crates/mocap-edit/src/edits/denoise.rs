//! `denoise`.

use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Operation, Takes, Value};
use crate::{Denoise as Method, EditError, EditReport};

/// Remove jitter and spikes: auto (estimates the noise of every joint), butterworth:HZ, savgol[:SECONDS],
/// gaussian[:SECONDS] or one-euro[:HZ,BETA]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Denoise {
    /// auto, butterworth:HZ, savgol[:SECONDS], gaussian[:SECONDS] or one-euro[:HZ,BETA] [default: auto]
    #[cfg_attr(feature = "clap", arg(long, value_name = "METHOD"))]
    pub denoise: Option<Method>,
}

impl Operation for Denoise {
    const NAME: &'static str = "denoise";
    const GROUP: Group = Group::Signal;
    const TAKES: Takes = Takes::EachCharacter;
    const VALUE: Value = Value::Field("denoise");

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        crate::denoise(clip, self.denoise.unwrap_or_default())
    }
}
