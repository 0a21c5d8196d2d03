//! `mirror`.

use std::str::FromStr;

use mocap_model::{Clip, text_values};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, LeadIn, Operation, Takes, Value};
use crate::{EditError, EditReport};

/// Swap left and right: the motion as a mirror shows it; --mirror=retarget places the feet and hands of a body whose sides
/// differ
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Mirror {
    /// rotations, or retarget for a body whose sides differ [default: rotations]
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW"))]
    pub by: Option<MirrorBy>,
}

/// How a mirrored motion places the joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MirrorBy {
    /// Joints take the reflected rotations of their counterparts.
    #[default]
    Rotations,
    /// The mirrored body is retargeted to the body.
    Retarget,
}

impl FromStr for MirrorBy {
    type Err = String;

    fn from_str(text: &str) -> Result<MirrorBy, String> {
        match text {
            "rotations" => Ok(MirrorBy::Rotations),
            "retarget" => Ok(MirrorBy::Retarget),
            _ => Err(format!("'{text}' is not rotations or retarget")),
        }
    }
}

text_values! {
    MirrorBy "rotations or retarget";
}

impl Operation for Mirror {
    const NAME: &'static str = "mirror";
    const GROUP: Group = Group::Skeleton;
    const TAKES: Takes = Takes::Scene;
    const KEEPS_POSES: bool = true;
    const VALUE: Value = Value::Default("by", "rotations");
    const LEAD_IN: LeadIn = LeadIn::Edited;

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        match self.by.unwrap_or_default() {
            MirrorBy::Rotations => crate::mirror(clip),
            MirrorBy::Retarget => crate::mirror_retargeted(clip),
        }
    }
}
