//! `balance`.

use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Operation, Takes};
use crate::{EditError, EditReport};

/// Bring the centre of mass over the soles where the body stands still, and let it fall freely in jumps
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Balance {}

impl Operation for Balance {
    const NAME: &'static str = "balance";
    const GROUP: Group = Group::Place;
    const PLACES_JOINTS: bool = true;
    const TAKES: Takes = Takes::EachCharacter;

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        crate::balance(clip)
    }
}
