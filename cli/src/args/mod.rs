//! The arguments as they are typed: one file per verb, and groups of settings that verbs and pipeline steps share.
//! The groups are plain structs for both; each becomes the options of a library in one place here.
//!
//! Help texts are the reference of the command line: every number names its unit, range and default.

mod arrays;
mod bands;
mod blend;
mod bvh_style;
mod compare;
mod compress;
mod convert;
mod decompress;
mod edit;
mod edit_gates;
mod edit_steps;
mod edits;
mod files;
mod finite;
mod formats;
mod fourier;
mod gallery;
mod generate;
mod global;
mod ground;
mod info;
mod invocation;
mod join;
mod manifest;
mod one_edit;
mod picture;
mod play;
mod plot;
mod quality;
mod reading;
mod render;
mod retarget;
mod run;
mod scene;
mod seconds;
mod setting;
mod several;
mod sheet;
mod size;
mod skel;
mod split;
mod surface;
mod terrain;
mod validate;
mod view;
mod warp;
mod words;

pub(crate) use arrays::{ArraySettings, ArrayStyle, holds_arrays};
pub(crate) use bands::Args as BandsArgs;
pub(crate) use blend::Args as BlendArgs;
pub(crate) use bvh_style::BvhStyle;
pub(crate) use compare::{Args as CompareArgs, CompareSettings};
pub(crate) use compress::{Args as CompressArgs, BoundSettings};
pub(crate) use convert::Args as ConvertArgs;
pub(crate) use decompress::Args as DecompressArgs;
pub(crate) use edit::{Args as EditArgs, EditArg, EditList, HEADING as EDITS_HEADING};
pub(crate) use edit_gates::EditGates;
pub(crate) use edit_steps::{
    AddStep, AlongStep, ApplyRootStep, BandsStep, BlendStep, DenoiseStep, DurationStep, EditStep,
    ExtractRootStep, FixFeetStep, FourierStep, GroundStep, HeadingStep, InPlaceStep, JoinStep, LoopStep,
    MirrorStep, RepeatStep, RootJointStep, SpeedStep, StartAtStep, StripStep, SyncStep, TerrainStep,
    TimeMapStep, TurnStep, WarpStep,
};
pub(crate) use edits::{Edits, SourceEdits};
pub(crate) use files::{Inputs, Outputs, Selection};
pub(crate) use fourier::Args as FourierArgs;
pub(crate) use gallery::Args as GalleryArgs;
pub(crate) use generate::{Args as GenerateArgs, SCHEMAS, What as GenerateWhat};
pub(crate) use global::{ColorWhen, Global, ProgressWhen};
pub(crate) use ground::GroundArgs;
pub(crate) use info::{Args as InfoArgs, SortBy};
pub(crate) use invocation::{Invocation, named};
pub(crate) use join::Args as JoinArgs;
pub(crate) use manifest::{Args as ManifestArgs, MergeArgs, StatsArgs, VerifyArgs, What as ManifestWhat};
pub(crate) use mocap_model::{Factor, Length, LengthAboveZero, UnitLength};
pub(crate) use mocap_settings::Kind;
pub(crate) use picture::{
    BodyArgs, BodyWord, ChartFormat, ImageFormat, MostFrames, Pictures, ThemeWord, extension,
};
pub(crate) use play::Args as PlayArgs;
pub(crate) use plot::Args as PlotArgs;
pub(crate) use quality::QualitySettings;
pub(crate) use reading::{FirstFrame, PositionChannelsArg, Reading};
pub(crate) use render::{Args as RenderArgs, FilmFormat};
pub(crate) use retarget::{
    Args as RetargetArgs, GateSettings, MapSettings, MethodSettings, RobotSettings, TargetGate,
    TargetSettings,
};
pub(crate) use run::{Args as RunArgs, CompareStep, CompressStep, RetargetStep, WriteStep};
pub(crate) use scene::{RobotFlags, SceneFlags};
pub(crate) use several::OneOutput;
pub(crate) use sheet::Args as SheetArgs;
pub(crate) use skel::{Args as SkelArgs, LIST};
pub(crate) use split::Args as SplitArgs;
pub(crate) use surface::SurfaceArgs;
pub(crate) use terrain::Args as TerrainArgs;
pub(crate) use validate::Args as ValidateArgs;
pub(crate) use view::Args as ViewArgs;
pub(crate) use warp::Args as WarpArgs;

