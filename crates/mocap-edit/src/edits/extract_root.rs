//! `extract-root`.

use std::path::PathBuf;

use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Operation, Value};
use crate::{EditError, EditReport, Keep, RootCurve};

/// Write the root motion as a curve, .csv or .json (a directory with many inputs); the motion stays. Before --in-place it
/// takes the --keep of that
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ExtractRoot {
    /// Where the curve goes: .csv or .json, or a directory with one curve per input. Who applies the edit writes it
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath))]
    pub file: PathBuf,
    /// What stays in the body: height, turn, both with a comma, or none [default: height]
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHAT"))]
    pub keep: Option<Keep>,
}

impl Operation for ExtractRoot {
    const NAME: &'static str = "extract-root";
    const GROUP: Group = Group::Root;
    const VALUE: Value = Value::Field("file");
    const MODIFIERS: &'static [(&'static str, &'static str)] = &[("keep", "keep")];

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        let report = EditReport::measured(Self::NAME, clip, clip);
        let keep = self.keep.unwrap_or_default();
        Ok((clip.clone(), report.note(format!("keeps {keep} in the body"))))
    }

    fn curve(&self, motion: &Clip) -> Option<RootCurve> {
        Some(crate::root_curve(motion, self.keep.unwrap_or_default()))
    }
}
