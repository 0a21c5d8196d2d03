//! `scale`.

use mocap_model::{Clip, Factor, Space};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, LeadIn, Operation, Takes, Value};
use crate::one_space::unit_of;
use crate::{EditError, EditReport};

/// Multiply every length [above 0]; the unit stays: the character grows or shrinks
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Scale {
    /// The factor, above 0
    #[cfg_attr(feature = "clap", arg(long, value_name = "FACTOR"))]
    pub scale: Factor,
}

impl Operation for Scale {
    const NAME: &'static str = "scale";
    const GROUP: Group = Group::Skeleton;
    const TAKES: Takes = Takes::Scene;
    const VALUE: Value = Value::Field("scale");
    const LEAD_IN: LeadIn = LeadIn::Edited;

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        let Factor(factor) = self.scale;
        if !(factor.is_finite() && factor > 0.0) {
            let (edit, name, value) = (Self::NAME, "the factor", factor);
            return Err(EditError::Option { edit, name, value, expected: "above 0" });
        }
        // The unit is inferred from the size, so it is set before the size changes.
        let model = |error| EditError::model(Self::NAME, error);
        let space = Space { unit: unit_of(clip), ..*clip.skeleton().space() };
        let sized = clip.clone().with_skeleton(clip.skeleton().with_space(space).into()).map_err(model)?;
        let scaled = sized.scaled(factor).map_err(model)?;
        let report = EditReport::measured(Self::NAME, &sized, &scaled);
        Ok((scaled, report))
    }
}
