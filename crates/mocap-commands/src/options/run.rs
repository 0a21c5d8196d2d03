//! `mocap run`, and the settings of steps that no verb has.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use mocap_formats::Format;
use mocap_model::EulerOrder;
use mocap_search::labels::LabelExpression;
use serde::Deserialize;

use super::{
    ArrayStyle, BoundSettings, BvhStyle, CompareSettings, GateSettings, MapSettings, MethodSettings, Outputs,
    RobotSettings, SceneFlags, Selection, TargetSettings, setting,
};

/// Process clips with the steps of a pipeline file, in one pass per clip
///
/// The steps (read, solve, edit, single edits such as denoise and loop, keep, retarget, face, compress, write, compare) take the
/// options of the commands that do the same. Each clip is read once, and all outputs are written from memory. A clip that fails a
/// gate is not written, and the exit code is 3. `mocap generate schema pipeline` describes the file.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap run pipeline.toml database/ -o out/\n\
    \x20 mocap run pipeline.toml --set rate=30 --explain\n\
    \x20 mocap run pipeline.toml database/ -o out/ --report site/\n\
    \x20 mocap run pipeline.toml -o out/ --resume --shard 1/3")]
pub(crate) struct Args {
    /// Pipeline: a TOML file
    #[arg(value_name = "PIPELINE")]
    pub(crate) pipeline: PathBuf,
    /// Files, directories or globs to read [default: those of the pipeline]
    #[arg(value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Set a variable of the pipeline; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment, help_heading = "Pipeline")]
    pub(crate) set: Vec<(String, String)>,
    /// Write results that cannot be right: limbs of two lengths, of another size than the target, or that move against the
    /// source
    #[arg(long, help_heading = "Pipeline")]
    pub(crate) force: bool,
    /// Print the steps, settings and outputs of every input, and exit
    #[arg(long, help_heading = "Pipeline")]
    pub(crate) explain: bool,
    /// Write a report of the run to a folder: totals, failures, distributions and worst clips, with a page per clip that
    /// shows input and result
    #[arg(long, value_name = "SITE", help_heading = "Pipeline")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

/// Reads `name=value`.
fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("a variable is set as NAME=VALUE".into()),
    }
}

/// The step `retarget`. Fields whose names begin with `..` are groups of keys of the same table.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct RetargetStep {
    /// Target skeleton: a .skel file, any motion or skeleton file, or preset:NAME
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) target: PathBuf,
    #[command(flatten)]
    #[serde(rename = "..method")]
    pub(crate) method: MethodSettings,
    #[command(flatten)]
    #[serde(rename = "..reading")]
    pub(crate) reading: TargetSettings,
    #[command(flatten)]
    #[serde(rename = "..robot")]
    pub(crate) robot: RobotSettings,
    #[command(flatten)]
    #[serde(rename = "..map")]
    pub(crate) map: MapSettings,
    #[command(flatten)]
    #[serde(rename = "..gates")]
    pub(crate) gates: GateSettings,
}

/// The step `compress`.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct CompressStep {
    #[command(flatten)]
    #[serde(rename = "..bounds")]
    pub(crate) bounds: BoundSettings,
    /// Folder below the output directory for the files [default: the output directory itself]
    #[arg(long, value_name = "FOLDER")]
    #[serde(default)]
    pub(crate) folder: Option<PathBuf>,
    /// Write no file: compress only to measure the error
    #[arg(long)]
    #[serde(default)]
    pub(crate) discard: bool,
}

/// The step `write`.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct WriteStep {
    /// Format: any that `mocap convert --to` takes, such as bvh, glb, fbx, npz
    #[arg(long, value_name = "FORMAT", required = true)]
    #[serde(deserialize_with = "setting::one")]
    pub(crate) to: Format,
    /// Rotation order of every joint of a BVH, such as ZXY [default: that of the skeleton]
    #[arg(long, value_name = "ORDER")]
    #[serde(default, deserialize_with = "setting::option")]
    pub(crate) euler: Option<EulerOrder>,
    #[command(flatten)]
    #[serde(rename = "..bvh")]
    pub(crate) bvh: BvhStyle,
    #[command(flatten)]
    #[serde(rename = "..scene")]
    pub(crate) scene: SceneFlags,
    #[command(flatten)]
    #[serde(rename = "..arrays")]
    pub(crate) arrays: ArrayStyle,
    /// Folder below the output directory for the files [default: the output directory itself]
    #[arg(long, value_name = "FOLDER")]
    #[serde(default)]
    pub(crate) folder: Option<PathBuf>,
}

/// The step `keep`.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct KeepStep {
    /// Labels of `mocap label`, and speed [m/s] or turn [rad/s], such as 'walk & speed>1' or 'kick,left | punch'
    #[arg(long, value_name = "LABELS", required = true)]
    #[serde(deserialize_with = "setting::one")]
    pub(crate) keep: LabelExpression,
}

/// The step `compare`.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct CompareStep {
    /// Earlier step whose motion is the reference [default: the one before the last compress step]
    #[arg(long, value_name = "STEP")]
    #[serde(default, deserialize_with = "setting::option")]
    pub(crate) against: Option<String>,
    #[command(flatten)]
    #[serde(rename = "..measure")]
    pub(crate) measure: CompareSettings,
}
