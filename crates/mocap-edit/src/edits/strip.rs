//! `strip`.

use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, LeadIn, Operation, Takes, Value};
use crate::{EditError, EditReport, Strip as Joints};

/// Leave joints out: fingers, twist or props; the others stay where they are
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Strip {
    /// What is left out: fingers, twist or props
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHAT"))]
    pub strip: Joints,
}

impl Operation for Strip {
    const NAME: &'static str = "strip";
    const GROUP: Group = Group::Skeleton;
    const TAKES: Takes = Takes::EachCharacter;
    const VALUE: Value = Value::Field("strip");
    const LEAD_IN: LeadIn = LeadIn::Edited;

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        crate::strip(clip, self.strip)
    }
}