use clap::{CommandFactory, Parser, Subcommand};

/// A command-line toolchain for motion capture: converts, retargets, edits, compresses, compares and draws motions
/// in BVH, FBX, glTF, Acclaim ASF/AMC, NPZ and other formats; one clip or a whole database
#[derive(Debug, Parser)]
#[command(
    name = "mocap",
    version,
    max_term_width = 100,
    disable_help_subcommand = true,
    disable_help_flag = true,
    after_help = "Topics: mocap help inputs, reading or output explains the options that commands share.\n\
        Exit codes: 0 success, 1 a clip failed, 2 wrong usage, 3 a quality gate failed, 130 interrupted."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Verb,
    #[command(flatten)]
    pub(crate) global: Global,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Info(InfoArgs),
    Validate(ValidateArgs),
    Convert(ConvertArgs),
    Edit(EditArgs),
    Join(JoinArgs),
    Split(SplitArgs),
    Blend(BlendArgs),
    Play(PlayArgs),
    Bands(BandsArgs),
    Warp(WarpArgs),
    Fourier(FourierArgs),
    Terrain(TerrainArgs),
    Compare(CompareArgs),
    Compress(CompressArgs),
    Decompress(DecompressArgs),
    Skel(SkelArgs),
    Retarget(RetargetArgs),
    View(ViewArgs),
    Sheet(SheetArgs),
    Plot(PlotArgs),
    Render(RenderArgs),
    Gallery(GalleryArgs),
    Run(RunArgs),
    Manifest(ManifestArgs),
    Generate(GenerateArgs),
    /// Show the help of a command, or of the options that commands share: inputs, reading, output
    Help {
        /// Command or topic
        #[arg(value_name = "COMMAND|TOPIC")]
        of: Vec<String>,
    },
}

impl Verb {
    /// Settles what outputs are, by the inputs.
    pub(crate) fn settle_outputs(&mut self) {
        match self {
            Verb::Convert(args) => args.outputs.settle(&args.inputs.inputs),
            Verb::Edit(args) => args.one.settle_outputs(),
            Verb::Bands(args) => args.alone.one.settle_outputs(),
            Verb::Warp(args) => args.alone.one.settle_outputs(),
            Verb::Fourier(args) => args.alone.one.settle_outputs(),
            Verb::Terrain(args) => args.alone.one.settle_outputs(),
            Verb::Compress(args) => args.outputs.settle(&args.inputs.inputs),
            Verb::Decompress(args) => args.outputs.settle(&args.inputs.inputs),
            Verb::Skel(args) => args.outputs.settle(&args.inputs.inputs),
            Verb::Retarget(args) => args.outputs.settle(&args.paths[..args.paths.len() - 1]),
            _ => {}
        }
    }
}

impl Cli {
    /// All commands and flags.
    pub(crate) fn definition() -> clap::Command {
        // Where nothing is written, `--unit` can only mean the unit of the inputs.
        let alias =
            |command: clap::Command| command.mut_arg("input_unit", |argument| argument.visible_alias("unit"));
        let definition =
            ["info", "validate", "compare", "compress", "skel", "view", "sheet", "plot", "render", "gallery"]
                .into_iter()
                .fold(Cli::command(), |all, name| all.mut_subcommand(name, alias));
        let definition = definition.mut_subcommand("run", |command| {
            command.mut_arg("output", |argument| {
                argument.value_name("DIR").help(
                    "Directory for all outputs; it mirrors the tree of the inputs [default: that of the pipeline]",
                )
            })
        });
        // A preset takes the place of inputs, which no other command has.
        definition.mut_subcommand("skel", |skel| {
            skel.mut_arg("inputs", |inputs| {
                inputs.required_unless_present_any(["files_from", "preset", "print_config"])
            })
        })
    }
}

/// A group of settings where no flag is given: what its definition says.
fn defaults<Group: clap::Args>() -> Group {
    let definition =
        Group::augment_args(clap::Command::new("defaults").no_binary_name(true).disable_help_flag(true));
    let matches = definition.try_get_matches_from([""; 0]).expect("every setting of the group has a default");
    Group::from_arg_matches(&matches).expect("defaults are valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_do_not_clash() {
        Cli::definition().debug_assert();
    }
}
