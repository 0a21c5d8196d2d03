//! `add`.

use mocap_model::{Clip, Finite};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Needed, Operation, Source, Value};
use crate::{EditError, EditReport, Layer, LayerSpace, Mask};

/// Add a pose (its difference from its rest pose) or a motion (its difference from its first frame)
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Add {
    /// A pose (its difference from its rest pose) or a motion (its difference from its first frame)
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath))]
    pub file: Source<Clip>,
    /// How much of it is added [default: 1]
    #[cfg_attr(feature = "clap", arg(long, value_name = "FACTOR", allow_negative_numbers = true))]
    pub weight: Option<Finite>,
    /// Its joints: roles, names or globs with commas; NAME/** takes all below [default: all]
    #[cfg_attr(feature = "clap", arg(long, value_name = "JOINTS"))]
    pub mask: Option<Mask>,
    /// Where it is added. local: relative to the parent of each joint; mesh: in the space of the body, however the parents
    /// are turned [default: local]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SPACE"))]
    pub space: Option<LayerSpace>,
}

/// The largest weight, of either sign: above, a difference of a thousandth turns joints by radians.
const MOST: f64 = 1000.0;

impl Operation for Add {
    const NAME: &'static str = "add";
    const GROUP: Group = Group::Layers;
    const VALUE: Value = Value::Field("file");
    const MODIFIERS: &'static [(&'static str, &'static str)] =
        &[("weight", "weight"), ("mask", "mask"), ("add-space", "space")];

    fn needs(&mut self) -> Vec<Needed<'_>> {
        vec![Needed::Motion(&mut self.file)]
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        let weight = self.weight.map_or(1.0, |weight| weight.0);
        if weight.abs() > MOST {
            let (edit, name, expected) = (Self::NAME, "the weight", "from -1000 to 1000");
            return Err(EditError::Option { edit, name, value: weight, expected });
        }
        let layer = Layer {
            clip: self.file.get()?.clone(),
            weight,
            mask: self.mask.clone(),
            space: self.space.unwrap_or_default(),
        };
        crate::add(clip, &layer)
    }
}
