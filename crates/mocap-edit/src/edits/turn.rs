//! `turn`.

use mocap_model::{Clip, Finite};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Operation, Value};
use crate::{EditError, EditReport};

/// Bend the path: from start to end the motion turns this much more to the left [degrees]
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Turn {
    /// From start to end the motion turns this much more to the left [degrees]
    #[cfg_attr(feature = "clap", arg(long, value_name = "DEGREES", allow_negative_numbers = true))]
    pub turn: Finite,
}

/// The most that a path is bent \[°\]: no motion has space for more turns.
const MOST: f64 = 36_000.0;

impl Operation for Turn {
    const NAME: &'static str = "turn";
    const GROUP: Group = Group::Place;
    const VALUE: Value = Value::Field("turn");

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        let value = self.turn.0;
        if value.abs() > MOST {
            let (edit, name, expected) = (Self::NAME, "the angle", "at most 36000 degrees, 100 turns");
            return Err(EditError::Option { edit, name, value, expected });
        }
        crate::turn(clip, value.to_radians())
    }
}
