//! `heading`.

use mocap_model::{Clip, SignedAxis};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Operation, Value};
use crate::{EditError, EditReport};

/// Turn the motion about the up axis: at its start the body faces this axis (Z, -X …)
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Heading {
    /// The axis that the body faces at its start: Z, -X …
    #[cfg_attr(feature = "clap", arg(long, value_name = "AXIS", allow_hyphen_values = true))]
    pub heading: SignedAxis,
}

impl Operation for Heading {
    const NAME: &'static str = "heading";
    const GROUP: Group = Group::Place;
    const VALUE: Value = Value::Field("heading");

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        crate::face(clip, self.heading)
    }
}
