//! `blend`.

use mocap_model::{Clip, Finite, Seconds};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, LeadIn, Needed, Operation, Source, Value};
use crate::{BlendOptions, EditError, EditReport, Timing};

/// Blend with another motion, half and half or by --weight [0 to 1]: see `mocap blend --help`
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Blend {
    /// The motion to blend with
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath))]
    pub with: Source<Clip>,
    /// Its weight [0 to 1; default 0.5]
    #[cfg_attr(feature = "clap", arg(long, value_name = "WEIGHT", allow_negative_numbers = true))]
    pub weight: Option<Finite>,
    /// phase, registration, stretch or seconds: see `mocap blend --help` [default: phase]
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW"))]
    pub timing: Option<Timing>,
    /// Do not repeat motions
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub no_repeat: bool,
    /// Do not lock feet
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub no_lock: bool,
    /// Length of the blend: the best cycle of both is repeated as often as that needs [s; default: as long as the motion
    /// with the most strides]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SECONDS", allow_negative_numbers = true))]
    pub duration: Option<Seconds>,
}

impl Operation for Blend {
    const NAME: &'static str = "blend";
    const GROUP: Group = Group::Layers;
    const VALUE: Value = Value::Field("with");
    const MODIFIERS: &'static [(&'static str, &'static str)] = &[("weight", "weight")];
    const OPPOSITES: &'static [(&'static str, &'static str)] =
        &[("lock-feet", "no-lock"), ("repeat", "no-repeat")];
    const LEAD_IN: LeadIn = LeadIn::Dropped;
    // It has none.
    const MAKES_EVENTS: bool = true;

    fn frames_made(&self, clip: &Clip) -> Option<f64> {
        Some(self.duration?.0 * clip.rate().fps() + 1.0)
    }

    fn needs(&mut self) -> Vec<Needed<'_>> {
        vec![Needed::Motion(&mut self.with)]
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        let weight = self.weight.map_or(0.5, |weight| weight.0);
        let options = BlendOptions {
            timing: self.timing.unwrap_or_default(),
            repeat: !self.no_repeat,
            lock_feet: !self.no_lock,
            duration: self.duration.map(|seconds| seconds.0),
        };
        crate::blend(&[clip.clone(), self.with.get()?.clone()], &[1.0 - weight, weight], &options)
    }
}
