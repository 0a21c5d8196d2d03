//! `detach`.

use std::str::FromStr;

use mocap_model::{Clip, Scene, text_values};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, LeadIn, Operation, Takes, Value};
use crate::binding::BindPoint;
use crate::{EditError, EditReport};

/// Detach a joint: it and all below it become a tree of their own that moves as before
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Detach {
    /// A joint, or CHARACTER@JOINT
    #[cfg_attr(feature = "clap", arg(long, value_name = "JOINT"))]
    pub detach: Freed,
}

/// What is freed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freed(pub BindPoint);

impl FromStr for Freed {
    type Err = String;

    fn from_str(text: &str) -> Result<Freed, String> {
        text.parse().map(Freed)
    }
}

text_values! {
    Freed "a joint, or CHARACTER@JOINT";
}

impl Operation for Detach {
    const NAME: &'static str = "detach";
    const GROUP: Group = Group::Together;
    const TAKES: Takes = Takes::Together;
    const VALUE: Value = Value::Field("detach");
    const LEAD_IN: LeadIn = LeadIn::Edited;

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        let (scene, report) = crate::binding::detach(&Scene::from(clip.clone()), &self.detach.0)?;
        let one = scene.into_one().map_err(|error| EditError::model(Self::NAME, error))?;
        Ok((one.clip, report))
    }

    fn apply_to_scene(&self, scene: &Scene) -> Result<(Scene, EditReport), EditError> {
        crate::binding::detach(scene, &self.detach.0)
    }
}
