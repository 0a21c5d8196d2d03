//! `start-at`.

use std::str::FromStr;

use mocap_model::{Clip, text_values};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Operation, Value};
use crate::{EditError, EditReport};

/// Move the start of the motion above the origin: origin
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct StartAt {
    /// Where the motion starts: origin
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHERE"))]
    pub start_at: Start,
}

/// Where a motion starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// Above the origin.
    #[default]
    Origin,
}

impl FromStr for Start {
    type Err = String;

    fn from_str(text: &str) -> Result<Start, String> {
        match text {
            "origin" => Ok(Start::Origin),
            _ => Err(format!("'{text}' is not origin")),
        }
    }
}

text_values! {
    Start "origin";
}

impl Operation for StartAt {
    const NAME: &'static str = "start-at";
    const GROUP: Group = Group::Place;
    const VALUE: Value = Value::Field("start-at");

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        let Start::Origin = self.start_at;
        crate::start_at_origin(clip)
    }
}
