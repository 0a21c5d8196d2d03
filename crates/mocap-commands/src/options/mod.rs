//! The options of verbs that do not declare them in their file in `commands`, and groups of options that verbs and
//! steps of pipelines share. The groups are plain structs for both; each becomes the options of a library in one place
//! here.
//!
//! Help texts are the reference of the command line: every number names its unit, range and default.

mod alone;
mod arrays;
mod bands;
mod bvh_style;
mod compare;
mod compress;
mod convert;
mod edit;
mod edit_gates;
mod edits;
mod files;
pub(crate) mod formats;
mod fourier;
mod gallery;
mod global;
mod ground;
mod invocation;
mod join;
mod manifest;
mod old_names;
mod one_edit;
mod peers;
mod picture;
mod quality;
mod reading;
mod render;
mod retarget;
mod run;
mod scene;
pub(crate) mod seconds;
pub(crate) mod setting;
pub(crate) mod several;
mod sheet;
pub(crate) mod size;
mod terrain;
mod view;
mod warp;
pub(crate) mod words;

pub(crate) use arrays::{ArraySettings, ArrayStyle};
pub(crate) use bands::Args as BandsArgs;
pub(crate) use bvh_style::BvhStyle;
pub(crate) use compare::{Args as CompareArgs, CompareSettings};
pub(crate) use compress::{Args as CompressArgs, BoundSettings};
pub(crate) use convert::Args as ConvertArgs;
pub(crate) use edit::{Args as EditArgs, HEADING as EDITS_HEADING};
pub(crate) use edit_gates::EditGates;
pub(crate) use edits::{Edits, SourceEdits};
pub(crate) use files::{Inputs, Outputs, Selection};
pub(crate) use formats::listed;
pub(crate) use fourier::Args as FourierArgs;
pub(crate) use gallery::Args as GalleryArgs;
pub use global::{ColorWhen, Global, ProgressWhen};
pub(crate) use ground::GroundArgs;
pub use invocation::Invocation;
pub(crate) use invocation::named;
pub(crate) use join::Args as JoinArgs;
pub(crate) use manifest::{Args as ManifestArgs, MergeArgs, StatsArgs, VerifyArgs, What as ManifestWhat};
pub(crate) use mocap_model::{Factor, Length, LengthAboveZero, UnitLength};
pub(crate) use mocap_settings::Kind;
pub use old_names::old_flags;
pub(crate) use old_names::{new_name, renamed, with_old_names};
pub(crate) use peers::PeerInputs;
pub(crate) use picture::{
    BodyArgs, BodyWord, ChartFormat, ImageFormat, MostFrames, Pictures, ThemeWord, WeightArgs, extension,
};
pub(crate) use quality::QualitySettings;
pub(crate) use reading::{FirstFrame, PositionChannelsArg, Reading};
pub(crate) use render::{Args as RenderArgs, FilmFormat};
pub(crate) use retarget::{
    Args as RetargetArgs, BodyChoice, GateSettings, MapSettings, MethodSettings, PairPaths, RobotSettings,
    TargetGate, TargetSettings,
};
pub(crate) use run::{Args as RunArgs, CompareStep, CompressStep, KeepStep, RetargetStep, WriteStep};
pub(crate) use scene::{RobotFlags, SceneFlags};
pub(crate) use several::OneOutput;
pub(crate) use sheet::Args as SheetArgs;
pub(crate) use terrain::Args as TerrainArgs;
pub(crate) use view::Args as ViewArgs;
pub(crate) use warp::Args as WarpArgs;

/// The default values of a group of settings, from its definition.
fn defaults<Group: clap::Args>() -> Group {
    let definition =
        Group::augment_args(clap::Command::new("defaults").no_binary_name(true).disable_help_flag(true));
    let matches = definition.try_get_matches_from([""; 0]).expect("every setting of the group has a default");
    Group::from_arg_matches(&matches).expect("defaults are valid")
}
