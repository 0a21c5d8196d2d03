//! `sync`.

use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Needed, Operation, Source, Value};
use crate::{EditError, EditReport};

/// Retime the motion: its feet come down when those of this motion do
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Sync {
    /// The motion whose feet tell when feet come down
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath))]
    pub with: Source<Clip>,
}

impl Operation for Sync {
    const NAME: &'static str = "sync";
    const GROUP: Group = Group::Time;
    const KEEPS_POSES: bool = true;
    const VALUE: Value = Value::Field("with");

    fn frames_made(&self, clip: &Clip) -> Option<f64> {
        Some(self.with.get().ok()?.duration() * clip.rate().fps() + 1.0)
    }

    fn needs(&mut self) -> Vec<Needed<'_>> {
        vec![Needed::Motion(&mut self.with)]
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        crate::sync(clip, self.with.get()?)
    }
}
