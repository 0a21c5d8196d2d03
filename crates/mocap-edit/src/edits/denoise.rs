//! `denoise`.

use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Deserialize;

use mocap_poses::PosePrior;

use super::{Group, Needed, Operation, Source, Takes, Value};
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
    /// Example poses, as `mocap poses` writes them: auto fills dropouts of joints and limbs of up to 5 s from them
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath))]
    pub poses: Option<Source<PosePrior>>,
}

impl Operation for Denoise {
    const NAME: &'static str = "denoise";
    const GROUP: Group = Group::Signal;
    const TAKES: Takes = Takes::EachCharacter;
    const VALUE: Value = Value::Field("denoise");
    const MODIFIERS: &'static [(&'static str, &'static str)] = &[("poses", "poses")];

    fn needs(&mut self) -> Vec<Needed<'_>> {
        self.poses.iter_mut().map(Needed::Poses).collect()
    }

    fn check(&self) -> Result<(), EditError> {
        match (self.denoise.unwrap_or_default(), &self.poses) {
            (Method::Auto, _) | (_, None) => Ok(()),
            (method, Some(_)) => {
                let reason = format!("poses fill what auto finds to be lost, and the method is {method}");
                Err(EditError::Usage { edit: Self::NAME, reason })
            }
        }
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        let poses = self.poses.as_ref().map(Source::get).transpose()?;
        crate::denoise_with(clip, self.denoise.unwrap_or_default(), poses)
    }
}
