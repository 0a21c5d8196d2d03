//! Edits as steps of pipelines: each is one edit with its options and gates.

use clap::Args as ClapArgs;
use mocap_edit::{Denoise, Edit, Keep, LoopOptions};
use mocap_model::{Factor, FrameRange, SignedAxis};
use serde::Deserialize;

use super::edit::{ROOT_NAME, RootJoint, StartAt};
use super::{EditArg, EditGates, setting};

/// One edit of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EditStep {
    pub(crate) edit: EditArg,
    pub(crate) gates: EditGates,
}

fn step(edit: Edit, gates: EditGates) -> EditStep {
    EditStep { edit: EditArg::Ready(edit), gates }
}

/// The settings of the step `mirror`.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct MirrorStep {
    #[command(flatten)]
    #[serde(rename = "..gates")]
    gates: EditGates,
}

impl From<MirrorStep> for EditStep {
    fn from(settings: MirrorStep) -> EditStep {
        step(Edit::Mirror, settings.gates)
    }
}

/// The settings of the step `denoise`.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct DenoiseStep {
    /// auto, butterworth:HZ, savgol[:SECONDS], gaussian[:SECONDS] or one-euro[:HZ,BETA] [default: auto]
    #[arg(long, value_name = "METHOD")]
    #[serde(default, deserialize_with = "setting::option")]
    denoise: Option<Denoise>,
    #[command(flatten)]
    #[serde(rename = "..gates")]
    gates: EditGates,
}

impl From<DenoiseStep> for EditStep {
    fn from(settings: DenoiseStep) -> EditStep {
        step(Edit::Denoise(settings.denoise.unwrap_or_default()), settings.gates)
    }
}

/// The settings of the step `loop`.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct LoopStep {
    /// The range of the cycle: frames (30:92) or seconds (1s:2s) [default: the best cycle]
    #[arg(long, value_name = "A:B")]
    #[serde(default, deserialize_with = "setting::option")]
    range: Option<FrameRange>,
    #[command(flatten)]
    #[serde(rename = "..gates")]
    gates: EditGates,
}

impl From<LoopStep> for EditStep {
    fn from(settings: LoopStep) -> EditStep {
        step(Edit::Loop(LoopOptions { range: settings.range, ..LoopOptions::default() }), settings.gates)
    }
}

/// The settings of the step `speed`.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct SpeedStep {
    /// Faster (above 1) or slower (below 1) [factor, above 0]
    #[arg(long, value_name = "FACTOR", required = true)]
    #[serde(deserialize_with = "setting::one")]
    speed: Factor,
    #[command(flatten)]
    #[serde(rename = "..gates")]
    gates: EditGates,
}

impl From<SpeedStep> for EditStep {
    fn from(settings: SpeedStep) -> EditStep {
        step(Edit::Speed(settings.speed.0), settings.gates)
    }
}

/// The settings of the step `fix-feet`.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct FixFeetStep {
    #[command(flatten)]
    #[serde(rename = "..gates")]
    gates: EditGates,
}

impl From<FixFeetStep> for EditStep {
    fn from(settings: FixFeetStep) -> EditStep {
        step(Edit::FixFeet, settings.gates)
    }
}

/// The settings of the step `ground`.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct GroundStep {
    #[command(flatten)]
    #[serde(rename = "..gates")]
    gates: EditGates,
}

impl From<GroundStep> for EditStep {
    fn from(settings: GroundStep) -> EditStep {
        step(Edit::Ground, settings.gates)
    }
}

/// The settings of the step `in-place`.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct InPlaceStep {
    /// What stays in the body: height, turn, both with a comma, or none [default: height]
    #[arg(long, value_name = "WHAT")]
    #[serde(default, deserialize_with = "setting::option")]
    keep: Option<Keep>,
    #[command(flatten)]
    #[serde(rename = "..gates")]
    gates: EditGates,
}

impl From<InPlaceStep> for EditStep {
    fn from(settings: InPlaceStep) -> EditStep {
        step(Edit::InPlace(settings.keep.unwrap_or_default()), settings.gates)
    }
}

/// The settings of the step `root-joint`.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct RootJointStep {
    /// What is done: add
    #[arg(long, value_name = "WHAT", required = true)]
    root_joint: RootJoint,
    /// What stays in the body: height, turn, both with a comma, or none [default: height]
    #[arg(long, value_name = "WHAT")]
    #[serde(default, deserialize_with = "setting::option")]
    keep: Option<Keep>,
    #[command(flatten)]
    #[serde(rename = "..gates")]
    gates: EditGates,
}

impl From<RootJointStep> for EditStep {
    fn from(settings: RootJointStep) -> EditStep {
        let RootJoint::Add = settings.root_joint;
        let keep = settings.keep.unwrap_or_default();
        step(Edit::AddRootJoint { name: ROOT_NAME.into(), keep }, settings.gates)
    }
}

/// The settings of the step `heading`.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct HeadingStep {
    /// The axis that the body faces at its start: Z, -X …
    #[arg(long, value_name = "AXIS", required = true)]
    #[serde(deserialize_with = "setting::one")]
    heading: SignedAxis,
    #[command(flatten)]
    #[serde(rename = "..gates")]
    gates: EditGates,
}

impl From<HeadingStep> for EditStep {
    fn from(settings: HeadingStep) -> EditStep {
        step(Edit::Face(settings.heading), settings.gates)
    }
}

/// The settings of the step `start-at`.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct StartAtStep {
    /// Where the motion starts: origin
    #[arg(long, value_name = "WHERE", required = true)]
    start_at: StartAt,
    #[command(flatten)]
    #[serde(rename = "..gates")]
    gates: EditGates,
}

impl From<StartAtStep> for EditStep {
    fn from(settings: StartAtStep) -> EditStep {
        let StartAt::Origin = settings.start_at;
        step(Edit::StartAtOrigin, settings.gates)
    }
}
