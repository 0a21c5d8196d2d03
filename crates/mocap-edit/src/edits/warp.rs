//! `warp`.

use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Needed, Operation, Source, Value};
use crate::{EditError, EditReport, Warp as Keys, WarpIk};

/// Move hands, feet, hips or other joints to the keys in a TOML file: see `mocap warp --help`
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Warp {
    /// A TOML file of keys
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath))]
    pub keys: Source<Keys>,
    /// What brings joints to places: two-bone (the limb), objective or xpbd (the whole body) [default: two-bone; objective
    /// where the keys name poses]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SOLVER"))]
    pub ik: Option<WarpIk>,
}

impl Operation for Warp {
    const NAME: &'static str = "warp";
    const GROUP: Group = Group::Layers;
    const PLACES_JOINTS: bool = true;
    const VALUE: Value = Value::Field("keys");
    const MODIFIERS: &'static [(&'static str, &'static str)] = &[("ik", "ik")];

    fn needs(&mut self) -> Vec<Needed<'_>> {
        vec![Needed::Warp(&mut self.keys)]
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        let keys = self.keys.get()?;
        match self.ik {
            Some(_) => crate::warp(clip, &Keys { ik: self.ik, ..keys.clone() }),
            None => crate::warp(clip, keys),
        }
    }
}
