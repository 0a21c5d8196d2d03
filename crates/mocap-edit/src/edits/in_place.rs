//! `in-place`.

use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Operation, Value};
use crate::{EditError, EditReport, Keep};

/// Take the root motion out: the body moves in place above the origin and faces forward
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct InPlace {
    /// What stays in the body: height, turn, both with a comma, or none [default: height]
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHAT"))]
    pub keep: Option<Keep>,
}

impl Operation for InPlace {
    const NAME: &'static str = "in-place";
    const GROUP: Group = Group::Root;
    const VALUE: Value = Value::Switch("keep");
    const MODIFIERS: &'static [(&'static str, &'static str)] = &[("keep", "keep")];

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        crate::in_place(clip, self.keep.unwrap_or_default())
    }
}
