//! `root-joint`.

use std::str::FromStr;

use mocap_model::{Clip, text_values};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, LeadIn, Operation, Takes, Value};
use crate::{EditError, EditReport, Keep};

/// The name of the joint.
const ROOT: &str = "root";

/// Add a joint on the ground that carries the root motion, as engines expect: add
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RootJoint {
    /// What is done: add
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHAT"))]
    pub root_joint: RootJointChange,
    /// What stays in the body: height, turn, both with a comma, or none [default: height]
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHAT"))]
    pub keep: Option<Keep>,
}

/// What is done with the joint on the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootJointChange {
    /// It is added.
    #[default]
    Add,
}

impl FromStr for RootJointChange {
    type Err = String;

    fn from_str(text: &str) -> Result<RootJointChange, String> {
        match text {
            "add" => Ok(RootJointChange::Add),
            _ => Err(format!("'{text}' is not add")),
        }
    }
}

text_values! {
    RootJointChange "add";
}

impl Operation for RootJoint {
    const NAME: &'static str = "root-joint";
    const GROUP: Group = Group::Root;
    const TAKES: Takes = Takes::EachCharacter;
    const VALUE: Value = Value::Field("root-joint");
    const MODIFIERS: &'static [(&'static str, &'static str)] = &[("keep", "keep")];
    const LEAD_IN: LeadIn = LeadIn::Apart;

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        let RootJointChange::Add = self.root_joint;
        crate::add_root_joint(clip, ROOT, self.keep.unwrap_or_default())
    }
}
