//! `bands`.

use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Operation, Takes, Value};
use crate::{EditError, EditReport, Gains};

/// Scale frequency bands, such as high=0,mid=1.5: see `mocap bands --help`
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Bands {
    /// Gain of each band, with commas: BAND=GAIN, where BAND is high, mid, low, A..B [Hz], or a number from 0 (the
    /// fastest band)
    #[cfg_attr(feature = "clap", arg(long, value_name = "BAND=GAIN,…"))]
    pub gain: Gains,
}

impl Operation for Bands {
    const NAME: &'static str = "bands";
    const GROUP: Group = Group::Signal;
    const TAKES: Takes = Takes::EachCharacter;
    const VALUE: Value = Value::Field("gain");

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        crate::bands(clip, &self.gain)
    }
}
