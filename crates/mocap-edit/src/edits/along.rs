//! `along`.

use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Needed, Operation, Source, Value};
use crate::{EditError, EditReport, Path};

/// Move the motion along a path: a CSV with rows 'x, y, z' in the unit of the motion
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Along {
    /// A CSV with rows 'x, y, z' in the unit of the motion
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath))]
    pub file: Source<Path>,
}

impl Operation for Along {
    const NAME: &'static str = "along";
    const GROUP: Group = Group::Place;
    const VALUE: Value = Value::Field("file");

    fn needs(&mut self) -> Vec<Needed<'_>> {
        vec![Needed::Path(&mut self.file)]
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        crate::along(clip, self.file.get()?)
    }
}
