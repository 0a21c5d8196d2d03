//! `fix-feet`.

use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Operation, Takes};
use crate::{EditError, EditReport};

/// Lock planted feet: legs are solved anew, the hips follow a little
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct FixFeet {}

impl Operation for FixFeet {
    const NAME: &'static str = "fix-feet";
    const GROUP: Group = Group::Place;
    const PLACES_JOINTS: bool = true;
    const TAKES: Takes = Takes::EachCharacter;

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        crate::fix_feet(clip)
    }
}
