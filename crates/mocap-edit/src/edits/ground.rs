//! `ground`.

use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Operation};
use crate::{EditError, EditReport};

/// Move the motion up or down: the floor under its feet is at height 0
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Ground {}

impl Operation for Ground {
    const NAME: &'static str = "ground";
    const GROUP: Group = Group::Place;

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        crate::ground(clip)
    }
}
