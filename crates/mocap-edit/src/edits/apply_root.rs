//! `apply-root`.

use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, LeadIn, Needed, Operation, Source, Value};
use crate::{EditError, EditReport, RootCurve};

/// Put a root motion in, as --extract-root wrote it (a directory with many inputs)
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ApplyRoot {
    /// A curve as extract-root wrote it, or a directory with one per input
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath))]
    pub file: Source<RootCurve>,
}

impl Operation for ApplyRoot {
    const NAME: &'static str = "apply-root";
    const GROUP: Group = Group::Root;
    const VALUE: Value = Value::Field("file");
    const LEAD_IN: LeadIn = LeadIn::Edited;

    fn needs(&mut self) -> Vec<Needed<'_>> {
        vec![Needed::RootCurve(&mut self.file)]
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        crate::apply_root(clip, self.file.get()?)
    }
}
